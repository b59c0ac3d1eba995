# The positions of a board of Malawi by number
#
# In a position, the side to move has `a` beads in all and its opponent `b`. Slots lie in parts, one
# for each (a, b). The parts (a, b) and (b, a) make a layer: a turn that keeps all beads on the
# board (a move, or a redistribution without surplus) leads from one part to the other. In a part
#
#   slot = ((own set * other sets + other set) * own vectors + own vector) * other vectors
#          + other vector
#
#   own set       the squares of the own figures. One set of each pair of mirror images is
#                 numbered, in the order of ranks.
#   other set     the rank of the opponent's squares among the squares that are left
#   own, other    the rank of a side's beads, figure by figure in the order of squares, among all
#   vector        ways to share out the same number of beads
#
# A set's rank is the number of sets of the same size before it, compared from the highest member
# down: the sum of choose(member i, i + 1), members rising. For the rank of beads, all beads are
# laid in a row, with bars between the figures; the rank is that of the set of the bars' places.
#
# A position and its mirror image have one slot: that of the one whose own set is numbered. If the
# own set is its own mirror image, it is the lower of their two slots; the other one stays empty.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.core.dense cimport DenseGame
from kulami_solver.malawi.rules cimport BoardTables, Rules, State

cdef enum:
    MAX_FIGURES = 8
    MAX_BEADS = 48              # of a side
    MAX_PLACES = 64             # squares, or beads and bars in a row
    MAX_PARTS = (MAX_BEADS + 1) * (MAX_BEADS + 1)
    REGIONS = 1024              # slots are cut into at most this many, for finding parts
    MIRRORED = 1
    SYMMETRIC = 2

cdef struct Tables:
    const BoardTables *board
    int figures                                 # of a side
    uint64_t choose[MAX_FIGURES + 1][MAX_PLACES]     # [k][n]
    uint64_t own_sets
    uint64_t other_sets
    uint64_t vectors[MAX_BEADS + 1]             # their number, by the number of beads
    uint64_t begin[MAX_BEADS + 1][MAX_BEADS + 1]    # of the parts, [a][b]
    int parts
    uint64_t part_begin[MAX_PARTS]              # rising
    uint8_t part_own[MAX_PARTS]
    uint8_t part_other[MAX_PARTS]
    int region_bits                             # of a slot within a region
    uint16_t part_in[REGIONS]                   # the first part in each region of slots
    uint32_t *set_of                # by rank: own set << 2 | SYMMETRIC | MIRRORED
    uint64_t *squares_of            # of an own set
    uint8_t *symmetric              # whether an own set is its own mirror image
    uint64_t *places_of             # of an other set: numbers among the squares left
    uint64_t *beads_of[MAX_BEADS + 1]       # of a vector: figure i has bits 8 i to 8 i + 7
    uint8_t same[64]                # each square itself: the view without mirroring

cdef class Index(DenseGame):
    cdef readonly Rules rules
    cdef readonly tuple parts
    cdef Tables *tables
    cdef lay_parts(self, counted)
    cdef list_sets(self, int squares)
    cdef list_beads(self, int most)
