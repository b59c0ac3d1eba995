# A layout in memory, and the rules on it
#
#   fields are numbered 0..n-1 row by row, gaps skipped      a1 b1 .  d1  ->  0 1 . 2
#   a set of fields is a 64-bit word, field i is bit i
#   NO_FIELD (64) stands for "no marble yet" and "no panel barred": the tables have a row for it
#
#   cross[f]     the row and the column of f, across gaps, without f's own panel;
#                cross[NO_FIELD] is every field
#   barred[f]    the fields of f's panel; barred[NO_FIELD] is empty
#
# Legal fields are three ANDs (last = newest marble, before = the one before it):
#
#   cross[last]  &  ~occupied  &  ~barred[before]
#
# Chains are counted by windows, the runs of five squares in a straight line:
#
#   squares   1 2 3 4 5 6 7        a run of k >= 5 marbles holds k - 4 full windows, so
#   windows   [-------]            the sum of all runs is   full windows + 4 * runs,
#               [-------]          and a run begins at each full window whose predecessor
#                 [-------]        on the same line is not full.
#
# Two rows are alike if in each column both have fields of the same panel, or both have none. The
# rules do not change if they are exchanged, and likewise two columns; `table.pxd` uses this.

from libc.stdint cimport uint8_t, uint64_t

from kulami_solver.core.bits cimport bit, lowest, popcount

cdef enum:
    MAX_FIELDS = 64
    NO_FIELD = 64
    CHAIN = 5                       # shortest run that counts
    MAX_WINDOWS = 256               # each field starts at most one window in each direction
    WINDOW_WORDS = 4                # 64-bit words of a set of windows
    MINUS_INFINITY = -32768         # below any margin
    MAX_EXCHANGES = 32              # with fewer than all, fewer positions share an entry

cdef enum:
    RED = 0
    BLACK = 1

cdef struct Exchange:               # of two lines that are alike
    uint64_t fields                 # of one line; those of the other one are fields << distance
    uint8_t distance

cdef struct Tables:
    int fields
    int panels
    int windows
    uint64_t every                      # all fields
    uint64_t cross[MAX_FIELDS + 1]
    uint64_t barred[MAX_FIELDS + 1]
    uint64_t beside[MAX_FIELDS]         # fields that share a side
    uint8_t panel_of[MAX_FIELDS + 1]    # panel number; panel_of[NO_FIELD] is MAX_FIELDS
    uint8_t size[MAX_FIELDS]            # fields of each panel
    uint64_t panel[MAX_FIELDS]          # fields of each panel, as a set
    uint64_t window[MAX_WINDOWS]        # five fields each, line after line
    uint64_t follows[WINDOW_WORDS]      # those one square on from the window before, as a set
    uint64_t through[MAX_FIELDS][WINDOW_WORDS]     # the windows that hold a field, as a set
    int exchanges
    Exchange exchange[MAX_EXCHANGES]    # in turn, they can sort lines that are alike


cdef inline int field_or_none(int number) noexcept nogil:
    """A field from an array, in which a negative number stands for none."""
    return NO_FIELD if number < 0 else number


cdef inline uint64_t legal_fields(
    const Tables *t, uint64_t occupied, int last, int before
) noexcept nogil:
    return t.cross[last] & ~(occupied | t.barred[before])


cdef struct Ply:                    # what the rules need of a position, for the side to move
    uint64_t own
    uint64_t other
    int last
    int before
    int supply


cdef inline uint64_t legal_now(const Tables *t, const Ply *here) noexcept nogil:
    """The legal fields of a position; none once the marbles are used up."""
    if here.supply <= 0:
        return 0
    return legal_fields(t, here.own | here.other, here.last, here.before)


cdef inline Ply after(const Ply *here, int field) noexcept nogil:
    """The position after a move."""
    return Ply(here.other, here.own | bit(field), field, here.last, here.supply - 1)


cdef inline uint64_t component(const Tables *t, uint64_t inside, int start) noexcept nogil:
    """The fields of `inside` connected by their sides with `start`, which is one of them."""
    cdef uint64_t found = bit(start)
    cdef uint64_t frontier = found
    cdef uint64_t new
    while frontier:
        new = t.beside[lowest(frontier)] & inside & ~found
        frontier &= frontier - 1
        found |= new
        frontier |= new
    return found


cdef inline int largest_area(const Tables *t, uint64_t marbles) noexcept nogil:
    """Size of the largest set of `marbles` connected by their sides."""
    cdef int best = 0
    cdef uint64_t area
    while popcount(marbles) > best:
        area = component(t, marbles, lowest(marbles))
        marbles &= ~area
        best = max(best, popcount(area))
    return best


cdef inline int panel_points(const Tables *t, uint64_t own, uint64_t other) noexcept nogil:
    """Fields of the panels on which `own` has more marbles than `other`."""
    cdef int points = 0
    cdef int p
    for p in range(t.panels):
        if popcount(own & t.panel[p]) > popcount(other & t.panel[p]):
            points += t.size[p]
    return points


cdef inline bint follows(const Tables *t, int window) noexcept nogil:
    """Does the window before this one lie one square back on its line?"""
    return t.follows[window >> 6] >> (window & 63) & 1


cdef inline int chain_points(const Tables *t, uint64_t marbles) noexcept nogil:
    """Sum of the lengths of all maximal runs of five or more `marbles`."""
    cdef int points = 0
    cdef bint before = False
    cdef bint full
    cdef int w
    for w in range(t.windows):
        full = not (t.window[w] & ~marbles)
        if full:
            points += 1 if before and follows(t, w) else CHAIN
        before = full
    return points


cdef inline int margin_of(
    const Tables *t, uint64_t own, uint64_t other, bint areas, bint chains
) noexcept nogil:
    """The margin of `own` if the game ends with these marbles; areas and chains count if asked."""
    cdef int points = panel_points(t, own, other) - panel_points(t, other, own)
    if areas:
        points += largest_area(t, own) - largest_area(t, other)
    if chains:
        points += chain_points(t, own) - chain_points(t, other)
    return points


cdef class Geometry:
    cdef Tables tables
    cdef int checked(self, int field) except -1
    cdef int check_marbles(self, uint64_t own, uint64_t other) except -1
