"""The questions that lead to a position's value, and the line of play that keeps it.

A search answers "is the margin at least beta?" (`search.pyx`). The questions here are asked without
Python in between: close to the end of a game a question takes less time than a call.

    next_beta       the open question nearest to the last answer
    Inquiry         a position, the questions about it, and the knowledge so far
      narrow        the one loop of questions: ask, and again at each answer (MTD(f))
      value_moves   the same for the position after each field
      follow        a field that keeps the value, for each position on the way

A goal is a range of betas, from `least` to `most`:

    "margin"    -FAR .. FAR     until the bounds meet
    "outcome"      0 .. 1       until they tell win, draw or loss
    a number    beta .. beta    until they tell whether the margin is at least beta

A field is played only when a search has shown that it keeps the value: either the search of the
position names it as the field that reached beta, or a search of the position after it shows this.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from kulami_solver.core.bits cimport bit, lowest, relaxed_load_32, relaxed_store_32
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.core.table cimport NO_MOVE
from kulami_solver.kulami.solve.heuristics cimport FAR_OFF, look_ahead
from kulami_solver.kulami.solve.node cimport Node
from kulami_solver.kulami.solve.table import Contradiction
from kulami_solver.kulami.position.rules cimport (
    MAX_FIELDS, MINUS_INFINITY, Ply, after, legal_now,
)
from kulami_solver.kulami.solve.search cimport Search
from kulami_solver.kulami.solve.bounds cimport SIXTY_FOURTH

cdef enum:
    # A guess of the margin looks GUESS_PLIES ahead with LONG_PLIES or more to come, and
    # LATE_GUESS_PLIES with SHORT_PLIES or more. In shorter games it is the middle of the bounds.
    LONG_PLIES = 18
    GUESS_PLIES = 6
    SHORT_PLIES = 10
    LATE_GUESS_PLIES = 1

    FAR = 1 << 10           # farther from 0 than any margin at any scoring
    NO_QUESTION = 1 << 20   # all questions are answered

# Outcomes of looking for a field that keeps a value, when there is none.
cdef enum:
    STOPPED = -1
    NONE_KEEPS = -2

# The betas that a goal asks about.
cdef struct Goal:
    int least
    int most

# Knowledge about a position: lower <= margin <= upper.
cdef struct Known:
    int32_t lower           # both are written by one thread, and read by any
    int32_t upper
    int proving             # a field that makes the margin at least `lower`; NO_MOVE if unknown


cdef double outlook_at(Search search, int plies, int looks) noexcept nogil:
    """`outlook` from this number of looks, not limited by the bounds."""
    cdef Node root = search.root
    cdef int seen = 0
    cdef int deeper
    for deeper in range(looks):
        seen += look_ahead(
            &search.searcher, &root, plies + deeper, -FAR_OFF, FAR_OFF, 0
        )
    return seen / (<double>looks * SIXTY_FOURTH)


cdef int guessed(Search search) noexcept nogil:
    """`guess`, without keeping other threads out."""
    cdef Node *root = &search.root
    cdef int least = GUESS_PLIES if root.plies >= LONG_PLIES else LATE_GUESS_PLIES
    if root.plies < SHORT_PLIES:
        return (root.lower + root.upper) >> 1
    return min(max(<int>outlook_at(search, least, 2), <int>root.lower), <int>root.upper)


def guess(Search search not None) -> int:
    """Guess the margin of a search's position, within its bounds."""
    cdef int margin
    begin_alone(&search.scratch.busy)
    with nogil:
        margin = guessed(search)
    end_alone(&search.scratch.busy)
    return margin


def outlook(Search search not None, int plies, bint twice=True) -> float:
    """Estimate the value of a search's position, in points, by a look ahead.

    A look ahead favours the side to move at its end. So two looks, one of `plies` and one a ply
    deeper, are averaged and kept within the bounds. If not `twice`, the first look is the answer as
    it is. In games too short for that, the answer is the middle of the bounds.
    """
    cdef double points, lower, upper
    begin_alone(&search.scratch.busy)
    lower, upper = search.root.lower, search.root.upper
    points = (lower + upper) / 2.0
    if search.root.plies >= min(SHORT_PLIES, plies + 2):
        with nogil:
            points = outlook_at(search, plies, 1 + twice)
    end_alone(&search.scratch.busy)
    return min(max(points, lower), upper) if twice else points


cdef Goal betas_of(goal):
    """The betas of a goal as Python has it."""
    if isinstance(goal, str):
        return Goal(0, 1) if goal == "outcome" else Goal(-FAR, FAR)
    return Goal(goal, goal)


cdef inline int next_beta(const Known *known, const Goal *goal, int beta) noexcept nogil:
    """The open question nearest to `beta`; NO_QUESTION if all of the goal are answered.

    Whether the margin is at least b is an open question if lower < b <= upper.
    """
    cdef int low = max(known.lower + 1, goal.least)
    cdef int high = min(known.upper, goal.most)
    return min(max(beta, low), high) if low <= high else NO_QUESTION


