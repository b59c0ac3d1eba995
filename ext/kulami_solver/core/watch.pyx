"""Ending a running search, and watching it in its own thread; see `watch.pxd`."""

from libc.stdint cimport INT64_MAX

from kulami_solver.core.bits cimport counted, relaxed_store_32

cdef extern from *:
    """
    #ifdef _WIN32
      #define WIN32_LEAN_AND_MEAN
      #include <windows.h>
      static int64_t kulami_steady_clock(void) { return (int64_t)GetTickCount64() * 1000000; }
    #else
      #include <time.h>
      #ifdef __EMSCRIPTEN__
        /* Compiled by the headers of another libc, in which a clock is the address of an object. */
        #undef CLOCK_MONOTONIC
        #define CLOCK_MONOTONIC ((clockid_t)1)
      #endif
      static int64_t kulami_steady_clock(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
      }
    #endif
    """
    int64_t steady_clock "kulami_steady_clock"() noexcept nogil


cdef class Watcher:
    """What is called now and then while a search runs, by any thread that searches.

    Args:
        look: takes no arguments, and returns after how many seconds it is to be called again.
        stop: ends the search.
        wait: seconds until the first call.

    Attributes:
        failure: what `look` has raised, Ctrl-C among it; None for nothing. It ended the search.
    """

    def __init__(self, look, stop, double wait):
        self.look, self.stop, self.wait = look, stop, wait

    cdef double call(self):
        """Call `look`; return the seconds until the next call."""
        # A signal's handler may raise before the first statement of what is called here.
        try:
            if self.failure is None:
                return self.look()
        except BaseException as failure:
            self.failure = failure
        try:
            self.stop()
        except BaseException:
            pass                    # it is tried again
        return 0.0


cdef void watch(Watch *w, Watcher watcher) noexcept:
    """Have a search watched; the caller keeps the watcher alive meanwhile. None for nobody."""
    w.watcher = NULL if watcher is None else <void *>watcher
    if watcher is not None:
        w.due = steady_clock() + <int64_t>(watcher.wait * 1e9)


cdef void look_round(Watch *w) noexcept nogil:
    """Call the watcher, if it is time."""
    cdef double wait
    if steady_clock() < w.due:
        return
    with gil:
        w.due = INT64_MAX           # a search that the watcher itself begins may be this one
        wait = (<Watcher>w.watcher).call()
        w.due = steady_clock() + <int64_t>(wait * 1e9)


cdef class Limited:
    """A search that can be stopped, and that counts its positions."""

    def __cinit__(self):
        self.allowed = &self.allowance
        self.limit_nodes(-1)

    def stop(self) -> None:
        """End the running search soon, from any thread, and all later ones."""
        relaxed_store_32(&self.allowed.stop, 1)

    def watched_by(self, Watcher watcher) -> None:
        """Have the searches of this thread watched; None for nobody."""
        self.watcher = watcher
        watch(&self.allowed.watch, watcher)

    def limit_nodes(self, int64_t nodes) -> None:
        """End searches after this many more positions; below 0: no limit."""
        self.allowed.limit = INT64_MAX if nodes < 0 else self.allowed.nodes + nodes

    @property
    def nodes(self) -> int:
        """Positions searched so far; may be read while a search runs."""
        return counted(&self.allowed.nodes)
