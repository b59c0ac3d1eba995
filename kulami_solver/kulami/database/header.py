"""The headers of databases of Kulami, with keys and without, and checks that they can be true.

The schema has the keys and their types. Values that follow from the root alone (fields, contexts,
digits, panels) are worked out again and compared: positions are found by these, so with wrong ones
the file would give the margins of other positions. Only reading all sections shows what they hold;
`verify` does that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import msgspec
import numpy as np

from ...core.records import alphabets
from ...errors import KulamiError, quoted
from ...storage.container import (
    KEYLESS,
    Count,
    DatabaseError,
    check_claims,
    padded,
    padded_size,
)
from ...storage.container import Header as AnyHeader
from ...storage.container import Section as AnySection
from ..position.position import Position
from ..position.scoring import Scoring
from .shape import Shape

WIDEST: Final = 511
"""Values lie within this, whatever the layout: 64 for panels, 64 for areas, 4 * 64 for chains."""

MOST_EVERY: Final = 4
MOST_UNTIL: Final = 12
MOST_FINGERPRINT: Final = 16

COMPACT_GAME: Final = "kulami" + KEYLESS
"""The name of the game in the header of a database without keys."""

WIDEST_SYMBOL: Final = 2 * WIDEST
"""Coded values of a database without keys lie within this: each is a difference of two margins."""

_BLOCK: Final = 64  # records, see records.pxd
_PADDING: Final = 16  # bytes after the bits
_CHUNK: Final = 2048  # keys, on average, see static_function.pxd
_CELL_BYTES: Final = 4
_SOME: Final = msgspec.Meta(max_length=64)  # one for each field at most
_Records: TypeAlias = Annotated[int, msgspec.Meta(gt=0, le=(1 << 63) - 1)]
_Every: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MOST_EVERY)]
_Until: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MOST_UNTIL)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=-(1 << 15), lt=1 << 15)]


class PlyCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The header's entry for a ply."""

    positions: _Records
    moves: Count
    ended: Count
    lowest: Annotated[int, msgspec.Meta(ge=-WIDEST, le=WIDEST)]
    values: Annotated[tuple[Count, ...], msgspec.Meta(min_length=1, max_length=2 * WIDEST + 1)]


class Contexts(AnySection, frozen=True, tag="contexts"):
    """The section that lists the contexts."""


class Codes(AnySection, frozen=True, tag="codes"):
    """A section with the codes of a ply."""

    ply: Count


class RecordSection(AnySection, frozen=True, tag="records"):
    """A section with records of a ply."""

    ply: Count
    records: _Records
    first: tuple[int, int]


class Weights(AnySection, frozen=True, tag="weights"):
    """The section with the weights of the predictor."""


class ContextCodes(AnySection, frozen=True, tag="codebook"):
    """The section with the codes of all contexts."""

    contexts: Annotated[int, msgspec.Meta(gt=0, le=1 << 25)]


class FunctionSection(AnySection, frozen=True, tag="function"):
    """A section with a static function: records of a ply from a frame on."""

    ply: Count
    records: Annotated[int, msgspec.Meta(gt=0, le=(1 << 40) - 1)]
    first: int
    salt: Annotated[int, msgspec.Meta(ge=0, le=255)]


class Contents(AnyHeader, frozen=True):
    """The keys in the headers of all databases of Kulami; `docs/file-format.md` explains them."""

    layout: str
    root: str
    marbles: _Number
    short_end: bool
    scoring: str
    value: _Number
    positions: Count
    plies: Annotated[tuple[PlyCounts, ...], msgspec.Meta(min_length=1, max_length=64)]
    fields: Annotated[tuple[int, ...], _SOME]
    context_bits: int
    contexts: Count
    digits: Annotated[tuple[tuple[int, int, int], ...], _SOME]
    panels: Annotated[tuple[tuple[int, int, int], ...], _SOME]


class Header(Contents, frozen=True, tag="kulami"):
    """The header of a database with keys; one that keeps every ply lacks `every` and `until`."""

    sections: tuple[Contexts | Codes | RecordSection, ...]
    shard: Count
    every: _Every = 1
    until: _Until = 0


class CompactHeader(Contents, frozen=True, tag=COMPACT_GAME):
    """The header of a database without keys."""

    sections: tuple[Contexts | Weights | ContextCodes | FunctionSection, ...]
    fingerprint: Annotated[int, msgspec.Meta(ge=0, le=MOST_FINGERPRINT)]
    every: _Every
    until: _Until
    dropped: Annotated[int, msgspec.Meta(ge=0, le=9)]
    by_live: bool
    by_legal: bool


_Section = TypeVar("_Section", bound=AnySection)


def kept_plies(plies: int, every: int, until: int) -> list[int]:
    """The plies in a file: each `every`-th, from the root on, without the last `until`.

    Examples:
        >>> kept_plies(8, 2, 3)
        [0, 2, 4]
    """
    return list(range(0, max(1, plies - until), every))


