"""Watching a search in the thread that searches: `watch.pxd` says when the watcher is called."""

cdef object watcher = None


def watched_by(function):
    """Have a function without arguments called now and then while a search runs.

    A search that the function itself begins is not watched.

    Args:
        function: may end the search; must not raise. None for nobody.

    Returns:
        What watched until now.

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
