# Live fields: the free fields that the plies to come can still reach
#
#     ply 1     the legal fields
#     ply 2     `second`: the row and column of each of these, without the last panel
#     ply 3     ... and the row and column of each field of `second`
#     later     ... and those of any field found so far
#
# A field that drops out never comes back: a field within reach after a move was within reach
# before it. So a node looks only among its parent's live fields.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport lowest
from kulami_solver.kulami.position.rules cimport Tables


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
    """The `free` fields within reach; `first` and `second` are those of the first two plies.

    Barred panels are ignored, and from the third ply on the number of plies is, too. So the
    result may contain a few fields too many.
    """
    cdef uint64_t found = first | second
    cdef uint64_t rest = second
    cdef uint64_t missing, new
    if plies <= 2:
        return found
    # The third ply: usually a few fields of the second lead to all the others.
    while rest and found != free:
        found |= t.cross[lowest(rest)] & free
        rest &= rest - 1
    # Few fields are missing now: look from each of them whether it meets a found one.
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
