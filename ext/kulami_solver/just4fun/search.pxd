# The double-dummy search: both hands and the order of the stock are known
#
# A position's table entry holds bounds of its value for the side to move: 1 a win, 0 a draw, -1 a
# loss. No position repeats, since each turn takes a stone or cards; so bounds hold for ever.
#
# The key is seven words:
#
#     plus[0]  plus[1]  settled[0]  settled[1]  hand[0]  hand[1]
#     stones[0], stones[1], drawn, side  in 16 bits each
#
# The hand of a side without stones counts as empty. docs/just4fun.md says why nothing else matters.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from kulami_solver.core.table cimport Table, TranspositionTable
from kulami_solver.just4fun.bounds cimport LiveLines
from kulami_solver.just4fun.duel cimport MAX_FIELDS, MAX_STOCK, BoardTables, Rules, State

cdef struct Choice:
    # A play to be tried.
    int32_t score
    uint16_t chosen                 # cards of the hand, a bit each
    uint16_t number                 # of the field

cdef struct Searcher:
    const BoardTables *board
    const Table *table
    uint8_t stock[MAX_STOCK]
    int cards                       # of the stock, in the order of drawing
    int hand_size
    LiveLines live[2]
    uint16_t *sums                  # room for the plays of a position, by the stones left:
    Choice *choices                 # 1 << hand_size of them for each number of stones
    int32_t history[2][MAX_FIELDS + 1]      # how often placing there reached a goal
    int32_t stop                    # written by another thread: end the search
    bint abandoned                  # the question was left without an answer
    int64_t nodes                   # positions whose plays were looked at; read by any thread
    int64_t limit                   # end the search at this number of nodes


cdef class Search:
    cdef Searcher searcher
    cdef uint64_t busy
    cdef Rules rules
    cdef TranspositionTable table
    cdef int read(self, State *n, view, int drawn) except -1
    cdef void look_at_lines(self, const State *n) noexcept
