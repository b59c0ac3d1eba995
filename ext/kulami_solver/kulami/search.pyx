"""Alpha-beta search with null windows over a position's margin.

`Search` holds one position and answers one kind of question: is its margin at least so much?
`kulami_solver.solve` asks the questions that lead to the margin, the best field and the line.

The table is keyed by what the future depends on, not by the position:

    live fields, legal fields, plies the game can still last,
    the last panel if it still has a live field, the differences of undecided panels,
    and where areas or chains count, what `areas.pxd` and `chains.pxd` say of them.

Positions that agree in that have the same margin up to `base`, what is settled for good.
The hash is  sum of  a_i * word_i  over 128-bit random a_i, of which the upper 64 bits are the
signature (multilinear hashing: two keys that differ in these words agree with probability at most
2^-63 over the choice of the a_i), joined by XOR with a random word for each undecided panel's
difference (Zobrist hashing: 2^-64).
"""

from libc.stdint cimport INT64_MAX
from libc.stdlib cimport calloc, free as release, malloc
from libc.string cimport memset

from kulami_solver.core.bits cimport (
    bit, count, counted, lowest, popcount, relaxed_load, relaxed_load_32, relaxed_store,
    relaxed_store_32, unlikely,
)
from kulami_solver.core.hashing cimport hash_word
from kulami_solver.core.table cimport (
    NO_MOVE, Stored, prefetch_bucket, probe, store,
)
from kulami_solver.kulami.areas cimport (
    area_ceiling, area_gain, begin_areas, copy_areas, hash_areas, place_in_areas,
)
from kulami_solver.kulami.chains cimport begin_chains, chain_ceiling, chain_gain, points_of
from kulami_solver.kulami.mixed_endings cimport (
    MIXED_ENDING, MIXED_FIELDS, MixedEnding, begin_mixed_ending, close_mixed, list_parts,
    list_windows,
)
from kulami_solver.kulami.oracle cimport FAILED, KNOWN, Oracle
from kulami_solver.kulami.panel_endings cimport (
    PANEL_ENDING, PANEL_FIELDS, PanelEnding, PanelEndings, begin_panel_ending, close_panels,
)
from kulami_solver.kulami.panels cimport (
    FREE, TENTH, Hull, Standing, best_gain, hull_add, hull_sub,
)
from kulami_solver.kulami.rules cimport LEAST, NO_FIELD, WINDOW_WORDS, legal_fields

cdef enum:
    WORDS = 5               # words of the key that are hashed by multiplication
    KEYED = 4               # positions with fewer plies to come have no key
    TABLED = 6              # those with fewer are not worth a look at the table
    CLOSELY = 15            # plies from which all moves are evaluated before the first is searched
    GLANCED = 18            # plies, CLOSELY or more, from which a look two plies ahead orders them
    GLANCED_DEEPER = 22     # ... and four plies
    POINT = 14              # what a point of the margin is in a promise, roughly
    GUESSED = 6             # plies that a guess of the margin looks ahead
    GLANCE_LIMIT = 1 << 20  # beyond any guess
    ASKED = 12              # plies from which the oracle is asked about children beforehand
    SHARED = 8              # plies from which searches of a crew keep out of each other's way
    UNLOCKED = 12           # plies from which a search takes longer than to have Python's lock back

cdef uint64_t[2 * WORDS] MULTIPLIER


def draw_multipliers():
    import random
    draw = random.Random(0x736561726368)
    for i in range(2 * WORDS):
        MULTIPLIER[i] = draw.getrandbits(64)


draw_multipliers()


cdef inline void add_word(Node *n, int i, uint64_t word) noexcept nogil:
    hash_word(MULTIPLIER, i, word, &n.index, &n.signature)


cdef inline uint64_t neighbours(const Tables *t, uint64_t fields) noexcept nogil:
    """The rows and columns of all the fields, each without its own panel."""
    cdef uint64_t found = 0
    while fields:
        found |= t.cross[lowest(fields)]
        fields &= fields - 1
    return found


cdef inline uint64_t reachable(
    const Tables *t, uint64_t first, uint64_t second, uint64_t free, int plies
) noexcept nogil:
    """The `free` fields that so many plies can come to; `first` and `second` are the first two's.

    Bars are not minded, so a few fields too many may be among them. A field that drops out never
    comes back: whatever a move leaves within reach was within reach before it.
    """
    cdef uint64_t found = first | second
    cdef uint64_t rest = second
    cdef uint64_t missing, new
    if plies <= 2:
        return found
    # The third ply: as a rule a few fields of the second lead to all the others.
    while rest and found != free:
        found |= t.cross[lowest(rest)] & free
        rest &= rest - 1
    # What is missing then is little, and each field of it looks whether it meets a found one.
    missing = free & ~found
    while missing and plies > 3:
        new = 0
        rest = missing
        while rest:
            new |= rest & (~rest + 1) & -<uint64_t>((t.cross[lowest(rest)] & found) != 0)
            rest &= rest - 1
        if not new:
            break
        found |= new
        missing &= ~new
        plies -= 1
    return found


cdef inline int difference_of(const Node *n, int p, int side) noexcept nogil:
    """Marbles of a side on a panel, minus the other side's."""
    return -n.panels.difference[p] if side else n.panels.difference[p]


