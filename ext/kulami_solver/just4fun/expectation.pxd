# The expected score with open hands and random draws: 1 for a win, 1/2 for a draw
#
# Values are pairs of Fractions, the score of the side to move and the probability of a draw; what
# is counted below them, the last draw of a game, is whole numbers (`draws.pxd`).
#
# A search with a window (alpha, beta) returns the score if it lies strictly between them; otherwise
# a bound of it on the same side of the window: at most alpha, and the score is at most this, or at
# least beta, and it is at least this.
#
# Hands that have no play can be put away again and again. A search does not follow that for ever:
# where the stock is renewed for the second time without a stone being placed, it takes the worst
# for the side that asks, or if it is `hopeful`, the best. Both are true bounds; if it never comes
# to that, the score is exact.
#
# A `patient` search follows them to their end, and gives up where a position comes up that it is
# still at, where there are very many, or after MOST_PATIENCE positions: then there may be a loop.

from libc.stdint cimport int32_t, int64_t, uint64_t

from kulami_solver.just4fun.draws cimport Pile
from kulami_solver.just4fun.duel cimport BoardTables, Rules, State

cdef enum:
    MOST_REFILLS = 2                # of the stock, with no stone placed between
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
    cdef int64_t patience           # positions that a patient search may look at yet; 0: it is none
    cdef set path                   # those it is at, where hands are put away
    cdef readonly bint unsure       # whether it has come to hands that could go on for ever
    cdef uint64_t busy
    cdef int choice                 # the play that the last decision came to
    cdef int32_t stopped            # written by another thread: come to an end
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
