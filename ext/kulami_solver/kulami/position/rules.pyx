"""The rules of Kulami on bit masks: geometry of a layout, legal fields, score parts, perft.

Everything here takes and gives plain integers; `kulami_solver.Layout` and
`kulami_solver.Position` are the types for users. `rules.pxd` describes the data.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memset

# Plies that perft counts in one piece between two checks for Ctrl-C: about 10 ms.
cdef enum:
    UNINTERRUPTED = 6


cdef uint64_t count_leaves(
    const Tables *t, uint64_t occupied, int last, int before, int supply, int depth
) noexcept nogil:
    """Leaves `depth` >= 1 plies below a position; an ended game is one leaf."""
    cdef uint64_t moves, replies, leaves
    cdef uint64_t barred
    cdef int field
    moves = legal_fields(t, occupied, last, before)
    if supply <= 0 or not moves:
        return 1
    if depth == 1:
        return popcount(moves)
    leaves = 0
    if depth == 2:
        # Bulk counting: the replies to a move are counted, not made. A move that leaves no
        # reply ends the game and is a leaf itself.
        if supply == 1:
            return popcount(moves)
        barred = occupied | t.barred[last]
        while moves:
            field = lowest(moves)
            moves &= moves - 1
            # `field` itself lies on its own panel, which cross[field] leaves out.
            replies = t.cross[field] & ~barred
            leaves += popcount(replies) + (replies == 0)
        return leaves
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        leaves += count_leaves(t, occupied | bit(field), field, last, supply - 1, depth - 1)
    return leaves


cdef object count_leaves_interruptibly(
    const Tables *t, uint64_t occupied, int last, int before, int supply, int depth
):
    cdef uint64_t moves, leaves
    cdef int field
    if depth <= UNINTERRUPTED:
        with nogil:
            leaves = count_leaves(t, occupied, last, before, supply, depth)
        PyErr_CheckSignals()
        return leaves
    moves = legal_fields(t, occupied, last, before)
    if supply <= 0 or not moves:
        return 1
    total = 0       # a Python integer: deep counts pass 2**64
    while moves:
        field = lowest(moves)
        moves &= moves - 1
        total += count_leaves_interruptibly(
            t, occupied | bit(field), field, last, supply - 1, depth - 1
        )
    return total


cdef bint are_alike(const Tables *t, uint64_t line, uint64_t other) noexcept nogil:
    """Whether two lines, the first one with the lower fields, are the same to all panels.

    Their fields then come in pairs, as many numbers apart for all pairs. Panels are rectangles, so
    the fields of one panel on two rows lie in the same columns.
    """
    cdef int distance = lowest(other) - lowest(line)
    if distance < 0 or line << distance != other or other >> distance != line:
        return False
    while line:
        if t.panel_of[lowest(line)] != t.panel_of[lowest(line) + distance]:
            return False
        line &= line - 1
    return True


cdef void find_exchanges(Tables *t, const uint64_t *lines, int count) noexcept nogil:
    """List exchanges that sort each group of lines that are alike, like a bubble sort."""
    cdef uint64_t grouped = 0
    cdef int group[16]
    cdef int size, i, j
    for i in range(count):
        if lines[i] == 0 or grouped >> i & 1:
            continue
        group[0] = i
        size = 1
        for j in range(i + 1, count):
            if lines[j] and are_alike(t, lines[i], lines[j]):
                group[size] = j
                size += 1
                grouped |= bit(j)
        while size > 1:
            for j in range(size - 1):
                if t.exchanges == MAX_EXCHANGES:
                    return
                t.exchange[t.exchanges].fields = lines[group[j]]
                t.exchange[t.exchanges].distance = (
                    lowest(lines[group[j + 1]]) - lowest(lines[group[j]])
                )
                t.exchanges += 1
            size -= 1


cdef class Geometry:
    """Compiled tables of one layout.

    Args:
        width, height: size of the grid, 1 to 16 squares each.
        squares: `width * height` panel numbers row by row, counted from 0 without a gap in the
            numbering; -1 where there is no field. At most 64 fields.

    Fields are numbered row by row, gaps skipped. A set of fields is an `int` in which bit i
    stands for field i.

    Raises:
        ValueError: the numbers do not describe a layout.

    Example:
        >>> g = Geometry(3, 2, [0, 0, 1, 2, 2, 1])      # AAB/CCB
        >>> g.fields, g.panels
        (6, 3)
        >>> bin(g.legal(red=0b000001, black=0, last=0, before=-1))   # after a1: c1 and a2
        '0b1100'
    """

    def __init__(self, int width, int height, squares):
        cdef Tables *t = &self.tables
        cdef int x, y, dx, dy, i, step, f, first, w
        cdef bint adjoins
        cdef uint64_t rows[16]
        cdef uint64_t columns[16]
        cdef int number[16][16]
        memset(t, 0, sizeof(Tables))
        if not (1 <= width <= 16 and 1 <= height <= 16) or len(squares) != width * height:
            raise ValueError(f"a grid of {width} x {height} with {len(squares)} squares")
        memset(rows, 0, sizeof(rows))
        memset(columns, 0, sizeof(columns))
        panels = sorted({p for p in squares if p != -1})
        if not panels or panels != list(range(len(panels))):
            raise ValueError("panels are numbered from 0 without a gap in the numbering")
        if sum(p != -1 for p in squares) > MAX_FIELDS:
            raise ValueError(f"more than {MAX_FIELDS} fields")
        t.panels = len(panels)
        t.fields = 0
        for y in range(height):
            for x in range(width):
                number[y][x] = -1
                if squares[y * width + x] == -1:
                    continue
                f = t.fields
                t.fields += 1
                number[y][x] = f
                t.panel_of[f] = squares[y * width + x]
                t.size[t.panel_of[f]] += 1
                t.panel[t.panel_of[f]] |= bit(f)
                rows[y] |= bit(f)
                columns[x] |= bit(f)
        t.every = ~<uint64_t>0 >> (MAX_FIELDS - t.fields)
        t.cross[NO_FIELD] = t.every
        t.barred[NO_FIELD] = 0
        t.panel_of[NO_FIELD] = MAX_FIELDS
        for y in range(height):
            for x in range(width):
                f = number[y][x]
                if f < 0:
                    continue
                t.barred[f] = t.panel[t.panel_of[f]]
                t.cross[f] = (rows[y] | columns[x]) & ~t.barred[f]
                for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                    if 0 <= x + dx < width and 0 <= y + dy < height and number[y + dy][x + dx] >= 0:
                        t.beside[f] |= bit(number[y + dy][x + dx])
        # Windows line by line: every line is walked from its first square on the grid, so that
        # windows which overlap in four squares stand next to each other.
        w = 0
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for y in range(height):
                for x in range(width):
                    if 0 <= x - dx < width and 0 <= y - dy < height:
                        continue
                    first, adjoins = 0, False
                    while 0 <= x + first * dx < width and 0 <= y + first * dy < height:
                        for i in range(CHAIN):
                            step = first + i
                            if not (0 <= x + step * dx < width and 0 <= y + step * dy < height):
                                break
                            if number[y + step * dy][x + step * dx] < 0:
                                break
                        else:
                            for i in range(CHAIN):
                                step = first + i
                                t.window[w] |= bit(number[y + step * dy][x + step * dx])
                            t.follows[w >> 6] |= <uint64_t>adjoins << (w & 63)
                            w += 1
                            adjoins = True
                            first += 1
                            continue
                        adjoins = False
                        first += 1
        t.windows = w
        for w in range(t.windows):
            for f in range(t.fields):
                if t.window[w] & bit(f):
                    t.through[f][w >> 6] |= bit(w & 63)
        find_exchanges(t, rows, height)
        find_exchanges(t, columns, width)

    @property
    def fields(self) -> int:
        """Number of fields, 1 to 64."""
        return self.tables.fields

    @property
    def sizes(self) -> list[int]:
        """Fields of each panel."""
        return [self.tables.size[p] for p in range(self.tables.panels)]

    @property
    def panels(self) -> int:
        """Number of panels, 1 to 64."""
        return self.tables.panels

    def legal(self, uint64_t red, uint64_t black, int last, int before) -> int:
        """The legal fields as a set, however many marbles are left.

        Args:
            red, black: the fields with a marble of that colour.
            last: field of the newest marble, -1 before the first.
            before: field of the marble placed before it, -1 for none.
        """
        return legal_fields(
            &self.tables, red | black,
            self.checked(last), self.checked(before),
        )

    def panel_points(self, uint64_t red, uint64_t black) -> tuple[int, int]:
        """Points for panels, (red, black): the fields of the panels each colour has won."""
        return panel_points(&self.tables, red, black), panel_points(&self.tables, black, red)

    def largest_areas(self, uint64_t red, uint64_t black) -> tuple[int, int]:
        """Sizes of the largest areas, (red, black): marbles connected by their sides."""
        return largest_area(&self.tables, red), largest_area(&self.tables, black)

    def chain_points(self, uint64_t red, uint64_t black) -> tuple[int, int]:
        """Sums of the lengths of all chains, (red, black)."""
        return chain_points(&self.tables, red), chain_points(&self.tables, black)

    def perft(
        self, uint64_t red, uint64_t black, int last, int before, int supply, int depth
    ) -> list[int]:
        """Numbers of leaves at depth 1, 2, ... `depth`; an ended game counts once as a leaf.

        Args:
            red, black, last, before: a position, as for `legal`.
            supply: plies that the marbles still allow, both colours together.
            depth: plies, at least 1.
        """
        cdef int a = self.checked(last)
        cdef int b = self.checked(before)
        return [
            count_leaves_interruptibly(&self.tables, red | black, a, b, supply, d)
            for d in range(1, depth + 1)
        ]

    cdef int checked(self, int field) except -1:
        if field == -1:
            return NO_FIELD
        if not 0 <= field < self.tables.fields:
            raise ValueError(f"no field {field}: the layout has {self.tables.fields} fields")
        return field

    cdef int check_marbles(self, uint64_t own, uint64_t other) except -1:
        if (own | other) & ~self.tables.every:
            raise ValueError(
                f"marbles outside the layout: it has {self.tables.fields} fields, so use bits 0 "
                f"to {self.tables.fields - 1}"
            )
        if own & other:
            raise ValueError("marbles of both sides on one field")
        return 0
