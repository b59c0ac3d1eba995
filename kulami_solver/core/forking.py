"""A fork that waits until no thread imports a module.

A process that forks while another of its threads imports a module leaves the module's lock taken
in the child, for ever: whoever imports it there waits without end. Much here is imported with its
first use, in whatever thread that is.
"""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module
from typing import Any, Final

# Python's lock of all imports: while it is held, no thread begins one.
_imports: Final[Any] = import_module("_imp")


def _is_imported_now(name: str) -> bool:
    return getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False)


def _wait_for_imports() -> None:
    """Wait until the imports that other threads have begun are done, and let nobody begin one."""
    own: set[str] = set()
    while True:
        _imports.acquire_lock()
        going = {name for name in [*sys.modules] if _is_imported_now(name)} - own
        if not going:
            return
        _imports.release_lock()
        for name in going:
            with contextlib.suppress(Exception):  # that is the other thread's affair
                import_module(name)  # it waits for the other thread
            if _is_imported_now(name):  # by this one, which forks meanwhile
                own.add(name)


if hasattr(os, "register_at_fork") and hasattr(_imports, "acquire_lock"):
    os.register_at_fork(
        before=_wait_for_imports,
        after_in_parent=_imports.release_lock,
        after_in_child=_imports.release_lock,
    )
