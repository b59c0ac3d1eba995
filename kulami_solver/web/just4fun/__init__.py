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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final

import msgspec

from ...bots.just4fun.builtin import Advised, Greedy, Perfect, Random
from ...bots.protocol import Clock
from ...errors import KulamiError, PositionError
from ...game import NOBODY
from ...just4fun import Board, Position, advise, expect, known_to, solve
from ...just4fun.game import Just4FunGame, Just4FunState
from ...just4fun.notation import read_jfn
from ...just4fun.solving import table_plies
from ..games import GamePage, Values
from ..opponents import Opponent
from ..replays import Asked, Replayed
from ..requests import Field, Line, Names
from ..searches import Limits, Search, Work

__all__ = ["PAGE", "Just4Fun"]

# Up to how many stones still to place, of both players together, an exact value is tried for.
_SOLVED: Final = 16
_EXPECTED: Final = 4
_EXACT_SHARE: Final = 0.6  # of the time; the rest is for an estimate where that was not enough
_WORTH: Final = {"loss": -1, "draw": 0, "win": 1}
_BETWEEN: Final = 0.1  # seconds between two events of progress

Stones = Annotated[int, msgspec.Meta(ge=1, le=20)]
InLine = Annotated[int, msgspec.Meta(ge=1, le=16)]
Hand = Annotated[int, msgspec.Meta(ge=1, le=6)]


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

    def sees(self, state: Just4FunState, seat: str) -> bool:
        """Whether the hand of a player is open: asked for, or known to all."""
        return state.game.dummy or seat in self.see


class Just4FunPage(GamePage):
    """Just 4 Fun's part of the page."""

    asked = Just4Fun
    bots: ClassVar[Mapping[str, Opponent]] = {
        "random": Opponent(lambda _strength, seed: Random(seed)),
        "greedy": Opponent(lambda _strength, seed: Greedy(seed)),
        "advised": Opponent(lambda _strength, seed: Advised(seed), timed=True),
        "perfect": Opponent(lambda _strength, seed: Perfect(seed), timed=True),
    }
    usual_bot = "advised"

    def shown(self, asked: Any, game: Replayed) -> dict[str, Any]:
        """Return what there is to say of the last state, with the hands that are open."""
        state = game.states[-1]
        position, seats = state.position, state.game.seats
        over = state.to_move == NOBODY
        hands = dict(zip(seats, position.hands, strict=True))
        basics = self.basics(asked, game)
        turn = basics["turn"] or position.turn
        return {
            **basics,
            "notation": _known(asked, state),
            "grid": position.board.grid,
            "turn": turn,
            "ended": _ended(position) if over else None,
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
                name: list(hand or ()) if asked.sees(state, name) else None
                for name, hand in hands.items()
            },
            "cards": {name: len(hand or ()) for name, hand in hands.items()},
            "stock": len(position.stock),
            "next": list(position.stock) if state.game.dummy else None,
            "discards": list(position.discards),
            "legal": list(state.moves) if asked.sees(state, turn) else None,
            "dummy": state.game.dummy,
        }

    def picture(self, asked: Any, state: Any) -> str | bytes:
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
            stock = (*position.stock, *unseen)
            position = replace(position, hands=hands, stock=stock, ordered=False)
        return super().picture(asked, replace(state, position=position))

    def valuing(self, asked: Any, state: Any, limits: Limits, databases: Sequence[Any]) -> Work:
        """Return the work of `analyse`: exact values where they are in reach, else an estimate."""
        if state.to_move == NOBODY:
            raise KulamiError("nothing_to_find")
        seat = state.game.seats[state.to_move]
        if not asked.sees(state, seat):
            raise PositionError("ask_to_see", side=seat)
        seconds = limits.time(asked.time)
        position = state.position
        in_reach = sum(position.left) <= (_SOLVED if state.game.dummy else _EXPECTED)
        known = position if asked.sees_all(state) else known_to(position, seat)

        def work(search: Search) -> None:
            left, proved = seconds, None
            if in_reach and len(state.game.seats) == 2 and asked.sees_all(state):
                begun = clock.monotonic()
                proved, _ = self.solved(
                    asked, state, seconds * _EXACT_SHARE, search, limits, databases
                )
                left = max(seconds - (clock.monotonic() - begun), 0.1)
                if proved["exact"] or search.stop.is_set():
                    search.tell("solution", proved)
                    return
                search.tell("progress", proved)
                if proved["lower"] in ("loss", "0/1") and proved["upper"] in ("win", "1/1"):
                    proved = None  # which says nothing
            told = 0.0

            def report(advice: Any) -> None:
                nonlocal told
                now = clock.monotonic()
                if now - told >= _BETWEEN:
                    told = now
                    search.tell("progress", _told("estimate", advice, proved=proved))

            found = advise(known, time=left, seed=asked.seed, stop=search.stop, progress=report)
            search.tell("solution", _told("estimate", found, proved=proved))

        return work

    def solved(
        self,
        asked: Any,
        state: Any,
        seconds: float,
        search: Search,
        limits: Limits,
        databases: Sequence[Any],
    ) -> tuple[dict[str, Any], Values | None]:
        """Find out who wins double-dummy, or what score is to be expected with open hands."""
        budget: dict[str, Any] = {"time": seconds, "stop": search.stop, "every_move": True}
        position = state.position
        if state.game.dummy:
            memory = limits.table(table_plies(position), seconds, 1)
            found = solve(position, memory=memory, **budget)
            outcomes = {str(one.move): one.outcome for one in found.moves}
            values = {move: _WORTH[one] for move, one in outcomes.items() if one is not None}
            moves = {str(one.move): {"lower": one.lower, "upper": one.upper} for one in found.moves}
            said = _told("outcome", found, moves, exact=found.outcome is not None)
            return said, values if len(values) == len(outcomes) else None
        wanted = expect(position, **budget)
        exact = all(one.lower == one.upper for one in wanted.moves)
        scores = {str(one.move): 2 * one.lower - 1 for one in wanted.moves}
        said = _told("expectation", wanted, exact=wanted.expected is not None)
        return said, scores if exact else None

    def bounded(self, asked: Any, state: Any, limits: Limits, databases: Sequence[Any]) -> Any:
        """Return the bot; `perfect` has a table that the server allows, and has to see all."""
        bot = super().bounded(asked, state, limits, databases)
        if not isinstance(bot, Perfect):
            return bot
        if not (state.game.dummy and len(state.game.seats) == 2):
            raise KulamiError("sees_all")
        return _Perfect(asked.bot_seed, limits)


