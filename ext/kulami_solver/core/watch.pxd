# How a running search learns that it has to end
#
#   the flag        any thread may set it; a look at it is one load
#   the watcher     at every LOOKS-th look the search reads the clock; when it is time, it calls its
#                   watcher, which sees to Ctrl-C, budgets and progress, and may set the flag
#
# So no other thread has to run for a search to end: there may be none (WebAssembly), it may stand
# still (a debugger), or it may run only when this one waits (gevent). A search looks at every
# position that it counts, but not in endings: from ten thousand to some million times a second.

from libc.stdint cimport int32_t, int64_t, uint32_t

from kulami_solver.core.bits cimport count, relaxed_load_32, unlikely

cdef enum:
    LOOKS = 64

cdef struct Watch:                  # of a search, by the thread that searches
    void *watcher                   # a `Watcher`; NULL for none
    int64_t due                     # when it is called next, in nanoseconds of a steady clock
    uint32_t looks

cdef struct Allowance:              # of a search
    int32_t stop                    # written by any thread: end the search
    bint abandoned                  # the question was left without an answer
    int64_t nodes                   # positions searched; read by any thread
    int64_t limit                   # end the search at this number of nodes
    Watch watch


cdef void watch(Watch *w, Watcher watcher) noexcept
cdef void look_round(Watch *w) noexcept nogil


cdef inline int32_t is_told(const int32_t *flag, Watch *w) noexcept nogil:
    """The flag that tells a search to end."""
    w.looks += 1
    if unlikely(w.looks % LOOKS == 0 and w.watcher != NULL):
        look_round(w)
    return relaxed_load_32(flag)


cdef inline bint may_enter(Allowance *a) noexcept nogil:
    """Count a position; False if the search has to end."""
    if unlikely(is_told(&a.stop, &a.watch) or a.nodes >= a.limit):
        a.abandoned = True
        return False
    count(&a.nodes, 1)
    return True


cdef class Watcher:
    cdef object look
    cdef object stop
    cdef readonly object failure
    cdef double wait
    cdef double call(self)


cdef class Limited:
    cdef Allowance allowance
    cdef Allowance *allowed         # `allowance`, or one that lies in what the search looks at
    cdef Watcher watcher
