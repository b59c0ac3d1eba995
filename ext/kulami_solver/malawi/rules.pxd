# A position of Malawi as it lies in memory, and the rules on it
#
#   squares are numbered row by row from the top:   0 1 2      a set of squares is a 64-bit word,
#                                                   3 4 5      square i is bit i
#                                                   6 7 8
#
#   own, other   the figures of the side to move and of its opponent
#   loaded       the figures of both sides that carry a bead
#   beads[i]     the beads on square i; 0 where there is no figure, and beside the board, so that
#                equal positions are equal strings of bytes
#
# A position is always seen by the side to move: its home row is the lowest, and its figures walk
# up to row 0, the far row. A turn is made in this view, and `turned` gives the result to the
# opponent: rows are reversed, columns stay, own and other change places.
#
#   exact[s][k]     the squares exactly k steps from s in its row and column, at most four
#   between[s][t]   the squares strictly between two squares of a line
#
# So a figure with k beads on s can move to t if t is in exact[s][k] and no figure stands in
# between[s][t] or on t, and it can hit a loaded figure of the opponent on t in the same way.
#
# The game has ended if the side to move has a loaded figure on the far row (it has won), or if it
# has no bead (it has lost: its last bead has just been hit).

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, lowest, popcount

cdef enum:
    MAX_SQUARES = 64
    MAX_SIDE = 32                   # of 64 squares, 2 columns or 3 rows at least

cdef enum Kind:
    MOVE
    HIT
    REDISTRIBUTE

cdef struct BoardTables:
    int columns
    int rows
    int squares
    uint64_t every                  # all squares
    uint64_t far                    # row 0
    uint64_t exact[MAX_SQUARES][MAX_SIDE]
    uint64_t between[MAX_SQUARES][MAX_SQUARES]
    uint8_t turned[MAX_SQUARES]     # the square in the opponent's view
    uint8_t mirrored[MAX_SQUARES]   # the square with left and right exchanged

cdef struct State:
    uint64_t own
    uint64_t other
    uint64_t loaded
    uint8_t beads[MAX_SQUARES]

cdef struct Turn:
    # An action of a figure. `to` is a set: the receivers of a redistribution, or a single square,
    # the goal of a move or the figure that is hit.
    Kind kind
    int square
    uint64_t to


cdef inline bint has_won(const BoardTables *b, const State *s) noexcept nogil:
    """Whether the side to move has won: one of its loaded figures is on the far row."""
    return (s.own & s.loaded & b.far) != 0


cdef inline bint has_lost(const State *s) noexcept nogil:
    """Whether the side to move has lost: it has no bead."""
    return not (s.own & s.loaded)


cdef inline uint64_t in_reach(
    const BoardTables *b, uint64_t occupied, uint64_t wanted, int square, int beads
) noexcept nogil:
    """The `wanted` squares exactly `beads` steps from `square`, with no figure between."""
    cdef uint64_t found = 0
    cdef uint64_t left
    cdef int to
    if beads >= MAX_SIDE:
        return 0
    left = b.exact[square][beads] & wanted
    while left:
        to = lowest(left)
        left &= left - 1
        if not (b.between[square][to] & occupied):
            found |= bit(to)
    return found


cdef inline uint64_t moves_of(const BoardTables *b, const State *s, int square) noexcept nogil:
    """The squares to which a loaded figure can move; moves of the same length lead back."""
    cdef uint64_t occupied = s.own | s.other
    return in_reach(b, occupied, b.every & ~occupied, square, s.beads[square])


cdef inline uint64_t hits_of(const BoardTables *b, const State *s, int square) noexcept nogil:
    """The figures of the opponent that a loaded figure can hit."""
    return in_reach(b, s.own | s.other, s.other & s.loaded, square, s.beads[square])


cdef inline uint64_t first_choice(uint64_t among, int count) noexcept nogil:
    """The first set of `count` members of `among`, or all of it if it has fewer."""
    cdef uint64_t rest = among
    while count and rest:
        rest &= rest - 1
        count -= 1
    return among & ~rest


cdef inline uint64_t next_choice(uint64_t among, uint64_t chosen) noexcept nogil:
    """The subset of `among` after `chosen`, of the same size; 0 after the last."""
    # Count upwards: the highest member of the lowest run of chosen members moves to the next
    # free place above, and the rest of the run drops to the bottom.
    cdef uint64_t low = chosen & -chosen
    cdef uint64_t raised = ((chosen | ~among) + low) & among
    if not raised:
        return 0
    return raised | first_choice(among, popcount(chosen) - popcount(raised))


cdef inline void put_beads(State *s, int square, int beads) noexcept nogil:
    """Set the number of beads on a square."""
    s.beads[square] = beads
    if beads:
        s.loaded |= bit(square)
    else:
        s.loaded &= ~bit(square)


cdef inline void move_figure(State *s, int square, int to) noexcept nogil:
    """Move an own, loaded figure."""
    s.own ^= bit(square) | bit(to)
    s.loaded ^= bit(square) | bit(to)
    s.beads[to] = s.beads[square]
    s.beads[square] = 0


