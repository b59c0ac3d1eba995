"""Making shards: sort the positions that arrive for one, and keep each position once.

`shards.pxd` shows how a shard lies in memory.
"""

from libc.stdint cimport int16_t
from libc.stdlib cimport calloc, free as release
from libc.string cimport memcpy, memset

import numpy as np

from kulami_solver.core.bits cimport bit, prefetch

cdef enum:
    SHORT = 24              # lists up to this length are sorted by insertion
    AHEAD = 12              # how many refs ahead details are prefetched
    RADIX = 10              # bits sorted by at a time


cdef Ref *sort_refs(Ref *ref, Ref *spare, uint64_t n) noexcept nogil:
    """Sort by frame, some bits at a time from the lowest; return the array with the result."""
    cdef uint64_t count[1 << RADIX]
    cdef uint64_t varying = 0
    cdef uint64_t low = bit(RADIX) - 1
    cdef uint64_t i, total, before
    cdef int b
    cdef int shift = 0
    cdef Ref *swap
    for i in range(1, n):
        varying |= ref[i].frame ^ ref[0].frame
    while shift < 64 and varying >> shift:
        memset(count, 0, sizeof(count))
        for i in range(n):
            count[ref[i].frame >> shift & low] += 1
        total = 0
        for b in range(1 << RADIX):
            before = count[b]
            count[b] = total
            total += before
        for i in range(n):
            b = ref[i].frame >> shift & low
            spare[count[b]] = ref[i]
            count[b] += 1
        swap = ref
        ref = spare
        spare = swap
        shift += RADIX
    return ref


cdef void sort_words(uint64_t *word, uint64_t *spare, uint64_t n) noexcept nogil:
    """Sort by insertion in runs, then merge the runs, wider and wider."""
    cdef uint64_t begin, end, i, j, middle, k, width, x
    cdef uint64_t *source
    cdef uint64_t *target
    cdef uint64_t *swap
    begin = 0
    while begin < n:
        end = min(begin + SHORT, n)
        for i in range(begin + 1, end):
            x = word[i]
            j = i
            while j > begin and word[j - 1] > x:
                word[j] = word[j - 1]
                j -= 1
            word[j] = x
        begin = end
    width = SHORT
    source, target = word, spare
    while width < n:
        begin = 0
        while begin < n:
            middle = min(begin + width, n)
            end = min(begin + 2 * width, n)
            i, j, k = begin, middle, begin
            while i < middle and j < end:
                if source[j] < source[i]:
                    target[k] = source[j]
                    j += 1
                else:
                    target[k] = source[i]
                    i += 1
                k += 1
            memcpy(target + k, source + i, (middle - i) * sizeof(uint64_t))
            memcpy(target + k + middle - i, source + j, (end - j) * sizeof(uint64_t))
            begin = end
        swap = source
        source = target
        target = swap
        width *= 2
    if source != word:
        memcpy(word, source, n * sizeof(uint64_t))


cdef class Collation:
    """Makes shards out of details of many frames, in any order.

    Args:
        refs, details: upper bounds of their numbers in all shards.
        most_refs, most_details: upper bounds of their numbers in one shard.
    """

    def __cinit__(
        self, uint64_t refs, uint64_t details, uint64_t most_refs, uint64_t most_details
    ):
        # NumPy asks the system for huge pages for big arrays; malloc does not.
        self.arrays = (
            np.empty(refs + 1, np.uint64), np.empty(refs + 2, np.uint64),
            np.empty(details + 1, np.uint64),
        )
        self.frames, self.starts, self.details = self.arrays
        self.spare = np.empty((most_refs + 1) * REF_WORDS, np.uint64)
        self.scratch = np.empty(most_details + 1, np.uint64)
        self.starts[0] = 0
        self.count = 0

    cdef void add(self, Ref *ref, uint64_t n) noexcept nogil:
        """Add a shard after those already there; the order of the refs is lost."""
        cdef Ref *rank = sort_refs(ref, <Ref *>&self.spare[0], n)
        cdef uint64_t *frame = &self.frames[0]
        cdef uint64_t *start = &self.starts[0]
        cdef uint64_t *detail = &self.details[0]
        cdef uint64_t made = self.count
        cdef uint64_t out = start[made]
        cdef uint64_t i = 0, k, size, end
        while i < n:
            frame[made] = rank[i].frame
            start[made] = out
            end = out
            while i < n and rank[i].frame == frame[made]:
                size = count_of(&rank[i])
                if i + AHEAD < n:
                    prefetch(details_of(&rank[i + AHEAD]))
                memcpy(detail + end, details_of(&rank[i]), size * sizeof(uint64_t))
                end += size
                i += 1
            sort_words(detail + out, &self.scratch[0], end - out)
            k = out
            while out < end:
                if k == start[made] or detail[out] != detail[k - 1]:
                    detail[k] = detail[out]
                    k += 1
                out += 1
            out = k
            made += 1
        start[made] = out
        self.count = made

    cdef tuple shards(self):
        """All shards added so far: (frames, starts, details)."""
        frames, starts, details = self.arrays
        return (
            frames[:self.count], starts[:self.count + 1], details[:self.starts[self.count]]
        )


