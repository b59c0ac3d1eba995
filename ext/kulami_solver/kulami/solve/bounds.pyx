"""Tables of a layout: what each panel can still bring, and what its states are worth.

The mathematics is in `bounds.pxd`.
"""

from libc.stdlib cimport calloc, free as release

import random
from collections import Counter
from functools import lru_cache
from math import comb

# Each panel of s fields has 2 s + 1 differences, and there are 64 fields at most.
cdef enum:
    DIFFERENCES = 3 * MAX_FIELDS

cdef Standing[DIFFERENCES] DRAWN        # random words for each, the same for every layout


def draw_words():
    draw = random.Random(0x6B756C616D69)
    for i in range(DIFFERENCES):
        DRAWN[i].index = draw.getrandbits(64)
        DRAWN[i].signature = draw.getrandbits(64)


draw_words()


cdef int sign(int difference) noexcept nogil:
    return (difference > 0) - (difference < 0)


def choose_prices(sizes: list[int]) -> list[int]:
    """The eight prices of a marble for panels of these sizes, in twelfths, steepest first.

    A panel of s fields on which own is k marbles behind gains s for k marbles (a tie) and 2 s for
    k + 1. The concave hull of that has one breakpoint: 2 s / (k + 1) if there is room to win it,
    s / k if there is only room for a tie; s on a level panel. The prices are all these
    breakpoints if they are eight or fewer, otherwise eight of them, spread evenly by how often they
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


@lru_cache(maxsize=64)
def prices_of(sizes: tuple[int, ...]) -> list[int]:
    """`choose_prices` with a cache: most layouts are made of the same panels."""
    return choose_prices(list(sizes))


@lru_cache(maxsize=1024)
def expectation(size: int, free: int, difference: int) -> int:
    """The points of a panel, in tenths, if chance filled its free fields with either colour.

    Used only for the order of moves: nothing is proved by it.

    Example:
        >>> expectation(4, 2, 1)        # lost for own if both go to the other side
        20
    """
    outcomes = sum([
        comb(free, own) * sign(difference + 2 * own - free) for own in range(free + 1)
    ])
    return round(TENTH * size * outcomes / 2 ** free)


cdef Hull make_hull(const PanelTables *t, int size, int free, int difference):
    cdef Hull made
    cdef int marbles, gain, i
    for i in range(PRICES):
        made.at[i] = 0
    for marbles in range(1, free + 1):
        gain = UNIT * size * (sign(difference + marbles) - sign(difference))
        for i in range(PRICES):
            made.at[i] = max(made.at[i], <int16_t>(gain - t.price.at[i] * marbles))
    return made


cdef class PanelBounds:
    """The tables for one layout, a few kilobytes for the standard panels."""

    def __cinit__(self, Geometry geometry not None):
        cdef PanelTables *t = &self.tables
        cdef int p, size, free, difference, i
        self.geometry = geometry
        t.rules = &geometry.tables
        sizes = [t.rules.size[p] for p in range(geometry.tables.panels)]
        for i, price in enumerate(prices_of(tuple(sorted(sizes)))):
            t.price.at[i] = price
        states = sum([(size + 1) * (2 * size + 1) for size in set(sizes)])
        self.memory = <Hull *>calloc(states, sizeof(Hull))
        self.expectations = <int16_t *>calloc(states, sizeof(int16_t))
        self.standings = <Standing *>calloc(sum([2 * s + 1 for s in sizes]), sizeof(Standing))
        if self.memory == NULL or self.expectations == NULL or self.standings == NULL:
            raise MemoryError("no memory for the tables of a layout")
        start = {}
        states = 0
        for size in sorted(set(sizes)):
            start[size] = states + size
            for free in range(size + 1):
                # The panel has at most size - free marbles.
                for difference in range(free - size, size - free + 1):
                    i = start[size] + free * (2 * size + 1) + difference
                    self.memory[i] = make_hull(t, size, free, difference)
                    self.expectations[i] = expectation(size, free, difference)
            states += (size + 1) * (2 * size + 1)
        i = 0
        for p in range(geometry.tables.panels):
            size = sizes[p]
            t.hulls[p] = self.memory + <Py_ssize_t>start[size]
            t.expected[p] = self.expectations + <Py_ssize_t>start[size]
            t.free_step[p] = 2 * size + 1
            t.standing[p] = self.standings + i + size
            for difference in range(-size, size + 1):
                self.standings[i] = DRAWN[i]
                self.standings[i].points = size * sign(difference)
                i += 1
        self.rank_fields(sizes)

    cdef rank_fields(self, list sizes):
        cdef PanelTables *t = &self.tables
        cdef Ranked *ranked
        cdef int rank, p, f
        numbers = [t.rules.panel_of[f] for f in range(t.rules.fields)]
        order = sorted(range(t.rules.fields), key=lambda f: (-sizes[numbers[f]], numbers[f]))
        for rank, f in enumerate(order):
            t.rank[f] = rank
        t.rank[NO_FIELD] = MAX_FIELDS
        for rank, f in enumerate(order):
            p = numbers[f]
            ranked = &t.ranked[rank]
            ranked.cross = ranks_of(t, t.rules.cross[f])
            ranked.panel = ranks_of(t, t.rules.panel[p])
            ranked.beside = ranks_of(t, t.rules.beside[f])
            ranked.hulls = t.hulls[p]
            ranked.free_step = t.free_step[p]
            ranked.size = sizes[p]
            ranked.field = f

    def __dealloc__(self):
        release(self.memory)
        release(self.expectations)
        release(self.standings)

cdef class Weights:
    """Weights for layouts whose panels have these sizes, at one scoring.

    Args:
        sizes: of the panels, each once.
        phases: for each `PHASE_PLIES` plies to come, from 0 on, a mapping: `panels` from a size to
            the three weights of each state (live fields 0 .. size, difference from the least to
            the most), and `replies`, `parity`, `second` and `terms`. Larger numbers of plies use
            the weights of the last phase.
    """

    def __cinit__(self, sizes, phases):
        cdef PanelWeight *weight
        cdef int k, i
        self.start = {}
        for size in sorted(sizes):
            self.start[size] = self.states + size
            self.states += (size + 1) * (2 * size + 1)
        self.panels = <PanelWeight *>calloc(PHASES * self.states, sizeof(PanelWeight))
        if self.panels == NULL:
            raise MemoryError("no memory for the weights of an evaluation")
        for k in range(PHASES):
            phase = phases[min(k, len(phases) - 1)]
            self.phase[k].panels = self.panels + k * self.states
            for i in range(REPLIES):
                self.phase[k].replies[i] = phase["replies"][i]
            for i in range(2):
                self.phase[k].parity[i] = phase["parity"][i]
            self.phase[k].second = phase["second"]
            for i in range(len(phase["terms"])):
                self.phase[k].terms[i] = phase["terms"][i]
            for size, first in self.start.items():
                states = iter(phase["panels"][size])
                for free in range(size + 1):
                    for difference in range(free - size, size - free + 1):
                        weight = &self.panels[
                            k * self.states + <int>(first + free * (2 * size + 1) + difference)
                        ]
                        weight.standing, weight.now, weight.later = next(states)

    def __dealloc__(self):
        release(self.panels)


cdef class LearnedEvaluation:
    """The evaluation for a layout: all weights, and the place of each panel's weights."""

    def __cinit__(self, Geometry geometry not None, Weights weights not None):
        cdef int p
        self.weights = weights
        for p in range(PHASES):
            self.tables.phase[p] = weights.phase[p]
        for p in range(geometry.tables.panels):
            self.tables.start[p] = weights.start[<int>geometry.tables.size[p]]
