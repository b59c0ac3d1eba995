"""Which questions lead to a position's value, and the line of play that keeps it.

A search answers "is the margin at least so much?" (`search.pyx`). What is asked here is asked
without Python in between: close to the end of a game a question takes less time than a call.

    guess       where to begin
    settle      guess the margin, ask there, and ask again at each answer until bounds meet (MTD(f))
    follow      of each position on the way, a field that keeps its value

A field is played only when it has been shown to keep the value, by a search of the position that
names it as the one that reached beta, or by one of the position after it.
"""

from libc.stdint cimport uint8_t, uint64_t

from kulami_solver.core.bits cimport bit, lowest, relaxed_store_32
from kulami_solver.core.table cimport NO_MOVE
from kulami_solver.kulami.move_ordering cimport HEURISTIC_LIMIT, POINT, look_ahead
from kulami_solver.kulami.node cimport Node
from kulami_solver.kulami.rules cimport MAX_FIELDS, MINUS_INFINITY, legal_fields
from kulami_solver.kulami.search cimport Search

cdef enum:
    # How many plies a guess of the margin looks ahead: GUESS_PLIES from LONG_PLIES on, and
    # LATE_GUESS_PLIES from SHORT_PLIES on. In games that last less long the middle will do.
    LONG_PLIES = 18
    GUESS_PLIES = 6
    SHORT_PLIES = 10
    LATE_GUESS_PLIES = 1

# What looking for a field that keeps a value comes to, if it comes to none.
cdef enum:
    STOPPED = -1
    NONE_KEEPS = -2

# A position on the way along a line of best play.
cdef struct Ply:
    uint64_t own
    uint64_t other
    int last
    int before
    int supply

# What is known of a position: lower <= margin <= upper.
cdef struct Known:
    int lower
    int upper
    int proving             # a field that makes the margin at least `lower`; NO_MOVE if unknown


cdef double outlook_at(Search search, int least) noexcept nogil:
    """`outlook`."""
    cdef Node root = search.root
    cdef int looks = 0
    cdef int plies
    for plies in range(least, least + 2):
        looks += look_ahead(&search.searcher, &root, plies, -HEURISTIC_LIMIT, HEURISTIC_LIMIT, 0)
    return looks / (2.0 * POINT)


cdef int guessed(Search search) noexcept nogil:
    """`guess`."""
    cdef Node *root = &search.root
    cdef int least = GUESS_PLIES if root.plies >= LONG_PLIES else LATE_GUESS_PLIES
    if root.plies < SHORT_PLIES:
        return (root.lower + root.upper) >> 1
    return min(max(<int>outlook_at(search, least), <int>root.lower), <int>root.upper)


def guess(Search search not None) -> int:
    """A guess of the margin of a search's position, within its bounds."""
    cdef int margin
    with nogil:
        margin = guessed(search)
    return margin


def outlook(Search search not None, int plies) -> float:
    """About how many points a search's position is worth, by its look.

    A look ahead favours the side to move at its end, so two of them, one of so many `plies` and one
    a ply deeper, are averaged. In games that last hardly longer, or not, the middle of the bounds.
    """
    cdef double points
    if search.root.plies < min(SHORT_PLIES, plies + 2):
        return (search.root.lower + search.root.upper) / 2.0
    with nogil:
        points = outlook_at(search, plies)
    return min(max(points, <double>search.root.lower), <double>search.root.upper)


cdef inline bint ask(Search search, int beta, int *answer) noexcept nogil:
    """Ask the search about the position it holds; false if it was stopped."""
    relaxed_store_32(&search.searcher.control.answered, 0)
    return search.ask(beta, answer)


cdef bint narrow(Search search, Known *known, int *beta) noexcept nogil:
    """Ask whether the margin is at least `beta`, which the answer becomes; false if stopped."""
    cdef int answer = 0
    if not ask(search, beta[0], &answer):
        return False
    if answer >= beta[0]:
        known.lower = answer
        known.proving = search.searcher.moves[0].first
    else:
        known.upper = answer
    beta[0] = answer
    return True


cdef bint settle_margin(Search search, Known *known) noexcept nogil:
    """Narrow the bounds until they meet; false if the search was stopped."""
    cdef int beta = guessed(search) if known.lower < known.upper else 0
    while known.lower < known.upper:
        beta = min(max(beta, known.lower + 1), known.upper)
        if not narrow(search, known, &beta):
            return False
    return True


cdef bint settle_outcome(Search search, Known *known) noexcept nogil:
    """Narrow the bounds until they tell win, draw or loss; false if the search was stopped."""
    cdef bint winning = known.lower + known.upper > 0
    cdef int beta
    while known.lower <= 0 <= known.upper and known.lower < known.upper:
        beta = known.upper > 0 and (known.lower == 0 or winning)
        if not narrow(search, known, &beta):
            return False
        winning = known.lower >= 0
    return True


cdef inline Ply after(const Ply *here, int field) noexcept nogil:
    """The position after a move."""
    return Ply(here.other, here.own | bit(field), field, here.last, here.supply - 1)


cdef Ply start(
    Search search, uint64_t own, uint64_t other, int last, int before, int supply
) except *:
    """The position that `set_position` is told the same of."""
    return Ply(
        own, other, search.bounds.geometry.checked(last), search.bounds.geometry.checked(before),
        supply,
    )


cdef inline void take_up(Search search, const Ply *here) noexcept nogil:
    search.take_up(here.own, here.other, here.last, here.before, here.supply)


