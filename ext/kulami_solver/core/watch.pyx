"""Ending a running search, and watching it in its own thread; see `watch.pxd`."""

from libc.stdint cimport INT64_MAX

from kulami_solver.core.bits cimport counted, relaxed_store_32

cdef object watcher = None


def watched_by(function):
    """Set the function that is called now and then while a search runs.

    A search that the function itself begins is not watched.

    Args:
        function: takes no arguments, may end the search, and must not raise. None for none.

    Returns:
        The function that was set before.

    Examples:
        >>> before = watched_by(print)
        >>> watched_by(before) is print
        True
    """
    global watcher
    before, watcher = watcher, function
    return before


cdef void call_watcher() noexcept nogil:
    with gil:
        before = watched_by(None)
        if before is not None:
            try:
                before()
            finally:
                watched_by(before)


cdef class Limited:
    """A search that can be stopped, and that counts its positions."""

    def __cinit__(self):
        self.allowed = &self.allowance
        self.limit_nodes(-1)

    def stop(self) -> None:
        """End the running search soon, from another thread, and all later ones."""
        relaxed_store_32(&self.allowed.stop, 1)

    def limit_nodes(self, int64_t nodes) -> None:
        """End searches after this many more positions; below 0: no limit."""
        self.allowed.limit = INT64_MAX if nodes < 0 else self.allowed.nodes + nodes

    @property
    def nodes(self) -> int:
        """Positions searched so far; may be read while a search runs."""
        return counted(&self.allowed.nodes)
