"""Plain alpha-beta with a transposition table, as textbooks have it: the yardstick of the search.

Nothing clever happens here, on purpose. Fail-soft negamax with a full window; the table is keyed
by the whole position, and a new entry always replaces the old one; the table's move comes first,
then the moves that leave the fewest replies. It shares the rules with `search.pyx` and nothing
else, so that each can also check the other.

A position as it lies in memory, in the view of the side to move:

    own, other      its marbles and the other side's
    last, before    fields of the newest marble and of the one before it, NO_FIELD for none
    supply          plies that the marbles still allow, both sides together
    side            0 for the side that moves first in this search, 1 for the other one
    index           its place in the table
    signature       the word compared there

Index and signature are XORs of random words for each marble by its side, for the last field and
for the barred panel (Zobrist hashing): two different positions of a search have the same
signature with probability 2^-64. The number of marbles gives the ply and so the supply. Each
search starts from its own random words, so that no entry of an earlier search fits.
"""

from cpython.exc cimport PyErr_CheckSignals
from cython cimport final
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free as release, malloc

from kulami_solver.core.bits cimport bit, high_product, lowest, popcount
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, Geometry, Ply, Tables, after, legal_fields, legal_now, margin_of,
)

import random
import time

cdef enum:
    INFINITE = 10000        # beyond every margin
    FAILED = -32768         # the value of a search that has raised an exception
    NO_MOVE = 255
    CHECKED = 0xFFFF        # nodes between two looks at the clock and for Ctrl-C, as a mask

cdef enum:                  # the meaning of an entry's value
    NOTHING = 0             # the entry is empty
    EXACT = 1
    LOWER = 2               # the margin is at least the value
    UPPER = 3               # the margin is at most the value

cdef struct Entry:
    uint64_t signature
    int16_t value
    uint8_t bound
    uint8_t move            # the best one, or the one that cut off

cdef struct Plain:
    Ply at
    uint64_t index
    uint64_t signature
    int side

# Two words each, for the index and for the signature.
cdef uint64_t[2][MAX_FIELDS][2] MARBLE
cdef uint64_t[MAX_FIELDS + 1][2] LAST
cdef uint64_t[MAX_FIELDS + 1][2] BARRED


def draw_words():
    draw = random.Random(0x74657874)
    for i in range(2):
        for field in range(MAX_FIELDS + 1):
            if field < MAX_FIELDS:
                MARBLE[0][field][i] = draw.getrandbits(64)
                MARBLE[1][field][i] = draw.getrandbits(64)
            LAST[field][i] = draw.getrandbits(64)
            BARRED[field][i] = draw.getrandbits(64)


draw_words()


class _LimitReached(Exception):
    """A node or time limit has ended a search."""


cdef inline void play(const Tables *t, const Plain *n, int field, Plain *c) noexcept nogil:
    """Make the position after a move."""
    cdef int last = n.at.last, lifted = t.panel_of[n.at.before], barred = t.panel_of[last]
    c.at = after(&n.at, field)
    c.side = 1 - n.side
    c.index = (
        n.index ^ MARBLE[n.side][field][0] ^ LAST[last][0] ^ LAST[field][0]
        ^ BARRED[lifted][0] ^ BARRED[barred][0]
    )
    c.signature = (
        n.signature ^ MARBLE[n.side][field][1] ^ LAST[last][1] ^ LAST[field][1]
        ^ BARRED[lifted][1] ^ BARRED[barred][1]
    )


