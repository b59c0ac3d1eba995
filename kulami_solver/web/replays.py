"""The game of a request, played again.

    request: options, moves, a seed
        |  moves are played, CHANCE is decided by the seed
        v
    states, from the first to the one asked about

The same seed brings the same cards and dice. A game that was played elsewhere also has `draws`, the
results of chance after each of its moves: "4.4;;7". The seed decides where `draws` says nothing, or
where its results are not possible because another move was made.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from ..errors import IllegalMoveError, KulamiError, NotationError
from ..game import CHANCE, NOBODY, Descriptor, Option, State
from .messages import Line, Names, Whole

MOST_MOVES: Final = 400
"""The longest game that is replayed, in moves."""

_KEPT: Final = 16

MoveText = Annotated[str, msgspec.Meta(max_length=64)]
MoveTexts = Annotated[list[MoveText], msgspec.Meta(max_length=10 * MOST_MOVES)]
MovesLine = Annotated[str, msgspec.Meta(max_length=20_000)]


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """A game: its start, by the game's own options, and its moves in its notation.

    The moves are a list, or a text with `;` or spaces between them.
    """

    moves: MovesLine | MoveTexts = ""
    seed: Whole = 0
    draws: MovesLine = ""

    def start(self) -> State:
        """Return the state before the moves; raise a `KulamiError` if it is not valid."""
        raise NotImplementedError

    def played(self) -> tuple[str, ...]:
        """Return the moves one by one.

        Raises:
            KulamiError: if they are too many.
        """
        moves = self.moves.replace(";", " ").split() if isinstance(self.moves, str) else self.moves
        if len(moves) > MOST_MOVES:
            raise KulamiError("too_many_moves", count=len(moves), most=MOST_MOVES)
        return tuple(moves)

    def drawn(self, turn: int) -> list[str]:
        """Return the given results of chance after `turn` moves."""
        draws = self.draws.split(";")
        return draws[turn - 1].split(".") if 0 < turn <= len(draws) else []

    def sees(self, _state: Any, _seat: str) -> bool:
        """Whether the answer may tell what only a seat can see."""
        return True

    def sees_all(self, state: Any) -> bool:
        """Whether nothing is hidden."""
        return all(self.sees(state, seat) for seat in state.game.seats)

    def why(self, state: Any, move: str, error: KulamiError) -> KulamiError:
        """Return the reason why a move is refused; it reveals nothing of a hidden hand.

        What is no move in the game's notation is none with any hand.
        """
        if isinstance(error, NotationError):
            return error
        if state.to_move < 0 or self.sees(state, seat := state.game.seats[state.to_move]):
            return error
        return IllegalMoveError("hidden_hand", side=seat, move=move)


def asked_about(
    game: Descriptor,
    *,
    without: Collection[str] = (),
    most: Mapping[str, int] | None = None,
    start: Callable[[Any], State] | None = None,
) -> Any:
    """Return the type of requests about a game: its options, its notation, and the seen hands.

    At the end of a game all hands are seen.

    Args:
        game: the game.
        without: options that the page does not have.
        most: the page's largest numbers, by option, where they are less than the game's.
        start: the type's method `start`; None to make the game with its options.

    Examples:
        >>> from kulami_solver.game import descriptor
        >>> asked_about(descriptor("malawi"))(board="2x3").start().notation()
        'b2b2/../r2r2 r'
    """
    notation = game.notation.lower()
    options = [one for one in game.options if one.name not in without]

    def made(self: Any) -> State:
        said = {one.name: getattr(self, one.name) for one in options}
        return game.state(getattr(self, notation), **said)

    def sees(self: Any, state: Any, seat: str) -> bool:
        return not state.game.has_hidden or seat in self.see or state.to_move == NOBODY

    return msgspec.defstruct(
        game.name,
        [
            *fields_of(options, most),
            (notation, Line | None, None),
            ("see", Names, msgspec.field(default_factory=list)),
        ],
        bases=(Asked,),
        namespace={"start": start or made, "sees": sees},
        forbid_unknown_fields=True,
    )


def fields_of(options: Iterable[Option], most: Mapping[str, int] | None = None) -> list[Any]:
    """Return the options of a game as fields of a request, less those that every request has."""
    limits = most or {}
    return [
        (one.name, Line if one.kind == "text" else one.type(limits.get(one.name)), one.default)
        for one in options
        if one.name not in Asked.__struct_fields__
    ]


class Replayed(NamedTuple):
    """A game that has been played again.

    Attributes:
        begun: the first state of all, in which chance may be to move.
        states: the state before each move of a player, and the last state.
        played: the moves, with those of chance between them.
    """

    begun: Any
    states: tuple[Any, ...]
    played: tuple[str, ...]

    @property
    def movers(self) -> list[str]:
        """The seat that made each move of a player."""
        return [state.game.seats[state.to_move] for state in self.states[:-1]]


class Replays:
    """The latest games of requests, so that each further move is played once. For all threads."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept: Final = kept
        self._known: OrderedDict[tuple[Any, int, str, tuple[str, ...]], Replayed] = OrderedDict()
        self._lock: Final = threading.Lock()

    def game(self, asked: Asked) -> Replayed:
        """Return a game played to its last move.

        Raises:
            KulamiError: if there is no such game; it has the number of the move that is not legal.

        Examples:
            >>> from kulami_solver.web.malawi import Malawi
            >>> states = Replays().game(Malawi(board="2x3", moves="a3:b3;b1xb3")).states
            >>> len(states), states[-1].notation()
            (3, 'b2b2/../r0r0 r')
        """
        start, moves = asked.start(), asked.played()
        game = None
        with self._lock:
            for known in (moves, moves[:-1]):
                game = game or self._known.get((start, asked.seed, asked.draws, known))
        game = game or _settled(start, Replayed(start, (), ()), asked)
        game = _played_on(game, moves[len(game.states) - 1 :], asked)
        with self._lock:
            self._known[start, asked.seed, asked.draws, moves] = game
            if len(self._known) > self._kept:
                self._known.popitem(last=False)
        return game


def _played_on(game: Replayed, moves: Sequence[str], asked: Asked) -> Replayed:
    """Return a game with more moves at its end, where the request decides what chance does.

    Raises:
        KulamiError: if a move is not legal; it has its number in the game.
    """
    for move in moves:
        before = game.states[-1]
        try:
            after = before.play(move)
        except KulamiError as error:
            said = asked.why(before, move, error)
            raise said.at("move", number=len(game.states)) from None
        game = _settled(after, game._replace(played=(*game.played, move)), asked)
    return game


def _settled(state: Any, game: Replayed, asked: Asked) -> Replayed:
    """Return the game with one more state, after the moves of chance there."""
    turn = len(game.states)
    draw, drawn = Random(f"{asked.seed} {turn}"), asked.drawn(turn)
    played = game.played
    while state.to_move == CHANCE:
        moves = state.moves
        move = next((one for one in drawn if one in moves), None)
        if move is None:
            (move,) = draw.choices(moves, [float(chance) for chance in state.chances()])
        else:
            drawn.remove(move)
        state, played = state.play(move), (*played, move)
    return Replayed(game.begun, (*game.states, state), played)
