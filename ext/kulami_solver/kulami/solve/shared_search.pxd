# The data that searches of one question share, besides the table
#
#     control            stop, answered      one word each, polled by all
#     being_searched     signature signature 0 signature ...       by the lower bits of the index
#
# If a later move of a search leads to a position that another search is working on, the search puts
# the move off until its other moves are done (as in ABDADA). Entries overwrite each other freely:
# they only decide the order in which moves are searched.

from libc.stdint cimport int32_t, uint64_t

from kulami_solver.core.bits cimport relaxed_load, relaxed_store

cdef struct Control:
    # Any thread may write a word, and all read both at every node outside endings, each in one
    # piece and in no particular order (`bits.pxd`). A write that is seen a little late costs only
    # a little time.
    int32_t stop            # end the search: Ctrl-C, or a budget is used up
    int32_t answered        # one of the searches has answered the present question

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
