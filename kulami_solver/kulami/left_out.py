"""The plies that a file leaves out, made again from those that it keeps.

Their positions follow from the ply before by the rules, and their values from the ply after. A
build makes them in this way, too, with the same code. Whoever must not rely on that code checks
the values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from .build_tasks import Arrays, mover_and_last
from .layers import LayerRules
from .parts import Records
from .probe import Database
from .shape import Shape
from .shards import Runs
from .solved_layer import SolvedLayer


class LeftOut:
    """Makes plies of a database.

    Args:
        database: the file, open.
    """

    def __init__(self, database: Database) -> None:
        shape = Shape(database.root, database.scoring)
        self._root: Final = database.root
        self._rules: Final = LayerRules(shape.layout.geometry, shape.tables)

    def after(self, ply: int, parts: Iterable[Arrays]) -> Arrays:
        """Return the positions of the ply after one.

        Args:
            ply: the one before.
            parts: all of it.

        Raises:
            ValueError: if no game goes on.
        """
        where = mover_and_last(self._root, ply)
        expanded = [self._rules.expand(*part, *where) for part in parts]
        runs = [run[:3] for run in expanded if len(run[2])]
        if not runs:
            raise ValueError("no game goes on")
        return runs[0] if len(runs) == 1 else Runs(runs).merged(0, (1 << 64) - 1)

    def solved(self, ply: int, positions: Arrays, following: Iterable[Records]) -> Records:
        """Return positions with their values.

        Args:
            ply: theirs.
            positions: as `after` gives them.
            following: all parts of the next ply, with their values.
        """
        # A build has values for the side that began, a database for the side to move.
        sign = 1 if ply % 2 else -1
        after = SolvedLayer([(*part[:3], np.multiply(part[3], sign)) for part in following])
        values = np.empty(len(positions[2]), np.int16)
        self._rules.solve(*positions, *mover_and_last(self._root, ply), after, values)
        return *positions, -sign * values
