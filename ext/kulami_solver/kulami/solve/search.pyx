"""Alpha-beta search with null windows over a position's margin.

`Search` holds one position and answers one kind of question: is its margin at least beta?
`best_play.pyx` asks the questions that lead to the margin, the best field and the line;
`kulami_solver.solve` calls it.

The parts, one under the other: the data that several searches share, the memory of lists of moves,
the way into endings, the search itself, and `Search`, which asks it. Other files have the rest:

    bounds.pxd      what panels, areas and chains can still become
    node.pxd        the data: a node, its moves, a searcher; bounds without search, moves
    heuristics.pxd  a learned evaluation, and the order in which moves are searched
    table.pxd       a node's key, the table, an oracle
    endings.pxd     the last plies, and fields found there, noted for a proof
    best_play.pyx   the questions that lead to the value, and the line of play that keeps it
"""

from libc.stdint cimport INT64_MAX, int64_t, uint64_t
from libc.stdlib cimport calloc, free as release, malloc
from libc.string cimport memset

from kulami_solver.core.bits cimport (
    bit, count, counted, lowest, popcount, relaxed_load_32, relaxed_store_32, unlikely,
)
from kulami_solver.core.exclusive cimport begin_alone, end_alone
from kulami_solver.core.table cimport NO_MOVE, Stored, probe
from kulami_solver.core.watch cimport Watcher, is_told, watch
from kulami_solver.kulami.position.rules cimport MAX_FIELDS, Tables, legal_fields
from kulami_solver.kulami.solve.bounds cimport begin_areas, begin_chains
from kulami_solver.kulami.solve.endings cimport (
    MixedEnding, MixedEndings, PanelEnding, PanelEndings, begin_ending, begin_mixed_ending,
    search_mixed, search_panels,
)
from kulami_solver.kulami.solve.heuristics cimport order_moves
from kulami_solver.kulami.solve.node cimport (
    KEY_PLIES, ORACLE_PLIES, MoveList, Node, Searcher, add_panel, begin_searching, bound_move,
    bound_moves, drop_move, end_searching, evaluate, is_being_searched, is_ending, is_tabled,
    kept_moves, make_and_evaluate, next_best, present_margin,
)
from kulami_solver.kulami.solve.table cimport (
    KNOWN, ask_oracle, complete_key, copy_multipliers, join_bounds, prepare_probe, probe_node,
    store_bounds,
)

cdef class SharedSearch:
    """The data that the searches of one question share.

    Args:
        size: number of searches, 1 or more. One alone shares nothing, and its searches
            are the same node for node every time.

    Raises:
        ValueError: the size is below 1.
    """

    def __cinit__(self, int size):
        if size < 1:
            raise ValueError(f"a shared search of {size}: give 1 or more")
        self.size = size

    def stop(self) -> None:
        """End the running searches from another thread, soon."""
        relaxed_store_32(&self.control.stop, 1)

    def resume(self) -> None:
        """Forget an earlier stop."""
        relaxed_store_32(&self.control.stop, 0)


# -------------------------------------------------------------------------------------------------
# Memory of ended searches, kept for the next ones.

cdef enum:
    MOST_LISTS = 25             # pieces with more of them are not kept ...
    MOST_KEPT = 8               # ... nor more pieces than this of a kind: some 14 MiB

# For searches without areas, and with. Any thread takes from them and adds to them: methods of
# lists are atomic, also without Python's lock. If threads add at the same time, a few more than
# MOST_KEPT are kept, which does no harm.
cdef tuple kept = ([], [])


