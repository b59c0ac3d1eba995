"""A solved database as an oracle: searches ask it for positions.

    position -> Classes -> ply, frame, detail -> parts of the ply -> part -> value

    parts of a ply      first    f0 f1 f2 ...     the first frame of each, rising
                        part     p0 0  p2 ...     the parts themselves, 0: not yet here

A part is fetched by Python when the first position of it is asked for, which is when it is compared
with its checksum. From then on a look-up takes no lock and no Python.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free as release

cimport cython

from kulami_solver.core.bits cimport acquire_load, popcount, release_store
from kulami_solver.core.records cimport DAMAGED, FOUND, PackedRecords
from kulami_solver.kulami.classes cimport LIVE, OVER, Classes, Description
from kulami_solver.kulami.oracle cimport FAILED, KNOWN, UNKNOWN, Oracle


cdef struct PlyParts:
    int count
    uint64_t *first
    uint64_t *part          # addresses of PackedRecords objects, which `kept` keeps


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
    cdef PlyParts *parts

    def __cinit__(self, Classes classes, firsts, fetch, damaged):
        cdef int i, j
        self.classes, self.fetch, self.damaged = classes, fetch, damaged
        self.kept = []
        self.parts = <PlyParts *>calloc(len(firsts) + 1, sizeof(PlyParts))
        if self.parts == NULL:
            raise MemoryError("no memory for the parts of a database")
        for i, frames in enumerate(firsts):
            self.parts[i].first = <uint64_t *>calloc(len(frames) + 1, sizeof(uint64_t))
            self.parts[i].part = <uint64_t *>calloc(len(frames) + 1, sizeof(uint64_t))
            self.plies = i + 1
            if self.parts[i].first == NULL or self.parts[i].part == NULL:
                raise MemoryError("no memory for the parts of a database")
            self.parts[i].count = len(frames)
            for j, frame in enumerate(frames):
                self.parts[i].first[j] = frame

    def __dealloc__(self):
        cdef int i
        for i in range(self.plies):
            release(self.parts[i].first)
            release(self.parts[i].part)
        release(self.parts)

    cdef int part_of(self, int ply, uint64_t frame) noexcept nogil:
        """The part of a ply that has a frame, if any has; parts are cut between frames."""
        cdef const PlyParts *parts = &self.parts[ply]
        cdef int low = 0, high = parts.count, middle
        while high - low > 1:
            middle = (low + high) >> 1
            if parts.first[middle] <= frame:
                low = middle
            else:
                high = middle
        return low

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
        part = self.part_of(d.ply, d.frame)
        address = acquire_load(&self.parts[d.ply].part[part])
        if address == 0:
            found = <PackedRecords?>self.fetch(d.ply, part)
            self.kept.append(found)
            address = <uint64_t><PyObject *>found
            release_store(&self.parts[d.ply].part[part], address)
        outcome = (<PackedRecords><PyObject *>address).find(d.frame, d.detail, &value)
        if outcome == DAMAGED:
            raise self.damaged(d.ply)
        return d.base + value if outcome == FOUND else None

    cdef uint64_t fetched(self, int ply, int part) noexcept nogil:
        """Have a part brought to its place; its address, 0 if that fails."""
        cdef uint64_t address = 0
        with gil:
            try:
                found = <PackedRecords?>self.fetch(ply, part)
                self.kept.append(found)
                address = <uint64_t><PyObject *>found
                release_store(&self.parts[ply].part[part], address)
            except BaseException as error:
                self.failure = error
        return address

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
        part = self.part_of(ply, d.frame)
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
