# The last plies, where only panels count: a search that remembers nothing
#
# Close to the end the same position is hardly ever met twice, and a node of the full search, with
# its live fields and its hash, costs more than it saves. An ending is a position without these:
#
#     free            what is left of the fields that were live when the ending began
#     legal           fields the side to move may use now
#     barred          the panel of the newest marble, which the next but one may not use
#     hot, other_hot  panels on which one marble gains at once, for the side to move and for the
#                     other side, whether they have a free field or not
#     open            panels that have one
#     sum, other_sum  of their hulls; only where more than SHORT plies are to come
#
# Panels are known by rank (see `panels.pxd`), and sets of them are sets of ranks. Leads, the
# marbles of each side on each panel minus the other side's, are changed by a move and changed
# back; all else is made afresh for each child, in the list of its parent's moves.

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from kulami_solver.kulami.notes cimport Notes
from kulami_solver.kulami.panels cimport Hull, PanelTables
from kulami_solver.kulami.rules cimport MAX_FIELDS, Tables
from kulami_solver.kulami.switches cimport PANEL_ENDING

cdef enum:
    SHORT = 5               # so few plies are bounded by hot panels alone

cdef struct PanelEnding:
    uint64_t free
    uint64_t legal
    uint64_t barred
    uint64_t hot
    uint64_t other_hot
    uint64_t open
    Hull sum
    Hull other_sum
    # Only in children, in the view of the side that moved there:
    int gain                # points that the move gained at once
    int lower               # bounds of what it betters the margin by in the end
    int upper
    int order               # the child with the largest is searched first
    uint8_t last            # field of the move

cdef struct PanelMoveList:
    PanelEnding child[MAX_FIELDS]
    uint8_t kept[MAX_FIELDS]            # the children that are left to search

cdef struct PanelEndings:
    # What the positions of an ending have in common
    const Tables *rules
    const PanelTables *panels
    int64_t nodes           # positions entered, of three plies or more
    uint8_t first           # field of the move that reached beta, if one did
    const Notes *notes      # NULL: nothing is noted
    uint64_t marbles[2]     # of each side by turn, when the ending began ...
    int begun               # ... with so many plies to come
    uint8_t path[PANEL_ENDING + 1]      # fields played since, by the plies to come before
    int8_t lead[2][MAX_FIELDS]          # of each side by turn, on each panel by rank
    PanelMoveList moves[PANEL_ENDING + 1]   # by plies to come


# Leads, hot and open panels of an ending whose other fields are filled in, from the differences of
# all panels by number: marbles of turn 0 minus those of turn 1.
cdef void begin_panel_ending(
    PanelEndings *s, PanelEnding *n, int turn, const int8_t *difference
) noexcept nogil

# By how much the side to move betters its margin in the plies to come, 3 to PANEL_ENDING of them:
# v >= beta: by at least v; v < beta: by at most v.
cdef int search_panels(
    PanelEndings *s, const PanelEnding *n, int turn, int plies, int beta
) noexcept nogil
