# The shards of a solved layer, in order, for the look-ups of the layer before it
#
#   first     frame that each shard begins with      shard  ->  frames, starts, details, values
#   count     frames of each shard                              (`shards.pxd`)

from libc.stdint cimport int16_t, uint64_t


cdef class SolvedLayer:
    cdef list kept
    cdef int shards
    cdef uint64_t *first            # frame of each shard
    cdef uint64_t *count            # frames of each shard
    cdef const uint64_t **frames
    cdef const uint64_t **starts
    cdef const uint64_t **details
    cdef const int16_t **values
    cdef bint find(self, int *shard, uint64_t *index, uint64_t frame) noexcept nogil
