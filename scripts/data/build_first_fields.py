"""Solve every first field of every essentially different 5x5 board, at all four scorings.

    python scripts/data/build_first_fields.py             write data/boards-5x5.csv: an hour
    python scripts/data/build_first_fields.py --check     compare with what is there, write nothing
    python scripts/data/build_first_fields.py --check 20  ... 20 rows drawn at random
    python scripts/data/build_first_fields.py --summary   print the table of findings.md

The boards are those of `enumerate_layouts(5, 5)`: tiled with panels of the box, and of mirror
images and rotations only one. Rows that are done are kept in FILE.building until the table is
complete: a run that was ended goes on from there.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from build_small_boards import (
    DATA,
    EVERY_SCORING,
    Case,
    Row,
    case_of,
    layouts,
    rows_of,
    write_table,
)
from tqdm import tqdm

import kulami_solver as ks

TABLE: Final = DATA / "boards-5x5.csv"
COLUMNS: Final = ("layout", "scoring", "value", "first_fields")


def cases() -> list[Case]:
    """What the table has a row of: each layout, scoring by scoring."""
    boards = layouts(5, 5)
    return [(layout, scoring) for scoring in EVERY_SCORING for layout in boards]


def solved(listed: Iterable[Case]) -> Iterator[Row]:
    """Solve these cases, on all cores; yield their rows in their order."""
    for scoring, group in itertools.groupby(listed, lambda case: case[1]):
        boards = [layout for layout, _ in group]
        roots = [ks.Position(ks.Layout.parse(layout)) for layout in boards]
        solutions = ks.solve_many(roots, scoring, every_move=True)
        for layout, root, solution in zip(boards, roots, solutions, strict=True):
            moves = sorted(solution.moves, key=lambda move: root.layout.index(move.field))
            yield {
                "layout": layout,
                "scoring": scoring,
                "value": str(solution.margin),
                "first_fields": " ".join(str(move.margin) for move in moves),
            }


def table() -> list[Row]:
    """The rows of the table."""
    return rows_of(TABLE)


def summary(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table that says what the first player wins."""
    of = {name: [row for row in rows if row["scoring"] == name] for name in EVERY_SCORING}
    yield "| scoring | loses by 1 | draw | wins by 1 | 2 | 3 | 4 | on average |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for name, group in of.items():
        values = [int(row["value"]) for row in group]
        counts = " | ".join(str(values.count(value)) for value in range(-1, 5))
        yield f"| {name} | {counts} | {statistics.mean(values):.2f} |"


def run(rows: int | None) -> int:
    """Write the table, or compare so many of its rows."""
    listed = cases()
    if rows is None:
        write_table(listed, TABLE, COLUMNS, solved)
        return 0
    chosen = sorted(random.Random(8).sample(listed, min(rows, len(listed))), key=listed.index)
    known = {case_of(row): row for row in table()}
    again = tqdm(solved(chosen), total=len(chosen), unit=" rows", delay=2, disable=None)
    wrong = [case_of(row) for row in again if row != known.get(case_of(row))]
    for layout, scoring in wrong:
        print(f"DIFFERS  {layout} at scoring {scoring}")
    print(f"{len(chosen)} rows compared, {len(wrong)} differ")
    return 1 if wrong else 0


def main() -> int:
    """Read the command line; Ctrl-C keeps what is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check",
        metavar="N",
        type=int,
        nargs="?",
        const=sys.maxsize,
        help="compare, write nothing",
    )
    parser.add_argument("--summary", action="store_true", help="print what the boards teach")
    arguments = parser.parse_args()
    if arguments.summary:
        print("\n".join(summary(table())))
        return 0
    try:
        return run(arguments.check)
    except KeyboardInterrupt:
        print("interrupted; the rows that are done are kept: run it again", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
