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

from kulami_solver.core.bits cimport popcount
from kulami_solver.kulami.solve.node cimport Node, Searcher
from kulami_solver.kulami.solve.panel_sums cimport difference_of
from kulami_solver.kulami.position.rules cimport Tables
from kulami_solver.kulami.solve.weights cimport PHASE_PLIES, REPLIES, TERMS, PanelWeight, Phase


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
