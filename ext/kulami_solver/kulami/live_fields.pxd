# Live fields: the free fields that the plies to come can still reach
#
#     ply 1     the legal fields
#     ply 2     `second`: what lies in the row or column of one of these, off the last panel
#     ply 3     ... and what lies in the row or column of a field of `second`
#     later     ... and in that of any field found so far
#
# A field that drops out never comes back: whatever a move leaves within reach was within reach
# before it. So a node looks among its parent's live fields only.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport lowest
from kulami_solver.kulami.rules cimport Tables


cdef inline uint64_t neighbours(const Tables *t, uint64_t fields) noexcept nogil:
    """The rows and columns of all the fields, each without its own panel."""
    cdef uint64_t found = 0
    while fields:
        found |= t.cross[lowest(fields)]
        fields &= fields - 1
    return found


cdef inline uint64_t reachable(
    const Tables *t, uint64_t first, uint64_t second, uint64_t free, int plies
) noexcept nogil:
    """The `free` fields that the plies can come to; `first` and `second` are the first two's.

    Neither bars nor, from the third on, the number of plies is minded, so some fields too many may
    be among them.
    """
    cdef uint64_t found = first | second
    cdef uint64_t rest = second
    cdef uint64_t missing, new
    if plies <= 2:
        return found
    # The third ply: as a rule a few fields of the second lead to all the others.
    while rest and found != free:
        found |= t.cross[lowest(rest)] & free
        rest &= rest - 1
    # What is missing then is little, and each field of it looks whether it meets a found one.
    missing = free & ~found
    while missing:
        new = 0
        rest = missing
        while rest:
            new |= rest & (~rest + 1) & -<uint64_t>((t.cross[lowest(rest)] & found) != 0)
            rest &= rest - 1
        if not new:
            break
        found |= new
        missing &= ~new
    return found
