#!/usr/bin/env bash
# Make .venv, install the package with what its tests need, and run them.
#
# Free-threaded Pythons have no wheels of much that the tests of other rooms need; there test-core is
# installed in place of test, and those tests are skipped. environment.sh says how to name a Python.
#
#   bash scripts/test.sh                      the normal tests
#   bash scripts/test.sh -m "not nightly"     those and the longer ones of .ci/run
#   bash scripts/test.sh -m nightly           the slow and thorough ones
#   bash scripts/test.sh tests/kulami/test_layout.py -x      further arguments go to pytest
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

prepare_venv
tests=$("$venv_python" -c 'import sysconfig
print("test-core" if sysconfig.get_config_var("Py_GIL_DISABLED") else "test")')
install_package ".[$tests]"
# What Python and pytest compile is kept: the next run collects the tests in half the time.
unset PYTHONDONTWRITEBYTECODE
# One process more than there are processors: many tests wait for a server, a browser or a bot.
workers=$("$venv_python" -c '
from kulami_solver.core.budgets import available_processors
print(available_processors() + 1)')
# fER: the summary names what failed, and what was run once more. After 80 minutes no test is begun.
exec "$venv_python" -m pytest -n "$workers" --dist worksteal -rfER --session-timeout 4800 "$@"
