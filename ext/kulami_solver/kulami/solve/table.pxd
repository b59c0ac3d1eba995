# What is known of a node before its search
#
#     complete_key        what a position's future depends on, in two words
#     Oracle              a source of margins besides the table, such as a database
#     probe_node          bounds that an earlier search has proved; store_bounds keeps them

from libc.stdint cimport int64_t, uint64_t

from kulami_solver.core.bits cimport count, relaxed_store_32, unlikely
from kulami_solver.core.hashing cimport hash_word
from kulami_solver.core.table cimport NO_MOVE, Stored, prefetch_bucket, probe, store
from kulami_solver.kulami.position.rules cimport NO_FIELD, Exchange, Tables
from kulami_solver.kulami.solve.bounds cimport hash_areas
from kulami_solver.kulami.solve.node cimport Node, Searcher, is_tabled

# -------------------------------------------------------------------------------------------------
# The key of a position in the table: it stands for the position's future, not for the position
#
#     words       0  live fields
#                 1  legal fields
#                 2  plies the game can still last | the last panel if it still has a live field
#                    | which largest areas may still grow
#                 3  own marbles that own chains depend on         } only where chains count
#                 4  other's marbles that other's depend on        }
#     joined by XOR: a random word for each undecided panel's difference (Zobrist hashing)
#     added:         the open components of the areas that may still grow (`hash_areas`)
#
# Positions with equal keys have the same margin up to `base`, which nothing can change.
# docs/algorithms.md has the proof.
#
# The hash is  sum of  a_i * word_i  over 128-bit random a_i. Its upper 64 bits are the signature
# (multilinear hashing: two keys with different words get the same signature with probability at
# most 2^-63 over the choice of the a_i). Zobrist hashing adds 2^-64.

# The a_i, two words each, drawn once from a fixed seed, so that searches are reproducible.
cdef void copy_multipliers(uint64_t *multiplier) noexcept


cdef inline void add_word(const Searcher *s, Node *n, int i, uint64_t word) noexcept nogil:
    hash_word(s.multiplier, i, word, &n.index, &n.signature)


cdef inline void complete_key(
    const Searcher *s, Node *n, uint64_t live, uint64_t legal
) noexcept nogil:
    """Complete the hash of an evaluated node, which so far contains only the panels.

    Args:
        live, legal: the node's own, or those after some lines that are alike were exchanged.
    """
    cdef int last_panel = s.rules.panel_of[n.last]
    if not s.rules.barred[n.last] & n.live:
        last_panel = NO_FIELD
    add_word(s, n, 0, live)
    add_word(s, n, 1, legal)
    add_word(s, n, 2, n.plies | <uint64_t>last_panel << 8 | <uint64_t>n.open_areas << 16)
    if s.areas:
        if n.open_areas & 1:
            hash_areas(&n.areas[n.turn], n.live, 0x243F6A8885A308D3, &n.index, &n.signature)
        if n.open_areas & 2:
            hash_areas(&n.areas[n.turn ^ 1], n.live, 0x13198A2E03707344, &n.index, &n.signature)
    if s.chains:
        add_word(s, n, 3, n.chains[n.turn].relevant)
        add_word(s, n, 4, n.chains[n.turn ^ 1].relevant)


# -------------------------------------------------------------------------------------------------
# An oracle: a source of margins that a search may ask besides its table
#
# An oracle knows the margins of some positions, for instance from a file. The search hands it words
# and gets a margin. Any number of searches may ask one at the same time, so the data that `look_up`
# reads must not change meanwhile.

# Outcomes of `look_up`.
cdef enum:
    UNKNOWN = 0
    KNOWN = 1
    FAILED = -1             # the oracle has a fault; `failure` says which


cdef class Oracle:
    cdef object failed_with             # read and written under the object's own lock
    cdef int look_up(
        self, uint64_t own, uint64_t other, uint64_t legal, int last, int *margin
    ) noexcept nogil


# -------------------------------------------------------------------------------------------------
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
