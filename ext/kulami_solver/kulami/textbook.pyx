"""Plain alpha-beta with a transposition table, as textbooks have it: the yardstick of the search.

Nothing clever happens here, on purpose. Fail-soft negamax with a full window; the table is keyed
by the whole position, and a new entry always replaces the old one; the table's move comes first,
then the moves that leave the fewest replies. It shares the rules with `search.pyx` and nothing
else, so that each can also check the other.

An entry holds the whole position, as the side to move there sees it, so that no other can be taken
for it; how many marbles are left follows from their number. It counts in the search alone that has
written it.
"""

from cpython.exc cimport PyErr_CheckSignals
from cython cimport final
from libc.stdint cimport int16_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free as release
from libc.string cimport memset

from kulami_solver.core.bits cimport bit, high_product, lowest, popcount
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, Geometry, Ply, Tables, after, legal_fields, legal_now, margin_of,
)

import time

cdef enum:
    INFINITE = 10000        # beyond every margin
    FAILED = -32768         # the value of a search that has raised an exception
    NO_MOVE = 255
    CHECKED = 0xFFFF        # nodes between two looks at the clock and for Ctrl-C, as a mask

cdef enum:                  # the meaning of an entry's value
    EXACT = 1
    LOWER = 2               # the margin is at least the value
    UPPER = 3               # the margin is at most the value

cdef struct Entry:
    uint64_t own
    uint64_t other
    uint32_t search         # the number of the search; 0 if the entry is empty
    int16_t value
    uint8_t last
    uint8_t barred          # the panel
    uint8_t bound
    uint8_t move            # the best one, or the one that cut off


class _LimitReached(Exception):
    """A node or time limit has ended a search."""


cdef inline uint64_t mixed(uint64_t own, uint64_t other, int last) noexcept nogil:
    """A word that tells positions apart: odd factors, so that each bit changes the upper ones."""
    cdef uint64_t word = own * 0x9E3779B97F4A7C15u ^ high_product(other, 0xBF58476D1CE4E5B9u)
    word = (word ^ other ^ word >> 29 ^ last) * 0x94D049BB133111EBu
    return (word ^ word >> 32) * 0xD6E8FEB86659FD93u


@final
cdef class Textbook:
    """Exact margins by textbook alpha-beta, each as if from an empty table.

    Args:
        geometry: the layout's tables.
        table_bytes: size of the transposition table, 32 or more. It is allocated in full at once,
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
    cdef uint32_t searches
    cdef uint64_t busy

    def __cinit__(self, Geometry geometry not None, int64_t table_bytes, bint areas, bint chains):
        if table_bytes < <int64_t>sizeof(Entry):
            raise ValueError(f"a table of {table_bytes} bytes: it needs at least {sizeof(Entry)}")
        self.geometry = geometry
        self.tables = &geometry.tables
        self.count = table_bytes // sizeof(Entry)
        self.areas = areas
        self.chains = chains
        self.entries = <Entry *>calloc(self.count, sizeof(Entry))
        if self.entries == NULL:
            raise MemoryError(f"no memory for a table of {self.count * sizeof(Entry)} bytes")
        memset(self.entries, 0, self.count * sizeof(Entry))

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
        cdef int value
        cdef Ply root = Ply(
            own, other, self.geometry.checked(last), self.geometry.checked(before), supply
        )
        begin_alone(&self.busy)
        try:
            self.searches += 1
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

    cdef int search(self, const Ply *n, int alpha, int beta) except? FAILED nogil:
        """Return the margin if it lies strictly between alpha and beta; otherwise a bound of it
        on the same side of the window: v <= alpha, and the margin is at most v, or v >= beta, and
        it is at least v. Raises what `look_up` raises.
        """
        cdef const Tables *t = self.tables
        cdef uint64_t occupied = n.own | n.other
        cdef uint64_t moves = legal_now(t, n)
        cdef uint8_t[MAX_FIELDS] order
        cdef int[MAX_FIELDS] replies
        cdef Entry *entry
        cdef Ply child
        cdef uint8_t barred = t.panel_of[n.before]
        cdef int floor = alpha
        cdef int best = -INFINITE
        cdef int first = NO_MOVE
        cdef int count = 0
        cdef int field, left, value, i
        if not moves:
            return margin_of(t, n.own, n.other, self.areas, self.chains)
        self.nodes += 1
        if self.nodes & CHECKED == 0 or self.nodes == self.limit:
            self.look_up()
        entry = self.entries + high_product(mixed(n.own, n.other, n.last), self.count)
        if (
            entry.search == self.searches and entry.own == n.own and entry.other == n.other
            and entry.last == n.last and entry.barred == barred
        ):
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
            left = popcount(legal_fields(t, occupied | bit(field), field, n.last))
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
            child = after(n, order[i])
            value = -self.search(&child, -beta, -alpha)
            if value > best:
                best = value
                first = order[i]
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
        entry.bound = UPPER if best <= floor else LOWER if best >= beta else EXACT
        entry.own, entry.other, entry.last, entry.barred = n.own, n.other, n.last, barred
        entry.search, entry.value, entry.move = self.searches, best, first
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