cdef inline void redistribute(State *s, int square, uint64_t receivers) noexcept nogil:
    """Take all beads off a figure and put one on each of the receivers."""
    put_beads(s, square, 0)
    s.loaded |= receivers
    while receivers:
        s.beads[lowest(receivers)] += 1
        receivers &= receivers - 1


cdef inline void collect(State *s, int square, uint64_t givers) noexcept nogil:
    """Undo a redistribution without surplus: a figure without beads takes one from each giver."""
    put_beads(s, square, popcount(givers))
    while givers:
        put_beads(s, lowest(givers), s.beads[lowest(givers)] - 1)
        givers &= givers - 1


cdef inline void make(State *s, const Turn *turn) noexcept nogil:
    """Make a turn; the view of the position stays the same."""
    if turn.kind == MOVE:
        move_figure(s, turn.square, lowest(turn.to))
    elif turn.kind == HIT:
        put_beads(s, lowest(turn.to), 0)
    else:
        redistribute(s, turn.square, turn.to)


cdef inline void unmake(State *s, const Turn *turn, int beads) noexcept nogil:
    """Take a turn back; `beads` is the number that the hit or redistributing figure had."""
    if turn.kind == MOVE:
        move_figure(s, lowest(turn.to), turn.square)
    elif turn.kind == HIT:
        put_beads(s, lowest(turn.to), beads)
    else:
        collect(s, turn.square, turn.to)
        put_beads(s, turn.square, beads)        # including those that left the game


cdef inline void exchange_sides(State *s) noexcept nogil:
    """Exchange own and other without turning the board."""
    s.own, s.other = s.other, s.own


cdef inline void turn_round(const BoardTables *b, const State *s, State *seen) noexcept nogil:
    """The same figures and beads in the view of the other side."""
    cdef uint64_t left = s.own | s.other
    cdef int square, there
    memset(seen, 0, sizeof(State))
    while left:
        square = lowest(left)
        left &= left - 1
        there = b.turned[square]
        seen.beads[there] = s.beads[square]
        if s.own & bit(square):
            seen.other |= bit(there)
        else:
            seen.own |= bit(there)
        if s.loaded & bit(square):
            seen.loaded |= bit(there)


cdef inline uint64_t mirror_of(const BoardTables *b, uint64_t squares) noexcept nogil:
    """A set of squares with left and right exchanged."""
    cdef uint64_t image = 0
    while squares:
        image |= bit(b.mirrored[lowest(squares)])
        squares &= squares - 1
    return image


cdef inline void mirror(const BoardTables *b, State *s) noexcept nogil:
    """Exchange left and right."""
    cdef State image
    cdef uint64_t left = s.own | s.other
    memset(&image, 0, sizeof(State))
    while left:
        image.beads[b.mirrored[lowest(left)]] = s.beads[lowest(left)]
        left &= left - 1
    image.own = mirror_of(b, s.own)
    image.other = mirror_of(b, s.other)
    image.loaded = mirror_of(b, s.loaded)
    s[0] = image


# The turns of a position one after the other, whatever their number:
#
#     begin_turns(&state, &turns)
#     while next_turn(&board, &state, &turns):
#         turns.turn ...
#
# Figure by figure, its hits, its moves, its redistributions.

cdef struct Turns:
    Turn turn
    uint64_t figures        # those whose turns are still to come
    uint64_t hits           # of the present figure, still to come
    uint64_t moves
    uint64_t others         # the figures to which it can redistribute
    uint64_t chosen         # the next set of them


cdef inline void begin_turns(const State *s, Turns *t) noexcept nogil:
    t.figures = s.own & s.loaded
    t.hits = t.moves = t.others = t.chosen = 0
    t.turn.square = 0


cdef inline bint next_turn(const BoardTables *b, const State *s, Turns *t) noexcept nogil:
    """Go to the next turn; False if there is none."""
    cdef int square
    while True:
        if t.hits:
            t.turn.kind = HIT
            t.turn.to = t.hits & -t.hits
            t.hits &= t.hits - 1
            return True
        if t.moves:
            t.turn.kind = MOVE
            t.turn.to = t.moves & -t.moves
            t.moves &= t.moves - 1
            return True
        if t.chosen:
            t.turn.kind = REDISTRIBUTE
            t.turn.to = t.chosen
            t.chosen = next_choice(t.others, t.chosen)
            return True
        if not t.figures:
            return False
        square = t.turn.square = lowest(t.figures)
        t.figures &= t.figures - 1
        t.hits = hits_of(b, s, square)
        t.moves = moves_of(b, s, square)
        t.others = s.own & ~bit(square)
        t.chosen = first_choice(t.others, s.beads[square])


cdef class Rules:
    cdef BoardTables board
    cdef int read(self, State *s, uint64_t own, uint64_t other, const uint8_t[::1] beads) except -1
    cdef tuple written(self, const State *s)
