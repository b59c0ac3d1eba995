"""The reference's positions and turns as the package writes them."""

from __future__ import annotations

import malawi_reference as reference

SIGNS = {"move": "-", "hit": "x", "spread": ":"}


def mfn(grid: reference.Grid, turn: str) -> str:
    """The position in which the side to move, `turn` ("r" or "b"), sees `grid`."""
    rows = (
        "".join(
            "." if square == 0 else f"{'r' if square > 0 else 'b'}{abs(square) - 1}"
            for square in row
        )
        for row in (grid if turn == "r" else reference.turned(grid))
    )
    return f"{'/'.join(rows)} {turn}"


def turn_text(grid: reference.Grid, found: reference.Turn, turn: str) -> str:
    """A turn of the side that sees `grid`."""

    def name(square: reference.Square) -> str:
        column, row = square
        return f"{'abcdefghijklmnop'[column]}{row + 1 if turn == 'r' else len(grid) - row}"

    kind, figure, targets = found
    named = [name(square) for square in targets]
    named.sort(key=lambda field: (int(field[1:]), field[0]))
    return name(figure) + SIGNS[kind] + ",".join(named)
