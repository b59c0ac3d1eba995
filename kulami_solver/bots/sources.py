"""A file in which a bot looks positions up; the bot ignores damaged parts."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from ..errors import KulamiError, reason
from ..storage.container import NotInDatabaseError
from .protocol import BotError

D = TypeVar("D")
T = TypeVar("T")


class LookUp(Generic[D]):
    """The file behind the bot `perfect:FILE` of any game.

    Attributes:
        database: the open file.

    Raises:
        BotError: if it cannot be opened.
    """

    def __init__(self, name: str, path: str, opening: Callable[[str], D]) -> None:
        self._name = name
        self._told = False
        try:
            self.database: Final = opening(path)
        except (KulamiError, OSError) as error:
            why = reason(error) if isinstance(error, OSError) else error
            raise BotError("no_bot", name=name, why=why) from None

    def asked(self, question: Callable[[], T]) -> T | None:
        """Return the answer to a question; None if the file is damaged, which is reported once.

        Raises:
            NotInDatabaseError: as the question does.
        """
        try:
            return question()
        except NotInDatabaseError:
            raise
        except KulamiError as error:
            if not self._told and sys.stderr is not None:
                self._told = True
                with contextlib.suppress(OSError):  # the reader of stderr may be gone
                    print(f"{self._name}: {error}; it searches instead", file=sys.stderr)
            return None
