"""Why a turn is not legal, in words that name the figure, the rule and the squares."""

from __future__ import annotations

from ..core.notation import other_side
from ..errors import BoardError, IllegalMoveError
from .geometry import BoardGeometry
from .turns import Turn


def refusal(
    geometry: BoardGeometry, own: str, view: tuple[int, int, bytes], turn: Turn
) -> IllegalMoveError:
    """Return the error that says why a turn is not legal, in a position that is not over."""
    figures, theirs, carried = view
    other, columns = other_side(own), geometry.board.columns
    try:
        _, square, to = geometry.packed(turn, int(own == "black"))
    except BoardError as error:
        return IllegalMoveError(error).at("cannot_play", side=own, move=str(turn))
    figure, target = turn.figure, turn.targets[0]
    beads = carried[square]
    asked = {"side": own, "move": str(turn)}
    if theirs >> square & 1:
        return IllegalMoveError("others_figure", **asked, figure=figure, other=other)
    if not figures >> square & 1:
        return IllegalMoveError("no_figure", **asked, figure=figure)
    if not beads:
        return IllegalMoveError("no_bead", **asked, figure=figure)
    if turn.kind == "redistribution":
        if to & (~figures | 1 << square):
            return IllegalMoveError("own_receive", **asked)
        count = min(beads, columns - 1)
        return IllegalMoveError("receivers", **asked, figure=figure, beads=beads, count=count)
    goal = to.bit_length() - 1
    if turn.kind == "move" and (figures | theirs) & to:
        return IllegalMoveError("not_empty", **asked, target=target)
    if turn.kind == "hit" and not theirs & to:
        return IllegalMoveError("none_to_hit", **asked, other=other, target=target)
    if turn.kind == "hit" and not carried[goal]:
        return IllegalMoveError("no_bead_to_take", **asked, target=target)
    (row, column), (to_row, to_column) = (divmod(at, columns) for at in (square, goal))
    if row != to_row and column != to_column:
        return IllegalMoveError("not_in_row", **asked, target=target, figure=figure)
    away = abs(row - to_row) + abs(column - to_column)
    if away != beads:
        code = "goes_exactly" if turn.kind == "move" else "hits_exactly"
        return IllegalMoveError(code, **asked, figure=figure, beads=beads, target=target, away=away)
    return IllegalMoveError("in_between", **asked, figure=figure, target=target)
