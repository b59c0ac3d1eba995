# What panels, areas and chains are worth, and what they can still become
#
#     panels          PanelTables, Hull     the points that panels can still bring
#     areas           Areas                 the largest area of one colour
#     windows         Windows               marbles in the runs of five squares
#     chains          Chains                the chains of one colour
#     live fields                           the fields that play can still reach
#     weights         Evaluation            what a state of a panel is worth by what was learned
#
# Nothing here knows a node: `node.pxd` puts these together to bounds of a margin.

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t, uint8_t
from libc.string cimport memset

from kulami_solver.core.bits cimport (
    Eight, bit, count_above, eight_add as hull_add, eight_least, eight_sub as hull_sub,
    high_product, lowest, popcount,
)
from kulami_solver.kulami.position.rules cimport (
    CHAIN, MAX_FIELDS, NO_FIELD, WINDOW_WORDS, Geometry, Tables, follows,
)

# -------------------------------------------------------------------------------------------------
# The points that panels can still bring: bounds on the panel points, and which panels are decided
#
# In the view of one side ("own"), a panel of s fields with a difference of d marbles (own minus
# other's) is worth  s * sign(d)  now. If own gets j more marbles onto it, at most
# s * sign(d + j): other's marbles there can only lower that.
#
#     gain(j) = s * (sign(d + j) - sign(d)),   0 <= j <= free fields of the panel
#
# How much can n marbles gain over all panels? That is a knapsack. Its Lagrangian bound needs no
# search: for any price L >= 0 of a marble,
#
#     gain  <=  L * n  +  sum over panels of  max_j ( gain(j) - L * j )
#
# The least of these over all prices is the bound of linear programming. Eight prices give it
# exactly if every breakpoint of the panels' concave hulls is among them. The standard panels have
# the breakpoints 6, 4, 3 and 2, so eight prices side by side in one 128-bit register are enough.
# `Hull` holds  max_j ( gain(j) - L * j )  for the eight prices, in twelfths of a point.
#
# A marble changes the hulls of its own panel alone, so their sums over the panels are kept up move
# by move.
#
#     hulls of a size s:   [free 0..s][difference -s..s]  ->  Hull
#
# Close to the end fields are ranked by the size of their panel, the largest first, and by its
# number among equals. A set of ranks is a word; its lowest bit lies on a largest panel.

cdef enum:
    PRICES = 8
    FREE = PRICES - 1                   # the last price is 0: the gain without a limit of marbles
    UNIT = 12                           # prices and hulls are in twelfths of a point
    TENTH = 10                          # expectations are in tenths of a point

# max_j ( gain(j) - price * j ), one for each price; none is below 0.
ctypedef Eight Hull

cdef struct Standing:
    # A panel with a certain difference, as it counts in a position.
    uint64_t index                      # random words: its share of the position's hash
    uint64_t signature
    int64_t points                      # size, 0 or -size

cdef struct Ranked:
    # A field, where fields are known by rank.
    uint64_t cross                      # ranks in its row and column, without its own panel
    uint64_t panel                      # ranks on its panel
    uint64_t beside                     # ranks of the fields that share a side with it
    const Hull *hulls                   # this and the next are as in `PanelTables`
    int16_t free_step
    uint8_t size                        # of its panel
    uint8_t field                       # its own number

cdef struct PanelTables:
    const Tables *rules
    Hull price                          # of a marble, in twelfths; the last one is 0
    const Hull *hulls[MAX_FIELDS]       # of each panel: the hull for free 0, difference 0
    const int16_t *expected[MAX_FIELDS]     # likewise: the points to expect of it
    int32_t free_step[MAX_FIELDS]       # step to one more free field, in both
    const Standing *standing[MAX_FIELDS]    # of each panel: for difference 0
    Ranked ranked[MAX_FIELDS + 1]       # the fields by rank; then one of no panel
    uint8_t rank[MAX_FIELDS + 1]        # of each field; the last one for NO_FIELD


cdef inline bint pays_at_once(int lead) noexcept nogil:
    """Does a marble gain a panel's size at this lead of its side: level, or one behind?

    Leads 0 and -1 are tested in one go: any other lead, negated, is more than 1 as an unsigned
    number.
    """
    return <unsigned int>-lead <= 1


