"""Just 4 Fun on the page: its requests, its drawing, and the values of positions.

Cards are dealt and drawn by the seed of a request, so that a link carries the game. A request says
which hands it sees:

    see        the players whose hands are open; a player's moves follow from the hand, so they are
               told with it, and the reason of a refusal reveals nothing of another hand; at the
               end of the game all hands are
    dummy      the order of the stock is that of the deal, and nobody draws once it is used up

The kind of value depends on what is known:

    dummy, two players             the outcome, by `just4fun.solve`, where it is in reach
    all hands open, two players    the expected score, by `just4fun.expect`, where it is in reach
    otherwise                      an estimate, by `just4fun.advise`, and called an estimate
"""

from __future__ import annotations

import time as clock
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from ...bots.just4fun.builtin import Advised, Greedy, Perfect
from ...errors import KulamiError
from ...just4fun import Board, Expectation, Position, advise, known_to
from ...just4fun.cards import Move
from ...just4fun.dealing import Turn
from ...just4fun.game import GAME, Just4FunGame, Just4FunState
from ...just4fun.notation import read_jfn
from ...just4fun.replay import record_of
from ...just4fun.solving import outcome_word
from ..games import ANY_BOTS, GamePage, Inquiry, Opponent
from ..replays import Replayed, asked_about
from ..searches import Task, Work

# The most stones still to place, of both players together, for which an exact value is tried.
_SOLVED: Final = 16
_EXPECTED: Final = 4
_EXACT_SHARE: Final = 0.6  # of the time; the rest is for an estimate, if needed


def _start(asked: Any) -> Just4FunState:
    """Return the state before the moves: from `jfn`, or from a deal."""
    if asked.jfn is None:
        board = Board.parse(asked.board)
        options = asked.players, asked.stones, asked.line, asked.hand, asked.seed, asked.dummy
        return Just4FunGame(board, *options).start()
    written = read_jfn(asked.jfn)
    dummy = written.ordered and bool(written.stock)
    game = Just4FunGame(
        written.board, written.colours, line=asked.line, hand=asked.hand, dummy=dummy
    )
    return game.read(asked.jfn)


Just4Fun: Final = asked_about(GAME, without={"hidden"}, most={"line": 16, "hand": 6}, start=_start)
"""A request about a game: `jfn`, or a deal: `board` with `players`, `stones` and `seed`."""


