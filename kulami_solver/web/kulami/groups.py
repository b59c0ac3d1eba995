"""The fields of areas and chains, for the page; the compiled rules only count them."""

from __future__ import annotations

from typing import Final

from ...kulami.position.position import Position

_CHAIN: Final = 5
_BESIDE: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))
_WAYS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


def largest_area(position: Position, colour: str) -> tuple[str, ...]:
    """Return the fields of a colour's largest area; of equal areas, the first.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> largest_area(Position.from_kfn("AAB/AAC rr/b1b r c2,a1"), "red")
        ('a1', 'b1')
    """
    squares = _squares(position, colour)
    best: list[str] = []
    while squares:
        reached = [next(iter(squares))]
        area = [squares.pop(reached[0])]
        while reached:
            column, row = reached.pop()
            for over, down in _BESIDE:
                beside = column + over, row + down
                if beside in squares:
                    area.append(squares.pop(beside))
                    reached.append(beside)
        best = max(best, area, key=len)
    return tuple(sorted(best, key=position.layout.index))


def chains(position: Position, colour: str) -> tuple[tuple[str, ...], ...]:
    """Return the fields of each of a colour's chains, from one end to the other.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> chains(Position(Layout.square()), "red")
        ()
    """
    squares = _squares(position, colour)
    found = []
    for column, row in squares:
        for over, down in _WAYS:
            if (column - over, row - down) in squares:
                continue
            run = [(column, row)]
            while (step := (run[-1][0] + over, run[-1][1] + down)) in squares:
                run.append(step)
            if len(run) >= _CHAIN:
                found.append(tuple(squares[square] for square in run))
    return tuple(found)


def _squares(position: Position, colour: str) -> dict[tuple[int, int], str]:
    """Return the column and row of each field with a marble of a colour, row by row."""
    mask = position.red if colour == "red" else position.black
    named = zip(position.layout.squares, position.layout.fields, strict=True)
    return {square: name for number, (square, name) in enumerate(named) if mask >> number & 1}
