"""The words that keys are hashed with, and the oracle that knows nothing: see `table.pxd`."""

cimport cython
from libc.string cimport memcpy

from kulami_solver.core.hashing cimport draw_multipliers
from kulami_solver.kulami.solve.node cimport KEY_WORDS

cdef uint64_t[2 * KEY_WORDS] MULTIPLIERS

draw_multipliers(MULTIPLIERS, KEY_WORDS, 0x736561726368)


cdef void copy_multipliers(uint64_t *multiplier) noexcept:
    memcpy(multiplier, MULTIPLIERS, sizeof(MULTIPLIERS))


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
