"""Verification: is every value in a database what follows from its successors' values?"""

from __future__ import annotations

import concurrent.futures
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..position import Position
from ..solve import solve
from .format import DatabaseError
from .probe import Database

__all__ = ["Verified", "verify"]

# A sampled position with more free fields than this is played on: it would take too long to search.
_SEARCHED = 22


@dataclass(frozen=True)
class Verified:
    """What a verification went through.

    Attributes:
        positions: values that were computed again.
        bytes: bytes that were compared with their checksums.
        searched: sampled positions whose margin a forward search found, too.
        problems: what is wrong, in words; empty if nothing is.
    """

    positions: int
    bytes: int
    searched: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(
    database: Database,
    *,
    threads: int | None = None,
    sample: int = 20,
    progress: Callable[[int, int], None] | None = None,
) -> Verified:
    """Check a database thoroughly.

    Every section is compared with its checksum, every value with what follows from the values one
    ply later by the rules, and the root's and those of positions of random games with a forward
    search. None of it uses the code that builds databases.

    Args:
        database: open.
        threads: how many work at the same time; None for one a processor.
        sample: how many positions are searched.
        progress: called with the number of positions done, and of all.

    Returns:
        What was found; problems are reported, not raised.

    Raises:
        DatabaseError: never for damage, only if the file was closed.
    """
    report = progress or (lambda _done, _total: None)
    checked = done = searched = 0
    try:
        for size in database.check_sections():
            checked += size
        with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            done = _check_values(database, pool, report)
        searched = _check_sample(database, sample)
    except DatabaseError as error:
        return Verified(done, checked, searched, (str(error),))
    return Verified(done, checked, searched, ())


def _check_values(
    database: Database,
    pool: concurrent.futures.Executor,
    report: Callable[[int, int], None],
) -> int:
    empty = np.zeros(1, np.uint64)
    after: Any = (empty[:0], empty, empty[:0], np.zeros(0, np.int16))
    done = 0
    plies = database.plies
    for about in reversed(plies):
        ply = about.ply
        parts = list(pool.map(lambda i, p=ply: database.records(p, i), range(database.parts(ply))))
        results = pool.map(
            lambda part, p=ply, later=after: database._classes.check(p, *part, *later), parts
        )
        moves = ended = positions = 0
        histogram = np.zeros(len(about.values), np.int64)
        for part, (wrong, more_moves, more_ended) in zip(parts, results, strict=True):
            if wrong >= 0:
                raise DatabaseError(
                    f"{database.path}: ply {ply}, position {positions + wrong} does not have the "
                    "value that follows from the next ply; build it again"
                )
            moves += more_moves
            ended += more_ended
            positions += len(part[2])
            histogram += np.bincount(part[3] - about.lowest, minlength=len(histogram))
            done += len(part[2])
            report(done, database.positions)
        if (positions, moves, ended, tuple(histogram.tolist())) != (
            about.positions,
            about.moves,
            about.ended,
            about.values,
        ):
            raise DatabaseError(f"{database.path}: ply {ply} is not what the header says of it")
        after = _joined(parts)
    if done != database.positions or database.get(database.root) != database.value:
        raise DatabaseError(f"{database.path}: the root's value is not what the header says")
    return done


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    frames = np.concatenate([part[0] for part in parts])
    if not (frames[1:] > frames[:-1]).all():
        frames = frames[:0]  # nothing will be found in it
    begins = np.cumsum([0] + [len(part[2]) for part in parts[:-1]])
    starts = np.concatenate(
        [part[1][:-1] + np.uint64(begin) for part, begin in zip(parts, begins, strict=True)]
        + [np.array([sum(len(part[2]) for part in parts)], np.uint64)]
    )
    details = np.concatenate([part[2] for part in parts])
    return frames, starts, details, np.concatenate([part[3] for part in parts])


def _check_sample(database: Database, sample: int) -> int:
    """Search positions of random games, the same ones every time."""
    draw = random.Random(20)
    for number in range(sample):
        position = _random_position(database.root, draw)
        margin = solve(position, database.scoring).margin
        if database.get(position) != margin:
            raise DatabaseError(
                f"{database.path}: {position.kfn()} is worth {margin} and not "
                f"{database.get(position)} as it says; build it again"
            )
        del number
    return sample


def _random_position(root: Position, draw: random.Random) -> Position:
    position = root
    game = [root]
    while not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
        game.append(position)
    short = [p for p in game if p.free_count <= _SEARCHED]
    return draw.choice(short or game[-1:])