class Just4FunPage(GamePage):
    """Just 4 Fun's part of the page."""

    asked = Just4Fun
    bots: ClassVar[Mapping[str, Opponent]] = {
        "random": ANY_BOTS["random"],
        "greedy": Opponent(lambda _strength, seed: Greedy(seed)),
        "advised": Opponent(lambda _strength, seed: Advised(seed), timed=True),
        "perfect": Opponent(lambda _strength, seed: Perfect(seed), timed=True),
    }
    usual_bot = "advised"

    def shown(self, inquiry: Inquiry) -> dict[str, Any]:
        """Return all that the page draws of the last state, with the open hands."""
        state = inquiry.state
        position, seats = state.position, state.game.seats
        over = inquiry.turn is None
        hands = dict(zip(seats, position.hands, strict=True))
        turn = inquiry.turn or position.turn
        return {
            **self.basics(inquiry),
            "notation": _known(inquiry),
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
                name: list(hand or ()) if inquiry.sees(name) else None
                for name, hand in hands.items()
            },
            "cards": {name: len(hand or ()) for name, hand in hands.items()},
            "stock": len(position.stock),
            "next": list(position.stock) if state.game.dummy else None,
            "discards": list(position.discards),
            "legal": list(state.moves) if inquiry.sees(turn) else None,
            "dummy": state.game.dummy,
        }

    def picture(self, inquiry: Inquiry) -> str:
        """Return the picture of a position with the open hands."""
        return super().picture(inquiry.at(replace(inquiry.state, position=_seen(inquiry))))

    def record(self, game: Replayed) -> dict[str, Any]:
        """Return a game as a record, with the cards that were drawn."""
        positions = [state.position for state in game.states]
        moves = (Move.parse(move) for move in game.played if "=" in move)  # others are of chance
        turns = map(_turn, positions, moves, positions[1:])
        return record_of(positions[0], turns, positions[-1])

    def valuing(self, inquiry: Inquiry) -> Work:
        """Return the work of `analyse`: exact values where in reach, else an estimate."""
        state, turn = inquiry.state, inquiry.turn
        if turn is None:
            raise KulamiError("nothing_to_find")
        inquiry.check_open(turn)
        seconds = inquiry.limits.time(inquiry.asked.time)
        position = state.position
        known = position if inquiry.sees_all else known_to(position, turn)
        in_reach = (
            inquiry.sees_all
            and len(state.game.seats) == 2
            and sum(position.left) <= (_SOLVED if state.game.dummy else _EXPECTED)
        )

        def work(search: Task) -> None:
            left: float = seconds
            proved: dict[str, Any] | None = None
            if in_reach:
                begun = clock.monotonic()
                found = self.found(inquiry, search, seconds * _EXACT_SHARE)
                proved = self.told(inquiry, found)
                left = max(seconds - (clock.monotonic() - begun), 0.1)
                if proved["exact"] or search.stop.is_set():
                    search.tell("solution", proved)
                    return
                search.tell("progress", proved)
                if proved["lower"] in ("loss", "0/1") and proved["upper"] in ("win", "1/1"):
                    proved = None  # bounds that say nothing

            def report(advice: Any) -> None:
                search.tell("progress", _told("estimate", advice, proved=proved))

            advice = advise(
                known, time=left, seed=inquiry.asked.seed, stop=search.stop, progress=report
            )
            search.tell("solution", _told("estimate", advice, proved=proved))

        return work

    def told(self, inquiry: Inquiry, found: Any) -> dict[str, Any]:
        """Return the double-dummy winner, or the expected score with open hands."""
        if isinstance(found, Expectation):
            return _told("expectation", found, exact=found.exact)
        bounds = {
            str(one.move): {"lower": outcome_word(one.lower), "upper": outcome_word(one.upper)}
            for one in found.moves
        }
        return _told("outcome", found, bounds, exact=found.exact)

    def bot(self, inquiry: Inquiry) -> Any:
        """Return the bot; `perfect` has to see all cards."""
        bot, game = super().bot(inquiry), inquiry.state.game
        if isinstance(bot, Perfect) and not (game.dummy and len(game.seats) == 2):
            raise KulamiError("sees_all")
        return bot


def _turn(before: Position, move: Move, after: Position) -> Turn:
    """Return a move with the cards that its player drew after it."""
    drawn = Counter(after.hands[before.seat] or ())
    drawn.subtract(before.hands[before.seat] or ())
    drawn.update(move.cards)
    return Turn(move, tuple(sorted(drawn.elements())))


def _seen(inquiry: Inquiry) -> Position:
    """Return the position with the open hands; all other cards are put into the stock."""
    position: Position = inquiry.state.position
    seats = inquiry.state.game.seats
    if inquiry.sees_all:
        return position
    hands = tuple(
        hand if inquiry.sees(name) else None
        for name, hand in zip(seats, position.hands, strict=True)
    )
    unseen = (
        card
        for name, hand in zip(seats, position.hands, strict=True)
        if not inquiry.sees(name)
        for card in hand or ()
    )
    return replace(position, hands=hands, stock=(*position.stock, *unseen), ordered=False)


def _known(inquiry: Inquiry) -> str | None:
    """Return the JFN with all or one of the hands; None if neither all nor one is open."""
    state: Just4FunState = inquiry.state
    if inquiry.sees_all:
        return state.notation()
    seen = [name for name in state.game.seats if inquiry.sees(name)]
    return known_to(state.position, seen[0]).jfn() if len(seen) == 1 else None


def _ended(position: Position) -> str:
    if position.winning_line is not None:
        return "line"
    return "stones" if not any(position.left) else "idle"


def _told(
    kind: str, found: Any, moves: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Return a result as its command prints it, with further keys for the page."""
    said = found.to_json()
    if kind == "estimate":
        del said["position"]  # the request says it already
    told = [
        {**shown, "move": str(one.move), **(moves or {}).get(str(one.move), {})}
        for one, shown in zip(found.moves, said["moves"], strict=True)
    ]
    return {"kind": kind, "exact": False, **said, **more, "moves": told}


PAGE: Final = Just4FunPage("just4fun")
"""Just 4 Fun's part of the page."""
