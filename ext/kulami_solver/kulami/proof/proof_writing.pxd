# A walk through a proof that writes its choices, bit by bit, in the form of the file

from libc.stdint cimport uint64_t

from kulami_solver.kulami.proof.proof_walk cimport Walk

cdef class Writer(Walk):
    cdef unsigned char *written
    cdef readonly uint64_t bits
    cdef uint64_t room

    cdef int write(self, int what) except -1 nogil
    cdef int write_field(self, int field, uint64_t moves) except -1 nogil
