"""A database, asked for single positions.

    position -> Classes -> ply, frame, detail, base
    frame    -> part    -> block -> record -> value

The parts of a ply:

    first    f0 f1 f2 ...     the first frame of each, rising
    part     p0 0  p2 ...     the parts themselves, 0: not loaded yet

Python fetches a part, and compares it with its checksum, when a position in it is first asked for.
From then on a look-up takes no lock and no Python.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free as release

cimport cython

from kulami_solver.core.bits cimport acquire_load, popcount, release_store
from kulami_solver.core.records cimport DAMAGED, FOUND, PackedRecords
from kulami_solver.kulami.database.classes cimport FOREIGN, LIVE, OVER, Classes, Description
from kulami_solver.kulami.solve.table cimport FAILED, KNOWN, UNKNOWN, Oracle

cdef enum:
    # Outcomes of looking for a position.
    ABSENT = 0
    PRESENT = 1
    UNSEEN = 2                  # the part is not here, or is damaged

cdef struct PlyParts:
    int count
    uint64_t *first
    uint64_t *part          # addresses of objects, which their owner keeps alive


cdef PlyParts *room_for_parts(firsts) except NULL:
    """Make room for the parts of each ply, given the first frames of the parts; load none."""
    cdef int i, j
    cdef PlyParts *parts = <PlyParts *>calloc(len(firsts) + 1, sizeof(PlyParts))
    if parts == NULL:
        raise MemoryError("no memory for the parts of a database")
    for i, frames in enumerate(firsts):
        parts[i].first = <uint64_t *>calloc(len(frames) + 1, sizeof(uint64_t))
        parts[i].part = <uint64_t *>calloc(len(frames) + 1, sizeof(uint64_t))
        if parts[i].first == NULL or parts[i].part == NULL:
            release_parts(parts, i + 1)
            raise MemoryError("no memory for the parts of a database")
        parts[i].count = len(frames)
        for j, frame in enumerate(frames):
            parts[i].first[j] = frame
    return parts


cdef void release_parts(PlyParts *parts, int plies) noexcept:
    """Free the room."""
    cdef int i
    for i in range(plies):
        release(parts[i].first)
        release(parts[i].part)
    release(parts)


cdef inline int part_of(const PlyParts *parts, uint64_t frame) noexcept nogil:
    """The only part of a ply that can have a frame; parts are cut between frames."""
    cdef int low = 0, high = parts.count, middle
    while high - low > 1:
        middle = (low + high) >> 1
        if parts.first[middle] <= frame:
            low = middle
        else:
            high = middle
    return low


cdef class Reader:
    """Answers positions from a database.

    Args:
        classes: the mapping from positions to records.
        firsts: for each ply, the first frames of its parts, rising.
        fetch: called with the numbers of a ply and of a part of it; returns a `PackedRecords`.
        damaged: called with the number of a damaged ply, returns the exception to raise.
    """

    cdef Classes classes
    cdef object fetch
    cdef object damaged
    cdef list kept
    cdef int plies
    cdef PlyParts *ply      # addresses of parts, which `kept` keeps alive

    def __cinit__(self, Classes classes not None, firsts, fetch, damaged):
        self.classes, self.fetch, self.damaged = classes, fetch, damaged
        self.kept = []
        self.ply = room_for_parts(firsts)
        self.plies = len(firsts)

    def __dealloc__(self):
        if self.ply != NULL:
            release_parts(self.ply, self.plies)

    cdef int load(self, const Description *d) except -1 with gil:
        """Fetch the only part that can have a record, and enter it in its place."""
        cdef int part = part_of(&self.ply[d.ply], d.frame)
        cdef PackedRecords found = self.fetch(d.ply, part)
        self.kept.append(found)
        release_store(&self.ply[d.ply].part[part], <uint64_t><PyObject *>found)
        return 0

    cdef int seen(self, const Description *d, int *margin) noexcept nogil:
        """The margin of a record, if it can be found without Python."""
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
        """The margin of a record."""
        cdef int outcome = self.seen(d, margin)
        if outcome == UNSEEN:
            self.load(d)
            outcome = self.seen(d, margin)
        if outcome == UNSEEN:
            with gil:
                raise self.damaged(d.ply)
        return outcome

    cdef int margin_of(
        self, uint64_t own, uint64_t other, int last, int before, int *margin
    ) except -1 nogil:
        """The margin of a position; ABSENT if it cannot be in the database or is not found."""
        cdef Description d
        cdef int kind = self.classes.describe(own, other, last, before, &d)
        if kind == OVER:
            margin[0] = d.base
            return PRESENT
        if kind == FOREIGN or d.ply >= self.plies:
            return ABSENT
        return self.look_up(&d, margin)

    def get(self, uint64_t own, uint64_t other, int last, int before):
        """The margin of a position, None if it cannot be in the database or is found not to be.

        Args:
            own, other: marbles of the side to move and of the other one.
            last, before: fields of the last two marbles, -1 for none.

        Raises:
            ValueError: a field is not on the layout, or has a marble of both sides.
        """
        cdef int margin = 0
        cdef int outcome
        last, before = self.classes.geometry.checked(last), self.classes.geometry.checked(before)
        self.classes.geometry.check_marbles(own, other)
        with nogil:
            outcome = self.margin_of(own, other, last, before, &margin)
        return margin if outcome == PRESENT else None


@cython.final
cdef class DatabaseOracle(Oracle):
    """Answers positions of one layout, scoring and number of marbles from a database.

    Args:
        reader: reads the database.
    """

    cdef Reader reader

    def __cinit__(self, Reader reader not None):
        self.reader = reader

    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil:
        cdef Description d
        cdef int outcome
        cdef int ply = popcount(own | other) - self.reader.classes.root_marbles
        if ply < 0 or ply >= self.reader.plies:
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
