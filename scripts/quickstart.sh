#!/usr/bin/env bash
# Make .venv, install the package into it and solve a real position: bash scripts/quickstart.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

prepare_venv
install_package .
exec "$venv_python" scripts/quickstart.py
