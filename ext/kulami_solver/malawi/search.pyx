"""Depth-limited search: does the side to move win, or lose, within a number of plies?

This is for boards that are too large to be solved from their ends. `Search` answers two questions,

    wins(position, n)     there is a turn after which the opponent loses within n - 1
    loses(position, n)    after every turn the opponent wins within n - 1

each by asking the other one about the positions one ply later. With n = 1, 2, 3 ..., the first yes
tells the exact number of plies, and every no is proved as well. docs/algorithms.md says why the
entries of the table are true.

A position's table entry holds two kinds of facts, as bounds of one number, its value:

    MATE - n      the side to move wins, in n plies
    0             neither side can force a win
    n - MATE      the side to move loses, in n plies

    wins within n        lower >= MATE - n           no win within n      upper < MATE - n
    loses within n       upper <= n - MATE           no loss within n     lower > n - MATE

Each fact is true of the position itself, whatever was played before: it is about the finite tree
of the next n plies. Repeated positions do not matter, because draws are never claimed.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from kulami_solver.core.bits cimport bit, lowest, popcount
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.core.hashing cimport draw_multipliers, hash_word
from kulami_solver.core.table cimport NO_MOVE, Stored, Table, TranspositionTable, probe, store
from kulami_solver.core.watch cimport Allowance, Limited, may_enter
from kulami_solver.malawi.rules cimport (
    HIT, BoardTables, Rules, State, Turn, Turns, begin_turns, has_lost, has_won, in_reach, make,
    next_turn, turn_round,
)

cdef enum:
    MATE = 10000
    MAX_PLIES = 1000                # deeper questions are not asked

cdef struct Searcher:
    const BoardTables *board
    const Table *table
    int words                       # of the beads, eight squares each
    Allowance allowance

cdef enum:
    BEAD_WORDS = 8                  # MAX_SQUARES bytes
    WORDS = 10                      # of the key: own, other, and the beads

cdef enum:                          # turns are tried in this order
    KNOWN                           # the turn from the table
    HITS
    ARRIVALS                        # a loaded figure comes to stand on the far row
    OTHERS
    STAGES

cdef uint64_t[2 * WORDS] MULTIPLIER

draw_multipliers(MULTIPLIER, WORDS, 0x6D616C617769)


cdef inline void identify(
    const Searcher *s, const State *n, uint64_t *index, uint64_t *signature
) noexcept nogil:
    """Compute the position's place in the table, and the word compared there."""
    cdef uint64_t[BEAD_WORDS] beads
    cdef int i
    index[0] = signature[0] = 0
    hash_word(MULTIPLIER, 0, n.own, index, signature)
    hash_word(MULTIPLIER, 1, n.other, index, signature)
    memcpy(beads, n.beads, sizeof(beads))
    for i in range(s.words):
        hash_word(MULTIPLIER, 2 + i, beads[i], index, signature)


cdef inline bint arrives(const BoardTables *b, const Turn *turn) noexcept nogil:
    """Whether a turn leaves a loaded figure on the far row; now there is none."""
    return turn.kind != HIT and (turn.to & b.far) != 0


cdef inline bint can_be_hit(const BoardTables *b, const State *n, int square) noexcept nogil:
    """Whether the side to move can hit the loaded figure of the opponent on `square`."""
    cdef uint64_t left = n.own & n.loaded
    cdef int figure
    while left:
        figure = lowest(left)
        left &= left - 1
        if in_reach(b, n.own | n.other, bit(square), figure, n.beads[figure]):
            return True
    return False


cdef inline bint loses_next(const BoardTables *b, const State *n) noexcept nogil:
    """loses(n, 1): the opponent has a loaded figure on its far row, and no turn changes that.

    Only a hit could, and it unloads one figure; other turns do not change the opponent's figures.
    """
    cdef uint64_t standing = n.other & n.loaded & (b.far << (b.squares - b.columns))
    if not standing or has_won(b, n):
        return False
    return (standing & (standing - 1)) != 0 or not can_be_hit(b, n, lowest(standing))


