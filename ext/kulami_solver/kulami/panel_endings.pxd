# The last plies, where only panels count: a search without a table
#
# Close to the end the same position is hardly ever met twice, and a node of the full search, with
# its live fields and its hash, costs more than it saves. An ending is a position without these:
#
#     free            the fields still free of those that were live when the ending began
#     legal           fields the side to move may use now
#     barred          the panel of the newest marble, barred for the next marble but one
#     hot, other_hot  panels on which one marble gains at once, for the side to move and for the
#                     other side, whether they have a free field or not
#     open            panels with a free field
#     sum, other_sum  sums of the panels' hulls; only where more than SHORT plies are to come
#
# Panels are known by rank (see `panels.pxd`), and sets of them are sets of ranks. A lead is a
# side's marbles on a panel minus the other side's. A move changes leads and is undone by changing
# them back; all other fields are made afresh for each child, in the list of its parent's moves.

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from kulami_solver.kulami.notes cimport Notes
from kulami_solver.kulami.panels cimport Hull, PanelTables
from kulami_solver.kulami.rules cimport MAX_FIELDS, Tables
from kulami_solver.kulami.switches cimport PANEL_ENDING

cdef enum:
    SHORT = 5               # this many plies, or fewer, are bounded by hot panels alone

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
    int lower               # bounds of the final gain of margin after the move
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
    int begun               # ... and the plies to come at that time
    uint8_t path[PANEL_ENDING + 1]      # fields played since, by the plies to come before
    int8_t lead[2][MAX_FIELDS]          # of each side by turn, on each panel by rank
    PanelMoveList moves[PANEL_ENDING + 1]   # by plies to come


# Fill in leads, hot and open panels of an ending, whose other fields are already filled in.
# `difference` is by panel number: marbles of turn 0 minus those of turn 1.
cdef void begin_panel_ending(
    PanelEndings *s, PanelEnding *n, int turn, const int8_t *difference
) noexcept nogil

# How much the side to move gains of margin in the plies to come, 3 to PANEL_ENDING of them:
# v >= beta: at least v; v < beta: at most v.
cdef int search_panels(
    PanelEndings *s, const PanelEnding *n, int turn, int plies, int beta
) noexcept nogil
