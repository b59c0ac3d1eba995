# The rules as a checker of proofs has them, written independently of the search
#
# Nothing here is taken from the search. If the search has a rule wrong, its proof fails the check;
# a false proof does not pass.
#
#   fields are numbered 0..n-1 row by row, gaps skipped; a set of fields is a word, field i is bit i
#   NOWHERE (64) stands for "no marble yet" and "no panel barred"
#
#   line[f]       the row and the column of f, across gaps, without f's own panel;
#                 line[NOWHERE] is every field
#   panel_of[f]   the fields of f's panel; panel_of[NOWHERE] is empty
#   next[d][f]    the field beside f in direction d (right, down, down right, down left), NOWHERE
#                 if there is none: runs of marbles go along these
#
# A position is the marbles of the side to move (own) and of the other side, the newest marble
# (last), the one before it (before), and the plies that the marbles still allow (supply).

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport bit, lowest, popcount

cdef enum:
    NOWHERE = 64
    DIRECTIONS = 4
    CHAIN = 5                   # shortest run that counts
    NO_VALUE = 32767            # above any margin; -NO_VALUE is below

cdef struct Board:
    int panels
    bint areas
    bint chains
    uint64_t every
    uint64_t line[65]
    uint64_t panel_of[65]
    uint64_t panel[64]
    uint64_t beside[64]                 # fields that share a side
    int next[DIRECTIONS][65]            # next[d][NOWHERE] is NOWHERE
    uint64_t previous[DIRECTIONS][64]   # the field before f in direction d, as a set


cdef inline uint64_t moves_of(
    const Board *b, uint64_t occupied, int last, int before, int supply
) noexcept nogil:
    """The legal fields."""
    if not supply:
        return 0
    return b.line[last] & ~occupied & ~b.panel_of[before]


cdef inline int plies_to_come(
    const Board *b, uint64_t occupied, uint64_t moves, int supply
) noexcept nogil:
    """An upper bound of the plies to come: the supply, or the number of live fields if less.

    A free field is live if it can be reached from the legal ones by steps to another panel in the
    same row or column. The count stops when it reaches the supply.
    """
    cdef uint64_t found = moves
    cdef uint64_t waiting = moves
    cdef uint64_t more
    while waiting and popcount(found) < supply:
        more = b.line[lowest(waiting)] & ~occupied & ~found
        waiting &= waiting - 1
        found |= more
        waiting |= more
    return min(supply, popcount(found))


cdef inline int panel_score(const Board *b, uint64_t own, uint64_t other) noexcept nogil:
    """The fields of the panels on which own has more marbles, minus those of the other side's."""
    cdef int score = 0
    cdef int p, more
    for p in range(b.panels):
        more = popcount(own & b.panel[p]) - popcount(other & b.panel[p])
        if more > 0:
            score += popcount(b.panel[p])
        elif more < 0:
            score -= popcount(b.panel[p])
    return score


cdef inline int panel_gain(
    const Board *b, uint64_t own, uint64_t other, int field
) noexcept nogil:
    """How much `panel_score` grows when own plays a field.

    An even panel becomes own's; one that the other side leads by one marble becomes even.
    """
    cdef uint64_t panel = b.panel_of[field]
    cdef int more = popcount(own & panel) - popcount(other & panel)
    return popcount(panel) if more == 0 or more == -1 else 0


cdef inline int area_of(const Board *b, uint64_t *marbles, int field) noexcept nogil:
    """Remove the area that contains a field from the marbles; return its size."""
    cdef uint64_t area = bit(field)
    cdef uint64_t edge = area
    cdef uint64_t more
    while edge:
        more = b.beside[lowest(edge)] & marbles[0] & ~area
        edge = edge & (edge - 1) | more
        area |= more
    marbles[0] &= ~area
    return popcount(area)


cdef inline int largest(const Board *b, uint64_t marbles) noexcept nogil:
    """Marbles in the largest area; 0 where areas do not count."""
    cdef int best = 0
    while b.areas and popcount(marbles) > best:
        best = max(best, area_of(b, &marbles, lowest(marbles)))
    return best


cdef inline int largest_with(
    const Board *b, uint64_t own, int field, int before
) noexcept nogil:
    """`largest` of own after one more marble, on a field, if it was `before`."""
    own |= bit(field)
    return max(before, area_of(b, &own, field)) if b.areas else 0


cdef inline int counted(int run) noexcept nogil:
    """The points of a run of marbles in a line."""
    return run if run >= CHAIN else 0


cdef inline int chain_score(const Board *b, uint64_t marbles) noexcept nogil:
    """The sum of the lengths of all runs of five or more marbles in a line."""
    cdef int score = 0
    cdef int d, field, run
    cdef uint64_t left
    for d in range(DIRECTIONS):
        left = marbles if b.chains else 0
        while left:
            field = lowest(left)
            left &= left - 1
            if b.previous[d][field] & marbles:
                continue                # no run begins here
            run = 0
            while field != NOWHERE and marbles & bit(field):
                run += 1
                field = b.next[d][field]
            score += counted(run)
    return score


cdef inline int chain_gain(const Board *b, uint64_t own, int field) noexcept nogil:
    """How much `chain_score` grows when own plays a field: two runs and its marble become one."""
    cdef int gain = 0
    cdef int d, at, ahead, behind
    for d in range(DIRECTIONS if b.chains else 0):
        ahead = behind = 0
        at = b.next[d][field]
        while at != NOWHERE and own & bit(at):
            ahead += 1
            at = b.next[d][at]
        at = field
        while b.previous[d][at] & own:
            behind += 1
            at = lowest(b.previous[d][at])
        gain += counted(behind + 1 + ahead) - counted(behind) - counted(ahead)
    return gain
