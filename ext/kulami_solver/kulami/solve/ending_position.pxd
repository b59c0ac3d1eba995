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
# Fields are known by rank (see `panels.pxd`), so the first of a set lies on its largest panel.

from libc.stdint cimport INT32_MIN, int32_t, uint8_t, uint64_t

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.kulami.solve.notes cimport Notes, note_field
from kulami_solver.kulami.solve.panels cimport (
    PanelTables, Ranked, fields_of, pays_at_once, ranks_of,
)
from kulami_solver.kulami.position.rules cimport MAX_FIELDS

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
