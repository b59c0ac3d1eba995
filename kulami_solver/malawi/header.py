"""The numbering of a board's positions, the header of a database, and the check of its claims.

The schema has the keys and their types. The numbering of slots and their layers follow from the
board and are compared; the counts must fit together. Only `verify` reads the contents of all
sections.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, TypeAlias

import msgspec

from ..errors import BudgetError, KulamiError, quoted
from ..storage.container import Count, DatabaseError, check_claims
from ..storage.container import Header as AnyHeader
from ..storage.container import Section as AnySection
from ..storage.dense import BLOCK
from .board import Board, checked_board
from .index import MOST_SLOTS, Index, count_parts
from .position import Position
from .values import DECIDED, LOSS, PLIES, figures_of, outcome_of, plies_of

_Value: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 16)]
_Small: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 15)]


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
            f"a board of {board} with {board.beads} beads a figure has {slots:,} positions to "
            f"number: at most {MOST_SLOTS:,} will do"
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
        raise BudgetError(f"a board of {board}: {error}") from None


def start_of(board: Board, index: Index) -> int:
    """The slot of the start position."""
    return index.slot(*Position.start(board).view)


class Layer(AnySection, frozen=True, tag="dense"):
    """A section: the slots of a layer that are in the file."""

    layer: Count
    begin: Count
    slots: Count
    reached: Annotated[int, msgspec.Meta(gt=0, le=(1 << 32) - 1)]
    values: Annotated[tuple[_Value, ...], msgspec.Meta(min_length=1, max_length=1 << 16)]


class Header(AnyHeader, frozen=True, tag="malawi"):
    """The header; `docs/file-format.md` explains the keys."""

    sections: tuple[Layer, ...]
    columns: _Small
    rows: _Small
    beads: _Small
    outcome: Literal["win", "draw", "loss"]
    plies: Annotated[int, msgspec.Meta(ge=0, lt=PLIES)] | None
    positions: Count
    wins: Count
    draws: Count
    losses: Count
    longest: Count
    slots: Count
    parts: Annotated[tuple[tuple[Count, Count, Count], ...], msgspec.Meta(max_length=1 << 16)]
    values: Annotated[
        tuple[tuple[_Value, Count], ...], msgspec.Meta(min_length=1, max_length=1 << 16)
    ]


def index_by(name: str, header: Header) -> tuple[Board, Index]:
    """The board of a database and its index, after a check that the header fits them.

    Raises:
        DatabaseError: if the header makes impossible claims.
    """
    try:
        board = Board(header.columns, header.rows, header.beads)
        index = index_of(board)
    except KulamiError as error:
        raise DatabaseError(
            f"{name}: not understood ({quoted(str(error))}); build it again"
        ) from None
    check_claims(name, _claims(header, board, index))
    return board, index


def _claims(header: Header, board: Board, index: Index) -> Iterator[tuple[str, bool]]:
    """The claims of a header: for each its name, and whether it is true."""
    yield "slots", header.slots == index.slots
    yield "parts", header.parts == index.parts
    numbers = [number for number, _ in header.values]
    yield "values", numbers == sorted(set(numbers)) and all(map(_is_value, numbers))
    yield "values", all(count for _, count in header.values)
    for name, figure in figures_of(header.values).items():
        yield name, getattr(header, name) == figure
    start_value = (header.outcome, header.plies)
    yield "outcome", any((outcome_of(n), plies_of(n)) == start_value for n in numbers)
    # Of sections: their order, and their slots.
    before, reached, occurring = -1, 0, set[int]()
    start, has_start = start_of(board, index), False
    for section in header.sections:
        where = f"layer {section.layer}"
        yield where, before < section.layer < len(index.bounds) - 1
        before = section.layer
        begin, end = index.bounds[section.layer : section.layer + 2]
        yield where, (section.begin, section.begin + section.slots) == (begin, end)
        blocks = -(-section.slots // BLOCK)
        yield where, section.bytes >= 8 * (blocks + 1) and section.reached <= section.slots
        yield where, len(section.values) <= section.reached
        yield where, all(a < b for a, b in zip(section.values, section.values[1:], strict=False))
        reached += section.reached
        occurring.update(section.values)
        has_start |= begin <= start < end
    yield "sections", has_start
    yield "values", occurring == {number for number, _ in header.values}
    # A slot stands for one position, or for one and its mirror image.
    yield "positions", reached <= header.positions <= 2 * reached


def _is_value(number: int) -> bool:
    """Whether a number is a possible value, see `core/dense.pxd`."""
    if not number & DECIDED:
        return number == 0
    return number & ~(DECIDED | LOSS) < PLIES
