# Moves of a node: bounding them, making them, and the list of those that are kept
#
#     bound_move         last, legal, lower and upper of the child      cheap: sums of the parent
#     make_move          the child's position                            dearer
#     make_and_evaluate  ... and all results of `evaluate`               dear
#
# A list keeps the moves whose value is still open. The others are dropped, and their bounds count
# towards the answer.

from libc.stdint cimport uint8_t, uint64_t

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.kulami.solve.areas cimport copy_areas, place_in_areas
from kulami_solver.kulami.solve.bounds cimport evaluate, gain_of, present_margin
from kulami_solver.kulami.solve.node cimport KEY_PLIES, MoveList, Node, Searcher
from kulami_solver.kulami.solve.panel_sums cimport add_panel, difference_of, remove_panel
from kulami_solver.kulami.solve.panels cimport Hull, best_gain, hull_add, hull_sub, pays_at_once
from kulami_solver.kulami.position.rules cimport MINUS_INFINITY, WINDOW_WORDS, Tables


cdef inline void make_move(const Searcher *s, const Node *n, int field, Node *c) noexcept nogil:
    """Make the child after a move, in the view of the other side, not yet evaluated."""
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[field]
    cdef bint changes = (n.panels.useful[0] | n.panels.useful[1]) >> field & 1
    cdef bint keyed = n.plies > KEY_PLIES
    cdef int i
    c.now = -n.now
    if pays_at_once(difference_of(n, p, n.turn)):
        c.now -= t.size[p]
    c.own = n.other
    c.other = n.own | bit(field)
    c.live = n.live
    c.panels = n.panels
    if changes:
        remove_panel(s, c, p, keyed)
    c.live &= ~bit(field)
    c.panels.difference[p] += -1 if n.turn else 1
    if changes:
        add_panel(s, c, p, keyed)
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


cdef inline void bound_move(const Searcher *s, const Node *n, int field, Node *c) noexcept nogil:
    """Bound a move by the sums of the node in which it is made.

    Fills in only the child's last, legal, lower and upper. The sums differ from the node's only in
    the panel of the field. The child's own live fields and plies may be fewer, which can only bring
    its bounds closer together.
    """
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[field]
    cdef int d = difference_of(n, p, n.turn)
    cdef int own_marbles = (n.plies - 1) >> 1
    cdef int other_marbles = n.plies >> 1
    cdef int now = n.now + (t.size[p] & -<int>pays_at_once(d))
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


cdef inline void make_and_evaluate(
    const Searcher *s, const Node *n, int field, Node *c
) noexcept nogil:
    """Make a move, and evaluate the child without search."""
    make_move(s, n, field, c)
    evaluate(s, c)
    c.evaluated = True


cdef inline void keep_move(MoveList *moves) noexcept nogil:
    """Keep the child behind the last one that is kept."""
    moves.rank[moves.count] = moves.count
    moves.count += 1


cdef inline void drop_move(MoveList *moves, int i) noexcept nogil:
    """Drop the child ranked i; the last one takes its rank."""
    moves.count -= 1
    moves.rank[i] = moves.rank[moves.count]


cdef inline Node *next_best(MoveList *moves, int i) noexcept nogil:
    """The child with the largest order of those ranked i, i + 1, ...; it gets rank i."""
    cdef uint8_t *rank = moves.rank
    cdef uint8_t swap
    cdef int choice = i
    cdef int j
    for j in range(i + 1, moves.count):
        if moves.child[rank[j]].order > moves.child[rank[choice]].order:
            choice = j
    swap = rank[i]
    rank[i] = rank[choice]
    rank[choice] = swap
    return &moves.child[rank[i]]


cdef inline uint64_t kept_moves(const MoveList *moves) noexcept nogil:
    """The fields of the children that are kept."""
    cdef uint64_t fields = 0
    cdef int i
    for i in range(moves.count):
        fields |= bit(moves.child[moves.rank[i]].last)
    return fields


cdef inline int bound_moves(
    const Searcher *s, const Node *n, int beta, MoveList *moves
) noexcept nogil:
    """Bound every move by the node's sums, and keep the open ones.

    Returns v >= beta: a move makes the margin at least v. Returns v < beta: every dropped move
    makes it at most v.
    """
    cdef Node *c
    cdef uint64_t rest = n.legal
    cdef int best = MINUS_INFINITY
    moves.count = 0
    while rest:
        c = &moves.child[moves.count]
        bound_move(s, n, lowest(rest), c)
        rest &= rest - 1
        if -c.upper >= beta:
            return -c.upper
        if -c.lower < beta:
            best = max(best, -c.lower)
        else:
            keep_move(moves)
    return best
