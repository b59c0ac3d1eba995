"""A clock for a whole game: what a bot may take for its next move of the time it has left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ..game import State, part
from .protocol import Clock, Solver

_MOST: Final = 0.75
"""Of what is left, for one move."""

_LEAST: Final = 0.001
"""Seconds that a bot is given, however late it is."""

_USUAL: Final = 40
"""Plies that are to come in games that do not say so."""


def part_of(left: float, increment: float, state: State, bot: object) -> float:
    """Return what a bot should take for a move, in the unit of time that it has left.

    Args:
        left: the time it has left.
        increment: what each further move adds to it.
        state: where it is to move.
        bot: the bot; what it solves at once takes no time any more.

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
        state: whose seat to move the bot has.
        bot: the bot.
    """
    seat = state.to_move
    share = part_of(left[seat], clock.increment, state, bot)
    return replace(clock, seconds=max(share, _LEAST), left=tuple(left), seat=seat)
