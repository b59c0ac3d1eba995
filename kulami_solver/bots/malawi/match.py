"""Matches of Malawi: openings of random turns, and records of games."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import NotationError
from ...game import NOBODY, State
from ...malawi import Board
from ...malawi.game import MalawiGame
from ..arena import Game, Opening
from ..fingerprint import bot_fingerprint
from ..match import Result, Terms, forfeit_record, result_of
from ..protocol import Clock, Player
from .naming import make_player

__all__ = ["MalawiTerms", "draw_opening"]


def draw_opening(seed: int, board: Board, plies: int = 4) -> Opening:
    """Return an opening, the same for a seed on every machine.

    Args:
        seed: 0 or more.
        board: which.
        plies: turns at random; fewer if the game would be over.

    Examples:
        >>> opening = draw_opening(7, Board(3, 4))
        >>> len(opening.moves), opening == draw_opening(7, Board(3, 4))
        (4, True)
    """
    draw = random.Random(seed).random
    start: State = MalawiGame(board).start()
    state = start
    moves: list[str] = []
    for _ in range(plies):
        move = state.moves[int(draw() * len(state.moves))]
        after = state.play(move)
        if after.to_move == NOBODY:
            break
        state = after
        moves.append(move)
    return Opening(start, tuple(moves))


@dataclass(frozen=True)
class MalawiTerms(Terms):
    """What a match of Malawi is played on.

    Attributes:
        board: which.
        plies: turns at random before the bots take over.
        clock: how long a bot may think about a turn.
        seed: of the openings.

    Examples:
        >>> from kulami_solver.bots.match import play_pair
        >>> terms = MalawiTerms(Board(2, 3), plies=0)
        >>> greedy, perfect = (terms.player(name, 0) for name in ("greedy", "perfect"))
        >>> [terms.record(game)["winner"] for game in play_pair(greedy, perfect, 0, terms)]
        ['black', 'black']
    """

    board: Board
    plies: int = 4
    clock: Clock = field(default_factory=Clock)
    seed: int = 0

    def opening(self, number: int) -> Opening:
        """Return the opening of a pair."""
        return draw_opening(self.seed * 1_000_003 + number, self.board, self.plies)

    def player(self, name: str, seed: int) -> Player:
        """Return the bot of a name; one from a module has a process of its own."""
        return make_player(name, seed, isolated=True)

    def record(self, game: Game) -> dict[str, Any]:
        """Return what a file of games keeps of one: `winner` is a colour, or null for a draw."""
        seats = game.start.game.seats
        record: dict[str, Any] = {
            "board": str(self.board),
            "beads": self.board.beads,
            "moves": list(game.moves),
            "winner": None if game.winner is None else seats[game.winner],
            **dict(zip(seats, game.players, strict=True)),
            "opening": game.opening,
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
        seats, winner = MalawiGame.seats, record.get("winner", "")
        if winner not in (None, *seats):
            raise NotationError("no winner")
        return result_of(record, seats, None if winner is None else seats.index(winner))

    def fingerprint(self, name: str) -> dict[str, Any]:
        """Return what the bot of a name is now."""
        return bot_fingerprint(name, "malawi")

    def to_json(self) -> dict[str, object]:
        """Return what a file of games says about them."""
        return {
            "game": "malawi",
            "board": str(self.board),
            "beads": self.board.beads,
            "plies": self.plies,
            "movetime": self.clock.seconds,
            "nodes": self.clock.nodes,
            "depth": self.clock.depth,
            "seed": self.seed,
        }
