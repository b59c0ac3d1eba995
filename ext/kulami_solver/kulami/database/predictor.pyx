"""The context of a record: `predictor.pxd` lists its parts."""

from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t

import numpy as np

from kulami_solver.core.bits cimport bit, highest, popcount
from kulami_solver.kulami.database.classes cimport Classes, mapped

# The lowest bit of each part of a context.
cdef enum:
    LEGAL_AT = GUESS_BITS
    LIVE_AT = LEGAL_AT + LEGAL_BITS
    POINTS_AT = LIVE_AT + LIVE_BITS


cdef class Predictor:
    """Finds the contexts of a database's records.

    Args:
        classes: the mapping from positions to records.
        legal: the legal spots of each context of a frame.
        weights: of each cell; None if only `cells` are needed.
        dropped: how many low bits of the guess are dropped.
        by_live, by_legal: whether the numbers of live and of legal fields count.

    Raises:
        ValueError: an array has the wrong length.
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
            spots = mapped(classes.narrow, classes.rules.panel[p] & classes.root_live)
            room = popcount(spots)
            if room == 0 or not (classes.colours or classes.room[p]):
                continue
            here = &self.panel[self.panels]
            here.spots, here.room, here.size = spots, room, classes.rules.size[p]
            here.fields = classes.rules.panel[p]
            here.begin = self.cells
            here.shift = classes.shift[p]
            here.mask = bit(highest(2 * room + 1) + 1) - 1
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

    cdef void enter(self, int ply, uint64_t frame, FrameCells *f) noexcept nogil:
        """Set up a frame that has a context."""
        cdef const PanelCells *p
        cdef uint64_t legal = self.legal[frame & (bit(self.classes.context_bits) - 1)]
        cdef int i, free
        f.live = frame >> self.classes.context_bits
        f.odd = ply & 1
        f.count = 0
        for i in range(self.panels):
            p = &self.panel[i]
            free = popcount(f.live & p.spots)
            if free:
                f.which[f.count] = i
                f.free[f.count] = free
                f.begin[f.count] = (
                    p.begin + 4 * (free - 1) * (p.room + 1) + (legal & p.spots != 0)
                )
                f.count += 1
        f.context = <uint32_t>min(popcount(legal), MOST_LEGAL) << LEGAL_AT
        f.context |= <uint32_t>popcount(f.live) << LIVE_AT

    cdef uint32_t context(
        self, const FrameCells *f, uint64_t detail, int *base, uint32_t *cell
    ) noexcept nogil:
        """The context of a record, and its base.

        `cell`, if not NULL, gets the numbers of the cells, at the index of each panel with a
        live field.
        """
        cdef const PanelCells *p
        cdef uint64_t first = 0, other = 0
        cdef int32_t guess = 1 << (STEP_BITS - 1)
        cdef int points = 0, most = MOST_GUESS, i, d
        cdef uint32_t at
        base[0] = 0
        if self.classes.colours:
            self.classes.marbles_of(detail, f.live, &first, &other)
            base[0] = self.classes.margin(first, other)
            if f.odd:
                base[0] = -base[0]
        for i in range(f.count):
            p = &self.panel[f.which[i]]
            if self.classes.colours:
                d = popcount(first & p.fields) - popcount(other & p.fields)
                if d > f.free[i] or -d > f.free[i]:
                    d = p.room + 1
            else:
                d = <int>(detail >> p.shift & p.mask) - p.room
            if d > p.room:                                  # decided
                at = 2 * p.room + 1
            else:
                points += p.size
                at = p.room + (-d if f.odd else d)
            at = f.begin[i] + 2 * at
            guess += self.weight[at]
            if cell != NULL:
                cell[f.which[i]] = at
        # A shift of a negative number rounds down, too.
        guess >>= STEP_BITS
        if not self.classes.colours:
            most = min(most, 4 * points)
        guess = max(-most, min(<int>guess, most))
        at = <uint32_t>(guess + (1 << (GUESS_BITS - 1))) >> self.dropped
        return (f.context | <uint32_t>points << POINTS_AT | at) & self.kept_bits

    def contexts_of(
        self, int ply, const uint64_t[::1] frames not None, const uint64_t[::1] starts not None,
        const uint64_t[::1] details not None, const int16_t[::1] values not None, cells=None
    ):
        """Find the contexts and symbols of many records.

        Args:
            ply: the records' distance from the root.
            frames ... values: the records, as `unpack` gives them.
            cells: an array of uint32, records by `panels`, for the cells of each; or None. Entries
                of panels without a live field are left as they are.

        Returns:
            (contexts, symbols), as arrays.

        Raises:
            ValueError: these are no records of this database.
        """
        cdef Py_ssize_t i, j, n = details.shape[0]
        cdef uint64_t context_mask = bit(self.classes.context_bits) - 1
        cdef int base
        cdef bint good = starts.shape[0] == frames.shape[0] + 1 and values.shape[0] == n
        cdef uint32_t[:, ::1] cell_of
        cdef uint32_t *cell = NULL
        cdef FrameCells f
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
                self.enter(ply, frames[i], &f)
                for j in range(<Py_ssize_t>starts[i], <Py_ssize_t>starts[i + 1]):
                    if by_cells:
                        cell = &cell_of[j, 0]
                    context[j] = self.context(&f, details[j], &base, cell)
                    symbol[j] = values[j] - base
        if not good:
            raise ValueError("frames that no position has")
        return contexts, symbols
