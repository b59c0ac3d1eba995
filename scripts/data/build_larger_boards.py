"""Solve boards of 5x6, 6x6 and 6x7, drawn at random from the box and named.

    python scripts/data/build_larger_boards.py                 write data/larger-boards.csv
    python scripts/data/build_larger_boards.py --family 6x6-0  only these boards
    python scripts/data/build_larger_boards.py --threads 16    16 boards at a time
    python scripts/data/build_larger_boards.py --workers tcp://HOST:PORT   on a dask cluster
    python scripts/data/build_larger_boards.py --partial       write the rows there are, solve none
    python scripts/data/build_larger_boards.py --check 3       solve 3 rows again, write nothing
    python scripts/data/build_larger_boards.py --summary       print the table of findings.md

The families 5x6-0 and 6x6-0 have 100 layouts each at level 0, tiled with panels of the box: at most
four of 2x3, five of 2x2, four of 1x3 and four of 1x2, each turned at will. None is a mirror image
or rotation of another. 5x6-1, 6x6-1 and the like have the first 20 of them at another scoring, and
6x7 has two boards that need more panels than the box has. Any other ROWSxCOLUMNS-SCORING is drawn
in the same way, and --boards says how many.

The search finds the value first, and is then asked about each first field whether it keeps the
value. All questions together take about twice as long as the value. With --one-field the first
field of the line found is the only one in the column, and `...` follows it: others may keep the
value, too. A later run without --one-field replaces such a row. `nodes` are those of the value
alone. They depend on the size of the transposition table, which is the same on every machine.

Each row is added to FILE.building as soon as it is there. A run that was ended, even by a kill,
loses only the boards under way; the next run goes on from there, and from the rows of the table.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import functools
import io
import random
import signal
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

import build_first_fields
import build_small_boards
from build_small_boards import (
    DATA,
    EVERY_SCORING,
    Case,
    Row,
    case_of,
    go_on,
    rows_begun,
    rows_of,
)
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.bots.processes import Workers, workers_at
from kulami_solver.core.budgets import workers_of
from kulami_solver.core.files import write_atomically
from kulami_solver.kulami.position.layout import canonical_images
from kulami_solver.kulami.position.layout_text import PANEL_NAMES, STANDARD_PANELS, named_in_order
from kulami_solver.kulami.solve.solver import Solver

TABLE: Final = DATA / "larger-boards.csv"
TABLES: Final = (build_small_boards.TABLE, build_first_fields.TABLE, TABLE)
COLUMNS: Final = ("layout", "scoring", "value", "best_first_fields", "nodes", "plies")
SEED: Final = 6
BOARDS: Final = 100  # of a family at level 0
AT_OTHERS: Final = 20  # of these, at each other scoring
NAMED: Final = {
    "AABBCCD/AABBCCD/AABBCCD/EEFFGGH/EEFFGGH/EEFFGGH": EVERY_SCORING,
    "ABBCCDD/ABBCCDD/ABBCCDD/EEFFGGH/EEFFGGH/EEIIJJH": ("0",),
}
FAMILIES: Final = (
    *(f"{size}-{scoring}" for size in ("5x6", "6x6") for scoring in EVERY_SCORING),
    "6x7",
)
OTHERS: Final = "..."  # follows the best fields that are known, if others were not asked about
TRIES: Final = 1000  # layouts drawn in a row that are all there already

Piece = TypeVar("Piece")
Result = TypeVar("Result")


# Boards


def drawn(height: int, width: int, draw: random.Random) -> tuple[str, ...] | None:
    """The rows of a random tiling with panels of the box; None if one came to a dead end.

    Only `random()` is drawn from: Python promises the same numbers in every version.
    """
    left = dict(STANDARD_PANELS)
    rows = [[""] * width for _ in range(height)]
    for name in PANEL_NAMES:
        squares = ((x, y) for y in range(height) for x in range(width) if not rows[y][x])
        x, y = next(squares, (-1, -1))
        if y < 0:
            return named_in_order(["".join(row) for row in rows])
        fitting = [
            (kind, w, h)
            for kind, count in left.items()
            for w, h in (kind, kind[::-1])
            if x + w <= width and y + h <= height and not any(rows[y][x : x + w])
            for _ in range(count)
        ]
        if not fitting:
            return None
        kind, w, h = fitting[int(draw.random() * len(fitting))]
        left[kind] -= 1
        for row in rows[y : y + h]:
            row[x : x + w] = [name] * w
    return None


def drawn_layouts(height: int, width: int, count: int) -> list[str]:
    """So many different layouts, up to mirror images and rotations, in the order of the draws."""
    draw = random.Random(SEED)
    found: dict[ks.Layout, str] = {}
    tries = 0
    while len(found) < count:
        tries += 1
        if tries > TRIES:
            raise SystemExit(f"there seem to be only {len(found)} layouts of {height}x{width}")
        rows = drawn(height, width, draw)
        if rows is None:
            continue
        layout = ks.Layout.parse("/".join(rows))
        if layout.canonical() not in found:
            found[layout.canonical()] = str(layout)
            tries = 0
    return list(found.values())


def cases(family: str, boards: int | None = None) -> list[Case]:
    """What the table has a row of, for a family."""
    if family == "6x7":
        return [(layout, scoring) for layout, scorings in NAMED.items() for scoring in scorings]
    size, _, scoring = family.partition("-")
    height, width = map(int, size.split("x"))
    level = ks.Scoring.parse(scoring).value
    count = boards or (BOARDS if level == "0" else AT_OTHERS)
    return [(layout, level) for layout in drawn_layouts(height, width, count)]


# Solutions


def solver_at(root: ks.Position, scoring: str) -> Solver:
    """A solver whose table has the size that suits the board."""
    bits = min(max(len(root.layout.fields) - 8, 16), 30)
    return Solver(root, ks.Scoring.parse(scoring), 1 << bits)


def keeping(solver: Solver, root: ks.Position, value: int, fields: Iterable[str]) -> list[str]:
    """Those of the fields that keep the value of the empty board, in their order."""
    images = canonical_images(root.layout)
    keeps: dict[int, bool] = {}
    best = []
    for field in fields:
        number = root.layout.index(field)
        alike = min(moved[number] for _, moved in images)  # of all images on the same board
        if alike not in keeps:
            found = solver.inquire(root.play(field), 1 - value)
            keeps[alike] = found.upper < 1 - value
        if keeps[alike]:
            best.append(field)
    return best


def solved(case: Case, every: bool) -> Row:
    """Solve a board, and return its row of the table."""
    layout, scoring = case
    root = ks.Position(ks.Layout.parse(layout))
    solver = solver_at(root, scoring)
    bounds = solver.bounds(root)
    solver.narrow(root, bounds)
    nodes, value = solver.nodes, bounds.lower
    line = solver.line(root, bounds)
    best = keeping(solver, root, value, root.layout.fields) if every else [line[0], OTHERS]
    row = (layout, scoring, str(value), " ".join(best), str(nodes), str(len(line)))
    return dict(zip(COLUMNS, row, strict=True))


def holds(row: Row) -> bool:
    """Whether the value and the best first fields of a row are found again."""
    layout, scoring = case_of(row)
    root = ks.Position(ks.Layout.parse(layout))
    solver = solver_at(root, scoring)
    bounds = solver.bounds(root)
    solver.narrow(root, bounds)
    best = row["best_first_fields"].split()
    asked: Sequence[str] = root.layout.fields
    if best[-1] == OTHERS:
        best.pop()
        asked = best
    return bounds.lower == int(row["value"]) and keeping(solver, root, bounds.lower, asked) == best


# Processes


def end_at_once() -> Callable[[], None]:
    """Set up a process that does not finish its search when it is told to end."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return lambda: None


