"""The data that searches of one question share: see `shared_search.pxd`."""

from kulami_solver.core.bits cimport relaxed_store_32


cdef class SharedSearch:
    """The data that the searches of one question share.

    Args:
        size: number of searches, 1 or more. One alone shares nothing, and its searches
            are the same node for node every time.

    Raises:
        ValueError: the size is below 1.
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
