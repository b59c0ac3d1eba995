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

from ..core.whole_numbers import seeded
from ..errors import quoted
from ..game import State, load_game
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


def promises_of(command: Sequence[str], game: str = "kulami", seed: int = 0) -> Iterator[Promise]:
    """Try an engine: yield each promise as soon as it is known whether the engine keeps it.

    Nothing more is tried once the engine has not started.

    Args:
        command: the program and its arguments.
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
    engine = Engine(command, patience=_PATIENCE, game=game)
    states = _states(game, seed)
    player = Player(engine)
    # Each takes the engine as the one before has left it; one that has failed is started again.
    attempts: tuple[tuple[str, Callable[[], None]], ...] = (
        ("says ugiok, and readyok to isready, within 10 s", engine.start),
        ("says its name", partial(_names, engine)),
        (
            "names its options by `option name NAME type TYPE`",
            lambda: _options(engine),
        ),
        (
            "answers `go movetime 200` with a legal move, within 0.7 s",
            lambda: _moves(player, states, Clock(seconds=_THINKING)),
        ),
        (
            "answers `go nodes 100` and `go depth 1`, within 5 s",
            lambda: _moves(player, states[:2], Clock(nodes=100), Clock(depth=1)),
        ),
        (
            "answers a clock for the whole game",
            lambda: _moves(player, states[:2], Clock(1.0, left=(5.0, 5.0), increment=0.1)),
        ),
        ("answers once: one bestmove for a go", lambda: _once(engine, states[0])),
        ("skips words and lines that it does not know", lambda: _skips(engine, states[0])),
        ("begins another game at uginewgame", lambda: _again(player, states[0])),
        ("ends within 2 s after quit", lambda: _ends(engine, "quit")),
        ("ends within 2 s after the end of its input", lambda: _ends(engine, "")),
    )
    with closing(engine):
        for says, attempt in attempts:
            broken = ""
            try:
                attempt()
            except (BotError, _BrokenError) as error:
                broken = str(error)
            yield Promise(says, broken)
            if broken and attempt == engine.start:
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


def _names(engine: Engine) -> None:
    if not any(line.split()[:2] == ["id", "name"] for line in engine.introduction):
        raise _BrokenError("no line `id name NAME` before ugiok")


def _options(engine: Engine) -> None:
    for line in engine.introduction:
        if line.startswith("option") and not _OPTION.fullmatch(line):
            raise _BrokenError(f"it says {quoted(line)}")


def _moves(player: Player, states: Sequence[State], *clocks: Clock) -> None:
    for state in states:
        for clock in clocks:
            player.choose(state, clock)


def _asked(engine: Engine, state: State, go: str) -> str:
    """Ask for a move of a state, and return the line of the answer."""
    position, told = state.for_bots()
    engine.place(position, told)
    engine.say(go)
    deadline = time.monotonic() + _THINKING + GRACE
    while not (line := engine.hear(deadline, f"no move to `{go}` in 0.7 s")).startswith("bestmove"):
        pass
    return line


def _once(engine: Engine, state: State) -> None:
    _asked(engine, state, "go movetime 200")
    time.sleep(_SILENCE)
    engine.say("isready")
    deadline = time.monotonic() + _START
    while (line := engine.hear(deadline, "no readyok in 10 s")) != "readyok":
        if line.startswith("bestmove"):
            raise _BrokenError("a second bestmove comes after the first")


def _skips(engine: Engine, state: State) -> None:
    engine.start()
    engine.say("a line of no protocol")
    answer = _asked(engine, state, "go movetime 200 wordofnoprotocol 7").split()
    if len(answer) < 2 or answer[1] not in state.moves:
        raise _BrokenError(f"after such a word it says {quoted(' '.join(answer))}")


def _again(player: Player, state: State) -> None:
    player.new_game()
    player.choose(state, Clock(seconds=_THINKING))


def _ends(engine: Engine, said: str) -> None:
    engine.start()
    if not engine.ended_by(said, _END):
        raise _BrokenError("it goes on, and is killed")
