#!/usr/bin/env bash
# Run what is compiled under gcc's sanitizers, which watch each access to memory.
#
#   bash scripts/release/sanitize.sh address  addresses and undefined behaviour: the tests of the core
#   bash scripts/release/sanitize.sh thread  races: work in which many threads meet, and its tests
#   bash scripts/release/sanitize.sh address tests/kulami/test_perft.py -x  further arguments go to pytest,
#                                       in place of what is run otherwise
#
# A copy of the tree is built in build/sanitize/, and kept there, so that the next run compiles only
# what has changed; the build beside the sources stays as it is. The tests run with the Python of
# .venv, or with the one that PYTHON names.
#
# Python itself is not compiled for the sanitizers. No report has to be suppressed for that: they
# know of its locks, and watch what the core reads and writes, not what Python does. One report of
# glibc is: it frees the thread-local variables of a thread that has ended when another one gets its
# stack (`_dl_deallocate_tls`), behind a lock that the thread sanitizer does not see.
#
# A run that takes longer than KULAMI_SANITIZE_SECONDS (1800) has failed. The exit code is 0 if
# nothing was found, 1 if something was, a test failed, or there is nothing to run it with.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../environment.sh"

limit=${KULAMI_SANITIZE_SECONDS:-1800}
tree=(LICENSE MANIFEST.in README.md data docs ext kulami_solver pyproject.toml
    scripts setup.py tests)
core=(against_reference bounds database records endings fuzz malawi_database malawi_index malawi_search
    oracle perft position positions signature textbook threads)

run() {
    echo "+ $*"
    timeout "$limit" "${fixed_addresses[@]}" env "LD_PRELOAD=$library" PYTHONMALLOC=malloc \
        "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path='$reports/address'" \
        "UBSAN_OPTIONS=print_stacktrace=1:log_path='$reports/undefined'" \
        "TSAN_OPTIONS=history_size=7:log_path='$reports/thread':suppressions='$PWD/suppressed'" \
        "$@" || failed=$((failed + 1))
}

case ${1:-} in
    address) sanitizers=address,undefined ;;
    thread) sanitizers=thread ;;
    *) fail "sanitize.sh '${1:-}': say address or thread, and what pytest is to run." ;;
esac
kind=$1
shift

python=${PYTHON:-$PWD/$venv_python}
"$python" -c 'import Cython, hypothesis, pytest, setuptools' 2>/dev/null || fail "$python has not \
what the tests need: run scripts/test.sh first, or name another Python: PYTHON=python3.12 bash $0"
"$python" setup.py --can-compile || exit 1

copy=build/sanitize/$kind
mkdir -p "$copy"
exec 9>"$copy.lock"
flock -n 9 || fail "Another sanitize.sh $kind is at work in $PWD/$copy: wait for its end."
find "$copy" -type f ! -name '*.so' ! -path "$copy/build/*" -delete
tar --exclude='*.so' --exclude=__pycache__ -cf - "${tree[@]}" | tar -xf - -C "$copy"
cd "$copy"
reports=$PWD/reports
mkdir -p "$reports"
echo race:_dl_deallocate_tls >suppressed
echo "Building with -fsanitize=$sanitizers in $copy (some minutes)"
KULAMI_SANITIZE=$sanitizers "$python" setup.py -q build_ext --inplace >build.log 2>&1 || {
    cat build.log >&2
    fail "The build failed; what the compiler says about it stands above."
}
# The sanitizer's library has to be there before anything else; what was built says which it is.
library=$(ldd "$(find kulami_solver -name '*.so' -print -quit)" | awk '$1 ~ /^lib[at]san/ { print $3 }')
[ -n "$library" ] || fail "What was built asks for no sanitizer's library, as gcc's does: name gcc, \
CC=gcc bash $0 $kind"

# The thread sanitizer of older compilers cannot live with addresses as random as newer kernels'.
fixed_addresses=(setarch "$(uname -m)" -R)
"${fixed_addresses[@]}" true 2>/dev/null || fixed_addresses=()

failed=0
SECONDS=0
export PYTHONPATH=$PWD
# What is undefined is reported on stderr, and ends the process before pytest could show it. Where an
# exception cannot be raised, as in most of the core, Python only warns of it.
pytest=("$python" -m pytest -q -p no:cacheprovider --capture=sys
    -W error::pytest.PytestUnraisableExceptionWarning)
if [ $# -gt 0 ]; then
    run "${pytest[@]}" "$@"
elif [ "$kind" = address ]; then
    for name in "${core[@]}"; do
        # Those that kill builds choose the moment by the clock, which a sanitizer slows down.
        run "${pytest[@]}" tests/*/"test_$name.py" -k "not killed"
    done
else
    for _ in 1 2 3; do # threads meet elsewhere each time
        run "$python" scripts/bench/threaded_work.py
    done
    run "${pytest[@]}" tests/kulami/test_threads.py -k "late or many"
    # Where a test changes an array of NumPy's while it is read, the race is the test's own.
    run "${pytest[@]}" tests/kulami/test_free_threads.py -k "not builds and not actions"
fi

# Tests that ask for more memory than there can be are answered, with a warning that is no report.
find "$reports" -type f -exec sed -i '/WARNING: AddressSanitizer failed to allocate/d' {} +
find "$reports" -type f -exec cat {} + >&2
found=$(find "$reports" -type f -size +0 | wc -l)
if [ "$found" != 0 ] || [ "$failed" != 0 ]; then
    fail "$sanitizers: reports of $found processes, $failed runs failed, in $SECONDS s"
fi
echo "$sanitizers: nothing found in $SECONDS s"
