# Notes: fields that endings find, kept for a proof
#
# An ending has no table, since that does not pay for the search. But the proof that a position is
# worth at most some value has to answer all of its moves, and the ending has found each of these
# answers. So it notes them: the field, and the gain that the field secures.
#
#     key      the marbles of the side to move, and of the other side; the legal fields; the newest
#              marble; hashed as those of the table are (`hashing.pxd`)
#     entry    as in `table.pxd`; lower is a lower bound of the gain of margin in the plies to come
#              with this field
#
# A newer note replaces an older one, since bounds of several fields must not be joined. Positions
# of one proof with the same marbles have the same plies to come, so notes serve one proof alone.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport relaxed_store
from kulami_solver.core.hashing cimport hash_word
from kulami_solver.core.table cimport (
    ENTRIES, NO_MOVE, Entry, Stored, Table, bucket_of, pack, probe,
)

cdef struct Notes:
    const Table *table
    const uint64_t *multiplier
    int plies                   # only positions with more plies to come are noted


cdef inline void hash_place(
    const Notes *notes, uint64_t own, uint64_t other, uint64_t legal, int last,
    uint64_t *index, uint64_t *signature
) noexcept nogil:
    index[0] = signature[0] = 0
    hash_word(notes.multiplier, 0, own, index, signature)
    hash_word(notes.multiplier, 1, other, index, signature)
    hash_word(notes.multiplier, 2, legal, index, signature)
    hash_word(notes.multiplier, 3, last, index, signature)


cdef inline void note_field(
    const Notes *notes, uint64_t own, uint64_t other, uint64_t legal, int last,
    int value, int field
) noexcept nogil:
    """Note that a field secures at least a gain of margin."""
    cdef uint64_t index, signature
    cdef uint64_t data = pack(value, 0, field, 0)
    cdef Entry *entry
    hash_place(notes, own, other, legal, last, &index, &signature)
    entry = &bucket_of(notes.table, index).entry[signature % ENTRIES]
    relaxed_store(&entry.data, data)
    relaxed_store(&entry.check, signature ^ data)


cdef inline int noted_field(
    const Notes *notes, uint64_t own, uint64_t other, uint64_t legal, int last, int *value
) noexcept nogil:
    """The noted field of a position, and the value it secures; NO_MOVE if there is none."""
    cdef uint64_t index, signature
    cdef Stored found
    hash_place(notes, own, other, legal, last, &index, &signature)
    if not probe(notes.table, index, signature, &found):
        return NO_MOVE
    value[0] = found.lower
    return found.move
