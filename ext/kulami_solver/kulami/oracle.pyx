"""What a search may ask besides its table: `oracle.pxd` says what is expected of it."""


cimport cython


class Contradiction(AssertionError):
    """Values that a search was given, by an oracle or as bounds, cannot all be true."""


cdef class Oracle:
    """Knows nothing of any position; those that do derive from it.

    Attributes:
        failure: the exception that a look-up failed with, None if there was none. It stays for all
            who ask, until somebody sets it to None.
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
        """The margin, for the side to move, of a position that goes on, if it is KNOWN.

        The side to move has the marbles `own` and may play the `legal` fields; `last` is the
        field of the newest marble.
        """
        return UNKNOWN