def open_beta(int lower, int upper, goal, int beta) -> int | None:
    """`next_beta` for these bounds; None if no question is open."""
    cdef Known known = Known(lower, upper, NO_MOVE)
    cdef Goal asked = betas_of(goal)
    beta = next_beta(&known, &asked, beta)
    return None if beta == NO_QUESTION else beta


cdef inline void take_up(Search search, const Ply *here) noexcept nogil:
    search.take_up(here.own, here.other, here.last, here.before, here.supply)


cdef class Inquiry:
    """A position, the questions about it, and the knowledge so far.

    The knowledge may be read at any time and by any thread, and is true however `find` ended.

    Args:
        search: of the position's layout and scoring.
        place: own, other, last, before and supply, as for `Search.set_position`.
        goal: "margin", "outcome", or a number: is the margin at least that?
        known: bounds that are proved already, None for those that hold without search.
        moves: whether to ask the same about the position after each field.
        line: whether a line of best play is wanted.
        help: called with a place and a beta, has other searches answer that question, too, and
            returns their futures; None for a search that works alone.

    Raises:
        ValueError: as for `set_position`.
        RuntimeError: another thread is at work with the search.
    """

    cdef Search search
    cdef object help
    cdef bint helped
    cdef bint holds_lock            # whether searches are too short to release Python's lock
    cdef Goal goal
    cdef bint wants_moves, wants_line
    cdef Ply here                   # from the position to the end of its line
    cdef Known known
    cdef uint64_t fields            # the legal ones, if `moves` asks about them
    cdef Known after[MAX_FIELDS]    # of each field, for the side that moves after it
    cdef uint8_t line_fields[MAX_FIELDS]
    cdef int made                   # number of fields in the line
    cdef int end                    # below 0: why the line is not whole (STOPPED, NONE_KEEPS)
    cdef int preferred_field        # below 0: none
    cdef readonly bint reached      # whether `known` answers all questions
    cdef readonly bint valued       # ... and whether `after` does for each move

    def __init__(
        self, Search search not None, place, goal="margin", known=None,
        bint moves=False, bint line=False, help=None,
    ):
        cdef uint64_t left
        cdef int field
        cdef Ply child
        own, other, last, before, supply = place
        self.search, self.help, self.helped = search, help, help is not None
        self.goal = betas_of(goal)
        self.wants_moves, self.wants_line = moves, line
        self.end = STOPPED
        self.preferred_field = -1
        begin_alone(&search.scratch.busy)
        try:
            search.set_up(own, other, last, before, supply)
            self.here = Ply(
                own, other, search.bounds.geometry.checked(last),
                search.bounds.geometry.checked(before), supply,
            )
            self.holds_lock = not self.helped and search.holds_lock()
            self.known = Known(search.root.lower, search.root.upper, NO_MOVE)
            if known is not None:
                self.known.lower = max(self.known.lower, <int>known[0])
                self.known.upper = min(self.known.upper, <int>known[1])
            self.fields = left = search.root.legal if moves and supply > 0 else 0
            while left:
                field = lowest(left)
                left &= left - 1
                child = after(&self.here, field)
                take_up(search, &child)
                self.after[field] = Known(search.root.lower, search.root.upper, NO_MOVE)
        finally:
            end_alone(&search.scratch.busy)

    def find(self) -> None:
        """Answer the questions until the search is stopped.

        Raises:
            RuntimeError: another thread is using the search.
        """
        begin_alone(&self.search.scratch.busy)
        try:
            if self.holds_lock:
                self.answer()
            else:
                with nogil:
                    self.answer()
        finally:
            end_alone(&self.search.scratch.busy)

    cdef int answer(self) except -1 nogil:
        """`find`, when no other thread uses the search."""
        take_up(self.search, &self.here)
        self.reached = self.narrow(&self.here, &self.known)
        self.conclude()
        return 0

    cdef int ask_together(self, const Ply *here, int beta, int *answer) except -1:
        """`Search.ask` with the help of other searches; one answer is enough.

        Only meanwhile `answered` may be set, so that no later question is taken for answered.
        """
        cdef bint answered
        cdef int last = here.last if here.last < MAX_FIELDS else -1
        cdef int before = here.before if here.before < MAX_FIELDS else -1
        try:
            helping = self.help((here.own, here.other, last, before, here.supply), beta)
            with nogil:
                answered = self.search.ask(beta, answer)
                if answered:
                    relaxed_store_32(&self.search.searcher.control.answered, 1)
            for future in helping:
                found = future.result()
                if found is not None and not answered:
                    answer[0] = found
                    answered = True
        finally:
            relaxed_store_32(&self.search.searcher.control.answered, 0)
        return answered

    cdef int narrow(self, const Ply *here, Known *known) except -1 nogil:
        """Ask about the position that the search holds until all is answered; false if stopped."""
        cdef int answer = 0, answered
        cdef int beta = known.lower + known.upper > 0
        if self.goal.most - self.goal.least > 1 and known.lower < known.upper:
            beta = guessed(self.search)
        while True:
            beta = next_beta(known, &self.goal, beta)
            if beta == NO_QUESTION:
                return True
            if self.helped:
                with gil:
                    answered = self.ask_together(here, beta, &answer)
            else:
                answered = self.search.ask(beta, &answer)
            if not answered:
                return False
            if answer >= beta:
                relaxed_store_32(&known.lower, answer)
                known.proving = self.search.searcher.moves[0].first
            else:
                relaxed_store_32(&known.upper, answer)
            beta = answer

    cdef int conclude(self) except -1 nogil:
        """Find the moves' values and the line, if wanted and if the bounds are narrow enough."""
        if not self.reached or self.wants_moves:
            self.preferred_field = self.search.preferred_field()
        if self.known.proving != NO_MOVE:
            self.preferred_field = self.known.proving
        if self.reached and self.wants_moves:
            self.valued = self.value_moves()
        if self.reached and self.wants_line:
            self.follow()
        return 0

    cdef int value_moves(self) except -1 nogil:
        """`narrow` the position after each field; false if stopped."""
        cdef uint64_t left = self.fields
        cdef Known *known
        cdef Ply child
        cdef int field
        while left:
            field = lowest(left)
            left &= left - 1
            known = &self.after[field]
            # No field is worth more than the position, and the proving field is worth as much.
            relaxed_store_32(&known.lower, max(known.lower, -self.known.upper))
            if field == self.known.proving:
                relaxed_store_32(&known.upper, min(known.upper, -self.known.lower))
            if next_beta(known, &self.goal, 0) == NO_QUESTION:
                continue
            child = after(&self.here, field)
            take_up(self.search, &child)
            if not self.narrow(&child, known):
                return False
        return True

    cdef void follow(self) noexcept nogil:
        """Play to the end of the game with fields that keep the value."""
        cdef Known *known = &self.known
        cdef Ply *here = &self.here
        cdef int target, reply, field = 0
        # Margins that the side to move, and the other side, can secure; MINUS_INFINITY where any
        # field is as good as another.
        if known.lower == known.upper:
            target, reply = known.lower, -known.lower
        elif known.lower > 0:
            target, reply = 1, MINUS_INFINITY
        else:
            target, reply = MINUS_INFINITY, 1
        while legal_now(self.search.searcher.rules, here):
            field = known.proving
            if self.made or field == NO_MOVE:
                field = keeping_field(self.search, here, target)
            if field < 0:
                break
            self.line_fields[self.made] = field
            self.made += 1
            here[0] = after(here, field)
            target, reply = reply, target
        self.end = field

    def check(self) -> None:
        """After `find`: raise a `Contradiction` if the results contradict each other."""
        if self.known.lower > self.known.upper:
            raise Contradiction(
                f"a margin of {self.known.lower} at least, {self.known.upper} at most"
            )
        if self.end == NONE_KEEPS:
            raise Contradiction(f"no field keeps the value after {self.made} plies")

    @property
    def lower(self) -> int:
        """A proven lower bound of the margin."""
        return relaxed_load_32(&self.known.lower)

    @property
    def upper(self) -> int:
        """A proven upper bound of the margin."""
        return relaxed_load_32(&self.known.upper)

    @property
    def moves(self) -> dict[int, tuple[int, int]]:
        """Bounds of the value of each field in question, for the side that moves there."""
        return {
            field: (
                -relaxed_load_32(&self.after[field].upper),
                -relaxed_load_32(&self.after[field].lower),
            )
            for field in range(MAX_FIELDS) if self.fields >> field & 1
        }

    @property
    def proving(self) -> int | None:
        """After `find`: a field that makes the margin at least `lower`, None if unknown."""
        return None if self.known.proving == NO_MOVE else self.known.proving

    @property
    def preferred(self) -> int | None:
        """After `find`: `proving`, or else the best field according to the table."""
        return None if self.preferred_field < 0 else self.preferred_field

    @property
    def line(self) -> list[int]:
        """After `find`: fields of best play."""
        return [self.line_fields[i] for i in range(self.made)]

    @property
    def whole(self) -> bool:
        """After `find`: whether `line` leads to the end of the game."""
        return self.end >= 0


cdef int keeping_field(Search search, const Ply *here, int target) noexcept nogil:
    """A field that makes the margin at least `target`; or `STOPPED`, `NONE_KEEPS`."""
    cdef Ply child
    cdef uint64_t left
    cdef int field, preferred, answer = 0
    take_up(search, here)
    left = search.root.legal
    if target == MINUS_INFINITY:
        preferred = search.preferred_field()
        return preferred if preferred >= 0 and left >> preferred & 1 else lowest(left)
    # Usually this only looks into the table, which then holds the field as well.
    if not search.ask(target, &answer):
        return STOPPED
    if answer < target:
        return NONE_KEEPS
    if search.searcher.moves[0].first != NO_MOVE:
        return search.searcher.moves[0].first
    preferred = search.preferred_field()
    while left:
        field = lowest(left)
        if preferred >= 0 and left >> preferred & 1:
            field = preferred
        left &= ~bit(field)
        child = after(here, field)
        take_up(search, &child)
        if search.root.lower > -target:
            continue
        if search.root.upper > -target:
            if not search.ask(1 - target, &answer):
                return STOPPED
            if answer > -target:
                continue
        return field
    return NONE_KEEPS
