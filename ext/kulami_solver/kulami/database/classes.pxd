# From a position to its record in a database
#
#   position            marbles of both sides, legal fields, newest marble
#      | describe
#   Description         ply     marbles since the root
#                       frame   [ live spots | number of a context ]
#                       detail  digits of panels or, where colours count, of spots
#                       base    margin = base + the record's value
#
# A spot is a live field of the root; `narrow` and `wide` turn fields into spots and back, a byte of
# the word at a time. A context is a pair: the legal fields, and the panel of the newest marble if
# it has a live field. Its number is found by hash.

from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t

from kulami_solver.kulami.position.rules cimport MAX_FIELDS, Geometry, Tables

cdef enum:
    NO_PANEL = 64

# Kinds of positions, as `describe` tells them apart.
cdef enum:
    LIVE = 0                # it has a record, if it is in the database at all
    OVER = 1                # the game is over: its margin is known
    FOREIGN = 2             # no position below the root has such a description

cdef struct Description:
    int ply
    uint64_t frame
    uint64_t detail
    int base                # margin less the record's value, for the side to move


cdef inline uint64_t mapped(const uint64_t (*table)[256], uint64_t members) noexcept nogil:
    """Turn fields into spots by `narrow`, or spots into fields by `wide`."""
    cdef uint64_t found = 0
    cdef int i = 0
    while members:
        found |= table[i][members & 255]
        members >>= 8
        i += 1
    return found


cdef class Classes:
    cdef Geometry geometry
    cdef const Tables *rules
    cdef bint areas, chains, colours
    cdef int supply, root_marbles, spots, context_bits, contexts
    cdef uint64_t root_own, root_other, root_live
    cdef uint8_t field[MAX_FIELDS]
    cdef uint8_t spot[MAX_FIELDS]
    cdef uint8_t shift[MAX_FIELDS]
    cdef uint8_t room[MAX_FIELDS]           # 0: the panel has no digit
    cdef uint64_t narrow[8][256]            # fields to spots, by bytes
    cdef uint64_t wide[8][256]              # spots to fields
    cdef uint64_t *context_legal            # as fields
    cdef uint8_t *context_barred
    cdef uint32_t *bucket                   # number of a context + 1, by hash
    cdef uint32_t buckets
    cdef uint32_t hashed(self, uint64_t legal, int barred) noexcept nogil
    cdef int64_t context(self, uint64_t legal, int barred) noexcept nogil
    cdef uint64_t live_fields(self, uint64_t free, uint64_t legal) noexcept nogil
    cdef int64_t frame_of(
        self, uint64_t free, uint64_t legal, int last, uint64_t *live
    ) noexcept nogil
    cdef bint detail_of(
        self, const int8_t *difference, uint64_t live, uint64_t before, uint64_t *detail, int *base
    ) noexcept nogil
    cdef uint64_t marbles_detail(self, uint64_t first) noexcept nogil
    cdef void marbles_of(
        self, uint64_t detail, uint64_t live, uint64_t *first, uint64_t *other
    ) noexcept nogil
    cdef bint is_position(
        self, uint64_t own, uint64_t other, int last, int before
    ) noexcept nogil
    cdef int margin(self, uint64_t own, uint64_t other) noexcept nogil
    cdef int describe(
        self, uint64_t own, uint64_t other, int last, int before, Description *d
    ) noexcept nogil
    cdef int describe_going_on(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, Description *d
    ) noexcept nogil
