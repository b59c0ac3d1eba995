"""Tables of what each panel can still bring. The mathematics is in `panels.pxd`."""

from libc.stdlib cimport calloc, free as release

import random
from collections import Counter


cdef int sign(int difference) noexcept nogil:
    return (difference > 0) - (difference < 0)


def choose_prices(sizes: list[int]) -> list[int]:
    """The eight prices of a marble for panels of these sizes, in twelfths, steepest first.

    A panel of s fields on which own is k marbles behind gains s for k marbles (a tie) and 2 s for
    k + 1. The concave hull of that has one breakpoint: 2 s / (k + 1) if there is room to win it,
    s / k if there is only room for a tie; s on a level panel. The prices are all these
    breakpoints if they are eight or fewer, else eight of them spread evenly by how often they
    occur: any prices give a true bound, more only a tighter one.

    Example:
        >>> choose_prices([6, 6, 4, 3, 2])
        [72, 48, 36, 24, 0, 0, 0, 0]
    """
    slopes = Counter({0: 1})
    for size in sizes:
        slopes[size * UNIT] += 1
        for behind in range(1, size // 2 + 1):
            slopes[size * UNIT // behind] += 1
            if 2 * behind < size:
                slopes[2 * size * UNIT // (behind + 1)] += 1
    prices = sorted(slopes, reverse=True)
    if len(prices) > PRICES:
        spread, seen = [], 0
        for price in prices:
            seen += slopes[price]
            if seen * (PRICES - 1) >= slopes.total() * (len(spread) + 1):
                spread.append(price)
        prices = spread[:PRICES - 1] + [0]
    return prices + [0] * (PRICES - len(prices))


cdef class PanelBounds:
    """The tables for one layout, a few kilobytes for the standard panels."""

    def __cinit__(self, Geometry geometry):
        cdef PanelTables *t = &self.tables
        cdef int p, size, reach, free, difference, i, j
        cdef int gain
        cdef Hull *entry
        self.geometry = geometry
        t.rules = &geometry.tables
        sizes = [t.rules.size[p] for p in range(geometry.tables.panels)]
        for i, price in enumerate(choose_prices(sizes)):
            t.price.at[i] = price
        length = {
            size: (MOST_REACH + 1) * (size + 1) * (2 * size + 1) for size in set(sizes)
        }
        self.memory = <Hull *>calloc(sum(length.values()), sizeof(Hull))
        self.standings = <Standing *>calloc(sum([2 * s + 1 for s in sizes]), sizeof(Standing))
        if self.memory == NULL or self.standings == NULL:
            raise MemoryError("no memory for the tables of a layout")
        start = {}
        entry = self.memory
        for size in sorted(length):
            start[size] = entry - self.memory
            for reach in range(MOST_REACH + 1):
                for free in range(size + 1):
                    for difference in range(-size, size + 1):
                        for j in range(min(free, reach) + 1):
                            gain = UNIT * size * (sign(difference + j) - sign(difference))
                            for i in range(PRICES):
                                entry.at[i] = max(entry.at[i], <int16_t>(gain - t.price.at[i] * j))
                        entry += 1
        draw = random.Random(0x6B756C616D69)
        j = 0
        for p in range(geometry.tables.panels):
            size = sizes[p]
            t.hulls[p] = self.memory + <Py_ssize_t>start[size] + size
            t.free_step[p] = 2 * size + 1
            t.reach_step[p] = (size + 1) * (2 * size + 1)
            t.standing[p] = self.standings + j + size
            for difference in range(-size, size + 1):
                self.standings[j].index = draw.getrandbits(64)
                self.standings[j].signature = draw.getrandbits(64)
                self.standings[j].points = size * sign(difference)
                j += 1

    def __dealloc__(self):
        release(self.memory)
        release(self.standings)
