# Answers from a database without keys
#
#   position -> Classes -> ply, frame, detail, base
#     a ply that is kept       frame, detail -> Predictor -> context -> code
#                              frame          -> part -> hash -> rows -> bits -> symbol, fingerprint
#     one that is left out     the best of what its moves lead to

from libc.stdint cimport int16_t, uint64_t

from kulami_solver.core.codebook cimport Codebook
from kulami_solver.core.static_function cimport Function, Rows
from kulami_solver.kulami.classes cimport Classes, Description
from kulami_solver.kulami.parts cimport PlyParts
from kulami_solver.kulami.predictor cimport Predictor

# What looking for a position comes to.
cdef enum:
    ABSENT = 0
    FOUND = 1

cdef struct Look:
    # A record that is being looked up.
    const int16_t *code     # of its context
    int base                # what its margin has besides its symbol
    const Function *function
    uint64_t hashed
    Rows rows


cdef class CompactReader:
    cdef Classes classes
    cdef Predictor predictor
    cdef Codebook codebook
    cdef object fetch
    cdef list kept
    cdef int fingerprint
    cdef int plies
    cdef PlyParts *ply      # their parts are StaticFunction objects, which `kept` keeps
    cdef uint64_t fetched(self, int ply, int part) except 0 with gil
    cdef int look_up(self, const Description *d, int *margin) except -1 nogil
    cdef int begin(self, const Description *d, Look *look) except -1 nogil
    cdef int finish(self, Look *look, int *margin) noexcept nogil
    cdef int margin_of(
        self, uint64_t own, uint64_t other, int last, int before, int *margin
    ) except -1 nogil
