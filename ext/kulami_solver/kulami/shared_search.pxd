# What the searches that work on one question together share, beside the table
#
#     control            stop, answered      one word each, polled by all
#     being_searched     signature signature 0 signature ...       by the lower bits of the index
#
# A search that meets, among its later moves, a position that another search is at puts it off until
# the others are done (as in ABDADA). Entries overwrite each other freely: they only decide in which
# order moves are searched.

from libc.stdint cimport int32_t, uint64_t

from kulami_solver.core.bits cimport relaxed_load, relaxed_store

cdef struct Control:
    # Written by one thread and looked at by others at every node that is not in an ending, in one
    # piece and in no particular order (`bits.pxd`). A write that is seen a little late costs a
    # little time, nothing else.
    int32_t stop            # come to an end: Ctrl-C, or a budget is used up
    int32_t answered        # one of the searches has the answer to the question of the moment

cdef enum:
    SLOTS = 1 << 12

cdef struct BeingSearched:
    uint64_t signature[SLOTS]           # 0: none


cdef inline bint is_being_searched(
    const BeingSearched *all, uint64_t index, uint64_t signature
) noexcept nogil:
    return relaxed_load(&all.signature[index & (SLOTS - 1)]) == signature


cdef inline void begin_searching(
    BeingSearched *all, uint64_t index, uint64_t signature
) noexcept nogil:
    relaxed_store(&all.signature[index & (SLOTS - 1)], signature)


cdef inline void end_searching(BeingSearched *all, uint64_t index) noexcept nogil:
    relaxed_store(&all.signature[index & (SLOTS - 1)], 0)


cdef class SharedSearch:
    cdef Control control
    cdef BeingSearched being_searched
    cdef readonly int size
