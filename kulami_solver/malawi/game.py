"""Malawi as one of the games of `kulami_solver.game`: its options, and what answers about it."""

from __future__ import annotations

from ..game import Descriptor, Option
from .board import MAX_BEADS, Board
from .position import Position
from .searching import Search, table_plies
from .state import SEATS
from .state import MalawiGame as MalawiGame
from .state import MalawiState as MalawiState
from .state import state_of as state_of


def make_game(board: Board | str = "6x6", beads: int = 2) -> MalawiGame:
    """Return Malawi with these options.

    Args:
        board: columns and rows, like "3x4"; beads are 2 a figure unless it is a `Board`.
        beads: on each figure at the start, 1 to 15.

    Raises:
        BoardError: if there is no such board.

    Examples:
        >>> make_game("3x4", beads=1).board
        Board(columns=3, rows=4, beads=1)
    """
    return MalawiGame(board if isinstance(board, Board) else Board.parse(board, beads))


def _read(mfn: str, beads: int = 2, **_said: object) -> MalawiState:
    """The state of an MFN. It has no number of beads at the start; nothing depends on it."""
    position = Position.from_mfn(mfn)
    return MalawiGame(Board(position.columns, position.rows, beads)).state(position)


def _open_database(path: str) -> object:
    from .probe import Database

    return Database(path)


GAME = Descriptor(
    name="malawi",
    title="Malawi",
    make=make_game,
    options=(
        Option("board", "text", "6x6", "columns x rows, like 3x4"),
        Option("beads", "number", 2, "on each figure at the start", least=1, most=MAX_BEADS),
    ),
    notation="MFN",
    seats=SEATS,
    samples=({"board": "2x3"}, {"board": "2x4"}),
    written=("board", "beads"),
    large=True,
    read=_read,
    database=_open_database,
    table_plies=lambda state: table_plies(state.position),
    search=lambda question, _sources: Search(question),
)
"""Malawi."""
