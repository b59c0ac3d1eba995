# An oracle: a source of margins that a search may ask besides its table
#
# An oracle knows the margins of some positions, for instance from a file. The search hands it words
# and gets a margin. Any number of searches may ask one at the same time, so the data that `look_up`
# reads must not change meanwhile.

from libc.stdint cimport uint64_t

# Outcomes of `look_up`.
cdef enum:
    UNKNOWN = 0
    KNOWN = 1
    FAILED = -1             # the oracle has a fault; `failure` says which


cdef class Oracle:
    cdef object failed_with             # read and written under the object's own lock
    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil
