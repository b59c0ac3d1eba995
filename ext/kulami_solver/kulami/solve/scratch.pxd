# The memory in which a search keeps its lists of moves
#
#     moves      node.pxd           60 KiB for each ply that the game can last, and one more
#     panels     panel_endings.pxd  110 KiB, or
#     mixed      mixed_endings.pxd  where areas or chains count
#
# Nothing in it outlives a search, so a piece may contain anything at the start. Getting memory from
# the system takes longer than searching the last plies of a game, so unused pieces wait for the
# next search.

from libc.stdint cimport uint64_t

from kulami_solver.kulami.solve.mixed_endings cimport MixedEndings
from kulami_solver.kulami.solve.node cimport MoveList
from kulami_solver.kulami.solve.panel_endings cimport PanelEndings


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
