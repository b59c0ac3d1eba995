"""Whether moves lead from one position to another, however many plies lie between.

The search for the order of placing runs backwards. Two consecutive marbles lie in one row or column
and on different panels; two marbles with one between them lie on different panels. So the search is
for a path through all new marbles, of one side and the other in turn:

    newest <- before <- ... <- first new one <- newest at the root

The next marble is the one with the fewest followers, because such marbles are soon left over. A
wrong choice is usually an early one, which makes all later steps useless. So after a number of
steps the search begins again in another random order, and after some searches with more steps.
What the rest of a path depends on is the last two marbles, and which are left: combinations from
which there is none are remembered.
"""

from libc.stdint cimport int8_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free as release

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.kulami.position.luck cimport below
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, Geometry, Tables, field_or_none, legal_fields,
)

# Steps of the shortest searches for a path, number of lengths (each twice the one before), and
# number of searches of each length.
cdef enum:
    STEPS = 128
    LENGTHS = 10
    SEARCHES = 8
    FOLLOWER = 16           # the rank of a marble: so much for each follower, and a random number
    STRAYS = 48             # below this
    MEMORY = 1 << 12        # combinations that are remembered

cdef enum:
    NO = 0
    YES = 1
    UNKNOWN = 2

cdef struct Tried:          # a combination from which there is no path
    uint64_t rest
    uint64_t ending         # the last two marbles

cdef struct Trail:
    const Tables *rules
    uint64_t side[2]        # new marbles of the side that placed the newest one, and of the other
    uint64_t firsts         # the fields that are legal at the root
    uint64_t barred         # the fields barred to the second new marble
    uint64_t random
    int steps               # that are left to this search
    Tried *tried            # NULL in the first search, which as a rule is the only one


cdef inline uint64_t earlier(
    const Trail *t, int here, int after, int side, uint64_t rest
) noexcept nogil:
    """The marbles of a side that may have been placed before `here`, itself before `after`."""
    return rest & t.side[side] & t.rules.cross[here] & ~t.rules.barred[after]


cdef bint is_possible(const Trail *t, int here, int side, uint64_t rest) noexcept nogil:
    """Whether each marble left can have one before it and one after it; the first marble needs none
    before it."""
    cdef uint64_t left, others, near
    cdef int turn, field, lone = 0
    for turn in range(2):
        others = rest & t.side[1 - turn]
        if turn == side:
            others |= bit(here)
        left = rest & t.side[turn]
        while left:
            field = lowest(left)
            left &= left - 1
            near = t.rules.cross[field] & others
            # The one before and the one after lie on different panels.
            if not near or not near & ~t.rules.barred[lowest(near)]:
                lone += 1
                if not near or lone > 1 or not t.firsts >> field & 1:
                    return False
    return True


cdef int search(Trail *t, int here, int after, int side, uint64_t rest) noexcept nogil:
    """Look for a path through the marbles left that ends with `here` and `after`.

    `side` placed the marble before `here`.
    """
    cdef int ranked[MAX_FIELDS]
    cdef uint64_t fields, followers
    cdef uint64_t ending = 1 + <uint64_t>(here << 8 | t.rules.panel_of[after])
    cdef uint64_t at = (rest ^ ending << 50) * <uint64_t>0x9E3779B97F4A7C15 >> 52
    cdef Tried *tried = &t.tried[at] if t.tried != NULL else NULL
    cdef int field, rank, i, found, count = 0
    if not rest:
        return YES if t.firsts >> here & 1 and not t.barred >> after & 1 else NO
    if tried != NULL and tried.rest == rest and tried.ending == ending:
        return NO
    if not t.steps:
        return UNKNOWN
    t.steps -= 1
    fields = earlier(t, here, after, side, rest)
    while fields:
        field = lowest(fields)
        fields &= fields - 1
        followers = earlier(t, field, here, 1 - side, rest & ~bit(field))
        if rest & (rest - 1) and not (
            followers and is_possible(t, field, 1 - side, rest & ~bit(field))
        ):
            continue
        rank = (FOLLOWER * popcount(followers) + below(&t.random, STRAYS)) * MAX_FIELDS + field
        i = count
        while i and ranked[i - 1] > rank:
            ranked[i] = ranked[i - 1]
            i -= 1
        ranked[i] = rank
        count += 1
    for i in range(count):
        field = ranked[i] % MAX_FIELDS
        found = search(t, field, here, 1 - side, rest & ~bit(field))
        if found != NO:
            return found
    if tried != NULL:
        tried.rest, tried.ending = rest, ending
    return NO


