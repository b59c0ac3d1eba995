"""Which questions lead to a position's value, and the line of play that keeps it.

A search answers "is the margin at least so much?" (`search.pyx`). What is asked here is asked
without Python in between: close to the end of a game a question takes less time than a call.

    guess           where to begin
    settle          guess the margin, ask there, and again at each answer until bounds meet (MTD(f))
    settle_moves    the margin of a position, and what each of its fields makes of it
    follow          of each position on the way, a field that keeps its value

A field is played only when it has been shown to keep the value, by a search of the position that
names it as the one that reached beta, or by one of the position after it.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free as release, malloc

from kulami_solver.core.bits cimport bit, lowest, relaxed_store_32
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.core.table cimport NO_MOVE
from kulami_solver.kulami.move_ordering cimport HEURISTIC_LIMIT, POINT, look_ahead
from kulami_solver.kulami.node cimport Node
from kulami_solver.kulami.oracle import Contradiction
from kulami_solver.kulami.rules cimport MAX_FIELDS, MINUS_INFINITY, legal_fields
from kulami_solver.kulami.scratch cimport Scratch
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

# A position on its way through `settle`.
cdef struct Settling:
    void *search            # the Search that answers, which the caller holds
    Ply here                # from the position to the end of its line
    Known known
    bint reached            # whether `known` tells what was asked for
    uint8_t fields[MAX_FIELDS]      # of the line ...
    int made                        # ... so many
    int field                       # as `follow_line` returns


cdef double outlook_at(Search search, int plies, int looks) noexcept nogil:
    """`outlook`, of so many looks."""
    cdef Node root = search.root
    cdef int seen = 0
    cdef int deeper
    for deeper in range(looks):
        seen += look_ahead(
            &search.searcher, &root, plies + deeper, -HEURISTIC_LIMIT, HEURISTIC_LIMIT, 0
        )
    return seen / (<double>looks * POINT)


cdef int guessed(Search search) noexcept nogil:
    """`guess`."""
    cdef Node *root = &search.root
    cdef int least = GUESS_PLIES if root.plies >= LONG_PLIES else LATE_GUESS_PLIES
    if root.plies < SHORT_PLIES:
        return (root.lower + root.upper) >> 1
    return min(max(<int>outlook_at(search, least, 2), <int>root.lower), <int>root.upper)


def guess(Search search not None) -> int:
    """A guess of the margin of a search's position, within its bounds."""
    cdef int margin
    begin_alone(&search.scratch.busy)
    with nogil:
        margin = guessed(search)
    end_alone(&search.scratch.busy)
    return margin


def outlook(Search search not None, int plies, bint twice=True) -> float:
    """About how many points a search's position is worth, by its look.

    A look ahead favours the side to move at its end, so two of them, one of so many `plies` and one
    a ply deeper, are averaged and kept within the bounds. If not `twice`, the first look is the
    answer as it is. In games that hardly last longer, or not, it is the middle of the bounds.
    """
    cdef double points, lower, upper
    begin_alone(&search.scratch.busy)
    lower, upper = search.root.lower, search.root.upper
    points = (lower + upper) / 2.0
    if search.root.plies >= min(SHORT_PLIES, plies + 2):
        with nogil:
            points = outlook_at(search, plies, 1 + twice)
    end_alone(&search.scratch.busy)
    return min(max(points, lower), upper) if twice else points


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
    cdef int field, preferred, answer = 0
    take_up(search, here)
    cdef uint64_t left = search.root.legal
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
    cdef int made = 0, field, known_first = NO_MOVE if first is None else first
    cdef int wanted = MINUS_INFINITY if target is None else target
    cdef int reply_wanted = MINUS_INFINITY if reply is None else reply
    begin_alone(&search.scratch.busy)
    try:
        search.set_up(own, other, last, before, supply)
        here = start(search, own, other, last, before, supply)
        if first is not None and not search.root.legal >> <int>first & 1:
            raise ValueError(f"field {first} is not legal")
        with nogil:
            field = follow_line(search, &here, known_first, wanted, reply_wanted, fields, &made)
    finally:
        end_alone(&search.scratch.busy)
    return listed(fields, made, field)


