"""Malawi's built-in bots: greedy and perfect.

As in Kulami the answer depends on the position, the clock and the seed alone; only a limit in
seconds lets chance in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...game import Answer, Question, Source
from ...malawi import Position, Turn, search
from ...malawi.game import state_of
from ...malawi.values import value_in
from ..builtin import draw
from ..protocol import Clock

_NO_CLOCK = Clock()
_USUAL: Final = 20_000  # positions a search looks at where the clock has no limit


class Greedy:
    """Plays the turn after which its lead in beads is largest.

    Args:
        seed: of the choice between equal turns.

    Examples:
        >>> from kulami_solver.malawi import Board
        >>> Greedy().choose(Position.start(Board(2, 3)))[:3] in ("a3x", "b3x")
        True
    """

    name = "greedy"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

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
        sources: asked before anything is searched, in this order.
        seed: of the choice between equal turns.

    Attributes:
        memory: of the search's table, as for `search`.

    Examples:
        >>> from kulami_solver.malawi import Board
        >>> Perfect().choose(Position.start(Board(2, 3)).play("a3:b3"))
        'b1xb3'
    """

    name = "perfect"
    memory: str | None = None

    def __init__(self, sources: Sequence[Source] = (), seed: int = 0) -> None:
        self.sources = sources
        self.seed = seed

    def choose(self, position: Position, *, clock: Clock = _NO_CLOCK) -> str:
        """Return the best turn found in the time."""
        question = Question(state_of(position), every_move=True)
        known = (source.answer(question) for source in self.sources)
        solution: Answer | None = next((found for found in known if found is not None), None)
        if solution is None:
            solution = search(
                position,
                memory=self.memory,
                depth=clock.depth,
                time=clock.seconds,
                nodes=clock.nodes if clock.limited else _USUAL,
                stop=clock.stop,
                every_move=True,
            )
        turns = solution.moves
        best = [found.move for found in turns if value_in(found) == value_in(turns[0])]
        ahead = [_beads_ahead(position, turn) for turn in best]
        equal = [turn for turn, beads in zip(best, ahead, strict=True) if beads == max(ahead)]
        return str(draw(self.seed, position.mfn()).choice(equal))


def _beads_ahead(position: Position, turn: Turn) -> int:
    beads = position.play(turn).beads
    ahead = beads["red"] - beads["black"]
    return ahead if position.turn == "red" else -ahead
