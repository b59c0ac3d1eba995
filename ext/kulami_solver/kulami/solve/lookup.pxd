# Knowledge about a node before its search: bounds in the table, and the margin from an oracle
#
#     prepare_probe   completes the node's key, and prefetches its line of the table
#     probe_node      reads the bounds that an earlier search has proved and stored
#     ask_oracle      gets the margin, from a database for instance, and stores it in the table
#     store_bounds    stores the bounds that a search has proved
#
# The table holds margins less the node's `base`: nodes with one key agree in these.
#
# Lines that are alike are rows, or columns, that the panels cannot tell apart (`rules.pxd`). Where
# only panels count, the future of a position does not change if such lines are exchanged with all
# that is on them. So nodes that differ in this alone share the key of the one with its lines
# sorted; docs/algorithms.md has the proof. A node stores its field only if its own lines needed no
# exchange. The root's lines are never exchanged.

from libc.stdint cimport int64_t, uint64_t

from kulami_solver.core.bits cimport count, relaxed_store_32, unlikely
from kulami_solver.core.table cimport NO_MOVE, Stored, prefetch_bucket, probe, store
from kulami_solver.kulami.solve.key cimport complete_key
from kulami_solver.kulami.solve.node cimport Node, Searcher, is_tabled
from kulami_solver.kulami.position.rules cimport Exchange, Tables
from kulami_solver.kulami.solve.oracle cimport FAILED, KNOWN, Oracle


cdef inline void exchange_lines(const Exchange *e, uint64_t *fields) noexcept nogil:
    cdef uint64_t differing = (fields[0] ^ fields[0] >> e.distance) & e.fields
    fields[0] ^= differing | differing << e.distance


cdef inline bint sort_lines(const Tables *t, uint64_t *live, uint64_t *legal) noexcept nogil:
    """Sort lines that are alike, those with the highest live fields first; did any change?"""
    cdef const Exchange *e
    cdef uint64_t here, there
    cdef bint changed = False
    cdef int i
    for i in range(t.exchanges):
        e = &t.exchange[i]
        here = live[0] & e.fields
        there = live[0] >> e.distance & e.fields
        if here == there:
            here = legal[0] & e.fields
            there = legal[0] >> e.distance & e.fields
        if here < there:
            exchange_lines(e, live)
            exchange_lines(e, legal)
            changed = True
    return changed


cdef inline void prepare_probe(const Searcher *s, Node *n) noexcept nogil:
    """Complete the key of an evaluated node, if it has a place in the table."""
    cdef uint64_t live = n.live
    cdef uint64_t legal = n.legal
    if is_tabled(s, n):
        n.exchanged = s.panel_endings != NULL and sort_lines(s.rules, &live, &legal)
        complete_key(s, n, live, legal)
        prefetch_bucket(s.table, n.index)


cdef inline bint probe_node(const Searcher *s, const Node *n, Stored *known) noexcept nogil:
    """Whether the table knows a node; if so, `known` is what it has."""
    return is_tabled(s, n) and probe(s.table, n.index, n.signature, known)


cdef inline bint ask_oracle(Searcher *s, const Node *n, Stored *known) noexcept nogil:
    """Ask the oracle for a node's margin, and store it in the table if the node has a place there.

    Ask the table first: its bounds come from search, and the oracle may not know the node.
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


cdef inline void join_bounds(Node *n, const Stored *known) noexcept nogil:
    """Tighten a node's bounds by those that are known."""
    n.lower = max(<int>n.lower, n.base + known.lower)
    n.upper = min(<int>n.upper, n.base + known.upper)


cdef inline int effort_of(int64_t nodes) noexcept nogil:
    """log2 of the nodes, in quarters."""
    cdef int quarters = 0
    while nodes >= 32:
        nodes >>= 1
        quarters += 4
    return min(255, quarters + <int>(nodes >> 2))


cdef inline void store_bounds(
    const Searcher *s, const Node *n, int move, int64_t nodes
) noexcept nogil:
    """Store a node's bounds, the field that led to them, and the effort in nodes."""
    if is_tabled(s, n):
        store(
            s.table, n.index, n.signature, n.lower - n.base, n.upper - n.base,
            NO_MOVE if n.exchanged else move, effort_of(nodes),
        )
