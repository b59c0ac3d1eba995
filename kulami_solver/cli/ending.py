"""How a command ends: its exit codes, and the error that is one line."""

from __future__ import annotations

from typing import Final

from kulami_solver.errors import said

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

    Args:
        text: the line; a phrase or an error with a code can be said in other languages.
        language: it is in, if it is neither.
    """

    def __init__(self, text: object, language: str = "en") -> None:
        super().__init__(text)
        self.language: Final = language

    def said(self, language: str) -> str:
        """Return the line in a language, as far as it has words there."""
        return said(self.args[0], language)


class CommandInterrupted(KeyboardInterrupt):
    """Ctrl-C, with one line that says what is left of the work."""
