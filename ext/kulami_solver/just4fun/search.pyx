"""Double-dummy search: does the side to move win, or at least draw, with all cards known?

`Search` answers one question: does the side to move reach a goal? For that it asks about the
positions after its plays whether the other side reaches the goal that prevents it:

    wins        there is a play after which the other side does not even draw
    draws       there is a play after which the other side does not win

The last stones are decided without plays: with one stone, only the sums of the hand matter.
`bounds.pxd` describes the bounds that end a search early.

A position's table entry holds bounds of its value for the side to move: 1 a win, 0 a draw, -1 a
loss. No position repeats, since each turn takes a stone or cards; so bounds hold for ever.

The key is seven words:

    plus[0]  plus[1]  settled[0]  settled[1]  hand[0]  hand[1]
    stones[0], stones[1], drawn, side  in 16 bits each

The hand of a side without stones counts as empty. docs/just4fun.md says why nothing else matters.
"""

from libc.stdint cimport int32_t, uint16_t, uint64_t
from libc.stdlib cimport free as release, malloc
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, highest, popcount
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.core.hashing cimport draw_multipliers, hash_word
from kulami_solver.core.table cimport NO_MOVE, Stored, Table, TranspositionTable, probe, store
from kulami_solver.core.watch cimport Allowance, Limited, may_enter
from kulami_solver.just4fun.bounds cimport LiveLines, completable, line_in_reach, most, threats
from kulami_solver.just4fun.duel cimport (
    MAX_CARDS, MAX_FIELDS, MAX_STONES, BoardTables, Plays, Rules, State, Stock, balance,
    begin_plays, fill, hand_after, is_over, next_play, open_to, place, sums_of, tied,
)

cdef enum:
    WORDS = 7                       # of the key
    DRAW = 0                        # goals
    WIN = 1
    MOST_HISTORY = 800              # limit of the history in a play's score

cdef uint64_t[2 * WORDS] MULTIPLIER

draw_multipliers(MULTIPLIER, WORDS, 0x6A7573743466756E)

cdef struct Choice:
    # A play to be tried.
    int32_t score
    uint16_t chosen                 # cards of the hand, a bit each
    uint16_t number                 # of the field

cdef struct Searcher:
    const BoardTables *board
    const Table *table
    Stock stock
    LiveLines live[2]
    uint16_t *sums                  # room for the plays of a position, by the stones left:
    Choice *choices                 # 1 << hand_size of them for each number of stones
    int32_t history[2][MAX_FIELDS + 1]      # how often placing there reached a goal
    Allowance allowance


cdef inline void identify(const State *n, uint64_t *index, uint64_t *signature) noexcept nogil:
    """Compute the position's place in the table, and the word compared there."""
    index[0] = signature[0] = 0
    hash_word(MULTIPLIER, 0, n.plus[0], index, signature)
    hash_word(MULTIPLIER, 1, n.plus[1], index, signature)
    hash_word(MULTIPLIER, 2, n.settled[0], index, signature)
    hash_word(MULTIPLIER, 3, n.settled[1], index, signature)
    hash_word(MULTIPLIER, 4, n.hand[0] if n.stones[0] else 0, index, signature)
    hash_word(MULTIPLIER, 5, n.hand[1] if n.stones[1] else 0, index, signature)
    hash_word(
        MULTIPLIER, 6,
        <uint64_t>n.stones[0] | <uint64_t>n.stones[1] << 16
        | <uint64_t>n.drawn << 32 | <uint64_t>n.side << 48,
        index, signature,
    )


cdef inline bint undecided_draw(const State *n) noexcept nogil:
    """Whether the game may end in a draw, with all fields tied: a stone ties at most one."""
    return (
        not (n.settled[0] | n.settled[1])
        and popcount(n.plus[0] | n.plus[1]) <= n.stones[0] + n.stones[1]
    )


cdef bint last_stone_reaches(
    const Searcher *z, const State *n, uint64_t fields, int goal
) noexcept nogil:
    """Whether the side to move reaches the goal with the last stone of all, on one of `fields`.

    None of them may complete a line. The field that gains most is best: a smaller gain never gives
    a greater margin, and if margins are equal, the fields held are the same or lower.
    """
    cdef int side = n.side
    cdef uint64_t gains = fields & (tied(z.board, n) | n.plus[1 - side])
    cdef State after = n[0]
    cdef int number
    if gains:
        number = highest(gains) + 1
        place(&after, side, bit(number - 1), number)
    return balance(&after, side) >= goal


