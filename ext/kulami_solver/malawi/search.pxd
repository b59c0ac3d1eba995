# A search for forced ends within a number of plies
#
# A position's table entry holds two kinds of facts, as bounds of one number, its value:
#
#     MATE - n      the side to move wins, in n plies
#     0             neither side can force a win
#     n - MATE      the side to move loses, in n plies
#
#     wins within n        lower >= MATE - n           no win within n      upper < MATE - n
#     loses within n       upper <= n - MATE           no loss within n     lower > n - MATE
#
# Each fact is true of the position itself, whatever was played before: it is about the finite tree
# of the next n plies. Repeated positions do not matter, because draws are never claimed.

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
    int32_t stop                    # written by another thread: end the search
    bint abandoned                  # the question was left without an answer
    int64_t nodes                   # positions whose turns were looked at; read by any thread
    int64_t limit                   # end the search at this number of nodes


cdef class Search:
    cdef Searcher searcher
    cdef uint64_t busy
    cdef Rules rules
    cdef TranspositionTable table
    cdef object ask(self, bint win, own, other, beads, int plies)