cdef class Scratch:
    """Lists of moves, as many as any search has needed so far, and room for an ending."""

    def __dealloc__(self):
        release(self.moves)
        release(self.panels)
        release(self.mixed)

    cdef int make_lists(self, int wanted) except -1:
        """Make room for the wanted number of lists; the old lists' contents are lost."""
        cdef int i, j
        if wanted <= self.lists:
            return 0
        release(self.moves)
        self.lists = 0
        wanted = max(wanted, <int>MOST_LISTS)
        self.moves = <MoveList *>malloc(wanted * sizeof(MoveList))
        if self.moves == NULL:
            raise MemoryError("no memory for a search")
        self.lists = wanted
        # A child is written in full before it is read, except this field where areas do not count:
        # there it has to be 0, and nobody writes it.
        for i in range(wanted):
            for j in range(MAX_FIELDS):
                self.moves[i].child[j].open_areas = 0
        return 0

    cdef PanelEndings *panel_endings(self) except NULL:
        """Room for endings in which only panels count."""
        if self.panels == NULL:
            self.panels = <PanelEndings *>calloc(1, sizeof(PanelEndings))
            if self.panels == NULL:
                raise MemoryError("no memory for a search")
        return self.panels

    cdef MixedEndings *mixed_endings(self) except NULL:
        """Room for endings in which areas or chains count."""
        if self.mixed == NULL:
            self.mixed = <MixedEndings *>calloc(1, sizeof(MixedEndings))
            if self.mixed == NULL:
                raise MemoryError("no memory for a search")
        return self.mixed


cdef Scratch take_scratch(bint areas):
    """Take a kept piece, or make a new one, for a search with or without areas."""
    cdef Scratch scratch
    try:
        scratch = (<list>kept[areas]).pop()
    except IndexError:
        scratch = Scratch()
        scratch.areas = areas
    return scratch


cdef int leave_scratch(Scratch scratch) except -1:
    """Give a piece back after a search: it is kept if it is small and few are kept."""
    cdef list others = kept[scratch.areas]
    if scratch.lists <= MOST_LISTS and len(others) < MOST_KEPT:
        others.append(scratch)
    return 0


# -------------------------------------------------------------------------------------------------
# Endings: where the search hands over to one without a table
#
#                     plies        where
#     level 0         14 .. 3      `endings.pyx`; with an oracle, 12 .. 3
#     the others      12 .. 3      `endings.pyx`, only moves that the node's sums leave open
#
# Both answer as `search` does (`search.pyx`).

cdef inline int search_panel_ending(Searcher *s, const Node *n, int beta) noexcept nogil:
    """`search` of an ending in which only panels count."""
    cdef PanelEndings *endings = s.panel_endings
    cdef PanelEnding root
    cdef int v
    root.sum = n.panels.sums[n.turn]
    root.other_sum = n.panels.sums[n.turn ^ 1]
    begin_ending(s.panels, &root.at, n.own, n.other, n.live, n.legal, n.last)
    endings.nodes = 0
    v = n.now + search_panels(endings, &root, n.plies, beta - n.now)
    count(&s.nodes, endings.nodes)
    return v


cdef inline int search_mixed_ending(
    Searcher *s, const Node *n, int beta, uint64_t moves
) noexcept nogil:
    """`search` of an ending in which areas or chains count, with only these moves at the root."""
    cdef MixedEndings *endings = s.mixed_endings
    cdef MixedEnding root
    cdef int now = present_margin(s, n)
    cdef int v
    begin_ending(s.panels, &root.at, n.own, n.other, n.live, moves, n.last)
    begin_mixed_ending(endings, &root, n.turn, n.own, n.other, n.areas, n.chains)
    endings.nodes = 0
    v = now + search_mixed(endings, &root, n.plies, beta - now)
    count(&s.nodes, endings.nodes)
    return v


cdef inline int search_ending(Searcher *s, const Node *n, int beta, MoveList *moves) noexcept nogil:
    """`search` of an ending: without the table, and without nodes below this one."""
    cdef int best
    moves.first = NO_MOVE
    if s.panel_endings != NULL:
        best = search_panel_ending(s, n, beta)
        if best >= beta:
            moves.first = s.panels.ranked[s.panel_endings.first].field
    else:
        best = bound_moves(s, n, beta, moves)
        if best < beta and moves.count:
            best = max(best, search_mixed_ending(s, n, beta, kept_moves(moves)))
            if best >= beta:
                moves.first = s.panels.ranked[s.mixed_endings.first].field
        else:
            count(&s.nodes, 1)
    return max(<int>n.lower, best) if best >= beta else min(<int>n.upper, best)


