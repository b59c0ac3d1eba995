"""Alpha-beta search with null windows over a position's margin.

`Search` holds one position and answers one kind of question: is its margin at least so much?
`kulami_solver.solve` asks the questions that lead to the margin, the best field and the line.

The table is keyed by what the future depends on, not by the position:

    live fields, legal fields, plies the game can still last,
    the last panel if it still has a live field, the differences of undecided panels,
    and where areas or chains count, what `shapes.pxd` says of them.

Positions that agree in that have the same margin up to `base`, what is settled for good.
The hash is  sum of  a_i * word_i  over 128-bit random a_i, of which the upper 64 bits are the
signature (multilinear hashing: two keys that differ in these words agree with probability at most
2^-63 over the choice of the a_i), joined by XOR with a random word for each undecided panel's
difference (Zobrist hashing: 2^-64).
"""

from libc.stdlib cimport calloc, free as release
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, high_product, likely, lowest, popcount, unlikely
from kulami_solver.core.table cimport (
    NO_MOVE, Stored, prefetch_bucket, probe, store,
)
from kulami_solver.kulami.panels cimport PRICES, Hull, best_gain, hull
from kulami_solver.kulami.rules cimport (
    NO_FIELD, chain_points, largest_area, legal_fields,
)
from kulami_solver.kulami.shapes cimport Outlook, area_outlook, chain_outlook

cdef enum:
    WORDS = 3               # words of the key that are hashed by multiplication
    TABLED = 3              # positions with fewer plies to come are not worth a look at the table
    CHECKED = 1023          # nodes between two looks at the stop flag, as a mask

cdef uint64_t[2 * WORDS] MULTIPLIER


def draw_multipliers():
    import random
    draw = random.Random(0x736561726368)
    for i in range(2 * WORDS):
        MULTIPLIER[i] = draw.getrandbits(64)


draw_multipliers()


cdef inline void add_word(Node *n, int i, uint64_t word) noexcept nogil:
    cdef uint64_t low = MULTIPLIER[2 * i]
    n.index += low * word
    n.signature += high_product(low, word) + MULTIPLIER[2 * i + 1] * word


cdef inline uint64_t reachable(const Tables *t, uint64_t start, uint64_t free) noexcept nogil:
    """The free fields that play may still come to from the fields `start`, bars ignored.

    Once a field drops out it never comes back: what can be reached after a move could be
    reached before it.
    """
    cdef uint64_t found = start
    cdef uint64_t frontier = start
    cdef uint64_t new
    while frontier and found != free:
        new = t.cross[lowest(frontier)] & free & ~found
        frontier &= frontier - 1
        found |= new
        frontier |= new
    return found


cdef int final_margin(const Searcher *s, const Node *n) noexcept nogil:
    """The margin of an ended game."""
    cdef int margin = n.now
    if s.areas:
        margin += largest_area(s.rules, n.own) - largest_area(s.rules, n.other)
    if s.chains:
        margin += chain_points(s.rules, n.own) - chain_points(s.rules, n.other)
    return margin


cdef inline void add_outlooks(Node *n, const Outlook *own, const Outlook *other) noexcept nogil:
    n.base += own.settled - other.settled
    n.lower += own.now - other.most
    n.upper += own.most - other.now
    n.index += own.index + 3 * other.index
    n.signature += own.signature + 3 * other.signature


cdef void evaluate(const Searcher *s, Node *n) noexcept nogil:
    """Fill in what follows from the position alone: live fields, plies, bounds, base and hash."""
    cdef const Tables *t = s.rules
    cdef const PanelTables *panels = s.panels
    cdef const Hull *rise
    cdef const Hull *fall
    cdef Hull own_sum
    cdef Hull other_sum
    cdef Outlook own, other
    cdef uint64_t rest, here
    cdef int own_marbles, other_marbles, own_reach, other_reach
    cdef int p, d, i, free, last_panel
    cdef bint decided
    if n.supply == 0 or n.legal == 0:
        n.plies = 0
        n.lower = n.upper = final_margin(s, n)
        return
    n.live = reachable(t, n.legal, n.live)
    n.plies = min(n.supply, popcount(n.live))
    own_marbles = (n.plies + 1) >> 1
    other_marbles = n.plies >> 1
    last_panel = t.panel_of[n.last]
    memset(&own_sum, 0, sizeof(Hull))
    memset(&other_sum, 0, sizeof(Hull))
    n.base = n.now
    n.index = 0
    n.signature = 0
    rest = n.live
    while rest:
        p = t.panel_of[lowest(rest)]
        here = t.panel[p]
        free = popcount(rest & here)
        rest &= ~here
        d = n.difference[p]
        own_reach = (own_marbles + ((n.legal & here) != 0)) >> 1
        other_reach = (other_marbles + (p != last_panel)) >> 1
        if d > 0:
            decided = d > min(free, other_reach)
        elif d < 0:
            decided = -d > min(free, own_reach)
        else:
            decided = (own_reach | other_reach) == 0
        if decided:
            continue
        if d > 0:
            n.base -= t.size[p]
        elif d < 0:
            n.base += t.size[p]
        n.index ^= panels.word[p][2 * d]
        n.signature ^= panels.word[p][2 * d + 1]
        rise = hull(panels, p, own_reach, free, d)
        fall = hull(panels, p, other_reach, free, -d)
        for i in range(PRICES):
            own_sum.at[i] += rise.at[i]
        for i in range(PRICES):
            other_sum.at[i] += fall.at[i]
    n.upper = n.now + best_gain(panels, &own_sum, own_marbles)
    n.lower = n.now - best_gain(panels, &other_sum, other_marbles)
    add_word(n, 0, n.live)
    add_word(n, 1, n.legal)
    add_word(n, 2, n.plies | <uint64_t>(last_panel if t.barred[n.last] & n.live else 255) << 8)
    if s.areas:
        area_outlook(t, n.own, n.live, own_marbles, &own)
        area_outlook(t, n.other, n.live, other_marbles, &other)
        add_outlooks(n, &own, &other)
    if s.chains:
        chain_outlook(t, n.own, n.live, own_marbles, &own)
        chain_outlook(t, n.other, n.live, other_marbles, &other)
        add_outlooks(n, &own, &other)


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
    c.legal = t.cross[field] & c.live & ~t.barred[n.last]
    c.supply = n.supply - 1
    c.last = field


