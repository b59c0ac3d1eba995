# A database of any kind, asked for single positions
#
#   position -> Classes -> ply, frame, detail, base
#     a ply that is kept       look_up, which each kind of file implements
#     one that is left out     the best value after a move
#
#   PackedReader     of a file with keys       packed_reader.pxd
#   CompactReader    of one without keys       compact_reader.pxd

from libc.stdint cimport uint64_t

from kulami_solver.kulami.database.classes cimport Classes, Description
from kulami_solver.kulami.database.parts cimport PlyParts
from kulami_solver.kulami.position.rules cimport NO_FIELD

# Outcomes of looking for a position.
cdef enum:
    ABSENT = 0
    PRESENT = 1


cdef class Reader:
    cdef Classes classes
    cdef object fetch
    cdef type kind          # class of the parts
    cdef list kept
    cdef int plies
    cdef PlyParts *ply      # addresses of parts, which `kept` keeps alive
    cdef int set_up(self, Classes classes, firsts, fetch, type kind) except -1
    cdef bint is_position(
        self, uint64_t own, uint64_t other, int last, int before
    ) noexcept nogil
    cdef uint64_t part_with(self, int ply, uint64_t frame) except 0 nogil
    cdef uint64_t fetched(self, int ply, int part) except 0 with gil
    cdef int look_up(self, const Description *d, int *margin) except -1 nogil
    cdef int margin_of(
        self, uint64_t own, uint64_t other, int last, int before, int *margin
    ) except -1 nogil


cdef inline int field_or_none(int number) noexcept nogil:
    """A field from an array, in which a negative number stands for none."""
    return NO_FIELD if number < 0 else number
