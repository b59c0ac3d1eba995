# How a running search learns that it is to come to an end
#
#   with threads        another thread sets the flag; a look at it is one load
#   WebAssembly         there is one thread, so nobody else can set it: at one look of LOOKS the
#                       search calls what watches it (`watch.pyx`), which may set the flag
#
# A search looks at every position that it counts, a few million times a second: the watcher is
# called about every millisecond. What it costs elsewhere is nothing, as the call is compiled away.

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
    """What the flag says, by which a search is told to come to an end."""
    if is_watched():
        call_watcher()
    return relaxed_load_32(flag)
