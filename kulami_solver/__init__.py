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

from .core import imported_when_used
from .core.version import __version__ as __version__

if TYPE_CHECKING:
    from . import adapters as adapters
    from . import bots as bots
    from . import cluster as cluster
    from . import game as game
    from . import just4fun as just4fun
    from . import malawi as malawi
    from .core.interruption import SolveInterrupted as SolveInterrupted
    from .errors import BudgetError as BudgetError
    from .errors import IllegalMoveError as IllegalMoveError
    from .errors import KulamiError as KulamiError
    from .errors import NotationError as NotationError
    from .kulami.database.building import build as build
    from .kulami.database.collection import open_folder as open_folder
    from .kulami.database.probe import Database as Database
    from .kulami.database.verification import verify as verify
    from .kulami.estimate.chances import estimate_value as estimate_value
    from .kulami.game_record import GameRecord as GameRecord
    from .kulami.position.layout import Layout as Layout
    from .kulami.position.layout import enumerate_layouts as enumerate_layouts
    from .kulami.position.position import Position as Position
    from .kulami.position.scoring import Score as Score
    from .kulami.position.scoring import Scoring as Scoring
    from .kulami.solve.batch import solve_many as solve_many
    from .kulami.solve.solution import MoveValue as MoveValue
    from .kulami.solve.solution import Solution as Solution
    from .kulami.solve.solver import analyse as analyse
    from .kulami.solve.solver import solve as solve
    from .storage.container import DatabaseError as DatabaseError
    from .storage.container import NotInDatabaseError as NotInDatabaseError
    from .storage.database import open_database as open_database

_HOMES = {
    "core.interruption": ("SolveInterrupted",),
    "errors": ("BudgetError", "IllegalMoveError", "KulamiError", "NotationError"),
    "kulami.solve.batch": ("solve_many",),
    "kulami.database.building": ("build",),
    "kulami.estimate.chances": ("estimate_value",),
    "kulami.database.collection": ("open_folder",),
    "kulami.game_record": ("GameRecord",),
    "kulami.position.layout": ("Layout", "enumerate_layouts"),
    "kulami.position.position": ("Position",),
    "kulami.database.probe": ("Database",),
    "kulami.position.scoring": ("Score", "Scoring"),
    "kulami.solve.solution": ("MoveValue", "Solution"),
    "kulami.solve.solver": ("analyse", "solve"),
    "kulami.database.verification": ("verify",),
    "storage.container": ("DatabaseError", "NotInDatabaseError"),
    "storage.database": ("open_database",),
}

__all__ = ["__version__", *(name for names in _HOMES.values() for name in names)]

# Modules that users can name without importing them: `ks.cluster.connect`.
_MODULES = ("adapters", "bots", "cluster", "game", "just4fun", "malawi")


if not TYPE_CHECKING:  # a type checker would accept any name
    # The package is imported in a hundredth of a second; the compiled modules, databases and NumPy
    # are imported with the first name that needs them, so `kulami` can say what is wrong with them.
    __getattr__ = imported_when_used(__name__, _HOMES, _MODULES)


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
