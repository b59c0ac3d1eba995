"""A solved layer for looking up values. Data layout: `solved_layer.pxd`."""

from libc.stdlib cimport free as release, malloc


cdef class SolvedLayer:
    """The shards of a solved layer, in order, for looking up values.

    Args:
        shards: for each, the arrays (frames, starts, details, values), none of them empty.
    """

    def __cinit__(self, shards):
        cdef const uint64_t[::1] words
        cdef const int16_t[::1] shorts
        cdef int i = 0
        self.kept = []
        self.shards = len(shards)
        self.first = <uint64_t *>malloc((self.shards + 1) * sizeof(uint64_t))
        self.count = <uint64_t *>malloc((self.shards + 1) * sizeof(uint64_t))
        self.frames = <const uint64_t **>malloc((self.shards + 1) * sizeof(void *))
        self.starts = <const uint64_t **>malloc((self.shards + 1) * sizeof(void *))
        self.details = <const uint64_t **>malloc((self.shards + 1) * sizeof(void *))
        self.values = <const int16_t **>malloc((self.shards + 1) * sizeof(void *))
        if (self.first == NULL or self.count == NULL or self.frames == NULL
                or self.starts == NULL or self.details == NULL or self.values == NULL):
            raise MemoryError("no memory for a list of shards")
        for frames, starts, details, values in shards:
            words = frames
            self.kept.append(words)
            self.frames[i] = &words[0]
            self.first[i] = words[0]
            self.count[i] = words.shape[0]
            words = starts
            self.kept.append(words)
            self.starts[i] = &words[0]
            words = details
            self.kept.append(words)
            self.details[i] = &words[0]
            shorts = values
            self.kept.append(shorts)
            self.values[i] = &shorts[0]
            i += 1

    def __dealloc__(self):
        release(self.first)
        release(self.count)
        release(self.frames)
        release(self.starts)
        release(self.details)
        release(self.values)

    cdef bint find(self, int *shard, uint64_t *index, uint64_t frame) noexcept nogil:
        """Move (shard, index) to a frame; false if it is not found. Near steps are cheap."""
        cdef const uint64_t *frames
        cdef uint64_t low, high, middle, i, count
        cdef uint64_t leap = 1
        cdef int left, right, centre
        cdef int at = shard[0]
        if self.shards == 0:
            return False
        if frame < self.first[at] or (at + 1 < self.shards and frame >= self.first[at + 1]):
            left, right = 0, self.shards
            while right - left > 1:
                centre = (left + right) >> 1
                if self.first[centre] <= frame:
                    left = centre
                else:
                    right = centre
            shard[0] = left
            at = left
            index[0] = 0
        frames = self.frames[at]
        count = self.count[at]
        i = index[0]
        # Leaps of doubling width until `frame` lies in low <= . < high.
        if frames[i] <= frame:
            low, high = i, i + 1
            while high < count and frames[high] <= frame:
                low = high
                high += leap
                leap <<= 1
            high = min(high, count)
        else:
            low = high = i
            while low > 0 and frames[low] > frame:
                high = low
                low = low - leap if low > leap else 0
                leap <<= 1
        while high - low > 1:
            middle = (low + high) >> 1
            if frames[middle] <= frame:
                low = middle
            else:
                high = middle
        index[0] = low
        return frames[low] == frame
