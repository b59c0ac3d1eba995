"""The reader of databases with keys. `reader.pxd` shows how it finds a value."""

from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport acquire_load
from kulami_solver.core.records cimport DAMAGED, FOUND, PackedRecords
from kulami_solver.kulami.database.classes cimport Classes, Description
from kulami_solver.kulami.database.parts cimport PlyParts, part_of
from kulami_solver.kulami.database.reader cimport ABSENT, PRESENT, Reader


cdef class PackedReader(Reader):
    """Answers positions from a database with its keys.

    Args:
        classes: the mapping from positions to records.
        firsts, fetch: as for `Reader.set_up`; a part is a `PackedRecords`.
        damaged: called with the number of a damaged ply, returns the exception to raise.
    """

    def __cinit__(self, Classes classes not None, firsts, fetch, damaged):
        self.set_up(classes, firsts, fetch, PackedRecords)
        self.damaged = damaged

    cdef int seen(self, const Description *d, int *margin) noexcept nogil:
        """The margin of a record in a ply that is kept, if it can be found without Python."""
        cdef int value = 0, outcome
        cdef const PlyParts *parts = &self.ply[d.ply]
        cdef uint64_t address = acquire_load(&parts.part[part_of(parts, d.frame)])
        if address == 0:
            return UNSEEN
        outcome = (<PackedRecords><PyObject *>address).find(d.frame, d.detail, &value)
        if outcome == DAMAGED:
            return UNSEEN
        margin[0] = d.base + value
        return PRESENT if outcome == FOUND else ABSENT

    cdef int look_up(self, const Description *d, int *margin) except -1 nogil:
        cdef int outcome = self.seen(d, margin)
        if outcome == UNSEEN:
            self.part_with(d.ply, d.frame)
            outcome = self.seen(d, margin)
        if outcome == UNSEEN:
            with gil:
                raise self.damaged(d.ply)
        return outcome
