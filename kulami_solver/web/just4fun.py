"""Just 4 Fun on the page: what may be asked, what is drawn, and what positions are worth.

Cards are dealt and drawn by the seed of a request, so that a link carries the game. Hands are told
to those who ask to see them:

    see        whose hands are open: names of players; the moves of a player follow from the hand,
               so they are told with it, and why a move is refused says nothing of another hand
    dummy      the order of the stock is that of the deal, and nobody draws once it is used up

What a position is worth depends on what is known:

    dummy, two players             the outcome, by `just4fun.solve`, where it is in reach
    all hands open, two players    the expected score, by `just4fun.expect`, where it is in reach
    all else                       an estimate, by `just4fun.advise`, and called one
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

import msgspec

from ..bots import Clock
from ..bots.just4fun.builtin import Advised, Greedy, Perfect, Random
from ..errors import KulamiError, PositionError
from ..game import NOBODY
from ..just4fun import (
    Advice,
    Board,
    Expectation,
    Position,
    Solution,
    advise,
    expect,
    known_to,
    solve,
)
from ..just4fun.game import Just4FunGame, Just4FunState
from ..just4fun.notation import read_jfn
from .opponents import Opponent, opponent
from .requests import Field, Line, Seconds, Whole
from .searches import Limits, Search
from .sentences import recognized
from .siblings import Asked, Sibling, Work, choosing, movers, turn_name

__all__ = ["JUST4FUN", "Just4Fun", "Just4FunMove", "Just4FunValues"]

# Up to how many stones still to place, of both players together, an exact value is tried for.
_SOLVED: Final = 16
_EXPECTED: Final = 4
_EXACT_SHARE: Final = 0.6  # of the time; the rest is for an estimate where that was not enough
_TELL_HANDS: Final = ("not_in_hand", "put_away_whole", "put_away_only")
_BETWEEN: Final = 0.1  # seconds between two events of progress

Stones = Annotated[int, msgspec.Meta(ge=1, le=20)]
InLine = Annotated[int, msgspec.Meta(ge=1, le=16)]
Hand = Annotated[int, msgspec.Meta(ge=1, le=6)]
Names = Annotated[list[Field], msgspec.Meta(max_length=4)]


class Just4Fun(Asked):
    """A position of Just 4 Fun, and the moves that lead on from it.

    Either `jfn`, or a deal: `board` with `players`, `stones` and `seed`.
    """

    board: Line = "2006"
    players: Field = "rb"
    stones: Stones = 20
    line: InLine = 4
    hand: Hand = 4
    dummy: bool = False
    jfn: Line | None = None
    see: Names = msgspec.field(default_factory=list)

    def start(self) -> Just4FunState:
        """Return the state before the moves.

        Raises:
            KulamiError: if there is none.

        Examples:
            >>> Just4Fun(board="3x3", stones=3, line=3, hand=2, seed=4).start().moves
            ('4=4', '5=5', '9=4+5')
        """
        if self.jfn is None:
            game = Just4FunGame(
                Board.parse(self.board),
                self.players,
                self.stones,
                self.line,
                self.hand,
                self.seed,
                self.dummy,
            )
            return game.start()
        written = read_jfn(self.jfn)
        dummy = written.ordered and bool(written.stock)
        game = Just4FunGame(
            written.board, written.colours, line=self.line, hand=self.hand, dummy=dummy
        )
        return game.read(self.jfn)

    def why(self, state: Just4FunState, error: KulamiError) -> str:
        """Return why a move is refused, without the cards of a hand that is not seen."""
        turn = turn_name(state.game, state)
        found = recognized(str(error))
        if turn is None or self.sees(state, turn) or found.get("code") not in _TELL_HANDS:
            return str(error)
        move = found["values"]["move"]
        return f"{turn} cannot play {move}: the hand is hidden, and does not allow it"

    def sees(self, state: Just4FunState, name: str) -> bool:
        """Whether the hand of a player is open: asked for, or known to all."""
        return state.game.dummy or name in self.see

    def sees_all(self, state: Just4FunState) -> bool:
        """Whether all hands are open."""
        return all(self.sees(state, name) for name in state.game.seats)


class Just4FunValues(Just4Fun):
    """What is it worth?"""

    time: Seconds | None = None


class Just4FunMove(Just4Fun):
    """What does a bot play?"""

    bot: Field = "advised"
    time: Seconds | None = None
    bot_seed: Whole = 0


def _shown(asked: Just4Fun, states: Sequence[Just4FunState]) -> dict[str, Any]:
    """Return what there is to say of the last of these states.

    Examples:
        >>> asked = Just4Fun(board="3x3", stones=3, line=3, hand=2, seed=4, see=["red"])
        >>> shown = _shown(asked, [asked.start()])
        >>> shown["hands"], shown["legal"]
        ({'red': [4, 5], 'blue': None}, ['4=4', '5=5', '9=4+5'])
        >>> asked.see = ["blue"]
        >>> _shown(asked, [asked.start()])["legal"] is None
        True
    """
    state = states[-1]
    game, position = state.game, state.position
    over = state.to_move == NOBODY
    seats = game.seats
    open_hands = {name: asked.sees(state, name) for name in seats}
    hands = dict(zip(seats, position.hands, strict=True))
    turn = turn_name(game, state) or position.turn
    return {
        "game": "just4fun",
        "notation": _known(asked, state),
        "grid": position.board.grid,
        "seats": list(seats),
        "turn": turn,
        "over": over,
        "ended": _ended(state) if over else None,
        "winner": None if not over or state.winner is None else seats[state.winner],
        "stones": {
            str(field): {name: n for name, n in zip(seats, counts, strict=True) if n}
            for field, counts in enumerate(position.stones, 1)
            if any(counts)
        },
        "settled": {str(field): name for field, name in position.settled.items()},
        "winning": list(position.winning_line or ()),
        "left": dict(zip(seats, position.left, strict=True)),
        "sums": position.scores,
        "hands": {
            name: list(hand or ()) if open_hands[name] else None for name, hand in hands.items()
        },
        "cards": {name: len(hand or ()) for name, hand in hands.items()},
        "stock": len(position.stock),
        "next": list(position.stock) if game.dummy else None,
        "discards": list(position.discards),
        "legal": list(state.moves) if open_hands[turn] else None,
        "dummy": game.dummy,
        "movers": list(movers(game, states)),
    }


def _picture(asked: Just4Fun, state: Just4FunState) -> str:
    """Return the picture of a position with the hands that are open."""
    position = state.position
    hands = tuple(
        hand if asked.sees(state, name) else None
        for name, hand in zip(state.game.seats, position.hands, strict=True)
    )
    if None in hands:
        unseen = [
            card
            for hand, seen in zip(position.hands, hands, strict=True)
            if seen is None
            for card in hand or ()
        ]
        position = replace(position, hands=hands, stock=(*position.stock, *unseen), ordered=False)
    return position.svg()


def _known(asked: Just4Fun, state: Just4FunState) -> str | None:
    """Return the JFN as far as it may be told, None if no hand of it is open."""
    if asked.sees_all(state):
        return state.notation()
    seen = [name for name in state.game.seats if asked.sees(state, name)]
    return known_to(state.position, seen[0]).jfn() if len(seen) == 1 else None


def _ended(state: Just4FunState) -> str:
    position = state.position
    if position.winning_line is not None:
        return "line"
    return "stones" if not any(position.left) else "idle"


def _valuing(
    asked: Just4FunValues, state: Just4FunState, limits: Limits, _databases: Sequence[Any]
) -> Work:
    """Return the work of `/api/just4fun/analyse`."""
    if state.to_move == NOBODY:
        raise KulamiError("the game is over: there is nothing to find out")
    name = state.game.seats[state.to_move]
    if not asked.sees(state, name):
        raise PositionError(f"the hand of {name} is hidden: ask to see it")
    seconds = limits.time(asked.time)
    position = state.position
    exact = _exact_search(asked, state, limits)

    def work(search: Search) -> None:
        left = seconds
        proved: dict[str, Any] | None = None
        if exact is not None:
            begun = clock.monotonic()
            proved = exact(position, seconds * _EXACT_SHARE, search)
            left = max(seconds - (clock.monotonic() - begun), 0.1)
            if proved["exact"] or search.stop.is_set():
                search.tell("solution", proved)
                return
            search.tell("progress", proved)
            if proved["lower"] in ("loss", "0/1") and proved["upper"] in ("win", "1/1"):
                proved = None  # which says nothing
        told = 0.0

        def report(advice: Advice) -> None:
            nonlocal told
            now = clock.monotonic()
            if now - told >= _BETWEEN:
                told = now
                search.tell("progress", {**_advised(advice), "proved": proved})

        known = position if asked.sees_all(state) else known_to(position, name)
        found = advise(known, time=left, seed=asked.seed, stop=search.stop, progress=report)
        search.tell("solution", {**_advised(found), "proved": proved})

    return work


Exact = Callable[[Position, float, Search], dict[str, Any]]


def _exact_search(asked: Just4Fun, state: Just4FunState, limits: Limits) -> Exact | None:
    """Return what finds an exact value, None where there is no hope of one."""
    stones = sum(state.position.left)
    if len(state.game.seats) != 2 or not asked.sees_all(state):
        return None
    if state.game.dummy:
        if stones > _SOLVED:
            return None

        def solved(position: Position, seconds: float, search: Search) -> dict[str, Any]:
            memory = limits.table(_plies(position), seconds, 1)
            found = solve(position, time=seconds, memory=memory, stop=search.stop, every_move=True)
            return _solved(found)

        return solved
    if stones > _EXPECTED:
        return None

    def expected(position: Position, seconds: float, search: Search) -> dict[str, Any]:
        return _expected(expect(position, time=seconds, stop=search.stop, every_move=True))

    return expected


def _solved(found: Solution) -> dict[str, Any]:
    """Return a solution as `kulami just4fun solve --json`, and what else is proved."""
    moves = [
        {**one.to_json(), "move": str(one.move), "lower": one.lower, "upper": one.upper}
        for one in found.moves
    ]
    exact = found.outcome is not None
    return {"kind": "outcome", "exact": exact, **found.to_json(), "moves": moves}


def _expected(found: Expectation) -> dict[str, Any]:
    moves = [{**one.to_json(), "move": str(one.move)} for one in found.moves]
    exact = found.expected is not None
    return {"kind": "expectation", "exact": exact, **found.to_json(), "moves": moves}


def _advised(found: Advice) -> dict[str, Any]:
    said = found.to_json()
    moves = [{**one.to_json(), "move": str(one.move)} for one in found.moves]
    # What is not seen is in the request; the deals need not be told.
    del said["position"]
    return {"kind": "estimate", "exact": False, **said, "moves": moves}


_BOTS: Final[Mapping[str, Opponent]] = {
    "random": Opponent(lambda _strength, seed: Random(seed)),
    "greedy": Opponent(lambda _strength, seed: Greedy(seed)),
    "advised": Opponent(lambda _strength, seed: Advised(seed), timed=True),
    "perfect": Opponent(lambda _strength, seed: Perfect(seed), timed=True),
}


def _choosing(
    asked: Just4FunMove, state: Just4FunState, limits: Limits, _databases: Sequence[Any]
) -> Work:
    """Return the work of `/api/just4fun/move`."""
    bot = opponent(asked.bot, asked.bot_seed, _BOTS)
    if isinstance(bot, Perfect) and not (state.game.dummy and len(state.game.seats) == 2):
        raise KulamiError("perfect has to see all cards: it plays double-dummy games of two")
    if isinstance(bot, Perfect):
        bot = _BoundedPerfect(asked.bot_seed, limits)
    return choosing(bot, state, asked.time, limits)


class _BoundedPerfect:
    """`Perfect`, with a table no larger than the server allows."""

    name = "perfect"

    def __init__(self, seed: int, limits: Limits) -> None:
        self._seed = seed
        self._limits = limits

    def choose(self, position: Position, *, clock: Clock) -> str:
        """Return a move that is best as far as is known in the time; else as `Greedy`."""
        memory = self._limits.table(_plies(position), clock.seconds or self._limits.seconds, 1)
        found = solve(position, time=clock.seconds, memory=memory, stop=clock.stop)
        return Greedy(self._seed).choose(position) if found.best is None else str(found.best)


def _plies(position: Position) -> int:
    """How many plies of a Kulami game fill as large a table, by trial."""
    stones = sum(position.left)
    return stones + stones // 2 + 4


JUST4FUN: Final = Sibling(
    "just4fun",
    position=Just4Fun,
    values=Just4FunValues,
    move=Just4FunMove,
    shown=_shown,
    picture=_picture,
    valuing=_valuing,
    choosing=_choosing,
    bots=_BOTS,
)
"""Just 4 Fun's part of the page."""