@contextlib.contextmanager
def workers(threads: int, address: str | None) -> Iterator[Workers]:
    """So many processes of this machine, or the workers of a dask scheduler."""
    if address is None:
        crashed = "a process has ended; try --threads 1 to see why"
        with workers_at(threads, "boards", crashed, end_at_once) as found:
            yield found
        return
    import cloudpickle  # type: ignore[import-untyped]

    cloudpickle.register_pickle_by_value(build_small_boards)  # which the workers do not have
    with ks.cluster.connect(address) as executor:  # all threads of a worker may search
        yield Workers(workers_of(None, executor=executor), executor.submit)


def all_done(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], workers: Workers
) -> Iterator[tuple[Piece, Result]]:
    """Do the work; yield each piece with its result as soon as it is done."""
    for (piece,), result in workers.done(work, zip(pieces), sys.maxsize):
        yield piece, result


# The table


def known_rows(table: Path, begun: Path) -> dict[Case, Row]:
    """The rows of the table, and those that are to come into it."""
    rows = rows_of(table) if table.exists() else []
    return {case_of(row): row for row in (*rows, *rows_begun(begun, COLUMNS)[0])}


def place(case: Case) -> tuple[int, int, str]:
    """What the rows are ordered by: the size of the board, then the scoring."""
    layout, scoring = case
    return len(layout), EVERY_SCORING.index(scoring), layout


