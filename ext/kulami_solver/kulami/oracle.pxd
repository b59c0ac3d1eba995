# What a search may ask besides its table
#
# An oracle knows the margins of some positions. Where they come from, a file for instance, is its
# own affair: the search hands it words and gets a margin. Any number of searches may ask one at
# the same time, so what `look_up` reads must not change under it.

from libc.stdint cimport uint64_t

# What asking comes to.
cdef enum:
    UNKNOWN = 0
    KNOWN = 1
    FAILED = -1             # something is wrong with the oracle; `failure` says what


cdef class Oracle:
    cdef object failed_with             # read and written under the object's own lock
    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil
