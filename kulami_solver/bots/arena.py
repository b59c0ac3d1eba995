"""One game between two bots, refereed.

The arena knows the rules: it gives each bot the position, and a bot that answers with no legal
field, too late, or not at all has lost by forfeit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..core.sides import other_side
from ..kulami.layout import Layout
from ..kulami.position import MARBLES, Position
from ..kulami.scoring import Scoring
from ..kulami.solve import solve
from .engine import GRACE
from .overheard import failure_lines
from .protocol import BotError, BotTimedOut, Clock, Player

__all__ = ["Game", "Opening", "draw_opening", "play_game"]

COLOURS: Final = ("red", "black")


@dataclass(frozen=True)
class Opening:
    """An empty board and the marbles that are placed on it before the bots take over."""

    start: Position
    moves: tuple[str, ...] = ()


@dataclass(frozen=True)
class Game:
    """A game that was played.

    Attributes:
        start: the empty board.
        scoring: what counts.
        moves: all marbles, from the first.
        players: the bots' names by colour.
        opening: how many of the marbles the opening placed.
        seconds: the time each colour took in all.
        forfeit: the colour that lost by forfeit, None for a game that was played to its end.
        fault: "illegal", "timeout" or "crash" then; `message` says what happened, and `details`
            where, as far as that is known: a traceback, or a program's last lines.
        adjudicated: the ply from which best play was added, None if the bots played on.
    """

    start: Position
    scoring: Scoring
    moves: tuple[str, ...]
    players: Mapping[str, str]
    opening: int = 0
    seconds: Mapping[str, float] | None = None
    forfeit: str | None = None
    fault: str | None = None
    message: str = ""
    adjudicated: int | None = None
    details: tuple[str, ...] = ()

    @property
    def margin(self) -> int:
        """Red's score minus black's, as it stands after the last marble."""
        return self.start.play_all(self.moves).score(self.scoring).margin

    @property
    def winner(self) -> str | None:
        """The colour that has won, None for a draw."""
        if self.forfeit is not None:
            return other_side(self.forfeit)
        margin = self.margin
        return "red" if margin > 0 else "black" if margin < 0 else None

    def record(self) -> dict[str, Any]:
        """Return the game as a record that `kulami replay` reads."""
        score = self.start.play_all(self.moves).score(self.scoring)
        level = self.scoring.value
        record: dict[str, Any] = {
            "board": list(self.start.layout.rows),
            "level": int(level) if level.isdigit() else level,
            "first": self.start.turn,
            "moves": list(self.moves),
            "score": {"red": score.red, "black": score.black},
        }
        if self.start.marbles != MARBLES:
            record["marbles"] = self.start.marbles
        if self.start.short_end:
            record["short_end"] = True
        record |= {"red": self.players["red"], "black": self.players["black"]}
        record["opening"] = self.opening
        if self.seconds is not None:
            record["seconds"] = {c: round(self.seconds[c], 3) for c in COLOURS}
        if self.adjudicated is not None:
            record["adjudicated"] = self.adjudicated
        if self.forfeit is not None:
            record |= {"forfeit": self.forfeit, "fault": self.fault, "message": self.message}
            record["details"] = list(self.details)
        return record


def play_game(
    red: Player,
    black: Player,
    opening: Opening,
    scoring: Scoring = Scoring.LEVEL0,
    clock: Clock | None = None,
    adjudicate: int = 0,
    watch: Callable[[Position], None] | None = None,
) -> Game:
    """Play one game.

    Args:
        red, black: the bots.
        opening: where they begin.
        scoring: what counts.
        clock: how long each may think about each move.
        adjudicate: once so few fields are free the game is solved, and best play added; 0: never.
        watch: called with each position the bots have reached.

    Examples:
        >>> from kulami_solver.bots import Greedy
        >>> greedy = Player(Greedy())
        >>> game = play_game(greedy, greedy, Opening(Position(Layout.parse("AABC/AABC"))))
        >>> len(game.moves) > 2, game.forfeit
        (True, None)
    """
    clock = clock or Clock()
    position = opening.start.play_all(opening.moves)
    moves = list(opening.moves)
    sides = {"red": red, "black": black}
    seconds = {"red": 0.0, "black": 0.0}
    forfeit = fault = adjudicated = None
    message = ""
    details: tuple[str, ...] = ()
    try:
        for colour in COLOURS:
            # In case new_game is what fails.
            forfeit = colour
            sides[colour].new_game()
        forfeit = None
        while not position.is_over:
            if position.free_count <= adjudicate:
                adjudicated = len(moves)
                moves += solve(position, scoring).line
                break
            forfeit = position.turn
            field, took = sides[forfeit].timed(position, scoring, clock)
            seconds[forfeit] += took
            if clock.seconds is not None and took > clock.seconds + GRACE:
                raise BotTimedOut(
                    f"{sides[forfeit].name}: {took:.2f} s for a move of {clock.seconds:g} s"
                )
            forfeit = None
            position = position.play(field)
            moves.append(field)
            if watch is not None:
                watch(position)
    except BotError as error:
        fault = "crash" if error.kind == "unusable" else error.kind
        message = str(error)
        if forfeit is not None:
            details = failure_lines(sides[forfeit], error)
    return Game(
        start=opening.start,
        scoring=scoring,
        moves=tuple(moves),
        players={"red": red.name, "black": black.name},
        opening=len(opening.moves),
        seconds=seconds,
        forfeit=forfeit,
        fault=fault,
        message=message,
        adjudicated=adjudicated,
        details=details,
    )


def draw_opening(
    seed: int,
    layout: Layout | str = "random",
    plies: int = 6,
    marbles: int = MARBLES,
    short_end: bool = False,
) -> Opening:
    """Return an opening, the same for a seed on every machine.

    Args:
        seed: 0 or more.
        layout: the layout, or "random": square for even seeds and irregular for odd ones.
        plies: marbles placed at random; fewer if the game would be over.
        marbles, short_end: as for `Position`.

    Examples:
        >>> opening = draw_opening(7)
        >>> len(opening.moves), opening == draw_opening(7)
        (6, True)
    """
    draw = random.Random(seed).random
    if isinstance(layout, str):
        layout = Layout.random(seed, irregular=seed % 2 == 1)
    start = Position(layout, COLOURS[int(draw() * 2)], marbles, short_end)
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
    return Opening(start, tuple(moves))
