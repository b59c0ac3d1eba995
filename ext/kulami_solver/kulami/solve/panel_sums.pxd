# The sums over the panels of a node, kept up move by move
#
# A move, or a field that drops out of reach, changes the difference or the live fields of a few
# panels. Each of these panels is taken out of all the sums (`Panels` in `node.pxd`: hulls, points
# to expect, hash, sets of panels), and is added again in its new state:
#
#     sums[side]  =  hull of panel 0  +  hull of panel 1  +  ...        likewise the others
#
# Neither step branches on the state of the panel: the processor could not predict such a branch.

from libc.stdint cimport uint64_t

from kulami_solver.core.bits cimport lowest, popcount
from kulami_solver.kulami.solve.key cimport hash_panel
from kulami_solver.kulami.solve.node cimport KEY_PLIES, Node, Panels, Searcher
from kulami_solver.kulami.solve.panels cimport (
    FREE, Hull, Standing, hull_add, hull_sub, pays_at_once,
)


cdef inline int difference_of(const Node *n, int p, int side) noexcept nogil:
    """Marbles of a side on a panel, minus the other side's."""
    return -n.panels.difference[p] if side else n.panels.difference[p]


cdef inline void remove_panel(const Searcher *s, Node *n, int p, bint keyed) noexcept nogil:
    """Take a panel, in its state by the node's live fields and difference, out of the sums."""
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
        panels.decided -= standing[d].points & ~undecided
        hash_panel(panels, standing, d, undecided)


cdef inline void add_panel(const Searcher *s, Node *n, int p, bint keyed) noexcept nogil:
    """Add a panel to the sums, after its live fields or difference have changed."""
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
    panels.hot[0] = panels.hot[0] & ~panel | panel & useful_0 & -<uint64_t>pays_at_once(d)
    panels.hot[1] = panels.hot[1] & ~panel | panel & useful_1 & -<uint64_t>pays_at_once(-d)
    if keyed:
        panels.decided += standing[d].points & ~undecided
        hash_panel(panels, standing, d, undecided)


cdef inline void keep_live(const Searcher *s, Node *n, uint64_t live) noexcept nogil:
    """Restrict the node's live fields to these."""
    cdef uint64_t lost = n.live & ~live
    cdef uint64_t rest = lost
    cdef bint keyed = n.plies >= KEY_PLIES
    while rest:
        remove_panel(s, n, s.rules.panel_of[lowest(rest)], keyed)
        rest &= ~s.rules.barred[lowest(rest)]
    n.live = live
    while lost:
        add_panel(s, n, s.rules.panel_of[lowest(lost)], keyed)
        lost &= ~s.rules.barred[lowest(lost)]
