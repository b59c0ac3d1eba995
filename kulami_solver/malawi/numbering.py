"""The numbering of a board's positions: its index, also available in a browser."""

from __future__ import annotations

from ..errors import BudgetError
from .board import Board, checked_board
from .index import MOST_SLOTS, Index, count_parts
from .position import Position


def slots_of(board: Board) -> int:
    """The number of slots of a board's index.

    Raises:
        BoardError: if it is not a board.
        BudgetError: if there are too many.
    """
    board = checked_board(board)
    slots = sum(size for _, _, size in count_parts(board.columns, board.rows, board.beads))
    if slots > MOST_SLOTS:
        raise BudgetError(
            "too_many_to_number", board=board, beads=board.beads, slots=slots, most=MOST_SLOTS
        )
    return slots


def index_of(board: Board) -> Index:
    """The index of a board.

    Raises:
        BudgetError: if it has too many positions, figures or beads for one.
    """
    slots_of(board)
    try:
        return Index(board.columns, board.rows, board.beads)
    except ValueError as error:
        raise BudgetError("no_index_of_board", board=board, why=str(error)) from None


def start_of(board: Board, index: Index) -> int:
    """The slot of the start position."""
    return index.slot(*Position.start(board).view)
