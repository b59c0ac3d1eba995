"""Packing sorted records into few bits, and finding them again. Data layout: `records.pxd`.

This is independent of any game: a `Codec` is told the digits of a detail, and the bits of the frame
on which the distribution of each digit depends.
"""

from libc.stdlib cimport calloc, free as release, malloc
from libc.string cimport memcpy, memset

import numpy as np

from kulami_solver.core.bits cimport bit, highest, popcount, prefetch

cdef enum:
    MANY = 3                # for this many look-ups in a block, or more, all of it is read
    RUN = 64                # one block in this many is in the sample of the index


cdef inline int step(const Digits *d, uint64_t gap, uint64_t changed) noexcept nogil:
    """The step to a record, as defined in records.pxd.

    Args:
        gap: the difference to the frame of the record before.
        changed: the bits in which the details differ; not 0 if the gap is.
    """
    cdef int s = 0
    if gap:
        return d.count + highest(gap)
    while changed >> d.shift[s] == 0:
        s += 1
    return s


cdef inline void put(Writer *w, uint64_t bits, int count) noexcept nogil:
    """Write `count` bits, at most 56, the lowest first; the other bits of `bits` are 0."""
    cdef uint64_t byte = w.at >> 3
    w.begun |= bits << (w.at & 7)
    # All machines that kulami_solver supports are little-endian.
    memcpy(w.bits + byte, &w.begun, 8)
    w.at += count
    w.begun >>= 8 * ((w.at >> 3) - byte)


cdef inline void put_gap(Writer *w, uint64_t gap, int width) noexcept nogil:
    """Write the `width` bits of a gap below its highest bit."""
    gap ^= bit(width)
    put(w, <uint32_t>gap, min(width, 32))
    put(w, gap >> 32, max(width - 32, 0))


cdef inline void to_next_byte(Writer *w) noexcept nogil:
    """Fill up the present byte with zeros."""
    w.at = (w.at + 7) & ~<uint64_t>7
    w.begun = 0


cdef int read_digits(Digits *d, digits) except -1:
    cdef uint32_t code = 2
    cdef int i = 0
    cdef int above = 64
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"{len(digits)} digits: at most {MAX_DIGITS}")
    for shift, mask, given in digits:
        # Masks are runs of ones that do not overlap, the uppermost first: no shift reaches 64.
        if not 1 <= mask <= 255 or mask & (mask + 1) or not 0 <= shift <= above - popcount(mask):
            raise ValueError(f"digit {i} does not lie in 64 bits below the one before")
        if not 0 <= given < 1 << 64:
            raise ValueError(f"digit {i} is given by bits that no frame has")
        above = shift
        d.shift[i], d.mask[i], d.given[i], d.code[i] = shift, mask, given, code
        code += popcount(d.given[i]) + 1
        i += 1
    d.count = i
    return code


def alphabets(digits, int values) -> list[int]:
    """The number of symbols of each code.

    Args:
        digits: (shift, mask, given) of each digit, the uppermost first.
        values: the number of values from the least to the greatest.
    """
    sizes = [len(digits) + 64, values]
    for _shift, mask, given in digits:
        sizes += [mask + 1] * (int(given).bit_count() + 1)
    return sizes


cdef int check_records(
    const uint64_t[::1] frames, const uint64_t[::1] starts, const uint64_t[::1] details,
    const int16_t[::1] values
) except -1:
    """Raise a ValueError for arrays that do not go together; no index is checked after this."""
    cdef Py_ssize_t i
    if starts.shape[0] != frames.shape[0] + 1 or values.shape[0] != details.shape[0]:
        raise ValueError("arrays of records that do not go together")
    for i in range(frames.shape[0]):
        if starts[i] > starts[i + 1]:
            raise ValueError("frames whose details do not follow each other")
    if starts[frames.shape[0]] > <uint64_t>details.shape[0]:
        raise ValueError("frames with more details than there are")
    return 0


