# Sorted records in few bits, packed without regard to their meaning
#
# A record is a frame (64 bits), a detail (64 bits) that is a row of digits, and a value. Records
# are sorted by frame and detail and stand in blocks of BLOCK; only the last block may be shorter.
#
#   index     for each block: the key of its first record, the byte at which its bits begin, and the
#             number of bits from there to its second half (0 if it has none)
#   key       one word, frame << bits of a detail | detail, if that fits into 64 bits;
#             otherwise two words, frame and detail
#   bits      each block begins on a byte. Bits are taken from the lowest of each byte upwards.
#
#   block     value | step digits value | step digits value | ...   (first record: value alone)
#
#   The record that opens the second half is written as if it followed the first record of the
#   block, so that a search need not read the first half.
#
#   step      s < digits     the frame and the digits before digit s are those of the record before;
#                            digit s and the digits after it follow
#             digits + b     the frame is larger by 2^b + the b bits that follow; all digits follow
#
# Steps, values and digits are written in canonical Huffman codes of at most LONGEST bits. There is
# one code for steps (code 0) and one for values (code 1). Each digit has one code for every number
# of bits that its `given` can share with the frame: the distribution of a digit depends on little
# more than that number. A code with one symbol takes no bits.

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    BLOCK = 64
    HALF = 32
    LONGEST = 12
    STEP = 0
    VALUE = 1
    MAX_DIGITS = 64
    PADDING = 16                # bytes after the bits, so that words may be read beyond them

# Outcomes of looking for a record.
cdef enum:
    FOUND = 1
    NOT_FOUND = 0
    DAMAGED = -1

cdef struct Digits:
    int count
    uint8_t shift[MAX_DIGITS]       # first digit uppermost
    uint8_t mask[MAX_DIGITS]
    uint64_t given[MAX_DIGITS]
    uint32_t code[MAX_DIGITS]       # for frames that share no bit with `given`; + 1 a shared bit

cdef struct Cursor:
    # A reader's place in a block.
    const uint8_t *bits
    uint64_t at                     # in bits
    uint64_t end                    # in bits; nothing beyond it may be read
    uint64_t frame
    uint64_t detail
    int value
    uint64_t fixed                  # the digits that take no bits in this frame, each in its place
    int present                     # number of digits that take bits in this frame ...
    uint8_t which[MAX_DIGITS]       # ... the digits themselves ...
    const uint16_t *table[MAX_DIGITS]       # ... and their tables, for all digits
    uint32_t window[MAX_DIGITS]

cdef struct Block:
    # A block with all its records read.
    int count
    uint64_t frame[BLOCK]
    uint64_t detail[BLOCK]
    int16_t value[BLOCK]

cdef struct Unpacked:
    # Arrays for records that are read one after the other, and the numbers so far.
    uint64_t *frame
    uint64_t *start
    uint64_t *detail
    int16_t *value
    uint64_t frames
    uint64_t records

cdef struct Writer:
    # The place for the next bit.
    #
    #   bits    xxxxxxxx xxxxxxxx xxx.....      each byte with its lowest bit on the left
    #                                ^ at       begun = xxx
    uint8_t *bits
    uint64_t at                     # in bits
    uint64_t begun                  # the bits of the byte that is not full yet; 0 above them

cdef class Codec:
    cdef Digits digits
    cdef int codes
    cdef int lowest_value
    cdef int detail_bits
    cdef int key_words
    cdef uint32_t *begin            # of each code: its first symbol in the next two arrays
    cdef uint8_t *length            # of each symbol's code word, in bits
    cdef uint16_t *word             # the code word, first bit lowest
    cdef uint32_t *table_begin      # of each code: its part of `table`
    cdef uint32_t *window           # of each code: 2^longest - 1
    cdef uint16_t *table            # by the next bits: symbol << 4 | length
    cdef bytes packed(
        self, const uint64_t[::1] frames, const uint64_t[::1] starts,
        const uint64_t[::1] details, const int16_t[::1] values, uint64_t low, uint64_t high
    )
    cdef void put_symbol(self, Writer *w, uint32_t code, uint32_t symbol) noexcept nogil
    cdef void enter(self, Cursor *c) noexcept nogil
    cdef bint first(self, Cursor *c) noexcept nogil
    cdef bint next(self, Cursor *c) noexcept nogil

cdef class PackedRecords:
    cdef const uint8_t[::1] kept
    cdef Codec codec
    cdef const uint64_t *keys
    cdef uint64_t *sample           # every RUN-th key, for the first steps of a search: cached
    cdef uint64_t runs
    cdef const uint32_t *offsets
    cdef const uint16_t *halves
    cdef const uint8_t *bits
    cdef uint64_t blocks
    cdef uint64_t records
    cdef uint64_t length            # of the bits, in bytes
    cdef int find(self, uint64_t frame, uint64_t detail, int *value) noexcept nogil
    cdef uint64_t last_before(
        self, const uint64_t *keys, uint64_t low, uint64_t high, uint64_t frame, uint64_t detail
    ) noexcept nogil
    cdef uint64_t block_of(self, uint64_t frame, uint64_t detail) noexcept nogil
    cdef bint is_in(self, uint64_t block, uint64_t frame, uint64_t detail) noexcept nogil
    cdef int find_in(
        self, uint64_t block, uint64_t frame, uint64_t detail, int *value
    ) noexcept nogil
    cdef bint open_block(self, uint64_t block, Cursor *c) noexcept nogil
    cdef bint read_block(self, uint64_t block, Block *read) noexcept nogil
    cdef bint find_many(
        self, const uint64_t *frames, const uint64_t *details, uint64_t n,
        int16_t *values, uint8_t *found
    ) noexcept nogil
    cdef bint unpack_to(self, Unpacked *to, uint64_t most) noexcept nogil
