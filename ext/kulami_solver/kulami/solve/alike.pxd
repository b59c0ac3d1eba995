# Lines that are alike: rows, or columns, that the panels cannot tell apart (`rules.pxd`)
#
# Where only panels count, the future of a position does not change if such lines are exchanged with
# all that is on them. So the table keeps one position of all that differ in this alone: the one
# with its lines sorted. docs/algorithms.md has the proof.

from libc.stdint cimport uint64_t

from kulami_solver.kulami.position.rules cimport Exchange, Tables


cdef inline void exchange_lines(const Exchange *e, uint64_t *fields) noexcept nogil:
    cdef uint64_t differing = (fields[0] ^ fields[0] >> e.distance) & e.fields
    fields[0] ^= differing | differing << e.distance


cdef inline bint sort_lines(const Tables *t, uint64_t *live, uint64_t *legal) noexcept nogil:
    """Sort lines that are alike, those with the highest live fields first; did any change?"""
    cdef const Exchange *e
    cdef uint64_t here, there
    cdef bint changed = False
    cdef int i
    for i in range(t.exchanges):
        e = &t.exchange[i]
        here = live[0] & e.fields
        there = live[0] >> e.distance & e.fields
        if here == there:
            here = legal[0] & e.fields
            there = legal[0] >> e.distance & e.fields
        if here < there:
            exchange_lines(e, live)
            exchange_lines(e, legal)
            changed = True
    return changed
