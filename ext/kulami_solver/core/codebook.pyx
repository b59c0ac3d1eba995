"""Prefix codes by context, independent of any game. Data layout: `codebook.pxd`."""

from libc.stdint cimport int16_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free as release

import numpy as np


# Longer than any code word.
cdef uint32_t NO_WORD = ~<uint32_t>0


cdef void best_lengths(int64_t *weight, Py_ssize_t n) noexcept nogil:
    """Replace n >= 2 rising weights by the lengths of the best prefix code.

    This works in place (Moffat and Katajainen 1995): weights become parents, parents become depths
    of inner nodes, and these become depths of leaves.
    """
    cdef Py_ssize_t root = 0, leaf = 2, at, free_slots, used, depth
    weight[0] += weight[1]
    for at in range(1, n - 1):
        if leaf >= n or weight[root] < weight[leaf]:
            weight[at] = weight[root]
            weight[root] = at
            root += 1
        else:
            weight[at] = weight[leaf]
            leaf += 1
        if leaf >= n or (root < at and weight[root] < weight[leaf]):
            weight[at] += weight[root]
            weight[root] = at
            root += 1
        else:
            weight[at] += weight[leaf]
            leaf += 1
    weight[n - 2] = 0
    for at in range(n - 3, -1, -1):
        weight[at] = weight[weight[at]] + 1
    free_slots = 1
    used = depth = 0
    root = n - 2
    at = n - 1
    while free_slots > 0:
        while root >= 0 and weight[root] == depth:
            used += 1
            root -= 1
        while free_slots > used:
            weight[at] = depth
            at -= 1
            free_slots -= 1
        free_slots = 2 * used
        depth += 1
        used = 0


def lengths_of(const uint64_t[::1] starts not None, counts):
    """The lengths of the best prefix codes of at most 15 bits.

    Args:
        starts: the index of each code's first symbol, and the end of the last code's symbols.
        counts: how often each symbol is used, at least once; all together below 2^62.

    Returns:
        The lengths, 0 for a symbol that is alone in its code.

    Raises:
        ValueError: the counts add up to 2^62 or more.
    """
    if counts.sum(dtype=np.float64) >= 2.0**62:
        raise ValueError("the counts add up to 2^62 or more")
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts).astype(np.int64))
    order = np.lexsort((counts, group))
    weights = np.ascontiguousarray(counts[order].astype(np.int64))
    kept = weights.copy()
    cdef int64_t[::1] weight = weights
    cdef int64_t[::1] count = kept
    cdef Py_ssize_t c, i, begin, n
    for c in range(starts.shape[0] - 1):
        begin = starts[c]
        n = <Py_ssize_t>starts[c + 1] - begin
        if n < 2:
            weight[begin:begin + n] = 0
            continue
        best_lengths(&weight[begin], n)
        while weight[begin] > LONGEST:  # The rarest symbol has the longest word: make it less rare.
            for i in range(begin, begin + n):
                count[i] = (count[i] >> 1) + 1
                weight[i] = count[i]
            best_lengths(&weight[begin], n)
    lengths = np.empty(len(weights), np.uint8)
    lengths[order] = weights
    return lengths


cdef class BitReader:
    """Bits from the lowest of each byte upwards."""

    cdef const uint8_t[::1] raw
    cdef uint64_t at

    def __cinit__(self, const uint8_t[::1] raw):
        self.raw = raw
        self.at = 0

    cdef int bit(self) except -1:
        cdef uint64_t at = self.at
        if at >> 3 >= <uint64_t>self.raw.shape[0]:
            raise ValueError("codes that do not end")
        self.at += 1
        return self.raw[at >> 3] >> (at & 7) & 1

    cdef int64_t gamma(self) except -1:
        cdef int width = 0, i
        cdef int64_t x
        while not self.bit():
            width += 1
            if width > 32:
                raise ValueError("a number that is too large")
        x = <int64_t>1 << width
        for i in range(width):
            x |= <int64_t>self.bit() << i
        return x

    cdef int64_t signed(self) except? -1:
        cdef int64_t x = self.gamma()
        return x >> 1 if x & 1 == 0 else -(x >> 1)


cdef int64_t unsigned_of(int64_t x):
    """A number with a sign as one from 1 on."""
    return 2 * x if x > 0 else 1 - 2 * x


def in_gamma_code(numbers: list[int]) -> bytes:
    """Numbers from 1 on, in the order in which a `BitReader` reads them."""
    number = np.array(numbers, np.int64)
    width = np.frexp(number)[1] - 1
    end = np.cumsum(2 * width + 1)
    one = end - width - 1                   # the place of each number's uppermost bit
    bits = np.zeros(end.max(), np.uint8)
    bits[one] = 1
    for i in range(width.max()):
        bits[one[width > i] + 1 + i] = number[width > i] >> i & 1
    return np.packbits(bits, bitorder="little").tobytes()