def _known(asked: Any, state: Just4FunState) -> str | None:
    """Return the JFN as far as it may be told, None if no hand of it is open."""
    if asked.sees_all(state):
        return state.notation()
    seen = [name for name in state.game.seats if asked.sees(state, name)]
    return known_to(state.position, seen[0]).jfn() if len(seen) == 1 else None


def _ended(position: Position) -> str:
    if position.winning_line is not None:
        return "line"
    return "stones" if not any(position.left) else "idle"


def _told(
    kind: str, found: Any, moves: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Return what was found as its command prints it, and what the page wants to know besides."""
    said = found.to_json()
    if kind == "estimate":
        del said["position"]  # what is not seen is in the request; the deals need not be told
    told = [
        {**one.to_json(), "move": str(one.move), **(moves or {}).get(str(one.move), {})}
        for one in found.moves
    ]
    return {"kind": kind, "exact": False, **said, **more, "moves": told}


class _Perfect:
    """`Perfect`, with a table no larger than the server allows."""

    name = "perfect"

    def __init__(self, seed: int, limits: Limits) -> None:
        self._seed = seed
        self._limits = limits

    def choose(self, position: Position, *, clock: Clock) -> str:
        """Return a move that is best as far as is known in the time; else as `Greedy`."""
        memory = self._limits.table(table_plies(position), clock.seconds or self._limits.seconds, 1)
        found = solve(position, time=clock.seconds, memory=memory, stop=clock.stop)
        return Greedy(self._seed).choose(position) if found.best is None else str(found.best)


PAGE: Final = Just4FunPage("just4fun")
"""Just 4 Fun's part of the page."""
