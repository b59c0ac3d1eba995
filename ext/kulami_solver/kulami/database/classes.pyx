"""From positions to their records in a database.

This is written from `docs/file-format.md` and the rules alone. It shares nothing with the module
that builds databases, so that each can check the other (`record_check.pyx`).
"""

from libc.stdint cimport int16_t, int64_t, int8_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free as release

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, Geometry, Tables, field_or_none, legal_fields, margin_of,
)

cdef class Classes:
    """The mapping from positions to the records of one database.

    Args:
        geometry: the layout's tables.
        root_own, root_other: the root's marbles, seen by the side that moves there.
        areas, chains: whether areas and chains count.
        supply: marbles of both colours that may ever lie on the board, at most 128.
        fields: the root's live fields, rising.
        context_bits: bits of a frame below its live fields.
        legal, barred: of each context, the legal ones of the live fields, and the panel of the
            newest marble (64 for none).
        panels: (panel, shift, room) of each digit, where only panels count.

    Raises:
        ValueError: the arguments contradict each other.
    """

    def __cinit__(
        self, Geometry geometry not None, uint64_t root_own, uint64_t root_other,
        bint areas, bint chains, int supply, fields, int context_bits, const uint64_t[::1] legal,
        const uint8_t[::1] barred, panels
    ):
        cdef int i, j, p
        cdef uint32_t at
        cdef uint64_t mask
        self.geometry = geometry
        self.rules = &geometry.tables
        self.areas, self.chains, self.colours = areas, chains, areas or chains
        self.supply = supply
        self.root_own, self.root_other = root_own, root_other
        self.root_marbles = popcount(root_own | root_other)
        self.spots = len(fields)
        self.context_bits = context_bits
        self.contexts = legal.shape[0]
        if (
            self.spots > MAX_FIELDS - context_bits or barred.shape[0] != self.contexts
            or not 1 <= context_bits < 32 or self.contexts > <int64_t>1 << context_bits
        ):
            raise ValueError("contexts that do not fit a frame")
        for i, j in enumerate(fields):
            if not 0 <= j < self.rules.fields or (i and j <= self.field[i - 1]):
                raise ValueError("live fields that are none")
            self.field[i] = j
            self.spot[j] = i
            self.root_live |= bit(j)
        for panel, shift, room in panels:
            if not (0 <= panel < self.rules.panels and 0 <= shift < 64 and 1 <= room < 64):
                raise ValueError("digits of panels that are none")
            self.shift[panel], self.room[panel] = shift, room
        for i in range(8):
            for j in range(256):
                for p in range(8):
                    if j >> p & 1 and self.root_live & bit(8 * i + p):
                        self.narrow[i][j] |= bit(self.spot[8 * i + p])
                    if j >> p & 1 and 8 * i + p < self.spots:
                        self.wide[i][j] |= bit(self.field[8 * i + p])
        self.buckets = 4
        while self.buckets < 2 * <uint32_t>self.contexts:
            self.buckets *= 2
        self.context_legal = <uint64_t *>calloc(self.contexts + 1, sizeof(uint64_t))
        self.context_barred = <uint8_t *>calloc(self.contexts + 1, 1)
        self.bucket = <uint32_t *>calloc(self.buckets, sizeof(uint32_t))
        if self.context_legal == NULL or self.context_barred == NULL or self.bucket == NULL:
            raise MemoryError("no memory for the contexts of a database")
        for i in range(self.contexts):
            mask = mapped(self.wide, legal[i])
            if barred[i] >= self.rules.panels and barred[i] != NO_PANEL:
                raise ValueError("a context that bars no panel")
            self.context_legal[i] = mask
            self.context_barred[i] = barred[i]
            at = self.hashed(mask, barred[i])
            while self.bucket[at]:
                at = (at + 1) & (self.buckets - 1)
            self.bucket[at] = i + 1

    def __dealloc__(self):
        release(self.context_legal)
        release(self.context_barred)
        release(self.bucket)

    cdef uint32_t hashed(self, uint64_t legal, int barred) noexcept nogil:
        cdef uint64_t x = (legal ^ <uint64_t>barred << 57) * <uint64_t>0x9E3779B97F4A7C15
        return <uint32_t>(x >> 32) & (self.buckets - 1)

    cdef int64_t context(self, uint64_t legal, int barred) noexcept nogil:
        """The number of a context, -1 if it has none."""
        cdef uint32_t at = self.hashed(legal, barred)
        cdef uint32_t i
        while self.bucket[at]:
            i = self.bucket[at] - 1
            if self.context_legal[i] == legal and self.context_barred[i] == barred:
                return i
            at = (at + 1) & (self.buckets - 1)
        return -1

    cdef uint64_t live_fields(self, uint64_t free, uint64_t legal) noexcept nogil:
        """The live fields among the `free` ones, when the `legal` ones may be played."""
        cdef uint64_t found, new
        if self.colours:
            return free & self.root_live
        new = found = legal
        while new and found != free:
            new = self.rules.cross[lowest(new)] & free & ~found | new & (new - 1)
            found |= new
        return found

    cdef int64_t frame_of(
        self, uint64_t free, uint64_t legal, int last, uint64_t *live
    ) noexcept nogil:
        """The frame of a position that is not over, -1 if no position below the root has it."""
        cdef int barred = self.rules.panel_of[last]
        cdef int64_t number
        live[0] = self.live_fields(free, legal)
        if live[0] & ~self.root_live:
            return -1
        if not self.rules.barred[last] & live[0]:
            barred = NO_PANEL
        number = self.context(legal, barred)
        if number < 0:
            return -1
        return mapped(self.narrow, live[0]) << self.context_bits | number

    cdef bint detail_of(
        self, const int8_t *difference, uint64_t live, uint64_t before, uint64_t *detail, int *base
    ) noexcept nogil:
        """Digits of panels; false if no position below the root has them.

        `difference` and `base` are seen by the side that moves at the root. After a move, `before`
        are the fields that were live before it: panels without a digit then are left out. 0: none.
        """
        cdef const Tables *t = self.rules
        cdef int p, d, free
        cdef uint64_t digits = 0
        cdef int decided = 0
        for p in range(t.panels):
            if before and (self.room[p] == 0 or not t.panel[p] & before):
                continue
            d = difference[p]
            free = popcount(t.panel[p] & live)
            if d > free:
                decided += t.size[p]
            elif -d > free:
                decided -= t.size[p]
            elif free:
                if self.room[p] < free:
                    return False
                digits |= <uint64_t>(d + self.room[p]) << self.shift[p]
                continue
            if free and self.room[p]:
                digits |= <uint64_t>(2 * self.room[p] + 1) << self.shift[p]
        detail[0] = digits
        base[0] = decided
        return True

    cdef uint64_t marbles_detail(self, uint64_t first) noexcept nogil:
        """Digits of spots: those with a marble of the side that moves at the root."""
        cdef uint64_t spots = mapped(self.narrow, first & self.root_live)
        cdef uint64_t digits = 0
        while spots:
            digits |= bit(self.spots - 1 - lowest(spots))
            spots &= spots - 1
        return digits

    cdef void marbles_of(
        self, uint64_t detail, uint64_t live, uint64_t *first, uint64_t *other
    ) noexcept nogil:
        """The marbles of a record with these live spots, where colours count."""
        cdef int i
        first[0], other[0] = self.root_own, self.root_other
        for i in range(self.spots):
            if live >> i & 1:
                continue
            if detail >> (self.spots - 1 - i) & 1:
                first[0] |= bit(self.field[i])
            else:
                other[0] |= bit(self.field[i])

    cdef bint is_position(
        self, uint64_t own, uint64_t other, int last, int before
    ) noexcept nogil:
        """Whether marbles lie on fields, one on each, and the last ones are fields or none."""
        return not (
            (own | other) & ~self.rules.every or own & other
            or last >= self.rules.fields or before >= self.rules.fields
        )

    cdef int margin(self, uint64_t own, uint64_t other) noexcept nogil:
        return margin_of(self.rules, own, other, self.areas, self.chains)

    cdef int describe(
        self, uint64_t own, uint64_t other, int last, int before, Description *d
    ) noexcept nogil:
        """`describe_going_on` for a position that may be over."""
        cdef uint64_t occupied = own | other
        cdef uint64_t legal = legal_fields(self.rules, occupied, last, before)
        if popcount(occupied) >= self.supply:
            legal = 0
        if legal == 0:
            d.base = self.margin(own, other)
            return OVER
        return self.describe_going_on(own, other, legal, last, d)

    cdef int describe_going_on(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, Description *d
    ) noexcept nogil:
        """Describe a position that is not over, with these `legal` fields; LIVE or FOREIGN."""
        cdef const Tables *t = self.rules
        cdef uint64_t occupied = own | other
        cdef uint64_t free = t.every & ~occupied
        cdef uint64_t live, first, second
        cdef int64_t frame
        cdef int8_t difference[MAX_FIELDS]
        cdef int p
        d.ply = popcount(occupied) - self.root_marbles
        if d.ply < 0 or legal & ~self.root_live:
            return FOREIGN
        first, second = own, other
        if d.ply & 1:
            first, second = other, own
        frame = self.frame_of(free, legal, last, &live)
        if frame < 0:
            return FOREIGN
        d.frame = frame
        if self.colours:
            # Fields that are not live at the root must bear the same marbles as there.
            if first & ~self.root_live != self.root_own:
                return FOREIGN
            if second & ~self.root_live != self.root_other:
                return FOREIGN
            d.detail = self.marbles_detail(first)
            d.base = 0
            return LIVE
        for p in range(t.panels):
            difference[p] = popcount(first & t.panel[p]) - popcount(second & t.panel[p])
        if not self.detail_of(difference, live, 0, &d.detail, &d.base):
            return FOREIGN
        if d.ply & 1:
            d.base = -d.base
        return LIVE

    def locate_many(
        self, const uint64_t[::1] own, const uint64_t[::1] other, const int8_t[::1] last,
        const int8_t[::1] before, int16_t[::1] ply, uint64_t[::1] frame, uint64_t[::1] detail,
        int16_t[::1] base
    ):
        """Describe many positions.

        Args:
            own, other: marbles of the side to move and of the other one.
            last, before: fields of the last two marbles, -1 for none.
            ply, frame, detail, base: filled in for each position's record. Ply -1 is an ended game,
                with its margin in `base`; -2 is no position, or certainly not below the root.

        Raises:
            ValueError: the arrays are not equally long.
        """
        cdef Py_ssize_t i
        cdef int kind
        cdef Description d
        if not (
            other.shape[0] == last.shape[0] == before.shape[0] == ply.shape[0] == frame.shape[0]
            == detail.shape[0] == base.shape[0] == own.shape[0]
        ):
            raise ValueError(f"arrays that are not all of the length of the first, {own.shape[0]}")
        with nogil:
            for i in range(own.shape[0]):
                if not self.is_position(own[i], other[i], last[i], before[i]):
                    ply[i] = -2
                    continue
                kind = self.describe(
                    own[i], other[i], field_or_none(last[i]), field_or_none(before[i]), &d
                )
                base[i] = d.base
                if kind == LIVE:
                    ply[i], frame[i], detail[i] = d.ply, d.frame, d.detail
                else:
                    ply[i] = -1 if kind == OVER else -2
