"""A Python bot of any game in its own process, which the bot can hang or end without harm.

    this process                    that process
    (position, what is offered)     ->
                                    <-  ("answer", answer)
                                    <-  ("fault", kind, message, details)

A late bot is ended with its process, and started again for its next move. Its output and its
tracebacks go to stderr. Bots of Kulami speak UGI instead, see `engine`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Final

from ..core.background import starting_threads
from ..errors import quoted
from .overheard import NamedLines, failure_lines, tell_exceptions
from .processes import Leash, interrupts_blocked
from .protocol import (
    GRACE,
    PATIENCE,
    BotCrashed,
    BotError,
    BotRefused,
    BotTimedOut,
    Clock,
    IllegalAnswer,
    Player,
)

_START: Final = 30.0  # seconds until the process is there and has made its bot
_KINDS: Final = {
    kind.kind: kind for kind in (BotCrashed, BotError, BotRefused, BotTimedOut, IllegalAnswer)
}


class IsolatedBot:
    """A bot that runs in another process.

    Args:
        make: makes it from a name, a seed and False, in the other process.
        name: of the bot.
        seed: for `make`.

    Raises:
        BotError: if there is no such bot.
    """

    def __init__(self, make: Callable[[str, int, bool], Player], name: str, seed: int = 0) -> None:
        self.name = name
        self._begin = (make, name, seed)
        self._process: Any = None
        self._leash: Leash | None = None
        self._way: Connection | None = None
        self._started()

    def new_game(self) -> None:
        """Tell it that another game begins."""
        self._asked("new_game", None, {}, PATIENCE)

    def choose(self, position: Any, clock: Clock, **told: Any) -> object:
        """Return the bot's answer.

        Raises:
            BotCrashed: if it raises an exception, or its process has ended.
            BotTimedOut: if it is late; it is ended then.
        """
        limit = PATIENCE if clock.latest is None else max(0.0, clock.latest) + GRACE
        # Without `stop`, because no other process can see it.
        return self._asked("choose", position, {**told, "clock": replace(clock, stop=None)}, limit)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if self._way is not None:
            self._way.close()
            self._way = None
        if process is not None and self._leash is not None:
            self._leash.end(waited_for=not process.is_alive())
            process.join(5)

    def _started(self) -> Connection:
        """The connection to the process, which is started if it is not running."""
        if self._way is not None:
            return self._way
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        with interrupts_blocked(), starting_threads():
            self._process = context.Process(target=_serve, args=(there, *self._begin), daemon=True)
            self._process.start()
        self._leash = Leash(self._process.pid)
        there.close()
        self._way = here
        self._heard(here, _START)
        return here

    def _asked(self, what: str, position: Any, offered: dict[str, Any], limit: float) -> object:
        way = self._started()
        try:
            way.send((what, position, offered))
        except OSError:
            raise self._ended() from None
        return self._heard(way, limit)

    def _heard(self, way: Connection, limit: float) -> object:
        try:
            if not way.poll(limit):
                self.close()
                raise BotTimedOut("no_move_in_time", name=self.name, seconds=f"{limit:g}")
            said = way.recv()
        except (EOFError, OSError):
            raise self._ended() from None
        if said[0] == "answer":
            return said[1]
        _, kind, message, details = said
        error = _KINDS[kind](message)
        error.details = details
        raise error

    def _ended(self) -> BotCrashed:
        process = self._process
        process.join(5)
        code = process.exitcode
        self.close()
        if code is not None and code < 0:
            return BotCrashed("ended_by_signal", name=self.name, signal=-code)
        return BotCrashed("ended_with_code", name=self.name, exit=code)


def _serve(way: Connection, make: Callable[[str, int, bool], Player], name: str, seed: int) -> None:
    """Answer with a bot until nobody asks any more."""
    if hasattr(os, "setsid"):
        os.setsid()  # all its children end with it
    with (
        contextlib.suppress(EOFError, OSError),
        NamedLines(name, sys.stderr) as said,
        contextlib.redirect_stdout(said),
        tell_exceptions(said),
    ):
        try:
            player = make(name, seed, False)
        except BotError as error:
            way.send(("fault", error.kind, str(error), ()))
            return
        way.send(("answer", None))
        while True:
            what, position, offered = way.recv()
            try:
                answer = None
                if what == "new_game":
                    player.new_game()
                else:
                    answer = player.ask(position, offered)
            except BotError as error:
                way.send(("fault", error.kind, str(error), failure_lines(player, error)))
                continue
            try:
                way.send(("answer", answer))
            except OSError:
                raise
            except Exception:  # an answer that cannot be pickled is no move
                message = f"{name} answers {quoted(answer)}, which is no move"
                way.send(("fault", IllegalAnswer.kind, message, ()))