def count_symbols(
    digits, int lowest, int values, const uint64_t[::1] frames not None,
    const uint64_t[::1] starts not None, const uint64_t[::1] details not None,
    const int16_t[::1] value_of not None, bounds=()
):
    """Count how often each symbol of each code is written when these records are packed.

    Args:
        bounds: the frames, by their numbers and rising, at which a further part begins; each part
            is packed by itself.

    Returns:
        An array of counts, the codes one after the other.

    Raises:
        ValueError: a value lies outside `lowest` .. `lowest + values - 1`, or the arrays do not go
            together.
    """
    cdef Digits d
    read_digits(&d, digits)
    check_records(frames, starts, details, value_of)
    sizes = alphabets(digits, values)
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    counts = np.zeros(sum(sizes), np.uint64)
    cdef const uint32_t[::1] begin = begins
    cdef uint64_t[::1] count = counts
    cdef uint64_t i, j, before_frame = 0, before = 0, n = 0, frame, detail
    cdef uint64_t first_frame = 0, first = 0
    cdef const uint64_t[::1] bound = np.array([*bounds, frames.shape[0]], np.uint64)
    cdef Py_ssize_t part = 0
    cdef int s, value
    cdef uint32_t code[MAX_DIGITS]
    cdef bint wrong = False
    with nogil:
        for i in range(<uint64_t>frames.shape[0]):
            frame = frames[i]
            while i >= bound[part]:
                part += 1
                n = 0
            for s in range(d.count):
                code[s] = begin[d.code[s] + popcount(frame & d.given[s])]
            for j in range(starts[i], starts[i + 1]):
                detail = details[j]
                value = value_of[j] - lowest
                if value < 0 or value >= values:
                    wrong = True
                    value = 0
                count[begin[VALUE] + value] += 1
                if n % BLOCK == HALF:
                    before_frame = first_frame
                    before = first
                if n % BLOCK == 0:
                    first_frame = frame
                    first = detail
                else:
                    s = step(&d, frame - before_frame, detail ^ before)
                    count[begin[STEP] + s] += 1
                    if s >= d.count:
                        s = 0
                    while s < d.count:
                        count[code[s] + (detail >> d.shift[s] & d.mask[s])] += 1
                        s += 1
                before_frame = frame
                before = detail
                n += 1
    if wrong:
        raise ValueError("a value outside the range given")
    return counts


def code_lengths(counts: list[int]) -> list[int]:
    """Lengths of the best prefix code of at most 12 bits (package-merge); 0 for unused symbols.

    A symbol that is the only one used has length 0, too: it takes no bits.

    Example:
        >>> code_lengths([4, 0, 2, 1, 1])
        [1, 0, 2, 3, 3]
    """
    used = sorted((count, symbol) for symbol, count in enumerate(counts) if count)
    lengths = [0] * len(counts)
    if len(used) < 2:
        return lengths
    single = [(count, (symbol,)) for count, symbol in used]
    packages = single
    for _ in range(LONGEST - 1):
        pairs = [
            (one[0] + two[0], one[1] + two[1])
            for one, two in zip(packages[::2], packages[1::2])
        ]
        packages = sorted(single + pairs, key=lambda package: package[0])
    for _, symbols in packages[:2 * len(used) - 2]:
        for symbol in symbols:
            lengths[symbol] += 1
    return lengths


