"""Modules by the names they had before every game got a room of its own.

Programs that import from these names go on working, and a `DeprecationWarning` tells the new one.
`kulami_solver.solve` is missing here: it is the function now, and nothing else.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
import types
import warnings
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["FORMER_NAMES", "install"]

_ROOMS: Final = {
    "adapters": {"bots.hagen": "hagen", "bots.ugi": "ugi"},
    "bots.kulami": {"bots.builtin": "builtin", "bots.suite": "suite"},
    "core": {
        "budgets": "budgets",
        "fields": "fields",
        "memory": "memory",
        "retrograde": "retrograde_driver",
        "sides": "sides",
        "wording": "wording",
    },
    "drawing": {"png": "png", "svg": "svg"},
    "kulami": {
        "batch": "batch",
        "database": "probe",
        "database.building": "building",
        "database.estimate": "estimate",
        "database.export": "export",
        "database.probe": "probe",
        "database.shape": "shape",
        "database.verification": "verification",
        "layout": "layout",
        "notation": "notation",
        "picture": "picture",
        "position": "position",
        "random_layout": "random_layout",
        "render": "render",
        "replay": "replay",
        "scoring": "scoring",
        "solver": "solver",
    },
    "storage": {"database.dense": "dense", "database.format": "container"},
}

FORMER_NAMES: Final = {
    f"kulami_solver.{former}": f"kulami_solver.{room}.{name}"
    for room, modules in _ROOMS.items()
    for former, name in modules.items()
}
"""What each module was called, and what it is called now."""


class _Finder:
    """Finds modules by their former names, and loads them.

    It has no base: those of importlib.abc take as long to import as all else of the package
    together.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in FORMER_NAMES:
            return None
        return importlib.machinery.ModuleSpec(
            fullname,
            self,  # type: ignore[arg-type]  # a loader in all but its base
            is_package="." not in fullname[14:],
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        warnings.warn(
            f"{spec.name} is {FORMER_NAMES[spec.name]} now", DeprecationWarning, stacklevel=2
        )
        return types.ModuleType(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Let everything that is asked of it be asked of the module that took its place."""
        present = importlib.import_module(FORMER_NAMES[module.__name__])

        def found(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            try:
                return getattr(present, name)
            except AttributeError:  # the package of databases had the names of all its modules
                package = sys.modules["kulami_solver"]
                return getattr(package, name)

        module.__dict__["__getattr__"] = found


def install() -> None:
    """Have Python find modules by their former names, too."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
