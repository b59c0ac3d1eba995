"""Writing static functions. Data layout: `static_function.pxd`."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free as release, realloc
from libc.string cimport memset

import numpy as np

from kulami_solver.core.bits cimport high_product, lowest, popcount
from kulami_solver.core.static_function cimport (
    CHUNK, MOST_FINGERPRINT, WORD_BITS, Rows, hash_of, pattern_of, seeded, window_of,
)

cdef enum:
    # Bits of a chunk beyond the number of its equations, in 1/64: with fewer, most seeds fail.
    SPARE = 2
    PATIENCE = 4                # number of seeds tried before a chunk gets 64 bits more
    SEEDS = 256

cdef struct Band:
    # The equations of a chunk in echelon form: at most one begins at each bit.
    uint64_t room
    uint64_t *pattern           # of the equation that begins there, 0 for none; its lowest bit is 1
    uint8_t *right              # parity of its bits


cdef inline bint add_row(Band *band, uint64_t at, uint64_t pattern, int right) noexcept nogil:
    """Add an equation; false if it contradicts the others."""
    cdef int step
    while band.pattern[at]:
        pattern ^= band.pattern[at]
        right ^= band.right[at]
        if pattern == 0:
            return right == 0
        step = lowest(pattern)
        at += step
        pattern >>= step
    band.pattern[at] = pattern
    band.right[at] = right
    return True


cdef void solve_band(const Band *band, uint64_t words, uint64_t *bits) noexcept nogil:
    """Find bits that satisfy all equations, from the last to the first."""
    cdef uint64_t after = 0     # the 64 bits from here on
    cdef uint64_t at = 64 * words
    while at:
        at -= 1
        after <<= 1
        after |= (popcount(band.pattern[at] & after) & 1) ^ band.right[at]
        if at & 63 == 0:
            bits[at >> 6] = after


cdef bint fill_band(
    Band *band, uint64_t words, int seed, int fingerprint, uint64_t keys, const uint64_t *hashes,
    const uint32_t *codes
) noexcept nogil:
    """Add all equations of a chunk; false if they contradict each other."""
    cdef Rows rows
    cdef uint64_t k
    cdef uint32_t code
    cdef int i, length
    memset(band.pattern, 0, 64 * words * sizeof(uint64_t))
    memset(band.right, 0, 64 * words)
    rows.windows = 64 * words - 63
    for k in range(keys):
        seeded(hashes[k], seed, &rows)
        code = codes[k]
        length = <int>(code >> WORD_BITS)
        for i in range(length):
            if not add_row(band, window_of(&rows, i), pattern_of(&rows, i), code >> i & 1):
                return False
        for i in range(fingerprint):
            if not add_row(
                band, window_of(&rows, length + i), pattern_of(&rows, length + i),
                rows.fingerprint >> i & 1,
            ):
                return False
    return True


cdef bint make_room(Band *band, uint64_t words) noexcept nogil:
    """Make a band long enough; false if there is no memory."""
    cdef void *pattern
    cdef void *right
    if words <= band.room:
        return True
    pattern = realloc(band.pattern, 64 * words * sizeof(uint64_t))
    if pattern != NULL:
        band.pattern = <uint64_t *>pattern
    right = realloc(band.right, 64 * words)
    if right != NULL:
        band.right = <uint8_t *>right
    if pattern == NULL or right == NULL:
        return False
    band.room = words
    return True


def hashes_of(
    const uint64_t[::1] frames not None, const uint64_t[::1] starts not None,
    const uint64_t[::1] details not None, uint64_t salt
):
    """The hashes of keys of two words, given in the form of records.

    Args:
        frames, starts, details: as `unpack` gives them.
        salt: a different one gives different hashes.

    Raises:
        ValueError: the arrays do not go together.
    """
    cdef Py_ssize_t i, j
    if (
        starts.shape[0] != frames.shape[0] + 1
        or starts[frames.shape[0]] != <uint64_t>details.shape[0]
    ):
        raise ValueError("arrays of keys that do not go together")
    hashes = np.empty(details.shape[0], np.uint64)
    cdef uint64_t[::1] hashed = hashes
    with nogil:
        for i in range(frames.shape[0]):
            for j in range(<Py_ssize_t>starts[i], <Py_ssize_t>starts[i + 1]):
                hashed[j] = hash_of(frames[i], details[j], salt)
    return hashes


def pack(
    const uint64_t[::1] hashes not None, const uint32_t[::1] codes not None, int fingerprint
) -> bytes | None:
    """Write a static function.

    Args:
        hashes: of the keys, at least one; all are different.
        codes: the word of each key, the first bit lowest, plus 2^27 times its length.
        fingerprint: bits of each key's fingerprint, 0 to 16.

    Returns:
        The data for a `StaticFunction`, or None if no seed works for one of the chunks.

    Raises:
        ValueError: the arguments do not go together.
    """
    cdef uint64_t keys = hashes.shape[0], k, c, rows, words = 0, used = 0, room = 0, begin
    cdef uint64_t chunks = chunks_of(keys)
    cdef int seed = 0
    cdef bint good = True, memory = True
    cdef Band band
    cdef uint64_t *bits = NULL
    cdef void *grown
    if <uint64_t>codes.shape[0] != keys or keys == 0 or not 0 <= fingerprint <= MOST_FINGERPRINT:
        raise ValueError("codes that do not go together")
    all_begins = np.zeros(chunks + 1, np.uint32)
    all_seeds = np.zeros(chunks, np.uint8)
    cdef uint32_t[::1] begins = all_begins
    cdef uint8_t[::1] seeds = all_seeds
    cdef uint64_t[::1] end = np.zeros(chunks + 1, np.uint64)
    cdef uint64_t[::1] hash_at = np.empty(keys, np.uint64)
    cdef uint32_t[::1] code_at = np.empty(keys, np.uint32)
    memset(&band, 0, sizeof(Band))
    with nogil:
        # Sort the keys by chunk: count them, sum up the counts, put each in its place.
        for k in range(keys):
            end[high_product(hashes[k], chunks) + 1] += 1
        for c in range(chunks):
            end[c + 1] += end[c]
        for k in range(keys):
            c = high_product(hashes[k], chunks)
            hash_at[end[c]] = hashes[k]
            code_at[end[c]] = codes[k]
            end[c] += 1
        begin = 0
        for c in range(chunks):
            rows = (end[c] - begin) * fingerprint
            for k in range(begin, end[c]):
                rows += code_at[k] >> WORD_BITS
            if rows:
                for seed in range(SEEDS):
                    words = (rows + rows * SPARE / 64 + 63 + 63) / 64 + seed / PATIENCE
                    memory = make_room(&band, words)
                    good = memory and fill_band(
                        &band, words, seed, fingerprint, end[c] - begin, &hash_at[begin],
                        &code_at[begin],
                    )
                    if good or not memory:
                        break
                if good and used + words > room:
                    room = 2 * (used + words)
                    grown = realloc(bits, room * sizeof(uint64_t))
                    memory = grown != NULL
                    if memory:
                        bits = <uint64_t *>grown
                if not (good and memory):
                    break
                solve_band(&band, words, bits + used)
                used += words
                seeds[c] = seed
            begins[c + 1] = <uint32_t>used
            begin = end[c]
        release(band.pattern)
        release(band.right)
    try:
        if not memory or used >> 32:
            raise MemoryError("no memory for a static function")
        if not good:
            return None
        head = all_begins.tobytes() + all_seeds.tobytes()
        head = head.ljust((len(head) + 7) // 8 * 8, b"\0")
        return head + (<char *>bits)[:8 * used] + bytes(8)
    finally:
        release(bits)


cdef uint64_t chunks_of(uint64_t keys) noexcept nogil:
    """The number of chunks."""
    return (keys + CHUNK - 1) / CHUNK


cdef class StaticFunction:
    """A static function to read.

    Args:
        raw: the data that `pack` has written, with padding to a multiple of 64 bytes.
        keys: the number of its keys, at least one.
        salt: of their hashes.

    Raises:
        ValueError: `raw` is no static function.
    """

    def __cinit__(self, const uint8_t[::1] raw not None, uint64_t keys, uint64_t salt):
        cdef uint64_t c, head
        cdef uint64_t size = raw.shape[0]
        self.kept = raw
        self.salt = salt
        # Each chunk takes five bytes here: nothing below is read beyond the end.
        if keys == 0 or keys / CHUNK > size or 5 * chunks_of(keys) + 4 > size:
            raise ValueError("a static function that is too short")
        self.function.chunks = chunks_of(keys)
        self.function.begins = <const uint32_t *>&raw[0]
        self.function.seeds = <const uint8_t *>(self.function.begins + self.function.chunks + 1)
        head = (5 * self.function.chunks + 4 + 7) & ~<uint64_t>7
        for c in range(self.function.chunks):
            if self.function.begins[c] > self.function.begins[c + 1]:
                raise ValueError("chunks that do not follow each other")
        head += 8 * <uint64_t>self.function.begins[self.function.chunks]
        if self.function.begins[0] or (head + 8 + 63) & ~<uint64_t>63 != size:
            raise ValueError("chunks that do not end where they should")
        self.function.bits = <const uint64_t *>(
            &raw[0] + (head - 8 * <uint64_t>self.function.begins[self.function.chunks])
        )
