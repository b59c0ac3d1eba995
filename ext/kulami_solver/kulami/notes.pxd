# What endings find on their way, noted while a proof is being found
#
# An ending remembers nothing, since for the search it does not pay. But who proves that a position
# is worth at most so much answers all of its moves, one by one, and the ending that proved it has
# come to each of these answers. So it notes them: which field makes a position worth how much.
#
#     key      the marbles of the side to move, and of the other side; the legal fields; the newest
#              marble; hashed as those of the table are (`hashing.pxd`)
#     entry    as in `table.pxd`; lower is what the field makes of it, at least:
#              where only panels count, by how much the margin gets better in the plies to come,
#              else the margin
#
# The newest note stays, since bounds of several fields must not be joined. Positions of one proof
# with the same marbles have the same plies to come, so notes serve one proof alone.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport relaxed_store
from kulami_solver.core.hashing cimport hash_word
from kulami_solver.core.table cimport (
    ENTRIES, NO_MOVE, Entry, Stored, Table, bucket_of, pack, probe,
)

cdef struct Notes:
    const Table *table
    const uint64_t *multiplier
    int plies                   # positions with more plies to come are noted


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
    """Note that a field makes a position worth so much at least."""
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
    """The field that is noted of a position, and what it makes of it; NO_MOVE if none is."""
    cdef uint64_t index, signature
    cdef Stored found
    hash_place(notes, own, other, legal, last, &index, &signature)
    if not probe(notes.table, index, signature, &found):
        return NO_MOVE
    value[0] = found.lower
    return found.move
