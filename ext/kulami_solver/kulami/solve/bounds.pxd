# Bounds of a node's margin that hold without search, and the margin itself close to the end
#
#     evaluate   position  ->  live fields, plies     (`live_fields.pxd`)
#                          ->  margin, if the game is over or EXACT_PLIES are to come at most
#                          ->  lower, upper           (`panels.pxd`, `areas.pxd`, `chains.pxd`)
#                          ->  base, hash of panels   (`key.pxd`)
#
#     upper  =  now  +  most that own can still gain on panels    +  most
#     lower  =  now  -  most that other can still gain on panels  +  least
#
# docs/algorithms.md has the proofs.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport lowest, popcount
from kulami_solver.kulami.solve.areas cimport Areas, area_ceiling, area_gain
from kulami_solver.kulami.solve.chains cimport Chains, chain_ceiling, chain_gain, points_of
from kulami_solver.kulami.solve.live_fields cimport neighbours, reachable
from kulami_solver.kulami.solve.node cimport Node, Searcher
from kulami_solver.kulami.solve.panel_sums cimport difference_of, keep_live
from kulami_solver.kulami.solve.panels cimport best_gain, pays_at_once
from kulami_solver.kulami.position.rules cimport MAX_FIELDS, MINUS_INFINITY, Tables

cdef enum:
    EXACT_PLIES = 2             # so many last plies, or fewer, are not searched


cdef inline int present_margin(const Searcher *s, const Node *n) noexcept nogil:
    """The margin if the game ended now."""
    cdef int margin = n.now
    if s.areas:
        margin += n.areas[n.turn].now - n.areas[n.turn ^ 1].now
    if s.chains:
        margin += n.chains[n.turn].now - n.chains[n.turn ^ 1].now
    return margin


cdef inline int gain_of(const Searcher *s, const Node *n, int field, bint own) noexcept nogil:
    """The points that a marble on `field`, of own or of the other side, gains its side at once."""
    cdef int p = s.rules.panel_of[field]
    cdef int side = n.turn if own else n.turn ^ 1
    cdef int d = difference_of(n, p, side)
    cdef int gain = s.rules.size[p] & -<int>pays_at_once(d)
    if s.areas:
        gain += area_gain(&n.areas[side], field)
    if s.chains:
        gain += chain_gain(s.rules, &n.chains[side], n.own if own else n.other, field)
    return gain


cdef inline int margin_of_one(const Searcher *s, const Node *n) noexcept nogil:
    """The margin when one marble is still to come."""
    cdef uint64_t rest = n.legal
    cdef int best = 0
    while rest:
        best = max(best, gain_of(s, n, lowest(rest), True))
        rest &= rest - 1
    return present_margin(s, n) + best


cdef inline int margin_of_two(const Searcher *s, const Node *n) noexcept nogil:
    """The margin when one marble of each side is still to come.

    The gains of the two marbles do not depend on each other: they lie on different panels, and
    the components and lines they add to are of different colours.
    """
    cdef const Tables *t = s.rules
    cdef int gain[MAX_FIELDS]
    cdef uint64_t rest = n.second
    cdef uint64_t replies
    cdef int best = MINUS_INFINITY, answer, here, field
    while rest:
        field = lowest(rest)
        rest &= rest - 1
        gain[field] = gain_of(s, n, field, False)
    rest = n.legal
    while rest:
        field = lowest(rest)
        rest &= rest - 1
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
    n.base += own.closed - other.closed


cdef inline void end_game(const Searcher *s, Node *n) noexcept nogil:
    """`evaluate` a node in which the game is over."""
    cdef int i
    n.plies = 0
    if s.chains:
        for i in range(2):
            n.chains[i].now = n.chains[i].closed + points_of(
                s.rules, &n.chains[i], n.own if i == n.turn else n.other
            )
    n.lower = n.upper = present_margin(s, n)


cdef inline void evaluate(const Searcher *s, Node *n) noexcept nogil:
    """Compute live fields, plies, bounds, base and hash of panels from the position."""
    cdef const Tables *t = s.rules
    cdef uint64_t live
    cdef int own_marbles, other_marbles, turn = n.turn
    if n.supply == 0 or n.legal == 0:
        end_game(s, n)
        return
    n.second = neighbours(t, n.legal) & n.live & ~t.barred[n.last]
    if n.second:
        live = reachable(t, n.legal, n.second, n.live, n.supply)
        n.plies = min(n.supply, popcount(live))
    else:
        live = n.legal
        n.plies = 1
    if n.plies <= EXACT_PLIES and not s.chains:
        n.lower = n.upper = margin_of_rest(s, n)
        return
    if live != n.live:
        keep_live(s, n, live)
    own_marbles = (n.plies + 1) >> 1
    other_marbles = n.plies >> 1
    n.base = -n.panels.decided if turn else n.panels.decided
    n.index = n.panels.index[turn]
    n.signature = n.panels.signature[turn]
    n.most = n.least = 0
    if s.areas:
        bound_areas(n, own_marbles, other_marbles)
    if s.chains:
        bound_chains(s, n, own_marbles, other_marbles)
        if n.plies <= EXACT_PLIES:
            n.lower = n.upper = margin_of_rest(s, n)
            return
    # If no field open to a side's first marble can gain, the knapsack has one marble less.
    n.upper = n.now + n.most + best_gain(
        s.panels, &n.panels.sums[turn],
        own_marbles - <int>((n.legal & n.panels.useful[turn]) == 0),
    )
    n.lower = n.now + n.least - best_gain(
        s.panels, &n.panels.sums[turn ^ 1],
        other_marbles - <int>((n.second & n.panels.useful[turn ^ 1]) == 0),
    )