# -------------------------------------------------------------------------------------------------
# The search

cdef enum:
    # With at least this many plies to come, all moves are made and evaluated before the first is
    # searched. With an oracle, ORACLE_PLIES are enough, so that it can be asked about them.
    EARLY_PLIES = 15
    DEFER_PLIES = 8             # from here on a search puts off what another one is searching
    UNLOCKED_PLIES = 12         # from here on a search takes longer than getting Python's lock back


cdef inline bint is_deferrable(const Searcher *s, const Node *n) noexcept nogil:
    """Do searches that work together avoid each other at a node that has its key?"""
    return s.being_searched != NULL and n.plies >= DEFER_PLIES and not is_ending(s, n)


cdef inline bint is_deferred(const Searcher *s, const Node *n) noexcept nogil:
    """Is another search at this node?"""
    return is_deferrable(s, n) and is_being_searched(s.being_searched, n.index, n.signature)


cdef inline bint evaluate_move(
    const Searcher *s, const Node *n, Node *c, int beta, int *best
) noexcept nogil:
    """Evaluate a child that has only been bounded; is the question about this move still open?

    If not, its bound is noted in `best`.
    """
    make_and_evaluate(s, n, c.last, c)
    if -c.upper >= beta or -c.lower < beta:
        best[0] = max(best[0], -c.upper if -c.upper >= beta else -c.lower)
        return False
    prepare_probe(s, c)
    return True


cdef inline int evaluate_moves(
    const Searcher *s, const Node *n, int beta, MoveList *moves, int best
) noexcept nogil:
    """Evaluate the kept moves, and drop those that are decided.

    Takes the result of `bound_moves`, and returns its own in the same form. The move that reaches
    beta becomes the list's `first`.
    """
    cdef Node *c
    cdef int i = 0
    while i < moves.count:
        c = &moves.child[moves.rank[i]]
        if evaluate_move(s, n, c, beta, &best):
            i += 1
        elif best >= beta:
            moves.first = c.last
            return best
        else:
            drop_move(moves, i)
    return best


cdef inline int cut_off_early(Searcher *s, int beta, MoveList *moves, int best) noexcept nogil:
    """Enhanced transposition cut-off: does the table, or the oracle, refute one of the children?

    Takes the result of `evaluate_moves`, and returns its own in the same form.
    """
    cdef Node *c
    cdef Stored known
    cdef int i = 0
    while i < moves.count:
        c = &moves.child[moves.rank[i]]
        i += 1
        if probe_node(s, c, &known) or (
            s.oracle != NULL and c.plies >= ORACLE_PLIES and ask_oracle(s, c, &known)
        ):
            join_bounds(c, &known)
            if -c.upper >= beta:
                moves.first = c.last
                return -c.upper
            if -c.lower < beta:
                best = max(best, -c.lower)
                i -= 1
                drop_move(moves, i)
    return best


cdef inline int search_child(Searcher *s, Node *c, int beta, int ply) noexcept nogil:
    """Search a child of a node at `ply` for the side that moved there."""
    cdef int v
    if not is_deferrable(s, c):
        return -search(s, c, 1 - beta, ply + 1)
    begin_searching(s.being_searched, c.index, c.signature)
    v = -search(s, c, 1 - beta, ply + 1)
    end_searching(s.being_searched, c.index)
    return v


