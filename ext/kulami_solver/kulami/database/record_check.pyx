"""The check of a database: do a ply's values follow from the values of the next ply?

    record (frame, detail, value)
       |  each legal field
    successor (frame, detail)  ->  the part of the next ply that has its frame  ->  value

A frame's moves lead to the same frames from each of its details, so the successors' frames are
searched once for all of these. Like `classes.pyx`, this shares nothing with the modules that
build databases.
"""

from libc.stdint cimport int16_t, int64_t, int8_t, uint64_t
from libc.stdlib cimport calloc, free as release
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.kulami.database.classes cimport NO_PANEL, Classes
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, MINUS_INFINITY, NO_FIELD, Tables, legal_fields,
)

# Not found in a list.
cdef uint64_t NONE = ~<uint64_t>0

cdef struct Later:
    # A part of the next ply, as `PackedRecords.unpack` gives it.
    uint64_t first          # its frames lie from `first` to below `beyond`
    uint64_t beyond
    uint64_t frames
    const uint64_t *frame
    const uint64_t *start
    const uint64_t *detail
    const int16_t *value


cdef int collect(following, Later *later) except -1:
    """List the addresses of the parts' arrays; return the number of parts."""
    cdef const uint64_t[::1] frames, starts, details
    cdef const int16_t[::1] values
    cdef int parts = 0
    for frames, starts, details, values in following:
        if parts:
            if frames[0] <= later[parts - 1].frame[later[parts - 1].frames - 1]:
                raise ValueError("parts that are out of order")
            later[parts - 1].beyond = frames[0]
        later[parts].first, later[parts].beyond = frames[0], NONE
        later[parts].frames = frames.shape[0]
        later[parts].frame, later[parts].start = &frames[0], &starts[0]
        later[parts].detail, later[parts].value = &details[0], &values[0]
        parts += 1
    return parts


cdef inline bint covers(const Later *part, uint64_t frame) noexcept nogil:
    return part.first <= frame < part.beyond


cdef inline const Later *part_with(const Later *later, int parts, uint64_t frame) noexcept nogil:
    """The only one of the parts, of which there is at least one, that can have the frame."""
    cdef int low = 0, high = parts, middle
    while high - low > 1:
        middle = (low + high) >> 1
        if later[middle].first <= frame:
            low = middle
        else:
            high = middle
    return &later[low]

cdef struct Successors:
    # A frame, and its successors, by the field of the move.
    uint64_t live
    uint64_t legal
    uint64_t over                       # the legal fields that end the game
    uint64_t after[MAX_FIELDS]          # live fields after a move
    const Later *part[MAX_FIELDS]       # the part with the successor's frame ...
    uint64_t begin[MAX_FIELDS]          # ... and the start of the frame's details there
    uint64_t end[MAX_FIELDS]
    uint64_t hint[MAX_FIELDS]           # place of the successor found before this one


cdef inline int width(int x) noexcept nogil:
    """Bits that a number takes."""
    cdef int bits = 0
    while x:
        bits += 1
        x >>= 1
    return bits


