"""One board's compiled rules, and the names of its squares in either side's view.

The compiled rules see every position from the side to move, whose home row is the lowest. Names
are red's view: for black the rows are counted from the other end.

    red's view, and the names        black's view
    a1 b1                            a3 b3
    a2 b2                            a2 b2
    a3 b3    red's home row          a1 b1    black's home row
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from .board import Board
from .rules import Rules
from .turns import Kind, Turn

_KINDS: Final[tuple[Kind, ...]] = ("move", "hit", "redistribution")  # by the rules' numbers


class BoardGeometry:
    """Squares and compiled rules of a board; `geometry_of` keeps one for each size."""

    def __init__(self, columns: int, rows: int) -> None:
        self.board: Final = Board(columns, rows)
        self.rules: Final = Rules(columns, rows)
        red = self.board.fields
        upside_down = [red[row * columns : (row + 1) * columns] for row in reversed(range(rows))]
        black = tuple(field for row in upside_down for field in row)
        self.names: Final = (red, black)  # by side, 0 red
        self._numbers = tuple({name: i for i, name in enumerate(names)} for names in self.names)

    def turn(self, packed: tuple[int, int, int], side: int) -> Turn:
        """Return a turn of the compiled rules as a `Turn`, with `side` (0 red, 1 black) to move."""
        kind, square, to = packed
        names = self.names[side]
        targets = [names[target] for target in members(to)]
        if side and len(targets) > 1:
            targets.sort(key=self._numbers[0].__getitem__)
        return Turn(_KINDS[kind], names[square], tuple(targets))

    def packed(self, turn: Turn, side: int) -> tuple[int, int, int]:
        """Return a turn in the form of the compiled rules.

        Raises:
            BoardError: if it names a square the board does not have.
        """
        for name in (turn.figure, *turn.targets):
            self.board.number(name)
        numbers = self._numbers[side]
        return (
            _KINDS.index(turn.kind),
            numbers[turn.figure],
            sum(1 << numbers[name] for name in turn.targets),
        )


def members(squares: int) -> Iterator[int]:
    """Yield the numbers in a set of squares, lowest first.

    Examples:
        >>> list(members(0b1010))
        [1, 3]
    """
    while squares:
        yield (squares & -squares).bit_length() - 1
        squares &= squares - 1


@lru_cache(maxsize=64)
def geometry_of(columns: int, rows: int) -> BoardGeometry:
    """Return the geometry of boards with these columns and rows.

    Raises:
        BoardError: if there is no such board.
    """
    return BoardGeometry(columns, rows)
