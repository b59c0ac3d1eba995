"""A clock for a whole game: the part of the time left that a bot may use for its next move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..game import State, part
from .protocol import Clock, Solver

_MOST: Final = 0.75
"""The largest share of the time left for one move."""

_LEAST: Final = 0.001
"""Seconds that a bot gets for a move even if its time has run out."""

_USUAL: Final = 40
"""Assumed number of plies to come, for games that give none."""


def part_of(left: float, increment: float, state: State, bot: object) -> float:
    """Return the time a bot should use for a move, in the unit of `left`.

    Args:
        left: the time it has left.
        increment: the time that each further move adds.
        state: the state in which it is to move.
        bot: the bot; plies that it solves at once need no time.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> start = load_game("kulami", layout="AAB/CCB").start()
        >>> part_of(12.0, 0.0, start, None), part_of(12.0, 30.0, start, None)
        (3.0, 9.0)
    """
    plies = _plies_left(state)
    if isinstance(bot, Solver):
        plies -= bot.solved_at_once
    moves = max(1, plies // 2)  # about half of the plies to come are its own
    return min(_MOST * left, left / (moves + 1) + 0.8 * increment)


def _plies_left(state: State) -> int:
    own = part(state.game.name, "bots")
    dialect = getattr(own, "DIALECT", None)
    return _USUAL if dialect is None else int(dialect.plies_left(state.position))


def clock_of_move(clock: Clock, left: Sequence[float], state: State, bot: object) -> Clock:
    """Return the clock of a bot's next move in a game that has a clock as a whole.

    Args:
        clock: of the game.
        left: seconds that each seat has left.
        state: the state in which the bot is to move.
        bot: the bot.
    """
    seat = state.to_move
    share = part_of(left[seat], clock.increment, state, bot)
    return replace(clock, seconds=max(share, _LEAST), left=tuple(left), seat=seat)
