"""A solved database as an oracle: searches ask it for positions.

    position -> Classes -> ply, frame, detail -> parts of the ply -> part -> value
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

cimport cython

from kulami_solver.core.bits cimport acquire_load, popcount, release_store
from kulami_solver.core.records cimport DAMAGED, FOUND, PackedRecords
from kulami_solver.kulami.classes cimport LIVE, OVER, Classes, Description
from kulami_solver.kulami.oracle cimport FAILED, KNOWN, UNKNOWN, Oracle
from kulami_solver.kulami.parts cimport PlyParts, part_of, release_parts, room_for_parts


@cython.final
cdef class DatabaseOracle(Oracle):
    """Answers positions of one layout, scoring and number of marbles from a database.

    Args:
        classes: what its records stand for.
        firsts: of each ply, the first frames of its parts, rising.
        fetch: called with the numbers of a ply and of a part of it; returns the `PackedRecords`.
        damaged: called with the number of a ply, gives the exception that says it is damaged.
    """

    cdef Classes classes
    cdef object fetch
    cdef object damaged
    cdef list kept
    cdef int plies
    cdef PlyParts *parts    # they are PackedRecords objects, which `kept` keeps

    def __cinit__(self, Classes classes, firsts, fetch, damaged):
        self.classes, self.fetch, self.damaged = classes, fetch, damaged
        self.kept = []
        self.parts = room_for_parts(firsts)
        self.plies = len(firsts)

    def __dealloc__(self):
        release_parts(self.parts, self.plies)

    def get(self, uint64_t own, uint64_t other, int last, int before):
        """The margin of a position, None if it is not in the file.

        Args:
            own, other: marbles of the side to move and of the other one.
            last, before: fields of the last two marbles, -1 for none.

        Raises:
            ValueError: a field is not on the layout, or has a marble of both sides.
        """
        cdef Description d
        cdef int kind, part, outcome, value = 0
        cdef uint64_t address
        self.classes.geometry.check_marbles(own, other)
        kind = self.classes.describe(
            own, other, self.classes.geometry.checked(last), self.classes.geometry.checked(before),
            &d,
        )
        if kind == OVER:
            return d.base
        if kind != LIVE or d.ply >= self.plies:
            return None
        part = part_of(&self.parts[d.ply], d.frame)
        address = acquire_load(&self.parts[d.ply].part[part])
        if address == 0:
            address = self.brought(d.ply, part)
        outcome = (<PackedRecords><PyObject *>address).find(d.frame, d.detail, &value)
        if outcome == DAMAGED:
            raise self.damaged(d.ply)
        return d.base + value if outcome == FOUND else None

    cdef uint64_t brought(self, int ply, int part) except 0:
        """Have a part brought to its place; its address."""
        cdef uint64_t address
        found = <PackedRecords?>self.fetch(ply, part)
        self.kept.append(found)
        address = <uint64_t><PyObject *>found
        release_store(&self.parts[ply].part[part], address)
        return address

    cdef uint64_t fetched(self, int ply, int part) noexcept nogil:
        """The same for a search, which is without the GIL; 0 if it fails."""
        with gil:
            try:
                return self.brought(ply, part)
            except BaseException as error:
                self.failure = error
        return 0

    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil:
        cdef Description d
        cdef uint64_t address
        cdef int part, outcome, value = 0
        cdef int ply = popcount(own | other) - self.classes.root_marbles
        if ply < 0 or ply >= self.plies:
            return UNKNOWN
        if self.classes.describe_going_on(own, other, legal, last, &d) != LIVE:
            return UNKNOWN
        part = part_of(&self.parts[ply], d.frame)
        address = acquire_load(&self.parts[ply].part[part])
        if address == 0:
            address = self.fetched(ply, part)
            if address == 0:
                return FAILED
        outcome = (<PackedRecords><PyObject *>address).find(d.frame, d.detail, &value)
        if outcome == DAMAGED:
            with gil:
                self.failure = self.damaged(ply)
            return FAILED
        margin[0] = d.base + value
        return KNOWN if outcome == FOUND else UNKNOWN