cdef int last_two_reach(
    const Searcher *z, const State *n, uint64_t fields, uint64_t answers, uint64_t dangers, int goal
) noexcept nogil:
    """Whether the side to move reaches the goal if both sides have one stone; -1 if cards matter.

    Usually only fields matter, because the other side's hand does not change before its turn. Cards
    matter if a play leaves the other side no field to place on: then it draws another hand.

    Args:
        fields, answers: the fields that the hands of the side to move and of the other side make,
            and on which they may place.
        dangers: the answers that now complete a line of the other side.
    """
    cdef int side = n.side
    cdef int other = 1 - side
    cdef int found = False
    cdef int number
    cdef uint64_t field, left = answers
    cdef State after
    while fields:
        number = highest(fields) + 1
        field = bit(number - 1)
        fields ^= field
        after = n[0]
        place(&after, side, field, number)
        after.side = other
        left = answers & open_to(z.board, &after, other)
        if not left:
            found = -1
            continue
        if dangers and threats(&z.live[other], &after, other, tied(z.board, &after)) & left:
            continue
        if not last_stone_reaches(z, &after, left, 1 - goal):
            return True
    return found


cdef inline int rate(
    const Searcher *z, const State *n, int number, uint64_t free, uint64_t theirs, uint64_t dangers
) noexcept nogil:
    """A play's score: plays with higher scores are tried earlier."""
    cdef uint64_t field = bit(number - 1)
    cdef int score = min(z.history[n.side][number] >> 1, MOST_HISTORY)
    if dangers & field:
        score += 100000
    if field & (free | n.plus[1 - n.side]):
        score += 64 * number
    elif field & n.plus[n.side]:
        score += 32 * number if theirs & field else 8 * number
    return score


cdef bint reaches(Searcher *z, const State *n, int goal) noexcept nogil:
    """Whether the side to move reaches the goal, DRAW or WIN. False means nothing once `abandoned`.
    """
    cdef int side = n.side
    cdef int other = 1 - side
    cdef uint64_t fields, theirs, free, dangers
    cdef State after
    cdef int found
    if is_over(n):
        return balance(n, side) >= goal
    if n.stones[side] == 0:
        after = n[0]
        after.side = other
        return not reaches(z, &after, 1 - goal) and not z.allowance.abandoned
    fields = sums_of(n.hand[side]) & open_to(z.board, n, side)
    if not fields:
        # The hand is put away.
        after = n[0]
        after.side = other
        fill(&z.stock, &after, side, 0)
        return not reaches(z, &after, 1 - goal) and not z.allowance.abandoned
    free = tied(z.board, n)
    if threats(&z.live[side], n, side, free) & fields:
        return True
    if n.stones[other] == 0:
        theirs = dangers = 0
        if n.stones[side] == 1:
            return last_stone_reaches(z, n, fields, goal)
    else:
        theirs = sums_of(n.hand[other]) & open_to(z.board, n, other)
        dangers = threats(&z.live[other], n, other, free) & theirs
        if n.stones[side] == 1 and n.stones[other] == 1 and theirs:
            found = last_two_reach(z, n, fields, theirs, dangers, goal)
            if found >= 0:
                return found
    if (
        most(n, side, free, fields, theirs) < 0
        and not line_in_reach(&z.live[side], n, side, free)
    ):
        return False
    if not undecided_draw(n):
        goal = WIN
    return expand(z, n, fields, free, theirs, dangers, goal)


cdef int choices(
    const Searcher *z, const State *n, Plays *p, int first,
    uint64_t fields, uint64_t free, uint64_t theirs, uint64_t dangers
) noexcept nogil:
    """List all plays in the order in which they are tried; return their number."""
    cdef int level = n.stones[0] + n.stones[1] << z.stock.hand_size
    cdef Choice *list = z.choices + level
    cdef Choice choice
    cdef int total = 0
    cdef int i
    begin_plays(n.hand[n.side], z.sums + level, p)
    while next_play(p, fields):
        choice.chosen = <uint16_t>p.chosen
        choice.number = <uint16_t>p.number
        choice.score = rate(z, n, p.number, free, theirs, dangers)
        if p.chosen == first:
            choice.score += 1000000
        i = total
        while i and list[i - 1].score < choice.score:
            list[i] = list[i - 1]
            i -= 1
        list[i] = choice
        total += 1
    return total


