"""`kulami just4fun play`: a game against the advice."""

from __future__ import annotations

import argparse
import functools
import json
import secrets
from typing import Any, ClassVar

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Parser
from kulami_solver.cli.just4fun import GAME, board_text
from kulami_solver.cli.just4fun.solving import add_advice_options, advice_lines, adviser
from kulami_solver.cli.output import CommandError
from kulami_solver.cli.play import PlayedGame, Reply
from kulami_solver.core.notation import joined

# The time for an answer where neither --time nor --deals limits it, in seconds.
_USUAL_SECONDS = 2.0


def add_play_options(command: Parser) -> None:
    """Add the options for the side that is played, and for the limits of the advice."""
    command.choice("--side", ("red", "blue", "green", "yellow"), "yours (the first to move)")
    add_advice_options(command, _USUAL_SECONDS)


def game_played(args: argparse.Namespace, _stack: object) -> PlayedGame:
    """Return the game."""
    if args.position is None and args.deal is None:
        args.deal = secrets.randbelow(10**6)
    start = GAME.position(args)
    if start.hidden:
        raise CommandError("--position: a hand is hidden; give all hands, the game hides them")
    if args.side is None:
        args.side = start.turn
    if args.side not in start.players:
        raise CommandError(f"--side {args.side}: {joined(start.players, 'and')} play")
    return _Played(args, start)


class _Played(PlayedGame):
    """A game of Just 4 Fun."""

    notation_word: ClassVar = "jfn"
    notation_key: ClassVar = "position"
    keys: ClassVar = "by player move drawn position turn over winner scores"

    def __init__(self, args: argparse.Namespace, start: ks.just4fun.Position) -> None:
        from dataclasses import replace

        from kulami_solver.just4fun.game import state_of

        self.opponent = "advised"
        self._start = start
        super().__init__(args, state_of(replace(start, ordered=False)), (args.side,), self._choose)
        self.questions = {
            "moves": self.legal,
            "advice": self._asked_advice,
            "record": lambda: (json.dumps(self._record()), self._record()),
        }

    @functools.cached_property
    def _advice(self) -> Any:
        """A function for the estimated scores of the moves in a position, as a player knows it."""
        return functools.cache(adviser(self.args, _USUAL_SECONDS))

    def _choose(self, state: ks.game.State) -> str:
        return str(self._advice(state.for_bots()[0]).best)

    @property
    def _seen(self) -> ks.just4fun.Position:
        seen: ks.just4fun.Position = ks.just4fun.known_to(self.state.position, self.args.side)
        return seen

    def typed(self, text: str) -> str:
        if text.lower() == "discard":
            # A discard takes the whole hand, so its cards need not be named.
            (forced, *_) = self.state.moves or (text,)
            return forced if forced.startswith("discard") else text
        return text

    def chance(self, state: ks.game.State, number: int) -> str:
        # As long as the order of the stock is known, cards come in that order.
        known = self._start.stock if self._start.ordered else ()
        return str(known[number]) if number < len(known) else super().chance(state, number)

    def position_words(self) -> list[str]:
        # The stock tells the cards drawn between the moves.
        moves = " ".join(
            word for word in (self.args.moves, *(move for move, _ in self.turns)) if word
        )
        return ["--moves", moves] if moves else []

    def to_go_on(self, before: str = "go on with ") -> str:
        drawn = sum(len(cards) for _, cards in self.turns)
        if self._start.ordered and drawn <= len(self._start.stock):
            return super().to_go_on(before)
        # Only a record tells the cards drawn since the stock was shuffled.
        return f"the game so far: {json.dumps(self._record())}"

    def drawn(self) -> str:
        return board_text(self._seen, output.wants_color("auto"))

    def told(self, player: str | None) -> dict[str, Any]:
        position = self.state.position
        mine = player == self.args.side
        return {
            "player": player,
            "drawn": [int(card) for card in sorted(self.turns[-1][1], key=int)] if mine else None,
            "turn": position.turn,
            "winner": self.winner,
            "scores": position.scores,
        }

    def _asked_advice(self) -> Reply:
        advice: ks.just4fun.Advice = self._advice(self._seen)
        return "\n".join(advice_lines(advice)), advice.to_json()

    def record(self) -> dict[str, Any]:
        return self._record() | self.players

    def _record(self) -> dict[str, Any]:
        turns = [
            ks.just4fun.Turn(ks.just4fun.Move.parse(move), tuple(sorted(map(int, cards))))
            for move, cards in self.turns
        ]
        return ks.just4fun.record_of(self._start, turns, self.state.position)