cdef class Ways:
    """The ways that lead from one position.

    Args:
        geometry: the layout's tables.
        own, other, last, before: the position, as `Position.view` has it.

    Raises:
        ValueError: a field is not on the layout, or has a marble of both sides.
    """

    cdef Geometry geometry
    cdef uint64_t own, other
    cdef int last, before

    def __cinit__(
        self, Geometry geometry not None, uint64_t own, uint64_t other, int last, int before
    ):
        self.geometry = geometry
        geometry.check_marbles(own, other)
        self.own, self.other = own, other
        self.last, self.before = geometry.checked(last), geometry.checked(before)

    cdef int lead(self, uint64_t own, uint64_t other, int last, int before) noexcept nogil:
        """Whether moves lead to a position; a field may be any number."""
        cdef const Tables *rules = &self.geometry.tables
        cdef Trail t
        cdef uint64_t mine = self.own, theirs = self.other, rest
        cdef int found, i, count = popcount(own | other) - popcount(mine | theirs)
        if count & 1:
            mine, theirs = theirs, mine
        if count < 0 or own & other or mine & ~own or theirs & ~other:
            return NO
        if count == 0:
            return (
                YES if field_or_none(last) == self.last and field_or_none(before) == self.before
                else NO
            )
        t.rules = rules
        t.side[0], t.side[1] = other & ~theirs, own & ~mine
        t.firsts = legal_fields(rules, self.own | self.other, self.last, self.before)
        t.barred = rules.barred[self.last]
        if not 0 <= last < rules.fields or not t.side[0] >> last & 1:
            return NO
        if popcount(t.side[0]) != (count + 1) // 2:
            return NO
        if count == 1:
            return (
                YES if field_or_none(before) == self.last and t.firsts >> last & 1 else NO
            )
        if not 0 <= before < rules.fields or not t.side[1] >> before & 1:
            return NO
        if not rules.cross[before] >> last & 1:
            return NO
        rest = (t.side[0] | t.side[1]) & ~(bit(last) | bit(before))
        t.random = count
        t.tried = NULL
        for i in range(LENGTHS * SEARCHES):
            t.steps = STEPS << i // SEARCHES
            found = search(&t, before, last, 0, rest)
            if found != UNKNOWN:
                break
            if t.tried == NULL:
                t.tried = <Tried *>calloc(MEMORY, sizeof(Tried))  # without it, the next as before
        release(t.tried)
        return found

    def lead_to(self, uint64_t own, uint64_t other, int last, int before):
        """Return whether moves lead to a position, given as to the constructor.

        Returns:
            None if a million steps gave no answer.
        """
        cdef int found
        with nogil:
            found = self.lead(own, other, last, before)
        return None if found == UNKNOWN else found == YES

    def lead_to_many(
        self, const uint64_t[::1] own not None, const uint64_t[::1] other not None,
        const int8_t[::1] last not None, const int8_t[::1] before not None,
        uint8_t[::1] led not None
    ):
        """Enter for each position 1 if moves are known to lead to it, 0 otherwise.

        Raises:
            ValueError: the arrays are not equally long.
        """
        cdef Py_ssize_t i, n = own.shape[0]
        if not (other.shape[0] == last.shape[0] == before.shape[0] == led.shape[0] == n):
            raise ValueError(f"arrays that are not all of the length of the first, {n}")
        with nogil:
            for i in range(n):
                led[i] = self.lead(own[i], other[i], last[i], before[i]) == YES