cdef inline int present_margin(const Searcher *s, const Node *n) noexcept nogil:
    """The margin if the game ended now."""
    cdef int margin = n.now
    if s.areas:
        margin += n.areas[n.turn].now - n.areas[n.turn ^ 1].now
    if s.chains:
        margin += n.chains[n.turn].now - n.chains[n.turn ^ 1].now
    return margin


cdef inline int gain_of(const Searcher *s, const Node *n, int field, bint own) noexcept nogil:
    """By how much a marble of own, or of the other side, improves that side's margin at once."""
    cdef int p = s.rules.panel_of[field]
    cdef int side = n.turn if own else n.turn ^ 1
    cdef int d = difference_of(n, p, side)
    cdef int gain = s.rules.size[p] & -<int>(<unsigned int>-d <= 1)
    if s.areas:
        gain += area_gain(&n.areas[side], field)
    if s.chains:
        gain += chain_gain(s.rules, &n.chains[side], n.own if own else n.other, field)
    return gain


cdef int margin_of_one(const Searcher *s, const Node *n) noexcept nogil:
    """The margin when one marble is still to come."""
    cdef uint64_t moves = n.legal
    cdef int best = 0
    while moves:
        best = max(best, gain_of(s, n, lowest(moves), True))
        moves &= moves - 1
    return present_margin(s, n) + best


cdef int margin_of_two(const Searcher *s, const Node *n) noexcept nogil:
    """The margin when one marble of each side is still to come.

    The gains of the two marbles do not depend on each other: they lie on different panels, and
    the components and lines they add to are of different colours.
    """
    cdef const Tables *t = s.rules
    cdef int gain[MAX_FIELDS]
    cdef uint64_t moves = n.second
    cdef uint64_t replies
    cdef int best = LEAST, answer, here, field
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        gain[field] = gain_of(s, n, field, False)
    moves = n.legal
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        here = gain_of(s, n, field, True)
        if here <= best:
            continue
        replies = t.cross[field] & n.second
        answer = 0
        while replies:
            answer = max(answer, gain[lowest(replies)])
            replies &= replies - 1
        best = max(best, here - answer)
    return present_margin(s, n) + best


cdef inline int margin_of_rest(const Searcher *s, const Node *n) noexcept nogil:
    """The margin when one or two marbles are still to come."""
    return margin_of_one(s, n) if n.plies == 1 else margin_of_two(s, n)


cdef inline void hash_panel(
    Panels *panels, const Standing *standing, int d, uint64_t undecided
) noexcept nogil:
    """Put an undecided panel's difference into the hashes, or take it out again."""
    panels.index[0] ^= standing[d].index & undecided
    panels.signature[0] ^= standing[d].signature & undecided
    panels.index[1] ^= standing[-d].index & undecided
    panels.signature[1] ^= standing[-d].signature & undecided


cdef inline void take_out(const Searcher *s, Node *n, int p, bint keyed) noexcept nogil:
    """Take what a panel is, with the node's live fields and difference, out of the sums.

    No branches on what it is: they would be taken at random.
    """
    cdef Panels *panels = &n.panels
    cdef int d = panels.difference[p]
    cdef int at = popcount(n.live & s.rules.panel[p]) * s.panels.free_step[p]
    cdef const Hull *hulls = s.panels.hulls[p] + at
    cdef const Standing *standing = s.panels.standing[p]
    cdef uint64_t undecided = -<uint64_t>(
        (hulls[d].at[FREE] | hulls[-d].at[FREE]) != 0
    )
    hull_sub(&panels.sums[0], hulls + d)
    hull_sub(&panels.sums[1], hulls - d)
    panels.expected -= s.panels.expected[p][at + d]
    if keyed:
        panels.settled -= standing[d].points & ~undecided
        hash_panel(panels, standing, d, undecided)


cdef inline void put_in(const Searcher *s, Node *n, int p, bint keyed) noexcept nogil:
    """Undo `take_out`, after the live fields or the difference have changed."""
    cdef Panels *panels = &n.panels
    cdef int d = panels.difference[p]
    cdef int at = popcount(n.live & s.rules.panel[p]) * s.panels.free_step[p]
    cdef const Hull *hulls = s.panels.hulls[p] + at
    cdef const Standing *standing = s.panels.standing[p]
    cdef uint64_t panel = s.rules.panel[p]
    cdef uint64_t useful_0 = -<uint64_t>(hulls[d].at[FREE] != 0)
    cdef uint64_t useful_1 = -<uint64_t>(hulls[-d].at[FREE] != 0)
    cdef uint64_t undecided = useful_0 | useful_1
    hull_add(&panels.sums[0], hulls + d)
    hull_add(&panels.sums[1], hulls - d)
    panels.expected += s.panels.expected[p][at + d]
    panels.useful[0] = panels.useful[0] & ~panel | panel & useful_0
    panels.useful[1] = panels.useful[1] & ~panel | panel & useful_1
    panels.hot[0] = panels.hot[0] & ~panel | panel & useful_0 & -<uint64_t>(<unsigned int>-d <= 1)
    panels.hot[1] = panels.hot[1] & ~panel | panel & useful_1 & -<uint64_t>(<unsigned int>d <= 1)
    if keyed:
        panels.settled += standing[d].points & ~undecided
        hash_panel(panels, standing, d, undecided)


