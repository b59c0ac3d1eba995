# A learned evaluation: about how many points a position is worth, without search
#
# It is a sum of weights. Which of them are added depends on what the position has:
#
#     each panel      standing    its size, live fields and difference
#                     now         the same, if the side to move can play there now
#                     later       the same, if the other side may be able to play there then
#     the position    how many fields are legal (`replies`), how many may be for the other side,
#                     whose the last ply is (`parity`), and, where areas and chains count, what
#                     they are and what they may still become
#
# The weights were fitted to positions whose margins are known, for every PHASE_PLIES plies to come
# afresh (scripts/data/train_evaluation.py). They are integers in 64ths of a point. Weights of a
# panel depend on its size and not on where it lies, so that they serve any layout.
#
# Nothing of this is a bound.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport popcount
from kulami_solver.kulami.node cimport Node, Searcher
from kulami_solver.kulami.panel_sums cimport difference_of
from kulami_solver.kulami.rules cimport Tables
from kulami_solver.kulami.weights cimport (
    PHASE_PLIES, REPLIES, TERMS, Evaluation, PanelWeight, Phase,
)


cdef inline void terms_of(const Searcher *s, const Node *n, int *terms) noexcept nogil:
    """What areas and chains are to a position, for the side to move."""
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
    """About what an evaluated node whose game is not over is worth, in 64ths of a point."""
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
