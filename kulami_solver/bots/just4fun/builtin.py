"""Just 4 Fun's built-in bots: greedy, advised and perfect.

As in the other games the answer depends on the position, the clock and the seed alone; only a limit
in seconds lets chance in. All but `Perfect` need only what a player sees.
"""

from __future__ import annotations

from typing import Final

from ...just4fun import Position, solve
from ...just4fun.advising import advise
from ...just4fun.playouts import greedy_move
from ..builtin import draw
from ..protocol import Clock

_NO_CLOCK = Clock()
_USUAL_DEALS: Final = 12  # deals to look at if the clock has no limit


class Greedy:
    """Plays the move that wins most points at once: for itself, from others, or by a line.

    Args:
        seed: of the choice between equal moves.

    Examples:
        >>> Greedy().choose(Position.from_jfn("3x3 5:b1 r2b1 r r1.4,b2.3 - -"))
        '5=1+4'
    """

    name = "greedy"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, position: Position) -> str:
        """Return the legal move that changes most at once."""
        return str(greedy_move(position, draw(self.seed, position.jfn())))


class Advised:
    """Plays the move with the best estimate of `just4fun.advise`, from deals of the hidden cards.

    Args:
        seed: of the deals.
        deals: how many, if the clock has no limit.

    Examples:
        >>> text = "1x3 2:b1 r1b1 r r1.3,b? {1.2.2.3} -"
        >>> Advised().choose(Position.from_jfn(text, hand=2))
        '3=3'
    """

    name = "advised"

    def __init__(self, seed: int = 0, deals: int = _USUAL_DEALS) -> None:
        self.seed = seed
        self.deals = deals

    def choose(self, position: Position, *, clock: Clock = _NO_CLOCK) -> str:
        """Return the move with the best estimate. The clock's nodes are deals."""
        found = advise(
            position,
            deals=clock.nodes or (None if clock.seconds is not None else self.deals),
            time=clock.seconds,
            seed=draw(self.seed, position.jfn()).getrandbits(48),
            stop=clock.stop,
        )
        return str(found.best)


class Perfect(Greedy):
    """Plays perfectly double-dummy: it must see all hands and the order of the stock.

    If a budget ends its search, it plays the best move it knows of, or else as `Greedy`.

    Args:
        seed: of the choice if no value is known.

    Attributes:
        memory: of the search's table, as for `solve`.

    Examples:
        >>> text = "3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -"
        >>> Perfect().choose(Position.from_jfn(text, line=3, hand=2))
        '3=1+2'
    """

    name = "perfect"
    memory: str | None = None

    def choose(self, position: Position, *, clock: Clock = _NO_CLOCK) -> str:
        """Return the best move found in the time."""
        seconds, nodes = clock.seconds, clock.nodes
        found = solve(position, time=seconds, nodes=nodes, stop=clock.stop, memory=self.memory)
        return super().choose(position) if found.best is None else str(found.best)
