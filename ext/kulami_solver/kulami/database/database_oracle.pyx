"""A solved database as an oracle: searches ask it for positions.

It does not know plies that the file leaves out: a search that reaches one goes on to the next.
"""

from libc.stdint cimport uint64_t

cimport cython

from kulami_solver.core.bits cimport popcount
from kulami_solver.kulami.database.classes cimport LIVE, Description
from kulami_solver.kulami.solve.oracle cimport FAILED, KNOWN, UNKNOWN, Oracle
from kulami_solver.kulami.database.packed_reader cimport UNSEEN, PackedReader
from kulami_solver.kulami.database.reader cimport PRESENT


@cython.final
cdef class DatabaseOracle(Oracle):
    """Answers positions of one layout, scoring and number of marbles from a database.

    Args:
        reader: reads the database.
    """

    cdef PackedReader reader

    def __cinit__(self, PackedReader reader not None):
        self.reader = reader

    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil:
        cdef Description d
        cdef int outcome
        cdef int ply = popcount(own | other) - self.reader.classes.root_marbles
        if ply < 0 or ply >= self.reader.plies or self.reader.ply[ply].count == 0:
            return UNKNOWN
        if self.reader.classes.describe_going_on(own, other, legal, last, &d) != LIVE:
            return UNKNOWN
        outcome = self.reader.seen(&d, margin)
        if outcome == UNSEEN:
            with gil:
                try:
                    outcome = self.reader.look_up(&d, margin)
                except BaseException as error:
                    self.failure = error
                    return FAILED
        return KNOWN if outcome == PRESENT else UNKNOWN
