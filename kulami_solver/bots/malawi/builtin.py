"""Malawi's built-in bots: random, greedy and perfect.

As in Kulami the answer depends on the position, the clock and the seed alone; only a limit in
seconds lets chance in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...malawi import Position, Solution, Turn, search
from ..builtin import draw
from ..protocol import Clock

__all__ = ["Greedy", "Perfect", "Random"]

_NO_CLOCK = Clock()
_USUAL: Final = 20_000  # positions a search looks at where the clock has no limit


class Random:
    """Plays any legal turn.

    Args:
        seed: the same seed plays the same turn in a position.

    Examples:
        >>> from kulami_solver.malawi import Board
        >>> start = Position.start(Board(3, 4))
        >>> Random(1).choose(start) == Random(1).choose(start)
        True
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, position: Position) -> str:
        """Return any legal turn."""
        return str(draw(self.seed, position.mfn()).choice(position.turns))


class Greedy(Random):
    """Plays the turn after which its lead in beads is largest; between equal turns as `Random`.

    Examples:
        >>> from kulami_solver.malawi import Board
        >>> Greedy().choose(Position.start(Board(2, 3)))[:3] in ("a3x", "b3x")
        True
    """

    name = "greedy"

    def choose(self, position: Position) -> str:
        """Return the legal turn that wins most beads at once."""
        chance = draw(self.seed, position.mfn())
        worth = {turn: (_beads_ahead(position, turn), chance.random()) for turn in position.turns}
        return str(max(worth, key=worth.__getitem__))


class Perfect:
    """Plays perfectly as far as it knows values: from a database, or by a search for a forced end.

    It never gives away a win it knows of and never walks into a loss it sees; between equally good
    turns it plays one with the largest lead in beads.

    Args:
        source: gives every turn of a position its value, None if it has none.
        nodes: positions to search if the clock has no limit.
        seed: of the choice between equal turns.

    Examples:
        >>> from kulami_solver.malawi import Board
        >>> Perfect().choose(Position.start(Board(2, 3)).play("a3:b3"))
        'b1xb3'
    """

    name = "perfect"

    def __init__(
        self,
        source: Callable[[Position], Solution | None] | None = None,
        nodes: int = _USUAL,
        seed: int = 0,
    ) -> None:
        self.source = source
        self.nodes = nodes
        self.seed = seed

    def choose(self, position: Position, *, clock: Clock = _NO_CLOCK) -> str:
        """Return the best turn found in the time."""
        solution = None if self.source is None else self.source(position)
        if solution is None:
            solution = search(
                position,
                depth=clock.depth,
                time=clock.seconds,
                nodes=clock.nodes if clock.limited else self.nodes,
                stop=clock.stop,
                every_move=True,
            )
        turns = solution.turns
        best = [found.turn for found in turns if found.value.rank == turns[0].value.rank]
        ahead = [_beads_ahead(position, turn) for turn in best]
        equal = [turn for turn, beads in zip(best, ahead, strict=True) if beads == max(ahead)]
        return str(draw(self.seed, position.mfn()).choice(equal))


def _beads_ahead(position: Position, turn: Turn) -> int:
    beads = position.play(turn).beads
    ahead = beads["red"] - beads["black"]
    return ahead if position.turn == "red" else -ahead
