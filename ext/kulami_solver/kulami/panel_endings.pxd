# The last plies, where only panels count: a search without a table
#
# Close to the end the same position is hardly ever met twice, and a node of the full search, with
# its live fields and its hash, costs more than it saves. An ending is a position without these:
#
#     own, other      the marbles of the side to move, and of the other side
#     free            the fields still free of those that were live when the ending began
#     legal           fields the side to move may use now
#     barred          the panel of the newest marble, barred for the next marble but one
#     hot, other_hot  panels on which one marble gains at once, for the side to move and for the
#                     other side: their fields, whether these are free or not
#     sum, other_sum  sums of the panels' hulls; only where more than SHORT plies are to come
#
# Fields are known by rank (see `panels.pxd`), so the first of a set lies on its largest panel. A
# move makes the child afresh, in the list of its parent's moves, and leaves the parent as it is.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from kulami_solver.kulami.notes cimport Notes
from kulami_solver.kulami.panels cimport Hull, PanelTables
from kulami_solver.kulami.rules cimport MAX_FIELDS
from kulami_solver.kulami.switches cimport PANEL_ENDING

cdef enum:
    SHORT = 5               # this many plies, or fewer, are bounded by hot panels alone

cdef struct PanelEnding:
    uint64_t own
    uint64_t other
    uint64_t free
    uint64_t legal
    uint64_t barred
    uint64_t hot
    uint64_t other_hot
    Hull sum
    Hull other_sum
    # Only in children, in the view of the side that moved there:
    int gain                # points that the move gained at once
    int lower               # bounds of the final gain of margin after the move
    int upper
    uint8_t last            # rank of the move's field

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


# Take up an ending without its sums. All arguments know fields by number; `last` has the newest
# marble.
cdef void begin_panel_ending(
    PanelEndings *s, PanelEnding *n, uint64_t own, uint64_t other, uint64_t live, uint64_t legal,
    int last
) noexcept nogil

# How much the side to move gains of margin in the plies to come, 3 to PANEL_ENDING of them:
# v >= beta: at least v; v < beta: at most v.
cdef int search_panels(
    PanelEndings *s, const PanelEnding *n, int plies, int beta
) noexcept nogil