cdef inline int best_gain(const PanelTables *t, const Hull *sum, int marbles) noexcept nogil:
    """Bound in points from the hulls' sum, for a number of marbles."""
    return eight_least(sum, &t.price, marbles) // UNIT


cdef inline uint64_t ranks_of(const PanelTables *t, uint64_t fields) noexcept nogil:
    """The ranks of these fields."""
    cdef uint64_t ranks = 0
    while fields:
        ranks |= bit(t.rank[lowest(fields)])
        fields &= fields - 1
    return ranks


cdef inline uint64_t fields_of(const PanelTables *t, uint64_t ranks) noexcept nogil:
    """The fields with these ranks."""
    cdef uint64_t fields = 0
    while ranks:
        fields |= bit(t.ranked[lowest(ranks)].field)
        ranks &= ranks - 1
    return fields


cdef class PanelBounds:
    cdef PanelTables tables
    cdef Geometry geometry              # keeps tables.rules alive
    cdef Hull *memory
    cdef int16_t *expectations
    cdef Standing *standings
    cdef rank_fields(self, list sizes)


# -------------------------------------------------------------------------------------------------
# The largest area of one colour: how large it is, and how large it can still become
#
# The marbles of a colour form components, connected by their sides. The future depends on two
# properties of a component:
#
#     size      the number of its marbles
#     around    the fields beside them, of any kind. The live ones, which play can still reach,
#               are its border
#
# A marble on field x and all components with x around them become one component. So the list is
# updated move by move, without another look at the board. A component without a border is closed:
# it cannot change any more, and only the largest closed one matters. Components of equal size and
# border are interchangeable. So are positions with the same multiset of such components, and with
# the same largest closed size if that is larger than all the open ones.
#
# Bound. Let the final largest area A be larger than the present one. Take a spanning tree of A from
# its largest old component: every other old component in A is tied to a new marble beside it. So A
# has at most
#
#     size of that component  +  sum over new marbles x of  share(x)
#     share(x) = 1 + sizes of the components with x around them
#
# marbles. No share needs to count the largest of all open components: if it is in A, it is the
# root, and if not, it is tied to nothing. With n marbles to come, A has at most
# largest + the n largest shares.

cdef enum:
    MAX_COMPONENTS = 32                  # marbles of a colour on 64 fields, no two side by side

cdef struct Areas:
    uint64_t around[MAX_COMPONENTS]      # of the open components
    uint8_t size[MAX_COMPONENTS]
    uint8_t components              # number of open components
    uint8_t closed                  # size of the largest closed one
    uint8_t now                     # size of the largest area


cdef inline void copy_areas(const Areas *source, Areas *copy) noexcept nogil:
    cdef int i
    copy.components = source.components
    copy.closed = source.closed
    copy.now = source.now
    for i in range(source.components):
        copy.around[i] = source.around[i]
        copy.size[i] = source.size[i]


cdef inline void place_in_areas(const Tables *t, Areas *a, int field) noexcept nogil:
    """One more marble of this colour."""
    cdef uint64_t around = t.beside[field]
    cdef int size = 1
    cdef int kept = 0
    cdef int i
    for i in range(a.components):
        if a.around[i] >> field & 1:
            around |= a.around[i]
            size += a.size[i]
        else:
            a.around[kept] = a.around[i]
            a.size[kept] = a.size[i]
            kept += 1
    a.around[kept] = around
    a.size[kept] = size
    a.components = kept + 1
    a.now = max(<int>a.now, size)


cdef inline void begin_areas(const Tables *t, Areas *a, uint64_t marbles) noexcept nogil:
    a.components = a.closed = a.now = 0
    while marbles:
        place_in_areas(t, a, lowest(marbles))
        marbles &= marbles - 1


cdef inline int area_gain(const Areas *a, int field) noexcept nogil:
    """By how much one marble on `field` would enlarge the largest area."""
    cdef int size = 1
    cdef int i
    for i in range(a.components):
        size += a.size[i] & -<int>(a.around[i] >> field & 1)
    return max(0, size - <int>a.now)