cdef inline void lose(const Searcher *s, Node *n, uint64_t live) noexcept nogil:
    """Let the node have these live fields only, a part of those it had."""
    cdef uint64_t lost = n.live & ~live
    cdef uint64_t rest = lost
    cdef bint keyed = n.plies >= KEYED
    while rest:
        take_out(s, n, s.rules.panel_of[lowest(rest)], keyed)
        rest &= ~s.rules.barred[lowest(rest)]
    n.live = live
    while lost:
        put_in(s, n, s.rules.panel_of[lowest(lost)], keyed)
        lost &= ~s.rules.barred[lowest(lost)]


cdef void evaluate(const Searcher *s, Node *n) noexcept nogil:
    """Fill in what follows from the position: live fields, plies, bounds, base, hash of panels."""
    cdef const Tables *t = s.rules
    cdef uint64_t live
    cdef int own_marbles, other_marbles, turn = n.turn
    cdef int i
    if n.supply == 0 or n.legal == 0:
        n.plies = 0
        if s.chains:
            for i in range(2):
                n.chains[i].now = n.chains[i].settled + points_of(
                    t, &n.chains[i], n.own if i == turn else n.other
                )
        n.lower = n.upper = present_margin(s, n)
        return
    n.second = neighbours(t, n.legal) & n.live & ~t.barred[n.last]
    if n.second:
        live = reachable(t, n.legal, n.second, n.live, n.supply)
        n.plies = min(n.supply, popcount(live))
    else:
        live = n.legal
        n.plies = 1
    if n.plies <= 2 and not s.chains:
        n.lower = n.upper = margin_of_rest(s, n)
        return
    if live != n.live:
        lose(s, n, live)
    own_marbles = (n.plies + 1) >> 1
    other_marbles = n.plies >> 1
    n.base = -n.panels.settled if turn else n.panels.settled
    n.index = n.panels.index[turn]
    n.signature = n.panels.signature[turn]
    n.most = n.least = 0
    if s.areas:
        bound_areas(n, own_marbles, other_marbles)
    if s.chains:
        bound_chains(s, n, own_marbles, other_marbles)
        if n.plies <= 2:
            n.lower = n.upper = margin_of_rest(s, n)
            return
    # A first marble that has to go where nothing can be gained is lost for the knapsack.
    n.upper = n.now + n.most + best_gain(
        s.panels, &n.panels.sums[turn],
        own_marbles - <int>((n.legal & n.panels.useful[turn]) == 0),
    )
    n.lower = n.now + n.least - best_gain(
        s.panels, &n.panels.sums[turn ^ 1],
        other_marbles - <int>((n.second & n.panels.useful[turn ^ 1]) == 0),
    )


cdef inline void bound_areas(Node *n, int own_marbles, int other_marbles) noexcept nogil:
    cdef Areas *own = &n.areas[n.turn]
    cdef Areas *other = &n.areas[n.turn ^ 1]
    cdef int own_most = area_ceiling(own, n.live, own_marbles)
    cdef int other_most = area_ceiling(other, n.live, other_marbles)
    n.most += own_most - other.now
    n.least += own.now - other_most
    n.open_areas = (own_most > own.now) | (other_most > other.now) << 1
    if not n.open_areas & 1:
        n.base += own.now
    if not n.open_areas & 2:
        n.base -= other.now


cdef inline void bound_chains(
    const Searcher *s, Node *n, int own_marbles, int other_marbles
) noexcept nogil:
    cdef Chains *own = &n.chains[n.turn]
    cdef Chains *other = &n.chains[n.turn ^ 1]
    cdef int own_most = chain_ceiling(s.rules, own, n.own, n.live, own_marbles)
    cdef int other_most = chain_ceiling(s.rules, other, n.other, n.live, other_marbles)
    n.most += own_most - other.now
    n.least += own.now - other_most
    n.base += own.settled - other.settled


cdef inline void identify(const Searcher *s, Node *n) noexcept nogil:
    """Complete the hash of an evaluated node, which has the panels in it so far."""
    cdef int last_panel = s.rules.panel_of[n.last]
    if not s.rules.barred[n.last] & n.live:
        last_panel = NO_FIELD
    add_word(n, 0, n.live)
    add_word(n, 1, n.legal)
    add_word(n, 2, n.plies | <uint64_t>last_panel << 8 | <uint64_t>n.open_areas << 16)
    if s.areas:
        if n.open_areas & 1:
            hash_areas(&n.areas[n.turn], n.live, 0x243F6A8885A308D3, &n.index, &n.signature)
        if n.open_areas & 2:
            hash_areas(&n.areas[n.turn ^ 1], n.live, 0x13198A2E03707344, &n.index, &n.signature)
    if s.chains:
        add_word(n, 3, n.chains[n.turn].relevant)
        add_word(n, 4, n.chains[n.turn ^ 1].relevant)


cdef inline void make_move(const Searcher *s, const Node *n, int field, Node *c) noexcept nogil:
    """The position after a move, in the view of the other side, not yet evaluated."""
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[field]
    cdef bint changes = (n.panels.useful[0] | n.panels.useful[1]) >> field & 1
    cdef bint keyed = n.plies > KEYED
    cdef int i
    c.now = -n.now
    if <unsigned int>-difference_of(n, p, n.turn) <= 1:
        c.now -= t.size[p]
    c.own = n.other
    c.other = n.own | bit(field)
    c.live = n.live
    c.panels = n.panels
    if changes:
        take_out(s, c, p, keyed)
    c.live &= ~bit(field)
    c.panels.difference[p] += -1 if n.turn else 1
    if changes:
        put_in(s, c, p, keyed)
    c.legal = t.cross[field] & c.live & ~t.barred[n.last]
    c.supply = n.supply - 1
    c.last = field
    c.turn = n.turn ^ 1
    if s.areas:
        copy_areas(&n.areas[0], &c.areas[0])
        copy_areas(&n.areas[1], &c.areas[1])
        place_in_areas(t, &c.areas[n.turn], field)
    if s.chains:
        c.chains[0] = n.chains[0]
        c.chains[1] = n.chains[1]
        for i in range(WINDOW_WORDS):
            c.chains[c.turn].feasible[i] &= ~t.through[field][i]