cdef inline int worth_of(const Node *c) noexcept nogil:
    """How good a child looks for the side that moves to it."""
    return -2 * (c.lower + c.upper) - c.now - 3 * popcount(c.legal)


cdef inline int effort_of(int64_t nodes) noexcept nogil:
    """log2 of the nodes, in quarters."""
    cdef int quarters = 0
    while nodes >= 32:
        nodes >>= 1
        quarters += 4
    return min(255, quarters + <int>(nodes >> 3))


cdef int search(Searcher *s, Node *n, int beta, int ply) noexcept nogil:
    """Is the margin of an evaluated node, the game not over, at least `beta`?

    Returns v >= beta: the margin is at least v. Returns v < beta: it is at most v.
    If control.stop is set when it returns, the answer means nothing.
    """
    cdef Node *child = s.frame[ply].child
    cdef Node *c
    cdef Node swap
    cdef Stored known
    cdef uint64_t moves
    cdef int64_t before = s.nodes
    cdef int count = 0, first = NO_MOVE, best = -32768, v, field, i, j, choice
    s.nodes += 1
    if unlikely((s.nodes & CHECKED) == 0) and 0 <= s.control.limit <= s.nodes:
        s.control.stop = 1
    if unlikely(s.control.stop):
        return 0
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
            prefetch_bucket(s.table, c.index)
        c.order = worth_of(c)
        if field == first:
            c.order += 1 << 20
        count += 1
    if best < beta and n.plies > TABLED:
        # Enhanced transposition cut-off: does the table already refute one of the children?
        i = 0
        while i < count:
            c = child + i
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
                    c[0] = child[count]
                    continue
            i += 1
    if best < beta:
        for i in range(count):
            choice = i
            for j in range(i + 1, count):
                if child[j].order > child[choice].order:
                    choice = j
            if choice != i:
                swap = child[i]
                child[i] = child[choice]
                child[choice] = swap
            c = child + i
            v = -search(s, c, 1 - beta, ply + 1)
            if unlikely(s.control.stop):
                return 0
            if v > best:
                best = v
                if v >= beta:
                    first = c.last
                    break
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


cdef class Search:
    """One position and the machinery to bound its margin.

    Args:
        bounds: the layout's tables.
        table: where bounds are kept; any number of searches may share it if they are on the same
            layout and scoring.
        areas, chains: what counts beside the panels.
    """

    def __cinit__(self, PanelBounds bounds, TranspositionTable table, bint areas, bint chains):
        self.bounds = bounds
        self.table = table
        self.searcher.rules = &bounds.geometry.tables
        self.searcher.panels = &bounds.tables
        self.searcher.table = &table.view
        self.searcher.control = &self.control
        self.searcher.areas = areas
        self.searcher.chains = chains
        self.control.limit = -1
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
        n.legal = legal_fields(t, own | other, n.last, NO_FIELD if before == -1 else before)
        for p in range(t.panels):
            n.difference[p] = popcount(own & t.panel[p]) - popcount(other & t.panel[p])
            if n.difference[p] > 0:
                n.now += t.size[p]
            elif n.difference[p] < 0:
                n.now -= t.size[p]
        evaluate(&self.searcher, n)
        return n.lower, n.upper

    def null_window(self, int beta):
        """Is the margin at least `beta`?

        Returns:
            v >= beta: the margin is at least v; v < beta: it is at most v. None if stopped.
        """
        cdef Node root = self.root
        cdef int v
        if root.plies == 0 or root.lower >= beta:
            return root.lower
        if root.upper < beta:
            return root.upper
        with nogil:
            v = search(&self.searcher, &root, beta, 0)
        return None if self.control.stop else v

    def table_move(self):
        """The field the table would try first, None if it has no opinion."""
        cdef Stored known
        if self.root.plies and probe(
            &self.table.view, self.root.index, self.root.signature, &known
        ) and known.move != NO_MOVE:
            return known.move
        return None

    def stop(self) -> None:
        """End a running search from another thread, soon."""
        self.control.stop = 1

    def resume(self, int64_t limit) -> None:
        """Forget an earlier stop; `limit` is how many nodes may be searched in all, -1: any."""
        self.control.stop = 0
        self.control.limit = limit

    @property
    def nodes(self) -> int:
        """Positions searched so far; may be read while a search runs."""
        return self.searcher.nodes
