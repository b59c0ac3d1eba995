# A transposition table that any number of threads share without a lock
#
#   bucket = one cache line of four entries
#   entry  = two 64-bit words
#
#     check   signature ^ data
#     data    63       48 47       40 39    32 31           16 15            0
#             | unused   | effort    | move   | upper + 2^15  | lower + 2^15  |
#
#   lower, upper   bounds of the stored value, -32768..32767; if equal, the value is exact
#   move           the move that led to the bounds, NO_MOVE if none is known
#   effort         cost of finding the entry: log2 of the nodes, in quarters
#
# Why an exact solver need not fear a wrong hit:
#
# * Two positions. A hit needs equal signatures, 64 bits that are not used to find the bucket. The
#   caller draws them from a family of hash functions in which two different positions agree with
#   probability at most 2^-63 (see `hashing.pxd`); four entries are compared at each probe, so a
#   search of 10^10 probes meets a false hit with probability below 5 * 10^-9.
# * Two threads. Words are read and written whole but not together, so a reader can meet the
#   check of one write and the data of another. If both wrote the same position, check ^ data
#   differs from its signature by the difference of the two data words, which is not 0, and the
#   entry does not match. If they wrote different positions, check ^ data is an unrelated number
#   that matches with probability 2^-64, as above.
# * Nothing stored. Data is never 0 in a stored entry (a bound of 0 is stored as 2^15), and an
#   entry with data 0 never matches.
#
# Lost and overwritten entries cost only time: bounds in the table hold for ever.

from libc.stdint cimport int64_t, uint64_t

from kulami_solver.core.bits cimport (
    high_product, prefetch, relaxed_load, relaxed_store,
)

cdef enum:
    NO_MOVE = 255
    ENTRIES = 4                         # of a bucket

cdef struct Entry:
    uint64_t check
    uint64_t data

cdef struct Bucket:
    Entry entry[ENTRIES]

cdef struct Table:
    Bucket *buckets
    uint64_t count

cdef struct Stored:
    int lower
    int upper
    int move


cdef inline Bucket *bucket_of(const Table *table, uint64_t index) noexcept nogil:
    """The bucket for a hash: its upper bits scaled to the number of buckets."""
    return table.buckets + high_product(index, table.count)


cdef inline void prefetch_bucket(const Table *table, uint64_t index) noexcept nogil:
    prefetch(bucket_of(table, index))


cdef inline uint64_t pack(int lower, int upper, int move, int effort) noexcept nogil:
    return (
        <uint64_t>(lower + 32768) | <uint64_t>(upper + 32768) << 16
        | <uint64_t>move << 32 | <uint64_t>effort << 40
    )


cdef inline bint probe(
    const Table *table, uint64_t index, uint64_t signature, Stored *found
) noexcept nogil:
    """Whether the position is in the table; if so, `found` gets its bounds and move."""
    cdef Bucket *bucket = bucket_of(table, index)
    cdef uint64_t data
    cdef int i
    for i in range(ENTRIES):
        data = relaxed_load(&bucket.entry[i].data)
        if relaxed_load(&bucket.entry[i].check) ^ data == signature and data:
            found.lower = <int>(data & 0xFFFF) - 32768
            found.upper = <int>(data >> 16 & 0xFFFF) - 32768
            found.move = <int>(data >> 32 & 0xFF)
            return True
    return False


cdef inline void store(
    const Table *table, uint64_t index, uint64_t signature,
    int lower, int upper, int move, int effort
) noexcept nogil:
    """Store bounds of a position: join them with its entry, or replace the cheapest entry."""
    cdef Bucket *bucket = bucket_of(table, index)
    cdef Entry *victim = &bucket.entry[0]
    cdef int cheapest = 256
    cdef int cost, known_lower, known_upper
    cdef uint64_t data
    cdef int i
    for i in range(ENTRIES):
        data = relaxed_load(&bucket.entry[i].data)
        if relaxed_load(&bucket.entry[i].check) ^ data == signature and data:
            known_lower = <int>(data & 0xFFFF) - 32768
            known_upper = <int>(data >> 16 & 0xFFFF) - 32768
            if move == NO_MOVE:
                move = <int>(data >> 32 & 0xFF)
            lower = max(lower, known_lower)
            upper = min(upper, known_upper)
            effort = max(effort, <int>(data >> 40 & 0xFF))
            victim = &bucket.entry[i]
            break
        cost = <int>(data >> 40 & 0xFF) if data else -1
        if cost < cheapest:
            cheapest = cost
            victim = &bucket.entry[i]
    data = pack(lower, upper, move, effort)
    relaxed_store(&victim.data, data)
    relaxed_store(&victim.check, signature ^ data)


cdef class TranspositionTable:
    cdef Table view
    cdef void *block                    # memory of a small table's buckets ...
    cdef object memory                  # ... and of a large one's: an mmap; the other is empty
    cdef readonly int64_t size          # bytes
    cdef int take_memory(self) except -1
