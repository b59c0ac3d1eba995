# How a running search learns that it has to end
#
#   with threads        another thread sets the flag; a look at it is one load
#   WebAssembly         there is one thread, so no other thread can set it: at every LOOKS-th look
#                       the search calls its watcher (`watch.pyx`), which may set the flag
#
# A search looks at the flag at every position that it counts, a few million times a second, so the
# watcher is called about every millisecond. On other platforms the call is compiled away.

from libc.stdint cimport int32_t

from kulami_solver.core.bits cimport relaxed_load_32

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
