# A position in the search, and what is known of it without search
#
#     Control, BeingSearched      what searches of one question share
#     Node, MoveList, Searcher    a position, its moves, the tools of a search
#     add_panel, keep_live        sums over the panels, kept up move by move
#     evaluate                    bounds of a node's margin
#     bound_move, make_move       moves: bounding them, making them, keeping them

from libc.stdint cimport int16_t, int32_t, int64_t, int8_t, uint64_t, uint8_t

from kulami_solver.core.bits cimport bit, lowest, popcount, relaxed_load, relaxed_store
from kulami_solver.core.table cimport Table
from kulami_solver.core.watch cimport Watch
from kulami_solver.kulami.position.rules cimport MAX_FIELDS, MINUS_INFINITY, WINDOW_WORDS, Tables
from kulami_solver.kulami.solve.bounds cimport (
    FREE, Areas, Chains, Evaluation, Hull, PanelTables, Standing, area_ceiling, area_gain,
    best_gain, chain_ceiling, chain_gain, copy_areas, hull_add, hull_sub, neighbours, pays_at_once,
    place_in_areas, points_of, reachable,
)
from kulami_solver.kulami.solve.endings cimport (
    MIXED_ENDING, MIXED_ENDING_FIELDS, PANEL_ENDING, PANEL_ENDING_FIELDS, MixedEndings,
    PanelEndings,
)

# -------------------------------------------------------------------------------------------------
# The data that searches of one question share, besides the table
#
#     control            stop, answered      one word each, polled by all
#     being_searched     signature signature 0 signature ...       by the lower bits of the index
#
# If a later move of a search leads to a position that another search is working on, the search puts
# the move off until its other moves are done (as in ABDADA). Entries overwrite each other freely:
# they only decide the order in which moves are searched.

cdef struct Control:
    # Any thread may write a word, and all read both at every node outside endings, each in one
    # piece and in no particular order (`bits.pxd`). A write that is seen a little late costs only
    # a little time.
    int32_t stop            # end the search: Ctrl-C, or a budget is used up
    int32_t answered        # one of the searches has answered the present question

cdef enum:
    SLOTS = 1 << 12

cdef struct BeingSearched:
    uint64_t signature[SLOTS]           # 0: none


cdef inline bint is_being_searched(
    const BeingSearched *all, uint64_t index, uint64_t signature
) noexcept nogil:
    return relaxed_load(&all.signature[index & (SLOTS - 1)]) == signature


cdef inline void begin_searching(
    BeingSearched *all, uint64_t index, uint64_t signature
) noexcept nogil:
    relaxed_store(&all.signature[index & (SLOTS - 1)], signature)


cdef inline void end_searching(BeingSearched *all, uint64_t index) noexcept nogil:
    relaxed_store(&all.signature[index & (SLOTS - 1)], 0)


# -------------------------------------------------------------------------------------------------
# A position in the search, and the tools of a search
#
# Everything is in the view of the side to move: its marbles are `own`, the other side's `other`,
# margins are own minus other's. A move makes the child's node afresh (copy-make); there is no
# undo. The children of the node at each ply have their place in that ply's list, so the search
# needs little stack and allocates no memory while it runs:
#
#     ply     moves[0]                moves[1]                moves[2]
#     root    node node node ...      node node ...           node node node ...
#                   |                 children of that one         children of that one
#                   +---------------->      +--------------------->
#
# `rank` lists the kept children in the order in which they are searched, so that sorting moves
# bytes, not nodes.

cdef enum:
    KEY_WORDS = 5               # words of a key that are hashed by multiplication
    # Positions with fewer plies to come have no key. Those with fewer than TABLE_PLIES (not less
    # than KEY_PLIES) are not looked up in the table.
    KEY_PLIES = 4
    TABLE_PLIES = 6
    ORACLE_PLIES = 12           # so many plies before the end, or more, an oracle is asked

