"""Many games of Kulami stepped at once: moves, legal fields, margins, random play.

`kulami_solver.adapters.batch` is the interface for users, and checks types and shapes; here only
those numbers are checked that would do harm. Everything runs without the GIL, and a set of games
serves one thread at a time.

    red black legal     sets of fields; legal is empty once the game is over
    luck                state of the game's own random numbers
    tables              the rules of its layout
    start               supply of an empty board, with which a new game begins

Games are independent of each other: each can be on any layout, at any ply.
"""

from cython cimport final
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free as release

from kulami_solver.core.bits cimport (
    bit, lowest, relaxed_load, release_store, take as take_word,
)
from kulami_solver.kulami.position.luck cimport drawn
from kulami_solver.kulami.position.rules cimport (
    BLACK, MAX_FIELDS, NO_FIELD, RED, Geometry, Tables, legal_fields, margin_of,
)

cdef enum:
    NO_ACTION = -1          # the only action in a game that is over

cdef struct Game:           # one cache line
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


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    """SplitMix64: seeds that are close to each other give starting points far apart."""
    x += <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline bint permits(const Game *g, int64_t action) noexcept nogil:
    """Is an action legal? A game that is over has none but `NO_ACTION`."""
    if 0 <= action < MAX_FIELDS:
        return g.legal >> action & 1
    return action == NO_ACTION and g.legal == 0


cdef inline void renew(Game *g) noexcept nogil:
    """Put the game back to its empty board."""
    g.red = g.black = 0
    g.last = g.before = NO_FIELD
    g.turn = g.first
    g.supply = g.start
    g.legal = g.tables.every


cdef inline void play(Game *g, int field) noexcept nogil:
    if g.turn == RED:
        g.red |= bit(field)
    else:
        g.black |= bit(field)
    g.turn = BLACK - g.turn
    g.before = g.last
    g.last = field
    g.supply -= 1
    g.legal = (
        legal_fields(g.tables, g.red | g.black, g.last, g.before) if g.supply > 0 else 0
    )


