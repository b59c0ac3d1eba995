"""Databases of any kind, asked for single positions.

    position -> Classes -> ply, frame, detail, base
      a ply that is kept       look_up, which each kind of file implements
      one that is left out     the best value after a move

    PackedReader     of a file with keys; its parts are PackedRecords
                     frame -> part -> block -> record -> value
    CompactReader    of one without keys; its parts are StaticFunctions
                     frame, detail -> Predictor -> context -> code
                     frame         -> part -> hash -> rows -> bits -> symbol, fingerprint

The parts of a ply:

    first    f0 f1 f2 ...     the first frame of each, rising
    part     p0 0  p2 ...     the parts themselves, 0: not loaded yet

Python fetches a part, and compares it with its checksum, when a position in it is first asked for.
From then on a look-up takes no lock and no Python.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int16_t, int8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free as release

cimport cython

from kulami_solver.core.bits cimport (
    acquire_load, bit, lowest, popcount, prefetch, release_store,
)
from kulami_solver.core.codebook cimport Codebook
from kulami_solver.core.records cimport DAMAGED, FOUND, PackedRecords
from kulami_solver.core.static_function cimport (
    Function, Rows, StaticFunction, hash_of, open_rows, prefetch_chunk, read_row, window_of,
)
from kulami_solver.kulami.database.classes cimport FOREIGN, LIVE, OVER, Classes, Description
from kulami_solver.kulami.database.predictor cimport FrameCells, Predictor
from kulami_solver.kulami.position.rules cimport MINUS_INFINITY, field_or_none, legal_fields
from kulami_solver.kulami.solve.oracle cimport FAILED, KNOWN, UNKNOWN, Oracle

cdef enum:
    # Outcomes of looking for a position.
    ABSENT = 0
    PRESENT = 1
    UNSEEN = 2                  # the part is not here, or is damaged

cdef enum:
    TOGETHER = 16               # positions of a batch whose memory is prefetched together
    ROWS = 4                    # rows of a word that are prefetched

cdef struct PlyParts:
    int count               # 0: the ply is left out of the database
    uint64_t *first
    uint64_t *part          # addresses of objects, which their owner keeps alive


cdef PlyParts *room_for_parts(firsts) except NULL:
    """Make room for the parts of each ply, given the first frames of the parts; load none."""
    cdef int i, j
    cdef PlyParts *parts = <PlyParts *>calloc(len(firsts) + 1, sizeof(PlyParts))
    if parts == NULL:
        raise MemoryError("no memory for the parts of a database")
    for i, frames in enumerate(firsts):
        parts[i].first = <uint64_t *>calloc(len(frames) + 1, sizeof(uint64_t))
        parts[i].part = <uint64_t *>calloc(len(frames) + 1, sizeof(uint64_t))
        if parts[i].first == NULL or parts[i].part == NULL:
            release_parts(parts, i + 1)
            raise MemoryError("no memory for the parts of a database")
        parts[i].count = len(frames)
        for j, frame in enumerate(frames):
            parts[i].first[j] = frame
    return parts


cdef void release_parts(PlyParts *parts, int plies) noexcept:
    """Free the room."""
    cdef int i
    for i in range(plies):
        release(parts[i].first)
        release(parts[i].part)
    release(parts)


cdef inline int part_of(const PlyParts *parts, uint64_t frame) noexcept nogil:
    """The only part of a ply that can have a frame; parts are cut between frames."""
    cdef int low = 0, high = parts.count, middle
    while high - low > 1:
        middle = (low + high) >> 1
        if parts.first[middle] <= frame:
            low = middle
        else:
            high = middle
    return low


cdef class Reader:
    """Answers positions from a database; the kinds of file derive from it."""

    cdef Classes classes
    cdef object fetch
    cdef type kind          # class of the parts
    cdef list kept
    cdef int plies
    cdef PlyParts *ply      # addresses of parts, which `kept` keeps alive

    cdef int set_up(self, Classes classes, firsts, fetch, type kind) except -1:
        """Set up the fields that all kinds of reader share.

        Args:
            classes: the mapping from positions to records.
            firsts: for each ply, the first frames of its parts, rising; empty for a ply left out.
                The last ply that has any is at most 15 before the last.
            fetch: called with the numbers of a ply and of a part of it; returns the part.
            kind: the type of a part.
        """
        self.classes, self.fetch, self.kind = classes, fetch, kind
        self.kept = []
        self.ply = room_for_parts(firsts)
        self.plies = len(firsts)
        return 0

    def __dealloc__(self):
        if self.ply != NULL:
            release_parts(self.ply, self.plies)

    cdef uint64_t part_with(self, int ply, uint64_t frame) except 0 nogil:
        """The address of the only part of a ply that can have a frame."""
        cdef int part = part_of(&self.ply[ply], frame)
        cdef uint64_t address = acquire_load(&self.ply[ply].part[part])
        return address if address != 0 else self.fetched(ply, part)

    cdef uint64_t fetched(self, int ply, int part) except 0 with gil:
        """Fetch a part, enter it in its place, and return its address."""
        cdef uint64_t address
        found = self.fetch(ply, part)
        if not isinstance(found, self.kind):
            raise TypeError(f"a part of a database that is a {type(found).__name__}")
        self.kept.append(found)
        address = <uint64_t><PyObject *>found
        release_store(&self.ply[ply].part[part], address)
        return address

    cdef int look_up(self, const Description *d, int *margin) except -1 nogil:
        """The margin of a record in a ply that is kept."""
        return ABSENT

    cdef int margin_of(
        self, uint64_t own, uint64_t other, int last, int before, int *margin
    ) except -1 nogil:
        """The margin of a position; ABSENT if it cannot be in the database or is not found."""
        cdef Description d
        cdef uint64_t legal
        cdef int best = MINUS_INFINITY
        cdef int x, after = 0
        cdef int kind = self.classes.describe(own, other, last, before, &d)
        if kind == OVER:
            margin[0] = d.base
            return PRESENT
        if kind == FOREIGN or d.ply >= self.plies:
            return ABSENT
        if self.ply[d.ply].count:
            return self.look_up(&d, margin)
        legal = legal_fields(self.classes.rules, own | other, last, before)
        while legal:
            x = lowest(legal)
            legal &= legal - 1
            if self.margin_of(other, own | bit(x), x, last, &after) == ABSENT:
                return ABSENT
            best = max(best, -after)
        margin[0] = best
        return PRESENT

    def get(self, uint64_t own, uint64_t other, int last, int before):
        """The margin of a position, None if it cannot be in the database or is found not to be.

        Args:
            own, other: marbles of the side to move and of the other one.
            last, before: fields of the last two marbles, -1 for none.

        Raises:
            ValueError: a field is not on the layout, or has a marble of both sides.
        """
        cdef int margin = 0
        cdef int outcome
        last, before = self.classes.geometry.checked(last), self.classes.geometry.checked(before)
        self.classes.geometry.check_marbles(own, other)
        with nogil:
            outcome = self.margin_of(own, other, last, before, &margin)
        return margin if outcome == PRESENT else None

    def get_many(
        self, const uint64_t[::1] own not None, const uint64_t[::1] other not None,
        const int8_t[::1] last not None, const int8_t[::1] before not None,
        int16_t[::1] margins not None, int absent
    ):
        """`get` for arrays; `absent` stands for None, and for anything that is no position.

        Raises:
            ValueError: the arrays are not equally long.
        """
        cdef Py_ssize_t i, n = own.shape[0]
        cdef int margin = 0
        if not (
            other.shape[0] == last.shape[0] == before.shape[0] == margins.shape[0] == n
        ):
            raise ValueError(f"arrays that are not all of the length of the first, {n}")
        with nogil:
            for i in range(n):
                margins[i] = absent
                if (
                    self.classes.is_position(own[i], other[i], last[i], before[i])
                    and self.margin_of(
                        own[i], other[i], field_or_none(last[i]), field_or_none(before[i]), &margin
                    ) == PRESENT
                ):
                    margins[i] = margin


cdef class PackedReader(Reader):
    """Answers positions from a database with its keys.

    Args:
        classes: the mapping from positions to records.
        firsts, fetch: as for `Reader.set_up`; a part is a `PackedRecords`.
        damaged: called with the number of a damaged ply, returns the exception to raise.
    """

    cdef object damaged     # called with the number of a ply, returns the exception to raise

    def __cinit__(self, Classes classes not None, firsts, fetch, damaged):
        self.set_up(classes, firsts, fetch, PackedRecords)
        self.damaged = damaged

    cdef int seen(self, const Description *d, int *margin) noexcept nogil:
        """The margin of a record in a ply that is kept, if it can be found without Python."""
        cdef int value = 0, outcome
        cdef const PlyParts *parts = &self.ply[d.ply]
        cdef uint64_t address = acquire_load(&parts.part[part_of(parts, d.frame)])
        if address == 0:
            return UNSEEN
        outcome = (<PackedRecords><PyObject *>address).find(d.frame, d.detail, &value)
        if outcome == DAMAGED:
            return UNSEEN
        margin[0] = d.base + value
        return PRESENT if outcome == FOUND else ABSENT

    cdef int look_up(self, const Description *d, int *margin) except -1 nogil:
        cdef int outcome = self.seen(d, margin)
        if outcome == UNSEEN:
            self.part_with(d.ply, d.frame)
            outcome = self.seen(d, margin)
        if outcome == UNSEEN:
            with gil:
                raise self.damaged(d.ply)
        return outcome


cdef struct Look:
    # A record that is being looked up.
    const int16_t *code     # of its context
    int base                # margin less the symbol
    const Function *function
    uint64_t hashed
    Rows rows


cdef class CompactReader(Reader):
    """Answers positions from a database without keys.

    Args:
        classes: the mapping from positions to records.
        predictor: finds the contexts of records.
        codebook: has the codes of the contexts.
        firsts, fetch: as for `Reader.set_up`; a part is a `StaticFunction`.
        fingerprint: bits of each record's fingerprint.
    """

    cdef Predictor predictor
    cdef Codebook codebook
    cdef int fingerprint

    def __cinit__(
        self, Classes classes not None, Predictor predictor not None, Codebook codebook not None,
        firsts, fetch, int fingerprint
    ):
        self.set_up(classes, firsts, fetch, StaticFunction)
        self.predictor, self.codebook = predictor, codebook
        self.fingerprint = fingerprint

    cdef int look_up(self, const Description *d, int *margin) except -1 nogil:
        """The margin of a record in a ply that is kept."""
        cdef Look look
        if self.begin(d, &look) == ABSENT:
            return ABSENT
        open_rows(look.function, look.hashed, &look.rows)
        return self.finish(&look, margin)

    cdef int begin(self, const Description *d, Look *look) except -1 nogil:
        """Find the code and the part of a record; ABSENT if its context has no code."""
        cdef uint64_t address
        cdef FrameCells cells
        cdef int base
        self.predictor.enter(d.ply, d.frame, &cells)
        look.code = self.codebook.find(self.predictor.context(&cells, d.detail, &base, NULL))
        if look.code == NULL:
            return ABSENT
        look.base = d.base + base
        address = self.part_with(d.ply, d.frame)
        look.function = &(<StaticFunction><PyObject *>address).function
        look.hashed = hash_of(d.frame, d.detail, (<StaticFunction><PyObject *>address).salt)
        return PRESENT

    cdef int finish(self, Look *look, int *margin) noexcept nogil:
        """The margin of a record whose rows are open; ABSENT if its fingerprint differs."""
        cdef const int16_t *code = look.code
        cdef uint32_t word, first, count
        cdef int length, longest, i
        # Canonical code: `first` is the first word of this length.
        longest = code[0]
        length = 0
        word = first = 0
        i = 1 + longest
        while length < longest:
            word = word << 1 | read_row(&look.rows, length)
            first <<= 1
            length += 1
            count = code[length]
            if word - first < count:
                i += word - first
                break
            i += count
            first += count
        margin[0] = look.base + code[i]
        for i in range(self.fingerprint):
            if read_row(&look.rows, length + i) != <int>(look.rows.fingerprint >> i & 1):
                return ABSENT
        return PRESENT

    def get_many(
        self, const uint64_t[::1] own not None, const uint64_t[::1] other not None,
        const int8_t[::1] last not None, const int8_t[::1] before not None,
        int16_t[::1] margins not None, int absent
    ):
        """As `Reader.get_many`, with memory prefetched for several positions together."""
        cdef Py_ssize_t i = 0, k, end, n = own.shape[0]
        cdef int margin = 0, kind, a, b, rows, waiting
        cdef Description d
        cdef Look look[TOGETHER]
        cdef Py_ssize_t place[TOGETHER]
        if not (
            other.shape[0] == last.shape[0] == before.shape[0] == margins.shape[0] == n
        ):
            raise ValueError(f"arrays that are not all of the length of the first, {n}")
        with nogil:
            while i < n:
                # 1. Describe each position, and prefetch its chunk.
                waiting = 0
                end = min(i + TOGETHER, n)
                for i in range(i, end):
                    margins[i] = absent
                    if not self.classes.is_position(own[i], other[i], last[i], before[i]):
                        continue
                    a, b = field_or_none(last[i]), field_or_none(before[i])
                    kind = self.classes.describe(own[i], other[i], a, b, &d)
                    if kind == LIVE and d.ply < self.plies and self.ply[d.ply].count:
                        if self.begin(&d, &look[waiting]) == PRESENT:
                            prefetch_chunk(look[waiting].function, look[waiting].hashed)
                            place[waiting] = i
                            waiting += 1
                    elif self.margin_of(own[i], other[i], a, b, &margin) == PRESENT:
                        margins[i] = margin
                i = end
                # 2. Prefetch the bits of the chunks; most words need no more rows than these.
                for k in range(waiting):
                    open_rows(look[k].function, look[k].hashed, &look[k].rows)
                    for rows in range(min(<int>look[k].code[0], ROWS) + self.fingerprint):
                        prefetch(look[k].rows.bits + (window_of(&look[k].rows, rows) >> 6))
                # 3. Read the words.
                for k in range(waiting):
                    if self.finish(&look[k], &margin) == PRESENT:
                        margins[place[k]] = margin

    def first_other(
        self, int ply, const uint64_t[::1] frames not None, const uint64_t[::1] starts not None,
        const uint64_t[::1] details not None, const int16_t[::1] values not None
    ) -> int:
        """The number of the first record whose value differs from the one found here, -1 for none.

        Args:
            ply: the records' distance from the root; a ply that is kept.
            frames ... values: records, as `unpack` gives them.

        Raises:
            ValueError: these are no records of this database.
        """
        cdef Description d
        cdef Py_ssize_t i, j
        cdef Py_ssize_t wrong = -1
        cdef uint64_t context_mask = bit(self.classes.context_bits) - 1
        cdef int value = 0
        if (
            not 0 <= ply < self.plies or self.ply[ply].count == 0
            or starts.shape[0] != frames.shape[0] + 1 or values.shape[0] != details.shape[0]
            or starts[frames.shape[0]] != <uint64_t>details.shape[0]
        ):
            raise ValueError("arrays of records that do not go together")
        d.ply, d.base = ply, 0
        with nogil:
            for i in range(frames.shape[0]):
                d.frame = frames[i]
                for j in range(<Py_ssize_t>starts[i], <Py_ssize_t>starts[i + 1]):
                    d.detail = details[j]
                    if (
                        frames[i] & context_mask >= <uint64_t>self.classes.contexts
                        or self.look_up(&d, &value) != PRESENT or value != values[j]
                    ):
                        wrong = j
                        break
                if wrong >= 0:
                    break
        return wrong


@cython.final
cdef class DatabaseOracle(Oracle):
    """Answers positions of one layout, scoring and number of marbles from a database.

    Args:
        reader: reads the database.
    """

    cdef PackedReader reader

    def __cinit__(self, PackedReader reader not None):
        self.reader = reader

    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil:
        cdef Description d
        cdef int outcome
        cdef int ply = popcount(own | other) - self.reader.classes.root_marbles
        if ply < 0 or ply >= self.reader.plies or self.reader.ply[ply].count == 0:
            return UNKNOWN
        if self.reader.classes.describe_going_on(own, other, legal, last, &d) != LIVE:
            return UNKNOWN
        outcome = self.reader.seen(&d, margin)
        if outcome == UNSEEN:
            with gil:
                try:
                    outcome = self.reader.look_up(&d, margin)
                except BaseException as error:
                    self.failure = error
                    return FAILED
        return KNOWN if outcome == PRESENT else UNKNOWN