cdef inline int largest_panel(const Tables *t, uint64_t fields) noexcept nogil:
    """Size of the largest panel that has one of the fields, 0 if there are none."""
    cdef int largest = 0
    while fields:
        largest = max(largest, <int>t.size[t.panel_of[lowest(fields)]])
        fields &= ~t.barred[lowest(fields)]
    return largest


cdef inline int promise(
    const Searcher *s, int bounds, int present, int expected, int replies, int hottest
) noexcept nogil:
    """How good a position looks for the side to move, without search, POINT to the point.

    Args:
        bounds: of its margin, added up.
        present: the margin if the game ended now.
        expected: of the panels' points, in tenths.
        replies: how many fields are legal.
        hottest: points that a marble there gains at once, at best.

    The weights are those that gave the fewest nodes. The bounds of areas and chains are wide and
    say less than those of the panels.
    """
    cdef int common = 4 * hottest + 8 * expected // TENTH
    if s.areas or s.chains:
        return 2 * bounds + 4 * present + 12 * replies + common
    return 3 * bounds + 3 * present + 8 * replies + common


cdef inline int promise_of(const Searcher *s, const Node *n) noexcept nogil:
    """`promise` of an evaluated node."""
    return promise(
        s, n.lower + n.upper, present_margin(s, n),
        -n.panels.expected if n.turn else n.panels.expected, popcount(n.legal),
        largest_panel(s.rules, n.legal & n.panels.hot[n.turn]),
    )


cdef inline void bound_move(const Searcher *s, const Node *n, int field, Node *c) noexcept nogil:
    """Bounds of what a move leads to, from the sums of the node it is made in.

    Fills in the child's last, legal, lower and upper, no more. The sums after the move are those
    of the node but for the panel of the field, as far as its live fields and the plies to come
    allow: the child's own may be fewer, which can only bring its bounds closer together.
    """
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[field]
    cdef int d = difference_of(n, p, n.turn)
    cdef int own_marbles = (n.plies - 1) >> 1
    cdef int other_marbles = n.plies >> 1
    cdef int now = n.now + (t.size[p] & -<int>(<unsigned int>-d <= 1))
    cdef Hull own_sum = n.panels.sums[n.turn]
    cdef Hull other_sum = n.panels.sums[n.turn ^ 1]
    cdef const Hull *before
    cdef const Hull *after
    c.last = field
    c.evaluated = False
    c.legal = t.cross[field] & n.live & ~t.barred[n.last]
    if c.legal == 0:
        c.lower = c.upper = -(present_margin(s, n) + gain_of(s, n, field, True))
        return
    if (n.panels.useful[0] | n.panels.useful[1]) >> field & 1:
        before = s.panels.hulls[p] + popcount(n.live & t.panel[p]) * s.panels.free_step[p]
        after = before - s.panels.free_step[p]
        hull_sub(&own_sum, &before[d])
        hull_add(&own_sum, &after[d + 1])
        hull_sub(&other_sum, &before[-d])
        hull_add(&other_sum, &after[-d - 1])
    if not c.legal & n.panels.useful[n.turn ^ 1]:
        other_marbles -= 1
    c.lower = -(now + n.most + best_gain(s.panels, &own_sum, own_marbles))
    c.upper = best_gain(s.panels, &other_sum, other_marbles) - now - n.least


cdef inline int promise_of_bounded(const Searcher *s, const Node *n, const Node *c) noexcept nogil:
    """`promise` of a child of `n` that has been through `bound_move`."""
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[c.last]
    cdef int d = n.panels.difference[p]
    cdef const int16_t *expected = (
        s.panels.expected[p] + popcount(n.live & t.panel[p]) * s.panels.free_step[p]
    )
    cdef int change = expected[(d - 1 if n.turn else d + 1) - s.panels.free_step[p]] - expected[d]
    cdef int after = n.panels.expected + change
    return promise(
        s, c.lower + c.upper, -(present_margin(s, n) + gain_of(s, n, c.last, True)),
        after if n.turn else -after, popcount(c.legal),
        largest_panel(t, c.legal & n.panels.hot[n.turn ^ 1]),
    )


cdef inline void keep_move(Frame *frame) noexcept nogil:
    """Keep the child behind the last one that is kept."""
    frame.rank[frame.count] = frame.count
    frame.count += 1


cdef inline void drop_move(Frame *frame, int i) noexcept nogil:
    """Do without the child ranked i; the last one takes its rank."""
    frame.count -= 1
    frame.rank[i] = frame.rank[frame.count]


cdef inline Node *next_best(Frame *frame, int i) noexcept nogil:
    """The child with the largest order of those ranked i, i + 1, ...; it gets rank i."""
    cdef uint8_t *rank = frame.rank
    cdef uint8_t swap
    cdef int choice = i
    cdef int j
    for j in range(i + 1, frame.count):
        if frame.child[rank[j]].order > frame.child[rank[choice]].order:
            choice = j
    swap = rank[i]
    rank[i] = rank[choice]
    rank[choice] = swap
    return &frame.child[rank[i]]


