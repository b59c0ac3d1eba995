# A position in the search, and the frames it is searched in
#
# Everything is in the view of the side to move: its marbles are `own`, the other side's `other`,
# margins are own minus other's. A move makes the child's node afresh (copy-make); there is no
# undo. A frame holds the children of the node at its ply, so the search takes no stack to speak of
# and no memory while it runs.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t

from kulami_solver.core.table cimport Table, TranspositionTable
from kulami_solver.kulami.panels cimport PanelBounds, PanelTables
from kulami_solver.kulami.rules cimport MAX_FIELDS, Geometry, Tables

cdef struct Node:
    uint64_t live           # free fields that can still be reached from here, in any number of moves
    uint64_t legal          # the fields the side to move may use now
    uint64_t own            # marbles of the side to move; kept only where areas or chains count
    uint64_t other
    uint64_t index          # hash of what the future depends on: where in the table ...
    uint64_t signature      # ... and what is compared there
    int32_t order           # children: the one with the largest is searched first
    int16_t now             # panel points as things stand, own minus other's
    int16_t base            # the part of the margin that nothing can change; the table holds the rest
    int16_t lower           # proven bounds of the margin, own minus other's
    int16_t upper
    uint8_t supply          # plies that the marbles still allow, both sides together
    uint8_t plies           # plies that the game can still last: at most supply, at most live fields
    uint8_t last            # field of the newest marble
    int8_t difference[MAX_FIELDS]       # of each panel: own marbles minus other's

cdef struct Frame:
    Node child[MAX_FIELDS]

cdef struct Control:
    # Shared by the threads of one search and whoever waits for it.
    int stop                # set by anyone: come to an end
    int64_t limit           # nodes allowed; below 0: no limit

cdef struct Searcher:
    const Tables *rules
    const PanelTables *panels
    const Table *table
    Control *control
    bint areas              # whether areas and chains count
    bint chains
    int64_t nodes           # positions entered so far
    Frame *frame            # MAX_FIELDS + 1 of them


cdef class Search:
    cdef Searcher searcher
    cdef Node root
    cdef Control control
    cdef PanelBounds bounds
    cdef TranspositionTable table