cdef struct Panels:
    # The state of the panels, kept up move by move. Sides are by turn; sets of fields are made of
    # whole panels.
    Hull sums[2]            # of each side's hulls
    uint64_t useful[2]      # panels on which the side could still gain ...
    uint64_t hot[2]         # ... and with its next marble there
    uint64_t index[2]       # hashes of the undecided panels' differences, in the side's view
    uint64_t signature[2]
    int16_t decided         # points of the decided panels, those of turn 0 minus those of turn 1
    int16_t expected        # points to expect, in tenths, likewise
    int8_t difference[MAX_FIELDS]       # of each panel: marbles of turn 0 minus those of turn 1

cdef struct Node:
    uint64_t live           # free fields that play can still reach
    uint64_t legal          # the fields the side to move may use now
    uint64_t second         # the live fields that the other side may be able to use next
    uint64_t own            # marbles of the side to move
    uint64_t other
    uint64_t index          # hash of what the future depends on: the place in the table ...
    uint64_t signature      # ... and the word compared there
    int32_t order           # children: the one with the largest is searched first
    int16_t now             # present panel points, own minus other's
    int16_t base            # the part of the margin that is settled; the table holds the rest
    int16_t lower           # proven bounds of the margin, own minus other's
    int16_t upper
    int16_t most            # ... and of its part from areas and chains
    int16_t least
    uint8_t supply          # plies that the marbles still allow, both sides together
    uint8_t plies           # plies that the game can still last, at most
    uint8_t last            # field of the newest marble
    uint8_t turn            # 0 and 1 in turns, 0 at the root
    uint8_t open_areas      # 1: own largest area may still grow; 2: other's
    bint exchanged          # whether lines that are alike were exchanged for the key
    bint evaluated          # children: whether all is filled in, or only what `bound_move` gives
    Panels panels
    # Kept up only where they count:
    Areas areas[2]          # by turn: own are areas[turn]
    Chains chains[2]

cdef struct MoveList:
    # The children of a node
    Node child[MAX_FIELDS]
    uint8_t rank[MAX_FIELDS]            # those that are kept, in the order of the search
    uint8_t count                       # how many are kept
    uint8_t first                       # the field that reached beta, NO_MOVE if none did

cdef struct Searcher:
    const Tables *rules
    const PanelTables *panels
    const Table *table
    Control *control
    BeingSearched *being_searched       # NULL for a search that works alone
    void *oracle            # an Oracle; NULL if there is none
    bint areas              # whether areas and chains count
    bint chains
    const Evaluation *evaluation    # learned
    PanelEndings *panel_endings     # for endings, if only panels count ...
    MixedEndings *mixed_endings     # ... and if areas or chains do; the other one is NULL
    bint abandoned          # the search was left without an answer
    int64_t nodes           # positions entered so far; this and the next are read by any thread
    int64_t hits            # positions the oracle knew
    int64_t limit           # stop all searches of the question at this many nodes
    Watch watch
    MoveList *moves         # one for each ply that the game can last, and one more
    uint64_t multiplier[2 * KEY_WORDS]


cdef inline bint is_ending(const Searcher *s, const Node *n) noexcept nogil:
    """Is an evaluated node searched as an ending?"""
    if s.panel_endings != NULL:
        # With an oracle, the search goes on to positions that it is asked about.
        return (
            n.plies <= PANEL_ENDING and (n.plies <= ORACLE_PLIES or s.oracle == NULL)
            and popcount(n.live) <= PANEL_ENDING_FIELDS
        )
    return n.plies <= MIXED_ENDING and popcount(n.live) <= MIXED_ENDING_FIELDS


cdef inline bint is_tabled(const Searcher *s, const Node *n) noexcept nogil:
    """Is the table used for an evaluated node?"""
    return n.plies >= TABLE_PLIES and not is_ending(s, n)


# -------------------------------------------------------------------------------------------------
# The sums over the panels of a node, kept up move by move
#
# A move, or a field that drops out of reach, changes the difference or the live fields of a few
# panels. Each of these panels is taken out of all the sums (`Panels`: hulls, points
# to expect, hash, sets of panels), and is added again in its new state:
#
#     sums[side]  =  hull of panel 0  +  hull of panel 1  +  ...        likewise the others
#
# Neither step branches on the state of the panel: the processor could not predict such a branch.

