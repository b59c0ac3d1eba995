# One position, and the machinery to bound its margin

from libc.stdint cimport uint64_t

from kulami_solver.core.table cimport TranspositionTable
from kulami_solver.core.watch cimport Watcher
from kulami_solver.kulami.solve.node cimport Node, Searcher
from kulami_solver.kulami.solve.oracle cimport Oracle
from kulami_solver.kulami.solve.panels cimport PanelBounds
from kulami_solver.kulami.solve.scratch cimport Scratch
from kulami_solver.kulami.solve.shared_search cimport SharedSearch
from kulami_solver.kulami.solve.weights cimport LearnedEvaluation


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
