#!/usr/bin/env bash
# Run tests on another processor, which QEMU plays; the modules are compiled here, for it.
#
#   bash scripts/release/other_processor.sh arm64         signatures of the searches, tests of the core
#   bash scripts/release/other_processor.sh s390x         likewise, with the bytes of numbers the other way round
#   bash scripts/release/other_processor.sh arm64 tests/kulami/test_perft.py -x    further arguments go to pytest,
#                                       in place of what is run otherwise
#   bash scripts/release/other_processor.sh --install ...  install what is needed first (Debian, as root)
#
# Python, NumPy and what else the tests need are packages of Debian, unpacked below build/other/ and kept
# there with the compiled modules: the next run compiles only what has changed. .venv, or the Python that
# PYTHON names, runs Cython.
#
# With s390x it also shows that databases are refused there, and that the plain reader reads them.
#
# The exit code is 0 if all passed, 1 if not, 3 if a program or a package that is needed cannot be had.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../environment.sh"

# What the trial needs of a root; debootstrap knows what these need in turn.
packages=python3,python3-numpy,python3-msgspec,python3-jinja2,python3-psutil,python3-tqdm,python3-pytest,python3-hypothesis
packages=$packages,libpython3-dev
tree=(LICENSE MANIFEST.in README.md data docs ext kulami_solver pyproject.toml scripts setup.py tests)
# What a wrong processor or compiler would break, as far as it does not take an hour at a twentieth of the speed.
chosen=(storage/test_byte_order kulami/test_perft)

install=
if [ "${1:-}" = --install ]; then
    install=1
    shift
fi
# Debian 13 for s390x has had a list of packages with a wrong checksum.
case ${1:-} in
    arm64) machine=aarch64 release=trixie ;;
    s390x) machine=s390x release=sid ;;
    *) fail "other_processor.sh '${1:-}': say arm64 or s390x, and what pytest is to run." ;;
esac
architecture=$1
shift
compiler=$machine-linux-gnu-gcc
if [ -n "$install" ]; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends \
        debootstrap proot qemu-user-static "gcc-$machine-linux-gnu" "libc6-dev-$architecture-cross"
fi
for program in "$compiler" debootstrap dpkg-deb proot "qemu-$machine-static"; do
    command -v "$program" >/dev/null || {
        echo "other_processor.sh: $program is missing: start again with --install (Debian, as root)" >&2
        exit 3
    }
done
python=${PYTHON:-$PWD/$venv_python}
"$python" -c 'import Cython, setuptools' 2>/dev/null \
    || fail "$python has no Cython: run scripts/test.sh first, or name another Python: PYTHON=..."

place=$PWD/build/other/$architecture
root=$place/root
mkdir -p "$place"
exec 9>"$place.lock"
flock -n 9 || fail "Another other_processor.sh $architecture is at work: wait for its end."
if [ ! -e "$place/unpacked" ]; then
    echo "Fetching Debian's packages for $architecture ($release)"
    rm -rf "$root"
    debootstrap --arch="$architecture" --foreign --variant=minbase --include="$packages" \
        "$release" "$root" http://deb.debian.org/debian >"$place/debootstrap.log" 2>&1 || {
        tail -n 5 "$place/debootstrap.log" >&2
        echo "The packages cannot be had; what debootstrap says stands above." >&2
        exit 3
    }
    for package in "$root"/var/cache/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
    touch "$place/unpacked"
fi
version=$(basename "$root"/usr/include/python3.*)
suffix=.cpython-${version/python3./3}-$machine-linux-gnu.so

copy=$place/tree
headers=$place/headers
mkdir -p "$copy" "$headers/$machine-linux-gnu"
cp -a "$root/usr/include/$version/." "$headers"
cp -a "$root/usr/include/$machine-linux-gnu/$version" "$headers/$machine-linux-gnu"
find "$copy" -type f ! -name '*.so' ! -path "$copy/build/*" -delete
tar --exclude='*.so' --exclude=__pycache__ -cf - "${tree[@]}" | tar -xf - -C "$copy"
cd "$copy"
echo "Compiling for $architecture and $version (some minutes)"
CC="$compiler -I$headers" LDSHARED="$compiler -shared" KULAMI_MARCH='' \
    SETUPTOOLS_EXT_SUFFIX="$suffix" \
    "$python" setup.py -q build_ext --inplace >"$place/build.log" 2>&1 || {
    tail -n 40 "$place/build.log" >&2
    fail "The build failed; what the compiler says stands above."
}

emulated() {
    env -i HOME=/tmp PATH=/usr/bin:/bin LC_ALL=C.UTF-8 PYTHONPATH=/kulami \
        "LD_LIBRARY_PATH=/usr/lib/$machine-linux-gnu/blas:/usr/lib/$machine-linux-gnu/lapack" \
        proot -q "qemu-$machine-static" -R "$root" -b "$copy:/kulami" -w /kulami "$@"
}
SECONDS=0
emulated /usr/bin/python3 -m kulami_solver.about
if [ $# = 0 ]; then
    for database in data/*.kdb; do
        reader=(docs/examples/plain_reader.py "$database")
        [ "$(emulated /usr/bin/python3 "${reader[@]}")" = "$("$python" "${reader[@]}")" ] \
            || fail "$architecture: the plain reader says something else of $database"
    done
    echo "plain reader: the same margins"
    emulated /usr/bin/python3 scripts/bench/signature.py || fail "$architecture: other values or node counts"
    echo "signatures: values and node counts as on record, $SECONDS s"
    set -- "${chosen[@]/%/.py}"
    set -- "${@/#/tests/}"
fi
emulated /usr/bin/python3 -m pytest -q -rs -p no:cacheprovider "$@" || fail "$architecture: tests failed"
echo "$architecture: all passed, in $SECONDS s"