cdef class Codec:
    """The codes for writing and reading some records.

    Args:
        digits: (shift, mask, given) of each digit, the uppermost first.
        frame_bits: number of bits of a frame; higher bits are never set.
        lowest: the least value.
        values: the number of values from there to the greatest.
        lengths: the length of each symbol's code word in bits, as `code_lengths` gives it, the
            codes one after the other.
        only: for each code with a single symbol, that symbol; otherwise 0.

    Raises:
        ValueError: these are no valid codes.
    """

    def __cinit__(self, digits, int frame_bits, int lowest, int values,
                  const uint8_t[::1] lengths not None, const uint16_t[::1] only not None):
        cdef uint32_t i, j, k, symbol, word, room
        cdef int longest, c, b
        cdef uint64_t total
        self.codes = read_digits(&self.digits, digits)
        if not 0 <= frame_bits <= 64:
            raise ValueError(f"frames of {frame_bits} bits: 0 to 64 will do")
        if values < 1 or not -32768 <= lowest <= 32768 - values:
            raise ValueError(f"{values} values from {lowest} on do not fit 16 bits")
        self.lowest_value = lowest
        self.detail_bits = 0
        if self.digits.count:
            self.detail_bits = self.digits.shift[0] + popcount(self.digits.mask[0])
        self.key_words = 1 if frame_bits + self.detail_bits <= 64 else 2
        sizes = alphabets(digits, values)
        symbols = sum(sizes)
        if lengths.shape[0] != symbols or only.shape[0] != self.codes or max(sizes) > 4095:
            raise ValueError("the codes do not fit the digits")
        self.begin = <uint32_t *>calloc(self.codes + 1, sizeof(uint32_t))
        self.length = <uint8_t *>calloc(symbols + 1, 1)
        self.word = <uint16_t *>calloc(symbols + 1, sizeof(uint16_t))
        self.table_begin = <uint32_t *>calloc(self.codes + 1, sizeof(uint32_t))
        self.window = <uint32_t *>calloc(self.codes + 1, sizeof(uint32_t))
        if (self.begin == NULL or self.length == NULL or self.word == NULL
                or self.table_begin == NULL or self.window == NULL):
            raise MemoryError("no memory for codes")
        room = 0
        for c in range(self.codes):
            self.begin[c + 1] = self.begin[c] + <uint32_t>sizes[c]
            longest = 0
            total = 0
            for i in range(self.begin[c], self.begin[c + 1]):
                if lengths[i] > LONGEST:
                    raise ValueError("a code word is too long")
                self.length[i] = lengths[i]
                longest = max(longest, <int>lengths[i])
                if lengths[i]:
                    total += bit(LONGEST - lengths[i])
            if longest and total != bit(LONGEST):
                raise ValueError("code words that are too many or too few")
            if only[c] >= sizes[c]:
                raise ValueError("a symbol that is not in its alphabet")
            self.window[c] = (1 << longest) - 1
            self.table_begin[c] = room
            room += 1 << longest
        self.table = <uint16_t *>calloc(room, sizeof(uint16_t))
        if self.table == NULL:
            raise MemoryError("no memory for codes")
        for c in range(self.codes):
            room = self.window[c] + 1
            if room == 1:
                self.table[self.table_begin[c]] = only[c] << 4
                continue
            # Canonical code: shorter words first, then by symbol; each word is one more.
            word = 0
            for b in range(1, LONGEST + 1):
                word <<= 1
                for symbol in range(self.begin[c + 1] - self.begin[c]):
                    i = self.begin[c] + symbol
                    if self.length[i] != b:
                        continue
                    k = 0
                    for j in range(<uint32_t>b):
                        k |= (word >> j & 1) << (b - 1 - j)
                    self.word[i] = k
                    while k < room:
                        self.table[self.table_begin[c] + k] = symbol << 4 | b
                        k += 1 << b
                    word += 1

    def __dealloc__(self):
        release(self.begin)
        release(self.length)
        release(self.word)
        release(self.table_begin)
        release(self.window)
        release(self.table)

    def pack(
        self, const uint64_t[::1] frames not None, const uint64_t[::1] starts not None,
        const uint64_t[::1] details not None, const int16_t[::1] values not None, bounds=()
    ) -> list[bytes]:
        """Pack records.

        Args:
            bounds: the frames, by their numbers and rising, at which a further part begins.

        Returns:
            The parts: the index and the bits of each, with padding.

        Raises:
            ValueError: a part takes more than 4 GiB, or the arrays do not go together.
        """
        check_records(frames, starts, details, values)
        edges = [0, *bounds, frames.shape[0]]
        if edges != sorted(edges):
            raise ValueError("parts that do not follow each other")
        return [
            self.packed(frames, starts, details, values, low, high)
            for low, high in zip(edges, edges[1:])
        ]

    cdef bytes packed(
        self, const uint64_t[::1] frames, const uint64_t[::1] starts,
        const uint64_t[::1] details, const int16_t[::1] values, uint64_t low, uint64_t high
    ):
        """Pack the part from frame `low` to below frame `high`, by their numbers."""
        #   records    r0   r1   r2  ...  r31   r32  r33  ...  r63   r64  r65 ...
        #   block      |- first half ---------|- second half -----| |- the next block
        #   follows    key  r0   r1  ...  r30   r0   r32  ...  r62   key  r64 ...
        cdef Digits *d = &self.digits
        cdef uint64_t n = starts[high] - starts[low]
        cdef uint64_t blocks = (n + BLOCK - 1) // BLOCK
        cdef uint64_t index = blocks * index_bytes(self.key_words)
        # In the worst case each record has a new frame and the longest words.
        cdef uint64_t room = n * (64 + LONGEST * (d.count + 2)) // 8 + blocks + PADDING + 64
        cdef uint8_t *raw = <uint8_t *>malloc(index + room)
        cdef uint64_t *key = <uint64_t *>raw
        cdef uint32_t *offset = <uint32_t *>(key + blocks * self.key_words)
        cdef uint16_t *half = <uint16_t *>(offset + blocks)
        cdef uint64_t i, j, frame, detail, before_frame = 0, before = 0, block = 0, written = 0
        cdef uint64_t first_frame = 0, first = 0
        cdef int s
        cdef Writer out
        if raw == NULL:
            raise MemoryError("no memory to pack a shard")
        out.bits = raw + index
        out.at = out.begun = 0
        try:
            with nogil:
                memset(half, 0, blocks * sizeof(uint16_t))
                for i in range(low, high):
                    frame = frames[i]
                    for j in range(starts[i], starts[i + 1]):
                        detail = details[j]
                        # 1. The record that this one follows: the one before it, or the block's
                        #    first record at the start of the second half.
                        if written % BLOCK == HALF:
                            half[block] = out.at - 8 * <uint64_t>offset[block]
                            before_frame = first_frame
                            before = first
                        if written % BLOCK == 0:
                            # 2. The first record of a block is in the index.
                            block = written // BLOCK
                            to_next_byte(&out)
                            offset[block] = out.at >> 3
                            if self.key_words == 1:
                                key[block] = key_of(frame, detail, self.detail_bits)
                            else:
                                key[2 * block] = frame
                                key[2 * block + 1] = detail
                            first_frame = frame
                            first = detail
                        else:
                            # 3. For any other record: the step, with its gap if the frame is
                            #    new, ...
                            s = step(d, frame - before_frame, detail ^ before)
                            self.put_symbol(&out, STEP, s)
                            if s >= d.count:
                                put_gap(&out, frame - before_frame, s - d.count)
                                s = 0
                            # 4. ... and the digits that are not those of the record before.
                            while s < d.count:
                                self.put_symbol(
                                    &out, d.code[s] + popcount(frame & d.given[s]),
                                    detail >> d.shift[s] & d.mask[s],
                                )
                                s += 1
                        # 5. The value.
                        self.put_symbol(&out, VALUE, values[j] - self.lowest_value)
                        before_frame = frame
                        before = detail
                        written += 1
                # 6. The end: fill up the byte, and add the padding.
                to_next_byte(&out)
                memset(out.bits + (out.at >> 3), 0, PADDING)
            if out.at >> 3 >= <uint64_t>1 << 32:
                raise ValueError("a shard takes more than 4 GiB: build it in smaller ones")
            return raw[:index + (out.at >> 3) + PADDING]
        finally:
            release(raw)

    cdef inline void put_symbol(self, Writer *w, uint32_t code, uint32_t symbol) noexcept nogil:
        """Write a code's word for a symbol."""
        symbol += self.begin[code]
        put(w, self.word[symbol], self.length[symbol])

    cdef void enter(self, Cursor *c) noexcept nogil:
        """Set up a new frame: find the codes of its digits."""
        cdef Digits *d = &self.digits
        cdef uint32_t code
        cdef int s
        c.present = 0
        c.fixed = 0
        for s in range(d.count):
            code = d.code[s] + popcount(c.frame & d.given[s])
            c.table[s] = self.table + self.table_begin[code]
            c.window[s] = self.window[code]
            if c.window[s]:
                c.which[c.present] = s
                c.present += 1
            else:
                c.fixed |= <uint64_t>(c.table[s][0] >> 4) << d.shift[s]

    cdef bint first(self, Cursor *c) noexcept nogil:
        """Read the value of a block's first record; frame and detail are set already."""
        cdef uint16_t entry = self.table[
            self.table_begin[VALUE] + (peek(c) & self.window[VALUE])
        ]
        c.at += entry & 15
        c.value = self.lowest_value + (entry >> 4)
        self.enter(c)
        return c.at <= c.end

    cdef bint next(self, Cursor *c) noexcept nogil:
        """Read the next record; false if the bits are not what was written."""
        cdef Digits *d = &self.digits
        cdef uint64_t word, detail, gap, kept
        cdef uint16_t entry
        cdef int s, b, i, used
        if c.at >= c.end + 64:
            return False
        word = peek(c)
        entry = self.table[self.table_begin[STEP] + (word & self.window[STEP])]
        used = entry & 15
        s = entry >> 4
        if s >= d.count:
            c.at += used
            b = s - d.count
            gap = bit(b)
            if b <= 48:
                gap |= peek(c) & (bit(b) - 1)
            else:
                gap |= <uint32_t>peek(c)
                c.at += 32
                b -= 32
                gap |= (peek(c) & (bit(b) - 1)) << 32
            c.at += b
            c.frame += gap
            used = 0
            s = 0
            self.enter(c)
            word = peek(c)
        # Digits before digit s stay. All others follow, and those that take no bits are set to
        # their only symbol. In the record before they may be different, if it was the first of the
        # block: its detail comes from the key, not from the codes.
        kept = ~<uint64_t>0 << d.shift[s - 1] if s else 0
        detail = (c.detail & kept) | (c.fixed & ~kept)
        i = 0
        while i < c.present and c.which[i] < s:
            i += 1
        word >>= used
        while i < c.present:
            if used > 56 - LONGEST:
                c.at += used
                used = 0
                word = peek(c)
            s = c.which[i]
            entry = c.table[s][word & c.window[s]]
            b = entry & 15
            word >>= b
            used += b
            detail |= <uint64_t>(entry >> 4) << d.shift[s]
            i += 1
        c.detail = detail
        if used > 56 - LONGEST:
            c.at += used
            used = 0
            word = peek(c)
        entry = self.table[self.table_begin[VALUE] + (word & self.window[VALUE])]
        c.value = self.lowest_value + (entry >> 4)
        c.at += used + (entry & 15)
        return c.at <= c.end


