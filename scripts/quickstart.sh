#!/usr/bin/env bash
# Make .venv, install the package into it and solve a real position: bash scripts/quickstart.sh
#
#   -h, --help    print this, and do nothing
#   PYTHON=...    the Python 3.10 or newer to make .venv with
set -euo pipefail
if [ $# -gt 0 ]; then
    case $1 in
        -h | --help)
            sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *)
            echo "quickstart.sh takes no arguments, not '$1': leave it out, or give --help" >&2
            exit 2
            ;;
    esac
fi
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

prepare_venv
install_package ".[web]"
exec "$venv_python" scripts/quickstart.py
