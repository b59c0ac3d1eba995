#!/usr/bin/env bash
# Run the tests with the Python of another Debian, in a root of its own. As root, on Debian or Ubuntu.
#
#   bash scripts/release/other_python.sh trixie           Python 3.13
#   bash scripts/release/other_python.sh sid              Python 3.14 or newer
#   bash scripts/release/other_python.sh sid tests/core   further arguments go to pytest
#
# debootstrap makes the root in build/other/, and it is kept with its virtual environment. What runs there is
# scripts/test.sh in a copy of the tree, so the package is compiled and installed as anybody would do it.
# Certificates of this machine are used there, too. Pages are not tested: there is no browser.
#
# The exit code is 0 if all passed, 1 if not, 3 if debootstrap or the right to use it is missing.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../environment.sh"

tree=(CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE MANIFEST.in README.md data docs ext
    kulami_solver proofs pyproject.toml scripts setup.py tests)

release=${1:-}
case $release in
    trixie | sid) shift ;;
    *) fail "other_python.sh '$release': say trixie or sid, and what pytest is to run." ;;
esac
if ! command -v debootstrap >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "other_python.sh: this needs debootstrap (apt install debootstrap), and root" >&2
    exit 3
fi

root=$PWD/build/other/$release
mkdir -p "$(dirname "$root")"
exec 9>"$root.lock"
flock -n 9 || fail "Another other_python.sh $release is at work: wait for its end."
if [ ! -e "$root/kulami" ]; then
    echo "Making a root of Debian's $release"
    rm -rf "$root"
    debootstrap --variant=minbase \
        --include=ca-certificates,fonts-dejavu-core,gcc,git,libc6-dev,patch,procps,python3,python3-dev,python3-venv \
        "$release" "$root" http://deb.debian.org/debian >"$root.log" 2>&1 || {
        tail -n 5 "$root.log" >&2
        fail "The root cannot be made; what debootstrap says stands above."
    }
    mkdir "$root/kulami"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
tar --exclude='*.so' --exclude=__pycache__ -cf - "${tree[@]}" | tar -xf - -C "$root/kulami"

# Processes and shared memory are seen inside, and nothing of it is left behind.
exec unshare --mount --propagation private bash -euo pipefail -c '
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    exec chroot "$0" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt bash /kulami/scripts/test.sh -rs -m "not nightly" "$@"
' "$root" "$@"
