"""The check of a numbered game's values: each is compared with those of its slot's successors.

The check does not work back from ends. `docs/algorithms.md` says why it is a proof: if every
reached slot passes, every value is right.
"""

from libc.stdint cimport uint16_t, uint64_t
from libc.stdlib cimport free as release, malloc

from kulami_solver.core.bits cimport lowest, prefetch
from kulami_solver.core.dense cimport (
    BLOCK, DECIDED, LOSS, PLIES, WON, Game, Reached, is_reached, ordinal_of,
)


cdef inline uint16_t value_by(
    const uint16_t *values, const uint64_t *ordinals, int n
) noexcept nogil:
    """The value of a slot with these successors: the rule, word by word."""
    cdef int fastest = PLIES, slowest = -1
    cdef bint drawn = False
    cdef int i, plies
    cdef uint16_t value
    for i in range(n):
        value = values[ordinals[i]]
        plies = value & PLIES
        if not value & DECIDED:
            drawn = True
        elif value & LOSS:
            fastest = min(fastest, plies)
        else:
            slowest = max(slowest, plies)
    if fastest < PLIES:
        return DECIDED | (fastest + 1)
    if drawn:
        return 0
    return DECIDED | LOSS | (slowest + 1)


def first_wrong(
    Reached reached not None, uint64_t begin, uint64_t end, uint64_t[::1] counts not None
) -> tuple[int, str] | None:
    """The first wrong reached slot from `begin` to below `end`, and the reason why it is wrong.

    Args:
        reached: a table with all values.
        begin, end: multiples of 512.
        counts: 65,536 numbers; the number of positions with each value is added, mirror images
            counted apart.

    Raises:
        ValueError: `reached` has not been numbered, or begin, end or counts are invalid.
    """
    cdef const Game *game = &reached.game.game
    cdef uint64_t *found
    cdef uint64_t ordinal
    cdef uint64_t word, todo, slot = 0
    cdef uint16_t value
    cdef int n, i, weight
    cdef int wrong = 0
    reached.check_numbered()
    reached.check_range(begin, end)
    if counts.shape[0] != 1 << 16:
        raise ValueError(f"{counts.shape[0]} counts: give one for each of 65,536 values")
    ordinal = reached.before[begin // BLOCK]
    found = <uint64_t *>malloc(game.most * sizeof(uint64_t))
    if found == NULL:
        raise MemoryError("no memory for successors")
    with nogil:
        for word in range(begin >> 6, end >> 6):
            todo = reached.reached[word]
            while todo and not wrong:
                slot = word << 6 | lowest(todo)
                todo &= todo - 1
                weight = game.weight(game.tables, slot)
                if not weight:
                    wrong = 1
                    break
                n = game.successors(game.tables, slot, found)
                for i in range(n):
                    prefetch(&reached.reached[found[i] >> 6])
                for i in range(n):
                    if not is_reached(reached.reached, found[i]):
                        wrong = 2
                        break
                    found[i] = ordinal_of(reached.reached, reached.before, found[i])
                    prefetch(&reached.value[found[i]])
                if wrong:
                    break
                if n < 0:
                    value = DECIDED if n == WON else DECIDED | LOSS
                else:
                    value = value_by(reached.value, found, n)
                # No valid value has PLIES plies, so `value_by` cannot overflow. A forged successor
                # with PLIES plies is found to be wrong at its own slot.
                if value != reached.value[ordinal] or value & PLIES == PLIES:
                    wrong = 3
                counts[value] += weight
                ordinal += 1
            if wrong:
                break
    release(found)
    if not wrong:
        return None
    return slot, [
        "", "stands for no position", "leads to a position that is missing",
        "does not have the value that follows from its successors",
    ][wrong]
