"""An exact solver for the board game Kulami.

>>> import kulami_solver as ks
>>> position = ks.Position(ks.Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"), first="red").play("a1")
>>> position.legal_fields
('b1', 'c1', 'd1', 'e1', 'a4')
>>> solution = ks.solve(position)
>>> solution.margin, solution.best in position.legal_fields
(0, True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .core.lazy import imported_when_used
from .core.version import __version__

if TYPE_CHECKING:
    from . import adapters as adapters
    from . import bots as bots
    from . import cluster as cluster
    from . import game as game
    from . import just4fun as just4fun
    from . import malawi as malawi
    from .core.interruption import SolveInterrupted
    from .errors import (
        BudgetError,
        CapacityError,
        IllegalMoveError,
        KulamiError,
        LayoutError,
        NotationError,
        PositionError,
    )
    from .kulami.database.building import build
    from .kulami.database.compacting import compact
    from .kulami.database.probe import Database
    from .kulami.database.verification import verify
    from .kulami.estimate.chances import estimate_value
    from .kulami.game_record import GameRecord
    from .kulami.position.enumeration import enumerate_layouts
    from .kulami.position.layout import Layout
    from .kulami.position.position import Position
    from .kulami.position.scoring import Score, Scoring
    from .kulami.solve.batch import solve_many
    from .kulami.solve.solution import MoveValue, Progress, Solution
    from .kulami.solve.solve import analyse, solve
    from .storage.container import DatabaseError, NotInDatabaseError
    from .storage.database import open_database

__all__ = [
    "BudgetError",
    "CapacityError",
    "Database",
    "DatabaseError",
    "GameRecord",
    "IllegalMoveError",
    "KulamiError",
    "Layout",
    "LayoutError",
    "MoveValue",
    "NotInDatabaseError",
    "NotationError",
    "Position",
    "PositionError",
    "Progress",
    "Score",
    "Scoring",
    "Solution",
    "SolveInterrupted",
    "__version__",
    "analyse",
    "build",
    "compact",
    "enumerate_layouts",
    "estimate_value",
    "open_database",
    "solve",
    "solve_many",
    "verify",
]


_HOMES = {
    "core.interruption": ("SolveInterrupted",),
    "errors": (
        "BudgetError",
        "CapacityError",
        "IllegalMoveError",
        "KulamiError",
        "LayoutError",
        "NotationError",
        "PositionError",
    ),
    "kulami.solve.batch": ("solve_many",),
    "kulami.database.building": ("build",),
    "kulami.estimate.chances": ("estimate_value",),
    "kulami.database.compact_probe": ("CompactDatabase",),
    "kulami.database.compacting": ("compact",),
    "kulami.position.enumeration": ("enumerate_layouts",),
    "kulami.game_record": ("GameRecord",),
    "kulami.position.layout": ("Layout",),
    "kulami.position.position": ("Position",),
    "kulami.database.probe": ("Database",),
    "kulami.position.scoring": ("Score", "Scoring"),
    "kulami.solve.solution": ("MoveValue", "Progress", "Solution"),
    "kulami.solve.solve": ("analyse", "solve"),
    "kulami.database.verification": ("verify",),
    "storage.container": ("DatabaseError", "NotInDatabaseError"),
    "storage.database": ("open_database",),
}

# Modules that users can name without importing them: `ks.cluster.connect`.
_MODULES = ("adapters", "bots", "cluster", "game", "just4fun", "malawi")


if not TYPE_CHECKING:  # a type checker would accept any name
    # The package is imported in a hundredth of a second; the compiled modules, databases and NumPy
    # are imported with the first name that needs them, so `kulami` can say what is wrong with them.
    __getattr__ = imported_when_used(__name__, _HOMES, _MODULES)


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
