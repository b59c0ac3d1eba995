"""Which placements make a position: figures with their beads as a game can bring them about."""

from __future__ import annotations

from ..core.sides import other_side, parse_turn
from ..core.wording import so_many
from ..errors import PositionError, quoted
from .board import Board
from .geometry import members
from .notation import MAX_STACK, Placement

__all__ = ["refuse_impossible", "refuse_off_board"]


def refuse_off_board(board: Board, placement: Placement) -> None:
    """Refuse figures and beads that do not lie on the squares of a board."""
    for name, mask in (("red", placement.red), ("black", placement.black)):
        if not isinstance(mask, int):
            raise PositionError(f"{name} is {quoted(mask)}: give a mask with a bit for each figure")
    if not isinstance(placement.beads, bytes):
        raise PositionError(f"beads are {quoted(placement.beads)}: give bytes, one a square")
    occupied = placement.red | placement.black
    if occupied < 0 or occupied >> board.squares or placement.red & placement.black:
        raise PositionError("a figure is off the board, or two are on one square: count again")
    if len(placement.beads) != board.squares:
        raise PositionError(
            f"beads of {len(placement.beads)} squares on a board of {board.squares}: "
            "give a byte for each"
        )
    for square, beads in enumerate(placement.beads):
        if beads and not occupied >> square & 1:
            raise PositionError("beads lie on an empty square: put them on a figure")


def refuse_impossible(board: Board, placement: Placement) -> None:
    """Refuse figures and beads that no game can bring about."""
    refuse_off_board(board, placement)
    masks = {"red": placement.red, "black": placement.black}
    totals = {}
    for side, mask in masks.items():
        count = mask.bit_count()
        if count != board.columns:
            raise PositionError(
                f"{side} has {so_many(count, 'figure')}: each side has "
                f"{board.columns} on a board of {board}, one for each column"
            )
        totals[side] = sum(placement.beads[square] for square in members(mask))
        if totals[side] > MAX_STACK:
            raise PositionError(f"{side} has {totals[side]} beads: a side has {MAX_STACK} at most")
    turn = parse_turn(placement.turn)
    waiting = other_side(turn)
    if not totals[waiting]:
        raise PositionError(
            f"{waiting} has no bead and {turn} is to move, but the game was over before: "
            f"give the turn to {waiting}"
        )
