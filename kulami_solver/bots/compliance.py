"""What an arena relies on in an engine, tried one promise after another.

    kept    says ugiok within 10 s
    BROKEN  answers go within 0.5 s of its time -- no move in 0.7 s

docs/ugi.md has the protocol. The positions are those of short random games of the engine's game.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final

from ..core.interruption import awake
from ..core.whole_numbers import seeded
from ..errors import quoted
from ..game import State, load_game
from .description import BotDescription
from .engine import Engine
from .protocol import GRACE, BotError, Clock, Player

_START: Final = 10.0
_THINKING: Final = 0.2  # seconds of one answer
_PATIENCE: Final = 5.0  # seconds of an answer to `go nodes` or `go depth`
_END: Final = 2.0  # seconds to end; an arena waits for half a second
_SILENCE: Final = 0.3  # seconds in which a second answer would come
_PLIES: Final = (0, 1, 2, 5, 10, 20)
_OPTION: Final = re.compile(r"option name \S.* type (check|spin|combo|string|button)( .*)?")


@dataclass(frozen=True)
class Promise:
    """One promise of the protocol, and how it was broken; "" if it was kept."""

    says: str
    broken: str = ""

    def __str__(self) -> str:
        return f"BROKEN {self.says} -- {self.broken}" if self.broken else f"kept   {self.says}"


def promises_of(
    command: Sequence[str] | BotDescription, game: str = "kulami", seed: int = 0
) -> Iterator[Promise]:
    """Try an engine: yield each promise as soon as it is known whether the engine keeps it.

    Nothing more is tried once the engine has not started.

    Args:
        command: the program and its arguments, or its description.
        game: what it plays, one of `kulami_solver.game.GAMES`.
        seed: of the positions.

    Raises:
        BotError: if there is no such program.

    Examples:
        >>> import sys
        >>> command = [sys.executable, "-m", "kulami_solver", "engine", "--bot", "greedy"]
        >>> for promise in promises_of(command):
        ...     print(promise)
        kept   says ugiok, and readyok to isready, within 10 s
        kept   says its name
        kept   names its options by `option name NAME type TYPE`
        kept   answers `go movetime 200` with a legal move, within 0.7 s
        kept   answers `go nodes 100` and `go depth 1`, within 5 s
        kept   answers a clock for the whole game
        kept   answers once: one bestmove for a go
        kept   skips words and lines that it does not know
        kept   begins another game at uginewgame
        kept   ends within 2 s after quit
        kept   ends within 2 s after the end of its input
    """
    trial = _Trial(command, patience=_PATIENCE, game=game)
    states = _states(game, seed)
    few, first = states[:2], states[0]
    timed = partial(trial.move, states, Clock(seconds=_THINKING))
    limited = partial(trial.move, few, Clock(nodes=100), Clock(depth=1))
    whole = partial(trial.move, few, Clock(1.0, left=(5.0, 5.0), increment=0.1))
    # Each takes the engine as the one before has left it; one that has failed is started again.
    attempts: tuple[tuple[str, Callable[[], None]], ...] = (
        ("says ugiok, and readyok to isready, within 10 s", trial.start),
        ("says its name", trial.tell_name),
        ("names its options by `option name NAME type TYPE`", trial.tell_options),
        ("answers `go movetime 200` with a legal move, within 0.7 s", timed),
        ("answers `go nodes 100` and `go depth 1`, within 5 s", limited),
        ("answers a clock for the whole game", whole),
        ("answers once: one bestmove for a go", partial(trial.answer_once, first)),
        ("skips words and lines that it does not know", partial(trial.skip, first)),
        ("begins another game at uginewgame", partial(trial.begin_again, first)),
        ("ends within 2 s after quit", partial(trial.end, "quit")),
        ("ends within 2 s after the end of its input", partial(trial.end, "")),
    )
    with closing(trial):
        for says, attempt in attempts:
            broken = ""
            try:
                attempt()
            except (BotError, _BrokenError) as error:
                broken = str(error)
            yield Promise(says, broken)
            if broken and attempt == trial.start:
                return


class _BrokenError(Exception):
    """A promise is broken; the text says how."""


def _states(game: str, seed: int) -> list[State]:
    """States of short random games, one of each length."""
    draw = seeded(seed)
    states = []
    for plies in _PLIES:
        state = load_game(game).start()
        for _ in range(plies):
            after = state.play(state.moves[int(draw.random() * len(state.moves))])
            if not after.moves:
                break
            state = after
        states.append(state)
    return states


class _Trial(Engine):
    """An engine that is asked as an arena asks, and otherwise, too."""

    def tell_name(self) -> None:
        if not any(line.split()[:2] == ["id", "name"] for line in self._introduction):
            raise _BrokenError("no line `id name NAME` before ugiok")

    def tell_options(self) -> None:
        for line in self._introduction:
            if line.startswith("option") and not _OPTION.fullmatch(line):
                raise _BrokenError(f"it says {quoted(line)}")

    def move(self, states: Sequence[State], *clocks: Clock) -> None:
        player = Player(self)
        for state in states:
            for clock in clocks:
                player.choose(state, clock)

    def answer_once(self, state: State) -> None:
        self._asked(state, "go movetime 200")
        time.sleep(_SILENCE)
        self._say("isready")
        deadline = awake() + _START
        while (line := self._hear(deadline, "no readyok in 10 s")) != "readyok":
            if line.startswith("bestmove"):
                raise _BrokenError("a second bestmove comes after the first")

    def skip(self, state: State) -> None:
        self.start()
        self._say("a line of no protocol")
        answer = self._asked(state, "go movetime 200 wordofnoprotocol 7").split()
        if len(answer) < 2 or answer[1] not in state.moves:
            raise _BrokenError(f"after such a word it says {quoted(' '.join(answer))}")

    def begin_again(self, state: State) -> None:
        self.new_game()
        self.move([state], Clock(seconds=_THINKING))

    def end(self, line: str) -> None:
        self.start()
        if not self._ended_by(line, _END):
            raise _BrokenError("it goes on, and is killed")

    def _asked(self, state: State, go: str) -> str:
        """Ask for a move of a state, and return the line of the answer."""
        self._place(*state.for_bots())
        self._say(go)
        late = f"no move to `{go}` in 0.7 s"
        deadline = awake() + _THINKING + GRACE
        while not (line := self._hear(deadline, late)).startswith("bestmove"):
            pass
        return line
