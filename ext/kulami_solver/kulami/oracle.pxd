# A solved database as the search asks it
#
#   position -> Classes -> ply, frame, detail -> shelf -> part -> value
#
#   shelf     one ply's parts     first    f0 f1 f2 ...     the first frame of each, rising
#                                 part     p0 0  p2 ...     the parts themselves, 0: not yet here
#
# A part is fetched by Python the first time a position of it is asked for, which is when it is
# compared with its checksum. From then on a look-up takes no lock and no Python: any number of
# searches may ask the same oracle. Who finds a part reads what was there before it was put on
# the shelf.

from libc.stdint cimport uint64_t

from kulami_solver.kulami.classes cimport Classes

cdef struct Shelf:
    int parts
    uint64_t *first
    uint64_t *part          # addresses of Part objects, which `kept` keeps


cdef class Oracle:
    cdef Classes classes
    cdef object fetch
    cdef object damaged
    cdef object kept
    cdef readonly object failure
    cdef int plies
    cdef Shelf *shelf
    cdef uint64_t fetched(self, int ply, int part) noexcept nogil
    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil
