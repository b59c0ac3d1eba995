"""The shape of a database's positions: live fields, contexts and digits of one root; its header.

A database keeps only the facts that the future of a position depends on (`docs/file-format.md`).
This module derives them from a root: the fields that count, the possible contexts, and the digits.

The header's schema has the keys and their types. What follows from the root alone is worked out
again and compared: positions are found by it, so with wrong values the file would give the margins
of other positions. Only reading all sections shows what they hold; `verify` does that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np

from ...core.records import alphabets
from ...errors import BudgetError, KulamiError, quoted
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
from ..position.layout import Layout
from ..position.position import Position
from ..position.scoring import Scoring

NO_PANEL: Final = 64
MAX_SPOTS: Final = 40
# A row and a column with more live fields than this have too many subsets to list.
_MAX_CROSS: Final = 16


class Digit(NamedTuple):
    """One digit of a detail: the place of its bits, and the bits of the frame that limit it."""

    shift: int
    mask: int
    given: int


class Tables(NamedTuple):
    """The arrays for the compiled builder; `layers.pyx` describes them."""

    legal: Any
    barred: Any
    weight: Any
    place: Any
    number: Any
    moved: Any
    digit_after: Any
    paid: Any


class Shape:
    """A root, and the form of the records of the positions below it.

    Args:
        root: any position that is not over.
        scoring: what counts.
        most_contexts: how many contexts there may be; a file that says how many it has need not
            make a reader list more.

    Attributes:
        spots: numbers of the root's live fields, rising; spot i stands for spots[i].
        contexts: (legal spots, panel barred besides or 64) in the order of their numbers.
        digits: of a detail, the uppermost first.
        frame: the root's frame.
        detail: the root's detail.
        base: what the root's margin, seen by the side to move, has besides its value.

    Raises:
        BudgetError: if there are more positions than any machine could list.
    """

    def __init__(self, root: Position, scoring: Scoring, most_contexts: int | None = None) -> None:
        layout = root.layout
        self.root: Final = root
        self.scoring: Final = scoring
        self.layout: Final[Layout] = layout
        self.colours: Final = scoring.area or scoring.chains
        self.first_marbles, self.other_marbles, _, _ = root.view
        squares = layout.squares
        panels = [layout.panels.index(layout.panel_of(n)) for n in range(len(layout))]
        self._cross = [
            sum(
                1 << other
                for other, (x, y) in enumerate(squares)
                if (x == squares[n][0] or y == squares[n][1]) and panels[other] != panels[n]
            )
            for n in range(len(layout))
        ]
        free = root.free_fields
        live = root.legal_mask
        waiting = live
        while waiting:
            field = waiting & -waiting
            waiting ^= field
            new = self._cross[field.bit_length() - 1] & free & ~live
            live |= new
            waiting |= new
        if live.bit_count() > MAX_SPOTS:
            raise BudgetError(
                f"{live.bit_count()} fields can still be played: a database of more than "
                f"{MAX_SPOTS} would not fit any machine; start from a later position"
            )
        self.spots: Final = [n for n in range(len(layout)) if live >> n & 1]
        self._panel_of_spot = [panels[n] for n in self.spots]
        self.cross: Final = [self.to_spots(self._cross[n]) for n in self.spots]
        self.contexts: Final = self._list_contexts(panels, most_contexts)
        self.context_bits: Final = max(1, (len(self.contexts) - 1).bit_length())
        self.panel_digits: dict[int, tuple[int, int]] = {}
        self.digits: Final = self._list_digits()
        self.frame, self.detail, self.base = self._describe_root(panels)

    @property
    def frame_bits(self) -> int:
        """The number of bits of a frame."""
        return len(self.spots) + self.context_bits

    def to_spots(self, fields: int) -> int:
        """Return a set of fields as the set of spots among them."""
        return sum(1 << i for i, n in enumerate(self.spots) if fields >> n & 1)

    def _room(self, panel: int) -> int:
        return self._panel_of_spot.count(panel)

    def _difference(self, panel: int) -> int:
        fields = sum(1 << n for n in self.layout.panels[panel].fields)
        own = (self.first_marbles & fields).bit_count()
        return own - (self.other_marbles & fields).bit_count()

    def _list_contexts(self, panels: list[int], most: int | None) -> list[tuple[int, int]]:
        found = {(self.to_spots(self.root.legal_mask), self._root_barred(panels))}
        for spot, cross in enumerate(self.cross):
            if cross.bit_count() > _MAX_CROSS:
                raise BudgetError(
                    f"{cross.bit_count()} live fields share a row or column with one: at most "
                    f"{_MAX_CROSS} can be handled; start from a later position"
                )
            if most is not None and 2 * ((1 << cross.bit_count()) - 1) > most:
                raise BudgetError(f"{most} contexts: there are more")
            subset = cross
            while subset:
                found.add((subset, self._panel_of_spot[spot]))
                found.add((subset, NO_PANEL))
                subset = subset - 1 & cross
            if most is not None and len(found) > most:
                raise BudgetError(f"{most} contexts: there are more")
        return sorted(found)

    def _root_barred(self, panels: list[int]) -> int:
        last = self.root.last_field
        return panels[last] if last >= 0 and panels[last] in self._panel_of_spot else NO_PANEL

    def _list_digits(self) -> list[Digit]:
        if self.colours:
            top = len(self.spots) - 1
            return [Digit(top - i, 1, 1 << self.context_bits + i) for i in range(top + 1)]
        digits = []
        shift = 0
        for panel in sorted(set(self._panel_of_spot), reverse=True):
            room = self._room(panel)
            if abs(self._difference(panel)) > room:
                continue  # decided before the root
            width = (2 * room + 1).bit_length()
            given = sum(
                1 << self.context_bits + i
                for i, other in enumerate(self._panel_of_spot)
                if other == panel
            )
            self.panel_digits[panel] = (shift, room)
            digits.append(Digit(shift, (1 << width) - 1, given))
            shift += width
        if shift > 64:
            raise BudgetError(
                f"the differences of {len(digits)} panels take {shift} bits: at most 64 can be "
                "handled; start from a later position"
            )
        return digits[::-1]

    def _describe_root(self, panels: list[int]) -> tuple[int, int, int]:
        context = (self.to_spots(self.root.legal_mask), self._root_barred(panels))
        frame = (1 << len(self.spots)) - 1 << self.context_bits | self.contexts.index(context)
        if self.colours:
            return frame, 0, 0
        detail = base = 0
        for number, panel in enumerate(self.layout.panels):
            difference = self._difference(number)
            if number in self.panel_digits:
                shift, room = self.panel_digits[number]
                detail |= difference + room << shift
            else:
                base += panel.size * ((difference > 0) - (difference < 0))
        return frame, detail, base

    @cached_property
    def tables(self) -> Tables:
        """Return the tables of the compiled builder."""
        place, number = [], [np.zeros(0, np.uint32)]
        weight = np.zeros((MAX_SPOTS, MAX_SPOTS), np.uint32)
        numbers = {context: i for i, context in enumerate(self.contexts)}
        begin = 0
        for spot, cross in enumerate(self.cross):
            members = [i for i in range(len(self.spots)) if cross >> i & 1]
            for i, member in enumerate(members):
                weight[spot, member] = 1 << i
            part = np.zeros((1 << len(members), 2), np.uint32)
            for index in range(1, 1 << len(members)):
                legal = sum(1 << member for i, member in enumerate(members) if index >> i & 1)
                part[index] = numbers[legal, NO_PANEL], numbers[legal, self._panel_of_spot[spot]]
            place.append(begin)
            number.append(part.reshape(-1))
            begin += part.size
        moved = np.zeros(len(self.layout.panels), np.uint32)
        after: list[int] = []
        paid: list[int] = []
        for panel, (_, room) in self.panel_digits.items():
            moved[panel] = len(after)
            size = self.layout.panels[panel].size
            for live in range(room + 1):
                for marble in (0, 1, -1):
                    for digit in range(2 * room + 2):
                        difference = digit - room + marble
                        decided = digit == 2 * room + 1
                        closed = live == 0 or abs(difference) > live
                        gain = size * ((difference > 0) - (difference < 0))
                        paid.append(gain if closed and not decided else 0)
                        if live == 0:
                            after.append(0)
                        elif decided or closed:
                            after.append(2 * room + 1)
                        else:
                            after.append(difference + room)
        listed = np.array(self.contexts, np.uint64)
        return Tables(
            legal=np.ascontiguousarray(listed[:, 0]),
            barred=listed[:, 1].astype(np.uint8),
            weight=weight.reshape(-1),
            place=np.array(place, np.uint32),
            number=np.concatenate(number),
            moved=moved,
            digit_after=np.array(after or [0], np.uint8),
            paid=np.array(paid or [0], np.int16),
        )


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