def settle(
    list searches not None, list positions not None, bint outcome
) -> list[tuple[int, int, bool, int | None, list[int], bool]]:
    """Find the margins of positions, or their outcomes, and the lines of best play.

    Python's lock is taken and given back once for all of them: with several threads that takes
    longer than a late position.

    Args:
        searches: of each position one that works alone, of its layout and scoring.
        positions: of each what `Search.set_position` takes: own, other, last, before, supply.
        outcome: is it enough to know who wins?

    Returns:
        Of each the bounds of the margin; whether they tell what was asked for, or the search was
        stopped; a field that makes it at least the lower one, None if none is known; and then as
        `follow`.

    Raises:
        ValueError: as for `set_position`.
        RuntimeError: another thread is searching with one of them, or one is there twice.
    """
    cdef Py_ssize_t count = len(searches), begun = 0, i
    cdef Settling *all_of_them = <Settling *>malloc(max(count, 1) * sizeof(Settling))
    cdef Settling *one
    cdef Search search
    cdef Scratch scratch
    cdef list kept_alone = []
    cdef bint lock_held = True
    if all_of_them == NULL:
        raise MemoryError("no memory for the lines of play")
    searches = list(searches)           # which nobody else can change
    try:
        for i in range(count):
            one = &all_of_them[i]
            search = searches[i]
            begin_alone(&search.begun)
            begun += 1
            if search.scratch not in kept_alone:
                begin_alone(&search.scratch.busy)
                kept_alone.append(search.scratch)
            own, other, last, before, supply = positions[i]
            one.search = <void *>search
            search.set_up(own, other, last, before, supply)
            one.known.lower, one.known.upper = search.root.lower, search.root.upper
            one.known.proving = NO_MOVE
            one.here = start(search, own, other, last, before, supply)
            one.made = 0
            one.field = STOPPED
            lock_held = lock_held and search.holds_lock()
        if lock_held:
            settle_in_turn(all_of_them, count, outcome)
        else:
            with nogil:
                settle_in_turn(all_of_them, count, outcome)
        return [settled(&all_of_them[i]) for i in range(count)]
    finally:
        for scratch in kept_alone:
            end_alone(&scratch.busy)
        for i in range(begun):
            search = searches[i]
            end_alone(&search.begun)
        release(all_of_them)


cdef void settle_in_turn(Settling *all_of_them, Py_ssize_t count, bint outcome) noexcept nogil:
    """`settle`, of one after the other."""
    cdef Py_ssize_t i
    for i in range(count):
        settle_and_follow(&all_of_them[i], outcome)


cdef void settle_and_follow(Settling *one, bint outcome) noexcept nogil:
    """`settle` of one position."""
    cdef Known *known = &one.known
    cdef int target, reply
    (<Search>one.search).occupy()
    if outcome:
        one.reached = settle_outcome(<Search>one.search, known)
    else:
        one.reached = settle_margin(<Search>one.search, known)
    if not one.reached:
        return
    if known.lower == known.upper:
        target, reply = known.lower, -known.lower
    elif known.lower > 0:
        target, reply = 1, MINUS_INFINITY
    else:
        target, reply = MINUS_INFINITY, 1
    one.field = follow_line(
        <Search>one.search, &one.here, known.proving, target, reply, one.fields, &one.made
    )


cdef tuple settled(const Settling *one):
    """What `settle` tells of one position."""
    return (
        one.known.lower, one.known.upper, bool(one.reached),
        None if one.known.proving == NO_MOVE else one.known.proving,
        *listed(one.fields, one.made, one.field),
    )


def settle_moves(
    Search search not None, uint64_t own, uint64_t other, int last, int before, int supply
) -> tuple[int, dict[int, int]] | None:
    """Find the margin of a position, and the margin that each legal field leads to.

    Args:
        search: one that works alone, of the position's layout and scoring.
        own, other, last, before, supply: as for `Search.set_position`.

    Returns:
        Both for the side to move, the fields in the order of their numbers; None if the search
        was stopped.

    Raises:
        ValueError: as for `set_position`.
    """
    cdef Ply here
    cdef Known known
    cdef int values[MAX_FIELDS]
    cdef uint64_t moves
    cdef bint settled
    begin_alone(&search.scratch.busy)
    try:
        search.set_up(own, other, last, before, supply)
        known.lower, known.upper = search.root.lower, search.root.upper
        known.proving = NO_MOVE
        here = start(search, own, other, last, before, supply)
        moves = search.root.legal if supply > 0 else 0
        if search.holds_lock():
            settled = settle_margin(search, &known) and settle_fields(
                search, &here, &known, moves, values
            )
        else:
            with nogil:
                settled = settle_margin(search, &known) and settle_fields(
                    search, &here, &known, moves, values
                )
    finally:
        end_alone(&search.scratch.busy)
    if not settled:
        return None
    return known.lower, {i: values[i] for i in range(MAX_FIELDS) if moves >> i & 1}


cdef bint settle_fields(
    Search search, const Ply *here, const Known *whole, uint64_t moves, int *values
) noexcept nogil:
    """What each field leads to, where the margin of the position is known; false if stopped."""
    cdef Known known
    cdef Ply child
    cdef int field
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        values[field] = whole.lower
        if field == whole.proving:
            continue
        child = after(here, field)
        take_up(search, &child)
        # No field is worth more than the position.
        known.lower = max(<int>search.root.lower, -whole.lower)
        known.upper = search.root.upper
        if not settle_margin(search, &known):
            return False
        values[field] = -known.lower
    return True


cdef tuple listed(const uint8_t *fields, int made, int field):
    """The fields made, and whether they lead to the end of the game."""
    if field == NONE_KEEPS:
        raise Contradiction(f"no field keeps the value after {made} plies")
    return [fields[i] for i in range(made)], field >= 0
