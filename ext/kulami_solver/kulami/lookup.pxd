# What is known of a node already: bounds in the table, and the margin from an oracle
#
#     prepare_probe   completes the node's key, and asks for its line of the table
#     probe_node      bounds that a search has proved and stored
#     ask_oracle      the margin, from a database for instance; goes into the table
#     store_bounds    what a search has proved, for the next one
#
# The table holds margins less the node's `base`, since that is what nodes with one key agree in.

from libc.stdint cimport int64_t

from kulami_solver.core.bits cimport count, relaxed_store_32, unlikely
from kulami_solver.core.table cimport NO_MOVE, Stored, prefetch_bucket, probe, store
from kulami_solver.kulami.key cimport complete_key
from kulami_solver.kulami.node cimport Node, Searcher, is_tabled
from kulami_solver.kulami.oracle cimport FAILED, KNOWN, Oracle
from kulami_solver.kulami.switches cimport EFFORT, PREFETCH


cdef inline void prepare_probe(const Searcher *s, Node *n) noexcept nogil:
    """Complete the key of an evaluated node, if it has a place in the table."""
    if is_tabled(s, n):
        complete_key(s, n)
        if PREFETCH:
            prefetch_bucket(s.table, n.index)


cdef inline bint probe_node(const Searcher *s, const Node *n, Stored *known) noexcept nogil:
    """Whether the table knows a node; if so, `known` is what it has."""
    return is_tabled(s, n) and probe(s.table, n.index, n.signature, known)


cdef inline bint ask_oracle(Searcher *s, const Node *n, Stored *known) noexcept nogil:
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


cdef inline void join_bounds(Node *n, const Stored *known) noexcept nogil:
    """Let a node's bounds be as close together as what is known of it allows."""
    n.lower = max(<int>n.lower, n.base + known.lower)
    n.upper = min(<int>n.upper, n.base + known.upper)


cdef inline int effort_of(int64_t nodes) noexcept nogil:
    """log2 of the nodes, in quarters."""
    cdef int quarters = 0
    while nodes >= 32:
        nodes >>= 1
        quarters += 4
    return min(255, quarters + <int>(nodes >> 3))


cdef inline void store_bounds(
    const Searcher *s, const Node *n, int move, int64_t nodes
) noexcept nogil:
    """Keep a node's bounds, the field that led to them, and how many nodes that took."""
    if is_tabled(s, n):
        store(
            s.table, n.index, n.signature, n.lower - n.base, n.upper - n.base, move,
            effort_of(nodes) if EFFORT else 0,
        )
