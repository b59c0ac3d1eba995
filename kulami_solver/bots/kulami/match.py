"""Matches of Kulami: openings on random layouts, and records that `kulami replay` reads."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.sides import BLACK, RED
from ...errors import NotationError
from ...game import State
from ...kulami.game import KulamiState, state_of
from ...kulami.layout import Layout
from ...kulami.position import MARBLES, Position
from ...kulami.scoring import Scoring
from ...kulami.solve import solve
from ..arena import Game, Opening
from ..fingerprint import bot_fingerprint
from ..match import Result, Terms, forfeit_record, result_of
from ..naming import make_player
from ..protocol import Clock, Player

__all__ = ["KulamiTerms", "best_play", "draw_opening", "game_record"]

_SIDES = (RED, BLACK)


def draw_opening(
    seed: int,
    layout: Layout | str = "random",
    plies: int = 6,
    marbles: int = MARBLES,
    short_end: bool = False,
    scoring: Scoring = Scoring.LEVEL0,
) -> Opening:
    """Return an opening, the same for a seed on every machine.

    Args:
        seed: 0 or more.
        layout: the layout, or "random": square for even seeds and irregular for odd ones.
        plies: marbles placed at random; fewer if the game would be over.
        marbles, short_end: as for `Position`.
        scoring: what counts.

    Examples:
        >>> opening = draw_opening(7)
        >>> len(opening.moves), opening == draw_opening(7)
        (6, True)
    """
    draw = random.Random(seed).random
    if isinstance(layout, str):
        layout = Layout.random(seed, irregular=seed % 2 == 1)
    start = Position(layout, _SIDES[int(draw() * 2)], marbles, short_end)
    position = start
    moves: list[str] = []
    for _ in range(plies):
        fields = position.legal_fields
        field = fields[int(draw() * len(fields))]
        after = position.play(field)
        if after.is_over:
            break
        position = after
        moves.append(field)
    return Opening(state_of(start, scoring), tuple(moves))


def best_play(state: State, free: int) -> tuple[str, ...]:
    """Return best play to the end of the game, once so few fields are free; nothing before."""
    assert isinstance(state, KulamiState)
    if state.position.free_count > free:
        return ()
    return solve(state.position, state.game.scoring).line


def game_record(game: Game) -> dict[str, Any]:
    """Return a game as a record that `kulami replay` reads.

    Examples:
        >>> from kulami_solver.bots import Greedy
        >>> from kulami_solver.bots.arena import play_game
        >>> greedy = Player(Greedy())
        >>> record = game_record(play_game((greedy, greedy), draw_opening(7)))
        >>> record["first"], record["opening"], record["red"]
        ('red', 6, 'greedy')
    """
    start = game.start
    assert isinstance(start, KulamiState)
    board, scoring = start.position, start.game.scoring
    score = board.play_all(game.moves).score(scoring)
    level = scoring.value
    record: dict[str, Any] = {
        "board": list(board.layout.rows),
        "level": int(level) if level.isdigit() else level,
        "first": board.turn,
        "moves": list(game.moves),
        "score": {RED: score.red, BLACK: score.black},
    }
    if board.marbles != MARBLES:
        record["marbles"] = board.marbles
    if board.short_end:
        record["short_end"] = True
    record |= dict(zip(_SIDES, game.players, strict=True))
    record["opening"] = game.opening
    if game.seconds is not None:
        times = (round(seconds, 3) for seconds in game.seconds)
        record["seconds"] = dict(zip(_SIDES, times, strict=True))
    if game.adjudicated is not None:
        record["adjudicated"] = game.adjudicated
    return record | forfeit_record(game)


@dataclass(frozen=True)
class KulamiTerms(Terms):
    """What a match of Kulami is played on.

    Attributes:
        layout: a layout, or "random" for another one in each opening.
        plies: marbles placed at random before the bots take over.
        scoring: what counts.
        clock: how long a bot may think about a move.
        free: free fields at which a game is solved instead of played; 0: never.
        seed: of the openings.
        marbles, short_end: as for a position.
    """

    layout: Layout | str = "random"
    plies: int = 6
    scoring: Scoring = Scoring.LEVEL0
    clock: Clock = field(default_factory=Clock)
    free: int = 0
    seed: int = 0
    marbles: int = MARBLES
    short_end: bool = False

    def opening(self, number: int) -> Opening:
        """Return the opening of a pair."""
        return draw_opening(
            self.seed * 1_000_003 + number,
            self.layout,
            self.plies,
            self.marbles,
            self.short_end,
            self.scoring,
        )

    def player(self, name: str, seed: int) -> Player:
        """Return the bot of a name, in a process of its own."""
        return make_player(name, seed, isolated=True)

    def adjudicate(self, state: State) -> Sequence[str]:
        """Return best play once few enough fields are free."""
        return best_play(state, self.free)

    def record(self, game: Game) -> dict[str, Any]:
        """Return a game as a record that `kulami replay` reads."""
        return game_record(game)

    def result(self, record: Mapping[str, Any]) -> Result:
        """Return how a recorded game has ended, by its score or forfeit.

        Raises:
            NotationError: if the record has no moves and score.
        """
        score = record.get("score")
        red, black = map(score.get, _SIDES) if isinstance(score, dict) else (None, None)
        if not isinstance(red, int) or not isinstance(black, int):
            raise NotationError("no score")
        margin = red - black
        winner = None if margin == 0 else 0 if margin > 0 else 1
        return result_of(record, _SIDES, winner, margin)

    def fingerprint(self, name: str) -> dict[str, Any]:
        """Return what the bot of a name is now."""
        return bot_fingerprint(name)

    def to_json(self) -> dict[str, object]:
        """Return what a file of games says about them."""
        return {
            "layout": str(self.layout),
            "plies": self.plies,
            "scoring": self.scoring.value,
            "movetime": self.clock.seconds,
            "nodes": self.clock.nodes,
            "depth": self.clock.depth,
            "adjudicate": self.free,
            "seed": self.seed,
            "marbles": self.marbles,
            "short_end": self.short_end,
        }
