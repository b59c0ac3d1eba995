"""Memory for a transposition table. How it is laid out and shared is in `table.pxd`."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free as release

import mmap
import sys

# Below this, memory that the process has already is cleared sooner than new pages are mapped.
cdef enum:
    LEAST_MAPPED = 2 << 20

# Memory that is shared with nobody can have huge pages; the default mapping cannot.
PRIVATE = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
)


cdef class TranspositionTable:
    """Room for the bounds of positions that searches have met, shared by all their threads.

    Args:
        size: bytes, at least 64; rounded down to whole cache lines. From 2 MiB on the memory comes
            zeroed from the operating system and is only taken as it is used.

    Raises:
        MemoryError: the system does not give that much.

    Example:
        >>> TranspositionTable(1 << 20).size
        1048576
    """

    def __cinit__(self, int64_t size):
        if size < <int64_t>sizeof(Bucket):
            raise ValueError(f"a table of {size} bytes: it needs at least {sizeof(Bucket)}")
        self.view.count = size // sizeof(Bucket)
        self.size = self.view.count * sizeof(Bucket)
        self.take_memory()

    def __dealloc__(self):
        release(self.block)

    def clear(self) -> None:
        """Forget everything. No search should be using the table: it would forget what it knows."""
        # The memory stays where it is, for a search that uses it all the same.
        cdef uint64_t i
        cdef int j
        if self.memory is not None and sys.platform == "linux":
            self.memory.madvise(mmap.MADV_DONTNEED)     # private pages are zeros after that
            return
        with nogil:
            for i in range(self.view.count):
                for j in range(ENTRIES):
                    relaxed_store(&self.view.buckets[i].entry[j].data, 0)
                    relaxed_store(&self.view.buckets[i].entry[j].check, 0)

    cdef int take_memory(self) except -1:
        """Have the buckets, all of them empty."""
        cdef unsigned char[::1] view
        if self.size < LEAST_MAPPED:
            self.block = calloc(self.view.count + 1, sizeof(Bucket))
            if self.block == NULL:
                raise MemoryError(f"no memory for a table of {self.size} bytes")
            # A bucket is to be one cache line.
            self.view.buckets = <Bucket *>(
                <uintptr_t>self.block + sizeof(Bucket) - 1 & ~<uintptr_t>(sizeof(Bucket) - 1)
            )
            return 0
        try:
            self.memory = mmap.mmap(-1, self.size, **PRIVATE)
        except (OSError, ValueError, OverflowError) as error:
            raise MemoryError(f"no memory for a table of {self.size} bytes: {error}") from None
        # Probes are random reads: with pages of 4 KiB nearly each one misses the TLB as well.
        if hasattr(mmap, "MADV_HUGEPAGE"):
            try:
                self.memory.madvise(mmap.MADV_HUGEPAGE)
            except OSError:
                pass
        view = self.memory
        self.view.buckets = <Bucket *>&view[0]
        return 0

    def used(self) -> float:
        """Share of a sample of entries that hold something, 0.0 to 1.0."""
        cdef uint64_t sample = min(self.view.count, <uint64_t>4096)
        cdef uint64_t i
        cdef int j, taken = 0
        for i in range(sample):
            for j in range(ENTRIES):
                taken += relaxed_load(&self.view.buckets[i].entry[j].data) != 0
        return taken / <double>(sample * ENTRIES)
