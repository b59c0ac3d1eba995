"""A log of the lines between an arena and its engines, for authors of engines.

`KULAMI_ENGINE_LOG` names the file. Engines in all processes add to it, a line each time:

    06:30:01.118 4711 my-bot * ./my-bot --threads 1      it was started
    06:30:01.121 4711 my-bot > go movetime 500           the arena
    06:30:01.619 4711 my-bot < bestmove d4               the engine
    06:30:01.622 4711 my-bot ! warning: table is full    its stderr
    06:30:09.840 4711 my-bot * no move in 1 s            it was late, and is ended
"""

from __future__ import annotations

import contextlib
import os
from datetime import datetime
from typing import Final

from ..errors import reason
from .protocol import BotError

VARIABLE: Final = "KULAMI_ENGINE_LOG"


class EngineLog:
    """The log of one engine; it writes nothing if no file is named.

    Args:
        name: of the engine.
        process: its number.
        command: how it was started.

    Raises:
        BotError: if the file cannot be written.
    """

    def __init__(self, name: str, process: int, command: str) -> None:
        self._path: Final = os.environ.get(VARIABLE)
        self._begin: Final = f"{process} {name}"
        try:
            self._write("*", command)
        except OSError as error:
            raise BotError(
                "no_engine_log", variable=VARIABLE, file=self._path, why=reason(error)
            ) from None

    def write(self, mark: str, line: str) -> None:
        """Add a line; a failure to write does not stop a game."""
        with contextlib.suppress(OSError):
            self._write(mark, line)

    def _write(self, mark: str, line: str) -> None:
        if not self._path:
            return
        now = datetime.now().strftime("%H:%M:%S.%f")[:-3]
        # One write in append mode: lines of several processes do not mix.
        with open(self._path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{now} {self._begin} {mark} {line}\n")