cdef inline bint takes_last(const BoardTables *b, const State *n) noexcept nogil:
    """wins(n, 1): the opponent's beads lie on one figure, and it can be hit."""
    cdef uint64_t loaded = n.other & n.loaded
    return (loaded & (loaded - 1)) == 0 and can_be_hit(b, n, lowest(loaded))


cdef bint arrives_safely(const BoardTables *b, const State *n) noexcept nogil:
    """Whether a figure can come to stand on the far row so that the opponent loses in 1."""
    cdef uint64_t bare = n.own & b.far
    cdef uint64_t left = n.own & n.loaded
    cdef int figure
    cdef bint possible = bare != 0
    cdef State after, child
    cdef Turns t
    # Most positions end here: no figure stands there without beads, or is at the right distance.
    while left and not possible:
        figure = lowest(left)
        left &= left - 1
        possible = figure // b.columns == n.beads[figure]
    if not possible:
        return False
    begin_turns(n, &t)
    while next_turn(b, n, &t):
        if arrives(b, &t.turn):
            after = n[0]
            make(&after, &t.turn)
            turn_round(b, &after, &child)
            if loses_next(b, &child):
                return True
    return False


cdef inline int last_win(const State *n, int plies) noexcept nogil:
    """The largest number of plies, at most `plies`, in which the side to move can win.

    A win on the far row takes an even number of plies. A win by the last bead takes an odd number
    m: (m + 1) / 2 own turns and (m - 1) / 2 turns of the opponent. Each turn unloads at most one
    figure of the opponent: a hit unloads its target, a redistribution the giver. So the opponent
    has at most m loaded figures.
    """
    if plies & 1 and popcount(n.other & n.loaded) > plies:
        return plies - 1
    return plies


cdef inline int last_loss(const State *n, int plies) noexcept nogil:
    """The largest number of plies, at most `plies`, in which the side to move can lose.

    As `last_win`, with one ply before it: a loss on the far row takes an odd number of plies; a
    loss by the last bead takes an even number, which is at least the number of own loaded figures.
    """
    if not plies & 1 and popcount(n.own & n.loaded) > plies:
        return plies - 1
    return plies


cdef inline int stage_of(
    const BoardTables *b, const Turn *turn, int number, int known
) noexcept nogil:
    if number == known:
        return KNOWN
    if turn.kind == HIT:
        return HITS
    return ARRIVALS if arrives(b, turn) else OTHERS


cdef bint wins(Searcher *s, const State *n, int plies) noexcept nogil:
    """Whether the side to move wins within `plies`. False means nothing once `abandoned`."""
    cdef const BoardTables *b = s.board
    if has_won(b, n):
        return True
    if has_lost(n):
        return False
    plies = last_win(n, plies)
    if plies <= 0:
        return False
    if takes_last(b, n):
        return True
    if plies == 1:
        return False
    if arrives_safely(b, n):
        return True
    if plies == 2:
        return False
    return expand(s, n, plies, True)


cdef bint loses(Searcher *s, const State *n, int plies) noexcept nogil:
    """Whether the side to move loses within `plies`. False means nothing once `abandoned`."""
    cdef const BoardTables *b = s.board
    if has_won(b, n):
        return False
    if has_lost(n):
        return True
    plies = last_loss(n, plies)
    if plies <= 0:
        return False
    if loses_next(b, n):
        return True
    if plies == 1:
        return False
    return not expand(s, n, plies, False) and not s.allowance.abandoned


