# What the panels can still bring: bounds on the panel points, and which panels are decided
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
# and the least of these over the prices is the bound of linear programming, exact when every
# breakpoint of the panels' concave hulls is among the prices. The standard panels have just the
# breakpoints 6, 4, 3 and 2, so eight prices side by side in one 128-bit register are enough.
# `Hull` holds  max_j ( gain(j) - L * j )  for the eight prices, in twelfths of a point.
#
# A marble changes those of its own panel alone, so their sums over the panels are kept up move by
# move.
#
#     hulls of a size s:   [free 0..s][difference -s..s]  ->  Hull
#
# Close to the end panels are ranked by size, the largest first (equal ones as they are numbered):
# in a set of ranks, a word, the lowest bit is a largest panel.

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t

from kulami_solver.core.bits cimport lowest, popcount
from kulami_solver.kulami.rules cimport MAX_FIELDS, Geometry, Tables

cdef enum:
    PRICES = 8
    FREE = PRICES - 1                   # the last price is 0: what could be gained at all
    UNIT = 12                           # prices and hulls are in twelfths of a point
    TENTH = 10                          # expectations are in tenths of a point

# The eight prices side by side. Written in C so that gcc and clang keep them in one register.
cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__GNUC__) || defined(__clang__)
      typedef int16_t kulami_hull __attribute__((vector_size(16)));
      typedef union { kulami_hull all; int16_t at[8]; } Hull;
      #define kulami_hull_add(sum, h) ((sum)->all += (h)->all)
      #define kulami_hull_sub(sum, h) ((sum)->all -= (h)->all)
      #ifdef __SSE4_1__
      #include <smmintrin.h>
      /* One instruction finds the least of eight. It takes them for unsigned, as they all are. */
      static inline int kulami_hull_least(const Hull *sum, const Hull *price, int marbles) {
        kulami_hull h = sum->all + price->all * (int16_t)marbles;
        return _mm_cvtsi128_si32(_mm_minpos_epu16((__m128i)h)) & 0xffff;
      }
      #else
      static inline kulami_hull kulami_hull_lesser(kulami_hull v, kulami_hull w) {
        kulami_hull smaller = v < w;
        return (v & smaller) | (w & ~smaller);
      }
      static inline int kulami_hull_least(const Hull *sum, const Hull *price, int marbles) {
        Hull h, halves, quarters;
        h.all = sum->all + price->all * (int16_t)marbles;
        halves.all = (kulami_hull){h.at[4], h.at[5], h.at[6], h.at[7]};
        h.all = kulami_hull_lesser(h.all, halves.all);
        quarters.all = (kulami_hull){h.at[2], h.at[3]};
        h.all = kulami_hull_lesser(h.all, quarters.all);
        return h.at[0] < h.at[1] ? h.at[0] : h.at[1];
      }
      #endif
    #else
      typedef struct { int16_t at[8]; } Hull;
      static __inline void kulami_hull_add(Hull *sum, const Hull *h) {
        for (int i = 0; i < 8; i++) sum->at[i] += h->at[i];
      }
      static __inline void kulami_hull_sub(Hull *sum, const Hull *h) {
        for (int i = 0; i < 8; i++) sum->at[i] -= h->at[i];
      }
      static __inline int kulami_hull_least(const Hull *sum, const Hull *price, int marbles) {
        int least = 32767;
        for (int i = 0; i < 8; i++) {
          int here = sum->at[i] + price->at[i] * marbles;
          if (here < least) least = here;
        }
        return least;
      }
    #endif
    """
    ctypedef struct Hull:
        int16_t at[8]                   # max_j ( gain(j) - price * j ), one for each price
    void hull_add "kulami_hull_add"(Hull *sum, const Hull *h) noexcept nogil
    void hull_sub "kulami_hull_sub"(Hull *sum, const Hull *h) noexcept nogil
    # The least of  sum + price * marbles  over the prices.
    int hull_least "kulami_hull_least"(
        const Hull *sum, const Hull *price, int marbles
    ) noexcept nogil

cdef struct Standing:
    # What a panel with a certain difference is to a position.
    uint64_t index                      # random words: its share of the position's hash
    uint64_t signature
    int64_t points                      # size, 0 or -size

cdef struct Ranked:
    # A panel, where panels are known by rank
    uint64_t fields
    const Hull *hulls                   # these two are the lines of `PanelTables`
    int32_t free_step
    int32_t size
    int32_t panel                       # its number

cdef struct PanelTables:
    const Tables *rules
    Hull price                          # of a marble, in twelfths; the last one is 0
    const Hull *hulls[MAX_FIELDS]       # of each panel: the hull for free 0, difference 0
    const int16_t *expected[MAX_FIELDS]     # likewise: the points to expect of it
    int32_t free_step[MAX_FIELDS]       # distance between two numbers of free fields in both
    const Standing *standing[MAX_FIELDS]    # of each panel: for difference 0
    Ranked ranked[MAX_FIELDS]           # the panels by rank
    uint8_t rank[MAX_FIELDS]            # of each field: its panel's
    uint64_t met[MAX_FIELDS]            # of each field: the ranks that its row and column meet


cdef inline int best_gain(const PanelTables *t, const Hull *sum, int marbles) noexcept nogil:
    """Bound in points from the hulls' sum, for so many marbles."""
    return hull_least(sum, &t.price, marbles) // UNIT


cdef class PanelBounds:
    cdef PanelTables tables
    cdef Geometry geometry              # keeps tables.rules alive
    cdef Hull *memory
    cdef int16_t *expectations
    cdef Standing *standings
    cdef rank_panels(self, list sizes)
