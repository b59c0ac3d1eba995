"""How a command ends: its exit codes, and the error that is one line."""

from __future__ import annotations

import errno
from typing import Final

from kulami_solver.errors import KulamiError, Phrase

__all__ = ["EXIT_BAD_INPUT", "EXIT_FAILED", "EXIT_INTERRUPTED", "EXIT_OK", "CommandError", "reason"]

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


# What the system says in English alone.
_REASONS: Final = {
    errno.ENOENT: "no_such_file",
    errno.EACCES: "permission_denied",
    errno.EISDIR: "is_a_directory",
    errno.ENOTDIR: "not_a_directory",
    errno.ENOSPC: "no_space_left",
}


def reason(fault: OSError | ValueError) -> str:
    """Return why a file cannot be read or written, as the system says it.

    >>> from kulami_solver.errors import said
    >>> said(reason(FileNotFoundError(2, "No such file or directory")), "de")
    'Es gibt keine Datei und keinen Ordner dieses Namens'
    """
    if isinstance(fault, OSError) and fault.strerror:
        return Phrase(_REASONS.get(fault.errno or 0, fault.strerror))
    return str(fault)
