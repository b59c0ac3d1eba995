# The points that panels can still bring: bounds on the panel points, and which panels are decided
#
# In the view of one side ("own"), a panel of s fields with a difference of d marbles (own minus
# other's) is worth  s * sign(d)  now. If own gets j more marbles onto it, at most
# s * sign(d + j): other's marbles there can only lower that.
#
#     gain(j) = s * (sign(d + j) - sign(d)),   0 <= j <= free fields of the panel
#
# How much can n marbles gain over all panels? That is a knapsack. Its Lagrangian bound needs no
# search: for any price L >= 0 of a marble,
#
#     gain  <=  L * n  +  sum over panels of  max_j ( gain(j) - L * j )
#
# The least of these over all prices is the bound of linear programming. Eight prices give it
# exactly if every breakpoint of the panels' concave hulls is among them. The standard panels have
# the breakpoints 6, 4, 3 and 2, so eight prices side by side in one 128-bit register are enough.
# `Hull` holds  max_j ( gain(j) - L * j )  for the eight prices, in twelfths of a point.
#
# A marble changes the hulls of its own panel alone, so their sums over the panels are kept up move
# by move.
#
#     hulls of a size s:   [free 0..s][difference -s..s]  ->  Hull
#
# Close to the end fields are ranked by the size of their panel, the largest first, and by its
# number among equals. A set of ranks is a word; its lowest bit lies on a largest panel.

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t

from kulami_solver.core.bits cimport (
    Eight, bit, eight_add as hull_add, eight_least, eight_sub as hull_sub, lowest,
)
from kulami_solver.kulami.position.rules cimport MAX_FIELDS, NO_FIELD, Geometry, Tables

cdef enum:
    PRICES = 8
    FREE = PRICES - 1                   # the last price is 0: the gain without a limit of marbles
    UNIT = 12                           # prices and hulls are in twelfths of a point
    TENTH = 10                          # expectations are in tenths of a point

# max_j ( gain(j) - price * j ), one for each price; none is below 0.
ctypedef Eight Hull

cdef struct Standing:
    # A panel with a certain difference, as it counts in a position.
    uint64_t index                      # random words: its share of the position's hash
    uint64_t signature
    int64_t points                      # size, 0 or -size

cdef struct Ranked:
    # A field, where fields are known by rank.
    uint64_t cross                      # ranks in its row and column, without its own panel
    uint64_t panel                      # ranks on its panel
    uint64_t beside                     # ranks of the fields that share a side with it
    const Hull *hulls                   # this and the next are as in `PanelTables`
    int16_t free_step
    uint8_t size                        # of its panel
    uint8_t field                       # its own number

cdef struct PanelTables:
    const Tables *rules
    Hull price                          # of a marble, in twelfths; the last one is 0
    const Hull *hulls[MAX_FIELDS]       # of each panel: the hull for free 0, difference 0
    const int16_t *expected[MAX_FIELDS]     # likewise: the points to expect of it
    int32_t free_step[MAX_FIELDS]       # step to one more free field, in both
    const Standing *standing[MAX_FIELDS]    # of each panel: for difference 0
    Ranked ranked[MAX_FIELDS + 1]       # the fields by rank; then one of no panel
    uint8_t rank[MAX_FIELDS + 1]        # of each field; the last one for NO_FIELD


cdef inline bint pays_at_once(int lead) noexcept nogil:
    """Does a marble gain a panel's size at this lead of its side: level, or one behind?

    Leads 0 and -1 are tested in one go: any other lead, negated, is more than 1 as an unsigned
    number.
    """
    return <unsigned int>-lead <= 1


cdef inline int best_gain(const PanelTables *t, const Hull *sum, int marbles) noexcept nogil:
    """Bound in points from the hulls' sum, for a number of marbles."""
    return eight_least(sum, &t.price, marbles) // UNIT


cdef inline uint64_t ranks_of(const PanelTables *t, uint64_t fields) noexcept nogil:
    """The ranks of these fields."""
    cdef uint64_t ranks = 0
    while fields:
        ranks |= bit(t.rank[lowest(fields)])
        fields &= fields - 1
    return ranks


cdef inline uint64_t fields_of(const PanelTables *t, uint64_t ranks) noexcept nogil:
    """The fields with these ranks."""
    cdef uint64_t fields = 0
    while ranks:
        fields |= bit(t.ranked[lowest(ranks)].field)
        ranks &= ranks - 1
    return fields


cdef class PanelBounds:
    cdef PanelTables tables
    cdef Geometry geometry              # keeps tables.rules alive
    cdef Hull *memory
    cdef int16_t *expectations
    cdef Standing *standings
    cdef rank_fields(self, list sizes)
