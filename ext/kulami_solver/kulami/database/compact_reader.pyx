"""The reader of databases without keys. `compact_reader.pxd` shows how it finds a value."""

from cpython.ref cimport PyObject
from libc.stdint cimport int16_t, int8_t, uint32_t, uint64_t

from kulami_solver.core.bits cimport bit, prefetch
from kulami_solver.core.codebook cimport Codebook
from kulami_solver.core.static_function cimport (
    StaticFunction, hash_of, open_rows, prefetch_chunk, read_row, window_of,
)
from kulami_solver.kulami.database.classes cimport LIVE, Classes, Description
from kulami_solver.kulami.database.predictor cimport FrameCells, Predictor
from kulami_solver.kulami.database.reader cimport ABSENT, PRESENT, Reader, field_or_none

cdef enum:
    TOGETHER = 16               # positions of a batch whose memory is prefetched together
    ROWS = 4                    # rows of a word that are prefetched


cdef class CompactReader(Reader):
    """Answers positions from a database without keys.

    Args:
        classes: the mapping from positions to records.
        predictor: finds the contexts of records.
        codebook: has the codes of the contexts.
        firsts, fetch: as for `Reader.set_up`; a part is a `StaticFunction`.
        fingerprint: bits of each record's fingerprint.
    """

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
                    if not self.is_position(own[i], other[i], last[i], before[i]):
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
            frames ... values: records, as `PackedRecords.unpack` gives them.

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
