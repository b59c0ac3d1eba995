"""Whether moves lead from one position to another, however many plies lie between.

The search for the order of placing runs backwards. Two consecutive marbles lie in one row or column
and on different panels; two marbles with one between them lie on different panels. So the search is
for a path through all new marbles, red and black in turn:

    newest <- before <- ... <- first new one <- newest at the root

The next marble is the one with the fewest followers, because such marbles are soon left over. A
wrong choice is usually an early one, which makes all later steps useless. So after a number of
steps the search begins again in another random order, and after some searches with more steps.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .position import Position

#: Steps of the shortest searches for a path, number of lengths (each twice the one before), and
#: number of searches of each length.
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
        None if some 17,000 steps gave no answer. This happened for none of 997 positions of random
        games on 6x6.

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
    """The conditions for a path through the new marbles.

    Attributes:
        new: new marbles of the side that placed the newest one, and of the other side.
        beside: for each field, the fields in its row and column that are not on its panel.
        panels: the panel of each field.
        firsts: the fields that are legal at the root.
        barred: the fields barred to the second new marble: the panel of the root's newest one.
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
        # The fields that the marble before the newest one bars on an empty board.
        whole = (1 << len(layout)) - 1
        panels = tuple(whole & ~legal(0, 0, -1, field) for field in fields)
        last = root.view[2]
        return cls(new, beside, panels, legal(*root.view), panels[last] if last >= 0 else 0)

    def search(self, last: int, before: int, most: int, draw: random.Random) -> bool | None:
        """Look for a path that ends with these two; None if `most` steps give no answer."""
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
        """The marbles of a side that may have been placed before `here`, itself before `after`."""
        return rest & self.new[side] & self.beside[here] & ~self.panels[after]

    def _is_possible(self, here: int, side: int, rest: int) -> bool:
        """Whether each marble left can have one before it and one after it; the first marble needs
        none before it."""
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
