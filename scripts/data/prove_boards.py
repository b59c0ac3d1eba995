"""Prove what small boards are worth: the files of data/proofs/, and a larger one on demand.

    python scripts/data/prove_boards.py    write the 5x5 board's, at four scorings
    python scripts/data/prove_boards.py --board 5x6 --folder FOLDER    ten seconds a scoring

Each is checked as soon as it is written; a line says how long both took.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import kulami_solver as ks
from kulami_solver.kulami.proof import open_proof
from kulami_solver.kulami.prove import prove

PROOFS: Final = Path(__file__).resolve().parents[2] / "data" / "proofs"
BOARDS: Final = {
    "5x5": "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG",
    "5x6": "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG",
}


def main() -> None:
    """Write the proofs of a board."""
    parser = argparse.ArgumentParser(description="Prove what small boards are worth.")
    parser.add_argument("--board", choices=BOARDS, default="5x5")
    parser.add_argument("--folder", type=Path, default=PROOFS)
    args = parser.parse_args()
    args.folder.mkdir(exist_ok=True)
    start = ks.Position(ks.Layout.parse(BOARDS[args.board]))
    for scoring in ks.Scoring:
        path = args.folder / f"{args.board}-{scoring.value}.kpf"
        found = prove(path, start, scoring)
        with open_proof(path) as proof:
            checked = proof.verify()
        if not checked.ok:
            raise SystemExit(f"{path}: {checked.problems[0]}")
        print(
            f"{path.name}: {found.value:+d} for red, {checked.steps:,} steps in {found.bytes:,} "
            f"bytes, {found.seconds:.1f} s; checked in {checked.seconds:.2f} s"
        )


if __name__ == "__main__":
    main()
