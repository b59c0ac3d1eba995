"""What the boards of Malawi and Just 4 Fun share: games that are replayed by `kulami_solver.game`.

    request: options, moves, a seed
        |  replay: moves are played, CHANCE is decided by the seed
        v
    states, from the first to the one asked about
        |--> shown      what there is to draw
        |--> valuing    a search of what it is worth, as a stream
        `--> choosing   what a bot plays

The server keeps no game: a request says all of it, and the same seed brings the same cards. A
`Sibling` has the parts of one game; those of Kulami are older, and lie in the files around.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, Final, Protocol

import msgspec

from ..bots import Clock
from ..bots.protocol import Player
from ..errors import KulamiError
from ..game import CHANCE, NOBODY, Game, State
from .opponents import Opponent
from .requests import Whole
from .searches import Limits, Search

__all__ = ["MOST_MOVES", "Asked", "Replays", "Sibling", "choosing", "movers", "turn_name"]

MOST_MOVES: Final = 400
"""The longest game that is replayed, in moves."""

_BOT_SECONDS: Final = 2.0
_KEPT: Final = 16

MoveText = Annotated[str, msgspec.Meta(max_length=64)]
MoveTexts = Annotated[list[MoveText], msgspec.Meta(max_length=10 * MOST_MOVES)]
MovesLine = Annotated[str, msgspec.Meta(max_length=20_000)]


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """The moves of a game, in its notation: a list, or a text with `;` between."""

    moves: MovesLine | MoveTexts = ""
    seed: Whole = 0

    def played(self) -> tuple[str, ...]:
        """Return the moves one by one.

        Raises:
            KulamiError: if they are too many.
        """
        moves = self.moves.replace(";", " ").split() if isinstance(self.moves, str) else self.moves
        if len(moves) > MOST_MOVES:
            raise KulamiError(f"the game has {len(moves)} moves: {MOST_MOVES} are replayed at most")
        return tuple(moves)

    def why(self, _state: Any, error: KulamiError) -> str:
        """Return why a move is refused, in the words that who asks may hear."""
        return str(error)


class Beginning(Protocol):
    """A request about a game of a sibling."""

    seed: int

    def start(self) -> State:
        """Return the state before the moves; raise a `KulamiError` if there is none."""
        ...

    def played(self) -> tuple[str, ...]:
        """Return the moves."""
        ...

    def why(self, state: Any, error: KulamiError) -> str:
        """Return why a move is refused."""
        ...


Work = Callable[[Search], None]


@dataclass(frozen=True)
class Sibling:
    """What the page asks of a game besides Kulami.

    Attributes:
        name: as `kulami_solver.game.GAMES` has it.
        position, values, move: what may be asked: about a position, its value, a bot's move.
        shown: from a request and the states of its game, all there is to draw.
        picture: from a request and the last state, an SVG document of what the request may see.
        valuing, choosing: from a request, the state it asks about, the limits and the databases
            of the game, the work of finding out its value, and of a bot's move.
        bots: those that may be asked for.
        database: the noun of its positions, by which its databases are told; None if it has none.
    """

    name: str
    position: type[Any]
    values: type[Any]
    move: type[Any]
    shown: Callable[[Any, Sequence[Any]], Mapping[str, Any]]
    picture: Callable[[Any, Any], str]
    valuing: Callable[[Any, Any, Limits, Sequence[Any]], Work]
    choosing: Callable[[Any, Any, Limits, Sequence[Any]], Work]
    bots: Mapping[str, Opponent]
    database: type[Any] | None = None


class Replays:
    """Games asked about lately, so that each further move is played once. Threads may share it."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept: Final = kept
        self._known: OrderedDict[tuple[State, int, tuple[str, ...]], tuple[State, ...]]
        self._known = OrderedDict()
        self._lock: Final = threading.Lock()

    def states(self, asked: Beginning) -> tuple[State, ...]:
        """Return the states before each move of a game, and the one after the last.

        Raises:
            KulamiError: if there is no such game; it counts the move that is not legal.

        Examples:
            >>> from kulami_solver.web.malawi import Malawi
            >>> states = Replays().states(Malawi(board="2x3", moves="a3:b3;b1xb3"))
            >>> len(states), states[-1].notation()
            (3, 'b2b2/../r0r0 r')
        """
        start, moves = asked.start(), asked.played()
        states: tuple[State, ...] = (start,)
        with self._lock:
            for known in (moves, moves[:-1]):
                found = self._known.get((start, asked.seed, known))
                if found is not None:
                    states = found
                    break
        for number in range(len(states), len(moves) + 1):
            try:
                after = states[-1].play(moves[number - 1])
            except KulamiError as error:
                said = asked.why(states[-1], error)
                raise type(error)(f"move {number}: {said}") from None
            states = (*states, _settled(after, asked.seed, number))
        with self._lock:
            self._known[start, asked.seed, moves] = states
            if len(self._known) > self._kept:
                self._known.popitem(last=False)
        return states


def _settled(state: State, seed: int, ply: int) -> State:
    """Return the state once chance has decided what it has to, as the seed has it."""
    draw = Random(f"{seed} {ply}")
    while state.to_move == CHANCE:
        (move,) = draw.choices(state.moves, [float(chance) for chance in state.chances()])
        state = state.play(move)
    return state


def turn_name(game: Game, state: State) -> str | None:
    """Return what the player to move is called; None once the game is over."""
    return None if state.to_move == NOBODY else game.seats[state.to_move]


def movers(game: Game, states: Sequence[State]) -> Iterator[str]:
    """Yield who has made each move."""
    for state in states[:-1]:
        yield game.seats[state.to_move]


def choosing(bot: object, state: State, seconds: float | None, limits: Limits) -> Work:
    """Return the work of `/api/GAME/move`.

    Args:
        bot: one that the page offers.
        state: the one it is to move in.
        seconds: how long it may think, None for the usual time.
        limits: of the server.

    Raises:
        KulamiError: if the game is over.
    """
    if state.to_move == NOBODY:
        raise KulamiError("the game is over: there is no move to choose")
    time = limits.time(_BOT_SECONDS if seconds is None else seconds)
    player = Player(bot)

    def work(search: Search) -> None:
        move = player.choose(state, Clock(seconds=time, stop=search.stop))
        search.tell("move", {"move": move, "bot": player.name})

    return work
