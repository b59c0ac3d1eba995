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
from libc.stdlib cimport calloc, free as release
from libc.string cimport memset

from kulami_solver.core.bits cimport (
    bit, lowest, popcount, relaxed_load, relaxed_store, unlikely,
)
from kulami_solver.core.hashing cimport hash_word
from kulami_solver.core.table cimport (
    NO_MOVE, Stored, prefetch_bucket, probe, store,
)
from kulami_solver.kulami.areas cimport (
    area_ceiling, area_gain, begin_areas, copy_areas, hash_areas, place_in_areas,
)
from kulami_solver.kulami.chains cimport begin_chains, chain_ceiling, chain_gain, points_of
from kulami_solver.kulami.panels cimport PRICES, Hull, Standing, best_gain, hull_add, hulls_of
from kulami_solver.kulami.rules cimport NO_FIELD, WINDOW_WORDS, legal_fields

cdef enum:
    WORDS = 5               # words of the key that are hashed by multiplication
    TABLED = 4              # positions with fewer plies to come are not worth a look at the table
    LOOKED_UP = 8           # plies from which the table is asked about all children beforehand
    GLANCED = 16            # plies from which moves are ordered by a look two plies ahead ...
    GLANCED_DEEPER = 20     # ... and four plies
    GUESSED = 6             # plies that a guess of the margin looks ahead
    GLANCE_LIMIT = 1 << 20  # beyond any guess
    SHARED = 8              # plies from which searches of a crew keep out of each other's way

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
    cdef int d = n.difference[p] if own else -n.difference[p]
    cdef int side = n.turn if own else n.turn ^ 1
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


cdef int margin_of_two(const Searcher *s, const Node *n, uint64_t second) noexcept nogil:
    """The margin when one marble of each side is still to come.

    The gains of the two marbles do not depend on each other: they lie on different panels, and
    the components and lines they add to are of different colours.
    """
    cdef const Tables *t = s.rules
    cdef int gain[MAX_FIELDS]
    cdef uint64_t moves = second
    cdef uint64_t replies
    cdef int best = -32768, answer, here, field
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
        replies = t.cross[field] & second
        answer = 0
        while replies:
            answer = max(answer, gain[lowest(replies)])
            replies &= replies - 1
        best = max(best, here - answer)
    return present_margin(s, n) + best


cdef void evaluate(const Searcher *s, Node *n) noexcept nogil:
    """Fill in what follows from the position: live fields, plies, bounds, base, hash of panels."""
    cdef const Tables *t = s.rules
    cdef const PanelTables *panels = s.panels
    cdef const Standing *standing
    cdef const Hull *hulls
    cdef const Hull *rise
    cdef const Hull *fall
    cdef Hull own_sum
    cdef Hull other_sum
    cdef uint64_t rest, here, second
    cdef uint64_t index, signature
    cdef int64_t own_here, other_here, own_useful, other_useful, contested
    cdef int64_t base
    cdef int own_marbles, other_marbles
    cdef int p, d, i, free
    if n.supply == 0 or n.legal == 0:
        n.plies = 0
        if s.chains:
            for i in range(2):
                n.chains[i].now = n.chains[i].settled + points_of(
                    t, &n.chains[i], n.own if i == n.turn else n.other
                )
        n.lower = n.upper = present_margin(s, n)
        return
    second = neighbours(t, n.legal) & n.live & ~t.barred[n.last]
    if second:
        n.live = reachable(t, n.legal, second, n.live, n.supply)
        n.plies = min(n.supply, popcount(n.live))
    else:
        n.live = n.legal
        n.plies = 1
    if n.plies <= 2 and not s.chains:
        if n.plies == 1:
            n.lower = n.upper = margin_of_one(s, n)
        else:
            n.lower = n.upper = margin_of_two(s, n, second)
        return
    own_marbles = (n.plies + 1) >> 1
    other_marbles = n.plies >> 1
    memset(&own_sum, 0, sizeof(Hull))
    memset(&other_sum, 0, sizeof(Hull))
    base = n.now
    index = signature = 0
    own_useful = other_useful = 0
    rest = n.live & n.contested
    n.contested = 0
    while rest:
        p = t.panel_of[lowest(rest)]
        here = t.panel[p]
        free = popcount(rest & here)
        rest &= ~here
        d = n.difference[p]
        # Only a side that is not ahead can gain; where nobody can, the panel is decided. No
        # branches here: they would be taken at random.
        own_here = -<int64_t>((n.legal & here) != 0)
        other_here = -<int64_t>((second & here) != 0)
        hulls = hulls_of(panels, p, free)
        rise = hulls + ((own_marbles - <int>own_here) >> 1) * panels.reach_step[p] + d
        fall = hulls + ((other_marbles - <int>other_here) >> 1) * panels.reach_step[p] - d
        hull_add(&own_sum, rise)
        hull_add(&other_sum, fall)
        own_useful |= rise.at[PRICES - 1] & own_here
        other_useful |= fall.at[PRICES - 1] & other_here
        contested = -<int64_t>((rise.at[PRICES - 1] | fall.at[PRICES - 1]) != 0)
        n.contested |= here & contested
        standing = panels.standing[p] + d
        base -= standing.points & contested
        index ^= standing.index & contested
        signature ^= standing.signature & contested
    n.base = base
    n.index = index
    n.signature = signature
    n.upper = n.now + best_gain(panels, &own_sum, own_marbles - (own_useful == 0))
    n.lower = n.now - best_gain(panels, &other_sum, max(0, other_marbles - (other_useful == 0)))
    if s.areas:
        bound_areas(n, own_marbles, other_marbles)
    if s.chains:
        bound_chains(s, n, own_marbles, other_marbles)
        if n.plies == 1:
            n.lower = n.upper = margin_of_one(s, n)
        elif n.plies == 2:
            n.lower = n.upper = margin_of_two(s, n, second)