cdef bint expand(
    Searcher *z, const State *n, uint64_t fields, uint64_t free, uint64_t theirs, uint64_t dangers,
    int goal
) noexcept nogil:
    """Look for a play after which the other side does not reach the goal that prevents this one.

    The answer goes into the table. `goal` is WIN if no draw is possible.
    """
    cdef uint64_t index, signature
    cdef Stored known
    cdef Plays p
    cdef Choice *list = z.choices + (n.stones[0] + n.stones[1] << z.stock.hand_size)
    cdef uint64_t[MAX_CARDS + 1] tried
    cdef State after
    cdef int side = n.side
    cdef int first = NO_MOVE
    cdef int total, i, used
    cdef bint found = False
    cdef bint drawable
    identify(n, &index, &signature)
    if probe(z.table, index, signature, &known):
        if known.lower >= goal:
            return True
        if known.upper < goal:
            return False
        first = known.move
    if not may_enter(&z.allowance):
        return False
    memset(tried, 0, sizeof(tried))
    total = choices(z, n, &p, first, fields, free, theirs, dangers)
    for i in range(total):
        after = n[0]
        after.side = 1 - side
        after.stones[side] -= 1
        if not after.stones[side]:
            # Then only the number of cards matters: the same number is drawn.
            used = popcount(list[i].chosen)
            if tried[used] & bit(list[i].number - 1):
                continue
            tried[used] |= bit(list[i].number - 1)
        place(&after, side, bit(list[i].number - 1), list[i].number)
        fill(&z.stock, &after, side, hand_after(&p, list[i].chosen))
        found = not reaches(z, &after, 1 - goal)
        if z.allowance.abandoned:
            return False
        if found:
            if list[i].chosen < NO_MOVE:
                first = list[i].chosen
            if z.history[side][list[i].number] < 2 * MOST_HISTORY:
                z.history[side][list[i].number] += n.stones[side] * n.stones[side]
            break
    drawable = undecided_draw(n)
    if found:
        store(z.table, index, signature, goal, 1, first, n.stones[0] + n.stones[1])
    else:
        store(z.table, index, signature, -1, goal - 1 if drawable else -1, first,
              n.stones[0] + n.stones[1])
    return found


cdef class Search(Limited):
    """Questions about positions that share a board and a stock, answered from one table.

    Args:
        rules: of the board.
        table: for the answers; not to be shared with searches on other boards or stocks.
        stock: its cards in the order of drawing, at most 255.
        hand_size: cards of a full hand, 1 to 12; no hand has more.

    Positions are given as to `Rules`, with the number of cards drawn from the stock. Answers are
    None if the search was stopped or has used up its nodes. Only one thread at a time may ask;
    another one gets a RuntimeError.

    Example:
        >>> from kulami_solver.core.table import TranspositionTable
        >>> from kulami_solver.just4fun.duel import Rules
        >>> search = Search(Rules(2, []), TranspositionTable(1 << 16), bytes([1]), 1)
        >>> search.reaches(((0, 0), (0, 0), (bytes([1]), bytes([2])), (1, 1), 0), 0, 0)
        False
    """

    cdef Searcher searcher
    cdef uint64_t busy
    cdef Rules rules
    cdef TranspositionTable table

    def __cinit__(
        self, Rules rules not None, TranspositionTable table not None, stock, int hand_size
    ):
        cdef Searcher *z = &self.searcher
        self.allowed = &z.allowance
        self.limit_nodes(-1)
        rules.lay(&z.stock, stock, hand_size)
        self.rules = rules
        self.table = table
        z.board = &rules.board
        z.table = &table.view
        z.sums = <uint16_t *>malloc((2 * MAX_STONES + 1 << hand_size) * sizeof(uint16_t))
        z.choices = <Choice *>malloc((2 * MAX_STONES + 1 << hand_size) * sizeof(Choice))
        if z.sums == NULL or z.choices == NULL:
            raise MemoryError("no memory for the plays of a search")

    def __dealloc__(self):
        release(self.searcher.sums)
        release(self.searcher.choices)

    def reaches(self, view, int drawn, int goal):
        """Whether the side to move at least draws (goal 0) or wins (goal 1).

        Nobody may have completed a line yet.
        """
        cdef State n
        cdef bint answer, abandoned
        if goal not in (DRAW, WIN):
            raise ValueError(f"goal {goal}: give 0 or 1")
        self.read(&n, view, drawn)
        begin_alone(&self.busy)
        self.look_at_lines(&n)
        self.searcher.allowance.abandoned = False
        with nogil:
            answer = reaches(&self.searcher, &n, goal)
        abandoned = self.searcher.allowance.abandoned
        end_alone(&self.busy)
        return None if abandoned else answer

    def known_play(self, view, int drawn):
        """The cards of the play that the table has for a position, None if it has none."""
        cdef State n
        cdef Stored known
        cdef uint64_t index, signature
        self.read(&n, view, drawn)
        identify(&n, &index, &signature)
        if not probe(self.searcher.table, index, signature, &known) or known.move == NO_MOVE:
            return None
        return bytes(card for i, card in enumerate(sorted(view[2][n.side])) if known.move >> i & 1)

    cdef int read(self, State *n, view, int drawn) except -1:
        if not 0 <= drawn <= self.searcher.stock.cards:
            raise ValueError(f"{drawn} cards drawn of {self.searcher.stock.cards}")
        self.rules.read(n, view)
        n.drawn = drawn
        return 0

    cdef void look_at_lines(self, const State *n) noexcept:
        """List the lines that can still be completed, and clear the history."""
        cdef const BoardTables *b = &self.rules.board
        cdef uint64_t free = tied(b, n)
        cdef int side, i
        memset(self.searcher.history, 0, sizeof(self.searcher.history))
        for side in range(2):
            self.searcher.live[side].count = 0
            for i in range(b.lines):
                if completable(n, side, free, b.line[i], n.stones[side]):
                    self.searcher.live[side].line[self.searcher.live[side].count] = b.line[i]
                    self.searcher.live[side].count += 1
