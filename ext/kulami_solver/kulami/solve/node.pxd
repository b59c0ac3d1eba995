# A position in the search, and the tools of a search
#
# Everything is in the view of the side to move: its marbles are `own`, the other side's `other`,
# margins are own minus other's. A move makes the child's node afresh (copy-make); there is no
# undo. The children of the node at each ply have their place in that ply's list, so the search
# needs little stack and allocates no memory while it runs:
#
#     ply     moves[0]                moves[1]                moves[2]
#     root    node node node ...      node node ...           node node node ...
#                   |                 children of that one         children of that one
#                   +---------------->      +--------------------->
#
# `rank` lists the kept children in the order in which they are searched, so that sorting moves
# bytes, not nodes.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t

from kulami_solver.core.bits cimport popcount
from kulami_solver.core.table cimport Table
from kulami_solver.core.watch cimport Watch
from kulami_solver.kulami.solve.areas cimport Areas
from kulami_solver.kulami.solve.chains cimport Chains
from kulami_solver.kulami.solve.mixed_endings cimport (
    MIXED_ENDING, MIXED_ENDING_FIELDS, MixedEndings,
)
from kulami_solver.kulami.solve.panel_endings cimport (
    PANEL_ENDING, PANEL_ENDING_FIELDS, PanelEndings,
)
from kulami_solver.kulami.solve.panels cimport Hull, PanelTables
from kulami_solver.kulami.position.rules cimport MAX_FIELDS, Tables
from kulami_solver.kulami.solve.shared_search cimport BeingSearched, Control
from kulami_solver.kulami.solve.weights cimport Evaluation

cdef enum:
    KEY_WORDS = 5               # words of a key that are hashed by multiplication
    # Positions with fewer plies to come have no key. Those with fewer than TABLE_PLIES (not less
    # than KEY_PLIES) are not looked up in the table.
    KEY_PLIES = 4
    TABLE_PLIES = 6
    ORACLE_PLIES = 12           # so many plies before the end, or more, an oracle is asked

cdef struct Panels:
    # The state of the panels, kept up move by move. Sides are by turn; sets of fields are made of
    # whole panels.
    Hull sums[2]            # of each side's hulls
    uint64_t useful[2]      # panels on which the side could still gain ...
    uint64_t hot[2]         # ... and with its next marble there
    uint64_t index[2]       # hashes of the undecided panels' differences, in the side's view
    uint64_t signature[2]
    int16_t decided         # points of the decided panels, those of turn 0 minus those of turn 1
    int16_t expected        # points to expect, in tenths, likewise
    int8_t difference[MAX_FIELDS]       # of each panel: marbles of turn 0 minus those of turn 1

cdef struct Node:
    uint64_t live           # free fields that play can still reach
    uint64_t legal          # the fields the side to move may use now
    uint64_t second         # the live fields that the other side may be able to use next
    uint64_t own            # marbles of the side to move
    uint64_t other
    uint64_t index          # hash of what the future depends on: the place in the table ...
    uint64_t signature      # ... and the word compared there
    int32_t order           # children: the one with the largest is searched first
    int16_t now             # present panel points, own minus other's
    int16_t base            # the part of the margin that is settled; the table holds the rest
    int16_t lower           # proven bounds of the margin, own minus other's
    int16_t upper
    int16_t most            # ... and of its part from areas and chains
    int16_t least
    uint8_t supply          # plies that the marbles still allow, both sides together
    uint8_t plies           # plies that the game can still last, at most
    uint8_t last            # field of the newest marble
    uint8_t turn            # 0 and 1 in turns, 0 at the root
    uint8_t open_areas      # 1: own largest area may still grow; 2: other's
    bint exchanged          # whether lines that are alike were exchanged for the key
    bint evaluated          # children: whether all is filled in, or only what `bound_move` gives
    Panels panels
    # Kept up only where they count:
    Areas areas[2]          # by turn: own are areas[turn]
    Chains chains[2]

cdef struct MoveList:
    # The children of a node
    Node child[MAX_FIELDS]
    uint8_t rank[MAX_FIELDS]            # those that are kept, in the order of the search
    uint8_t count                       # how many are kept
    uint8_t first                       # the field that reached beta, NO_MOVE if none did

cdef struct Searcher:
    const Tables *rules
    const PanelTables *panels
    const Table *table
    Control *control
    BeingSearched *being_searched       # NULL for a search that works alone
    void *oracle            # an Oracle; NULL if there is none
    bint areas              # whether areas and chains count
    bint chains
    const Evaluation *evaluation    # learned
    PanelEndings *panel_endings     # for endings, if only panels count ...
    MixedEndings *mixed_endings     # ... and if areas or chains do; the other one is NULL
    bint abandoned          # the search was left without an answer
    int64_t nodes           # positions entered so far; this and the next are read by any thread
    int64_t hits            # positions the oracle knew
    int64_t limit           # stop all searches of the question at this many nodes
    Watch watch
    MoveList *moves         # one for each ply that the game can last, and one more
    uint64_t multiplier[2 * KEY_WORDS]


cdef inline bint is_ending(const Searcher *s, const Node *n) noexcept nogil:
    """Is an evaluated node searched as an ending?"""
    if s.panel_endings != NULL:
        # With an oracle, the search goes on to positions that it is asked about.
        return (
            n.plies <= PANEL_ENDING and (n.plies <= ORACLE_PLIES or s.oracle == NULL)
            and popcount(n.live) <= PANEL_ENDING_FIELDS
        )
    return n.plies <= MIXED_ENDING and popcount(n.live) <= MIXED_ENDING_FIELDS


cdef inline bint is_tabled(const Searcher *s, const Node *n) noexcept nogil:
    """Is the table used for an evaluated node?"""
    return n.plies >= TABLE_PLIES and not is_ending(s, n)
