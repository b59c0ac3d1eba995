"""Memory for a transposition table. `table.pxd` shows its layout, and how threads share it."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free as release

import mmap

# Below this size, clearing memory of the process is faster than mapping new pages.
cdef enum:
    LEAST_MAPPED = 2 << 20

# Private memory can have huge pages; the default mapping is shared, and cannot.
PRIVATE = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
)


cdef class TranspositionTable:
    """Room for the bounds of positions that searches have met, shared by all their threads.

    Args:
        size: bytes, at least 64; rounded down to whole cache lines. From 2 MiB on, the operating
            system gives zeroed memory, and allocates it only as it is used.

    Raises:
        MemoryError: the system does not have enough memory.

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

    cdef int take_memory(self) except -1:
        """Allocate the buckets, all of them empty."""
        cdef unsigned char[::1] view
        if self.size < LEAST_MAPPED:
            self.block = calloc(self.view.count + 1, sizeof(Bucket))
            if self.block == NULL:
                raise MemoryError(f"no memory for a table of {self.size} bytes")
            # Align the buckets with cache lines.
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