cdef inline int area_ceiling(Areas *a, uint64_t live, int marbles) noexcept nogil:
    """Put closed components aside; return the most that the largest area can become."""
    cdef uint8_t share[MAX_FIELDS]
    cdef uint8_t fields_with[MAX_FIELDS + 1]
    cdef uint64_t border
    cdef int kept = 0, largest = 0, root = 0, i, total
    for i in range(a.components):
        if not (a.around[i] & live):
            a.closed = max(<int>a.closed, <int>a.size[i])
            continue
        a.around[kept] = a.around[i]
        a.size[kept] = a.size[i]
        if a.size[i] > largest:
            largest = a.size[i]
            root = kept
        kept += 1
    a.components = kept
    if marbles == 0:
        return a.now
    memset(share, 1, sizeof(share))
    for i in range(kept):
        if i == root:
            continue
        border = a.around[i] & live
        while border:
            share[lowest(border)] += a.size[i]
            border &= border - 1
    memset(fields_with, 0, sizeof(fields_with))
    i = 0
    border = live
    while border:
        total = share[lowest(border)]
        border &= border - 1
        fields_with[total] += 1
        i = max(i, total)
    total = largest
    while i > 0 and marbles > 0:
        kept = min(marbles, <int>fields_with[i])
        total += kept * i
        marbles -= kept
        i -= 1
    return max(<int>a.now, total)


cdef inline void hash_areas(
    const Areas *a, uint64_t live, uint64_t salt, uint64_t *index, uint64_t *signature
) noexcept nogil:
    """Add the hash of the open components, in any order, and of a larger closed one, if any.

    Each component's border and size go through two multiplications to 128 bits. The second one
    is a square, so sums over different multisets are equal only by chance, 2^-64.
    """
    cdef uint64_t x, low, high
    cdef int largest = 0
    cdef int i
    for i in range(a.components + 1):
        if i < a.components:
            largest = max(largest, <int>a.size[i])
            x = (a.around[i] & live) ^ salt
            high = <uint64_t>0x9E3779B97F4A7C15 * (2 * a.size[i] + 1)
        elif a.closed > largest:
            x = salt
            high = <uint64_t>0xD6E8FEB86659FD93 * (2 * a.closed + 1)
        else:
            break
        low = x * high
        x = high_product(x, high) ^ low ^ high
        x += x << 21 | 1
        low = x * x
        high = high_product(x, x)
        index[0] += low ^ (high >> 17)
        signature[0] += high + (low ^ (low >> 29)) * <uint64_t>0xBF58476D1CE4E5B9


# -------------------------------------------------------------------------------------------------
# The windows of one side: how many of its marbles each run of five squares holds
#
#     has       the number of each window in binary: digit k of the number of window w is bit w of
#               has[k]. So a few steps add a marble to all windows through its field
#
# `rules.pxd` tells how full windows make chains.

cdef struct Windows:
    uint64_t has[3][WINDOW_WORDS]


cdef inline int window_words(const Tables *t) noexcept nogil:
    """The number of words in use of a set of windows."""
    return (t.windows + 63) // 64


cdef inline void fill_windows(
    const Tables *t, const Windows *before, Windows *after, int field
) noexcept nogil:
    """Add a marble to all windows with this field; both arguments may be the same."""
    cdef uint64_t through, carried, twos
    cdef int k
    for k in range(window_words(t)):
        through = t.through[field][k]
        carried = before.has[0][k] & through
        twos = before.has[1][k] & carried
        after.has[0][k] = before.has[0][k] ^ through
        after.has[1][k] = before.has[1][k] ^ carried
        after.has[2][k] = before.has[2][k] | twos


cdef inline int chains_of(const Tables *t, const Windows *w) noexcept nogil:
    """The points of the chains: one for each full window, four more where a chain begins."""
    cdef uint64_t full, before
    cdef uint64_t carried = 0
    cdef int points = 0
    cdef int k
    for k in range(window_words(t)):
        full = w.has[2][k] & w.has[0][k]
        before = (full << 1 | carried) & t.follows[k]
        carried = full >> 63
        points += popcount(full) + (CHAIN - 1) * popcount(full & ~before)
    return points


cdef inline uint64_t completing_fields(
    const Tables *t, const Windows *w, const uint64_t *among
) noexcept nogil:
    """The fields of windows with four marbles, among a set of windows (NULL: all)."""
    cdef uint64_t four
    cdef uint64_t found = 0
    cdef int k
    for k in range(window_words(t)):
        four = w.has[2][k] & ~w.has[0][k]
        if among != NULL:
            four &= among[k]
        while four:
            found |= t.window[64 * k + lowest(four)]
            four &= four - 1
    return found


