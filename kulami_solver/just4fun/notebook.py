"""What is known of a position, as a notebook shows it: the picture, and tables beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..drawing.notebook import beside, table

if TYPE_CHECKING:
    from .moves import Move
    from .position import Position


def shown_beside(
    position: Position,
    value: str,
    best: Move | None,
    moves: Iterable[tuple[Move, str]],
    line: Iterable[Move] = (),
) -> str:
    """Return a position as HTML with its value.

    Args:
        position: the position.
        value: what it is worth, in words.
        best: a move that keeps that, None if none is known.
        moves: legal moves, each with what it is worth; none if they were not asked for.
        line: best play from here.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> position = Position.from_jfn("1x3 - r1b1 r r1.2,b2 - -", line=2, hand=2)
        >>> shown_beside(position, "red wins", position.legal_moves[-1], []).count("<tr>")
        2
    """
    rows = [("value", value)]
    if best is not None:
        rows.append(("best", str(best)))
    played = " ".join(map(str, line))
    if played:
        rows.append(("line", played))
    found = [(str(move), worth) for move, worth in moves]
    tables = [table(rows)]
    if found:
        tables.append(table(found, ("move", "value")))
    return beside(position.svg(), tables)
