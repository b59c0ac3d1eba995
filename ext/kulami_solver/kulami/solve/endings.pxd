# Endings: the last plies, searched without a table, where 99.4 % and more of all nodes lie
#
#     where               plies      function         share of its nodes, with 30 fields free
#     panels alone        14 .. 3    search_panels    19 %  three plies are to come
#                                                     17 %  a move's bound reaches beta
#                                                      2 %  bounds leave no move open
#                                                     62 %  moves are searched
#     areas and chains    12 .. 3    search_mixed     35 %  three plies are to come
#                                                     65 %  moves are searched
#
# `search.pyx` hands over to them. The parts, one under the other: notes of fields for a proof, the
# position, endings in which only panels count, endings in which areas or chains do.

from libc.stdint cimport INT32_MIN, int16_t, int32_t, int64_t, uint64_t, uint8_t

from kulami_solver.core.bits cimport bit, lowest, popcount, relaxed_store
from kulami_solver.core.hashing cimport hash_word
from kulami_solver.core.table cimport ENTRIES, NO_MOVE, Entry, Stored, Table, bucket_of, pack, probe
from kulami_solver.kulami.position.rules cimport MAX_FIELDS
from kulami_solver.kulami.solve.bounds cimport (
    Areas, Chains, Hull, PanelTables, Ranked, Windows, fields_of, pays_at_once, ranks_of,
)

# -------------------------------------------------------------------------------------------------
# Notes: fields that endings find, kept for a proof
#
# An ending has no table, since that does not pay for the search. But the proof that a position is
# worth at most some value has to answer all of its moves, and the ending has found each of these
# answers. So it notes them: the field, and the gain that the field secures.
#
#     key      the marbles of the side to move, and of the other side; the legal fields; the newest
#              marble; hashed as those of the table are (`hashing.pxd`)
#     entry    as in `table.pxd`; lower is a lower bound of the gain of margin in the plies to come
#              with this field
#
# A newer note replaces an older one, since bounds of several fields must not be joined. Positions
# of one proof with the same marbles have the same plies to come, so notes serve one proof alone.

cdef struct Notes:
    const Table *table
    const uint64_t *multiplier
    int plies                   # only positions with more plies to come are noted


cdef inline void hash_place(
    const Notes *notes, uint64_t own, uint64_t other, uint64_t legal, int last,
    uint64_t *index, uint64_t *signature
) noexcept nogil:
    index[0] = signature[0] = 0
    hash_word(notes.multiplier, 0, own, index, signature)
    hash_word(notes.multiplier, 1, other, index, signature)
    hash_word(notes.multiplier, 2, legal, index, signature)
    hash_word(notes.multiplier, 3, last, index, signature)


cdef inline void note_field(
    const Notes *notes, uint64_t own, uint64_t other, uint64_t legal, int last,
    int value, int field
) noexcept nogil:
    """Note that a field secures at least a gain of margin."""
    cdef uint64_t index, signature
    cdef uint64_t data = pack(value, 0, field, 0)
    cdef Entry *entry
    hash_place(notes, own, other, legal, last, &index, &signature)
    entry = &bucket_of(notes.table, index).entry[signature % ENTRIES]
    relaxed_store(&entry.data, data)
    relaxed_store(&entry.check, signature ^ data)


cdef inline int noted_field(
    const Notes *notes, uint64_t own, uint64_t other, uint64_t legal, int last, int *value
) noexcept nogil:
    """The noted field of a position, and the value it secures; NO_MOVE if there is none."""
    cdef uint64_t index, signature
    cdef Stored found
    hash_place(notes, own, other, legal, last, &index, &signature)
    if not probe(notes.table, index, signature, &found):
        return NO_MOVE
    value[0] = found.lower
    return found.move


# -------------------------------------------------------------------------------------------------
# A position of an ending, in the view of the side to move
#
#     own, other      the marbles of the side to move, and of the other side
#     free            the fields still free of those that were live when the ending began
#     legal           fields the side to move may use now
#     barred          the panel of the newest marble, barred for the next marble but one
#     hot, other_hot  panels on which one marble gains at once, for the side to move and for the
#                     other side: their fields, whether these are free or not
#     last            the field of the newest marble
#
# Fields are known by rank (see `bounds.pxd`), so the first of a set lies on its largest panel.

cdef struct EndingPosition:
    uint64_t own
    uint64_t other
    uint64_t free
    uint64_t legal
    uint64_t barred
    uint64_t hot
    uint64_t other_hot
    uint8_t last


