"""A fork that waits until no other thread imports a module.

A process that forks while another of its threads imports a module leaves the module's lock taken
in the child, for ever: whoever imports it there waits without end. Much here is imported with its
first use, in whatever thread that is.

The other thread may itself wait for a lock that this one has taken for its fork, as those of
`logging` are. So the wait has an end; then the child begins such an import anew.
"""

from __future__ import annotations

import _thread
import os
import sys
import time
from importlib import import_module
from typing import Any, Final

_LONGEST_WAIT: Final = 2.0
"""Seconds."""

# Python's lock of all imports: while it is held, no thread begins one. Its lock of each module.
_imports: Final[Any] = import_module("_imp")
_locks: Final[dict[str, Any]] = getattr(import_module("importlib._bootstrap"), "_module_locks", {})


def _imported_elsewhere() -> list[str]:
    """The modules whose locks other threads have."""
    held = ((name, lock()) for name, lock in [*_locks.items()])
    free = (None, _thread.get_ident())
    return [name for name, lock in held if getattr(lock, "owner", None) not in free]


def _wait_for_imports() -> None:
    """Wait until the imports that other threads have begun are done, and let nobody begin one."""
    ending = time.monotonic() + _LONGEST_WAIT
    while True:
        _imports.acquire_lock()
        if not _imported_elsewhere() or time.monotonic() > ending:
            return
        _imports.release_lock()
        time.sleep(0.001)


def _begin_anew() -> None:
    """In the child, forget the imports that no thread will end."""
    for name in _imported_elsewhere():
        _locks.pop(name, None)
        sys.modules.pop(name, None)
    _imports.release_lock()


if hasattr(os, "register_at_fork") and hasattr(_imports, "acquire_lock"):
    os.register_at_fork(
        before=_wait_for_imports, after_in_parent=_imports.release_lock, after_in_child=_begin_anew
    )
