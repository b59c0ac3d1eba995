"""The rules of Malawi on bit boards: turns, positions after them, positions before them.

Everything here takes and gives plain integers and bytes, always in the view of the side to move.
`rules.pxd` shows the data.
"""

from libc.string cimport memset


cdef class Rules:
    """Compiled tables of one board.

    Args:
        columns: 2 or more.
        rows: 3 or more; at most 64 squares in all.

    A position is three things: the squares of the own figures and of the opponent's as sets, and
    the beads on every square as bytes. Own figures walk up to row 0; squares are numbered row by
    row from there.

    Raises:
        ValueError: there is no such board, or the arguments are no position on it.

    Examples:
        >>> rules = Rules(2, 3)
        >>> start = 0b110000, 0b000011, bytes([1, 1, 0, 0, 1, 1])
        >>> rules.turns(*start)
        [(0, 4, 4), (2, 4, 32), (0, 5, 8), (2, 5, 16)]
        >>> rules.play(*start, 0, 4, 1 << 2)
        (48, 6, b'\\x00\\x01\\x01\\x00\\x01\\x01')
    """

    def __cinit__(self, int columns, int rows):
        cdef BoardTables *b = &self.board
        cdef int square, to, x, y, dx, dy, k
        cdef uint64_t passed
        if columns < 2 or rows < 3 or columns * rows > MAX_SQUARES:
            raise ValueError(
                f"a board of {columns} x {rows}: give 2 or more columns, 3 or more rows and at "
                f"most {MAX_SQUARES} squares"
            )
        memset(b, 0, sizeof(BoardTables))
        b.columns, b.rows, b.squares = columns, rows, columns * rows
        b.every = ~<uint64_t>0 >> (MAX_SQUARES - b.squares)
        b.far = bit(columns) - 1
        for square in range(b.squares):
            y, x = divmod(square, columns)
            b.turned[square] = (rows - 1 - y) * columns + x
            b.mirrored[square] = y * columns + columns - 1 - x
            for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                passed = 0
                k = 1
                while 0 <= x + k * dx < columns and 0 <= y + k * dy < rows:
                    to = (y + k * dy) * columns + x + k * dx
                    b.exact[square][k] |= bit(to)
                    b.between[square][to] = passed
                    passed |= bit(to)
                    k += 1

    def end(self, uint64_t own, uint64_t other, const uint8_t[::1] beads) -> int:
        """1 if the side to move has won, -1 if it has lost, 0 if the game goes on."""
        cdef State s
        self.read(&s, own, other, beads)
        if has_won(&self.board, &s):
            return 1
        return -1 if has_lost(&s) else 0

    def turns(
        self, uint64_t own, uint64_t other, const uint8_t[::1] beads
    ) -> list[tuple[int, int, int]]:
        """All turns, whether or not the game has ended, as (kind, square, to).

        `kind` is 0 for a move, 1 for a hit, 2 for a redistribution; `square` is the figure's
        square; `to` is a set: the goal of the move, the figure hit, or the receivers.
        """
        cdef State s
        cdef Turns t
        self.read(&s, own, other, beads)
        found = []
        begin_turns(&s, &t)
        while next_turn(&self.board, &s, &t):
            found.append((<int>t.turn.kind, t.turn.square, t.turn.to))
        return found

    def play(
        self, uint64_t own, uint64_t other, const uint8_t[::1] beads,
        int kind, int square, uint64_t to
    ) -> tuple[int, int, bytes]:
        """The position after one of the `turns`, in the opponent's view.

        Raises:
            ValueError: it is none of the position's turns.
        """
        cdef State s, seen
        cdef Turns t
        self.read(&s, own, other, beads)
        begin_turns(&s, &t)
        while next_turn(&self.board, &s, &t):
            if <int>t.turn.kind == kind and t.turn.square == square and t.turn.to == to:
                make(&s, &t.turn)
                turn_round(&self.board, &s, &seen)
                return self.written(&seen)
        raise ValueError("that is no turn of this position")

    def turned(
        self, uint64_t own, uint64_t other, const uint8_t[::1] beads
    ) -> tuple[int, int, bytes]:
        """The same position in the view of the other side: own and other change places."""
        cdef State s, seen
        self.read(&s, own, other, beads)
        turn_round(&self.board, &s, &seen)
        return self.written(&seen)

    def mirrored(
        self, uint64_t own, uint64_t other, const uint8_t[::1] beads
    ) -> tuple[int, int, bytes]:
        """The same position with left and right exchanged."""
        cdef State s
        self.read(&s, own, other, beads)
        mirror(&self.board, &s)
        return self.written(&s)

    cdef int read(
        self, State *s, uint64_t own, uint64_t other, const uint8_t[::1] beads
    ) except -1:
        cdef int square
        if own & other or (own | other) & ~self.board.every:
            raise ValueError("two figures on a square, or one beside the board")
        if beads.shape[0] != self.board.squares:
            raise ValueError(f"beads of {beads.shape[0]} squares: give {self.board.squares}")
        memset(s, 0, sizeof(State))
        s.own, s.other = own, other
        for square in range(self.board.squares):
            if beads[square] and not (own | other) & bit(square):
                raise ValueError(f"beads without a figure on square {square}")
            put_beads(s, square, beads[square])
        return 0

    cdef tuple written(self, const State *s):
        return s.own, s.other, s.beads[:self.board.squares]