cdef inline void hash_panel(
    Panels *panels, const Standing *standing, int d, uint64_t undecided
) noexcept nogil:
    """Add an undecided panel's difference to the hashes, or take it out again."""
    panels.index[0] ^= standing[d].index & undecided
    panels.signature[0] ^= standing[d].signature & undecided
    panels.index[1] ^= standing[-d].index & undecided
    panels.signature[1] ^= standing[-d].signature & undecided


cdef inline int difference_of(const Node *n, int p, int side) noexcept nogil:
    """Marbles of a side on a panel, minus the other side's."""
    return -n.panels.difference[p] if side else n.panels.difference[p]


cdef inline void remove_panel(const Searcher *s, Node *n, int p, bint keyed) noexcept nogil:
    """Take a panel, in its state by the node's live fields and difference, out of the sums."""
    cdef Panels *panels = &n.panels
    cdef int d = panels.difference[p]
    cdef int at = popcount(n.live & s.rules.panel[p]) * s.panels.free_step[p]
    cdef const Hull *hulls = s.panels.hulls[p] + at
    cdef const Standing *standing = s.panels.standing[p]
    cdef uint64_t undecided = -<uint64_t>(
        (hulls[d].at[FREE] | hulls[-d].at[FREE]) != 0
    )
    hull_sub(&panels.sums[0], hulls + d)
    hull_sub(&panels.sums[1], hulls - d)
    panels.expected -= s.panels.expected[p][at + d]
    if keyed:
        panels.decided -= standing[d].points & ~undecided
        hash_panel(panels, standing, d, undecided)


cdef inline void add_panel(const Searcher *s, Node *n, int p, bint keyed) noexcept nogil:
    """Add a panel to the sums, after its live fields or difference have changed."""
    cdef Panels *panels = &n.panels
    cdef int d = panels.difference[p]
    cdef int at = popcount(n.live & s.rules.panel[p]) * s.panels.free_step[p]
    cdef const Hull *hulls = s.panels.hulls[p] + at
    cdef const Standing *standing = s.panels.standing[p]
    cdef uint64_t panel = s.rules.panel[p]
    cdef uint64_t useful_0 = -<uint64_t>(hulls[d].at[FREE] != 0)
    cdef uint64_t useful_1 = -<uint64_t>(hulls[-d].at[FREE] != 0)
    cdef uint64_t undecided = useful_0 | useful_1
    hull_add(&panels.sums[0], hulls + d)
    hull_add(&panels.sums[1], hulls - d)
    panels.expected += s.panels.expected[p][at + d]
    panels.useful[0] = panels.useful[0] & ~panel | panel & useful_0
    panels.useful[1] = panels.useful[1] & ~panel | panel & useful_1
    panels.hot[0] = panels.hot[0] & ~panel | panel & useful_0 & -<uint64_t>pays_at_once(d)
    panels.hot[1] = panels.hot[1] & ~panel | panel & useful_1 & -<uint64_t>pays_at_once(-d)
    if keyed:
        panels.decided += standing[d].points & ~undecided
        hash_panel(panels, standing, d, undecided)


cdef inline void keep_live(const Searcher *s, Node *n, uint64_t live) noexcept nogil:
    """Restrict the node's live fields to these."""
    cdef uint64_t lost = n.live & ~live
    cdef uint64_t rest = lost
    cdef bint keyed = n.plies >= KEY_PLIES
    while rest:
        remove_panel(s, n, s.rules.panel_of[lowest(rest)], keyed)
        rest &= ~s.rules.barred[lowest(rest)]
    n.live = live
    while lost:
        add_panel(s, n, s.rules.panel_of[lowest(lost)], keyed)
        lost &= ~s.rules.barred[lowest(lost)]


# -------------------------------------------------------------------------------------------------
# Bounds of a node's margin that hold without search, and the margin itself close to the end
#
#     evaluate   position  ->  live fields, plies     (`reachable`)
#                          ->  margin, if the game is over or EXACT_PLIES are to come at most
#                          ->  lower, upper           (panels, areas and chains: `bounds.pxd`)
#                          ->  base, hash of panels   (`table.pxd`)
#
#     upper  =  now  +  most that own can still gain on panels    +  most
#     lower  =  now  -  most that other can still gain on panels  +  least
#
# docs/algorithms.md has the proofs.