cdef inline void bound_areas(Node *n, int own_marbles, int other_marbles) noexcept nogil:
    cdef Areas *own = &n.areas[n.turn]
    cdef Areas *other = &n.areas[n.turn ^ 1]
    cdef int own_most = area_ceiling(own, n.live, own_marbles)
    cdef int other_most = area_ceiling(other, n.live, other_marbles)
    n.upper += own_most - other.now
    n.lower += own.now - other_most
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
    n.upper += own_most - other.now
    n.lower += own.now - other_most
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
    cdef int d = n.difference[p]
    cdef int i
    for i in range(MAX_FIELDS):
        c.difference[i] = -n.difference[i]
    c.difference[p] = -(d + 1)
    c.now = -n.now
    if d == 0 or d == -1:
        c.now -= t.size[p]
    c.own = n.other
    c.other = n.own | bit(field)
    c.live = n.live & ~bit(field)
    c.contested = n.contested
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


cdef inline int promise_of(const Searcher *s, const Node *n) noexcept nogil:
    """How good a node looks for the side to move, without search: about ten times its margin.

    The weights are those that gave the fewest nodes. The bounds of areas and chains are wide and
    say less than those of the panels.
    """
    if s.areas or s.chains:
        return 2 * (n.lower + n.upper) + 6 * present_margin(s, n) + 10 * popcount(n.legal)
    return 4 * (n.lower + n.upper) + 4 * n.now + 10 * popcount(n.legal)


cdef inline Node *next_best(Frame *frame, int i, int count) noexcept nogil:
    """The child with the largest order of those ranked i, i + 1, ...; it gets rank i."""
    cdef uint8_t *rank = frame.rank
    cdef uint8_t swap
    cdef int choice = i
    cdef int j
    for j in range(i + 1, count):
        if frame.child[rank[j]].order > frame.child[rank[choice]].order:
            choice = j
    swap = rank[i]
    rank[i] = rank[choice]
    rank[choice] = swap
    return &frame.child[rank[i]]


cdef int glance(
    const Searcher *s, Node *n, int depth, int alpha, int beta, int ply
) noexcept nogil:
    """`promise_of` what an evaluated node leads to in `depth` plies; a guess, for ordering only.

    Returns it if it lies between alpha and beta; otherwise a bound on the same side of both. Cut
    short, with any answer, when the crew is stopped.
    """
    cdef Node *child = s.frame[ply].child
    cdef Node *c
    cdef uint64_t moves = n.legal
    cdef int count = 0, best = -GLANCE_LIMIT, i
    if n.lower == n.upper:
        return 10 * n.lower
    if depth == 0:
        return promise_of(s, n)
    while moves:
        c = child + count
        make_move(s, n, lowest(moves), c)
        evaluate(s, c)
        moves &= moves - 1
        if depth == 1 or c.lower == c.upper:
            best = max(best, -glance(s, c, 0, 0, 0, ply + 1))
            if best >= beta:
                return best
        else:
            c.order = -promise_of(s, c)
            s.frame[ply].rank[count] = count
            count += 1
    for i in range(count):
        if s.control.stop:
            break
        c = next_best(&s.frame[ply], i, count)
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


