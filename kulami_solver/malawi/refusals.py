"""Why a turn is not legal, in words that name the figure, the rule and the squares."""

from __future__ import annotations

from ..core.sides import other_side
from ..core.wording import so_many
from ..errors import BoardError
from .geometry import BoardGeometry
from .turns import Turn

__all__ = ["why_not"]


def why_not(geometry: BoardGeometry, own: str, view: tuple[int, int, bytes], turn: Turn) -> str:
    """Return why a turn is not legal, in a position that is not over.

    Args:
        geometry: of the board.
        own: the side to move.
        view: the position, as it sees it.
        turn: one that is not legal.
    """
    figures, theirs, carried = view
    other, columns = other_side(own), geometry.board.columns
    try:
        _, square, to = geometry.packed(turn, int(own == "black"))
    except BoardError as error:
        return str(error)
    figure, target = turn.figure, turn.targets[0]
    beads = carried[square]
    if theirs >> square & 1:
        return f"the figure on {figure} is {other}'s"
    if not figures >> square & 1:
        return f"there is no figure on {figure}"
    if not beads:
        return f"the figure on {figure} has no bead, so it cannot act"
    carries = f"the figure on {figure} has {so_many(beads, 'bead')}"
    if turn.kind == "redistribution":
        if to & (~figures | 1 << square):
            return f"beads go to other figures of {own}'s only"
        return f"{carries}, so name {so_many(min(beads, columns - 1), 'receiver')}"
    goal = to.bit_length() - 1
    if turn.kind == "move" and (figures | theirs) & to:
        return f"{target} is not empty"
    if turn.kind == "hit" and not theirs & to:
        return f"there is no figure of {other}'s on {target}"
    if turn.kind == "hit" and not carried[goal]:
        return f"the figure on {target} has no bead to take"
    (row, column), (to_row, to_column) = (divmod(at, columns) for at in (square, goal))
    if row != to_row and column != to_column:
        return f"{target} is not in the row or column of {figure}"
    away = abs(row - to_row) + abs(column - to_column)
    if away != beads:
        does = "goes" if turn.kind == "move" else "hits at"
        return f"{carries}, so it {does} exactly {beads}, and {target} is {away} away"
    return f"a figure stands between {figure} and {target}"