cdef inline uint64_t kept_moves(const Frame *frame) noexcept nogil:
    """The fields of the children that are kept."""
    cdef uint64_t fields = 0
    cdef int i
    for i in range(frame.count):
        fields |= bit(frame.child[frame.rank[i]].last)
    return fields


cdef inline bint is_ending(const Searcher *s, const Node *n) noexcept nogil:
    """Is an evaluated node searched as an ending?"""
    if s.panel_endings != NULL:
        return n.plies <= PANEL_ENDING and popcount(n.live) <= PANEL_FIELDS
    return n.plies <= MIXED_ENDING and popcount(n.live) <= MIXED_FIELDS


cdef inline bint is_tabled(const Searcher *s, const Node *n) noexcept nogil:
    """Is the table used for an evaluated node?"""
    return n.plies >= TABLED and not is_ending(s, n)


cdef inline bint is_shared(const Searcher *s, const Node *n) noexcept nogil:
    """Do the searches of a crew keep out of each other's way at an identified node?"""
    return s.busy != NULL and n.plies >= SHARED and not is_ending(s, n)


cdef int glance(
    const Searcher *s, Node *n, int depth, int alpha, int beta, int ply
) noexcept nogil:
    """`promise_of` what an evaluated node leads to in `depth` plies; a guess, for ordering only.

    Returns it if it lies between alpha and beta; otherwise a bound on the same side of both. Cut
    short, with any answer, when the crew is stopped.
    """
    cdef Frame *frame = &s.frame[ply]
    cdef Node *c
    cdef uint64_t moves = n.legal
    cdef int best = -GLANCE_LIMIT, i
    if n.lower == n.upper:
        return POINT * n.lower
    if depth == 0:
        return promise_of(s, n)
    frame.count = 0
    while moves:
        c = &frame.child[frame.count]
        make_move(s, n, lowest(moves), c)
        evaluate(s, c)
        moves &= moves - 1
        if depth == 1 or c.lower == c.upper:
            best = max(best, -glance(s, c, 0, 0, 0, ply + 1))
            if best >= beta:
                return best
        else:
            c.order = -promise_of(s, c)
            keep_move(frame)
    for i in range(frame.count):
        if relaxed_load_32(&s.control.stop):
            break
        c = next_best(frame, i)
        best = max(best, -glance(s, c, depth - 1, -beta, -max(alpha, best), ply + 1))
        if best >= beta:
            break
    return best


cdef inline int effort_of(int64_t nodes) noexcept nogil:
    """log2 of the nodes, in quarters."""
    cdef int quarters = 0
    while nodes >= 32:
        nodes >>= 1
        quarters += 4
    return min(255, quarters + <int>(nodes >> 3))


cdef inline bint taken(const Busy *busy, const Node *n) noexcept nogil:
    return relaxed_load(&busy.at[n.index & (BUSY - 1)]) == n.signature


cdef inline void take(Busy *busy, const Node *n) noexcept nogil:
    relaxed_store(&busy.at[n.index & (BUSY - 1)], n.signature)


cdef inline void leave(Busy *busy, const Node *n) noexcept nogil:
    relaxed_store(&busy.at[n.index & (BUSY - 1)], 0)


cdef bint ask_oracle(Searcher *s, const Node *n, Stored *known) noexcept nogil:
    """What the oracle knows of a node, as the table would have it; noted there if it has a place.

    The table is asked first: what it knows by search, the oracle did not.
    """
    cdef int margin = 0
    cdef int outcome = (<Oracle>s.oracle).look_up(n.own, n.other, n.legal, n.last, &margin)
    if unlikely(outcome == FAILED):
        relaxed_store_32(&s.control.stop, 1)
    if outcome != KNOWN:
        return False
    count(&s.hits, 1)
    known.lower = known.upper = margin - n.base
    known.move = NO_MOVE
    if is_tabled(s, n):
        store(s.table, n.index, n.signature, known.lower, known.upper, NO_MOVE, 0)
    return True


cdef int bound_moves(const Searcher *s, const Node *n, int beta, Frame *frame) noexcept nogil:
    """Bound every move by the node's sums, and keep those that are open.

    Returns v >= beta: a move makes the margin at least v. Returns v < beta: no move that is not
    kept makes it more than v.
    """
    cdef Node *c
    cdef uint64_t moves = n.legal
    cdef int best = LEAST
    frame.count = 0
    while moves:
        c = &frame.child[frame.count]
        bound_move(s, n, lowest(moves), c)
        moves &= moves - 1
        if -c.upper >= beta:
            return -c.upper
        if -c.lower < beta:
            best = max(best, -c.lower)
        else:
            keep_move(frame)
    return best


cdef inline bint open_move(
    const Searcher *s, const Node *n, Node *c, int beta, int *best
) noexcept nogil:
    """Evaluate a child of which there are only bounds; is it open what the move is worth?

    If not, its worth is noted in `best`.
    """
    make_move(s, n, c.last, c)
    evaluate(s, c)
    c.evaluated = True
    if -c.upper >= beta or -c.lower < beta:
        best[0] = max(best[0], -c.upper if -c.upper >= beta else -c.lower)
        return False
    if is_tabled(s, c):
        identify(s, c)
        prefetch_bucket(s.table, c.index)
    return True


