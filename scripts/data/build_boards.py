"""Solve the boards of data/small-boards.csv, boards-5x5.csv and larger-boards.csv.

    python scripts/data/build_boards.py small        every board up to 4x5
    python scripts/data/build_boards.py 5x5          every first field of every 5x5 board
    python scripts/data/build_boards.py larger       boards of 5x6, 6x6 and 6x7
    python scripts/data/build_boards.py larger --family 6x6-0   only these boards
    python scripts/data/build_boards.py small --family 3x5 --table FILE    others, in a file
    python scripts/data/build_boards.py 5x5 --threads 16        16 boards at a time
    python scripts/data/build_boards.py larger --workers tcp://HOST:PORT     on a dask cluster
    python scripts/data/build_boards.py small --check 20        solve 20 rows again, write nothing
    python scripts/data/build_boards.py --summary               what boards of each size are worth

The family 4x5 is every essentially different board of 4 rows and 5 columns that can be tiled with
panels of the box: at most four of 2x3, five of 2x2, four of 1x3 and four of 1x2, each turned at
will. Of mirror images and rotations only one is taken. 4x5 is solved at level 0, since the others
would take hours, and the other families at all four scorings. 5x6-0 are boards drawn at random from
the same panels, at level 0: 100 at level 0 and the first 20 of them at each other scoring, or as
many as --boards says. 6x7 has two boards that need more panels than the box has.

For a larger board the search finds the value first, and is then asked about each first field
whether it keeps the value. All questions together take about twice as long as the value. `nodes`
are those of the value alone. They depend on the size of the transposition table, which is the same
on every machine.

Rows that are in the table are not solved again. Each new one is added to FILE.building as soon as
it is there, and the table is written at the end, by Ctrl-C as well. A run that is killed loses only
the boards under way: the next one goes on from there.
"""

from __future__ import annotations

import sys

try:
    import argparse
    import contextlib
    import csv
    import io
    import itertools
    import random
    import signal
    import statistics
    import tempfile
    from collections.abc import Callable, Iterable, Iterator
    from dataclasses import dataclass
    from pathlib import Path
    from typing import Final

    from tqdm import tqdm

    import kulami_solver as ks
    from kulami_solver.bots.processes import Workers, workers_at
    from kulami_solver.core.budgets import workers_of
    from kulami_solver.core.files import write_atomically
    from kulami_solver.core.interruption import ended_as_interrupted
    from kulami_solver.core.locks import FileLock
    from kulami_solver.kulami.position.layout import canonical_images, enumerate_layouts
    from kulami_solver.kulami.position.layout_text import (
        PANEL_NAMES,
        STANDARD_PANELS,
        named_in_order,
    )
    from kulami_solver.kulami.solve.solver import Solver
except KeyboardInterrupt:
    sys.exit(130)


DATA: Final = Path(__file__).resolve().parents[2] / "data"
EVERY_SCORING: Final = tuple(scoring.value for scoring in ks.Scoring)
#: The scorings of families of which every board is solved, where they are not all.
SCORINGS: Final = {"4x5": ("0",)}
#: The boards of 6x7, with their scorings.
NAMED: Final = {
    "AABBCCD/AABBCCD/AABBCCD/EEFFGGH/EEFFGGH/EEFFGGH": EVERY_SCORING,
    "ABBCCDD/ABBCCDD/ABBCCDD/EEFFGGH/EEFFGGH/EEIIJJH": ("0",),
}
SEED: Final = 6
BOARDS: Final = 100  # of a drawn family at level 0
AT_OTHERS: Final = 20  # of these, at each other scoring
TRIES: Final = 1000  # layouts drawn in a row that are all there already

Case = tuple[str, str]  # layout and scoring
Row = dict[str, str]


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
    """What a table has a row of, for a family."""
    if family == "6x7":
        return [(layout, scoring) for layout, scorings in NAMED.items() for scoring in scorings]
    size, _, scoring = family.partition("-")
    height, width = map(int, size.split("x"))
    if not scoring:
        layouts = sorted(map(str, enumerate_layouts(width, height)))
        return list(itertools.product(layouts, SCORINGS.get(size, EVERY_SCORING)))
    level = ks.Scoring.parse(scoring).value
    count = boards or (BOARDS if level == "0" else AT_OTHERS)
    return [(layout, level) for layout in drawn_layouts(height, width, count)]


# Rows


