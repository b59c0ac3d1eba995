"""Databases of random late roots, held against everything else that knows their values.

A root is a position near the end of a random game, on a small board of any shape: gaps, single
rows and columns, one panel, single squares, scattered rectangles, the box's own panels. All that
can be reached from it is enumerated by `Position.play` and searched; what the database says has to
be the same, however it is asked.
"""

from __future__ import annotations

import concurrent.futures
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import plain_reader

import kulami_solver as ks
from kulami_solver.kulami.database.building import SHARD, Built, build
from kulami_solver.kulami.database.probe import ABSENT, Database, arrays_of
from kulami_solver.kulami.database.verification import verify
from kulami_solver.kulami.position.layout_text import MAX_FIELDS, NO_FIELD, PANEL_NAMES
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.storage.database import Verified

# A position from which more can be reached is no root: one further on in its game is.
MOST_POSITIONS = 1_200
# Nor is one with more free fields, of which too many might be live.
MOST_FREE = 32
SHARDS = [1, 2, 3, 5, 7, 16, 40, 100, SHARD]
# Each shard is solved with all of the next ply's: more of them only take more time.
MOST_SHARDS = 12
TABLE = 1 << 20
ROOTS_OF_A_SEED = 1_000_000


@dataclass(frozen=True)
class Root:
    """A database to be built, and what can be reached in it.

    Attributes:
        game: positions of a random game, up to the root.
        scoring: what counts.
        shard: positions in a shard.
        reachable: the root and all that follows, those that are over among them.
    """

    game: tuple[ks.Position, ...]
    scoring: ks.Scoring
    shard: int
    reachable: tuple[ks.Position, ...]

    @property
    def position(self) -> ks.Position:
        """The root itself."""
        return self.game[-1]

    def __str__(self) -> str:
        position = self.position
        ending = " --short-end" if position.short_end else ""
        return (
            f'--kfn "{position.kfn()}" --marbles {position.marbles}{ending} '
            f"--scoring {self.scoring.value}, shards of {self.shard}"
        )

    def build(self, path: Path) -> Built:
        """Build the database."""
        return build(path, self.position, self.scoring, executor=Inline(), shard=self.shard)


class Inline(concurrent.futures.Executor):
    """Runs each task at once, where it is handed in: many small ones take no turns of threads."""

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@dataclass
class Tally:
    """What was looked at, and what was found.

    Attributes:
        built, verified: databases.
        records: read by the package as by the reader in plain Python.
        positions: reachable ones, each searched and looked up: alone, in a batch, by a search; and
            by the reader in plain Python.
        absent, wrong: those of them that are not in the file, and that have another margin there.
        own, foreign: of `solve(database=)`, positions that are in the database and that are not.
        problems: what went wrong, one line each.
    """

    built: int = 0
    verified: int = 0
    records: int = 0
    positions: int = 0
    absent: int = 0
    wrong: int = 0
    own: int = 0
    foreign: int = 0
    problems: list[str] = field(default_factory=list)


