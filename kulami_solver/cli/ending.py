"""How a command ends: its exit codes, and the error that is one line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from kulami_solver.errors import KulamiError

__all__ = [
    "EXIT_BAD_INPUT",
    "EXIT_FAILED",
    "EXIT_INTERRUPTED",
    "EXIT_OK",
    "CommandError",
    "CommandInterrupted",
    "refused_at",
]

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
"""The command did its work, and its check failed."""
EXIT_BAD_INPUT: Final = 2
EXIT_INTERRUPTED: Final = 130
"""Ctrl-C, as shells report it."""


class CommandError(Exception):
    """Input the command cannot use: one line naming the thing, the place and the remedy.

    It is no `KulamiError`, so that nobody takes it for the refusal of a record or a line of a file.

    Args:
        code: the code of the sentence, with its values; or an error.

    Attributes:
        error: the error with the sentence, its code and values.
    """

    def __init__(self, code: object, /, **values: object) -> None:
        self.error: Final = code if isinstance(code, KulamiError) else KulamiError(code, **values)
        super().__init__(str(self.error))


class CommandInterrupted(KeyboardInterrupt):
    """Ctrl-C, with a line about the unfinished work."""


@contextlib.contextmanager
def refused_at(place: str) -> Iterator[None]:
    """Raise a refusal of the input as a `CommandError` that names an option, or another place."""
    try:
        yield
    except KulamiError as error:
        raise CommandError(error.at("named_place", name=place)) from None
