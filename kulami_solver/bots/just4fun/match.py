"""Matches of Just 4 Fun for two: deals, and records of games that replay."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

from ...game import CHANCE
from ...just4fun import Board, Move, Turn, record_of
from ...just4fun.game import Just4FunGame, Just4FunState
from ..arena import Game
from ..match import Terms
from ..protocol import Clock


@dataclass(frozen=True)
class Just4FunTerms(Terms):
    """The terms of a match of Just 4 Fun: both games of a pair have the same deal.

    Attributes:
        board: the board.
        stones: of each player.
        line: fields in a row that win.
        hand: cards of a hand.
        clock, seed: as in `Terms`.

    Examples:
        >>> from kulami_solver.bots.match import play_pair
        >>> terms = Just4FunTerms(Board.parse("3x3"), stones=3, line=3)
        >>> greedy, random = (terms.player(name, 0) for name in ("greedy", "random"))
        >>> games = play_pair(greedy, random, 0, terms)
        >>> [terms.record(game)["winner"] for game in games]
        ['blue', 'blue']
    """

    board: Board
    stones: int = 20
    line: int = 4
    hand: int = 4
    clock: Clock = field(default_factory=Clock)
    seed: int = 0

    @property
    def game(self) -> Just4FunGame:
        return Just4FunGame(self.board, stones=self.stones, line=self.line, hand=self.hand)

    def start(self, seed: int, draw: random.Random) -> Just4FunState:
        return replace(self.game, seed=seed).start()

    def rules(self) -> dict[str, Any]:
        return {
            "board": str(self.board),
            "stones": self.stones,
            "line": self.line,
            "hand": self.hand,
        }

    def told(self, game: Game) -> dict[str, Any]:
        """Return a record that `just4fun.replay` reads."""
        start, end = game.start, game.end
        assert isinstance(start, Just4FunState)
        assert isinstance(end, Just4FunState)
        record = record_of(start.position, _turns(start, game.moves), end.position)
        return {**record, "winner": super().told(game)["winner"]}


def _turns(start: Just4FunState, moves: tuple[str, ...]) -> list[Turn]:
    """Return moves with the cards drawn after each; an unfinished game may lack the last cards."""
    state = start
    turns: list[Turn] = []
    for move in moves:
        if state.to_move == CHANCE:
            turns[-1] = Turn(turns[-1].move, tuple(sorted((*turns[-1].drawn, int(move)))))
        else:
            turns.append(Turn(Move.parse(move), ()))
        state = state.play(move)
    return turns