def write_table(path: Path, known: dict[Case, Row]) -> None:
    """Write the rows that are known, in their order."""
    text = io.StringIO()
    rows = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    rows.writeheader()
    rows.writerows(known[case] for case in sorted(known, key=place))
    write_atomically(path, [text.getvalue().encode("ascii")])


def table() -> list[Row]:
    """The rows of every table of boards, from 3x3 on."""
    return [row for path in TABLES for row in rows_of(path)]


def by_size(rows: list[Row]) -> dict[str, dict[tuple[int, int], list[int]]]:
    """The values of the boards of each scoring and size, the shorter side first."""
    found: dict[str, dict[tuple[int, int], list[int]]] = {name: {} for name in EVERY_SCORING}
    for row in rows:
        lines = row["layout"].split("/")
        size = min(len(lines), len(lines[0])), max(len(lines), len(lines[0]))
        found[row["scoring"]].setdefault(size, []).append(int(row["value"]))
    return found


def summary(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table that says what boards of each size are worth."""
    found = by_size(rows)
    yield "| board | " + " | ".join(EVERY_SCORING) + " |"
    yield "|---|" + "---:|" * len(EVERY_SCORING)
    for size in sorted({size for boards in found.values() for size in boards}):
        groups = [boards.get(size, []) for boards in found.values()]
        means = [f"{statistics.mean(one):.2f} ({len(one)})" if one else "" for one in groups]
        yield f"| {'x'.join(map(str, size))} | " + " | ".join(means) + " |"


def is_whole(row: Row, every: bool) -> bool:
    """Whether a row says what is asked for: with `every`, all best first fields."""
    return not every or not row["best_first_fields"].endswith(OTHERS)


def build(listed: list[Case], path: Path, begun: Path, workers: Workers, every: bool) -> None:
    """Solve the cases that have no row yet, or no whole one, and write the table with them."""
    known = known_rows(path, begun)
    left = [case for case in listed if case not in known or not is_whole(known[case], every)]
    there = [case_of(row) for row in rows_begun(begun, COLUMNS)[0]]

    def solve(some: Iterable[Case]) -> Iterator[Row]:
        work = functools.partial(solved, every=every)
        return (row for _, row in all_done(work, some, workers))

    go_on(there + left, begun, COLUMNS, solve)
    write_table(path, known_rows(path, begun))
    begun.unlink()


def check(path: Path, listed: list[Case], count: int, workers: Workers) -> int:
    """Solve some rows of the table again; return the exit status."""
    rows = [row for row in rows_of(path) if case_of(row) in listed]
    chosen = random.Random(8).sample(rows, min(count, len(rows)))
    done = tqdm(all_done(holds, chosen, workers), "rows", len(chosen), delay=2, disable=None)
    wrong = [row for row, right in done if not right]
    for row in wrong:
        print(f"DIFFERS  {row['layout']} at scoring {row['scoring']}")
    print(f"{len(chosen)} rows solved again, {len(wrong)} differ")
    return 1 if wrong else 0


def interrupt(*_: object) -> None:
    """End as Ctrl-C does."""
    raise KeyboardInterrupt


def main() -> int:
    """Read the command line; Ctrl-C keeps what is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--family", metavar="NAME", help=f"{', '.join(FAMILIES)}, or 4x5-0")
    parser.add_argument("--boards", metavar="N", type=int, help="how many boards of the family")
    parser.add_argument("--one-field", action="store_true", help="one best first field will do")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="boards at a time (1)")
    parser.add_argument("--workers", metavar="ADDRESS", help="of a dask scheduler, for the boards")
    parser.add_argument("--table", metavar="FILE", type=Path, default=TABLE, help="where to")
    parser.add_argument("--partial", action="store_true", help="write the rows there are")
    parser.add_argument("--check", metavar="N", type=int, help="solve rows again, write nothing")
    parser.add_argument("--summary", action="store_true", help="print what boards are worth")
    args = parser.parse_args()
    if args.summary:
        print(*summary(table()), sep="\n")
        return 0
    families = (args.family,) if args.family else FAMILIES
    try:
        listed = [case for family in families for case in cases(family, args.boards)]
    except (ValueError, ks.KulamiError):
        parser.error(f"--family: {args.family!r} is no family, like 6x6-0 or 6x7")
    path: Path = args.table
    begun = path.with_name(path.name + ".building")
    signal.signal(signal.SIGTERM, interrupt)
    if args.partial:
        write_table(path, known_rows(path, begun))
        return 0
    try:
        with workers(args.threads, args.workers) as found:
            if args.check is not None:
                return check(path, listed, args.check, found)
            build(listed, path, begun, found, not args.one_field)
    except ks.KulamiError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("interrupted; the rows that are done are kept: run it again", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
