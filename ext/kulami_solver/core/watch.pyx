"""Watching a search in its own thread: `watch.pxd` says when the watcher is called."""

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
