# The parts of a database, ply by ply, as the readers find them
#
#   parts of a ply      first    f0 f1 f2 ...     the first frame of each, rising
#                       part     p0 0  p2 ...     the parts themselves, 0: not loaded yet
#
# Python fetches a part, and compares it with its checksum, when a position in it is first asked
# for. From then on a look-up takes no lock and no Python.

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free as release

cdef struct PlyParts:
    int count               # 0: the ply is left out of the database
    uint64_t *first
    uint64_t *part          # addresses of objects, which their owner keeps alive


cdef inline PlyParts *room_for_parts(firsts) except NULL:
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


cdef inline void release_parts(PlyParts *parts, int plies) noexcept:
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