cdef inline uint64_t shifted(uint64_t x, int bits) noexcept nogil:
    return x >> bits if bits < 64 else 0


cdef inline uint64_t key_of(uint64_t frame, uint64_t detail, int detail_bits) noexcept nogil:
    """A record's key in one word; a detail of 64 bits leaves no room for a frame, which is 0."""
    return frame << detail_bits | detail if detail_bits < 64 else detail


cdef inline uint64_t index_bytes(int key_words) noexcept nogil:
    """Bytes of the index for a block: its key, the start of its bits and of its second half."""
    return 8 * key_words + sizeof(uint32_t) + sizeof(uint16_t)


cdef inline uint64_t peek(const Cursor *c) noexcept nogil:
    """The next bits, at least 56; zeros beyond the end."""
    cdef uint64_t word
    if c.at > c.end:
        return 0
    # All machines that kulami_solver supports are little-endian.
    memcpy(&word, c.bits + (c.at >> 3), 8)
    return word >> (c.at & 7)


cdef bint found_in(
    const Block *read, uint64_t frame, uint64_t detail, int16_t *value
) noexcept nogil:
    """Look a record up in a block that has been read; false if it is not there."""
    cdef int low = 0, high = read.count, middle
    while high - low > 1:
        middle = (low + high) >> 1
        if read.frame[middle] > frame or (
            read.frame[middle] == frame and read.detail[middle] > detail
        ):
            high = middle
        else:
            low = middle
    value[0] = read.value[low]
    return read.frame[low] == frame and read.detail[low] == detail


