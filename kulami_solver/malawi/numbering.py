"""How the positions of a board are numbered: its index, where a browser has it, too."""

from __future__ import annotations

from ..errors import BudgetError
from .board import Board, checked_board
from .index import MOST_SLOTS, Index, count_parts
from .position import Position


def slots_of(board: Board) -> int:
    """How many slots the index of a board would have.

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
    """The slot of the position a game begins with."""
    return index.slot(*Position.start(board).view)