cdef int look_closely(Searcher *s, const Node *n, int beta, int ply, int best) noexcept nogil:
    """Evaluate the moves that are kept, and ask the table and the oracle about them.

    Returns as `bound_moves` does, given what that returned. The move that reaches beta becomes
    the frame's `first`.
    """
    cdef Frame *frame = &s.frame[ply]
    cdef Node *c
    cdef Stored known
    cdef int i = 0
    while i < frame.count:
        c = &frame.child[frame.rank[i]]
        if open_move(s, n, c, beta, &best):
            i += 1
        elif best >= beta:
            frame.first = c.last
            return best
        else:
            drop_move(frame, i)
    # Enhanced transposition cut-off: does the table, or the oracle, refute one of the children?
    i = 0
    while i < frame.count:
        c = &frame.child[frame.rank[i]]
        i += 1
        if (is_tabled(s, c) and probe(s.table, c.index, c.signature, &known)) or (
            s.oracle != NULL and c.plies >= ASKED and ask_oracle(s, c, &known)
        ):
            c.lower = max(<int>c.lower, c.base + known.lower)
            c.upper = min(<int>c.upper, c.base + known.upper)
            if -c.upper >= beta:
                frame.first = c.last
                return -c.upper
            if -c.lower < beta:
                best = max(best, -c.lower)
                i -= 1
                drop_move(frame, i)
    return best


cdef void order_moves(const Searcher *s, const Node *n, int ply) noexcept nogil:
    """Say how promising each move that is kept is, the frame's `first` above all."""
    cdef Frame *frame = &s.frame[ply]
    cdef Node *c
    cdef int depth = 2 * ((n.plies >= GLANCED) + (n.plies >= GLANCED_DEEPER))
    cdef int i
    if frame.count == 1:
        return
    for i in range(frame.count):
        c = &frame.child[frame.rank[i]]
        if c.last == frame.first:
            c.order = GLANCE_LIMIT
        elif c.evaluated:
            c.order = -promise_of(s, c)
        else:
            c.order = -promise_of_bounded(s, n, c)
        if depth and c.last != frame.first:
            c.order -= glance(s, c, depth, -GLANCE_LIMIT, GLANCE_LIMIT, ply + 1)


cdef int search_moves(Searcher *s, const Node *n, int beta, int ply, int best) noexcept nogil:
    """Search the moves that are kept, in order, until one reaches beta.

    Returns as `look_closely` does.
    """
    cdef Frame *frame = &s.frame[ply]
    cdef Node *c
    cdef uint64_t deferred = 0
    cdef int i
    for i in range(frame.count):
        c = next_best(frame, i)
        if c.evaluated or open_move(s, n, c, beta, &best):
            if i > 0 and is_shared(s, c) and taken(s.busy, c):
                deferred |= bit(i)
                continue
            best = max(best, answer_of(s, c, beta, ply))
        if best >= beta or unlikely(s.abandoned):
            frame.first = c.last
            return best
    while deferred:
        c = &frame.child[frame.rank[lowest(deferred)]]
        deferred &= deferred - 1
        best = max(best, answer_of(s, c, beta, ply))
        if best >= beta or unlikely(s.abandoned):
            frame.first = c.last
            return best
    return best


cdef int close_by_panels(Searcher *s, const Node *n, int beta) noexcept nogil:
    """`search` of an ending in which only panels count."""
    cdef PanelEndings *endings = s.panel_endings
    cdef PanelEnding root
    cdef int v
    root.free = n.live
    root.legal = n.legal
    root.barred = s.rules.barred[n.last]
    root.sum = n.panels.sums[n.turn]
    root.other_sum = n.panels.sums[n.turn ^ 1]
    begin_panel_ending(endings, &root, n.turn, n.panels.difference)
    v = n.now + close_panels(endings, &root, n.turn, n.plies, beta - n.now)
    count(&s.nodes, endings.nodes)
    return v


cdef int close_by_moves(
    Searcher *s, const Node *n, int beta, uint64_t moves
) noexcept nogil:
    """`search` of an ending in which areas or chains count, by these of its moves."""
    cdef MixedEnding *e = s.mixed_ending
    cdef int side, v
    begin_mixed_ending(e, n.panels.difference)
    for side in range(2):
        if s.areas:
            list_parts(&e.colour[side], &n.areas[side], n.live)
        if s.chains:
            list_windows(
                s.rules, &e.colour[side], &n.chains[side], n.own if side == n.turn else n.other,
                n.live, (n.plies + <int>(side == n.turn)) >> 1,
            )
    v = close_mixed(e, n.turn, n.plies, present_margin(s, n), beta, n.live, moves, n.last)
    count(&s.nodes, e.nodes)
    return v


cdef int search_ending(Searcher *s, const Node *n, int beta, Frame *frame) noexcept nogil:
    """`search` of an ending: without the table, and without nodes below this one."""
    cdef int best
    if s.panel_endings != NULL:
        best = close_by_panels(s, n, beta)
    else:
        best = bound_moves(s, n, beta, frame)
        if best < beta and frame.count:
            best = max(best, close_by_moves(s, n, beta, kept_moves(frame)))
        else:
            count(&s.nodes, 1)
    return max(<int>n.lower, best) if best >= beta else min(<int>n.upper, best)


