# What a position seems to be worth: nothing here is a bound, and nothing is proved
#
#     learned_value       a node's value by a sum of learned weights
#     order_moves         the order of the search: a rule of thumb, and in long games a look ahead
#     Glance, Viewing     a position in a tree of millions, and its value by fewer features

from libc.stdint cimport int16_t, int8_t, uint64_t
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.core.watch cimport is_told
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, Geometry, Tables, legal_fields, panel_points,
)
from kulami_solver.kulami.solve.bounds cimport (
    PHASE_PLIES, REPLIES, SIXTY_FOURTH, TENTH, TERMS, Evaluation, LearnedEvaluation, PanelWeight,
    Phase, Windows, chains_of, completing_fields, fill_windows, neighbours, window_words,
)
from kulami_solver.kulami.solve.node cimport (
    MoveList, Node, Searcher, difference_of, evaluate, gain_of, keep_move, make_move, next_best,
    present_margin,
)

# -------------------------------------------------------------------------------------------------
# A learned evaluation: an estimate of a position's value in points, without search
#
# It is a sum of weights, chosen by features of the position:
#
#     each panel      standing    its size, live fields and difference
#                     now         the same, if the side to move can play there now
#                     later       the same, if the other side may be able to play there next
#     the position    the number of legal fields (`replies`), the number of fields that may be legal
#                     for the other side next, the side with the last ply (`parity`), and, where
#                     areas and chains count, their present points and their bounds
#
# The weights were fitted to positions whose margins are known, separately for every PHASE_PLIES
# plies to come (scripts/data/train_evaluation.py). They are integers in 64ths of a point. A
# panel's weights depend on its size and not on its place, so that they serve any layout.
#
# None of this is a bound.

cdef inline void terms_of(const Searcher *s, const Node *n, int *terms) noexcept nogil:
    """Describe areas and chains by numbers, for the side to move."""
    cdef int own = n.turn
    cdef int other = n.turn ^ 1
    terms[0] = n.areas[own].now - n.areas[other].now if s.areas else 0
    terms[1] = n.chains[own].now - n.chains[other].now if s.chains else 0
    terms[2] = n.most + n.least
    terms[3] = n.most - n.least
    terms[4] = popcount(n.chains[own].hot) if s.chains else 0
    terms[5] = popcount(n.chains[other].hot) if s.chains else 0
    terms[6] = (n.chains[own].hot & n.legal) != 0 if s.chains else 0
    terms[7] = (n.chains[other].hot & n.second) != 0 if s.chains else 0


