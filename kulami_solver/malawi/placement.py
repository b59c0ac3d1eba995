"""Checks that a placement is a position: figures with beads that can come up in a game."""

from __future__ import annotations

from ..core.notation import other_side, parse_turn
from ..errors import PositionError
from .board import Board
from .geometry import members
from .notation import MAX_STACK, Placement


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