cdef enum:
    EXACT_PLIES = 2             # so many last plies, or fewer, are not searched


cdef inline int present_margin(const Searcher *s, const Node *n) noexcept nogil:
    """The margin if the game ended now."""
    cdef int margin = n.now
    if s.areas:
        margin += n.areas[n.turn].now - n.areas[n.turn ^ 1].now
    if s.chains:
        margin += n.chains[n.turn].now - n.chains[n.turn ^ 1].now
    return margin


cdef inline int gain_of(const Searcher *s, const Node *n, int field, bint own) noexcept nogil:
    """The points that a marble on `field`, of own or of the other side, gains its side at once."""
    cdef int p = s.rules.panel_of[field]
    cdef int side = n.turn if own else n.turn ^ 1
    cdef int d = difference_of(n, p, side)
    cdef int gain = s.rules.size[p] & -<int>pays_at_once(d)
    if s.areas:
        gain += area_gain(&n.areas[side], field)
    if s.chains:
        gain += chain_gain(s.rules, &n.chains[side], n.own if own else n.other, field)
    return gain


cdef inline int margin_of_one(const Searcher *s, const Node *n) noexcept nogil:
    """The margin when one marble is still to come."""
    cdef uint64_t rest = n.legal
    cdef int best = 0
    while rest:
        best = max(best, gain_of(s, n, lowest(rest), True))
        rest &= rest - 1
    return present_margin(s, n) + best


cdef inline int margin_of_two(const Searcher *s, const Node *n) noexcept nogil:
    """The margin when one marble of each side is still to come.

    The gains of the two marbles do not depend on each other: they lie on different panels, and
    the components and lines they add to are of different colours.
    """
    cdef const Tables *t = s.rules
    cdef int gain[MAX_FIELDS]
    cdef uint64_t rest = n.second
    cdef uint64_t replies
    cdef int best = MINUS_INFINITY, answer, here, field
    while rest:
        field = lowest(rest)
        rest &= rest - 1
        gain[field] = gain_of(s, n, field, False)
    rest = n.legal
    while rest:
        field = lowest(rest)
        rest &= rest - 1
        here = gain_of(s, n, field, True)
        if here <= best:
            continue
        replies = t.cross[field] & n.second
        answer = 0
        while replies:
            answer = max(answer, gain[lowest(replies)])
            replies &= replies - 1
        best = max(best, here - answer)
    return present_margin(s, n) + best


cdef inline int margin_of_rest(const Searcher *s, const Node *n) noexcept nogil:
    """The margin when one or two marbles are still to come."""
    return margin_of_one(s, n) if n.plies == 1 else margin_of_two(s, n)


cdef inline void bound_areas(Node *n, int own_marbles, int other_marbles) noexcept nogil:
    cdef Areas *own = &n.areas[n.turn]
    cdef Areas *other = &n.areas[n.turn ^ 1]
    cdef int own_most = area_ceiling(own, n.live, own_marbles)
    cdef int other_most = area_ceiling(other, n.live, other_marbles)
    n.most += own_most - other.now
    n.least += own.now - other_most
    n.open_areas = (own_most > own.now) | (other_most > other.now) << 1
    if not n.open_areas & 1:
        n.base += own.now
    if not n.open_areas & 2:
        n.base -= other.now


cdef inline void bound_chains(
    const Searcher *s, Node *n, int own_marbles, int other_marbles
) noexcept nogil:
    cdef Chains *own = &n.chains[n.turn]
    cdef Chains *other = &n.chains[n.turn ^ 1]
    cdef int own_most = chain_ceiling(s.rules, own, n.own, n.live, own_marbles)
    cdef int other_most = chain_ceiling(s.rules, other, n.other, n.live, other_marbles)
    n.most += own_most - other.now
    n.least += own.now - other_most
    n.base += own.closed - other.closed


