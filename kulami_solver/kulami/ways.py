"""Whether moves lead from one position to another, however many plies lie between.

The order in which marbles were placed is looked for from the end. Two that follow on each other lie
in a row or column and on different panels, and so do those that have one between them on different
panels. So what is looked for is a path through all marbles that are new, red and black in turn:

    newest <- before <- ... <- first new one <- newest at the root

The next one is that from which fewest others could be reached: those are soon left over. Where that
goes wrong it goes wrong early, and all that comes later is in vain; so after some steps the search
begins again, less strict about the order, and gets more steps now and then.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .position import Position

#: Steps of a search for a path, and how often they double: of each length there are so many.
_STEPS: Final = 150
_LENGTHS: Final = 3
_SEARCHES: Final = 16
#: How far from the order of fewest followers a search may stray, in followers.
_STRAYS: Final = 3.0


def leads_to(root: Position, position: Position) -> bool | None:
    """Return whether moves lead from one position to another.

    Colours may be exchanged.

    Args:
        root: the first position.
        position: the last one, of the same layout.

    Returns:
        None if that was not found out within some 17,000 steps. That came about for none of 997
        positions of random games on 6x6.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> leads_to(start, start.play("a1").play("c1"))
        True
        >>> leads_to(start.play("a1"), start.play("a2"))
        False
    """
    begun = (root.red | root.black).bit_count()
    count = (position.red | position.black).bit_count() - begun
    own, other, last, before = position.view
    mine, theirs = root.view[:2] if count % 2 == 0 else root.view[1::-1]
    if count < 0 or mine & ~own or theirs & ~other:
        return False
    if count == 0:
        return position.view == root.view
    new = (other & ~theirs, own & ~mine)
    if new[0].bit_count() != (count + 1) // 2 or not new[0] >> last & 1:
        return False
    trail = _Trail.of(root, new)
    if count == 1:
        return before == root.view[2] and bool(trail.firsts >> last & 1)
    if before < 0 or not new[1] >> before & 1 or not trail.beside[before] >> last & 1:
        return False
    draw = random.Random(count)
    for length in range(_LENGTHS):
        for _ in range(_SEARCHES):
            found = trail.search(last, before, _STEPS << length, draw)
            if found is not None:
                return found
    return None


@dataclass(frozen=True)
class _Trail:
    """What a path through the new marbles has to keep to.

    Attributes:
        new: of the side that has placed the newest one, and of the other side.
        beside: of each field, those in its row and column that are not on its panel.
        panels: the panel of each field.
        firsts: the fields that are legal at the root.
        barred: the fields that the second new marble may not take: the root's newest one's panel.
    """

    new: tuple[int, int]
    beside: tuple[int, ...]
    panels: tuple[int, ...]
    firsts: int
    barred: int

    @classmethod
    def of(cls, root: Position, new: tuple[int, int]) -> _Trail:
        layout = root.layout
        legal, fields = layout.geometry.legal, range(len(layout))
        beside = tuple(legal(0, 1 << field, field, -1) for field in fields)
        # What a marble before the newest one bars, where nothing else does.
        whole = (1 << len(layout)) - 1
        panels = tuple(whole & ~legal(0, 0, -1, field) for field in fields)
        last = root.view[2]
        return cls(new, beside, panels, legal(*root.view), panels[last] if last >= 0 else 0)

    def search(self, last: int, before: int, most: int, draw: random.Random) -> bool | None:
        """Look for a path that ends with these two; None if so many steps have not told."""
        rest = (self.new[0] | self.new[1]) & ~(1 << last | 1 << before)
        waiting, seen = [(before, last, 0, rest)], {(before, last, rest)}
        for _ in range(most):
            if not waiting:
                return False
            here, after, side, rest = waiting.pop()
            if not rest:
                if self.firsts >> here & 1 and not self.barred >> after & 1:
                    return True
                continue
            ranked = []
            for field in _members(self._earlier(here, after, side, rest)):
                left = rest & ~(1 << field)
                if (field, here, left) in seen:
                    continue
                seen.add((field, here, left))
                followers = self._earlier(field, here, 1 - side, left).bit_count()
                if not left or (followers and self._is_possible(field, 1 - side, left)):
                    ranked.append((followers + _STRAYS * draw.random(), field, left))
            ranked.sort(reverse=True)
            waiting += [(field, here, 1 - side, left) for _, field, left in ranked]
        return None

    def _earlier(self, here: int, after: int, side: int, rest: int) -> int:
        """The marbles of a side that may have come before one that came before another one."""
        return rest & self.new[side] & self.beside[here] & ~self.panels[after]

    def _is_possible(self, here: int, side: int, rest: int) -> bool:
        """Whether each that is left can have one before it and one after it; the first one need not
        have one before it."""
        lone = 0
        for turn in (side, 1 - side):
            others = rest & self.new[1 - turn]
            if turn == side:
                others |= 1 << here
            for field in _members(rest & self.new[turn]):
                near = self.beside[field] & others
                if near & (near - 1) == 0:
                    lone += 1
                    if not near or lone > 1 or not self.firsts >> field & 1:
                        return False
        return True


def _members(mask: int) -> Iterator[int]:
    """The members of a set, rising."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
