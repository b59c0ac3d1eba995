# One position, and the machinery to bound its margin: what the entries of `search.pyx` hold

from kulami_solver.core.table cimport TranspositionTable
from kulami_solver.kulami.mixed_endings cimport MixedEnding
from kulami_solver.kulami.node cimport MoveList, Node, Searcher
from kulami_solver.kulami.oracle cimport Oracle
from kulami_solver.kulami.panel_endings cimport PanelEndings
from kulami_solver.kulami.panels cimport PanelBounds
from kulami_solver.kulami.rules cimport MAX_FIELDS, Tables
from kulami_solver.kulami.shared_search cimport SharedSearch


cdef class Search:
    cdef Searcher searcher
    cdef Node root
    cdef int lists                      # of moves the searcher has, 0 before there is a position
    cdef SharedSearch shared
    cdef PanelBounds bounds
    cdef TranspositionTable table
    cdef Oracle oracle
    cdef int make_room(self, int plies) except -1
