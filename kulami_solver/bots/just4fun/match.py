"""Matches of Just 4 Fun for two: deals, and records of games that replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import NotationError
from ...game import CHANCE
from ...just4fun import Board, Move, Turn, record_of
from ...just4fun.game import Just4FunGame, Just4FunState
from ..arena import Game, Opening
from ..fingerprint import bot_fingerprint
from ..match import Result, Terms, forfeit_record, result_of
from ..protocol import Clock, Player
from .naming import make_player

__all__ = ["Just4FunTerms"]


@dataclass(frozen=True)
class Just4FunTerms(Terms):
    """What a match of Just 4 Fun is played on: both games of a pair have the same deal.

    Attributes:
        board: where the numbers lie.
        stones: of each player.
        line: fields in a row that win.
        hand: cards of a hand.
        clock: how long a bot may think about a move.
        seed: of the deals and the draws.

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

    def opening(self, number: int) -> Opening:
        """Return the deal of a pair."""
        game = Just4FunGame(
            self.board,
            stones=self.stones,
            line=self.line,
            hand=self.hand,
            seed=self.seed * 1_000_003 + number,
        )
        return Opening(game.start())

    def player(self, name: str, seed: int) -> Player:
        """Return the bot of a name; one from a module has a process of its own."""
        return make_player(name, seed, isolated=True)

    def record(self, game: Game) -> dict[str, Any]:
        """Return what a file of games keeps of one, which `just4fun.replay` reads."""
        start, end = game.start, game.end
        assert isinstance(start, Just4FunState)
        assert isinstance(end, Just4FunState)
        seats = start.game.seats
        winner = game.winner
        record: dict[str, Any] = {
            **record_of(start.position, _turns(start, game.moves), end.position),
            "winner": None if winner is None else seats[winner],
            **dict(zip(seats, game.players, strict=True)),
        }
        if game.seconds is not None:
            times = (round(seconds, 3) for seconds in game.seconds)
            record["seconds"] = dict(zip(seats, times, strict=True))
        return record | forfeit_record(game)

    def result(self, record: Mapping[str, Any]) -> Result:
        """Return how a recorded game has ended.

        Raises:
            NotationError: if the record does not say so.
        """
        seats, winner = Just4FunGame(self.board).seats, record.get("winner", "")
        if winner not in (None, *seats):
            raise NotationError("no winner")
        return result_of(record, seats, None if winner is None else seats.index(winner))

    def fingerprint(self, name: str) -> dict[str, Any]:
        """Return what the bot of a name is now."""
        return bot_fingerprint(name, "just4fun")

    def to_json(self) -> dict[str, object]:
        """Return what a file of games says about them."""
        return {
            "game": "just4fun",
            "board": str(self.board),
            "stones": self.stones,
            "line": self.line,
            "hand": self.hand,
            "movetime": self.clock.seconds,
            "nodes": self.clock.nodes,
            "depth": self.clock.depth,
            "seed": self.seed,
        }


def _turns(start: Just4FunState, moves: tuple[str, ...]) -> list[Turn]:
    """Return moves with the cards drawn after each; a game that was left may lack the last ones."""
    state = start
    turns: list[Turn] = []
    for move in moves:
        if state.to_move == CHANCE:
            turns[-1] = Turn(turns[-1].move, tuple(sorted((*turns[-1].drawn, int(move)))))
        else:
            turns.append(Turn(Move.parse(move), ()))
        state = state.play(move)
    return turns