cdef int search(Searcher *s, Node *n, int beta, int ply) noexcept nogil:
    """Is the margin of an evaluated node, at least three plies to come, at least `beta`?

    Returns v >= beta: the margin is at least v. Returns v < beta: it is at most v.
    If s.abandoned is set when it returns, the answer means nothing.
    """
    cdef Frame *frame = &s.frame[ply]
    cdef Stored known
    cdef int64_t before = s.nodes
    cdef int best
    if unlikely(s.nodes >= s.limit):
        relaxed_store_32(&s.control.stop, 1)
    if unlikely(relaxed_load_32(&s.control.stop) or relaxed_load_32(&s.control.answered)):
        s.abandoned = True
        return 0
    if is_ending(s, n):
        return search_ending(s, n, beta, frame)
    count(&s.nodes, 1)
    # The table's line is on its way from memory: the sums come first.
    best = bound_moves(s, n, beta, frame)
    if best >= beta:
        return max(<int>n.lower, best)
    if frame.count == 0:
        return min(<int>n.upper, best)
    frame.first = NO_MOVE
    if is_tabled(s, n) and probe(s.table, n.index, n.signature, &known):
        n.lower = max(<int>n.lower, n.base + known.lower)
        n.upper = min(<int>n.upper, n.base + known.upper)
        if n.lower >= beta:
            return n.lower
        if n.upper < beta:
            return n.upper
        frame.first = known.move
    if n.plies >= CLOSELY or (s.oracle != NULL and n.plies > ASKED):
        best = look_closely(s, n, beta, ply, best)
    if best < beta:
        order_moves(s, n, ply)
        best = search_moves(s, n, beta, ply, best)
        if unlikely(s.abandoned):
            return 0
    if best >= beta:
        n.lower = max(<int>n.lower, best)
        best = n.lower
    else:
        n.upper = min(<int>n.upper, best)
        best = n.upper
    if is_tabled(s, n):
        store(
            s.table, n.index, n.signature, n.lower - n.base, n.upper - n.base, frame.first,
            effort_of(s.nodes - before),
        )
    return best


cdef inline int answer_of(Searcher *s, Node *c, int beta, int ply) noexcept nogil:
    """Search a child of a node at `ply` for the side that moved there."""
    cdef int v
    if not is_shared(s, c):
        return -search(s, c, 1 - beta, ply + 1)
    take(s.busy, c)
    v = -search(s, c, 1 - beta, ply + 1)
    leave(s.busy, c)
    return v


cdef class Crew:
    """What the searches that work on one question together share, beside the table.

    Args:
        size: how many they are, 1 or more. One alone needs nothing to be shared, and its searches
            are the same node for node every time.

    Raises:
        ValueError: there are none.
    """

    def __cinit__(self, int size):
        if size < 1:
            raise ValueError(f"a crew of {size}: give 1 or more")
        self.size = size

    def stop(self) -> None:
        """End the running searches from another thread, soon."""
        relaxed_store_32(&self.control.stop, 1)

    def resume(self) -> None:
        """Forget an earlier stop."""
        relaxed_store_32(&self.control.stop, 0)

    def ask(self) -> None:
        """Begin a new question: no search has answered it yet."""
        relaxed_store_32(&self.control.answered, 0)