cdef inline int first_of(uint64_t ranks) noexcept nogil:
    """The first rank, MAX_FIELDS if there is none."""
    return lowest(ranks) if ranks else MAX_FIELDS


cdef inline int largest(const PanelTables *t, uint64_t ranks) noexcept nogil:
    """Size of the largest panel with one of these fields, 0 if there are none."""
    return t.ranked[first_of(ranks)].size


cdef inline int next_move(uint64_t moves, uint64_t good) noexcept nogil:
    """The first of these moves; good ones come before all others."""
    return lowest(moves & good if moves & good else moves)


cdef inline int32_t keyed(int value, int place) noexcept nogil:
    """The order of a move in a list: larger values first, then lower places."""
    return value * MAX_FIELDS + (MAX_FIELDS - 1 - place)


cdef inline int place_of(int32_t key) noexcept nogil:
    return MAX_FIELDS - 1 - (key & (MAX_FIELDS - 1))


cdef inline int32_t next_key(int32_t *order, int done, int count) noexcept nogil:
    """Take a move that was searched out of the order; INT32_MIN if none is left."""
    cdef int32_t first = INT32_MIN
    cdef int i
    order[done] = INT32_MIN
    for i in range(count):
        first = max(first, order[i])
    return first


cdef inline int lead_on(uint64_t panel, uint64_t own, uint64_t other) noexcept nogil:
    """Marbles of own on a panel, minus the other side's."""
    return popcount(own & panel) - popcount(other & panel)


cdef inline int gained(const PanelTables *t, uint64_t hot, int rank) noexcept nogil:
    """The points that a marble of a side with these hot panels gains at once on a field's panel."""
    return t.ranked[rank].size & -<int>(hot >> rank & 1)


cdef inline void begin_ending(
    const PanelTables *t, EndingPosition *n, uint64_t own, uint64_t other, uint64_t live,
    uint64_t legal, int last
) noexcept nogil:
    """Take up an ending. All arguments know fields by number; `last` has the newest marble."""
    cdef const Ranked *field = &t.ranked[0]
    cdef int lead
    n.own = ranks_of(t, own)
    n.other = ranks_of(t, other)
    n.free = ranks_of(t, live)
    n.legal = ranks_of(t, legal)
    n.last = t.rank[last]
    n.barred = t.ranked[n.last].panel
    n.hot = n.other_hot = 0
    while field.size:
        lead = lead_on(field.panel, n.own, n.other)
        n.hot |= field.panel & -<uint64_t>pays_at_once(lead)
        n.other_hot |= field.panel & -<uint64_t>pays_at_once(-lead)
        field += field.size


cdef inline uint64_t replies_to(
    const PanelTables *t, const EndingPosition *n, int rank
) noexcept nogil:
    """The fields that the other side may use after a move."""
    return t.ranked[rank].cross & n.free & ~n.barred


cdef inline void play(
    const PanelTables *t, const EndingPosition *n, int rank, EndingPosition *c
) noexcept nogil:
    """Make the position after a move, in the view of the other side."""
    cdef const Ranked *field = &t.ranked[rank]
    cdef int lead = lead_on(field.panel, n.own, n.other)
    c.last = rank
    c.own = n.other
    c.other = n.own | bit(rank)
    c.free = n.free & ~bit(rank)
    c.legal = replies_to(t, n, rank)
    c.barred = field.panel
    # If the marble gains here, a marble of the other side gains next: leads 0 and -1 are hot.
    c.hot = n.other_hot & ~field.panel | n.hot & field.panel
    c.other_hot = n.hot & ~field.panel | field.panel & -<uint64_t>pays_at_once(lead + 1)


cdef inline void note_first(
    const Notes *notes, const PanelTables *t, const EndingPosition *n, int value, int first
) noexcept nogil:
    """Note that the field `first` gains at least `value` of margin in a position."""
    note_field(
        notes, fields_of(t, n.own), fields_of(t, n.other), fields_of(t, n.legal),
        t.ranked[n.last].field, value, t.ranked[first].field
    )


# -------------------------------------------------------------------------------------------------
# The last plies, where only panels count: a search without a table
#
# Close to the end the same position is hardly ever met twice, and a node of the full search, with
# its live fields and its hash, costs more than it saves. An ending is a position without these,
# and has besides:
#
#     sum, other_sum  sums of the panels' hulls; only where more than SHORT plies are to come
#
# A move makes the child afresh, in the list of its parent's moves, and leaves the parent as it is.

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


# -------------------------------------------------------------------------------------------------
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
# Fields are known by rank, windows by number.

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