cdef inline void end_game(const Searcher *s, Node *n) noexcept nogil:
    """`evaluate` a node in which the game is over."""
    cdef int i
    n.plies = 0
    if s.chains:
        for i in range(2):
            n.chains[i].now = n.chains[i].closed + points_of(
                s.rules, &n.chains[i], n.own if i == n.turn else n.other
            )
    n.lower = n.upper = present_margin(s, n)


cdef inline void evaluate(const Searcher *s, Node *n) noexcept nogil:
    """Compute live fields, plies, bounds, base and hash of panels from the position."""
    cdef const Tables *t = s.rules
    cdef uint64_t live
    cdef int own_marbles, other_marbles, turn = n.turn
    if n.supply == 0 or n.legal == 0:
        end_game(s, n)
        return
    n.second = neighbours(t, n.legal) & n.live & ~t.barred[n.last]
    if n.second:
        live = reachable(t, n.legal, n.second, n.live, n.supply)
        n.plies = min(n.supply, popcount(live))
    else:
        live = n.legal
        n.plies = 1
    if n.plies <= EXACT_PLIES and not s.chains:
        n.lower = n.upper = margin_of_rest(s, n)
        return
    if live != n.live:
        keep_live(s, n, live)
    own_marbles = (n.plies + 1) >> 1
    other_marbles = n.plies >> 1
    n.base = -n.panels.decided if turn else n.panels.decided
    n.index = n.panels.index[turn]
    n.signature = n.panels.signature[turn]
    n.most = n.least = 0
    if s.areas:
        bound_areas(n, own_marbles, other_marbles)
    if s.chains:
        bound_chains(s, n, own_marbles, other_marbles)
        if n.plies <= EXACT_PLIES:
            n.lower = n.upper = margin_of_rest(s, n)
            return
    # If no field open to a side's first marble can gain, the knapsack has one marble less.
    n.upper = n.now + n.most + best_gain(
        s.panels, &n.panels.sums[turn],
        own_marbles - <int>((n.legal & n.panels.useful[turn]) == 0),
    )
    n.lower = n.now + n.least - best_gain(
        s.panels, &n.panels.sums[turn ^ 1],
        other_marbles - <int>((n.second & n.panels.useful[turn ^ 1]) == 0),
    )


# -------------------------------------------------------------------------------------------------
# Moves of a node: bounding them, making them, and the list of those that are kept
#
#     bound_move         last, legal, lower and upper of the child      cheap: sums of the parent
#     make_move          the child's position                            dearer
#     make_and_evaluate  ... and all results of `evaluate`               dear
#
# A list keeps the moves whose value is still open. The others are dropped, and their bounds count
# towards the answer.

cdef inline void make_move(const Searcher *s, const Node *n, int field, Node *c) noexcept nogil:
    """Make the child after a move, in the view of the other side, not yet evaluated."""
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[field]
    cdef bint changes = (n.panels.useful[0] | n.panels.useful[1]) >> field & 1
    cdef bint keyed = n.plies > KEY_PLIES
    cdef int i
    c.now = -n.now
    if pays_at_once(difference_of(n, p, n.turn)):
        c.now -= t.size[p]
    c.own = n.other
    c.other = n.own | bit(field)
    c.live = n.live
    c.panels = n.panels
    if changes:
        remove_panel(s, c, p, keyed)
    c.live &= ~bit(field)
    c.panels.difference[p] += -1 if n.turn else 1
    if changes:
        add_panel(s, c, p, keyed)
    c.legal = t.cross[field] & c.live & ~t.barred[n.last]
    c.supply = n.supply - 1
    c.last = field
    c.turn = n.turn ^ 1
    if s.areas:
        copy_areas(&n.areas[0], &c.areas[0])
        copy_areas(&n.areas[1], &c.areas[1])
        place_in_areas(t, &c.areas[n.turn], field)
    if s.chains:
        c.chains[0] = n.chains[0]
        c.chains[1] = n.chains[1]
        for i in range(WINDOW_WORDS):
            c.chains[c.turn].feasible[i] &= ~t.through[field][i]


