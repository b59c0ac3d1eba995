"""Why a placement is no position, and why a turn is not legal."""

from __future__ import annotations

from ..core.notation import other_side, parse_turn
from ..errors import BoardError, IllegalMoveError, PositionError
from .board import Board, BoardGeometry, members
from .notation import MAX_STACK, Placement
from .turns import Turn


def refuse_off_board(board: Board, placement: Placement) -> None:
    """Refuse figures and beads that do not lie on the squares of a board."""
    for name, mask in (("red", placement.red), ("black", placement.black)):
        if not isinstance(mask, int):
            raise PositionError("figures_no_mask", name=name, given=mask)
    if not isinstance(placement.beads, bytes):
        raise PositionError("beads_no_bytes", given=placement.beads)
    occupied = placement.red | placement.black
    if occupied < 0 or occupied >> board.squares or placement.red & placement.black:
        raise PositionError("figures_off_board")
    if len(placement.beads) != board.squares:
        raise PositionError("beads_of_squares", count=len(placement.beads), squares=board.squares)
    for square, beads in enumerate(placement.beads):
        if beads and not occupied >> square & 1:
            raise PositionError("beads_on_empty")


def refuse_impossible(board: Board, placement: Placement) -> None:
    """Refuse figures and beads that cannot come up in any game."""
    refuse_off_board(board, placement)
    masks = {"red": placement.red, "black": placement.black}
    totals = {}
    for side, mask in masks.items():
        count = mask.bit_count()
        if count != board.columns:
            raise PositionError(
                "figures_of_side", side=side, count=count, columns=board.columns, board=board
            )
        totals[side] = sum(placement.beads[square] for square in members(mask))
        if totals[side] > MAX_STACK:
            raise PositionError("beads_of_side", side=side, count=totals[side], most=MAX_STACK)
    turn = parse_turn(placement.turn)
    waiting = other_side(turn)
    if not totals[waiting]:
        raise PositionError("over_before", other=waiting, side=turn)


def refusal(
    geometry: BoardGeometry, own: str, view: tuple[int, int, bytes], turn: Turn
) -> IllegalMoveError:
    """Return the error that says why a turn is not legal, in a position that is not over.

    It names the figure, the rule and the squares.
    """
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