def shape_of(name: str, header: Contents) -> Shape:
    """The shape of a database's positions, after a check of its header.

    Its entries for sections are not checked.

    Raises:
        DatabaseError: if the header cannot be true.
    """
    try:
        root = Position.from_kfn(header.root, header.marbles, header.short_end)
        scoring = Scoring.parse(header.scoring)
        if root.is_over:
            raise DatabaseError(f"{name}: its root is the end of a game; build it again")
        # The file lists its contexts.
        room = sum(section.bytes for section in header.sections[:1])
        check_claims(name, [("contexts", 9 * header.contexts <= room)])
        shape = Shape(root, scoring, header.contexts)
    except DatabaseError:
        raise
    except KulamiError as error:
        raise DatabaseError(
            f"{name}: not understood ({quoted(str(error))}); build it again"
        ) from None
    derived = entries_of(shape)
    check_claims(name, ((key, getattr(header, key) == derived[key]) for key in derived))
    check_claims(name, _of_plies(header, shape))
    return shape


def entries_of(shape: Shape) -> dict[str, Any]:
    """The entries that follow from the root and the scoring alone, by which positions are found."""
    return {
        "root": shape.root.kfn(),
        "layout": str(shape.layout),
        "scoring": shape.scoring.value,
        "fields": tuple(shape.spots),
        "contexts": len(shape.contexts),
        "context_bits": shape.context_bits,
        "digits": tuple(shape.digits),
        "panels": tuple((panel, *where) for panel, where in sorted(shape.panel_digits.items())),
    }


def contexts_of(shape: Shape) -> bytes:
    """The section that lists the contexts of a shape."""
    return padded(
        np.array([legal for legal, _ in shape.contexts], np.uint64).tobytes()
        + np.array([barred for _, barred in shape.contexts], np.uint8).tobytes()
    )


def _of_plies(header: Contents, shape: Shape) -> Iterator[tuple[str, bool]]:
    """Yield each name of a condition on the counts of plies, and whether it holds."""
    plies = header.plies
    yield "plies", len(plies) <= len(shape.spots)
    yield "positions", header.positions == sum(ply.positions for ply in plies)
    first = plies[0]
    yield "positions of ply 0", first.positions == 1
    yield "value", first.values == (1,) and first.lowest + shape.base == header.value
    for number, ply in enumerate(plies):
        where = f" of ply {number}"
        yield "values" + where, sum(ply.values) == ply.positions
        yield "values" + where, bool(ply.values[0] and ply.values[-1])
        # Every position in the file has a move, and all but the root are reached by one.
        yield "moves" + where, ply.positions <= ply.moves
        after = plies[number + 1].positions if number + 1 < len(plies) else 0
        yield "moves" + where, ply.ended + after <= ply.moves
        yield "moves" + where, bool(after) == (ply.ended < ply.moves)


def sections_of(header: Header | CompactHeader, shape: Shape) -> Iterator[tuple[str, bool]]:
    """Yield each section that must follow, in order, and whether it is there and fits in length."""
    left: deque[AnySection] = deque(header.sections)

    def taken(kind: type[_Section]) -> _Section | None:
        if left and isinstance(section := left[0], kind):
            left.popleft()
            return section
        return None

    contexts = taken(Contexts)
    yield "contexts", contexts is not None and contexts.bytes == padded_size(9 * header.contexts)
    if isinstance(header, CompactHeader):
        cells = sum(4 * room * (room + 1) for room in _rooms(shape))
        weights = taken(Weights)
        size = padded_size(max(1, _CELL_BYTES * cells))
        yield "weights", weights is not None and weights.bytes == size
        book = taken(ContextCodes)
        # Each context takes at least three bits.
        yield "codebook", book is not None and 3 * book.contexts <= 8 * book.bytes
    detail_bits = header.digits[0][0] + header.digits[0][1].bit_length() if header.digits else 0
    key_bytes = 8 if shape.frame_bits + detail_bits <= 64 else 16
    for number in kept_plies(len(header.plies), header.every, header.until):
        ply, where = header.plies[number], f"records of ply {number}"
        if isinstance(header, Header):
            sizes = alphabets(header.digits, len(ply.values))
            codes, size = taken(Codes), padded_size(sum(sizes) + 2 * len(sizes))
            yield (
                f"codes of ply {number}",
                codes is not None and codes.ply == number and codes.bytes == size,
            )
        records, before = 0, -1
        while left and isinstance(left[0], (RecordSection, FunctionSection)):
            section = left[0]
            if section.ply != number:
                break
            left.popleft()
            if isinstance(section, RecordSection):
                frame, detail = section.first
                least = -(-section.records // _BLOCK) * (key_bytes + 6) + _PADDING
                yield where, 0 <= detail < 1 << detail_bits
            else:
                frame, least = section.first, padded_size(5 * -(-section.records // _CHUNK) + 12)
            yield where, section.bytes >= least
            # All records of a frame are in one part.
            yield where, before < frame < 1 << shape.frame_bits
            before = frame
            records += section.records
        yield where, records == ply.positions
    yield "sections", not left


def _rooms(shape: Shape) -> list[int]:
    """The number of live fields at the root, for each panel with cells."""
    if shape.colours:
        panels = [shape.layout.panels.index(shape.layout.panel_of(n)) for n in shape.spots]
        return [panels.count(panel) for panel in sorted(set(panels))]
    return [room for _, room in shape.panel_digits.values()]