cdef int search(Searcher *s, Node *n, int beta, int ply) noexcept nogil:
    """Is the margin of an evaluated node, the game not over, at least `beta`?

    Returns v >= beta: the margin is at least v. Returns v < beta: it is at most v.
    If s.abandoned is set when it returns, the answer means nothing.
    """
    cdef Node *child = s.frame[ply].child
    cdef uint8_t *rank = s.frame[ply].rank
    cdef Node *c
    cdef Stored known
    cdef uint64_t moves, deferred = 0
    cdef int64_t before = s.nodes
    cdef int count = 0, first = NO_MOVE, best = -32768, field, i, depth
    if unlikely(s.nodes >= s.limit):
        s.control.stop = 1
    if unlikely(s.control.stop or s.control.answered):
        s.abandoned = True
        return 0
    s.nodes += 1
    if n.plies >= TABLED and probe(s.table, n.index, n.signature, &known):
        n.lower = max(<int>n.lower, n.base + known.lower)
        n.upper = min(<int>n.upper, n.base + known.upper)
        first = known.move
        if n.lower >= beta:
            return n.lower
        if n.upper < beta:
            return n.upper
    moves = n.legal
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        c = child + count
        make_move(s, n, field, c)
        evaluate(s, c)
        if -c.upper >= beta:
            best = -c.upper
            first = field
            break
        if -c.lower < beta:
            best = max(best, -c.lower)
            continue
        if c.plies >= TABLED:
            identify(s, c)
            prefetch_bucket(s.table, c.index)
        rank[count] = count
        count += 1
    if best < beta and n.plies >= LOOKED_UP:
        # Enhanced transposition cut-off: does the table already refute one of the children?
        i = 0
        while i < count:
            c = child + rank[i]
            if c.plies >= TABLED and probe(s.table, c.index, c.signature, &known):
                c.lower = max(<int>c.lower, c.base + known.lower)
                c.upper = min(<int>c.upper, c.base + known.upper)
                if -c.upper >= beta:
                    best = -c.upper
                    first = c.last
                    break
                if -c.lower < beta:
                    best = max(best, -c.lower)
                    count -= 1
                    rank[i] = rank[count]
                    continue
            i += 1
    if best < beta:
        depth = 2 * ((n.plies >= GLANCED) + (n.plies >= GLANCED_DEEPER)) if count > 1 else 0
        for i in range(count):
            c = child + rank[i]
            c.order = -promise_of(s, c)
            if depth:
                c.order -= glance(s, c, depth, -GLANCE_LIMIT, GLANCE_LIMIT, ply + 1)
            if c.last == first:
                c.order = GLANCE_LIMIT
        for i in range(count):
            c = next_best(&s.frame[ply], i, count)
            if s.busy != NULL and i > 0 and c.plies >= SHARED and taken(s.busy, c):
                deferred |= bit(i)
                continue
            best = max(best, answer_of(s, c, beta, ply))
            if unlikely(s.abandoned):
                return 0
            if best >= beta:
                first = c.last
                break
        while best < beta and deferred:
            c = child + rank[lowest(deferred)]
            deferred &= deferred - 1
            best = max(best, answer_of(s, c, beta, ply))
            if unlikely(s.abandoned):
                return 0
            if best >= beta:
                first = c.last
    if best >= beta:
        n.lower = max(<int>n.lower, best)
        best = n.lower
    else:
        n.upper = min(<int>n.upper, best)
        best = n.upper
    if n.plies >= TABLED:
        store(
            s.table, n.index, n.signature, n.lower - n.base, n.upper - n.base, first,
            effort_of(s.nodes - before),
        )
    return best


cdef inline int answer_of(Searcher *s, Node *c, int beta, int ply) noexcept nogil:
    """Search a child of a node at `ply` for the side that moved there."""
    cdef int v
    if s.busy == NULL or c.plies < SHARED:
        return -search(s, c, 1 - beta, ply + 1)
    take(s.busy, c)
    v = -search(s, c, 1 - beta, ply + 1)
    leave(s.busy, c)
    return v


