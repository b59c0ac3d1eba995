"""Solve a collection of small boards: every essentially different layout of some families.

    python scripts/build_small_boards.py                 write data/small-boards.csv and databases
    python scripts/build_small_boards.py --family 3x4    only this family, the table to stdout
    python scripts/build_small_boards.py --check         compare with what is there, write nothing

A family is a rectangle tiled with panels of the box: at most four of 2x3, five of 2x2, four of 1x3
and four of 1x2, each turned at will. Of layouts that are each other's mirror images or rotations
only one is taken, the one whose text comes first. Each is built at all four scorings with 28
marbles.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.layout import PANEL_NAMES, STANDARD_PANELS

ROOT: Final = Path(__file__).resolve().parent.parent
DATA: Final = ROOT / "data"
FAMILIES: Final = ((3, 3), (3, 4), (4, 4))
#: Databases that are kept, with the scoring.
KEPT: Final = {
    "3x4-level2.kdb": ("AABB/AABB/CCDD", "2"),
    "4x4-level0.kdb": ("AABB/AABB/CCDD/CCDD", "0"),
    "4x5-level0.kdb": ("ABBCD/ABBCD/ABBEE/FFFEE", "0"),
}
COLUMNS: Final = ("layout", "scoring", "value", "positions", "best_first_fields")


def tilings(width: int, height: int) -> Iterator[str]:
    """Every layout of a rectangle with panels of the box, as text."""
    rows = [[""] * width for _ in range(height)]
    left = Counter(STANDARD_PANELS)

    def place(number: int) -> Iterator[str]:
        empty = next(((x, y) for y in range(height) for x in range(width) if not rows[y][x]), None)
        if empty is None:
            yield "/".join("".join(row) for row in rows)
            return
        x, y = empty
        for kind in STANDARD_PANELS:
            for w, h in {kind, kind[::-1]}:
                squares = [(x + i, y + j) for i in range(w) for j in range(h)]
                if not left[kind] or x + w > width or y + h > height:
                    continue
                if any(rows[j][i] for i, j in squares):
                    continue
                left[kind] -= 1
                for i, j in squares:
                    rows[j][i] = PANEL_NAMES[number]
                yield from place(number + 1)
                for i, j in squares:
                    rows[j][i] = ""
                left[kind] += 1

    yield from place(0)


def named_in_order(rows: list[str]) -> str:
    """The text of a layout with its panels named in the order they appear."""
    names: dict[str, str] = {}
    for row in rows:
        for name in row:
            names.setdefault(name, PANEL_NAMES[len(names)])
    return "/".join("".join(names[name] for name in row) for row in rows)


def representative(text: str) -> str:
    """The first of a layout's mirror images and rotations that have its width.

    >>> representative("AAB/CCB") == representative("ABB/ACC")
    True
    """
    rows = text.split("/")
    seen = []
    for _ in range(4):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
        for turned in (rows, [row[::-1] for row in rows]):
            if len(turned[0]) == len(text.split("/")[0]):
                seen.append(named_in_order(turned))
    return min(seen)


def layouts(width: int, height: int) -> list[str]:
    """The essentially different layouts of a family."""
    return sorted({representative(text) for text in tilings(width, height)})


def solved(layout: str, scoring: ks.Scoring, path: Path) -> dict[str, object]:
    """Build a layout's database and return its row of the table."""
    root = ks.Position(ks.Layout.parse(layout))
    built = ks.build(path, root, scoring)
    with ks.open_database(path) as database:
        moves = database.move_values(root)
    best = sorted((m.field for m in moves if m.margin == built.value), key=root.layout.index)
    return {
        "layout": layout,
        "scoring": scoring.value,
        "value": built.value,
        "positions": built.positions,
        "best_first_fields": " ".join(best),
    }


def table(families: list[tuple[int, int]]) -> str:
    """The whole table as CSV."""
    text = io.StringIO()
    rows = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    rows.writeheader()
    listed = [layout for family in families for layout in layouts(*family)]
    with tempfile.TemporaryDirectory() as folder:
        for layout in tqdm(listed, unit=" boards", delay=2, disable=None):
            for scoring in ks.Scoring:
                rows.writerow(solved(layout, scoring, Path(folder, "board.kdb")))
    return text.getvalue()


def main() -> int:
    """Build what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--family", metavar="RxC", help="rows x columns; the table goes to stdout")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    args = parser.parse_args()
    if args.family:
        height, width = map(int, args.family.split("x"))
        sys.stdout.write(table([(width, height)]))
        return 0
    made = table([(width, height) for height, width in FAMILIES]).encode("ascii")
    files = {"small-boards.csv": made}
    with tempfile.TemporaryDirectory() as folder:
        for name, (layout, scoring) in KEPT.items():
            path = Path(folder, name)
            ks.build(path, ks.Position(ks.Layout.parse(layout)), ks.Scoring.parse(scoring))
            files[name] = path.read_bytes()
    wrong = 0
    DATA.mkdir(exist_ok=True)
    for name, content in files.items():
        path = DATA / name
        if args.check:
            same = path.exists() and path.read_bytes() == content
            print(f"{'same' if same else 'DIFFERS':<8}{name}")
            wrong += not same
        else:
            path.write_bytes(content)
            print(f"{len(content):>9,} bytes  {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
