"""The plies that a file leaves out, made again from those that it keeps.

Their positions follow from the ply before by the rules, and their values from the ply after. A
build makes them in this way, too, with the same code. Callers that must not rely on that code check
the values.
"""

from __future__ import annotations

import concurrent.futures
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from ...core.tasks import run_tasks
from .build_tasks import Arrays, cuts_into, mover_and_last, sampled_every
from .layers import LayerRules
from .parts import Records
from .probe import Database
from .shape import Shape
from .shards import Runs
from .solved_layer import SolvedLayer

# About how many positions a task takes.
_AT_A_TIME: Final = 1 << 18


class LeftOut:
    """Makes plies of a database, a part at a time.

    Args:
        database: the file, open.
        threads: run the tasks; they share this process's memory.
    """

    def __init__(self, database: Database, threads: concurrent.futures.Executor) -> None:
        shape = Shape(database.root, database.scoring)
        self._root: Final = database.root
        self._rules: Final = LayerRules(shape.layout.geometry, shape.tables)
        self._threads: Final = threads

    def after(self, ply: int, parts: Iterable[Arrays]) -> list[Arrays]:
        """Return the positions of the next ply, in parts.

        Args:
            ply: the ply before it.
            parts: all positions of that ply, in any parts.

        Raises:
            ValueError: if no game goes on.
        """
        where = mover_and_last(self._root, ply)
        step = sampled_every(_AT_A_TIME)
        runs: list[Arrays] = []
        samples = []
        for part in parts:
            tasks = [(self._rules.expand, *piece, *where, (), step) for piece in _pieces(part)]
            for run, _, _, arrived, sampled in run_tasks(self._threads, tasks):
                if arrived:
                    runs.append(run)
                    samples.append(sampled)
        if not runs:
            raise ValueError("no game goes on")
        cuts = cuts_into(samples, sum(len(run[2]) for run in runs), _AT_A_TIME)
        merged = Runs(runs)
        return run_tasks(self._threads, [(merged.merged, *cut) for cut in itertools.pairwise(cuts)])

    def following(self, ply: int, parts: Sequence[Records]) -> SolvedLayer:
        """Return the next ply in the form that `solved` takes.

        Args:
            ply: the ply before it.
            parts: all of the next ply, with its values.
        """
        sign = _sign(ply)
        return SolvedLayer([(*part[:3], np.multiply(part[3], sign)) for part in parts])

    def solved(self, ply: int, positions: Arrays, following: SolvedLayer) -> Records:
        """Return positions with their values.

        Args:
            ply: that of the positions.
            positions: one of the parts that `after` gives.
            following: the next ply.

        Raises:
            LookupError: if a move leads to a position that the next ply lacks.
        """
        values = np.empty(len(positions[2]), np.int16)
        self._rules.solve(*positions, *mover_and_last(self._root, ply), following, values)
        return *positions, -_sign(ply) * values


def _sign(ply: int) -> int:
    """1 or -1: a build has values for the side that began, a database for the side to move."""
    return 1 if ply % 2 else -1


def _pieces(part: Arrays) -> Iterator[Arrays]:
    """Yield a part in pieces, cut between frames."""
    frames, starts, details = part
    at = np.arange(0, len(details), _AT_A_TIME).astype(np.uint64)
    cuts = np.searchsorted(starts, at)
    for low, high in itertools.pairwise([*np.unique(cuts).tolist(), len(frames)]):
        yield frames[low:high], starts[low : high + 1], details
