# The last plies, where areas or chains count: played out without bounds and without a table
#
# Few marbles are left to come, so little of a position can still change. A `MixedEnding` lists for
# each colour, once and for all:
#
#     components    around each live field: the open components there, a bit each
#     joined_size   1 + their sizes
#     lacking       of each window that can still be filled: the fields it lacks (none: it is full)
#
# A few words, `Placed`, describe the effect of a colour's new marbles: a move changes them, and is
# undone by putting the old ones back. New marbles that are connected, directly or through old
# components, form a group:
#
#     around        the fields beside its new marbles
#     components    the old components in it
#     size          its marbles, old and new
#
# A marble on x joins the groups with x around them, and those with a component that x touches.

from libc.stdint cimport int8_t, int16_t, int64_t, uint8_t, uint32_t, uint64_t

from kulami_solver.kulami.areas cimport MAX_COMPONENTS, Areas
from kulami_solver.kulami.chains cimport Chains
from kulami_solver.kulami.notes cimport Notes
from kulami_solver.kulami.rules cimport MAX_FIELDS, MAX_WINDOWS, Tables
from kulami_solver.kulami.switches cimport MIXED_ENDING

cdef enum:
    MOST_PLACED = (MIXED_ENDING + 1) // 2       # new marbles of a colour

cdef struct Placed:
    uint64_t marbles                # the new ones
    uint64_t around[MOST_PLACED]    # of each group
    uint32_t components[MOST_PLACED]
    uint8_t size[MOST_PLACED]
    uint8_t groups
    uint8_t grouped                 # marbles of all groups
    uint8_t area                    # size of the largest area
    int16_t points                  # of the listed windows
    uint64_t completing             # fields that alone fill one of them

cdef struct Colour:
    Placed placed
    uint32_t components[MAX_FIELDS]
    uint8_t joined_size[MAX_FIELDS]
    uint8_t size[MAX_COMPONENTS]    # of the old components
    uint64_t lacked                 # fields that a listed window lacks
    uint64_t lacking[MAX_WINDOWS]
    uint8_t follows[MAX_WINDOWS]    # 1: the window listed before it lies one square back
    int windows                     # number of listed windows

cdef struct MixedEnding:
    const Tables *rules
    bint areas                      # whether areas and chains count
    bint chains
    int64_t nodes                   # positions entered, of three plies or more
    uint8_t first                   # field of the move that reached beta, if one did
    const Notes *notes              # NULL: nothing is noted
    uint64_t marbles[2]             # of each side by turn, when the ending began
    int8_t difference[MAX_FIELDS]   # of each panel: marbles of turn 0 minus those of turn 1
    Colour colour[2]                # by turn


# Set up an ending with these differences of all panels. Areas and chains follow, where they count.
cdef void begin_mixed_ending(MixedEnding *e, const int8_t *difference) noexcept nogil

# Set up a colour's areas, with these fields live.
cdef void list_components(Colour *c, const Areas *a, uint64_t live) noexcept nogil

# List the windows that a colour (own) has filled or can still fill, with this many marbles to come.
cdef void list_windows(
    const Tables *t, Colour *c, const Chains *chains, uint64_t own, uint64_t live, int marbles
) noexcept nogil

# Is the margin at least `beta`, with at most `plies` to come, three or more?
#
#     turn      the side to move
#     now       that side's margin if the game ended here
#     free      the live fields that are not used yet
#     legal     the legal fields, or those of them that are to be searched; not empty
#     last      the field of the newest marble
#
# v >= beta: the margin is at least v; v < beta: it is at most v.
cdef int search_mixed(
    MixedEnding *e, int turn, int plies, int now, int beta, uint64_t free, uint64_t legal, int last
) noexcept nogil
