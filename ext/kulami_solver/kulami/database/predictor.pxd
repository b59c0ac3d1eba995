# The likely value of a record: the context in which the value is coded
#
#   record (ply, frame, detail)  ->  base, context
#
#   symbol    value - base: this is coded
#   base      where only panels count: 0
#             where areas or chains count: the margin if the game ended now
#
#   cell      of each panel with f > 0 live fields:
#             [ f - 1 | lead of the side to move, or decided | a legal field on it ]
#   guess     sum of the cells' weights, in quarters of a point; a weight is 1/256 of a point
#   context   [ undecided points | live fields | legal fields, 7 at most | guess + 256 ]
#               7 bits             6             3                         9
#
# A file says how many low bits of the guess are dropped, and whether the numbers of live and of
# legal fields are dropped, too: the writer chooses what makes the file smallest.

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from kulami_solver.kulami.database.classes cimport Classes
from kulami_solver.kulami.position.rules cimport MAX_FIELDS

cdef enum:
    GUESS_BITS = 9
    LEGAL_BITS = 3
    LIVE_BITS = 6
    MOST_LEGAL = 7
    MOST_GUESS = 255
    MOST_WEIGHT = 1 << 20
    STEP_BITS = 6               # log2 of the units of weights in a step of the guess

cdef struct PanelCells:
    uint64_t spots
    uint64_t fields
    uint32_t begin              # of its cells
    int size
    int room                    # its live fields at the root
    int shift                   # of its digit
    uint64_t mask

cdef struct FrameCells:
    # What all records of a frame have in common.
    uint64_t live               # spots
    uint32_t context            # its parts above the guess, without the points
    bint odd                    # an odd ply: the side to move is not that of the root
    int count                   # panels with a live field ...
    uint8_t which[MAX_FIELDS]   # ... their numbers ...
    uint8_t free[MAX_FIELDS]    # ... their live fields ...
    uint32_t begin[MAX_FIELDS]  # ... and the cell of each for its lowest lead


cdef class Predictor:
    cdef Classes classes
    cdef list kept
    cdef readonly int cells
    cdef readonly int panels
    cdef PanelCells panel[MAX_FIELDS]
    cdef const uint64_t *legal          # of each context of a frame: legal spots
    cdef const int32_t *weight
    cdef int dropped
    cdef uint32_t kept_bits
    cdef void enter(self, int ply, uint64_t frame, FrameCells *f) noexcept nogil
    cdef uint32_t context(
        self, const FrameCells *f, uint64_t detail, int *base, uint32_t *cell
    ) noexcept nogil
