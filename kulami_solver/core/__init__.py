"""What games need and no game owns: numbers, files, tasks, budgets; compiled: bits and tables.

Here stands what packages need: names that are imported only where they are used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module

from . import forking as forking


def imported_when_used(
    package: str, homes: Mapping[str, Collection[str]], modules: Collection[str] = ()
) -> Callable[[str], object]:
    """Return a `__getattr__` for a package; it is called once for each name.

    Args:
        package: the package's name.
        homes: for each module, the names that it defines; the module's name is one in the package,
            or begins with a dot beside it.
        modules: names that are modules of the package themselves.

    Examples:
        >>> find = imported_when_used("concurrent", {"futures": ["Future"]})
        >>> find("Future").__name__
        'Future'
        >>> find("Past")
        Traceback (most recent call last):
        ...
        AttributeError: module 'concurrent' has no attribute 'Past'
        >>> imported_when_used("concurrent", {}, ["futures"])("futures").__name__
        'concurrent.futures'
    """

    def find(name: str) -> object:
        if name in modules:
            return import_module(f"{package}.{name}")
        for home, names in homes.items():
            if name in names:
                found: object = getattr(import_module(f".{home}", package), name)
                vars(sys.modules[package])[name] = found
                return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
