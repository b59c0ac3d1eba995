# What a side can still reach at most, without looking at plays one after the other
#
# Gains. A stone of side s adds to its margin, the numbers it holds less the other's, the number of
# the field if that was tied or plus[other], and nothing else; a field of plus[other] can be gained
# from twice. So with k stones and no stone of the other side, s adds at most the sum of the
# k greatest of the multiset
#
#     S  =  the tied fields, and the fields of plus[other] twice.
#
# A stone of the other side on field f never makes that more. It either settles f, which takes two
# gains out of S; or it gains f, and adds one gain f to S, which restores at most what was lost; or
# it changes nothing.
#
# Lines. With k stones a side completes a line only if no field of it is settled by the other,
# and its tied fields, and twice those of plus[other], are k at most; stones of the other side
# never make that less.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport bit, highest, popcount
from kulami_solver.just4fun.duel cimport BoardTables, State, held, tied

cdef enum:
    MAX_LIVE = 256

cdef struct LiveLines:
    # The lines that one side's stones could complete when the search began.
    int count
    uint64_t line[MAX_LIVE]


cdef inline bint completable(
    const State *n, int side, uint64_t free, uint64_t line, int stones
) noexcept nogil:
    """Whether so many stones are enough for a line; `free` are the tied fields."""
    return (
        not line & n.settled[1 - side]
        and popcount(line & free) + 2 * popcount(line & n.plus[1 - side]) <= stones
    )


cdef inline bint line_in_reach(
    const LiveLines *live, const State *n, int side, uint64_t free
) noexcept nogil:
    """Whether a side may still complete a line with its stones."""
    cdef int i
    for i in range(live.count):
        if completable(n, side, free, live.line[i], n.stones[side]):
            return True
    return False


cdef inline uint64_t threats(
    const LiveLines *live, const State *n, int side, uint64_t free
) noexcept nogil:
    """The fields on which one stone completes a line of a side."""
    cdef uint64_t mine = held(n, side)
    cdef uint64_t found = 0
    cdef uint64_t missing
    cdef int i
    for i in range(live.count):
        missing = live.line[i] & ~mine
        if not missing & (missing - 1):
            found |= missing
    return found & free


cdef inline int greatest(uint64_t once, uint64_t twice, int count) noexcept nogil:
    """The sum of the `count` greatest numbers of two sets of fields, those of one counted twice."""
    cdef int total = 0
    cdef int number
    cdef uint64_t both = once | twice
    while count > 0 and both:
        number = highest(both) + 1
        both ^= bit(number - 1)
        total += number
        count -= 1
        if count > 0 and twice & bit(number - 1):
            total += number
            count -= 1
    return total


cdef inline int most(
    const State *n, int side, uint64_t free, uint64_t mine, uint64_t theirs
) noexcept nogil:
    """The greatest margin that the side to move may still reach in the final count.

    `mine` and `theirs` are the fields that the hands of the two sides make and that are open to
    them; free the tied ones. The side has a stone and a play.

    The first stone goes to a field of `mine`. If the other side has a stone, it answers with the
    best field a that its hand makes, or with the second best b if the first stone has
    settled a; that hand does not change meanwhile. After a gain a the side's further stones gain
    at most what they did without it, less a, or what one stone less did, since that one gains a
    back.
    """
    cdef int other = 1 - side
    cdef int margin = -n.margin if side else n.margin
    cdef int stones = n.stones[side] - 1
    cdef uint64_t twice = n.plus[other]
    cdef uint64_t first = mine & (free | twice)
    cdef uint64_t answers, once
    cdef int number, answer, best, found
    if first:
        number = highest(first) + 1
        once = (free | twice) & ~bit(number - 1)
        if twice & bit(number - 1):
            once |= bit(number - 1)
            twice ^= bit(number - 1)
    else:
        number = 0
        once = free
    answers = theirs & (free | n.plus[side]) if n.stones[other] else 0
    if not answers:
        return margin + number + greatest(once, twice, stones)
    answer = highest(answers) + 1
    best = margin + number + greatest(once, twice, stones) - answer
    if stones:
        best = max(best, margin + number + greatest(once, twice, stones - 1))
    if mine & n.plus[side] & bit(answer - 1):
        # The first stone may settle that field instead of gaining anything.
        answers ^= bit(answer - 1)
        answer = highest(answers) + 1 if answers else 0
        once = free
        twice = n.plus[other]
        found = margin + greatest(once, twice, stones) - answer
        if stones:
            found = max(found, margin + greatest(once, twice, stones - 1))
        best = max(best, found)
    return best
