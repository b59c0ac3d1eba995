# How a running search learns that it has to end
#
#   with threads        another thread sets the flag; a look at it is one load
#   WebAssembly         there is one thread, so no other thread can set it: at every LOOKS-th look
#                       the search calls its watcher (`watch.pyx`), which may set the flag
#
# A search looks at the flag at every position that it counts, a few million times a second, so the
# watcher is called about every millisecond. On other platforms the call is compiled away.

from libc.stdint cimport int32_t, int64_t

from kulami_solver.core.bits cimport count, relaxed_load_32, unlikely

cdef struct Allowance:              # of a search
    int32_t stop                    # written by another thread: end the search
    bint abandoned                  # the question was left without an answer
    int64_t nodes                   # positions searched; read by any thread
    int64_t limit                   # end the search at this number of nodes

cdef extern from *:
    """
    #ifdef __wasm__
      #define KULAMI_LOOKS 1024
      static unsigned kulami_looks;
      #define kulami_is_watched() (++kulami_looks % KULAMI_LOOKS == 0)
    #else
      #define kulami_is_watched() 0
    #endif
    """
    bint is_watched "kulami_is_watched"() noexcept nogil


cdef void call_watcher() noexcept nogil


cdef inline int32_t is_told(const int32_t *flag) noexcept nogil:
    """The flag that tells a search to end."""
    if is_watched():
        call_watcher()
    return relaxed_load_32(flag)


cdef inline bint may_enter(Allowance *a) noexcept nogil:
    """Count a position; False if the search has to end."""
    if unlikely(is_told(&a.stop) or a.nodes >= a.limit):
        a.abandoned = True
        return False
    count(&a.nodes, 1)
    return True


cdef class Limited:
    cdef Allowance allowance
    cdef Allowance *allowed         # `allowance`, or one that lies in what the search looks at