def small(root: ks.Position, scoring: str) -> list[object]:
    """Value, positions and best first fields, by a database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "board.kdb")
        built = ks.build(path, root, scoring)
        with ks.open_database(path) as database:
            moves = database.move_values(root)
    best = sorted((m.field for m in moves if m.margin == built.value), key=root.layout.index)
    return [built.value, built.positions, " ".join(best)]


def first_fields(root: ks.Position, scoring: str) -> list[object]:
    """Value, and the margin of every first field."""
    solution = ks.solve(root, scoring, every_move=True)
    moves = sorted(solution.moves, key=lambda move: root.layout.index(move.field))
    return [solution.margin, " ".join(str(move.margin) for move in moves)]


def larger(root: ks.Position, scoring: str) -> list[object]:
    """Value, best first fields, nodes and plies of the line."""
    bits = min(max(len(root.layout.fields) - 8, 16), 30)
    solver = Solver(root, ks.Scoring.parse(scoring), 1 << bits)
    value = solver.inquire(root).lower
    nodes = solver.nodes
    plies = len(solver.inquire(root, known=(value, value), line=True).line)
    images = canonical_images(root.layout)
    keeps: dict[int, bool] = {}
    best = []
    for number, field in enumerate(root.layout.fields):
        alike = min(moved[number] for _, moved in images)  # of all images on the same board
        if alike not in keeps:
            found = solver.inquire(root.play(field), 1 - value)
            keeps[alike] = found.upper < 1 - value
        if keeps[alike]:
            best.append(field)
    return [value, " ".join(best), nodes, plies]


@dataclass(frozen=True)
class Table:
    """A table of data/: what it has beside layout and scoring, and what finds that."""

    name: str
    columns: tuple[str, ...]
    families: tuple[str, ...]
    find: Callable[[ks.Position, str], list[object]]
    by_layout: bool = False  # the rows of a layout stand together, not those of a scoring

    @property
    def path(self) -> Path:
        """Where it is."""
        return DATA / f"{self.name}.csv"

    @property
    def header(self) -> tuple[str, ...]:
        """All columns."""
        return ("layout", "scoring", "value", *self.columns)

    def solved(self, case: Case) -> Row:
        """Solve a board, and return its row."""
        layout, scoring = case
        found = self.find(ks.Position(ks.Layout.parse(layout)), scoring)
        return dict(zip(self.header, map(str, [*case, *found]), strict=True))

    def place(self, case: Case) -> tuple[object, ...]:
        """What the rows are ordered by: the size of the board first."""
        layout, scoring = case
        others = [layout, EVERY_SCORING.index(scoring)]
        return (len(layout), *(others if self.by_layout else others[::-1]))


DRAWN: Final = tuple(f"{size}-{one}" for size in ("5x6", "6x6") for one in EVERY_SCORING)
TABLES: Final = {
    "small": Table(
        "small-boards",
        ("positions", "best_first_fields"),
        ("3x3", "3x4", "4x4", "4x5"),
        small,
        by_layout=True,
    ),
    "5x5": Table("boards-5x5", ("first_fields",), ("5x5",), first_fields),
    "larger": Table(
        "larger-boards", ("best_first_fields", "nodes", "plies"), (*DRAWN, "6x7"), larger
    ),
}


def rows_of(path: Path) -> list[Row]:
    """The rows of a table."""
    return list(csv.DictReader(path.read_text(encoding="ascii").splitlines()))


def case_of(row: Row) -> Case:
    """What a row is about."""
    return row["layout"], row["scoring"]


def begun_rows(begun: Path, table: Table) -> list[Row]:
    """The rows that are in no table yet; one that was cut short is removed from the file."""
    header = ",".join(table.header) + "\n"
    kept = begun.read_text("ascii", "replace")
    if not kept.startswith(header[: len(kept)]):
        raise SystemExit(f"{begun}: something else is in the way; remove it")
    whole = kept[: kept.rfind("\n") + 1] or header
    begun.write_text(whole, encoding="ascii")
    return list(csv.DictReader(whole.splitlines()))


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep other processes out of what is made, by a lock of this file."""
    try:
        lock = FileLock(path)
    except BlockingIOError:
        raise SystemExit(f"{path}: another process is at work on it; wait for its end") from None
    with lock:
        yield


def write(path: Path, table: Table, rows: Iterable[Row]) -> None:
    """Write a table, its rows in their order."""
    text = io.StringIO()
    out = csv.DictWriter(text, table.header, lineterminator="\n")
    out.writeheader()
    ordered = sorted(rows, key=lambda row: table.place(case_of(row)))
    out.writerows(ordered)
    write_atomically(path, [text.getvalue().encode("ascii")])


