"""The modules whose public names the documents describe, or import from: docs/stability.md."""

from __future__ import annotations

import importlib.util
from typing import Final

MODULES: Final = (
    "kulami_solver",
    *(f"kulami_solver.{name}" for name in ("bots", "cluster", "game")),
    *(f"kulami_solver.{name}" for name in ("just4fun", "malawi")),
    *(
        f"kulami_solver.adapters.{name}"
        for name in ("batch", "exact", "labels", "pettingzoo", "ugi")
    ),
    *(f"kulami_solver.bots.{name}" for name in ("arena", "check", "engine", "grade")),
    "kulami_solver.bots.kulami.suite",
    "kulami_solver.kulami.database.cost",
    *(f"kulami_solver.kulami.estimate.{name}" for name in ("effort", "proofs")),
    "kulami_solver.kulami.game_record",
    "kulami_solver.kulami.position.notation",
    "kulami_solver.kulami.proof.proof",
)

# Those that need a package which not every Python has.
OPTIONAL: Final = {
    "kulami_solver.adapters.pettingzoo": "pettingzoo",
    "kulami_solver.cluster": "distributed",
}


def is_here(module: str) -> bool:
    """Whether what a module needs is installed."""
    return module not in OPTIONAL or importlib.util.find_spec(OPTIONAL[module]) is not None
