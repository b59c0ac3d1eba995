"""The header of a database of Kulami, and checks that it can be true.

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
    Count,
    DatabaseError,
    check_claims,
    header_with,
    padded,
    padded_size,
)
from ...storage.container import Section as AnySection
from ..position.edition import OPTIONS, chosen
from ..position.position import Position
from ..position.scoring import Scoring
from .shape import Shape

WIDEST: Final = 511
"""Values lie within this, whatever the layout: 64 for panels, 64 for areas, 4 * 64 for chains."""

_BLOCK: Final = 64  # records, see records.pxd
_PADDING: Final = 16  # bytes after the bits
_SOME: Final = msgspec.Meta(max_length=64)  # one for each field at most
_Records: TypeAlias = Annotated[int, msgspec.Meta(gt=0, le=(1 << 63) - 1)]
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


class Header(header_with(OPTIONS), frozen=True, tag="kulami"):  # type: ignore[misc,call-arg]
    """The header; `docs/file-format.md` explains the keys."""

    sections: tuple[Contexts | Codes | RecordSection, ...]
    layout: str
    root: str
    scoring: str
    value: _Number
    positions: Count
    plies: Annotated[tuple[PlyCounts, ...], msgspec.Meta(min_length=1, max_length=64)]
    fields: Annotated[tuple[int, ...], _SOME]
    context_bits: int
    contexts: Count
    digits: Annotated[tuple[tuple[int, int, int], ...], _SOME]
    panels: Annotated[tuple[tuple[int, int, int], ...], _SOME]
    shard: Count


_Section = TypeVar("_Section", bound=AnySection)


def shape_of(name: str, header: Header) -> Shape:
    """The shape of a database's positions, after a check of its header.

    Its entries for sections are not checked.

    Raises:
        DatabaseError: if the header cannot be true.
    """
    try:
        root = Position.from_kfn(header.root, **chosen(header))
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


def _of_plies(header: Header, shape: Shape) -> Iterator[tuple[str, bool]]:
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


def sections_of(header: Header, shape: Shape) -> Iterator[tuple[str, bool]]:
    """Yield each section that must follow, in order, and whether it is there and fits in length."""
    left: deque[AnySection] = deque(header.sections)

    def taken(kind: type[_Section]) -> _Section | None:
        if left and isinstance(section := left[0], kind):
            left.popleft()
            return section
        return None

    contexts = taken(Contexts)
    yield "contexts", contexts is not None and contexts.bytes == padded_size(9 * header.contexts)
    detail_bits = header.digits[0][0] + header.digits[0][1].bit_length() if header.digits else 0
    key_bytes = 8 if shape.frame_bits + detail_bits <= 64 else 16
    for number, ply in enumerate(header.plies):
        where = f"records of ply {number}"
        sizes = alphabets(header.digits, len(ply.values))
        codes, size = taken(Codes), padded_size(sum(sizes) + 2 * len(sizes))
        yield (
            f"codes of ply {number}",
            codes is not None and codes.ply == number and codes.bytes == size,
        )
        records, before = 0, -1
        while left and isinstance(section := left[0], RecordSection) and section.ply == number:
            left.popleft()
            frame, detail = section.first
            least = -(-section.records // _BLOCK) * (key_bytes + 6) + _PADDING
            yield where, 0 <= detail < 1 << detail_bits
            yield where, section.bytes >= least
            # All records of a frame are in one part.
            yield where, before < frame < 1 << shape.frame_bits
            before = frame
            records += section.records
        yield where, records == ply.positions
    yield "sections", not left
