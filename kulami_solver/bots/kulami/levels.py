"""Kulami's bots for people, from beginner to master.

Each looks some plies ahead over the learned evaluation and errs: the less two fields differ, the
more often it takes the worse one. `docs/howto/judge-bots.md` has the levels' strengths.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import Final

from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ..builtin import chance
from ..protocol import Clock, Thought
from .builtin import AlphaBeta
from .solving import Master

_NO_CLOCK = Clock()


@dataclass(frozen=True)
class Strength:
    """How well a level plays.

    Attributes:
        depth: plies it looks ahead at most.
        error: points by which a field has to look better to be taken e times as often.
    """

    depth: int
    error: float


LEVELS: Final = (
    Strength(1, 4.0),
    Strength(1, 1.5),
    Strength(1, 0.6),
    Strength(2, 0.6),
    Strength(3, 0.45),
    Strength(5, 0.25),
    Strength(7, 0.05),
)
"""The strengths of the levels from 1 up; the last level is `Master`."""

HIGHEST: Final = len(LEVELS) + 1
USUAL: Final = 4


class Level:
    """Plays as well as people of a level do; the answer depends on position and seed alone.

    Args:
        level: 1, a beginner, to 7; level 8 is `Master`.
        seed: of its errors, as for `Random`.

    Examples:
        >>> from kulami_solver import Layout
        >>> Level(7).choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """

    def __init__(self, level: int, seed: int = 0) -> None:
        self.strength: Final = LEVELS[level - 1]
        self.seed = seed
        self.name = f"level:{level}"
        self.thought: Thought | None = None
        """The bot's opinion of its last choice."""

    def choose(
        self, position: Position, *, scoring: Scoring = Scoring.LEVEL0, clock: Clock = _NO_CLOCK
    ) -> str:
        """Return a field, the more likely the better it looks."""
        looking = AlphaBeta(self.strength.depth)
        values = looking.values(position, scoring, clock, every=True)
        assert looking.thought is not None
        draw = random.Random(chance(self.seed, scoring.value, position.kfn())).random
        # The highest of values with Gumbel noise is drawn by the softmax of the values.
        noisy = {
            field: value - self.strength.error * math.log(-math.log(draw() or 0.5))
            for field, value in values.items()
        }
        chosen = max(noisy, key=noisy.__getitem__)
        self.thought = replace(looking.thought, line=(chosen,), score=values[chosen])
        return chosen


def of_level(level: int, seed: int = 0) -> Level | Master:
    """Return the bot of a level.

    Args:
        level: 1, a beginner, to 8, `Master`.
        seed: of its errors.

    Examples:
        >>> of_level(3).name, of_level(8).name
        ('level:3', 'master')
    """
    return Master() if level == HIGHEST else Level(level, seed)
