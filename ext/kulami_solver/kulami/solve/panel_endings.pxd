# The last plies, where only panels count: a search without a table
#
# Close to the end the same position is hardly ever met twice, and a node of the full search, with
# its live fields and its hash, costs more than it saves. An ending is a position without these
# (`ending_position.pxd`), and has besides:
#
#     sum, other_sum  sums of the panels' hulls; only where more than SHORT plies are to come
#
# A move makes the child afresh, in the list of its parent's moves, and leaves the parent as it is.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from kulami_solver.kulami.solve.ending_position cimport EndingPosition
from kulami_solver.kulami.solve.notes cimport Notes
from kulami_solver.kulami.solve.panels cimport Hull, PanelTables
from kulami_solver.kulami.position.rules cimport MAX_FIELDS

cdef enum:
    # Games with at most this many plies to come and this many live fields are endings.
    PANEL_ENDING = 14
    PANEL_ENDING_FIELDS = 40
    SHORT = 5               # this many plies, or fewer, are bounded by hot panels alone

cdef struct PanelEnding:
    EndingPosition at
    Hull sum
    Hull other_sum
    # Only in children, in the view of the side that moved there:
    int gain                # points that the move gained at once
    int lower               # bounds of the final gain of margin after the move
    int upper

cdef struct PanelMoveList:
    PanelEnding child[MAX_FIELDS]
    # Of each child, INT32_MIN once it was searched; the lowest six bits tell equals apart.
    int32_t order[MAX_FIELDS]

cdef struct PanelEndings:
    # What the positions of an ending have in common
    const PanelTables *panels
    int64_t nodes           # positions entered, of three plies or more
    uint8_t first           # rank of the field that reached beta, if one did
    const Notes *notes      # NULL: nothing is noted
    PanelMoveList moves[PANEL_ENDING + 1]   # by plies to come


# How much the side to move gains of margin in the plies to come, 3 to PANEL_ENDING of them:
# v >= beta: at least v; v < beta: at most v.
cdef int search_panels(
    PanelEndings *s, const PanelEnding *n, int plies, int beta
) noexcept nogil
