"""Choices of a proof, written in the form of its file."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free as release, realloc

from kulami_solver.kulami.proof.proof_rules cimport bit, popcount


cdef class Writer(Walk):
    """A walk that writes its choices down.

    Attributes:
        bits: the number of bits written.
    """

    def __dealloc__(self):
        release(self.written)

    cdef int write(self, int what) except -1 nogil:
        """Write a bit."""
        cdef unsigned char *more
        if self.bits >> 3 == self.room:
            more = <unsigned char *>realloc(self.written, 2 * self.room + 64)
            if more == NULL:
                with gil:
                    raise MemoryError("no memory for a proof")
            self.written, self.room = more, 2 * self.room + 64
        if not self.bits & 7:
            self.written[self.bits >> 3] = 0
        self.written[self.bits >> 3] |= what << (self.bits & 7)
        self.bits += 1
        return 0

    cdef int write_field(self, int field, uint64_t moves) except -1 nogil:
        """Write the number of the field that a step `Ge` names, among the moves."""
        cdef int count = popcount(moves), number = popcount(moves & (bit(field) - 1))
        cdef int i = 0
        while 1 << i < count:
            self.write(number >> i & 1)
            i += 1
        return 0

    @property
    def choices(self) -> bytes:
        """The bits written so far, in the form of the file."""
        return self.written[:(self.bits + 7) >> 3]