cdef int keeping_field(Search search, const Ply *here, int target) noexcept nogil:
    """A field that makes the margin at least `target`; or `STOPPED`, `NONE_KEEPS`."""
    cdef Ply child
    cdef uint64_t left
    cdef int field, preferred, answer = 0
    take_up(search, here)
    left = search.root.legal
    if target == MINUS_INFINITY:
        preferred = search.preferred_field()
        return preferred if preferred >= 0 and left >> preferred & 1 else lowest(left)
    # As a rule a look into the table, which then holds the field as well.
    if not ask(search, target, &answer):
        return STOPPED
    if answer < target:
        return NONE_KEEPS
    if search.searcher.moves[0].first != NO_MOVE:
        return search.searcher.moves[0].first
    preferred = search.preferred_field()
    while left:
        field = lowest(left)
        if preferred >= 0 and left >> preferred & 1:
            field = preferred
        left &= ~bit(field)
        child = after(here, field)
        take_up(search, &child)
        if search.root.lower > -target:
            continue
        if search.root.upper > -target:
            if not ask(search, 1 - target, &answer):
                return STOPPED
            if answer > -target:
                continue
        return field
    return NONE_KEEPS


cdef int follow_line(
    Search search, Ply *here, int first, int target, int reply, uint8_t *fields, int *made
) noexcept nogil:
    """Play to the end of the game, each field keeping a value; the last field, or what ended it.

    Args:
        first: a field that keeps `target`, NO_MOVE if none is known.
        target, reply: margins that the side to move, and the other side, can reach and keep to;
            MINUS_INFINITY where any field is as good as another.
    """
    cdef int field = 0
    while here.supply and legal_fields(
        search.searcher.rules, here.own | here.other, here.last, here.before
    ):
        field = first if first != NO_MOVE else keeping_field(search, here, target)
        if field < 0:
            return field
        first = NO_MOVE
        fields[made[0]] = field
        made[0] += 1
        here[0] = after(here, field)
        target, reply = reply, target
    return field


def follow(
    Search search not None, uint64_t own, uint64_t other, int last, int before, int supply,
    first, target, reply,
) -> tuple[list[int], bool]:
    """Best play from a position to the end of the game, each field keeping a value.

    Args:
        search: of the position's layout and scoring.
        own, other, last, before, supply: as for `Search.set_position`.
        first: a field that is known to keep `target`, None if none is.
        target: a margin that the side to move can reach, and keeps to; None if any field of its
            is as good as another.
        reply: the same for the other side.

    Returns:
        The fields, and whether they lead to the end; if not, the search was stopped.

    Raises:
        ValueError: as for `set_position`, or `first` is not legal.
    """
    cdef Ply here
    cdef uint8_t fields[MAX_FIELDS]
    cdef int made = 0, field
    cdef int known_first = NO_MOVE if first is None else first
    cdef int wanted = MINUS_INFINITY if target is None else target
    cdef int reply_wanted = MINUS_INFINITY if reply is None else reply
    search.set_position(own, other, last, before, supply)
    here = start(search, own, other, last, before, supply)
    if first is not None and not search.root.legal >> <int>first & 1:
        raise ValueError(f"field {first} is not legal")
    with nogil:
        field = follow_line(search, &here, known_first, wanted, reply_wanted, fields, &made)
    return listed(fields, made, field)


def settle(
    Search search not None, uint64_t own, uint64_t other, int last, int before, int supply,
    bint outcome,
) -> tuple[int, int, bool, int | None, list[int], bool]:
    """Find the margin of a position, or its outcome, and the line of best play.

    Args:
        search: one that works alone, of the position's layout and scoring.
        own, other, last, before, supply: as for `Search.set_position`.
        outcome: is it enough to know who wins?

    Returns:
        Bounds of the margin; whether they tell what was asked for, or the search was stopped; a
        field that makes it at least the lower one, None if none is known; and then as `follow`.

    Raises:
        ValueError: as for `set_position`.
    """
    cdef Ply here
    cdef Known known
    cdef uint8_t fields[MAX_FIELDS]
    cdef int made = 0, field = STOPPED
    cdef bint settled
    known.lower, known.upper = search.set_position(own, other, last, before, supply)
    known.proving = NO_MOVE
    here = start(search, own, other, last, before, supply)
    if search.holds_lock():
        settled = settle_and_follow(search, &here, &known, outcome, fields, &made, &field)
    else:
        with nogil:
            settled = settle_and_follow(search, &here, &known, outcome, fields, &made, &field)
    return (
        known.lower, known.upper, settled, None if known.proving == NO_MOVE else known.proving,
        *listed(fields, made, field),
    )


cdef bint settle_and_follow(
    Search search, Ply *here, Known *known, bint outcome, uint8_t *fields, int *made, int *field
) noexcept nogil:
    """`settle`; whether the bounds tell what was asked for."""
    cdef int target, reply
    if not (settle_outcome(search, known) if outcome else settle_margin(search, known)):
        return False
    if known.lower == known.upper:
        target, reply = known.lower, -known.lower
    elif known.lower > 0:
        target, reply = 1, MINUS_INFINITY
    else:
        target, reply = MINUS_INFINITY, 1
    field[0] = follow_line(search, here, known.proving, target, reply, fields, made)
    return True


cdef tuple listed(const uint8_t *fields, int made, int field):
    """The fields made, and whether they lead to the end of the game."""
    if field == NONE_KEEPS:
        raise AssertionError(f"no field keeps the value after {made} plies")
    return [fields[i] for i in range(made)], field >= 0
