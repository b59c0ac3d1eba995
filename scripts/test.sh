#!/usr/bin/env bash
# Make .venv, install the package with what its tests need, and run them all.
#
#   bash scripts/test.sh                      everything but the nightly tests
#   bash scripts/test.sh -m nightly           the slow and thorough ones
#   bash scripts/test.sh tests/test_layout.py -x      further arguments go to pytest
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

prepare_venv
install_package ".[test]"
exec "$venv_python" -m pytest -n auto --dist worksteal "$@"