cdef class PackedRecords:
    """Packed records to read: a part that `Codec.pack` has made.

    Args:
        codec: the codes with which they were packed.
        records: number of records.
        raw: the part, at a multiple of 8 bytes in memory; more zeros may follow.

    Raises:
        ValueError: there are no records, or the part is too short for them.
    """

    def __cinit__(self, Codec codec not None, uint64_t records, const uint8_t[::1] raw not None):
        cdef uint64_t i, words = codec.key_words, index
        self.blocks = records // BLOCK + (records % BLOCK != 0)
        index = self.blocks * index_bytes(words)
        if records == 0 or <uint64_t>raw.shape[0] < index + PADDING:
            raise ValueError("an index that does not fit its records")
        self.codec = codec
        self.records = records
        self.kept = raw
        self.keys = <const uint64_t *>&raw[0]
        self.offsets = <const uint32_t *>(self.keys + self.blocks * words)
        self.halves = <const uint16_t *>(self.offsets + self.blocks)
        self.bits = &raw[index]
        self.length = raw.shape[0] - index - PADDING
        self.runs = (self.blocks + RUN - 1) // RUN
        self.sample = <uint64_t *>malloc(self.runs * words * sizeof(uint64_t))
        if self.sample == NULL:
            raise MemoryError("no memory for an index")
        for i in range(self.runs * words):
            self.sample[i] = self.keys[i // words * RUN * words + i % words]

    def __dealloc__(self):
        release(self.sample)

    cdef bint open_block(self, uint64_t block, Cursor *c) noexcept nogil:
        cdef uint64_t begin = self.offsets[block]
        cdef uint64_t end = self.length
        if block + 1 < self.blocks:
            end = self.offsets[block + 1]
        if begin > end or end > self.length:
            return False
        c.bits = self.bits
        c.at = 8 * begin
        c.end = 8 * end
        if self.codec.key_words == 1:
            c.frame = shifted(self.keys[block], self.codec.detail_bits)
            c.detail = self.keys[block] ^ key_of(c.frame, 0, self.codec.detail_bits)
        else:
            c.frame = self.keys[2 * block]
            c.detail = self.keys[2 * block + 1]
        return self.codec.first(c)

    cdef bint read_block(self, uint64_t block, Block *read) noexcept nogil:
        """Read all records of a block; false if its bits are not what was written."""
        cdef uint64_t size = min(<uint64_t>BLOCK, self.records - block * BLOCK)
        cdef Cursor c
        cdef uint64_t i, frame, detail
        if not self.open_block(block, &c):
            return False
        frame = c.frame
        detail = c.detail
        read.count = size
        for i in range(size):
            if i == HALF:
                c.frame = frame
                c.detail = detail
                self.codec.enter(&c)
                # Otherwise a search would begin at a wrong place and read wrong records there.
                if c.at != 8 * <uint64_t>self.offsets[block] + self.halves[block]:
                    return False
            if i and not self.codec.next(&c):
                return False
            read.frame[i] = c.frame
            read.detail[i] = c.detail
            read.value[i] = c.value
        return True

    cdef uint64_t last_before(
        self, const uint64_t *keys, uint64_t low, uint64_t high, uint64_t frame, uint64_t detail
    ) noexcept nogil:
        """The index of the last of some rising keys that is not above a record's, or `low`."""
        cdef uint64_t key, middle
        cdef int words = self.codec.key_words
        if words == 1:
            key = key_of(frame, detail, self.codec.detail_bits)
            while high - low > 1:
                middle = (low + high) >> 1
                if keys[middle] > key:
                    high = middle
                else:
                    low = middle
            return low
        while high - low > 1:
            middle = (low + high) >> 1
            if keys[2 * middle] > frame or (
                keys[2 * middle] == frame and keys[2 * middle + 1] > detail
            ):
                high = middle
            else:
                low = middle
        return low

    cdef uint64_t block_of(self, uint64_t frame, uint64_t detail) noexcept nogil:
        """The only block that can have a record."""
        cdef uint64_t low = RUN * self.last_before(self.sample, 0, self.runs, frame, detail)
        cdef uint64_t high = min(low + RUN, self.blocks)
        cdef uint64_t i
        # The data that is read next is scattered in memory: prefetch it together.
        for i in range(low, high, 8):
            prefetch(&self.keys[i * self.codec.key_words])
        for i in range(low, high, 16):
            prefetch(&self.offsets[i])
        for i in range(low, high, 32):
            prefetch(&self.halves[i])
        return self.last_before(self.keys, low, high, frame, detail)

    cdef bint is_in(self, uint64_t block, uint64_t frame, uint64_t detail) noexcept nogil:
        """Whether `block_of` would give this block."""
        cdef uint64_t low = block - (block > 0)
        return self.last_before(
            self.keys, low, min(block + 2, self.blocks), frame, detail
        ) == block

    cdef int find(self, uint64_t frame, uint64_t detail, int *value) noexcept nogil:
        """Look a record up: FOUND, NOT_FOUND or DAMAGED."""
        return self.find_in(self.block_of(frame, detail), frame, detail, value)

    cdef int find_in(
        self, uint64_t block, uint64_t frame, uint64_t detail, int *value
    ) noexcept nogil:
        """Look a record up in the only block that can have it."""
        cdef uint64_t left = min(<uint64_t>BLOCK, self.records - block * BLOCK) - 1
        cdef uint64_t begin, first_frame, first
        cdef Cursor c
        prefetch(self.bits + self.offsets[block] + (self.halves[block] >> 3))
        if not self.open_block(block, &c):
            return DAMAGED
        if left >= HALF and (c.frame != frame or c.detail != detail):
            # The second half follows the first record, too. Find out which half has the record.
            begin, first_frame, first = c.at, c.frame, c.detail
            c.at = 8 * <uint64_t>self.offsets[block] + self.halves[block]
            if not self.codec.next(&c):
                return DAMAGED
            if c.frame < frame or (c.frame == frame and c.detail <= detail):
                left -= HALF
            else:
                left = HALF - 1
                c.at, c.detail = begin, first
                if c.frame != first_frame:
                    c.frame = first_frame
                    self.codec.enter(&c)
        while c.frame < frame or (c.frame == frame and c.detail < detail):
            if left == 0:
                return NOT_FOUND
            left -= 1
            if not self.codec.next(&c):
                return DAMAGED
        if c.frame != frame or c.detail != detail:
            return NOT_FOUND
        value[0] = c.value
        return FOUND

    cdef bint find_many(
        self, const uint64_t *frames, const uint64_t *details, uint64_t n,
        int16_t *values, uint8_t *found
    ) noexcept nogil:
        """`look_up` in this part; false if the bits are not what was written."""
        cdef uint64_t i = 0, end, block
        cdef int value = 0, outcome
        cdef Block read
        while i < n:
            block = self.block_of(frames[i], details[i])
            end = i + 1
            while end < n and self.is_in(block, frames[end], details[end]):
                end += 1
            if end - i < MANY:
                while i < end:
                    outcome = self.find_in(block, frames[i], details[i], &value)
                    if outcome == DAMAGED:
                        return False
                    found[i] = outcome == FOUND
                    values[i] = value
                    i += 1
            elif not self.read_block(block, &read):
                return False
            else:
                while i < end:
                    found[i] = found_in(&read, frames[i], details[i], &values[i])
                    i += 1
        return True

    cdef bint unpack_to(self, Unpacked *to, uint64_t most) noexcept nogil:
        """Append records until there are `most`; false if they are damaged."""
        cdef uint64_t block, frame
        cdef int i
        cdef Block read
        for block in range(self.blocks):
            if to.records >= most:
                break
            if not self.read_block(block, &read):
                return False
            for i in range(read.count):
                frame = read.frame[i]
                if to.records == 0 or frame != to.frame[to.frames - 1]:
                    if to.records and frame < to.frame[to.frames - 1]:
                        return False
                    to.frame[to.frames] = frame
                    to.start[to.frames] = to.records
                    to.frames += 1
                elif read.detail[i] <= to.detail[to.records - 1]:
                    return False
                to.detail[to.records] = read.detail[i]
                to.value[to.records] = read.value[i]
                to.records += 1
        return True


def unpack(list parts, most=None):
    """The records of parts that follow each other, as they were given to `Codec.pack`.

    Args:
        most: read only the whole blocks that contain this many first records; None for all.

    Returns:
        (frames, starts, details, values).

    Raises:
        ValueError: the bits are not what was written.
    """
    cdef Unpacked to
    cdef PackedRecords part
    cdef uint64_t records = 0, left
    cdef bint good = True
    for part in parts:
        left = part.records if most is None else max(most - records, 0)
        records += min(part.records, BLOCK * ((left + BLOCK - 1) // BLOCK))
    all_frames = np.empty(records, np.uint64)
    all_starts = np.empty(records + 1, np.uint64)
    all_details = np.empty(records, np.uint64)
    all_values = np.empty(records, np.int16)
    cdef uint64_t[::1] frames = all_frames
    cdef uint64_t[::1] starts = all_starts
    cdef uint64_t[::1] details = all_details
    cdef int16_t[::1] values = all_values
    to.frame, to.start, to.detail = &frames[0], &starts[0], &details[0]
    to.value = &values[0]
    to.frames = to.records = 0
    for part in parts:
        with nogil:
            good = part.unpack_to(&to, records)
        if not good:
            raise ValueError("a damaged block")
    starts[to.frames] = records
    return (
        all_frames[:to.frames].copy(), all_starts[:to.frames + 1].copy(), all_details, all_values
    )


def look_up(
    parts, begins, const uint64_t[::1] frames not None, const uint64_t[::1] details not None,
    int16_t[::1] values not None, uint8_t[::1] found not None
):
    """Look keys up in several parts: fill in `values`, and whether each was `found`.

    If they are sorted by frame, a block with several of them is read only once.

    Args:
        parts: in the order of the keys.
        begins: for each part, the index of the first key to look up in it; rising from 0.

    Raises:
        ValueError: the bits are not what was written, or the arrays differ in length.
    """
    cdef PackedRecords part
    cdef uint64_t begin, end, n = frames.shape[0]
    cdef bint good = True
    if not frames.shape[0] == details.shape[0] == values.shape[0] == found.shape[0]:
        raise ValueError("arrays that differ in length")
    edges = [*begins, n]
    if len(parts) != len(begins) or edges[0] != 0 or edges != sorted(edges):
        raise ValueError("parts that do not follow each other")
    for part, begin, end in zip(parts, edges, edges[1:]):
        if begin == end:
            continue
        with nogil:
            good = part.find_many(
                &frames[begin], &details[begin], end - begin, &values[begin], &found[begin]
            )
        if not good:
            raise ValueError("a damaged block")
