"""The check of a database: do a ply's values follow from the values of the next ply?

    record (frame, detail, value)
       |  each legal field
    successor (frame, detail)  ->  the part of the next ply that has its frame  ->  value

A frame's moves lead to the same frames from each of its details, so the successors' frames are
searched once for all of these. Like `classes.pyx`, this shares nothing with the modules that
build a database, but for `SolvedLayer`, which finds a frame or says that it is missing.
"""

from libc.stdint cimport int16_t, int64_t, int8_t, uint64_t
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, highest, lowest, popcount
from kulami_solver.kulami.database.classes cimport NO_PANEL, Classes, mapped
from kulami_solver.kulami.database.shards cimport Shard, SolvedLayer, first_at
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, MINUS_INFINITY, NO_FIELD, Tables, legal_fields,
)

cdef struct Successors:
    # A frame, and its successors, by the field of the move.
    const Shard *later                  # the parts of the next ply
    uint64_t live
    uint64_t live_spots
    uint64_t legal
    uint64_t over                       # the legal fields that end the game
    uint64_t after[MAX_FIELDS]          # live fields after a move
    int part[MAX_FIELDS]                # the part with the successor's frame ...
    uint64_t index[MAX_FIELDS]          # ... the frame's number there ...
    uint64_t begin[MAX_FIELDS]          # ... and the bounds of its details
    uint64_t end[MAX_FIELDS]


cdef bint read_value(
    const Successors *s, int field, uint64_t detail, int *value
) noexcept nogil:
    """Read the value of the successor after a move; false if it is missing."""
    cdef const Shard *part = &s.later[s.part[field]]
    cdef uint64_t k = first_at(part.details, s.begin[field], s.end[field], detail)
    if k == s.end[field] or part.details[k] != detail:
        return False
    value[0] = part.values[k]
    return True


cdef bint find_successors(
    Classes classes, uint64_t frame, bint last_marble, SolvedLayer later, Successors *s
) noexcept nogil:
    """Set up a frame; false if it is no frame, or if the frame after a move is missing."""
    cdef const Tables *t = classes.rules
    cdef uint64_t number = frame & (bit(classes.context_bits) - 1)
    cdef uint64_t left, free, legal
    cdef int64_t next_frame
    cdef int before, x, p
    s.live_spots = frame >> classes.context_bits
    s.live = mapped(classes.wide, s.live_spots)
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
        if next_frame < 0 or not later.find(&s.part[x], &s.index[x], <uint64_t>next_frame):
            return False
        s.begin[x] = later.shard[s.part[x]].starts[s.index[x]]
        s.end[x] = later.shard[s.part[x]].starts[s.index[x] + 1]
    return True


cdef bint value_by_marbles(
    Classes classes, const Successors *s, uint64_t detail, int sign, int *value
) noexcept nogil:
    """The value of a record from its successors', where colours count; false if one is missing.

    `sign` is 1 if the side to move is that of the root, otherwise -1.
    """
    # `own` are the marbles of the side that moves at the root.
    cdef uint64_t own, other
    cdef uint64_t left = s.legal
    cdef int best = MINUS_INFINITY
    cdef int here = 0, x
    classes.marbles_of(detail, s.live_spots, &own, &other)
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
            if not read_value(s, x, classes.marbles_detail(own), &here):
                return False
            here = -here
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
        digit = <int>(detail >> classes.shift[p]) & (bit(highest(2 * room + 1) + 1) - 1)
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
    cdef uint64_t next_detail = 0
    cdef int best = MINUS_INFINITY
    cdef int here = 0, p, x, later = 0
    while left:
        x = lowest(left)
        left &= left - 1
        p = classes.rules.panel_of[x]
        difference[p] += sign
        classes.detail_of(difference, s.after[x], s.live, &next_detail, &here)
        difference[p] -= sign
        here *= sign
        if not s.over >> x & 1:
            if not read_value(s, x, next_detail, &later):
                return False
            here -= later
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
        frames ... values: the records, as `unpack` gives them.
        following: the parts of the next ply, such tuples of arrays, in their order.

    Returns:
        (position, moves, ended): the number of the first record that is wrong or lacks a
        successor, -1 if there is none; the number of legal moves up to there, and of those that
        end the game.

    Raises:
        ValueError: the parts are out of order.
    """
    cdef int value
    cdef int64_t wrong = -1
    cdef uint64_t moves = 0, ended = 0
    cdef uint64_t i, j
    cdef int sign = -1 if ply & 1 else 1
    cdef bint last_marble = classes.root_marbles + ply + 1 >= classes.supply
    cdef bint found
    cdef Successors successors
    cdef SolvedLayer later = SolvedLayer(following)
    memset(&successors, 0, sizeof(Successors))
    successors.later = later.shard
    with nogil:
        for i in range(<uint64_t>frames.shape[0]):
            if not find_successors(classes, frames[i], last_marble, later, &successors):
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
    return wrong, moves, ended
