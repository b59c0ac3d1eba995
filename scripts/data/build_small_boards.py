"""Solve a collection of small boards: every essentially different layout of some families.

    python scripts/data/build_small_boards.py             write data/small-boards.csv and databases
    python scripts/data/build_small_boards.py --family 3x4  only this family, the table to stdout
    python scripts/data/build_small_boards.py --family 4x5 --table FILE  ... to a file
    python scripts/data/build_small_boards.py --check     compare with what is there, write nothing
    python scripts/data/build_small_boards.py --check 20  ... 20 rows drawn at random, and databases

A family is a rectangle tiled with panels of the box: at most four of 2x3, five of 2x2, four of 1x3
and four of 1x2, each turned at will. Layouts that are each other's mirror images or rotations
are taken once, by the one whose text comes first. Each is built with 28 marbles, at all four
scorings; the 520 layouts of 4x5 at level 0 alone, since the others would take hours.

Rows that are done are kept in FILE.building until the table is complete: a run that was ended
goes on from there.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TextIO

from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.core.files import write_atomically
from kulami_solver.kulami.position.layout import enumerate_layouts

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = ROOT / "data"
TABLE: Final = DATA / "small-boards.csv"
Family = tuple[int, int]
EVERY_SCORING: Final = tuple(scoring.value for scoring in ks.Scoring)
#: The scorings of each family, by its rows and columns.
FAMILIES: Final[dict[Family, tuple[str, ...]]] = {
    (3, 3): EVERY_SCORING,
    (3, 4): EVERY_SCORING,
    (4, 4): EVERY_SCORING,
    (4, 5): ("0",),
}
#: Databases that are kept, with the scoring.
KEPT: Final = {
    "3x4-level2.kdb": ("AABB/AABB/CCDD", "2"),
    "4x4-level0.kdb": ("AABB/AABB/CCDD/CCDD", "0"),
    "4x5-level0.kdb": ("ABBCD/ABBCD/ABBEE/FFFEE", "0"),
}
COLUMNS: Final = ("layout", "scoring", "value", "positions", "best_first_fields")


def layouts(width: int, height: int) -> list[str]:
    """The essentially different layouts of a family."""
    return sorted(map(str, enumerate_layouts(width, height)))


Case = tuple[str, str]
Row = dict[str, str]


def cases(families: Iterable[Family]) -> list[Case]:
    """What the table has a row of: each layout at each scoring of its family."""
    return [
        case
        for height, width in families
        for case in itertools.product(
            layouts(width, height), FAMILIES.get((height, width), EVERY_SCORING)
        )
    ]


def solved(case: Case, folder: Path) -> Row:
    """Build a case's database in a folder, and return its row of the table."""
    layout, scoring = case
    root = ks.Position(ks.Layout.parse(layout))
    path = folder / "board.kdb"
    built = ks.build(path, root, ks.Scoring.parse(scoring))
    with ks.open_database(path) as database:
        moves = database.move_values(root)
    best = sorted((m.field for m in moves if m.margin == built.value), key=root.layout.index)
    return {
        "layout": layout,
        "scoring": scoring,
        "value": str(built.value),
        "positions": str(built.positions),
        "best_first_fields": " ".join(best),
    }


def all_solved(listed: Iterable[Case]) -> Iterator[Row]:
    """Build these cases one after the other; yield the row of each as soon as there is one."""
    with tempfile.TemporaryDirectory() as folder:
        for case in listed:
            yield solved(case, Path(folder))


def write_rows(
    listed: list[Case],
    done: int,
    out: TextIO,
    columns: Sequence[str] = COLUMNS,
    solve: Callable[[Iterable[Case]], Iterable[Row]] = all_solved,
) -> None:
    """Solve all cases but the first `done`, and write the row of each as soon as there is one."""
    rows = csv.DictWriter(out, columns, lineterminator="\n")
    if not done:
        rows.writeheader()
    for row in tqdm(
        solve(listed[done:]), total=len(listed), initial=done, unit=" rows", delay=2, disable=None
    ):
        rows.writerow(row)
        out.flush()


def rows_of(path: Path) -> list[Row]:
    """The rows of a table."""
    return list(csv.DictReader(path.read_text(encoding="ascii").splitlines()))