cdef inline uint64_t search_for(
    const uint64_t *rising, uint64_t low, uint64_t high, uint64_t wanted
) noexcept nogil:
    """The index of `wanted` from `low` to below `high`, NONE if it is not there."""
    cdef uint64_t middle
    cdef uint64_t end = high
    while low < high:
        middle = (low + high) >> 1
        if rising[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and rising[low] == wanted else NONE


cdef inline uint64_t place(
    const uint64_t *rising, uint64_t n, uint64_t wanted, uint64_t *hint
) noexcept nogil:
    """The index of `wanted`; `hint` is the last index found, often not far below."""
    cdef uint64_t low = hint[0], high, step = 1, found
    if low < n and rising[low] <= wanted:
        high = low + 1
        while high < n and rising[high] <= wanted:
            low = high
            high += step
            step *= 2
        high = min(high, n)
    else:
        high = min(low, n)
        low = 0
    found = search_for(rising, low, high, wanted)
    if found != NONE:
        hint[0] = found
    return found


cdef bint find_successors(
    Classes classes, uint64_t frame, bint last_marble, const Later *later, int parts, Successors *s
) noexcept nogil:
    """Set up a frame; false if it is no frame, or if the frame after a move is missing."""
    cdef const Tables *t = classes.rules
    cdef uint64_t number = frame & (bit(classes.context_bits) - 1)
    cdef uint64_t left, free, legal, k
    cdef int64_t next_frame
    cdef int before, x, p
    s.live = classes.widened(frame >> classes.context_bits)
    if number >= <uint64_t>classes.contexts or classes.context_legal[number] & ~s.live:
        return False
    s.legal = classes.context_legal[number]
    s.over = 0
    p = classes.context_barred[number]
    before = NO_FIELD if p == NO_PANEL else lowest(t.panel[p])
    left = s.legal
    while left:
        x = lowest(left)
        left &= left - 1
        free = s.live & ~bit(x)
        legal = 0 if last_marble else legal_fields(t, ~free, x, before)
        s.after[x] = 0
        if legal == 0:
            s.over |= bit(x)
            continue
        next_frame = classes.frame_of(free, legal, x, &s.after[x])
        if next_frame < 0 or parts == 0:
            return False
        if not covers(s.part[x], <uint64_t>next_frame):
            s.part[x] = part_with(later, parts, <uint64_t>next_frame)
            s.hint[x] = 0
        k = place(s.part[x].frame, s.part[x].frames, <uint64_t>next_frame, &s.hint[x])
        if k == NONE:
            return False
        s.begin[x] = s.part[x].start[k]
        s.end[x] = s.part[x].start[k + 1]
    return True


cdef bint value_by_marbles(
    Classes classes, const Successors *s, uint64_t detail, int sign, int *value
) noexcept nogil:
    """The value of a record from its successors', where colours count; false if one is missing.

    `sign` is 1 if the side to move is that of the root, otherwise -1.
    """
    # `own` are the marbles of the side that moves at the root.
    cdef uint64_t own = classes.root_own
    cdef uint64_t other = classes.root_other
    cdef uint64_t left = s.legal
    cdef uint64_t k
    cdef int best = MINUS_INFINITY
    cdef int here, p, x
    for p in range(classes.spots):
        if not s.live & bit(classes.field[p]):
            if detail & bit(classes.spots - 1 - p):
                own |= bit(classes.field[p])
            else:
                other |= bit(classes.field[p])
    while left:
        x = lowest(left)
        left &= left - 1
        if sign > 0:
            own |= bit(x)
        else:
            other |= bit(x)
        if s.over >> x & 1:
            here = sign * classes.margin(own, other)
        else:
            k = search_for(
                s.part[x].detail, s.begin[x], s.end[x], classes.marbles_detail(own)
            )
            if k == NONE:
                return False
            here = -s.part[x].value[k]
        own &= ~bit(x) | classes.root_own
        other &= ~bit(x) | classes.root_other
        best = max(best, here)
    value[0] = best
    return True


cdef int read_digits(
    Classes classes, uint64_t detail, uint64_t live, int8_t *difference
) noexcept nogil:
    """Read the differences of the panels with a digit, 0 for the others; return decided points.

    Both are in the view of the side that moves at the root. A decided panel counts the same on
    both sides of the equation, so it does not matter which side has won it.
    """
    cdef const Tables *t = classes.rules
    cdef int points = 0
    cdef int p, room, digit
    for p in range(t.panels):
        room = classes.room[p]
        difference[p] = 0
        if room == 0 or not t.panel[p] & live:
            continue
        digit = <int>(detail >> classes.shift[p]) & (bit(width(2 * room + 1)) - 1)
        if digit > 2 * room:
            difference[p] = room + 1
            points += t.size[p]
        else:
            difference[p] = digit - room
    return points


cdef bint value_by_panels(
    Classes classes, const Successors *s, uint64_t detail, int sign, int *value
) noexcept nogil:
    """`value_by_marbles` where only panels count."""
    cdef int8_t difference[MAX_FIELDS]
    cdef int base = sign * read_digits(classes, detail, s.live, difference)
    cdef uint64_t left = s.legal
    cdef uint64_t next_detail, k
    cdef int best = MINUS_INFINITY
    cdef int here, p, x
    while left:
        x = lowest(left)
        left &= left - 1
        p = classes.rules.panel_of[x]
        difference[p] += sign
        classes.detail_after(difference, s.live, s.after[x], &next_detail, &here)
        difference[p] -= sign
        here *= sign
        if not s.over >> x & 1:
            k = search_for(s.part[x].detail, s.begin[x], s.end[x], next_detail)
            if k == NONE:
                return False
            here -= s.part[x].value[k]
        best = max(best, here)
    value[0] = best - base
    return True


def check_records(
    Classes classes not None, int ply, const uint64_t[::1] frames, const uint64_t[::1] starts,
    const uint64_t[::1] details, const int16_t[::1] values, following
):
    """Compute records' values from those of the next ply, and compare.

    Args:
        classes: the mapping from positions to records.
        ply: the records' distance from the root.
        frames ... values: the records, as `PackedRecords.unpack` gives them.
        following: the parts of the next ply, such tuples of arrays, in their order.

    Returns:
        (position, moves, ended): the number of the first record that is wrong or lacks a
        successor, -1 if there is none; the number of legal moves up to there, and of those that
        end the game.

    Raises:
        ValueError: the parts are out of order.
    """
    cdef int parts, value, x
    cdef int64_t wrong = -1
    cdef uint64_t moves = 0, ended = 0
    cdef uint64_t i, j
    cdef int sign = -1 if ply & 1 else 1
    cdef bint last_marble = classes.root_marbles + ply + 1 >= classes.supply
    cdef bint found
    cdef Successors successors
    cdef Later *later = <Later *>calloc(len(following) + 1, sizeof(Later))
    if later == NULL:
        raise MemoryError("no memory for the parts of a ply")
    try:
        parts = collect(following, later)
    except ValueError:
        release(later)
        raise
    memset(&successors, 0, sizeof(Successors))
    for x in range(MAX_FIELDS):
        successors.part[x] = &later[0]
    with nogil:
        for i in range(<uint64_t>frames.shape[0]):
            if not find_successors(classes, frames[i], last_marble, later, parts, &successors):
                wrong = starts[i]
                break
            moves += popcount(successors.legal) * (starts[i + 1] - starts[i])
            ended += popcount(successors.over) * (starts[i + 1] - starts[i])
            for j in range(starts[i], starts[i + 1]):
                if classes.colours:
                    found = value_by_marbles(classes, &successors, details[j], sign, &value)
                else:
                    found = value_by_panels(classes, &successors, details[j], sign, &value)
                if not found or value != values[j]:
                    wrong = j
                    break
            if wrong >= 0:
                break
    release(later)
    return wrong, moves, ended