cdef bint expand(Searcher *s, const State *n, int plies, bint winning) noexcept nogil:
    """Look for a turn that reaches the goal of the side to move.

    If `winning`, it is a turn after which the opponent loses within plies - 1; otherwise a turn
    after which the opponent does not win within plies - 1. The answer goes into the table.
    """
    cdef const BoardTables *b = s.board
    cdef uint64_t index, signature
    cdef Stored known
    cdef int first = NO_MOVE
    cdef int stage, number
    cdef bint found = False
    cdef State after, child
    cdef Turns t
    identify(s, n, &index, &signature)
    if probe(s.table, index, signature, &known):
        if winning:
            if known.lower >= MATE - plies:
                return True
            if known.upper < MATE - plies:
                return False
        else:
            if known.lower > plies - MATE:
                return True
            if known.upper <= plies - MATE:
                return False
        first = known.move
    if not may_enter(&s.allowance):
        return False
    for stage in range(STAGES):
        if stage == KNOWN and first == NO_MOVE:
            continue
        begin_turns(n, &t)
        number = -1
        while not found and next_turn(b, n, &t):
            number += 1
            if stage_of(b, &t.turn, number, first) != stage:
                continue
            after = n[0]
            make(&after, &t.turn)
            turn_round(b, &after, &child)
            if winning:
                found = loses(s, &child, plies - 1)
            else:
                found = not wins(s, &child, plies - 1)
            if s.allowance.abandoned:
                return False
        if found:
            break
    if found and number < NO_MOVE:
        first = number
    if winning:
        if found:
            store(s.table, index, signature, MATE - plies, MATE, first, plies)
        else:
            store(s.table, index, signature, -MATE, MATE - plies - 1, first, plies)
    elif found:
        store(s.table, index, signature, plies - MATE + 1, MATE, first, plies)
    else:
        store(s.table, index, signature, -MATE, plies - MATE, first, plies)
    return found


cdef class Search(Limited):
    """Questions about positions on one board, answered from one table.

    Args:
        rules: of the board.
        table: for the answers; not to be shared with searches on other boards.

    Positions are given as to `Rules`, in the view of the side to move. Answers are None if the
    search was stopped or has used up its nodes. Only one thread at a time may ask; another one gets
    a RuntimeError.

    Example:
        >>> from kulami_solver.core.table import TranspositionTable
        >>> from kulami_solver.malawi.rules import Rules
        >>> search = Search(Rules(2, 3), TranspositionTable(1 << 20))
        >>> start = 0b110000, 0b000011, bytes([2, 2, 0, 0, 2, 2])
        >>> search.loses_within(*start, 3), search.loses_within(*start, 4)
        (False, True)
    """

    cdef Searcher searcher
    cdef uint64_t busy
    cdef Rules rules
    cdef TranspositionTable table

    def __cinit__(self, Rules rules not None, TranspositionTable table not None):
        self.rules = rules
        self.table = table
        self.searcher.board = &rules.board
        self.searcher.table = &table.view
        self.searcher.words = (rules.board.squares + 7) // 8
        self.allowed = &self.searcher.allowance
        self.limit_nodes(-1)

    def wins_within(self, own, other, beads, int plies):
        """Whether the side to move wins within `plies`, 0 to 1000."""
        return self.ask(True, own, other, beads, plies)

    def loses_within(self, own, other, beads, int plies):
        """Whether the side to move loses within `plies`, 0 to 1000."""
        return self.ask(False, own, other, beads, plies)

    cdef object ask(self, bint win, own, other, beads, int plies):
        cdef State n
        cdef bint answer, abandoned
        if not 0 <= plies <= MAX_PLIES:
            raise ValueError(f"{plies} plies: ask for 0 to {MAX_PLIES}")
        self.rules.read(&n, own, other, beads)
        begin_alone(&self.busy)
        self.searcher.allowance.abandoned = False
        with nogil:
            if win:
                answer = wins(&self.searcher, &n, plies)
            else:
                answer = loses(&self.searcher, &n, plies)
        abandoned = self.searcher.allowance.abandoned
        end_alone(&self.busy)
        return None if abandoned else answer