cdef class Search:
    """One position and the machinery to bound its margin.

    Args:
        bounds: the layout's tables.
        table: where bounds are kept; any number of searches may share it if they are on the same
            layout and scoring.
        crew: the searches that this one works with.
        areas, chains: what counts beside the panels.
        oracle: knows margins, of positions with as many marbles to come as this one has, and of
            this layout and scoring; None for a search without.
    """

    def __cinit__(
        self, PanelBounds bounds not None, TranspositionTable table not None, Crew crew not None,
        bint areas, bint chains, Oracle oracle=None
    ):
        self.bounds = bounds
        self.table = table
        self.crew = crew
        self.oracle = oracle
        self.searcher.oracle = NULL if oracle is None else <void *>oracle
        self.searcher.rules = &bounds.geometry.tables
        self.searcher.panels = &bounds.tables
        self.searcher.table = &table.view
        self.searcher.control = &crew.control
        self.searcher.busy = &crew.busy if crew.size > 1 else NULL
        self.searcher.areas = areas
        self.searcher.chains = chains
        self.limit_nodes(-1)
        if areas or chains:
            self.searcher.mixed_ending = <MixedEnding *>calloc(1, sizeof(MixedEnding))
        else:
            self.searcher.panel_endings = <PanelEndings *>calloc(1, sizeof(PanelEndings))
        if self.searcher.mixed_ending == NULL and self.searcher.panel_endings == NULL:
            raise MemoryError("no memory for a search")
        if self.searcher.panel_endings != NULL:
            self.searcher.panel_endings.rules = self.searcher.rules
            self.searcher.panel_endings.panels = self.searcher.panels
        else:
            self.searcher.mixed_ending.rules = self.searcher.rules
            self.searcher.mixed_ending.areas = areas
            self.searcher.mixed_ending.chains = chains

    def __dealloc__(self):
        release(self.searcher.frame)
        release(self.searcher.panel_endings)
        release(self.searcher.mixed_ending)

    cdef int make_room(self, int plies) except -1:
        """Have the frames of a game of so many plies, 60 KiB each; what they hold is lost."""
        cdef int i, j
        if plies < self.frames:
            return 0
        release(self.searcher.frame)
        self.frames = 0
        self.searcher.frame = <Frame *>malloc((plies + 1) * sizeof(Frame))
        if self.searcher.frame == NULL:
            raise MemoryError("no memory for a search")
        self.frames = plies + 1
        # All of a child is written before it is read, but for this where areas do not count.
        for i in range(self.frames):
            for j in range(MAX_FIELDS):
                self.searcher.frame[i].child[j].open_areas = 0
        return 0

    def set_position(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) -> tuple[int, int]:
        """Take up a position, in the view of the side to move.

        Args:
            own, other: the fields with a marble of the side to move, and of the other side.
            last, before: fields of the newest marble and of the one before it, -1 for none.
            supply: plies that the marbles still allow, both sides together.

        Returns:
            Bounds of its margin, found without search; equal if the game is over, or if the oracle
            knows the position.

        Raises:
            ValueError: a field is none of the layout's, or has a marble of both sides, or the
                supply is below 0.
        """
        cdef Searcher *s = &self.searcher
        cdef Node *n = &self.root
        cdef const Tables *t = s.rules
        cdef int p, difference, margin = 0
        last = self.bounds.geometry.checked(last)
        before = self.bounds.geometry.checked(before)
        self.bounds.geometry.check_marbles(own, other)
        if supply < 0:
            raise ValueError(f"{supply} plies to come: give 0 or more")
        self.make_room(min(supply, popcount(t.every & ~(own | other))))
        memset(n, 0, sizeof(Node))
        n.own = own
        n.other = other
        n.last = last
        n.supply = min(supply, MAX_FIELDS)
        n.live = t.every & ~(own | other)
        n.legal = legal_fields(t, own | other, last, before)
        for p in range(t.panels):
            difference = popcount(own & t.panel[p]) - popcount(other & t.panel[p])
            n.panels.difference[p] = difference
            n.now += s.panels.standing[p][difference].points
            put_in(s, n, p, True)
        if self.searcher.areas:
            begin_areas(t, &n.areas[0], own)
            begin_areas(t, &n.areas[1], other)
        if self.searcher.chains:
            begin_chains(t, &n.chains[0], own, other)
            begin_chains(t, &n.chains[1], other, own)
        evaluate(s, n)
        if n.plies >= KEYED:
            identify(s, n)
        if self.oracle is not None and n.plies > 0 and (
            self.oracle.look_up(n.own, n.other, n.legal, n.last, &margin) == KNOWN
        ):
            count(&self.searcher.hits, 1)
            n.lower = n.upper = margin
        return n.lower, n.upper

    def guess(self) -> int:
        """A guess of the margin, within its bounds, from a look a few plies ahead.

        What a look promises favours the side to move at its end, so two looks, one a ply deeper
        than the other, are averaged.
        """
        cdef Node root = self.root
        cdef int looks
        with nogil:
            looks = (
                glance(&self.searcher, &root, GUESSED, -GLANCE_LIMIT, GLANCE_LIMIT, 0)
                + glance(&self.searcher, &root, GUESSED + 1, -GLANCE_LIMIT, GLANCE_LIMIT, 0)
            )
        return min(max(<int>(looks / (2.0 * POINT)), <int>root.lower), <int>root.upper)

    def null_window(self, int beta):
        """Is the margin at least `beta`?

        Returns:
            v >= beta: the margin is at least v; v < beta: it is at most v. None if the crew was
            stopped, or another of its searches was faster.
        """
        cdef Node root = self.root
        cdef int v
        if root.lower >= beta:
            return root.lower
        if root.upper < beta:
            return root.upper
        self.searcher.abandoned = False
        if root.plies < UNLOCKED and self.oracle is None:
            v = search(&self.searcher, &root, beta, 0)
        else:
            with nogil:
                v = search(&self.searcher, &root, beta, 0)
        if self.searcher.busy != NULL and not self.searcher.abandoned:
            relaxed_store_32(&self.searcher.control.answered, 1)
        return None if self.searcher.abandoned else v

    def table_move(self):
        """The field the table would try first, None if it has no opinion."""
        cdef Stored known
        if is_tabled(&self.searcher, &self.root) and probe(
            &self.table.view, self.root.index, self.root.signature, &known
        ) and known.move != NO_MOVE:
            return known.move
        return None

    def identity(self) -> tuple[int, int, int] | None:
        """What the table knows the position by: index, signature, and the settled margin (base).

        Positions with equal index and signature have equal margins up to their bases. None for
        positions without a key, close to the end of the game.
        """
        if self.root.plies < KEYED:
            return None
        return self.root.index, self.root.signature, self.root.base

    def move_bounds(self) -> dict[int, tuple[int, int]]:
        """Bounds of what each legal field is worth, as far as they follow from the position's sums.

        None are given for games that last two plies more at most: their margins are known.
        """
        cdef Node child
        cdef uint64_t moves = self.root.legal
        bounds = {}
        if self.root.plies > 2:
            while moves:
                bound_move(&self.searcher, &self.root, lowest(moves), &child)
                moves &= moves - 1
                bounds[<int>child.last] = (-child.upper, -child.lower)
        return bounds

    def limit_nodes(self, int64_t nodes) -> None:
        """Let this search stop the crew after so many nodes more; below 0: any number."""
        self.searcher.limit = INT64_MAX if nodes < 0 else self.searcher.nodes + nodes

    @property
    def nodes(self) -> int:
        """Positions searched so far; may be read while a search runs."""
        return counted(&self.searcher.nodes)

    @property
    def hits(self) -> int:
        """Positions the oracle knew so far; may be read while a search runs."""
        return counted(&self.searcher.hits)