# Work


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
    with ks.cluster.connect(address) as executor:  # all threads of a worker may search
        yield Workers(workers_of(None, executor=executor), executor.submit)


def all_solved(table: Table, listed: list[Case], workers: Workers) -> Iterator[Row]:
    """Solve boards; yield the row of each as soon as there is one."""
    done = workers.done(table.solved, ((case,) for case in listed), sys.maxsize)
    rows = (row for _, row in done)
    yield from tqdm(rows, "boards", len(listed), unit=" boards", delay=2, disable=None)


def build(table: Table, path: Path, begun: Path, listed: list[Case], workers: Workers) -> None:
    """Solve the cases that have no row yet, and write the table with them."""
    rows = [*(rows_of(path) if path.exists() else []), *begun_rows(begun, table)]
    known = {case_of(row): row for row in rows}
    try:
        with open(begun, "a", encoding="ascii", newline="") as out:
            writer = csv.DictWriter(out, table.header, lineterminator="\n")
            for row in all_solved(table, [one for one in listed if one not in known], workers):
                known[case_of(row)] = row
                writer.writerow(row)
                out.flush()
    finally:
        write(path, table, known.values())
        begun.unlink()


def check(table: Table, path: Path, listed: list[Case], count: int, workers: Workers) -> int:
    """Solve some rows of the table again; return the exit status."""
    rows = [row for row in rows_of(path) if case_of(row) in listed]
    chosen = {case_of(row): row for row in random.Random(8).sample(rows, min(count, len(rows)))}
    wrong = 0
    for row in all_solved(table, [*chosen], workers):
        was = chosen[case_of(row)]
        # Another version may search in another order.
        if any(row[name] != was[name] for name in row if name not in ("nodes", "plies")):
            wrong += 1
            print(f"DIFFERS  {row['layout']} at scoring {row['scoring']}")
    print(f"{len(chosen)} rows solved again, {wrong} differ")
    return 1 if wrong else 0


def summary() -> Iterator[str]:
    """Yield the lines of a table that says what boards of each size are worth on average."""
    found: dict[tuple[int, ...], dict[str, list[int]]] = {}
    for row in (row for table in TABLES.values() for row in rows_of(table.path)):
        lines = row["layout"].split("/")
        of_size = found.setdefault(tuple(sorted((len(lines), len(lines[0])))), {})
        of_size.setdefault(row["scoring"], []).append(int(row["value"]))
    yield f"| board | {' | '.join(EVERY_SCORING)} |"
    yield "|---|" + "---:|" * len(EVERY_SCORING)
    for size, values in sorted(found.items()):
        groups = [values.get(scoring, []) for scoring in EVERY_SCORING]
        means = [f"{statistics.mean(one):.2f} ({len(one)})" if one else "" for one in groups]
        yield f"| {'x'.join(map(str, size))} | {' | '.join(means)} |"


def main() -> int:
    """Read the command line; Ctrl-C keeps what is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", nargs="?", metavar="TABLE", choices=TABLES, help=", ".join(TABLES))
    parser.add_argument("--family", metavar="NAME", help="only these boards: 4x5, 6x6-0, 6x7 ...")
    parser.add_argument("--boards", metavar="N", type=int, help="how many boards are drawn")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="boards at a time (1)")
    parser.add_argument("--workers", metavar="ADDRESS", help="of a dask scheduler, for the boards")
    parser.add_argument("--table", metavar="FILE", type=Path, help="where to, if not into data/")
    parser.add_argument("--check", metavar="N", type=int, help="solve rows again, write nothing")
    parser.add_argument("--summary", action="store_true", help="print what boards are worth")
    args = parser.parse_args()
    if args.summary:
        print(*summary(), sep="\n")
        return 0
    if args.name is None:
        parser.error(f"name a table: {', '.join(TABLES)}")
    table = TABLES[args.name]
    families = (args.family,) if args.family else table.families
    path = args.table or table.path
    try:
        with ended_as_interrupted():
            try:
                listed = [case for family in families for case in cases(family, args.boards)]
            except (ValueError, ks.KulamiError):
                parser.error(f"--family: {args.family!r} is no family, like 4x5, 6x6-0 or 6x7")
            with workers(args.threads, args.workers) as found:
                if args.check is not None:
                    return check(table, path, listed, args.check, found)
                begun = path.with_name(path.name + ".building")
                with alone(begun):
                    build(table, path, begun, listed, found)
    except ks.KulamiError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("interrupted; the rows that are done are kept: run it again", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
