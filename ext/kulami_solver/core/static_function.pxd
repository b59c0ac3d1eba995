# A static function: words of bits that are found by keys, without the keys being stored
#
#   key -> hash (64 bits) -> chunk -> rows -> word
#
#   hash      chunk  = its upper end: hash * chunks / 2^64
#   chunk     begins[chunk] .. begins[chunk + 1] in `bits`, 64 bits a word, and a seed of 8 bits
#   seed      mixed with the hash, it gives a key's pattern (64 bits, the lowest is 1), its place
#             (32 bits) and its fingerprint (up to 16 bits)
#
#   row i     a window of 64 bits of the chunk, and the pattern rotated to the left by i:
#             bit i of the key's word is the parity of the bits that are 1 in both
#
#             place + i * TURN  (mod 2^32)  ->  the first bit of the row's window
#
#   chunk     0110100111010...........................................0100
#                     |<-------- window, 64 bits -------->|
#
# So each bit of each key's word is a linear equation over the bits of the chunk, and the writer
# solves them by Gaussian elimination: sorted by their first bits, the equations form a band (a
# "ribbon", Dillinger and Walzer 2021). If they contradict each other, it takes the next seed.
# Words may have different lengths, but a reader has to know when a word ends: they are words of a
# prefix code (Hreinsson, Kroyer and Pagh 2009).
#
# A key that is not among the writer's keys also gets some word. With a fingerprint of b bits,
# stored in b more rows, it passes for one of the keys with probability 2^-b.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from kulami_solver.core.bits cimport high_product, popcount, prefetch

cdef enum:
    CHUNK = 2048                # keys of a chunk, on average
    MOST_FINGERPRINT = 16
    WORD_BITS = 27              # of a word in `pack`: first bit lowest; above them its length

cdef struct Function:
    const uint64_t *bits
    const uint32_t *begins      # of each chunk, in words of 64 bits; then the end of the last one
    const uint8_t *seeds
    uint64_t chunks

cdef struct Rows:
    # The equations of one key.
    const uint64_t *bits        # of its chunk
    uint64_t windows            # number of possible windows; 0 if the chunk is empty
    uint64_t pattern
    uint32_t place
    uint32_t fingerprint


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    """A permutation of the words of 64 bits that mixes all their bits."""
    x = (x ^ x >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ x >> 27) * <uint64_t>0x94D049BB133111EB
    return x ^ x >> 31


cdef inline uint64_t hash_of(uint64_t frame, uint64_t detail, uint64_t salt) noexcept nogil:
    """The hash of a key of two words."""
    return mixed(mixed(frame + salt * <uint64_t>0x9E3779B97F4A7C15) + detail)


cdef inline void seeded(uint64_t hashed, int seed, Rows *rows) noexcept nogil:
    """Compute pattern, place and fingerprint of a hash by a seed."""
    cdef uint64_t x = mixed(hashed ^ <uint64_t>(seed + 1) * <uint64_t>0x9E3779B97F4A7C15)
    rows.pattern = x | 1
    x = mixed(x)
    rows.place = <uint32_t>(x >> 32)
    rows.fingerprint = <uint32_t>x & 0xFFFF


cdef inline uint64_t window_of(const Rows *rows, int i) noexcept nogil:
    """The first bit of row i's window."""
    cdef uint32_t place = rows.place + <uint32_t>i * <uint32_t>0x9E3779B9
    return <uint64_t>place * rows.windows >> 32


cdef inline uint64_t pattern_of(const Rows *rows, int i) noexcept nogil:
    """The pattern of row i."""
    return (rows.pattern << i | rows.pattern >> 1 >> (63 - i)) | 1


cdef inline void prefetch_chunk(const Function *f, uint64_t hashed) noexcept nogil:
    """Prefetch the memory that `open_rows` reads."""
    cdef uint64_t chunk = high_product(hashed, f.chunks)
    prefetch(f.begins + chunk)
    prefetch(f.seeds + chunk)


cdef inline void open_rows(const Function *f, uint64_t hashed, Rows *rows) noexcept nogil:
    """Find the chunk of a hash, and set up its rows."""
    cdef uint64_t chunk = high_product(hashed, f.chunks)
    cdef uint64_t begin = f.begins[chunk]
    cdef uint64_t size = f.begins[chunk + 1] - begin
    rows.bits = f.bits + begin
    rows.windows = 64 * size - 63 if size else 0
    seeded(hashed, f.seeds[chunk], rows)


cdef inline int read_row(const Rows *rows, int i) noexcept nogil:
    """Bit i of a key's word, 0 if the chunk has no bits."""
    cdef uint64_t at, word
    if rows.windows == 0:
        return 0
    at = window_of(rows, i)
    # One word follows the last chunk, so the second one is always there.
    word = rows.bits[at >> 6] >> (at & 63)
    word |= rows.bits[(at >> 6) + 1] << 1 << (63 - (at & 63))
    return popcount(word & pattern_of(rows, i)) & 1


cdef class StaticFunction:
    cdef object kept
    cdef Function function
    cdef uint64_t salt