cdef int search_moves(Searcher *s, const Node *n, int beta, int ply, int best) noexcept nogil:
    """Search the kept moves, in order, until one reaches beta.

    Returns as `evaluate_moves` does.
    """
    cdef MoveList *moves = &s.moves[ply]
    cdef Node *c
    cdef uint64_t deferred = 0
    cdef int i
    for i in range(moves.count):
        c = next_best(moves, i)
        if c.evaluated or evaluate_move(s, n, c, beta, &best):
            if i > 0 and is_deferred(s, c):
                deferred |= bit(i)
                continue
            best = max(best, search_child(s, c, beta, ply))
        if best >= beta or unlikely(s.abandoned):
            moves.first = c.last
            return best
    while deferred:
        c = &moves.child[moves.rank[lowest(deferred)]]
        deferred &= deferred - 1
        best = max(best, search_child(s, c, beta, ply))
        if best >= beta or unlikely(s.abandoned):
            moves.first = c.last
            return best
    return best


cdef int search(Searcher *s, Node *n, int beta, int ply) noexcept nogil:
    """Is the margin of an evaluated node, with at least three plies to come, at least `beta`?

    Returns v >= beta: the margin is at least v. Returns v < beta: it is at most v.
    If s.abandoned is set on return, the answer means nothing.
    """
    cdef MoveList *moves = &s.moves[ply]
    cdef Stored known
    cdef int64_t before = s.nodes
    cdef int best
    if unlikely(s.nodes >= s.limit):
        relaxed_store_32(&s.control.stop, 1)
    if unlikely(is_told(&s.control.stop, &s.watch) or relaxed_load_32(&s.control.answered)):
        s.abandoned = True
        return 0
    if is_ending(s, n):
        return search_ending(s, n, beta, moves)
    count(&s.nodes, 1)
    # The table's line is being prefetched: compute the sums meanwhile.
    best = bound_moves(s, n, beta, moves)
    if best >= beta:
        return max(<int>n.lower, best)
    if moves.count == 0:
        return min(<int>n.upper, best)
    moves.first = NO_MOVE
    if probe_node(s, n, &known):
        join_bounds(n, &known)
        if n.lower >= beta:
            return n.lower
        if n.upper < beta:
            return n.upper
    if n.plies >= EARLY_PLIES or (s.oracle != NULL and n.plies > ORACLE_PLIES):
        best = evaluate_moves(s, n, beta, moves, best)
        if best < beta:
            best = cut_off_early(s, beta, moves, best)
    if best < beta:
        order_moves(s, n, ply)
        best = search_moves(s, n, beta, ply, best)
        if unlikely(s.abandoned):
            return 0
    if best >= beta:
        n.lower = max(<int>n.lower, best)
        best = n.lower
    else:
        n.upper = min(<int>n.upper, best)
        best = n.upper
    store_bounds(s, n, moves.first, s.nodes - before)
    return best


