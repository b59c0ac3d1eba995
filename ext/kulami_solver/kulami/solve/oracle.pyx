"""A source of margins that a search may ask besides its table: see `oracle.pxd`."""


cimport cython


class Contradiction(AssertionError):
    """Values that a search was given, by an oracle or as bounds, cannot all be true."""


cdef class Oracle:
    """A base class that knows no position; real oracles derive from it.

    Attributes:
        failure: the exception of a failed look-up, None if there was none. It stays for all callers
            until somebody sets it to None.
    """

    @property
    def failure(self):
        with cython.critical_section(self):
            return self.failed_with

    @failure.setter
    def failure(self, error):
        with cython.critical_section(self):
            self.failed_with = error

    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil:
        """The margin of a position that is not over, for the side to move, if it is KNOWN.

        The side to move has the marbles `own` and may play the `legal` fields; `last` is the
        field of the newest marble.
        """
        return UNKNOWN
