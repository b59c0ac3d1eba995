"""A file that a bot asks before it searches; the bot ignores damaged parts."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Final

from ..errors import KulamiError, reason
from ..game import Answer, Question, Source
from .protocol import BotError


class FileOfBot:
    """The file behind the bot `perfect:FILE` of any game: damage is reported once.

    Args:
        name: the bot's name.
        path: the file.
        opening: opens it.

    Raises:
        BotError: if it cannot be opened.
    """

    def __init__(self, name: str, path: str, opening: Callable[[str], Source]) -> None:
        self._name = name
        self._told = False
        try:
            self._source: Final = opening(path)
        except (KulamiError, OSError) as error:
            why = reason(error) if isinstance(error, OSError) else error
            raise BotError("no_bot", name=name, why=why) from None

    def answer(self, question: Question) -> Answer | None:
        """Return the file's answer; None if it is damaged where it is read."""
        try:
            return self._source.answer(question)
        except KulamiError as error:
            if not self._told and sys.stderr is not None:
                self._told = True
                with contextlib.suppress(OSError):  # the reader of stderr may be gone
                    print(f"{self._name}: {error}; it searches instead", file=sys.stderr)
            return None
