# Upper bounds of what a side can still reach, without looking at single plays
#
# Gains. The margin of side s is the sum of the numbers that it holds, less those of the other side.
# A stone of s adds the number of its field if that was tied or plus[other], otherwise nothing; a
# field of plus[other] can be gained from twice. So with k stones, and no stone of the other side, s
# adds at most the sum of the k greatest members of the multiset
#
#     S  =  the tied fields, and the fields of plus[other] twice.
#
# A stone of the other side on field f never raises this bound. It either settles f, which takes two
# gains out of S; or it gains f, and adds one gain f to S, which restores at most that loss; or it
# changes nothing.
#
# Lines. With k stones a side completes a line only if the other side has settled no field of it,
# and if the number of its tied fields, plus twice the number of its fields of plus[other], is at
# most k. Stones of the other side never lower that number.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport bit, highest, popcount
from kulami_solver.just4fun.duel cimport State, held, tied

cdef enum:
    MAX_LIVE = 256

cdef struct LiveLines:
    # The lines that one side's stones could complete when the search began.
    int count
    uint64_t line[MAX_LIVE]


cdef inline bint completable(
    const State *n, int side, uint64_t free, uint64_t line, int stones
) noexcept nogil:
    """Whether this number of stones can complete a line; `free` are the tied fields."""
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
    """The sum of the `count` greatest numbers of two sets of fields; one set counts twice."""
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
    them; `free` are the tied fields. The side must have a stone and a play.

    The first stone goes to a field of `mine`. If the other side has a stone, it answers with the
    best field a that its hand makes, or with the second best b if the first stone has settled a;
    its hand does not change before that. An answer a lowers the margin by a. Then either the side's
    further stones gain at most as much as without it; or one stone gains a back, and the others
    gain at most as much as one stone fewer would have gained.
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
