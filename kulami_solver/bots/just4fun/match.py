"""Matches of Just 4 Fun for two: deals, and records of games that replay."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from ...game import CHANCE
from ...just4fun import Move, Turn, record_of
from ...just4fun.game import Just4FunState
from ..arena import FinishedGame
from ..match import GameTerms


@dataclass(frozen=True)
class Just4FunTerms(GameTerms):
    """The terms of a match of Just 4 Fun: both games of a pair have the same deal.

    Examples:
        >>> from kulami_solver.bots.match import play_pair
        >>> from kulami_solver.game import load_game
        >>> terms = Just4FunTerms(load_game("just4fun", board="3x3", stones=3, line=3))
        >>> greedy, random = (terms.player(name, 0) for name in ("greedy", "random"))
        >>> games = play_pair(greedy, random, 0, terms)
        >>> [terms.record(game)["winner"] for game in games]
        ['blue', 'blue']
    """

    def start(self, seed: int, draw: random.Random) -> Just4FunState:
        state: Just4FunState = replace(self.game, seed=seed).start()
        return state

    def rules(self) -> dict[str, Any]:
        game = self.game
        board = {"board": str(game.board)}
        return board | {name: getattr(game, name) for name in ("stones", "line", "hand")}

    def told(self, game: FinishedGame) -> dict[str, Any]:
        """Return a record that `just4fun.replay` reads."""
        start, end = game.start, game.end
        assert isinstance(start, Just4FunState)
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
