"""What the searches that work on one question together share: `shared_search.pxd` shows it."""

from kulami_solver.core.bits cimport relaxed_store_32


cdef class SharedSearch:
    """The searches that work on one question together, as far as each has to know of the others.

    Args:
        size: how many they are, 1 or more. One alone needs nothing to be shared, and its searches
            are the same node for node every time.

    Raises:
        ValueError: there are none.
    """

    def __cinit__(self, int size):
        if size < 1:
            raise ValueError(f"a shared search of {size}: give 1 or more")
        self.size = size

    def stop(self) -> None:
        """End the running searches from another thread, soon."""
        relaxed_store_32(&self.control.stop, 1)

    def resume(self) -> None:
        """Forget an earlier stop."""
        relaxed_store_32(&self.control.stop, 0)

    def ask(self) -> None:
        """Begin a new question: no search has answered it yet."""
        relaxed_store_32(&self.control.answered, 0)
