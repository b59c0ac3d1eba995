"""What tests have workers of a cluster do: they import it from here."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from kulami_solver import Database, DatabaseError
from kulami_solver.core.tasks import is_wanted
from kulami_solver.errors import NotationError


def told(*arguments: Any, **named: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What it was given."""
    return arguments, named


def fail() -> None:
    """Fail as the package does."""
    raise NotationError("no such thing")


def end() -> None:
    """End the worker."""
    os._exit(1)


def wait_until_unwanted(folder: str) -> None:
    """Say that it has begun, and that nobody wants it any more."""
    Path(folder, "begun").touch()
    deadline = time.monotonic() + 60
    while is_wanted():
        if time.monotonic() > deadline:
            return
        time.sleep(0.02)
    Path(folder, "dropped").touch()


def code_of_worker() -> str:
    """The digest of a worker's code."""
    from kulami_solver.cluster.workers import code_here

    return code_here()


def damaged(database: Database) -> bool:
    """Whether the file as it is there is damaged."""
    try:
        list(database.check_sections())
    except DatabaseError:
        return True
    return False