@final
cdef class Games:
    """Games, each on its own layout.

    Args:
        count: number of games, at least 1.
        areas, chains: whether areas and chains count.

    Raises:
        MemoryError: there is no room for that many.

    `begin` has to be called for all of them before any other method.
    """

    cdef Game *game
    cdef readonly int count
    cdef list geometries
    cdef bint areas
    cdef bint chains
    cdef uint64_t busy

    def __cinit__(self, int count, bint areas, bint chains):
        if count < 1:
            raise ValueError(f"{count} games: give 1 or more")
        self.game = <Game *>calloc(count, sizeof(Game))
        if self.game == NULL:
            raise MemoryError(f"no memory for {count} games")
        self.count = count
        self.areas = areas
        self.chains = chains
        self.geometries = []

    def __dealloc__(self):
        release(self.game)

    cdef int take(self) except -1:
        """Keep other threads out, until `busy` is 0 again."""
        if take_word(&self.busy):
            raise RuntimeError("another thread is at work on these games: make some for each")
        return 0

    def begin(
        self, list geometries not None, const int32_t[::1] boards, const uint8_t[::1] chosen,
        const uint64_t[::1] seeds, int first, int supply, bint seeded,
    ) -> None:
        """Begin the chosen games anew, on layouts and with random numbers.

        Args:
            geometries: the layouts of all games from now on.
            boards: the number of each game's layout among them.
            chosen: 1 for each game that begins; the layouts of the others must not change.
            seeds: of each game's random numbers.
            first: the side that begins, 0 red, 1 black.
            supply: plies that the marbles allow, both colours together.
            seeded: whether the chosen games take their seeds, or go on with the numbers they have.
        """
        cdef Game *g
        cdef int i
        cdef Geometry geometry
        if min(len(boards), len(chosen), len(seeds)) < self.count:
            raise ValueError(f"fewer than {self.count} layouts, choices or seeds")
        if not 0 < supply <= 2 * MAX_FIELDS or first not in (RED, BLACK):
            raise ValueError(f"{supply} plies, {first} begins: give 1 to {2 * MAX_FIELDS}, 0 or 1")
        for i in range(self.count):
            if not 0 <= boards[i] < len(geometries):
                raise ValueError(f"game {i}: there is no layout {boards[i]}")
        self.take()
        try:
            self.geometries = geometries
            for i in range(self.count):
                g = &self.game[i]
                geometry = geometries[boards[i]]
                g.tables = &geometry.tables
                g.board = boards[i]
                if chosen[i]:
                    g.first = first
                    g.start = supply
                    if seeded:
                        g.luck = mixed(seeds[i]) | 1    # xorshift stays at 0
                    renew(g)
        finally:
            release_store(&self.busy, 0)

    def step(
        self, const int64_t[::1] actions, int16_t[:, ::1] rewards, uint8_t[::1] ended,
        bint outcome, bint again,
    ) -> int:
        """Play an action in each game, or return the number of the first with an illegal action.

        Returns -1 if all are legal. If one is not, no game changes.

        Args:
            actions: fields; -1 in a game that is over, which is left as it is.
            rewards: set to the rewards of red and black in games that end with this action, 0 in
                all others.
            ended: set to 1 for each game that ends with it.
            outcome: rewards are 1, 0 and -1, not margins.
            again: games that end are begun anew.
        """
        cdef Game *g
        cdef int64_t action
        cdef int i, points, wrong = -1
        if not len(actions) == len(rewards) == len(ended) == self.count or rewards.shape[1] != 2:
            raise ValueError("actions, rewards or ended are not as many as the games")
        self.take()
        with nogil:
            for i in range(self.count):
                if not permits(&self.game[i], actions[i]):
                    wrong = i
                    break
            for i in range(self.count if wrong < 0 else 0):
                g = &self.game[i]
                points = 0
                ended[i] = False
                # The caller may have changed the array since the first check: read the number
                # once, then check and play it.
                action = <int64_t>relaxed_load(<const uint64_t *>&actions[i])
                if g.legal and permits(g, action):
                    play(g, action)
                    if not g.legal:
                        ended[i] = True
                        points = margin_of(g.tables, g.red, g.black, self.areas, self.chains)
                        if outcome:
                            points = (points > 0) - (points < 0)
                        if again:
                            renew(g)
                rewards[i, RED] = points
                rewards[i, BLACK] = -points
        release_store(&self.busy, 0)
        return wrong

    def draw(self, int64_t[::1] actions) -> None:
        """Draw a random legal action of each game; -1 where it is over."""
        cdef Game *g
        cdef int i
        if len(actions) != self.count:
            raise ValueError(f"{len(actions)} actions for {self.count} games")
        self.take()
        with nogil:
            for i in range(self.count):
                g = &self.game[i]
                actions[i] = drawn(&g.luck, g.legal) if g.legal else NO_ACTION
        release_store(&self.busy, 0)

    def roll_out(self, int16_t[:, ::1] margins, uint8_t[:, ::1] plies) -> None:
        """Play each game at random to its end, once for each column; the games themselves stay.

        Args:
            margins: set to red's score minus black's.
            plies: set to the number of marbles placed.
        """
        cdef Game g
        cdef int i, k
        if not len(margins) == len(plies) == self.count or margins.shape[1] != plies.shape[1]:
            raise ValueError("margins or plies are not as many as the games")
        self.take()
        with nogil:
            for i in range(self.count):
                for k in range(margins.shape[1]):
                    g = self.game[i]
                    while g.legal:
                        play(&g, drawn(&g.luck, g.legal))
                    margins[i, k] = margin_of(g.tables, g.red, g.black, self.areas, self.chains)
                    plies[i, k] = self.game[i].supply - g.supply
                    self.game[i].luck = g.luck
        release_store(&self.busy, 0)

    def show(
        self, uint64_t[::1] red, uint64_t[::1] black, uint64_t[::1] legal, int8_t[::1] last,
        int8_t[::1] before, uint8_t[::1] turn, uint8_t[::1] supply, int16_t[::1] margins,
    ) -> None:
        """Fill in the state of each game; fields are -1 where there is none."""
        cdef const Game *g
        cdef int i
        if min(
            len(red), len(black), len(legal), len(last), len(before), len(turn), len(supply),
            len(margins),
        ) < self.count:
            raise ValueError(f"an array for fewer than {self.count} games")
        self.take()
        with nogil:
            for i in range(self.count):
                g = &self.game[i]
                red[i] = g.red
                black[i] = g.black
                legal[i] = g.legal
                last[i] = -1 if g.last == NO_FIELD else g.last
                before[i] = -1 if g.before == NO_FIELD else g.before
                turn[i] = g.turn
                supply[i] = g.supply
                margins[i] = margin_of(g.tables, g.red, g.black, self.areas, self.chains)
        release_store(&self.busy, 0)

    def legal(self, uint64_t[::1] masks) -> None:
        """Fill in the legal fields of each game."""
        cdef int i
        if len(masks) != self.count:
            raise ValueError(f"{len(masks)} masks for {self.count} games")
        self.take()
        with nogil:
            for i in range(self.count):
                masks[i] = self.game[i].legal
        release_store(&self.busy, 0)

    def spread(self, uint8_t[:, ::1] masks) -> None:
        """Fill in the legal fields of each game, a byte each."""
        cdef uint64_t moves
        cdef int i, f
        if len(masks) != self.count or masks.shape[1] != MAX_FIELDS:
            raise ValueError(f"masks are not {self.count} by {MAX_FIELDS}")
        self.take()
        with nogil:
            for i in range(self.count):
                moves = self.game[i].legal
                for f in range(MAX_FIELDS):
                    masks[i, f] = moves >> f & 1
        release_store(&self.busy, 0)

    def observe(
        self, float[:, :, ::1] planes, const uint8_t[:, ::1] squares,
        const float[:, :, ::1] still,
    ) -> None:
        """Fill in each game's planes, in the view of its side to move.

        The planes are its marbles, the other side's, the legal fields, the barred ones, the newest
        marble and the one before it; then those of the layout, of which one says who is to move: it
        is 0 once the game is over.

        Args:
            planes: games by planes by squares.
            squares: the square of each field, for each layout.
            still: the planes that never change, for each layout.
        """
        cdef const Game *g
        cdef const Tables *t
        cdef int i, p, s, moving, resting, to_move
        moving, resting, to_move = 6, still.shape[1], 9
        self.take()
        if (
            len(planes) != self.count or planes.shape[1] != moving + resting
            or planes.shape[1] <= to_move
            or planes.shape[2] != still.shape[2]
            or min(len(squares), len(still)) < len(self.geometries)
            or squares.shape[1] != MAX_FIELDS
        ):
            release_store(&self.busy, 0)
            raise ValueError("planes are not as many as the games have")
        with nogil:
            for i in range(self.count):
                g = &self.game[i]
                t = g.tables
                planes[i, :moving, :] = 0
                mark(planes[i, 0], squares[g.board], g.black if g.turn == BLACK else g.red)
                mark(planes[i, 1], squares[g.board], g.red if g.turn == BLACK else g.black)
                mark(planes[i, 2], squares[g.board], g.legal)
                mark(planes[i, 3], squares[g.board], t.barred[g.last] | t.barred[g.before])
                if g.last != NO_FIELD:
                    mark(planes[i, 4], squares[g.board], bit(g.last))
                if g.before != NO_FIELD:
                    mark(planes[i, 5], squares[g.board], bit(g.before))
                for p in range(resting):
                    for s in range(still.shape[2]):
                        planes[i, moving + p, s] = still[g.board, p, s]
                if g.legal == 0:
                    planes[i, to_move, :] = 0
        release_store(&self.busy, 0)


cdef inline void mark(
    float[::1] plane, const uint8_t[::1] squares, uint64_t fields
) noexcept nogil:
    while fields:
        plane[squares[lowest(fields)]] = 1
        fields &= fields - 1
