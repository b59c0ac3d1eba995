#!/usr/bin/env bash
# Compile the checker of proofs that is proved in Coq, and check proofs with it.
#
#   bash scripts/proved_checker.sh                 compile it: build/proved_checker/proved_checker
#   bash scripts/proved_checker.sh FILE.txt ...    ... and check what `kulami export --text` has written
#   bash scripts/proved_checker.sh --install ...   install Coq first, if it is missing (Debian, Ubuntu; as root)
#
# The exit code is 0 if all of them hold, 1 if one does not, 3 if there is no Coq or no OCaml here.
# Nothing but the theorem's assumptions is taken from Coq's output: it has to have none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=build/proved_checker

if [ "${1:-}" = --install ]; then
    shift
    if ! command -v coqc >/dev/null; then
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq coq ocaml-nox
    fi
fi
for program in coqc ocamlopt; do
    command -v "$program" >/dev/null || {
        echo "proved_checker.sh: $program is missing: install Coq and OCaml (Debian: coq ocaml-nox)" >&2
        exit 3
    }
done
if [ -n "$(find proofs -newer "$folder/proved_checker" 2>/dev/null || echo new)" ]; then
    mkdir -p "$folder"
    cp proofs/* "$folder"
    (
        cd "$folder"
        rm -f proved_checker
        coqc Rules.v
        coqc Words.v
        coqc Checker.v >assumptions
        if [ "$(cat assumptions)" != "Closed under the global context" ]; then
            echo "proved_checker.sh: the theorem rests on more than Coq:" >&2
            cat assumptions >&2
            exit 1
        fi
        coqc Extract.v
        rm -f checker.mli
        ocamlopt -w -a -inline 200 -o proved_checker checker.ml main.ml
    )
fi
code=0
for file in "$@"; do
    echo "$file"
    "$folder/proved_checker" "$file" || code=1
done
exit $code