cdef class Search:
    """One position and the machinery to bound its margin.

    It serves one thread at a time: another thread gets a RuntimeError. Attributes that may be read
    while a search runs say so.

    Args:
        bounds: the layout's tables.
        evaluation: learned for this layout and scoring.
        table: for the bounds; any number of searches of the same layout and scoring may share it.
        shared: the data shared by searches that work on the same question.
        areas, chains: whether areas and chains count.
        oracle: knows margins, for this layout and scoring and for positions with the same
            supply of marbles; None for no oracle.
    """

    def __cinit__(
        self, PanelBounds bounds not None, LearnedEvaluation evaluation not None,
        TranspositionTable table not None, SharedSearch shared not None, bint areas, bint chains,
        Oracle oracle=None
    ):
        self.bounds = bounds
        self.table = table
        self.shared = shared
        self.oracle = oracle
        self.searcher.oracle = NULL if oracle is None else <void *>oracle
        self.evaluation = evaluation
        self.searcher.evaluation = &evaluation.tables
        self.searcher.rules = &bounds.geometry.tables
        self.searcher.panels = &bounds.tables
        self.searcher.table = &table.view
        self.searcher.control = &shared.control
        self.searcher.being_searched = &shared.being_searched if shared.size > 1 else NULL
        self.searcher.areas = areas
        self.searcher.chains = chains
        copy_multipliers(self.searcher.multiplier)
        self.limit_nodes(-1)
        self.scratch = take_scratch(areas)
        if areas or chains:
            self.searcher.mixed_endings = self.scratch.mixed_endings()
        else:
            self.searcher.panel_endings = self.scratch.panel_endings()
        begin_alone(&self.scratch.busy)
        try:
            self.make_room(0)
        finally:
            end_alone(&self.scratch.busy)

    def __dealloc__(self):
        if self.scratch is not None:
            leave_scratch(self.scratch)

    cdef int make_room(self, int plies) except -1:
        """Make room for the lists of moves of a game of `plies`; old contents are lost."""
        cdef Searcher *s = &self.searcher
        self.scratch.make_lists(plies + 1)
        s.moves = self.scratch.moves
        if s.mixed_endings != NULL:
            s.mixed_endings.panels = s.panels
            s.mixed_endings.areas = s.areas
            s.mixed_endings.chains = s.chains
        if s.panel_endings != NULL:
            s.panel_endings.panels = s.panels

    def set_position(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) -> tuple[int, int]:
        """Take up a position, in the view of the side to move.

        Args:
            own, other: the fields with a marble of the side to move, and of the other side.
            last, before: fields of the newest marble and of the one before it, -1 for none.
            supply: plies that the marbles still allow, both sides together.

        Returns:
            Bounds of its margin, found without search; equal if the game is over, or if the oracle
            knows the position.

        Raises:
            ValueError: a field is not on the layout, or has a marble of both sides, or the
                supply is below 0.
        """
        begin_alone(&self.scratch.busy)
        try:
            self.set_up(own, other, last, before, supply)
            return self.root.lower, self.root.upper
        finally:
            end_alone(&self.scratch.busy)

    cdef int set_up(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) except -1:
        """`set_position`, when the caller keeps other threads out."""
        last = self.bounds.geometry.checked(last)
        before = self.bounds.geometry.checked(before)
        self.bounds.geometry.check_marbles(own, other)
        if supply < 0:
            raise ValueError(f"{supply} plies to come: give 0 or more")
        self.make_room(min(supply, popcount(self.searcher.rules.every & ~(own | other))))
        self.take_up(own, other, last, before, supply)
        return 0

    cdef void take_up(
        self, uint64_t own, uint64_t other, int last, int before, int supply
    ) noexcept nogil:
        """`set_position` without checks; there must be room for the position."""
        cdef Searcher *s = &self.searcher
        cdef Node *n = &self.root
        cdef const Tables *t = s.rules
        cdef int p, difference, margin = 0
        memset(n, 0, sizeof(Node))
        n.own = own
        n.other = other
        n.last = last
        n.supply = min(supply, MAX_FIELDS)
        n.live = t.every & ~(own | other)
        n.legal = legal_fields(t, own | other, last, before)
        for p in range(t.panels):
            difference = popcount(own & t.panel[p]) - popcount(other & t.panel[p])
            n.panels.difference[p] = difference
            n.now += s.panels.standing[p][difference].points
            add_panel(s, n, p, True)
        if s.areas:
            begin_areas(t, &n.areas[0], own)
            begin_areas(t, &n.areas[1], other)
        if s.chains:
            begin_chains(t, &n.chains[0], own, other)
            begin_chains(t, &n.chains[1], other, own)
        evaluate(s, n)
        if n.plies >= KEY_PLIES:
            complete_key(s, n, n.live, n.legal)
        if s.oracle != NULL and n.plies > 0 and (
            (<Oracle>s.oracle).look_up(n.own, n.other, n.legal, n.last, &margin) == KNOWN
        ):
            count(&s.hits, 1)
            n.lower = n.upper = margin

    def null_window(self, int beta):
        """Is the margin at least `beta`?

        Returns:
            v >= beta: the margin is at least v; v < beta: it is at most v. None if the searches
            were stopped, or another one was faster.
        """
        cdef int answer = 0
        cdef bint answered
        begin_alone(&self.scratch.busy)
        try:
            if self.holds_lock():
                answered = self.ask(beta, &answer)
            else:
                with nogil:
                    answered = self.ask(beta, &answer)
        finally:
            end_alone(&self.scratch.busy)
        return answer if answered else None

    def help_with(self, int beta):
        """`null_window`, for a question that several searches were asked: an answer ends them all.

        The search that has asked for help waits for it, and begins the next question.
        """
        answer = self.null_window(beta)
        if answer is not None:
            relaxed_store_32(&self.searcher.control.answered, 1)
        return answer

    cdef bint holds_lock(self) noexcept nogil:
        """Is a question answered in less time than it takes to get Python's lock back?

        An oracle takes and releases the lock by itself.
        """
        return self.root.plies < UNLOCKED_PLIES and self.searcher.oracle == NULL

    cdef bint ask(self, int beta, int *answer) noexcept nogil:
        """`null_window`; false in place of None.

        After a yes, the list of the root's moves has the field that secures beta as `first`, or
        NO_MOVE if the answer has another reason. After a no, `first` means nothing.
        """
        cdef Node root = self.root
        self.searcher.moves[0].first = NO_MOVE
        if root.lower >= beta:
            answer[0] = root.lower
            return True
        if root.upper < beta:
            answer[0] = root.upper
            return True
        self.searcher.abandoned = False
        answer[0] = search(&self.searcher, &root, beta, 0)
        if self.searcher.abandoned:
            self.searcher.moves[0].first = NO_MOVE
        return not self.searcher.abandoned

    def proving_field(self):
        """The field that secures the last beta, if the answer was yes; None if unknown."""
        cdef int field
        begin_alone(&self.scratch.busy)
        field = self.searcher.moves[0].first
        end_alone(&self.scratch.busy)
        return None if field == NO_MOVE else field

    cdef int preferred_field(self) noexcept nogil:
        """The best field according to the table; below 0: the table has none."""
        cdef Stored known
        if is_tabled(&self.searcher, &self.root) and probe(
            &self.table.view, self.root.index, self.root.signature, &known
        ) and known.move != NO_MOVE:
            return known.move
        return -1

    def identity(self) -> tuple[int, int, int] | None:
        """The position's identity in the table: index, signature, and the decided margin (base).

        Positions with equal index and signature have equal margins up to their bases. None for
        positions without a key, close to the end of the game.
        """
        if self.root.plies < KEY_PLIES:
            return None
        return self.root.index, self.root.signature, self.root.base

    def move_bounds(self) -> dict[int, tuple[int, int]]:
        """Bounds of the value of each legal field, as far as they follow from the position's sums.

        Empty for games that last at most two plies more: their margins are known.
        """
        cdef Node child
        cdef uint64_t moves
        bounds = {}
        begin_alone(&self.scratch.busy)
        try:
            moves = self.root.legal if self.root.plies > 2 else 0
            while moves:
                bound_move(&self.searcher, &self.root, lowest(moves), &child)
                moves &= moves - 1
                bounds[<int>child.last] = (-child.upper, -child.lower)
        finally:
            end_alone(&self.scratch.busy)
        return bounds

    def watched_by(self, Watcher watcher) -> None:
        """Have the searches of this thread watched; None for nobody."""
        self.watcher = watcher
        watch(&self.searcher.watch, watcher)

    def limit_nodes(self, int64_t nodes) -> None:
        """Stop all searches of the question after this many more nodes here; below 0: never."""
        self.searcher.limit = INT64_MAX if nodes < 0 else self.searcher.nodes + nodes

    @property
    def nodes(self) -> int:
        """Positions searched so far; may be read while a search runs."""
        return counted(&self.searcher.nodes)

    @property
    def hits(self) -> int:
        """Positions found in the oracle so far; may be read while a search runs."""
        return counted(&self.searcher.hits)