@final
cdef class Textbook:
    """Exact margins by textbook alpha-beta, each as if from an empty table.

    Args:
        geometry: the layout's tables.
        table_bytes: size of the transposition table, 16 or more. It is allocated in full at once,
            so that no search has to wait for the system.
        areas, chains: whether areas and chains count.

    Raises:
        ValueError: if the table has no room for an entry.
        MemoryError: if the system has not enough memory for it.

    Example:
        >>> from kulami_solver.kulami.position.rules import Geometry
        >>> board = Textbook(Geometry(3, 2, [0, 0, 1, 2, 2, 1]), 1 << 16, False, False)
        >>> board.margin(own=0, other=0, last=-1, before=-1, supply=56), board.nodes > 0
        (0, True)
        >>> board.margin(own=0, other=0, last=-1, before=-1, supply=56, node_limit=5) is None
        True
    """

    cdef Geometry geometry
    cdef const Tables *tables
    cdef Entry *entries
    cdef uint64_t count         # of entries
    cdef bint areas
    cdef bint chains
    cdef readonly int64_t nodes
    cdef int64_t limit          # of nodes; below 0: none
    cdef double deadline        # of time.monotonic(); below 0: none
    cdef object draw            # draws the first words of each search
    cdef uint64_t busy

    def __cinit__(self, Geometry geometry not None, int64_t table_bytes, bint areas, bint chains):
        cdef uint64_t i
        if table_bytes < <int64_t>sizeof(Entry):
            raise ValueError(f"a table of {table_bytes} bytes: it needs at least {sizeof(Entry)}")
        self.geometry = geometry
        self.tables = &geometry.tables
        self.count = table_bytes // sizeof(Entry)
        self.areas = areas
        self.chains = chains
        self.draw = random.Random(0x626f6f6b)
        self.entries = <Entry *>malloc(self.count * sizeof(Entry))
        if self.entries == NULL:
            raise MemoryError(f"no memory for a table of {self.count * sizeof(Entry)} bytes")
        for i in range(self.count):
            self.entries[i].bound = NOTHING
            self.entries[i].move = NO_MOVE

    def __dealloc__(self):
        release(self.entries)

    def margin(
        self, uint64_t own, uint64_t other, int last, int before, int supply,
        node_limit=None, time_limit=None
    ):
        """The margin of a position under best play, for the side to move.

        `nodes` is afterwards the number of positions searched; ended games do not count.

        Args:
            own, other: the fields with a marble of the side to move, and of the other side.
            last, before: fields of the newest marble and of the one before it, -1 for none.
            supply: plies that the marbles still allow, both sides together.
            node_limit: positions after which the search gives up, 1 or more; None for no limit.
            time_limit: seconds after which it does.

        Returns:
            The margin, None if a limit was reached.

        Raises:
            ValueError: if `last` or `before` is no field.
            RuntimeError: if another thread is searching with it.
        """
        cdef Plain root
        cdef int value
        root.at = Ply(
            own, other, self.geometry.checked(last), self.geometry.checked(before), supply
        )
        root.side = 0
        begin_alone(&self.busy)
        try:
            # Random words in place of those for the marbles already on the board.
            root.index = self.draw.getrandbits(64)
            root.signature = self.draw.getrandbits(64)
            self.nodes = 0
            self.limit = -1 if node_limit is None else node_limit
            self.deadline = -1.0 if time_limit is None else time.monotonic() + time_limit
            with nogil:
                value = self.search(&root, -INFINITE, INFINITE)
            return value
        except _LimitReached:
            return None
        finally:
            end_alone(&self.busy)

    cdef int search(self, const Plain *n, int alpha, int beta) except? FAILED nogil:
        """Return the margin if it lies strictly between alpha and beta; otherwise a bound of it
        on the same side of the window: v <= alpha, and the margin is at most v, or v >= beta, and
        it is at least v. Raises what `look_up` raises.
        """
        cdef const Tables *t = self.tables
        cdef uint64_t occupied = n.at.own | n.at.other
        cdef uint64_t moves = legal_now(t, &n.at)
        cdef uint8_t[MAX_FIELDS] order
        cdef int[MAX_FIELDS] replies
        cdef Entry *entry
        cdef Plain child
        cdef int floor = alpha
        cdef int best = -INFINITE
        cdef int first = NO_MOVE
        cdef int count = 0
        cdef int field, left, value, i
        if not moves:
            return margin_of(t, n.at.own, n.at.other, self.areas, self.chains)
        self.nodes += 1
        if self.nodes & CHECKED == 0 or self.nodes == self.limit:
            self.look_up()
        entry = self.entries + high_product(n.index, self.count)
        if entry.bound != NOTHING and entry.signature == n.signature:
            value = entry.value
            first = entry.move
            if (
                entry.bound == EXACT
                or entry.bound == LOWER and value >= beta
                or entry.bound == UPPER and value <= alpha
            ):
                return value
        # Insertion sort by the replies left; the table's move goes in front of all.
        while moves:
            field = lowest(moves)
            moves &= moves - 1
            left = popcount(legal_fields(t, occupied | bit(field), field, n.at.last))
            if field == first:
                left = -1
            i = count
            while i > 0 and replies[i - 1] > left:
                replies[i] = replies[i - 1]
                order[i] = order[i - 1]
                i -= 1
            replies[i] = left
            order[i] = field
            count += 1
        for i in range(count):
            play(t, n, order[i], &child)
            value = -self.search(&child, -beta, -alpha)
            if value > best:
                best = value
                first = order[i]
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
        entry.signature = n.signature
        entry.value = best
        entry.bound = UPPER if best <= floor else LOWER if best >= beta else EXACT
        entry.move = first
        return best

    cdef int look_up(self) except -1 nogil:
        """Raise if a limit is reached or Ctrl-C was pressed."""
        with gil:
            PyErr_CheckSignals()
            if 0 <= self.limit <= self.nodes:
                raise _LimitReached
            if 0 <= self.deadline <= time.monotonic():
                raise _LimitReached
        return 0
