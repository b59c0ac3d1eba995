# Sourced by the set-up scripts: the repository's own virtual environment, .venv, or VENV if set.
#
#   source environment.sh     moves to the repository's root, defines what follows
#   prepare_venv              makes .venv or reuses it, having checked that all it needs is there
#   install_package SPEC      installs this repository into it, editable; SPEC is . or .[extra]
#
# PYTHON names the interpreter to make it with; otherwise the first that is new enough is taken. So
# tests can be run with another Python and leave .venv as it is:
#
#   VENV=.venv-t PYTHON=python3.14t bash scripts/test.sh
#
# Every failure ends the script with one sentence on stderr and exit code 1.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=${VENV:-.venv}
venv_python=$venv/bin/python

fail() {
    echo "$1" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null
}

find_python() {
    local candidate seen=""
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.{14..10} python; do
        if new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
        # Asked for by name, it is not replaced by another.
        [ "$candidate" != "${PYTHON:-}" ] || fail "PYTHON=$PYTHON is not a Python 3.10 or newer: \
name another one, or unset PYTHON to have one looked for."
        [ -n "$seen" ] || seen=$("$candidate" --version 2>/dev/null || true)
    done
    fail "kulami_solver needs Python 3.10 or newer, and ${seen:-no Python} was found: install one \
(Debian, Ubuntu: apt install python3 python3-venv python3-dev) or name one: PYTHON=python3.12 bash $0"
}

prepare_venv() {
    local python
    if [ -e "$venv" ] && [ ! -x "$venv_python" ]; then
        fail "$PWD/$venv has no working Python (was its Python removed?): delete it and start again."
    fi
    if [ -x "$venv_python" ]; then
        new_enough "$venv_python" || fail "$PWD/$venv is older than Python 3.10 or broken: delete \
it and start again."
        python=$venv_python
    else
        python=$(find_python)
    fi
    "$python" setup.py --can-compile || exit 1
    if [ ! -x "$venv_python" ]; then
        "$python" -c 'import ensurepip, venv' 2>/dev/null || fail "$python has no venv module: \
install it (Debian, Ubuntu: apt install python3-venv) and start again."
        echo "Making $venv with $("$python" --version)"
        "$python" -m venv "$venv" || fail "$python -m venv $venv failed (see above)."
    fi
    "$venv_python" -m pip --version >/dev/null 2>&1 || "$venv_python" -m ensurepip >/dev/null 2>&1 \
        || fail "$PWD/$venv has no pip: delete it and start again."
}

install_package() {
    echo "Installing kulami_solver into $venv (compiling it takes one to three minutes)"
    # What builds it stays in the environment: setup.py build_ext --inplace needs it after a change.
    local requires
    requires=$(sed -n 's/^requires = \[\(.*\)\]$/\1/p' pyproject.toml | tr -d '",')
    # shellcheck disable=SC2086  # several, to be split
    "$venv_python" -m pip install --quiet --disable-pip-version-check $requires \
        && "$venv_python" -m pip install --quiet --disable-pip-version-check --no-build-isolation \
            --editable "$1" \
        || fail "The installation failed; what pip says about it stands above."
}