def case_of(row: Row) -> Case:
    """What a row is about."""
    return row["layout"], row["scoring"]


def rows_begun(begun: Path, columns: Sequence[str] = COLUMNS) -> tuple[list[Row], int]:
    """The rows that are done and in no table yet, and how many bytes they take."""
    kept = begun.read_text("ascii", "replace") if begun.exists() else ""
    if not kept.startswith(",".join(columns)[: len(kept)]):
        raise SystemExit(f"{begun}: something else is in the way; remove it")
    text = kept[: kept.rfind("\n") + 1]  # the last line may have been cut short
    return list(csv.DictReader(text.splitlines())), len(text)


def go_on(
    listed: list[Case],
    begun: Path,
    columns: Sequence[str],
    solve: Callable[[Iterable[Case]], Iterable[Row]],
) -> None:
    """Add the rows of all cases but the first ones, which are there."""
    known, size = rows_begun(begun, columns)
    if [case_of(row) for row in known] != listed[: len(known)]:
        raise SystemExit(f"{begun}: the rows of other families are in the way; remove it")
    with open(begun, "a", encoding="ascii", newline="") as out:
        out.truncate(size if known else 0)
        write_rows(listed, len(known), out, columns, solve)


def write_table(
    listed: list[Case],
    path: Path,
    columns: Sequence[str] = COLUMNS,
    solve: Callable[[Iterable[Case]], Iterable[Row]] = all_solved,
) -> None:
    """Write a table, or go on with one that was begun; it appears when it is complete."""
    begun = path.with_name(path.name + ".building")
    go_on(listed, begun, columns, solve)
    begun.replace(path)


def kept_database(name: str, folder: Path) -> bytes:
    """The bytes of a database that is kept, built again."""
    layout, scoring = KEPT[name]
    root = ks.Position(ks.Layout.parse(layout))
    ks.build(folder / name, root, ks.Scoring.parse(scoring))
    return (folder / name).read_bytes()


def differing(listed: list[Case], folder: Path) -> Iterator[str]:
    """Solve these cases and build the databases again; what is not as it was."""
    table = {case_of(row): row for row in rows_of(TABLE)}
    for case in tqdm(listed, unit=" rows", delay=2, disable=None):
        if solved(case, folder) != table.get(case):
            yield f"{TABLE.name}: {' at scoring '.join(case)}"
    for name in KEPT:
        if not (DATA / name).exists() or kept_database(name, folder) != (DATA / name).read_bytes():
            yield name


def run(args: argparse.Namespace) -> int:
    """Do what was asked for."""
    listed = cases((args.family,) if args.family else FAMILIES)
    if args.check is not None:
        chosen = random.Random(8).sample(listed, min(args.check, len(listed)))
        with tempfile.TemporaryDirectory() as folder:
            wrong = list(differing(chosen, Path(folder)))
        for name in wrong:
            print(f"DIFFERS  {name}")
        print(f"{len(chosen)} rows and {len(KEPT)} databases compared, {len(wrong)} differ")
        return 1 if wrong else 0
    if args.family and args.table is None:
        write_rows(listed, 0, sys.stdout)
        return 0
    write_table(listed, args.table or TABLE)
    if not args.family:
        with tempfile.TemporaryDirectory() as folder:
            for name in KEPT:
                write_atomically(DATA / name, [kept_database(name, Path(folder))])
    return 0


def family(text: str) -> Family:
    """Rows and columns, for argparse."""
    height, width = map(int, text.split("x"))
    if not 0 < height * width <= 25:
        raise ValueError(text)
    return height, width


def main() -> int:
    """Read the command line; Ctrl-C keeps what is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--family", metavar="RxC", type=family, help="rows x columns")
    parser.add_argument("--table", metavar="FILE", type=Path, help=f"where to ({TABLE.name})")
    parser.add_argument(
        "--check",
        metavar="N",
        type=int,
        nargs="?",
        const=sys.maxsize,
        help="compare, write nothing",
    )
    try:
        return run(parser.parse_args())
    except KeyboardInterrupt:
        print("interrupted; the rows that are done are kept: run it again", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