cdef inline void bound_move(const Searcher *s, const Node *n, int field, Node *c) noexcept nogil:
    """Bound a move by the sums of the node in which it is made.

    Fills in only the child's last, legal, lower and upper. The sums differ from the node's only in
    the panel of the field. The child's own live fields and plies may be fewer, which can only bring
    its bounds closer together.
    """
    cdef const Tables *t = s.rules
    cdef int p = t.panel_of[field]
    cdef int d = difference_of(n, p, n.turn)
    cdef int own_marbles = (n.plies - 1) >> 1
    cdef int other_marbles = n.plies >> 1
    cdef int now = n.now + (t.size[p] & -<int>pays_at_once(d))
    cdef Hull own_sum = n.panels.sums[n.turn]
    cdef Hull other_sum = n.panels.sums[n.turn ^ 1]
    cdef const Hull *before
    cdef const Hull *after
    c.last = field
    c.evaluated = False
    c.legal = t.cross[field] & n.live & ~t.barred[n.last]
    if c.legal == 0:
        c.lower = c.upper = -(present_margin(s, n) + gain_of(s, n, field, True))
        return
    if (n.panels.useful[0] | n.panels.useful[1]) >> field & 1:
        before = s.panels.hulls[p] + popcount(n.live & t.panel[p]) * s.panels.free_step[p]
        after = before - s.panels.free_step[p]
        hull_sub(&own_sum, &before[d])
        hull_add(&own_sum, &after[d + 1])
        hull_sub(&other_sum, &before[-d])
        hull_add(&other_sum, &after[-d - 1])
    if not c.legal & n.panels.useful[n.turn ^ 1]:
        other_marbles -= 1
    c.lower = -(now + n.most + best_gain(s.panels, &own_sum, own_marbles))
    c.upper = best_gain(s.panels, &other_sum, other_marbles) - now - n.least


cdef inline void make_and_evaluate(
    const Searcher *s, const Node *n, int field, Node *c
) noexcept nogil:
    """Make a move, and evaluate the child without search."""
    make_move(s, n, field, c)
    evaluate(s, c)
    c.evaluated = True


cdef inline void keep_move(MoveList *moves) noexcept nogil:
    """Keep the child behind the last one that is kept."""
    moves.rank[moves.count] = moves.count
    moves.count += 1


cdef inline void drop_move(MoveList *moves, int i) noexcept nogil:
    """Drop the child ranked i; the last one takes its rank."""
    moves.count -= 1
    moves.rank[i] = moves.rank[moves.count]


cdef inline Node *next_best(MoveList *moves, int i) noexcept nogil:
    """The child with the largest order of those ranked i, i + 1, ...; it gets rank i."""
    cdef uint8_t *rank = moves.rank
    cdef uint8_t swap
    cdef int choice = i
    cdef int j
    for j in range(i + 1, moves.count):
        if moves.child[rank[j]].order > moves.child[rank[choice]].order:
            choice = j
    swap = rank[i]
    rank[i] = rank[choice]
    rank[choice] = swap
    return &moves.child[rank[i]]


cdef inline uint64_t kept_moves(const MoveList *moves) noexcept nogil:
    """The fields of the children that are kept."""
    cdef uint64_t fields = 0
    cdef int i
    for i in range(moves.count):
        fields |= bit(moves.child[moves.rank[i]].last)
    return fields


cdef inline int bound_moves(
    const Searcher *s, const Node *n, int beta, MoveList *moves
) noexcept nogil:
    """Bound every move by the node's sums, and keep the open ones.

    Returns v >= beta: a move makes the margin at least v. Returns v < beta: every dropped move
    makes it at most v.
    """
    cdef Node *c
    cdef uint64_t rest = n.legal
    cdef int best = MINUS_INFINITY
    moves.count = 0
    while rest:
        c = &moves.child[moves.count]
        bound_move(s, n, lowest(rest), c)
        rest &= rest - 1
        if -c.upper >= beta:
            return -c.upper
        if -c.lower < beta:
            best = max(best, -c.lower)
        else:
            keep_move(moves)
    return best
