"""How a command ends: its exit codes, and the error that is one line."""

from __future__ import annotations

from typing import Final

from kulami_solver.errors import KulamiError

__all__ = [
    "EXIT_BAD_INPUT",
    "EXIT_FAILED",
    "EXIT_INTERRUPTED",
    "EXIT_OK",
    "CommandError",
    "CommandInterrupted",
]

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
"""It did its work, and what it looked at is not as it should be."""
EXIT_BAD_INPUT: Final = 2
EXIT_INTERRUPTED: Final = 130
"""Ctrl-C: what a shell gives for it."""


class CommandError(Exception):
    """Input the command cannot use: one line naming the thing, the place and the remedy.

    It is no `KulamiError`, so what refuses a record or a line of a file is not taken for one.

    Args:
        code: of the sentence, with its values; or the error that says it.

    Attributes:
        error: what says it, with its code and values.
    """

    def __init__(self, code: object, /, **values: object) -> None:
        self.error: Final = code if isinstance(code, KulamiError) else KulamiError(code, **values)
        super().__init__(str(self.error))

    def said(self, language: str) -> str:
        """Return the line in a language, as far as it has words there."""
        return self.error.said(language)


class CommandInterrupted(KeyboardInterrupt):
    """Ctrl-C, with one line that says what is left of the work."""
