# The expected score with open hands and random draws: 1 for a win, 1/2 for a draw
#
# Values are pairs of Fractions, the score of the side to move and the probability of a draw. The
# last draw of a game is counted in whole numbers (`draws.pxd`).
#
# A search with a window (alpha, beta) returns the score if it lies strictly between them; otherwise
# a bound on the same side of the window: an upper bound that is at most alpha, or a lower bound
# that is at least beta.
#
# Hands without a play can be put away again and again. A search does not follow this for ever: when
# the stock has been renewed twice without a stone being placed, it takes the worst result for the
# side that asks, or the best result if it is `hopeful`. Both are true bounds; if this never
# happens, the score is exact.
#
# A `patient` search follows such hands to their end. It gives up if a position repeats on its path,
# if very many hands are put away in a row, or after MOST_PATIENCE positions: there may be a loop.

from libc.stdint cimport int32_t, int64_t, uint64_t

from kulami_solver.just4fun.draws cimport Pile
from kulami_solver.just4fun.duel cimport BoardTables, Rules, State

cdef enum:
    MOST_REFILLS = 2                # of the stock, without a stone placed between them
    MOST_KNOWN = 1000000            # positions that are remembered
    MOST_PUT_AWAY = 100             # hands in a row that a patient search follows ...
    MOST_PATIENCE = 50000           # ... and positions that it looks at

cdef class Expecter:
    cdef Rules rules
    cdef const BoardTables *board
    cdef int hand_size
    cdef bint pruning
    cdef dict known
    cdef int root                   # the side that asks
    cdef bint hopeful
    cdef int64_t patience           # positions that a patient search may still look at; else 0
    cdef set path                   # positions on its path at which hands are put away
    cdef readonly bint unsure       # whether the last value is only a bound
    cdef uint64_t busy
    cdef int choice                 # the best play of the last decision
    cdef int32_t stopped            # written by another thread: end the search
    cdef int64_t counted
    cdef int64_t limit

    cdef int ask(self, int side, bint hopeful) except -1
    cdef int enter(self) except -1
    cdef tuple unknown(self, int side)
    cdef tuple follow(self, const State *n, const Pile *pile)
    cdef tuple decide(
        self, const State *n, const Pile *pile, int refills, alpha, beta, int first, bint only
    )
    cdef tuple put_away(self, const State *n, const Pile *pile, int refills, alpha, beta)
    cdef tuple remembered(self, key, alpha, beta)
    cdef int remember(self, key, tuple value, int choice, alpha, beta) except -1
    cdef tuple choose(
        self, const State *n, const Pile *pile, alpha, beta, int first, bint only
    )
    cdef tuple play(
        self, const State *n, const Pile *pile, int number, object hand, alpha, beta
    )
    cdef tuple chance(self, const State *n, int side, const Pile *pile, int refills, alpha, beta)
    cdef tuple last_draw(
        self, const State *n, int side, const Pile *pile, int missing, int refills, alpha
    )
    cdef tuple weigh(
        self, const State *n, int side, list draws, object total, int refills, alpha, beta
    )
    cdef int read(self, State *n, Pile *pile, view, stock, discards) except -1
