# The last plies, where areas or chains count: played out without bounds and without a table
#
# Few marbles are left to come, so little of a position can still change. When an ending begins,
# each colour's old components and windows are listed in `Listed`. `Placed` describes the colour
# after new marbles. A move makes its colour's `Placed` afresh and leaves the one before as it is;
# the other colour's serves on.
#
# Areas. A set of marbles in open components is a word of labels: the old ones have labels in the
# order of their components, the new ones those that follow. So the area of a marble that joins
# several components is counted by one popcount, whether or not new marbles have joined some of
# them before. New marbles that are connected, directly or through old components, form a group.
#
# Fields are known by rank, as in `ending_position.pxd`, windows by number.

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t

from kulami_solver.kulami.solve.areas cimport Areas
from kulami_solver.kulami.solve.chains cimport Chains
from kulami_solver.kulami.solve.ending_position cimport EndingPosition
from kulami_solver.kulami.solve.notes cimport Notes
from kulami_solver.kulami.solve.panels cimport PanelTables
from kulami_solver.kulami.position.rules cimport MAX_FIELDS
from kulami_solver.kulami.solve.windows cimport Windows

cdef enum:
    # Games with at most this many plies to come and this many live fields are endings.
    MIXED_ENDING = 12
    MIXED_ENDING_FIELDS = 20
    MOST_PLACED = (MIXED_ENDING + 1) // 2       # new marbles of a colour

cdef struct Listed:                 # of a colour, when the ending begins
    uint64_t touched[MAX_FIELDS]    # the marbles of the components around each live field
    uint64_t near[MAX_FIELDS]       # live fields around such a marble and these components
    uint64_t lacked                 # fields without a marble in windows that can be filled

cdef struct Placed:                 # a colour after some new marbles
    uint64_t label                  # of the next marble
    uint64_t around[MOST_PLACED]    # live fields around each group
    uint64_t group[MOST_PLACED]     # its marbles, those of its old components among them
    uint8_t groups
    uint8_t area                    # size of the largest area
    uint8_t joined[MAX_FIELDS]      # size of the area that a marble on each free field would make
    uint64_t growing                # free fields where this is larger than the largest area
    uint64_t completing             # free fields where a marble fills a window
    int16_t points                  # of the chains
    const Windows *windows          # `filled`, or an earlier position's if no open one has changed
    Windows filled

cdef struct MixedEnding:            # a position of an ending
    EndingPosition at
    int turn                        # the side to move
    const Placed *own
    const Placed *other

cdef struct MixedMove:
    uint64_t replies                # the fields that the other side may use then
    int16_t gain                    # points that the move gains at once
    uint8_t field

cdef struct MixedEndings:
    # What the positions of an ending have in common
    const PanelTables *panels
    bint areas                      # whether areas and chains count
    bint chains
    int64_t nodes                   # positions entered, of three plies or more
    uint8_t first                   # rank of the field that reached beta, if the last answer did
    const Notes *notes              # NULL: nothing is noted
    Listed listed[2]                # by turn
    Placed start[2]


# Take up the areas and chains of an ending, whose position `at` is there already. `own` and `other`
# know fields by number; `areas` and `chains` are by turn, and looked at only where they count.
cdef void begin_mixed_ending(
    MixedEndings *e, MixedEnding *n, int turn, uint64_t own, uint64_t other, const Areas *areas,
    const Chains *chains
) noexcept nogil

# How much the side to move gains of margin in the plies to come, 3 to MIXED_ENDING of them:
# v >= beta: at least v; v < beta: at most v.
cdef int search_mixed(MixedEndings *e, const MixedEnding *n, int plies, int beta) noexcept nogil
