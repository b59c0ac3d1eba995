# A layer of positions as the builder holds it: all positions at one ply below the root
#
# Only what the future depends on is kept. `first` is the side that moves at the root and at every
# even ply; colours are described from its side at every ply.
#
#   spots     the root's live fields (free, and within reach of play), numbered 0.. anew
#   frame     [ live spots | context ]     64 bits; context numbers the pairs
#                                          (legal spots, panel of the newest marble or none)
#   detail    digits of a few bits each, the first one uppermost
#
#   where only panels count                      where areas or chains count, too
#   live    spots that play can still reach      live    free spots
#   digit   one a panel with a spot, s spots:    digit   one a spot, 1 bit:
#           difference + s   while the                   1 if it bears a marble of `first`
#                            difference is at
#                            most the live spots
#           2s + 1           decided
#           0                no live spot left
#   value   what is still to come: the margin    value   the margin
#           without decided and full panels
#
# A decided or full panel cannot change hands. The move that decides or fills it pays out its
# points; no later move depends on it: positions that differ only there are one. The panel of the
# newest marble is part of the context only while it has a live spot.
#
# A shard is a range of a layer (`shards.pxd`).

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t

from kulami_solver.kulami.position.rules cimport Geometry, Tables
from kulami_solver.kulami.database.shards cimport Ref
from kulami_solver.kulami.database.solved_layer cimport SolvedLayer

cdef enum:
    MAX_SPOTS = 40
    NO_PANEL = 64

cdef struct Shape:
    const Tables *rules
    int spots
    int panels
    bint colours                    # whether areas or chains count
    bint areas
    bint chains
    int context_bits
    uint64_t cross[MAX_SPOTS]       # row and column, without the own panel, as sets of spots
    uint8_t panel_of[MAX_SPOTS]
    uint64_t panel[NO_PANEL + 1]    # spots of each panel; none for NO_PANEL
    uint8_t field[MAX_SPOTS]        # field number of each spot
    # contexts
    const uint64_t *legal           # of each context: legal spots ...
    const uint8_t *barred           # ... and panel, NO_PANEL for none
    const uint32_t *weight          # [spot * MAX_SPOTS + spot]: its bit in the index below
    const uint32_t *place           # of each spot: where its part of `number` begins
    const uint32_t *number          # [place + 2 * index + (panel has live spots)] -> context
    # digits, where only panels count
    uint8_t shift[NO_PANEL]
    uint8_t mask[NO_PANEL]          # 0: the panel has no digit
    const uint32_t *moved           # of each panel: where its part of the tables below begins
    uint8_t stride[NO_PANEL]        # 2s + 2
    const uint8_t *digit_after      # [moved + (3 * live + mover) * stride + digit]: 0 nobody,
    const int16_t *paid             # 1 first, 2 the other side placed a marble on it
    # marbles, where colours count
    uint64_t root_first
    uint64_t root_other

cdef struct Edit:
    # The effect of a move on one digit.
    uint8_t shift
    uint8_t mask
    const uint8_t *digit
    const int16_t *paid

cdef struct Step:
    # The effect of a move on a frame and on every detail in it.
    uint64_t frame                  # of the child
    uint64_t marble                 # colours: the digit to set
    const Edit *edit
    int edits
    bint over                       # the game ends with it

cdef struct Successor:
    # A move of a frame, and the place of its child in the next layer.
    Step step
    uint64_t parent
    int shard
    uint64_t index
    uint64_t begin
    uint64_t count


cdef class LayerRules:
    cdef Shape shape
    cdef Geometry geometry
    cdef list kept                  # arrays that `shape` points into
    cdef bint step_to(
        self, uint64_t frame, int spot, bint first, bint last, Step *step, Edit *edits
    ) noexcept nogil
    cdef uint64_t make_moves(
        self, const uint64_t[::1] frames, const uint64_t[::1] starts,
        const uint64_t[::1] details, uint64_t begin, uint64_t end, bint first, bint last,
        Ref *ref, uint64_t *out, uint64_t *ended
    ) noexcept nogil
    cdef int final_margin(self, uint64_t detail, uint64_t live) noexcept nogil
    cdef bint back_up(
        self, const Successor *a, SolvedLayer after, const uint64_t *details, uint64_t begin,
        uint64_t end, bint first, int16_t *values
    ) noexcept nogil
