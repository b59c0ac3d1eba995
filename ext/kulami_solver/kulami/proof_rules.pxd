# The rules as a checker of proofs has them, written down once more
#
# Nothing here is the search's. What the search takes for a rule does not count when its proof is
# checked: a mistake there makes a proof fail, it does not make a false one pass.
#
#   fields are numbered 0..n-1 row by row, gaps skipped; a set of fields is a word, field i is bit i
#   NOWHERE (64) stands for "no marble yet" and "no panel barred"
#
#   line[f]       the row and the column of f, across gaps, without f's own panel;
#                 line[NOWHERE] is every field
#   panel_of[f]   the fields of f's panel; panel_of[NOWHERE] is empty
#   next[d][f]    the field beside f in direction d (right, down, down right, down left), NOWHERE
#                 if there is none: runs of marbles go along these
#   five[i]       five fields in a line, from start[i] in direction way[i]
#
# A position is the marbles of the side to move (own) and of the other side, the newest marble
# (last), the one before it (before), and the plies that the marbles still allow (supply).

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport bit, lowest, popcount

cdef enum:
    NOWHERE = 64
    DIRECTIONS = 4
    CHAIN = 5                   # the shortest that counts
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
    uint64_t previous[DIRECTIONS][64]   # the field before it in that direction, as a set
    int fives
    uint64_t five[256]
    int start[256]
    int way[256]


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
    """At most so many plies are to come: the supply, or the live fields if there are fewer.

    Live are the free fields that can be reached from the legal ones, each from another one in its
    row or column that is not on its panel.
    """
    cdef uint64_t found = moves
    cdef uint64_t waiting = moves
    cdef uint64_t more
    while waiting:
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

    A panel that was even is own's then, one that was the other side's by one marble is even.
    """
    cdef uint64_t panel = b.panel_of[field]
    cdef int more = popcount(own & panel) - popcount(other & panel)
    return popcount(panel) if more == 0 or more == -1 else 0


cdef inline int largest(const Board *b, uint64_t marbles) noexcept nogil:
    """Marbles in the largest area."""
    cdef int best = 0
    cdef uint64_t area, edge, more
    while popcount(marbles) > best:
        area = edge = bit(lowest(marbles))
        while edge:
            more = b.beside[lowest(edge)] & marbles & ~area
            edge = edge & (edge - 1) | more
            area |= more
        best = max(best, popcount(area))
        marbles &= ~area
    return best


cdef inline int chain_score(const Board *b, uint64_t marbles) noexcept nogil:
    """The lengths of all runs of five or more marbles in a line, together."""
    cdef int score = 0
    cdef int i, field
    for i in range(b.fives):
        if b.five[i] & ~marbles or b.previous[b.way[i]][b.start[i]] & marbles:
            continue                    # no run begins here
        field = b.start[i]
        while field != NOWHERE and marbles & bit(field):
            score += 1
            field = b.next[b.way[i]][field]
    return score


cdef inline int other_parts(const Board *b, uint64_t own, uint64_t other) noexcept nogil:
    """Points for areas and chains, as far as they count: own's minus the other side's."""
    cdef int score = 0
    if b.areas:
        score += largest(b, own) - largest(b, other)
    if b.chains:
        score += chain_score(b, own) - chain_score(b, other)
    return score


cdef class ProofBoard:
    cdef Board board
