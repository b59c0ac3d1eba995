# Many games side by side in memory: one cache line each
#
#   red black legal     sets of fields; legal is empty once the game is over
#   luck                state of the game's own random numbers
#   tables              the rules of its layout
#   start               supply of an empty board, with which a new game begins
#
# Games are independent of each other: each can be on any layout, at any ply.

from libc.stdint cimport int32_t, uint8_t, uint64_t

from kulami_solver.kulami.position.rules cimport Tables

cdef struct Game:
    uint64_t red
    uint64_t black
    uint64_t legal
    uint64_t luck
    const Tables *tables
    int32_t board           # number of its layout
    uint8_t last
    uint8_t before
    uint8_t turn            # RED or BLACK
    uint8_t supply          # plies that the marbles still allow, both sides together
    uint8_t first
    uint8_t start


cdef class Games:
    cdef Game *game
    cdef readonly int count
    cdef list geometries
    cdef bint areas
    cdef bint chains
    cdef uint64_t busy
    cdef int take(self) except -1
