"""The shape of a database's positions: live fields, contexts and digits of one root.

A database keeps only the facts that the future of a position depends on (`docs/file-format.md`).
This module derives them from a root: the fields that count, the possible contexts, and the digits.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from ...errors import BudgetError
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