# -------------------------------------------------------------------------------------------------
# The chains of one colour: their points, and the most points they can still bring
#
# A window (five squares in line) is feasible for a colour if each of its fields holds a marble of
# that colour or is live (play can still reach it), and if it lacks no more marbles than the colour
# has to come. An infeasible window stays infeasible, so the set of feasible windows is handed on
# from move to move. Feasible windows that follow one another on their line form a group:
#
#     r r r . r . r        .  live      three windows, one group of seven squares
#
# A group without a live field is closed, and its points are kept apart. The future of the
# chains depends on the marbles in the other groups alone.
#
# Bound. A group of k windows brings at most k + 4 points; its gain is that less its present points.
# Any gain takes at least `need` marbles in the group: the fewest that one of its windows lacks,
# full windows aside. Give each live field of the group a share of gain / need. With n marbles to
# come, the gains of all groups together are at most the n largest shares.

cdef enum:
    SHARE = 60                          # shares are in sixtieths of a point, rounded up

cdef struct Chains:
    uint64_t feasible[WINDOW_WORDS]     # set of windows
    uint64_t relevant                   # marbles that the future depends on
    uint64_t hot                        # fields that fill a window with one marble
    int closed                          # points of closed groups
    int now                             # all points


cdef inline int points_of(const Tables *t, const Chains *c, uint64_t own) noexcept nogil:
    """Points of the full windows among the feasible ones."""
    cdef int points = 0, before = -2, w, k
    cdef uint64_t rest
    for k in range((t.windows + 63) // 64):
        rest = c.feasible[k]
        while rest:
            w = 64 * k + lowest(rest)
            rest &= rest - 1
            if not (t.window[w] & ~own):
                points += 1 if before == w - 1 and follows(t, w) else CHAIN
                before = w
    return points


cdef inline void begin_chains(
    const Tables *t, Chains *c, uint64_t own, uint64_t other
) noexcept nogil:
    cdef int w
    for w in range(WINDOW_WORDS):
        c.feasible[w] = 0
    for w in range(t.windows):
        if not (t.window[w] & other):
            c.feasible[w >> 6] |= bit(w & 63)
    c.closed = 0
    c.relevant = c.hot = 0
    c.now = points_of(t, c, own)


cdef inline int chain_gain(
    const Tables *t, const Chains *c, uint64_t own, int field
) noexcept nogil:
    """Points that one marble on `field` would add."""
    if not (c.hot >> field & 1):
        return 0
    return c.closed + points_of(t, c, own | bit(field)) - c.now


cdef inline int best_shares(const int16_t *share, int most, int marbles) noexcept nogil:
    """Sum of the largest `marbles` of MAX_FIELDS shares, none of them below 0 or above `most`."""
    cdef int low = 0, high = most, total = 0, middle, i
    # The shares are not sorted. Find the least value that fewer than `marbles` of them exceed.
    while low < high:
        middle = (low + high) >> 1
        if count_above(share, middle) < marbles:
            high = middle
        else:
            low = middle + 1
    for i in range(MAX_FIELDS):
        total += max(share[i] - low, 0)
    return total + marbles * low


cdef inline int chain_ceiling(
    const Tables *t, Chains *c, uint64_t own, uint64_t live, int marbles
) noexcept nogil:
    """Drop infeasible windows, put closed groups aside; return the most points still possible."""
    cdef int16_t share[MAX_FIELDS]
    cdef uint64_t lacking, rest, fields, cells = 0, shared = 0
    cdef int first = 0, last = -2, points = 0, need = 0, full = 0, gains = 0, shares = 0, most = 0
    cdef int lacks, w, k, i
    cdef int words = (t.windows + 63) // 64
    cdef bint ends
    memset(share, 0, sizeof(share))
    c.relevant = c.hot = 0
    c.now = c.closed
    k = 0
    rest = c.feasible[0]
    while True:
        while rest == 0 and k < words:
            k += 1
            rest = c.feasible[k] if k < words else 0
        ends = k >= words
        if not ends:
            w = 64 * k + lowest(rest)
            rest &= rest - 1
            lacking = t.window[w] & ~own
            lacks = popcount(lacking)
            if lacking & ~live or lacks > marbles:
                c.feasible[k] &= ~bit(w & 63)
                continue
            if lacks == 1:
                c.hot |= lacking
            if last == w - 1 and follows(t, w):
                cells |= t.window[w]
                last = w
                if lacks == 0:
                    points += 1 if full else CHAIN
                else:
                    need = min(need, lacks)
                full = lacks == 0
                continue
        if last >= 0:
            # The group first..last is complete.
            c.now += points
            if need == MAX_FIELDS:
                c.closed += points
                for i in range(first, last + 1):
                    c.feasible[i >> 6] &= ~bit(i & 63)
            else:
                c.relevant |= cells & own
                gains += last - first + CHAIN - points
                need = SHARE * (last - first + CHAIN - points) // need + 1
                fields = cells & live
                shared |= fields
                shares += need * popcount(fields)
                while fields:
                    i = lowest(fields)
                    fields &= fields - 1
                    share[i] += need
                    most = max(most, <int>share[i])
        if ends:
            break
        first = last = w
        cells = t.window[w]
        full = lacks == 0
        points = CHAIN if full else 0
        need = MAX_FIELDS if full else lacks
    if gains == 0:
        return c.now
    if popcount(shared) > marbles:
        shares = best_shares(share, most, marbles)
    return c.now + min(gains, shares // SHARE)


# -------------------------------------------------------------------------------------------------
# Live fields: the free fields that the plies to come can still reach
#
#     ply 1     the legal fields
#     ply 2     `second`: the row and column of each of these, without the last panel
#     ply 3     ... and the row and column of each field of `second`
#     later     ... and those of any field found so far
#
# A field that drops out never comes back: a field within reach after a move was within reach
# before it. So a node looks only among its parent's live fields.

cdef inline uint64_t neighbours(const Tables *t, uint64_t fields) noexcept nogil:
    """The rows and columns of all the fields, each without its own panel."""
    cdef uint64_t found = 0
    while fields:
        found |= t.cross[lowest(fields)]
        fields &= fields - 1
    return found


cdef inline uint64_t reachable(
    const Tables *t, uint64_t first, uint64_t second, uint64_t free, int plies
) noexcept nogil:
    """The `free` fields within reach; `first` and `second` are those of the first two plies.

    Barred panels are ignored, and from the third ply on the number of plies is, too. So the
    result may contain a few fields too many.
    """
    cdef uint64_t found = first | second
    cdef uint64_t rest = second
    cdef uint64_t missing, new
    if plies <= 2:
        return found
    # The third ply: usually a few fields of the second lead to all the others.
    while rest and found != free:
        found |= t.cross[lowest(rest)] & free
        rest &= rest - 1
    # Few fields are missing now: look from each of them whether it meets a found one.
    missing = free & ~found
    while missing:
        new = 0
        rest = missing
        while rest:
            new |= rest & (~rest + 1) & -<uint64_t>((t.cross[lowest(rest)] & found) != 0)
            rest &= rest - 1
        if not new:
            break
        found |= new
        missing &= ~new
    return found


# -------------------------------------------------------------------------------------------------
# The weights of the learned evaluation, arranged for a layout
#
#     panels of a phase:   size 2 [free 0..2][difference -2..2]   size 3 ...   ->  PanelWeight
#
# `heuristics.pxd` describes the search's weights and those of the tree.

cdef enum:
    SIXTY_FOURTH = 64               # of these make a point
    PHASE_PLIES = 4                 # plies to come for which the weights are the same
    PHASES = MAX_FIELDS // PHASE_PLIES + 1
    REPLIES = 16                    # this many replies, or more, have the last weight
    TERMS = 8                       # numbers that describe areas and chains to the search
    MOST_TERMS = 20                 # the most such numbers of any evaluation

cdef struct PanelWeight:
    int16_t standing
    int16_t now
    int16_t later
    int16_t unused                  # pads to eight bytes

cdef struct Phase:
    const PanelWeight *panels       # by size, live fields and difference
    int16_t replies[REPLIES]
    int16_t parity[2]
    int16_t second                  # of each field of `Node.second`
    int16_t terms[MOST_TERMS]       # of each unit of such a number

cdef struct Evaluation:
    Phase phase[PHASES]
    int32_t start[MAX_FIELDS]       # of each panel: where free 0, difference 0 is in `panels`


cdef class Weights:
    cdef PanelWeight *panels
    cdef int states                 # of a phase
    cdef dict start                 # of each size: where free 0, difference 0 is
    cdef Phase phase[PHASES]


cdef class LearnedEvaluation:
    cdef Evaluation tables
    cdef Weights weights            # keeps tables.phase alive
