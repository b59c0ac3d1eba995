"""Prove what boards are worth: the files of data/proofs/, and more on demand.

    python scripts/data/prove_boards.py    write the 5x5 board's, at four scorings
    python scripts/data/prove_boards.py --board 5x6 --folder FOLDER    ten seconds a scoring
    python scripts/data/prove_boards.py --small --folder FOLDER    every row of small-boards.csv
    python scripts/data/prove_boards.py --small 5 --folder FOLDER    ... five rows drawn at random
    python scripts/data/prove_boards.py --larger 20 --folder FOLDER  ... of 5x6 in larger-boards.csv

Each is checked as soon as it is written; a line says how long both took. With --small and --larger
the value has to be the table's, and FOLDER/manifest.csv appears when all are there. A run that was
ended goes on from there: a file that is there is checked, and proved anew if it does not hold.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import build_larger_boards
from build_small_boards import TABLE, Case, Row, case_of, rows_of
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.core.files import file_sha256, write_atomically
from kulami_solver.kulami.proof.proof import Checked, open_proof
from kulami_solver.kulami.prove import Proved, prove

PROOFS: Final = Path(__file__).resolve().parents[2] / "data" / "proofs"
BOARDS: Final = {
    "5x5": "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG",
    "5x6": "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG",
}
COLUMNS: Final = ("file", "layout", "scoring", "value", "steps", "bytes", "sha256")
MANIFEST: Final = "manifest.csv"
LARGER: Final = len("ABCDEF/" * 5) - 1  # the text of a layout of 5x6


def checked(path: Path, case: Case) -> Checked | None:
    """Check a proof; None if it does not hold, or not of this empty board at this scoring."""
    layout, scoring = case
    try:
        with open_proof(path) as proof:
            about = (proof.root, proof.scoring.value)
            found = proof.verify()
    except (FileNotFoundError, ks.DatabaseError):
        return None
    fits = about == (ks.Position(ks.Layout.parse(layout)), scoring)
    return found if found.ok and fits else None


def proved(path: Path, case: Case) -> tuple[Proved, Checked]:
    """Prove an empty board's value, and check what was written."""
    layout, scoring = case
    found = prove(path, ks.Position(ks.Layout.parse(layout)), scoring)
    held = checked(path, case)
    if held is None:
        raise SystemExit(f"{path}: the proof does not hold")
    return found, held


def prove_board(board: str, folder: Path) -> None:
    """Write the proofs of a board at every scoring."""
    for scoring in ks.Scoring:
        path = folder / f"{board}-{scoring.value}.kpf"
        found, held = proved(path, (BOARDS[board], scoring.value))
        print(
            f"{path.name}: {found.value:+d} for red, {held.steps:,} steps in {found.bytes:,} "
            f"bytes, {found.seconds:.1f} s; checked in {held.seconds:.2f} s"
        )


def described(row: Row, path: Path) -> Row:
    """Prove a row of the table unless that is done, and return its row of the manifest."""
    layout, scoring = case = case_of(row)
    held = checked(path, case) or proved(path, case)[1]
    if str(held.value) != row["value"]:
        raise SystemExit(f"{path} proves {held.value}, and the table says {row['value']}")
    said = (path.name, layout, scoring, held.value, held.steps, path.stat().st_size)
    return dict(zip(COLUMNS, [*map(str, said), file_sha256(path)], strict=True))


def prove_rows(listed: Sequence[Row], folder: Path) -> None:
    """Prove rows of a table of boards, and write what there is into the manifest."""
    out = io.StringIO()
    manifest = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    manifest.writeheader()
    steps = size = 0
    for row in tqdm(listed, unit=" proofs", delay=2, disable=None):
        name = f"{row['layout'].replace('/', '-')}-{row['scoring']}.kpf"
        made = described(row, folder / name)
        manifest.writerow(made)
        steps += int(made["steps"])
        size += int(made["bytes"])
    write_atomically(folder / MANIFEST, [out.getvalue().encode("ascii")])
    print(f"{len(listed)} proofs, {steps:,} steps in {size:,} bytes; all hold")


def main() -> None:
    """Write the proofs of a board, or of those of a table."""
    parser = argparse.ArgumentParser(description="Prove what boards are worth.")
    parser.add_argument("--board", choices=BOARDS, default="5x5")
    parser.add_argument("--small", type=int, nargs="?", const=0, metavar="ROWS")
    parser.add_argument("--larger", type=int, nargs="?", const=0, metavar="ROWS")
    parser.add_argument("--seed", type=int, default=1, help="of the rows that are drawn")
    parser.add_argument("--folder", type=Path, default=PROOFS)
    args = parser.parse_args()
    rows = args.small if args.larger is None else args.larger
    if rows is not None and args.folder == PROOFS:
        parser.error("--small, --larger: name a --folder for the files")
    args.folder.mkdir(parents=True, exist_ok=True)
    if rows is None:
        prove_board(args.board, args.folder)
        return
    if args.larger is None:
        listed = rows_of(TABLE)
    else:
        larger = rows_of(build_larger_boards.TABLE)
        listed = [row for row in larger if len(row["layout"]) == LARGER]
    if rows:
        listed = random.Random(args.seed).sample(listed, rows)
    prove_rows(listed, args.folder)


if __name__ == "__main__":
    main()
