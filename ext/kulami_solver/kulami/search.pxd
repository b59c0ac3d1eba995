# One position, and the machinery to bound its margin: what the entries of `search.pyx` hold

from libc.stdint cimport uint64_t

from kulami_solver.core.table cimport TranspositionTable
from kulami_solver.kulami.mixed_endings cimport MixedEnding
from kulami_solver.kulami.node cimport MoveList, Node, Searcher
from kulami_solver.kulami.oracle cimport Oracle
from kulami_solver.kulami.panel_endings cimport PanelEndings
from kulami_solver.kulami.panels cimport PanelBounds
from kulami_solver.kulami.rules cimport MAX_FIELDS, Tables
from kulami_solver.kulami.shared_search cimport SharedSearch

# A position on the way along a line of best play.
cdef struct Ply:
    uint64_t own
    uint64_t other
    int last
    int before
    int supply

# What looking for a field that keeps a value comes to, if it comes to none.
cdef enum:
    STOPPED = -1
    NONE_KEEPS = -2


cdef class Search:
    cdef Searcher searcher
    cdef Node root
    cdef int lists                      # of moves the searcher has, 0 before there is a position
    cdef SharedSearch shared
    cdef PanelBounds bounds
    cdef TranspositionTable table
    cdef Oracle oracle
    cdef int make_room(self, int plies) except -1
    cdef void take_up(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) noexcept nogil
    cdef bint ask(self, int beta, int *answer) noexcept nogil
    cdef int preferred_field(self) noexcept nogil
    cdef int keep(self, Ply *here, int target) noexcept nogil