def random_root(seed: int, number: int) -> Root:
    """One of the `ROOTS_OF_A_SEED` late roots of a seed; the same at every call."""
    draw = random.Random(seed * ROOTS_OF_A_SEED + number)
    while True:
        layout = random_layout(draw)
        marbles = draw.choice([28, 28, 28, draw.randint(1, 1 + len(layout) // 2)])
        position = ks.Position(layout, draw.choice(["red", "black"]), marbles, draw.random() < 0.25)
        game = [position]
        while not game[-1].is_over:
            game.append(game[-1].play(draw.choice(game[-1].legal_fields)))
        most = draw.choice([20, 100, 400, MOST_POSITIONS])
        for ply in range(len(game) - 1):
            if game[ply].free_count > MOST_FREE:
                continue
            found = reachable(game[ply], most)
            if found is not None:
                return Root(
                    tuple(game[: ply + 1]),
                    draw.choice(list(ks.Scoring)),
                    draw.choice([shard for shard in SHARDS if MOST_SHARDS * shard >= len(found)]),
                    found,
                )


def reachable(root: ks.Position, most: int) -> tuple[ks.Position, ...] | None:
    """A position and all that follow; None if there are more than so many."""
    found = {root: None}
    waiting = [root]
    while waiting:
        position = waiting.pop()
        for legal in position.legal_fields:
            child = position.play(legal)
            if child not in found:
                found[child] = None
                waiting.append(child)
        if len(found) > most:
            return None
    return tuple(found)


def random_layout(draw: random.Random) -> ks.Layout:
    """A board of any shape, mostly a small one."""
    kind = draw.choice(["box", "packed", "packed", "scattered", "line", "singles", "panel"])
    if kind == "box":
        return ks.Layout.random(draw.randrange(1000), irregular=draw.random() < 0.5)
    if kind == "line":
        cells = _filled(draw, draw.randint(2, 16), 1, 4, draw.choice([0.0, 0.2]))
        rows = ["".join(row) for row in cells]
        return ks.Layout.parse("/".join(rows[0] if draw.random() < 0.5 else rows))
    width, height = draw.randint(1, 6), draw.randint(1, 5)
    if kind == "scattered":
        width, height = draw.randint(2, 9), draw.randint(2, 9)
    longest = {"panel": 6, "singles": 1}.get(kind, 3)
    gaps = {"scattered": 0.6, "panel": 0.0}.get(kind, draw.choice([0.0, 0.15]))
    while True:
        cells = _filled(draw, width, height, longest, gaps, whole=kind == "panel")
        if sum(name != NO_FIELD for row in cells for name in row) <= MAX_FIELDS:
            return ks.Layout.parse("/".join("".join(row) for row in cells))


def _filled(
    draw: random.Random, width: int, height: int, longest: int, gaps: float, whole: bool = False
) -> list[list[str]]:
    """Rows of panels put down square by square, as large as they were drawn or as fits."""
    cells = [[""] * width for _ in range(height)]
    names = iter(PANEL_NAMES)
    for row in range(height):
        for column in range(width):
            if cells[row][column]:
                continue
            wide, high = draw.randint(1, longest), draw.randint(1, longest)
            if whole:
                wide, high = width, height
            while column + wide > width or any(cells[row][column : column + wide]):
                wide -= 1
            high = min(high, height - row)
            last = row == height - 1 and column + wide == width
            name = NO_FIELD if draw.random() < gaps and not last else next(names, NO_FIELD)
            if name == NO_FIELD:
                wide = high = 1
            for down in range(high):
                for over in range(wide):
                    cells[row + down][column + over] = name
    if all(name == NO_FIELD for row in cells for name in row):
        cells[0][0] = PANEL_NAMES[0]
    return cells


def check_root(root: Root, folder: Path, tally: Tally) -> None:
    """Make a root's file in a folder, and hold everything it says against the search."""
    path = folder / "late.kdb"
    searched = _searched(root)
    try:
        built = root.build(path)
        if built.value != searched[root.position]:
            tally.problems.append(f"{root}: built with value {built.value}")
        with Database(path) as database:
            _check_verified(root, verify(database, threads=1, sample=2), tally)
            _check_records(root, database, path, tally)
            _check_positions(root, database, searched, tally)
            _check_searches(root, database, searched, tally)
            _check_others(root, database, searched, tally)
    except Exception as error:  # Whatever it is, the other roots are still worth a look.
        tally.problems.append(f"{root}: {type(error).__name__}: {error}")


def _check_verified(root: Root, found: Verified, tally: Tally) -> None:
    tally.built += 1
    tally.verified += found.ok
    tally.problems += [f"{root}: {problem}" for problem in found.problems]


def _searched(root: Root) -> dict[ks.Position, int]:
    solver = Solver(root.position, root.scoring, TABLE)
    margins = {}
    for position in root.reachable:
        margins[position] = solver.inquire(position).lower
    solver.close()
    return margins


def records_in(path: Path) -> dict[tuple[int, int, int], int]:
    """All records of a file as the plain reader reads them: the value of ply, frame, detail."""
    with plain_reader.open_database(path) as plain:
        return {
            (ply, frame, detail): value
            for ply in range(plain.plies)
            for frame, detail, value in plain.records(ply)
        }


def _check_records(root: Root, database: Database, path: Path, tally: Tally) -> None:
    """Record by record, what the package reads is what the plain reader does, and is found."""
    plain = records_in(path)
    read: dict[tuple[int, int, int], int] = {}
    for ply in range(len(database.plies)):
        for part in range(database.parts(ply)):
            frames, starts, details, values = database.records(ply, part)
            each = np.repeat(frames, np.diff(starts).astype(np.int64))
            keys = zip([ply] * len(details), each.tolist(), details.tolist(), strict=True)
            read |= dict(zip(keys, values.tolist(), strict=True))
    tally.records += len(plain)
    if read != plain:
        differing = [key for key in plain | read if plain.get(key) != read.get(key)]
        tally.problems.append(f"{root}: {len(differing)} records read otherwise, {differing[0]}")


def _check_positions(
    root: Root, database: Database, searched: dict[ks.Position, int], tally: Tally
) -> None:
    batch = database.probe_many(*arrays_of(root.reachable)).tolist()
    solver = Solver(
        root.position, root.scoring, TABLE, oracle=database.oracle(root.position, root.scoring)
    )
    for position, inside in zip(root.reachable, batch, strict=True):
        margin = searched[position]
        bounds = solver.bounds(position)
        answers = [database.get(position), None if inside == ABSENT else inside]
        answers.append(bounds.lower if bounds.lower == bounds.upper else None)
        _note(root, position, margin, answers, tally)
    solver.close()


def _note(
    root: Root, position: ks.Position, margin: int, answers: list[int | None], tally: Tally
) -> None:
    """Count a position, and tell of answers that differ from its margin."""
    tally.positions += 1
    if answers == [margin] * len(answers):
        return
    absent = None in answers or ABSENT in answers
    tally.absent += absent
    tally.wrong += not absent
    tally.problems.append(f"{root}: {position.kfn()} is worth {margin}, found are {answers}")


def _check_others(
    root: Root, database: Database, searched: dict[ks.Position, int], tally: Tally
) -> None:
    """Ask the reader in plain Python."""
    with plain_reader.open_database(database.path) as plain:
        for position in root.reachable:
            _note(root, position, searched[position], [plain.get(position.kfn())], tally)
        for position in root.reachable[:: len(root.reachable) // 3 + 1]:
            told = database.probe(position, every_move=True)
            values = {move.field: move.margin for move in told.moves}
            if not position.is_over and plain.probe_moves(position.kfn()) != values:
                tally.problems.append(f"{root}: {position.kfn()} has other moves plainly")


def _check_searches(
    root: Root, database: Database, searched: dict[ks.Position, int], tally: Tally
) -> None:
    draw = random.Random(len(root.reachable))
    for position in {root.position, draw.choice(root.reachable)}:
        tally.own += 1
        _check_search(root, database, position, searched[position], tally)
    for position in _foreign(root, draw):
        margin = ks.solve(position, root.scoring).margin
        assert margin is not None
        tally.foreign += 1
        _check_search(root, database, position, margin, tally)


def _foreign(root: Root, draw: random.Random) -> Iterator[ks.Position]:
    """Positions that are not below the root: before it, beside it, of another game or ending."""
    own = set(root.reachable)
    game = root.game
    asked = []
    if len(game) > 1:
        asked.append(draw.choice(game[-5:-1]))
        asked.append(game[-2].play(draw.choice(game[-2].legal_fields)))
    other = game[0]
    while not other.is_over and other.free_count > root.position.free_count:
        other = other.play(draw.choice(other.legal_fields))
    asked.append(other)
    limit = root.position.marbles + 1
    asked.append(
        ks.Position.from_kfn(root.position.kfn(), min(limit, 32), not root.position.short_end)
    )
    for position in draw.sample(asked, 2):
        if position not in own and not position.is_over and position.free_count <= 16:
            yield position


def _check_search(
    root: Root, database: Database, position: ks.Position, margin: int, tally: Tally
) -> None:
    solution = ks.solve(position, root.scoring, database=database)
    if solution.margin != margin:
        tally.wrong += 1
        tally.problems.append(
            f"{root}: {position.kfn()} is worth {margin}, a search with it says {solution.margin}"
        )