cdef class Codebook:
    """The codes of some contexts.

    Args:
        contexts: their numbers, rising, below 2^25.
        starts: for each context, the index of its first symbol in the next two; then their length.
        symbols: rising within each context.
        lengths: of the symbols' code words.

    Raises:
        ValueError: these are no valid codes.
    """

    def __cinit__(self, contexts, starts, symbols, lengths):
        cdef Py_ssize_t c, i, begin, end, n, k
        cdef uint32_t at, place
        cdef int length, longest
        cdef uint64_t total
        self.contexts = np.ascontiguousarray(contexts, np.uint32)
        self.starts = np.ascontiguousarray(starts, np.uint64)
        self.symbols = np.ascontiguousarray(symbols, np.int16)
        self.lengths = np.ascontiguousarray(lengths, np.uint8)
        cdef const uint32_t[::1] context = self.contexts
        cdef const uint64_t[::1] start = self.starts
        cdef const int16_t[::1] symbol = self.symbols
        cdef const uint8_t[::1] bits = self.lengths
        n = len(self.contexts)
        if len(self.starts) != n + 1 or len(self.symbols) != len(self.lengths):
            raise ValueError("codes that do not go together")
        if start[0] or start[n] != <uint64_t>symbol.shape[0]:
            raise ValueError("codes that do not go together")
        self.slots = 4
        while self.slots < 2 * <uint64_t>n:
            self.slots *= 2
        self.slot = <uint32_t *>calloc(3 * <size_t>self.slots, sizeof(uint32_t))
        self.code = <int16_t *>calloc(
            n * (LONGEST + 1) + symbol.shape[0] + 1, sizeof(int16_t)
        )
        if self.slot == NULL or self.code == NULL:
            raise MemoryError("no memory for codes")
        at = 0
        for c in range(n):
            begin, end = start[c], start[c + 1]
            if end <= begin or end > symbol.shape[0]:
                raise ValueError("a context without symbols")
            if context[c] >> CONTEXT_BITS or (c and context[c] <= context[c - 1]):
                raise ValueError("contexts that are out of order")
            longest = 0
            total = 0
            for i in range(begin, end):
                if i > begin and symbol[i] <= symbol[i - 1]:
                    raise ValueError("symbols that are out of order")
                if bits[i] > LONGEST or (bits[i] == 0) != (end == begin + 1):
                    raise ValueError("a code word of no length")
                longest = max(longest, <int>bits[i])
                total += <uint64_t>1 << LONGEST >> bits[i]
            if total != 1 << LONGEST:
                raise ValueError("code words that are too many or too few")
            place = self.placed(context[c])
            self.slot[3 * place] = context[c] + 1
            self.slot[3 * place + 1] = at
            self.slot[3 * place + 2] = c
            self.code[at] = longest
            k = at + 1 + longest
            for length in range(longest + 1):
                for i in range(begin, end):
                    if bits[i] == length:
                        if length:
                            self.code[at + length] += 1
                        self.code[k] = symbol[i]
                        k += 1
            at = k

    def __dealloc__(self):
        release(self.slot)
        release(self.code)

    cdef uint32_t placed(self, uint32_t context) noexcept nogil:
        """The slot of a context, or the empty slot at which its search ends.

        The number of slots is a power of two.
        """
        cdef uint32_t place = (context * <uint32_t>0x9E3779B1 >> 7) & (self.slots - 1)
        while self.slot[3 * place] and self.slot[3 * place] != context + 1:
            place = (place + 1) & (self.slots - 1)
        return place

    cdef const int16_t *find(self, uint32_t context) noexcept nogil:
        """The address of a context's code, NULL if it has none."""
        cdef uint32_t place = self.placed(context)
        return self.code + self.slot[3 * place + 1] if self.slot[3 * place] else NULL

    def words(self):
        """All code words, for `encode`.

        Returns:
            (begins, words): the index of each context's first word; and for each number from the
            context's first symbol to its last, the word, its first bit lowest, plus 2^27 times its
            length; NO_WORD for a number that is no symbol.
        """
        cdef const uint64_t[::1] start = self.starts
        cdef const int16_t[::1] symbol = self.symbols
        cdef const uint8_t[::1] bits = self.lengths
        cdef Py_ssize_t c, i, k
        cdef uint32_t word, turned
        cdef int length
        places = self.starts.astype(np.int64)
        first = self.symbols[places[:len(self.contexts)]].astype(np.int64)
        last = self.symbols[places[1:] - 1].astype(np.int64)
        begins = np.concatenate([[0], np.cumsum(last - first + 1)])
        coded = np.full(begins[len(self.contexts)], NO_WORD, np.uint32)
        cdef const int64_t[::1] begin = begins
        cdef uint32_t[::1] out = coded
        for c in range(start.shape[0] - 1):
            word = 0
            for length in range(LONGEST + 1):
                word <<= 1
                for i in range(<Py_ssize_t>start[c], <Py_ssize_t>start[c + 1]):
                    if bits[i] != length:
                        continue
                    turned = 0
                    for k in range(length):
                        turned |= (word >> (length - 1 - k) & 1) << k
                    turned |= <uint32_t>length << WORD_BITS
                    out[begin[c] + symbol[i] - symbol[start[c]]] = turned
                    word += length > 0
        return begins, coded

    def encode(
        self, words, const uint32_t[::1] contexts not None, const int16_t[::1] symbols not None
    ):
        """Find the code words of symbols.

        Args:
            words: the result of `words`.
            contexts, symbols: the symbols, and the context of each.

        Returns:
            The word of each symbol, in the form that `words` gives.

        Raises:
            ValueError: a symbol has no code word in its context.
        """
        cdef Py_ssize_t i, n = contexts.shape[0]
        cdef uint32_t place, c
        cdef int64_t at
        cdef bint good = True
        cdef const int64_t[::1] begin = words[0]
        cdef const uint32_t[::1] word = words[1]
        cdef const uint64_t[::1] start = self.starts
        cdef const int16_t[::1] symbol = self.symbols
        coded = np.empty(n, np.uint32)
        cdef uint32_t[::1] out = coded
        with nogil:
            for i in range(n):
                place = self.placed(contexts[i])
                c = self.slot[3 * place + 2]
                good = self.slot[3 * place] != 0
                if not good:
                    break
                at = begin[c] + symbols[i] - symbol[start[c]]
                good = begin[c] <= at < begin[c + 1] and word[at] != NO_WORD
                if not good:
                    break
                out[i] = word[at]
        if not good:
            raise ValueError("a symbol that has no code word")
        return coded

    def to_bytes(self) -> bytes:
        """Write the codes in the form of a file, without the padding of the section."""
        cdef list numbers = []
        cdef const uint32_t[::1] context = self.contexts
        cdef const uint64_t[::1] start = self.starts
        cdef const int16_t[::1] symbol = self.symbols
        cdef const uint8_t[::1] bits = self.lengths
        cdef int64_t before = -1, first = 0, length
        cdef Py_ssize_t c, i, begin, end
        for c in range(context.shape[0]):
            begin, end = start[c], start[c + 1]
            numbers.append(context[c] - before)
            before = context[c]
            numbers.append(end - begin)
            numbers.append(unsigned_of(symbol[begin] - first))
            first = symbol[begin]
            for i in range(begin + 1, end):
                numbers.append(symbol[i] - symbol[i - 1])
            if end == begin + 1:
                continue
            length = 2
            for i in range(begin, end):
                numbers.append(unsigned_of(bits[i] - length))
                length = bits[i]
        return in_gamma_code(numbers)

    @staticmethod
    def from_bytes(const uint8_t[::1] raw not None, Py_ssize_t count) -> Codebook:
        """Read codes that `to_bytes` has written.

        Args:
            raw: the codes, with the padding of the section, which is all zeros.
            count: number of contexts.

        Raises:
            ValueError: `raw` holds no such codes.
        """
        cdef BitReader r = BitReader(raw)
        cdef int64_t before = -1, first = 0, x, length
        cdef Py_ssize_t i, n
        contexts, starts, symbols, lengths = [], [0], [], []
        for _ in range(count):
            before += r.gamma()
            if before >> CONTEXT_BITS:
                raise ValueError("a context that is out of range")
            contexts.append(before)
            n = r.gamma()
            first += r.signed()
            x = first
            for i in range(n):
                if i:
                    x += r.gamma()
                if not -32768 <= x < 32768:
                    raise ValueError("a symbol that is out of range")
                symbols.append(x)
            length = 2
            for _ in range(n):
                length = 0 if n == 1 else length + r.signed()
                if not 0 <= length <= LONGEST:
                    raise ValueError("a code word of no length")
                lengths.append(length)
            starts.append(len(symbols))
        x = r.at
        if x & 7 and raw[x >> 3] >> (x & 7) or any(raw[(x + 7) >> 3:]):
            raise ValueError("codes that do not end where they should")
        return Codebook(contexts, starts, symbols, lengths)
