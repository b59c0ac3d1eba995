# A search for forced ends within so many plies
#
# A position's table entry holds two kinds of facts, as bounds of one number, its worth:
#
#     MATE - n      the side to move wins, in n plies
#     0             it never comes to that, whatever anybody does
#     n - MATE      the side to move loses, in n plies
#
#     wins within n        lower >= MATE - n           no win within n      upper < MATE - n
#     loses within n       upper <= n - MATE           no loss within n     lower > n - MATE
#
# Each is true of the position by itself, however it came about: it says something about the finite
# tree of the plies to come. It does not matter that positions can repeat; draws are never claimed.

from libc.stdint cimport int32_t, int64_t, uint64_t

from kulami_solver.core.table cimport Table, TranspositionTable
from kulami_solver.malawi.rules cimport BoardTables, Rules

cdef enum:
    MATE = 10000
    MAX_PLIES = 1000                # deeper questions are not asked

cdef struct Searcher:
    const BoardTables *board
    const Table *table
    int words                       # of the beads, eight squares each
    int32_t stop                    # written by another thread: come to an end
    bint abandoned                  # the question was left without an answer
    int64_t nodes                   # positions whose turns were looked at; read by any thread
    int64_t limit                   # come to an end when there are so many


cdef class Search:
    cdef Searcher searcher
    cdef uint64_t busy
    cdef Rules rules
    cdef TranspositionTable table
    cdef object ask(self, bint win, own, other, beads, int plies)
