"""The context of a record: `predictor.pxd` says what it is made of."""

from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t

import numpy as np

from kulami_solver.core.bits cimport bit, popcount
from kulami_solver.kulami.classes cimport Classes

# The bits of a context that each part takes.
cdef enum:
    LEGAL_AT = GUESS_BITS
    LIVE_AT = LEGAL_AT + LEGAL_BITS
    POINTS_AT = LIVE_AT + LIVE_BITS


cdef class Predictor:
    """Finds the contexts of a database's records.

    Args:
        classes: what the records stand for.
        legal: of each context of a frame, the legal spots.
        weights: of each cell; None for nothing but `cells`.
        dropped: low bits of the guess that count for nothing.
        by_live, by_legal: whether the numbers of live and of legal fields count.

    Raises:
        ValueError: the arrays are not as long as they should be.
    """

    def __cinit__(
        self, Classes classes not None, const uint64_t[::1] legal not None, weights=None,
        int dropped=0, bint by_live=True, bint by_legal=True,
    ):
        cdef const int32_t[::1] listed
        cdef uint64_t spots
        cdef PanelCells *here
        cdef int p, room
        self.classes = classes
        if legal.shape[0] != classes.contexts or not 0 <= dropped <= GUESS_BITS:
            raise ValueError("contexts that do not fit the records")
        self.legal = &legal[0]
        self.panels = self.cells = 0
        for p in range(classes.rules.panels):
            spots = classes.narrowed(classes.rules.panel[p] & classes.root_live)
            room = popcount(spots)
            if room == 0 or not (classes.colours or classes.room[p]):
                continue
            here = &self.panel[self.panels]
            here.spots, here.room, here.size = spots, room, classes.rules.size[p]
            here.fields = classes.rules.panel[p]
            here.root_first = classes.root_own & here.fields
            here.root_other = classes.root_other & here.fields
            here.begin = self.cells
            here.shift = classes.shift[p]
            here.mask = 1
            while here.mask < <uint64_t>(2 * room + 1):
                here.mask = 2 * here.mask + 1
            self.cells += 4 * room * (room + 1)
            self.panels += 1
        if weights is None:
            weights = np.zeros(self.cells, np.int32)
        listed = weights
        if listed.shape[0] != self.cells:
            raise ValueError(f"{listed.shape[0]} weights for {self.cells} cells")
        for p in range(self.cells):
            if not -MOST_WEIGHT <= listed[p] <= MOST_WEIGHT:
                raise ValueError(f"a weight of {listed[p]}")
        self.kept = [legal, listed, weights]
        self.weight = &listed[0] if self.cells else NULL
        self.dropped = dropped
        self.kept_bits = <uint32_t>127 << POINTS_AT | (1 << GUESS_BITS) - 1
        if by_live:
            self.kept_bits |= ((1 << LIVE_BITS) - 1) << LIVE_AT
        if by_legal:
            self.kept_bits |= ((1 << LEGAL_BITS) - 1) << LEGAL_AT

    cdef uint32_t context(
        self, int ply, uint64_t frame, uint64_t detail, int *base, uint32_t *cell
    ) noexcept nogil:
        """The context of a record whose frame has a context; its base, and its cells if asked.

        `cell` gets one number a panel, the number of cells for a panel without a live field.
        """
        cdef const PanelCells *p
        cdef uint64_t live = frame >> self.classes.context_bits
        cdef uint64_t legal = self.legal[frame & (bit(self.classes.context_bits) - 1)]
        cdef uint64_t first = self.classes.root_own, other = self.classes.root_other
        cdef int32_t sum_of_weights = 0
        cdef int points = 0, i, f, d, most
        cdef uint32_t at
        base[0] = 0
        if self.classes.colours:
            for i in range(self.classes.spots):
                if live >> i & 1:
                    continue
                if detail >> (self.classes.spots - 1 - i) & 1:
                    first |= bit(self.classes.field[i])
                else:
                    other |= bit(self.classes.field[i])
            base[0] = self.classes.margin(first, other)
            if ply & 1:
                base[0] = -base[0]
        for i in range(self.panels):
            p = &self.panel[i]
            f = popcount(live & p.spots)
            if f == 0:
                if cell != NULL:
                    cell[i] = self.cells
                continue
            if self.classes.colours:
                d = popcount(first & p.fields) - popcount(other & p.fields)
                if d > f or -d > f:
                    d = p.room + 1
            else:
                d = <int>(detail >> p.shift & p.mask) - p.room
            if d > p.room:                                  # decided
                at = 2 * p.room + 1
            else:
                points += p.size
                at = p.room + (-d if ply & 1 else d)
            at = p.begin + 2 * ((f - 1) * (2 * p.room + 2) + at) + (legal & p.spots != 0)
            sum_of_weights += self.weight[at]
            if cell != NULL:
                cell[i] = at
        # Rounded to steps: a shift of a negative number rounds down, too.
        sum_of_weights = (sum_of_weights + (1 << (STEP_BITS - 1))) >> STEP_BITS
        most = min(MOST_GUESS, 4 * points) if not self.classes.colours else MOST_GUESS
        sum_of_weights = max(-most, min(<int>sum_of_weights, most))
        at = <uint32_t>(sum_of_weights + (1 << (GUESS_BITS - 1))) >> self.dropped
        at |= <uint32_t>min(popcount(legal), MOST_LEGAL) << LEGAL_AT
        at |= <uint32_t>popcount(live) << LIVE_AT
        at |= <uint32_t>points << POINTS_AT
        return at & self.kept_bits

    def contexts_of(
        self, int ply, const uint64_t[::1] frames not None, const uint64_t[::1] starts not None,
        const uint64_t[::1] details not None, const int16_t[::1] values not None, cells=None
    ):
        """Find the contexts and symbols of many records.

        Args:
            ply: how far they are from the root.
            frames ... values: the records, as `PackedRecords.unpack` gives them.
            cells: an array of uint32, records by panels, for the cells of each; or None.

        Returns:
            (contexts, symbols), as arrays.

        Raises:
            ValueError: they are no records of this database.
        """
        cdef Py_ssize_t i, j, n = details.shape[0]
        cdef uint64_t context_mask = bit(self.classes.context_bits) - 1
        cdef int base
        cdef bint good = starts.shape[0] == frames.shape[0] + 1 and values.shape[0] == n
        cdef uint32_t[:, ::1] cell_of
        cdef uint32_t *cell = NULL
        cdef bint by_cells = cells is not None and self.panels > 0
        if by_cells:
            cell_of = cells
            good = good and cell_of.shape[0] == n and cell_of.shape[1] == self.panels
        if not good or starts[frames.shape[0]] != <uint64_t>n:
            raise ValueError("arrays of records that do not go together")
        contexts = np.empty(n, np.uint32)
        symbols = np.empty(n, np.int16)
        cdef uint32_t[::1] context = contexts
        cdef int16_t[::1] symbol = symbols
        with nogil:
            for i in range(frames.shape[0]):
                if (
                    frames[i] & context_mask >= <uint64_t>self.classes.contexts
                    or starts[i] > starts[i + 1]
                ):
                    good = False
                    break
                for j in range(<Py_ssize_t>starts[i], <Py_ssize_t>starts[i + 1]):
                    if by_cells:
                        cell = &cell_of[j, 0]
                    context[j] = self.context(ply, frames[i], details[j], &base, cell)
                    symbol[j] = values[j] - base
        if not good:
            raise ValueError("frames that no position has")
        return contexts, symbols
