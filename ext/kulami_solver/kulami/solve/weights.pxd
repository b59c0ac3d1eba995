# The weights of the learned evaluation, arranged for a layout
#
#     panels of a phase:   size 2 [free 0..2][difference -2..2]   size 3 ...   ->  PanelWeight
#
# The search's weights are described in `learned.pxd`, those of the tree in `glance.pxd`.

from libc.stdint cimport int16_t, int32_t

from kulami_solver.kulami.position.rules cimport MAX_FIELDS, Geometry

cdef enum:
    SIXTY_FOURTH = 64               # of these make a point
    PHASE_PLIES = 4                 # plies to come for which the weights are the same
    PHASES = MAX_FIELDS // PHASE_PLIES + 1
    REPLIES = 16                    # this many replies, or more, have the last weight
    TERMS = 8                       # numbers that describe areas and chains to the search
    MOST_TERMS = 20                 # the most such numbers of any evaluation

cdef struct PanelWeight:
    int16_t standing
    int16_t now
    int16_t later
    int16_t unused                  # pads to eight bytes

cdef struct Phase:
    const PanelWeight *panels       # by size, live fields and difference
    int16_t replies[REPLIES]
    int16_t parity[2]
    int16_t second                  # of each field of `Node.second`
    int16_t terms[MOST_TERMS]       # of each unit of such a number

cdef struct Evaluation:
    Phase phase[PHASES]
    int32_t start[MAX_FIELDS]       # of each panel: where free 0, difference 0 is in `panels`


cdef class Weights:
    cdef PanelWeight *panels
    cdef int states                 # of a phase
    cdef dict start                 # of each size: where free 0, difference 0 is
    cdef Phase phase[PHASES]


cdef class LearnedEvaluation:
    cdef Evaluation tables
    cdef Weights weights            # keeps tables.phase alive
