# A shard, a range of a layer: its form in memory, and how it is put together
#
# Sorted by (frame, detail), in three arrays, and a fourth once it is solved:
#
#   frames    [ f0 f1 f2 ... ]           strictly rising
#   starts    [ 0  3  4 ... n ]          details of frame i are starts[i] .. starts[i + 1]
#   details   [ d d d | d | ... ]        strictly rising within a frame
#   values    [ v v v | v | ... ]        of the same length, once it is solved
#
# Positions arrive in any order and more than once. Refs to them are sorted: a ref is a frame, and
# the place of some of its details.
#
#   where     [ address / 8 (45 bits) | how many (19 bits) ]

from libc.stdint cimport int16_t, uint64_t

from kulami_solver.core.bits cimport bit

cdef enum:
    REF_WORDS = 2           # of 64 bits, in a Ref
    COUNT_BITS = 19         # addresses have at most 48 bits, and details lie at multiples of 8

cdef struct Ref:
    # Some details of a frame, and their place in memory.
    uint64_t frame
    uint64_t where


cdef inline uint64_t refer(
    Ref *ref, uint64_t frame, const uint64_t *details, uint64_t count
) noexcept nogil:
    """Make refs to these details, several if there are very many; return their number."""
    cdef uint64_t made = 0
    cdef uint64_t part
    cdef uint64_t most = bit(COUNT_BITS) - 1
    while count:
        part = count if count < most else most
        ref[made].frame = frame
        ref[made].where = (<uint64_t><size_t>details >> 3) << COUNT_BITS | part
        made += 1
        details += part
        count -= part
    return made


cdef inline const uint64_t *details_of(const Ref *ref) noexcept nogil:
    return <const uint64_t *><size_t>((ref.where >> COUNT_BITS) << 3)


cdef inline uint64_t count_of(const Ref *ref) noexcept nogil:
    return ref.where & (bit(COUNT_BITS) - 1)


# Shards that are put together one after the other in the same arrays.
cdef class Collation:
    cdef tuple arrays
    cdef uint64_t[::1] frames
    cdef uint64_t[::1] starts
    cdef uint64_t[::1] details
    cdef uint64_t[::1] spare        # room to sort refs
    cdef uint64_t[::1] scratch      # ... and the details of a frame
    cdef uint64_t count             # of frames
    cdef void add(self, Ref *ref, uint64_t n) noexcept nogil
    cdef tuple shards(self)


cdef inline uint64_t first_at(
    const uint64_t *rising, uint64_t low, uint64_t high, uint64_t wanted
) noexcept nogil:
    """The first index from `low` to `high` at which `wanted` could stand: all before are less."""
    cdef uint64_t middle
    while low < high:
        middle = (low + high) >> 1
        if rising[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


cdef struct Shard:
    uint64_t first          # frame
    uint64_t count          # of frames
    const uint64_t *frames
    const uint64_t *starts
    const uint64_t *details
    const int16_t *values   # NULL before it is solved


# Some shards, each with the arrays that others hold.
cdef class Shards:
    cdef list kept
    cdef int count
    cdef Shard *shard


# The runs of a ply, which overlap. The shards of the next ply are made from them: each is a range
# of frames from all runs.
cdef class Runs(Shards):
    pass


# The shards of a solved layer, in order, for the look-ups of the layer before it.
cdef class SolvedLayer(Shards):
    cdef bint find(self, int *shard, uint64_t *index, uint64_t frame) noexcept nogil