cdef class Crew:
    """What the searches that work on one question together share, beside the table.

    Args:
        size: how many they are. One alone needs nothing to be shared, and its searches are the
            same node for node every time.
    """

    def __cinit__(self, int size):
        self.size = size

    def stop(self) -> None:
        """End the running searches from another thread, soon."""
        self.control.stop = 1

    def resume(self) -> None:
        """Forget an earlier stop."""
        self.control.stop = 0

    def ask(self) -> None:
        """Begin a new question: no search has answered it yet."""
        self.control.answered = 0


cdef class Search:
    """One position and the machinery to bound its margin.

    Args:
        bounds: the layout's tables.
        table: where bounds are kept; any number of searches may share it if they are on the same
            layout and scoring.
        crew: the searches that this one works with.
        areas, chains: what counts beside the panels.
    """

    def __cinit__(
        self, PanelBounds bounds, TranspositionTable table, Crew crew, bint areas, bint chains
    ):
        self.bounds = bounds
        self.table = table
        self.crew = crew
        self.searcher.rules = &bounds.geometry.tables
        self.searcher.panels = &bounds.tables
        self.searcher.table = &table.view
        self.searcher.control = &crew.control
        self.searcher.busy = &crew.busy if crew.size > 1 else NULL
        self.searcher.areas = areas
        self.searcher.chains = chains
        self.limit_nodes(-1)
        self.searcher.frame = <Frame *>calloc(MAX_FIELDS + 1, sizeof(Frame))
        if self.searcher.frame == NULL:
            raise MemoryError("no memory for a search")

    def __dealloc__(self):
        release(self.searcher.frame)

    def set_position(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) -> tuple[int, int]:
        """Take up a position, in the view of the side to move.

        Args:
            own, other: the fields with a marble of the side to move, and of the other side.
            last, before: fields of the newest marble and of the one before it, -1 for none.
            supply: plies that the marbles still allow, both sides together.

        Returns:
            Bounds of its margin, found without search; equal if the game is over.
        """
        cdef Node *n = &self.root
        cdef const Tables *t = self.searcher.rules
        cdef int p
        memset(n, 0, sizeof(Node))
        n.own = own
        n.other = other
        n.last = NO_FIELD if last == -1 else last
        n.supply = min(supply, MAX_FIELDS)
        n.live = t.every & ~(own | other)
        n.contested = t.every
        n.legal = legal_fields(t, own | other, n.last, NO_FIELD if before == -1 else before)
        for p in range(t.panels):
            n.difference[p] = popcount(own & t.panel[p]) - popcount(other & t.panel[p])
            if n.difference[p] > 0:
                n.now += t.size[p]
            elif n.difference[p] < 0:
                n.now -= t.size[p]
        if self.searcher.areas:
            begin_areas(t, &n.areas[0], own)
            begin_areas(t, &n.areas[1], other)
        if self.searcher.chains:
            begin_chains(t, &n.chains[0], own, other)
            begin_chains(t, &n.chains[1], other, own)
        evaluate(&self.searcher, n)
        if n.plies >= TABLED:
            identify(&self.searcher, n)
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
        return min(max(<int>(looks / 20.0), <int>root.lower), <int>root.upper)

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
        with nogil:
            v = search(&self.searcher, &root, beta, 0)
            if self.searcher.busy != NULL and not self.searcher.abandoned:
                self.searcher.control.answered = 1
        return None if self.searcher.abandoned else v

    def table_move(self):
        """The field the table would try first, None if it has no opinion."""
        cdef Stored known
        if self.root.plies and probe(
            &self.table.view, self.root.index, self.root.signature, &known
        ) and known.move != NO_MOVE:
            return known.move
        return None

    def identity(self) -> tuple[int, int, int]:
        """What the table knows the position by: index, signature, and the settled margin (base).

        Positions with equal index and signature have equal margins up to their bases.
        """
        return self.root.index, self.root.signature, self.root.base

    def limit_nodes(self, int64_t nodes) -> None:
        """Let this search stop the crew after so many nodes more; below 0: any number."""
        self.searcher.limit = INT64_MAX if nodes < 0 else self.searcher.nodes + nodes

    @property
    def nodes(self) -> int:
        """Positions searched so far; may be read while a search runs."""
        return self.searcher.nodes