cdef inline int learned_value(const Searcher *s, const Node *n) noexcept nogil:
    """The estimated value of an evaluated node whose game is not over, in 64ths of a point."""
    cdef const Tables *t = s.rules
    cdef const Phase *phase = &s.evaluation.phase[n.plies // PHASE_PLIES]
    cdef const PanelWeight *weight
    cdef int terms[TERMS]
    cdef int value = (
        phase.parity[n.plies & 1] + phase.replies[min(popcount(n.legal), REPLIES - 1)]
        + phase.second * popcount(n.second)
    )
    cdef int p, i, d
    for p in range(t.panels):
        d = difference_of(n, p, n.turn)
        weight = phase.panels + (
            s.evaluation.start[p] + popcount(n.live & t.panel[p]) * s.panels.free_step[p] + d
        )
        value += weight.standing
        value += weight.now & -<int>((n.legal & t.panel[p]) != 0)
        value += weight.later & -<int>((n.second & t.panel[p]) != 0)
    if s.areas or s.chains:
        terms_of(s, n, terms)
        for i in range(TERMS):
            value += phase.terms[i] * terms[i]
    return value


# -------------------------------------------------------------------------------------------------
# The order in which moves are searched: best first, as far as can be told without search
#
# Moves are judged by a rule of thumb: the child's bounds, its present margin, the points to expect
# of its panels, and the number of replies. In long games a look ahead, a fixed-depth alpha-beta
# over the learned evaluation, is added to it.
#
# The learned evaluation is the better judge of a move's value. The rule of thumb also judges its
# cost: of two moves that are good enough, the one with fewer replies is cheaper to prove.
#
# None of this is a bound: it decides the order of the search, not its result.

cdef enum:
    FAR_OFF = 1 << 20               # beyond any evaluation
    # With at least this many plies to come (EARLY_PLIES of the search or more), moves are ordered
    # by a look one ply ahead, and with LOOK_DEEPER_PLIES or more, three.
    LOOK_AHEAD_PLIES = 18
    LOOK_DEEPER_PLIES = 24
    # Weights of the rule of thumb: where only panels count, where areas or chains do, in both cases
    WEIGHT_BOUNDS = 3
    WEIGHT_PRESENT = 3
    WEIGHT_REPLIES = 8
    WEIGHT_BOUNDS_MIXED = 2
    WEIGHT_PRESENT_MIXED = 4
    WEIGHT_REPLIES_MIXED = 12
    WEIGHT_HOTTEST = 4
    WEIGHT_EXPECTED = 8
    WEIGHT_RULE_OF_THUMB = 4        # ... and of all of it, beside a look ahead


cdef inline int largest_panel(const Tables *t, uint64_t fields) noexcept nogil:
    """Size of the largest panel that has one of the fields, 0 if there are none."""
    cdef int largest = 0
    while fields:
        largest = max(largest, <int>t.size[t.panel_of[lowest(fields)]])
        fields &= ~t.barred[lowest(fields)]
    return largest


cdef inline int heuristic_value(
    const Searcher *s, int bounds, int present, int expected, int replies, int hottest
) noexcept nogil:
    """The promise of a position for the side to move, by a rule of thumb, 14 to the point.

    Args:
        bounds: sum of the lower and the upper bound of its margin.
        present: the margin if the game ended now.
        expected: points to expect of the panels, in tenths.
        replies: the number of legal fields.
        hottest: the most panel points that a legal marble gains at once.

    The weights are those that gave the fewest nodes. The bounds of areas and chains are wide and
    say less than those of the panels.
    """
    cdef int common = WEIGHT_HOTTEST * hottest + WEIGHT_EXPECTED * expected // TENTH
    if s.areas or s.chains:
        return (
            WEIGHT_BOUNDS_MIXED * bounds + WEIGHT_PRESENT_MIXED * present
            + WEIGHT_REPLIES_MIXED * replies + common
        )
    return WEIGHT_BOUNDS * bounds + WEIGHT_PRESENT * present + WEIGHT_REPLIES * replies + common


cdef inline int heuristic_of(const Searcher *s, const Node *n) noexcept nogil:
    """`heuristic_value` of an evaluated node."""
    return heuristic_value(
        s, n.lower + n.upper, present_margin(s, n),
        -n.panels.expected if n.turn else n.panels.expected, popcount(n.legal),
        largest_panel(s.rules, n.legal & n.panels.hot[n.turn]),
    )


cdef inline int heuristic_of_bounded(
    const Searcher *s, const Node *n, const Node *c
) noexcept nogil:
    """`heuristic_value` of a child of `n` that has been through `bound_move`."""
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[c.last]
    cdef int d = n.panels.difference[p]
    cdef const int16_t *expected = (
        s.panels.expected[p] + popcount(n.live & t.panel[p]) * s.panels.free_step[p]
    )
    cdef int change = expected[(d - 1 if n.turn else d + 1) - s.panels.free_step[p]] - expected[d]
    cdef int after = n.panels.expected + change
    return heuristic_value(
        s, c.lower + c.upper, -(present_margin(s, n) + gain_of(s, n, c.last, True)),
        after if n.turn else -after, popcount(c.legal),
        largest_panel(t, c.legal & n.panels.hot[n.turn ^ 1]),
    )


cdef inline int look_ahead(
    Searcher *s, Node *n, int depth, int alpha, int beta, int ply
) noexcept nogil:
    """Estimate an evaluated node by a search of `depth` plies with `learned_value` at its leaves.

    Returns the estimate if it lies between alpha and beta; otherwise a bound on the same side of
    both. If the search is stopped, the answer is arbitrary.
    """
    cdef MoveList *moves = &s.moves[ply]
    cdef Node *c
    cdef uint64_t rest = n.legal
    cdef int best = -FAR_OFF, i
    if n.lower == n.upper:
        return SIXTY_FOURTH * n.lower
    if depth == 0:
        return learned_value(s, n)
    moves.count = 0
    while rest:
        c = &moves.child[moves.count]
        make_move(s, n, lowest(rest), c)
        evaluate(s, c)
        rest &= rest - 1
        if depth == 1 or c.lower == c.upper:
            best = max(best, -look_ahead(s, c, 0, 0, 0, ply + 1))
            if best >= beta:
                return best
        else:
            c.order = -learned_value(s, c)
            keep_move(moves)
    for i in range(moves.count):
        if is_told(&s.control.stop, &s.watch):
            break
        c = next_best(moves, i)
        best = max(best, -look_ahead(s, c, depth - 1, -beta, -max(alpha, best), ply + 1))
        if best >= beta:
            break
    return best


cdef inline void order_moves(Searcher *s, const Node *n, int ply) noexcept nogil:
    """Give each kept move its order."""
    cdef MoveList *moves = &s.moves[ply]
    cdef Node *c
    cdef int depth = (n.plies >= LOOK_AHEAD_PLIES) + 2 * (n.plies >= LOOK_DEEPER_PLIES)
    cdef int i
    if moves.count == 1:
        return
    for i in range(moves.count):
        c = &moves.child[moves.rank[i]]
        c.order = -heuristic_of(s, c) if c.evaluated else -heuristic_of_bounded(s, n, c)
        if depth:
            c.order *= WEIGHT_RULE_OF_THUMB
            c.order -= look_ahead(s, c, depth, -FAR_OFF, FAR_OFF, ply + 1)


# -------------------------------------------------------------------------------------------------
# A position in a tree with millions of positions, and a quick estimate of its value
#
#     marbles[side]           one bit a field; side 0 is to move at the root of the tree
#     panels      at          index of a panel's weights when the lead is 0 (`bounds.pxd`)
#                 lead        marbles of side 0 there, less those of side 1
#     areas       inside      each side's largest area, `largest` fields
#                 around      the fields beside it
#                 linked      marbles in it, and in areas that one free field joins to it
#                 beside      the fields beside a marble of the side, `twice` beside two or more
#                 joins       pairs of its marbles that share a side
#
# The marbles in windows, for chains, are kept beside it (`bounds.pxd`). The parts for areas and
# chains are kept up only where these count. Nothing here is a bound, and nothing is proved. The
# value is a sum of weights, like `learned_value` for the search. That one uses all that a node
# knows; this one uses what can be kept up in some ten nanoseconds a move. The
# weights were fitted to the ends of games (scripts/data/train_glance.py).

cdef enum:
    AREA_TERMS = 11         # numbers that describe areas ...
    CHAIN_TERMS = 9
    GLANCE_TERMS = 20       # ... and both

cdef struct Glance:
    uint64_t marbles[2]
    uint64_t legal          # of the side to move; 0 if the game is over
    int turn                # the side to move
    int last
    int before
    int supply              # marbles that both sides have left
    int largest[2]
    int joins[2]
    int linked[2]
    uint64_t inside[2]
    uint64_t around[2]
    uint64_t beside[2]
    uint64_t twice[2]
    int16_t at[MAX_FIELDS]
    int8_t lead[MAX_FIELDS]

cdef struct Viewer:         # what all positions on a layout have in common
    const Tables *rules
    const Evaluation *evaluation
    bint areas
    bint chains


cdef class Viewing:
    cdef Viewer viewer
    cdef Geometry geometry              # these two keep what `viewer` points to alive
    cdef LearnedEvaluation evaluation
    cdef int begin(
        self, Glance *g, Windows *windows, uint64_t own, uint64_t other, int last, int before,
        int supply
    ) except -1


cdef inline uint64_t free_of(const Viewer *v, const Glance *g) noexcept nogil:
    return v.rules.every & ~(g.marbles[0] | g.marbles[1])


cdef inline void note_legal(const Viewer *v, Glance *g) noexcept nogil:
    g.legal = 0
    if g.supply > 0:
        g.legal = legal_fields(v.rules, g.marbles[0] | g.marbles[1], g.last, g.before)


cdef inline int linked_marbles(const Viewer *v, const Glance *g, int side) noexcept nogil:
    """Count the marbles in the largest area, and in those that one free field joins to it."""
    cdef uint64_t rest = g.around[side] & free_of(v, g)
    cdef uint64_t others = g.marbles[side] & ~g.inside[side]
    cdef uint64_t found = 0
    cdef uint64_t frontier, new
    while rest:
        found |= v.rules.beside[lowest(rest)]
        rest &= rest - 1
    found &= others
    frontier = found
    while frontier:
        new = v.rules.beside[lowest(frontier)] & others & ~found
        found |= new
        frontier = (frontier & (frontier - 1)) | new
    return g.largest[side] + popcount(found)


cdef inline void extend_areas(const Viewer *v, Glance *g, int side, int field) noexcept nogil:
    """Update the areas after a marble of a side, which is already among its marbles."""
    cdef const Tables *t = v.rules
    cdef uint64_t area = bit(field)
    cdef uint64_t frontier = area
    cdef uint64_t around = 0
    cdef uint64_t new
    g.joins[side] += popcount(t.beside[field] & g.marbles[side])
    g.twice[side] |= g.beside[side] & t.beside[field]
    g.beside[side] |= t.beside[field]
    # Only the area of the new marble can have become the largest.
    while frontier:
        new = t.beside[lowest(frontier)]
        around |= new
        new &= g.marbles[side] & ~area
        area |= new
        frontier = (frontier & (frontier - 1)) | new
    if popcount(area) > g.largest[side]:
        g.largest[side] = popcount(area)
        g.inside[side] = area
        g.around[side] = around & ~area
    g.linked[side] = linked_marbles(v, g, side)
    if g.around[side ^ 1] & bit(field):
        g.linked[side ^ 1] = linked_marbles(v, g, side ^ 1)


cdef inline void place_marble(
    const Viewer *v, Glance *g, Windows *windows, int field
) noexcept nogil:
    """Play a field. `windows` has an entry for each side; it matters only if chains count."""
    cdef int side = g.turn
    cdef int p = v.rules.panel_of[field]
    g.at[p] -= 2 * v.rules.size[p] + 1
    g.lead[p] += 1 - 2 * side
    g.marbles[side] |= bit(field)
    if v.areas:
        extend_areas(v, g, side, field)
    if v.chains:
        fill_windows(v.rules, &windows[side], &windows[side], field)
    g.before = g.last
    g.last = field
    g.supply -= 1
    g.turn = side ^ 1
    note_legal(v, g)


cdef inline void begin_glance(
    const Viewer *v, Glance *g, Windows *windows, uint64_t own, uint64_t other, int last,
    int before, int supply
) noexcept nogil:
    """Set up a position; the side to move becomes side 0."""
    cdef uint64_t rest
    cdef int p, side, size
    memset(g, 0, sizeof(Glance))
    memset(windows, 0, 2 * sizeof(Windows))
    for p in range(v.rules.panels):
        size = v.rules.size[p]
        g.at[p] = v.evaluation.start[p] + size * (2 * size + 1)
    for side in range(2):
        rest = other if side else own
        while rest:
            g.turn = side
            place_marble(v, g, windows, lowest(rest))
            rest &= rest - 1
    g.turn = 0
    g.last = last
    g.before = before
    g.supply = supply
    note_legal(v, g)


cdef inline int glance_margin(
    const Viewer *v, const Glance *g, const Windows *windows
) noexcept nogil:
    """The margin of the side to move if the game ended now."""
    cdef int own = g.turn
    cdef int other = g.turn ^ 1
    cdef int margin = (
        panel_points(v.rules, g.marbles[own], g.marbles[other])
        - panel_points(v.rules, g.marbles[other], g.marbles[own])
    )
    if v.areas:
        margin += g.largest[own] - g.largest[other]
    if v.chains:
        margin += chains_of(v.rules, &windows[own]) - chains_of(v.rules, &windows[other])
    return margin


cdef inline void count_windows(
    const Viewer *v, const Windows *own, const Windows *other, int *counts
) noexcept nogil:
    """Count the windows with one, two and three marbles of own and none of the other side."""
    cdef uint64_t few
    cdef int k
    counts[0] = counts[1] = counts[2] = 0
    for k in range(window_words(v.rules)):
        few = ~(other.has[0][k] | other.has[1][k] | other.has[2][k] | own.has[2][k])
        counts[0] += popcount(few & own.has[0][k] & ~own.has[1][k])
        counts[1] += popcount(few & ~own.has[0][k] & own.has[1][k])
        counts[2] += popcount(few & own.has[0][k] & own.has[1][k])


cdef inline void describe_areas(
    const Viewer *v, const Glance *g, uint64_t second, int *terms
) noexcept nogil:
    """Describe the areas for the side to move; the other side may be able to play `second` next."""
    cdef int own = g.turn
    cdef int other = g.turn ^ 1
    cdef uint64_t free = free_of(v, g)
    terms[0] = g.largest[own] - g.largest[other]
    terms[1] = popcount(g.around[own] & free)
    terms[2] = popcount(g.around[other] & free)
    terms[3] = (g.around[own] & g.legal) != 0
    terms[4] = (g.around[other] & second) != 0
    terms[5] = g.joins[own] - g.joins[other]
    terms[6] = popcount(g.beside[own] & free) - popcount(g.beside[other] & free)
    terms[7] = g.linked[own]
    terms[8] = g.linked[other]
    terms[9] = popcount(g.twice[own] & free)
    terms[10] = popcount(g.twice[other] & free)


cdef inline void describe_chains(
    const Viewer *v, const Glance *g, const Windows *own, const Windows *other, uint64_t second,
    int *terms
) noexcept nogil:
    """Describe the chains for the side to move, with `second` as in `describe_areas`."""
    cdef uint64_t free = free_of(v, g)
    cdef uint64_t mine = completing_fields(v.rules, own, NULL) & free
    cdef uint64_t theirs = completing_fields(v.rules, other, NULL) & free
    cdef int here[3]
    cdef int there[3]
    count_windows(v, own, other, here)
    count_windows(v, other, own, there)
    terms[0] = chains_of(v.rules, own) - chains_of(v.rules, other)
    terms[1] = here[0] - there[0]
    terms[2] = here[1] - there[1]
    terms[3] = here[2]
    terms[4] = there[2]
    terms[5] = popcount(mine)
    terms[6] = popcount(theirs)
    terms[7] = (mine & g.legal) != 0
    terms[8] = (theirs & second) != 0


cdef inline uint64_t second_of(const Viewer *v, const Glance *g) noexcept nogil:
    """The free fields that the other side may be able to play after the next marble."""
    return neighbours(v.rules, g.legal) & free_of(v, g) & ~v.rules.barred[g.last]


cdef inline int plies_of(const Viewer *v, const Glance *g) noexcept nogil:
    """An upper bound of the plies to come: the marbles left, or the free fields if fewer."""
    return min(g.supply, popcount(free_of(v, g)))


cdef inline int glance_value(
    const Viewer *v, const Glance *g, const Windows *windows
) noexcept nogil:
    """The estimated value of a position whose game is not over, in 64ths of a point."""
    cdef const Tables *t = v.rules
    cdef int plies = plies_of(v, g)
    cdef const Phase *phase = &v.evaluation.phase[plies // PHASE_PLIES]
    cdef const PanelWeight *weight
    cdef uint64_t second = second_of(v, g)
    cdef int sign = 1 - 2 * g.turn
    cdef int terms[AREA_TERMS]          # room for the longer of both lists
    cdef int value = (
        phase.parity[plies & 1] + phase.replies[min(popcount(g.legal), REPLIES - 1)]
        + phase.second * popcount(second)
    )
    cdef int p, i
    for p in range(t.panels):
        weight = phase.panels + (g.at[p] + sign * g.lead[p])
        value += weight.standing
        value += weight.now & -<int>((g.legal & t.panel[p]) != 0)
        value += weight.later & -<int>((second & t.panel[p]) != 0)
    if v.areas:
        describe_areas(v, g, second, terms)
        for i in range(AREA_TERMS):
            value += phase.terms[i] * terms[i]
    if v.chains:
        describe_chains(v, g, &windows[g.turn], &windows[g.turn ^ 1], second, terms)
        for i in range(CHAIN_TERMS):
            value += phase.terms[AREA_TERMS + i] * terms[i]
    return value
