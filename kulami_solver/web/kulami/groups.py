"""Areas and chains as fields: the compiled rules count them, here they are to be seen."""

from __future__ import annotations

from typing import Final

from ...kulami.layout import Layout
from ...kulami.position import Position

__all__ = ["chains", "largest_area"]

_CHAIN: Final = 5
_WAYS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


def largest_area(position: Position, colour: str) -> tuple[str, ...]:
    """Return the fields of a colour's largest area; of several, the one that comes first.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> largest_area(Position.from_kfn("AAB/AAC rr/b1b r c2,a1"), "red")
        ('a1', 'b1')
    """
    squares = _squares(position, colour)
    left = set(squares)
    best: set[tuple[int, int]] = set()
    while left:
        area = {next(square for square in squares if square in left)}
        reached = list(area)
        while reached:
            column, row = reached.pop()
            around = {(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)}
            new = (around & left) - area
            area |= new
            reached.extend(new)
        left -= area
        best = max(best, area, key=len)
    return _names(position.layout, best)


def chains(position: Position, colour: str) -> tuple[tuple[str, ...], ...]:
    """Return the fields of each of a colour's chains, from one end to the other.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> chains(Position(Layout.square()), "red")
        ()
    """
    squares = set(_squares(position, colour))
    names = dict(zip(position.layout.squares, position.layout.fields, strict=True))
    found = []
    for column, row in sorted(squares, key=lambda square: (square[1], square[0])):
        for over, down in _WAYS:
            if (column - over, row - down) in squares:
                continue
            run = [(column, row)]
            while (step := (run[-1][0] + over, run[-1][1] + down)) in squares:
                run.append(step)
            if len(run) >= _CHAIN:
                found.append(tuple(names[square] for square in run))
    return tuple(found)


def _squares(position: Position, colour: str) -> list[tuple[int, int]]:
    mask = position.red if colour == "red" else position.black
    return [s for number, s in enumerate(position.layout.squares) if mask >> number & 1]


def _names(layout: Layout, squares: set[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(
        name
        for name, square in zip(layout.fields, layout.squares, strict=True)
        if square in squares
    )
