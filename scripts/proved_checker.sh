#!/usr/bin/env bash
# Compile the checker of proofs that is proved in Coq, and check proofs with it.
#
#   bash scripts/proved_checker.sh                  compile it: build/proved_checker/proved_checker
#   bash scripts/proved_checker.sh FILE.kpf ...     ... and check proofs, ply by ply, in FILE.kpf.plies
#   bash scripts/proved_checker.sh FOLDER ...       ... of which `kulami export --plies` has made folders
#   bash scripts/proved_checker.sh --install ...    install Coq first, if it is missing (Debian, Ubuntu; as root)
#   bash scripts/proved_checker.sh --threads N ...  with so many processes (as many as there are cores)
#
# After an interruption the same command goes on. FILE.kpf.plies takes up to 24 bytes a step, and is
# removed when the proof has been checked. The exit code is 0 if all of them hold, 1 if one does not,
# 2 if one could not be checked, 3 if there is no Coq or no OCaml here, or they could not compile it.
# Nothing but the theorem's assumptions is taken from Coq's output: it has to have none.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/proved_checker
install=
threads=$(nproc)
[ "$threads" -le 256 ] || threads=256

while true; do
    case "${1:-}" in
        --install) install=yes ;;
        --threads)
            [ $# -gt 1 ] || {
                echo "proved_checker.sh: --threads needs a number, 1 to 256" >&2
                exit 2
            }
            threads=$2
            shift
            ;;
        *) break ;;
    esac
    shift
done
if [ -n "$install" ] && ! command -v coqc >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq coq ocaml-nox
fi
for program in coqc ocamlopt; do
    command -v "$program" >/dev/null || {
        echo "proved_checker.sh: $program is missing: install Coq and OCaml (Debian: coq ocaml-nox)" >&2
        exit 3
    }
done
# Times say little: a folder may be a copy, or hold an older version of the files.
is_compiled() {
    [ -x "$build/proved_checker" ] || return
    for file in "$root"/proofs/*; do
        cmp -s "$file" "$build/${file##*/}" || return
    done
}
trap 'exit 3' ERR
if ! is_compiled; then
    mkdir -p "$build"
    cp "$root"/proofs/* "$build"
    (
        cd "$build"
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
        ocamlopt -w -a -inline 200 -o proved_checker unix.cmxa checker.ml main.ml
    )
fi
trap - ERR

kulami=$root/.venv/bin/kulami
[ -x "$kulami" ] || kulami=kulami
worst=0
for proof in "$@"; do
    echo "$proof"
    plies=$proof
    code=0
    if [ ! -d "$proof" ]; then
        plies=$proof.plies
        # A file that was moved or copied here is new, however old its content.
        [ -f "$plies/claim.txt" ] && [ -z "$(find -L "$proof" -cnewer "$plies/claim.txt")" ] ||
            "$kulami" export "$proof" --plies "$plies" || code=2
    fi
    [ $code != 0 ] || "$build/proved_checker" --threads "$threads" "$plies" || code=$?
    if [ "$plies" != "$proof" ] && [ $code -le 1 ]; then
        rm -f "$plies"/[0-9]*.ply "$plies/claim.txt" "$plies/checked"
        rmdir "$plies" || true # It stays if there are other files.
    fi
    [ $code -le $worst ] || worst=$code
done
exit $worst
