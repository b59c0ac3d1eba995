# One position, and the machinery to bound its margin
#
#     SharedSearch    the data that searches of one question share, besides the table
#     Scratch         the memory in which a search keeps its lists of moves
#     Search          one position, its searcher, and the questions about it

from libc.stdint cimport uint64_t

from kulami_solver.core.table cimport TranspositionTable
from kulami_solver.core.watch cimport Watcher
from kulami_solver.kulami.solve.bounds cimport LearnedEvaluation, PanelBounds
from kulami_solver.kulami.solve.endings cimport MixedEndings, PanelEndings
from kulami_solver.kulami.solve.node cimport BeingSearched, Control, MoveList, Node, Searcher
from kulami_solver.kulami.solve.table cimport Oracle

cdef class SharedSearch:
    cdef Control control
    cdef BeingSearched being_searched
    cdef readonly int size


# -------------------------------------------------------------------------------------------------
# The memory in which a search keeps its lists of moves
#
#     moves      node.pxd           60 KiB for each ply that the game can last, and one more
#     panels     endings.pxd  110 KiB, or
#     mixed      endings.pxd  where areas or chains count
#
# Nothing in it outlives a search, so a piece may contain anything at the start. Getting memory from
# the system takes longer than searching the last plies of a game, so unused pieces wait for the
# next search.

cdef class Scratch:
    cdef bint areas                     # whether areas or chains count in its searches
    cdef MoveList *moves
    cdef int lists                      # how many there are
    cdef uint64_t busy                  # as in exclusive.pxd: whether its search is at work
    cdef PanelEndings *panels           # NULL until they are asked for
    cdef MixedEndings *mixed
    cdef int make_lists(self, int wanted) except -1
    cdef PanelEndings *panel_endings(self) except NULL
    cdef MixedEndings *mixed_endings(self) except NULL


cdef Scratch take_scratch(bint areas)
cdef int leave_scratch(Scratch scratch) except -1

cdef class Search:
    cdef Searcher searcher
    cdef Node root
    cdef Scratch scratch
    cdef SharedSearch shared
    cdef PanelBounds bounds
    cdef TranspositionTable table
    cdef Oracle oracle
    cdef LearnedEvaluation evaluation
    cdef Watcher watcher
    cdef int make_room(self, int plies) except -1
    cdef int set_up(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) except -1
    cdef void take_up(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) noexcept nogil
    cdef bint ask(self, int beta, int *answer) noexcept nogil
    cdef bint holds_lock(self) noexcept nogil
    cdef int preferred_field(self) noexcept nogil