cdef class Shards:
    """Shards, in the form of arrays that belong to others."""

    def __cinit__(self, shards):
        cdef const uint64_t[::1] frames, starts, details
        cdef const int16_t[::1] values
        cdef Shard *here
        self.kept = []
        self.shard = <Shard *>calloc(len(shards) + 1, sizeof(Shard))
        if self.shard == NULL:
            raise MemoryError("no memory for a list of shards")
        for frames, starts, details, *more in shards:
            self.kept.append((frames, starts, details, more))
            here = &self.shard[self.count]
            self.count += 1
            here.count = frames.shape[0]
            if here.count:
                here.first = frames[0]
                here.frames, here.starts, here.details = &frames[0], &starts[0], &details[0]
                for values in more:
                    here.values = &values[0]

    def __dealloc__(self):
        release(self.shard)


cdef class Runs(Shards):
    """The runs of a ply: shards that overlap.

    Args:
        runs: their arrays (frames, starts, details).
    """

    def merged(self, uint64_t low, uint64_t high):
        """One shard of all positions of the runs from frame `low` to below `high`.

        From 0 to below 2^64 - 1 these are all positions; then the frames of a run may be in any
        order.

        Returns:
            (frames, starts, details).
        """
        cdef uint64_t n = 0, total = 0, made = 0, size, i
        cdef uint64_t[::1] memory
        cdef Collation collation
        cdef uint64_t[::1] cuts = np.empty(2 * self.count + 1, np.uint64)
        cdef uint64_t *cut = &cuts[0]
        cdef const Shard *run
        cdef Ref *ref
        cdef int r
        with nogil:
            for r in range(self.count):
                run = &self.shard[r]
                cut[2 * r] = first_at(run.frames, 0, run.count, low)
                cut[2 * r + 1] = first_at(run.frames, 0, run.count, high)
                size = 0
                if cut[2 * r + 1] > cut[2 * r]:
                    size = run.starts[cut[2 * r + 1]] - run.starts[cut[2 * r]]
                n += cut[2 * r + 1] - cut[2 * r] + (size >> COUNT_BITS)
                total += size
        memory = np.empty((n + 1) * REF_WORDS, np.uint64)
        ref = <Ref *>&memory[0]
        collation = Collation(n, total, n, total)
        with nogil:
            for r in range(self.count):
                run = &self.shard[r]
                for i in range(cut[2 * r], cut[2 * r + 1]):
                    made += refer(
                        ref + made, run.frames[i], run.details + run.starts[i],
                        run.starts[i + 1] - run.starts[i],
                    )
            collation.add(ref, made)
        return collation.shards()


cdef class SolvedLayer(Shards):
    """The shards of a solved layer, in order, for looking up values.

    Args:
        shards: their arrays (frames, starts, details, values).

    Raises:
        ValueError: they are out of order.
    """

    def __init__(self, shards):
        cdef int i
        for i in range(1, self.count):
            if self.shard[i].first <= self.shard[i - 1].frames[self.shard[i - 1].count - 1]:
                raise ValueError("parts that are out of order")

    cdef bint find(self, int *shard, uint64_t *index, uint64_t frame) noexcept nogil:
        """Move (shard, index) to a frame; false if it is not found. Near steps are cheap."""
        cdef const uint64_t *frames
        cdef uint64_t low, high, middle, i, count
        cdef uint64_t leap = 1
        cdef int left, right, centre
        cdef int at = shard[0]
        if self.count == 0:
            return False
        if frame < self.shard[at].first or (
            at + 1 < self.count and frame >= self.shard[at + 1].first
        ):
            left, right = 0, self.count
            while right - left > 1:
                centre = (left + right) >> 1
                if self.shard[centre].first <= frame:
                    left = centre
                else:
                    right = centre
            shard[0] = left
            at = left
            index[0] = 0
        frames = self.shard[at].frames
        count = self.shard[at].count
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
