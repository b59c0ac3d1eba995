# Answers from a database with its keys
#
#   frame -> part -> block -> record -> value
#
# Its parts are PackedRecords objects.

from kulami_solver.kulami.database.classes cimport Description
from kulami_solver.kulami.database.reader cimport Reader

cdef enum:
    UNSEEN = 2              # besides those of `reader.pxd`: the part is not here, or is damaged


cdef class PackedReader(Reader):
    cdef object damaged     # called with the number of a ply, returns the exception to raise
    cdef int seen(self, const Description *d, int *margin) noexcept nogil
