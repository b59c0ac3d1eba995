"""The header of a Kulami database without keys, and checks that it can be true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec

from ...storage.container import KEYLESS, Count, padded_size
from ...storage.container import Section as AnySection
from .header import MOST_EVERY, MOST_UNTIL, Contents, Contexts, kept_plies
from .shape import Shape

COMPACT_GAME: Final = "kulami" + KEYLESS
"""The name of the game in the header of such a file."""

CHUNK: Final = 2048
"""Keys of a chunk, on average; see static_function.pxd."""

MOST_FINGERPRINT: Final = 16
WIDEST_SYMBOL: Final = 1022
"""Coded values lie within this: the difference of two margins of at most 511."""

_CELL_BYTES: Final = 4


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


class CompactHeader(Contents, frozen=True, tag=COMPACT_GAME):
    """The header; `docs/file-format.md` says what the keys mean."""

    sections: tuple[Contexts | Weights | ContextCodes | FunctionSection, ...]
    fingerprint: Annotated[int, msgspec.Meta(ge=0, le=MOST_FINGERPRINT)]
    every: Annotated[int, msgspec.Meta(ge=1, le=MOST_EVERY)]
    until: Annotated[int, msgspec.Meta(ge=0, le=MOST_UNTIL)]
    dropped: Annotated[int, msgspec.Meta(ge=0, le=9)]
    by_live: bool
    by_legal: bool


def compact_sections_of(header: CompactHeader, shape: Shape) -> Iterator[tuple[str, bool]]:
    """Yield each section that must follow, in order, and whether it is there and fits in length."""
    sections = iter(header.sections)
    section = next(sections, None)
    yield (
        "contexts",
        isinstance(section, Contexts) and section.bytes == padded_size(9 * header.contexts),
    )
    section = next(sections, None)
    cells = sum(4 * room * (room + 1) for room in _rooms(shape))
    yield (
        "weights",
        isinstance(section, Weights) and section.bytes == padded_size(max(1, _CELL_BYTES * cells)),
    )
    section = next(sections, None)
    # Each context takes at least three bits.
    yield (
        "codebook",
        isinstance(section, ContextCodes) and 3 * section.contexts <= 8 * section.bytes,
    )
    section = next(sections, None)
    for number in kept_plies(len(header.plies), header.every, header.until):
        records, before = 0, -1
        while isinstance(section, FunctionSection) and section.ply == number:
            where = f"records of ply {number}"
            chunks = -(-section.records // CHUNK)
            yield where, section.bytes >= padded_size(5 * chunks + 12)
            yield where, before < section.first < 1 << shape.frame_bits
            before = section.first
            records += section.records
            section = next(sections, None)
        yield f"records of ply {number}", records == header.plies[number].positions
    yield "sections", section is None


def _rooms(shape: Shape) -> list[int]:
    """The number of live fields at the root, for each panel with cells."""
    if shape.colours:
        panels = [shape.layout.panels.index(shape.layout.panel_of(n)) for n in shape.spots]
        return [panels.count(panel) for panel in sorted(set(panels))]
    return [room for _, room in shape.panel_digits.values()]
