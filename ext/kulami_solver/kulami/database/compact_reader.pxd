# Answers from a database without keys
#
#   frame, detail -> Predictor -> context -> code
#   frame         -> part -> hash -> rows -> bits -> symbol, fingerprint
#
# Its parts are StaticFunction objects.

from libc.stdint cimport int16_t, uint64_t

from kulami_solver.core.codebook cimport Codebook
from kulami_solver.core.static_function cimport Function, Rows
from kulami_solver.kulami.database.classes cimport Description
from kulami_solver.kulami.database.predictor cimport Predictor
from kulami_solver.kulami.database.reader cimport Reader

cdef struct Look:
    # A record that is being looked up.
    const int16_t *code     # of its context
    int base                # margin less the symbol
    const Function *function
    uint64_t hashed
    Rows rows


cdef class CompactReader(Reader):
    cdef Predictor predictor
    cdef Codebook codebook
    cdef int fingerprint
    cdef int begin(self, const Description *d, Look *look) except -1 nogil
    cdef int finish(self, Look *look, int *margin) noexcept nogil
