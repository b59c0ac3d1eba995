# The key of a position in the table: it stands for the position's future, not for the position
#
#     words       0  live fields
#                 1  legal fields
#                 2  plies the game can still last | the last panel if it still has a live field
#                    | which largest areas may still grow
#                 3  own marbles that own chains depend on         } only where chains count
#                 4  other's marbles that other's depend on        }
#     joined by XOR: a random word for each undecided panel's difference (Zobrist hashing)
#     added:         the open components of the areas that may still grow (`areas.pxd`)
#
# Positions with equal keys have the same margin up to `base`, which nothing can change.
# docs/algorithms.md has the proof.
#
# The hash is  sum of  a_i * word_i  over 128-bit random a_i. Its upper 64 bits are the signature
# (multilinear hashing: two keys with different words get the same signature with probability at
# most 2^-63 over the choice of the a_i). Zobrist hashing adds 2^-64.

from libc.stdint cimport uint64_t

from kulami_solver.core.hashing cimport hash_word
from kulami_solver.kulami.solve.areas cimport hash_areas
from kulami_solver.kulami.solve.node cimport Node, Panels, Searcher
from kulami_solver.kulami.solve.panels cimport Standing
from kulami_solver.kulami.position.rules cimport NO_FIELD

# The a_i, two words each, drawn once from a fixed seed, so that searches are reproducible.
cdef void copy_multipliers(uint64_t *multiplier) noexcept


cdef inline void hash_panel(
    Panels *panels, const Standing *standing, int d, uint64_t undecided
) noexcept nogil:
    """Add an undecided panel's difference to the hashes, or take it out again."""
    panels.index[0] ^= standing[d].index & undecided
    panels.signature[0] ^= standing[d].signature & undecided
    panels.index[1] ^= standing[-d].index & undecided
    panels.signature[1] ^= standing[-d].signature & undecided


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
