"""Retrograde analysis, compiled: expand a shard of a layer, solve it backwards.

`shards.pyx` merges the positions of a shard and finds successors. Every function here works on some
shards, holds no state between calls and releases the GIL, so any number of threads or processes may
work on shards. `kulami_solver.kulami.database.building` decides which and when.
"""

# A layer of positions as the builder holds it: all positions at one ply below the root
#
# Only what the future depends on is kept. `first` is the side that moves at the root and at every
# even ply; colours are described from its side at every ply.
#
#   spots     the root's live fields (free, and within reach of play), numbered 0.. anew
#   frame     [ live spots | context ]     64 bits; context numbers the pairs
#                                          (legal spots, panel of the newest marble or none)
#   detail    digits of a few bits each, the first one uppermost
#
#   where only panels count                      where areas or chains count, too
#   live    spots that play can still reach      live    free spots
#   digit   one a panel with a spot, s spots:    digit   one a spot, 1 bit:
#           difference + s   while the                   1 if it bears a marble of `first`
#                            difference is at
#                            most the live spots
#           2s + 1           decided
#           0                no live spot left
#   value   what is still to come: the margin    value   the margin
#           without decided and full panels
#
# A decided or full panel cannot change hands. The move that decides or fills it pays out its
# points; no later move depends on it: positions that differ only there are one. The panel of the
# newest marble is part of the context only while it has a live spot.
#
# A shard is a range of a layer (`shards.pxd`).

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from kulami_solver.core.bits cimport bit, highest, lowest, popcount, prefetch
from kulami_solver.kulami.database.shards cimport (
    COUNT_BITS, REF_WORDS, Collation, Ref, Runs, SolvedLayer, first_at, refer,
)
from kulami_solver.kulami.position.rules cimport Geometry, Tables, margin_of

cdef enum:
    BATCH = 256             # moves backed up together, so that memory is prefetched in time
    MAX_SPOTS = 40
    NO_PANEL = 64

cdef struct Shape:
    const Tables *rules
    int spots
    int panels
    bint colours                    # whether areas or chains count
    bint areas
    bint chains
    int context_bits
    uint64_t cross[MAX_SPOTS]       # row and column, without the own panel, as sets of spots
    uint8_t panel_of[MAX_SPOTS]
    uint64_t panel[NO_PANEL + 1]    # spots of each panel; none for NO_PANEL
    uint8_t field[MAX_SPOTS]        # field number of each spot
    # contexts
    const uint64_t *legal           # of each context: legal spots ...
    const uint8_t *barred           # ... and panel, NO_PANEL for none
    const uint32_t *weight          # [spot * MAX_SPOTS + spot]: its bit in the index below
    const uint32_t *place           # of each spot: where its part of `number` begins
    const uint32_t *number          # [place + 2 * index + (panel has live spots)] -> context
    # digits, where only panels count
    uint8_t shift[NO_PANEL]
    uint8_t mask[NO_PANEL]          # 0: the panel has no digit
    const uint32_t *moved           # of each panel: where its part of the tables below begins
    uint8_t stride[NO_PANEL]        # 2s + 2
    const uint8_t *digit_after      # [moved + (3 * live + mover) * stride + digit]: 0 nobody,
    const int16_t *paid             # 1 first, 2 the other side placed a marble on it
    # marbles, where colours count
    uint64_t root_first
    uint64_t root_other

cdef struct Edit:
    # The effect of a move on one digit.
    uint8_t shift
    uint8_t mask
    const uint8_t *digit
    const int16_t *paid

cdef struct Step:
    # The effect of a move on a frame and on every detail in it.
    uint64_t frame                  # of the child
    uint64_t marble                 # colours: the digit to set
    const Edit *edit
    int edits
    bint over                       # the game ends with it

cdef struct Successor:
    # A move of a frame, and the place of its child in the next layer.
    Step step
    uint64_t parent
    int shard
    uint64_t index
    uint64_t begin
    uint64_t count


cdef inline uint64_t reachable(const Shape *s, uint64_t legal, uint64_t free) noexcept nogil:
    """The free spots that play may still reach from the legal ones, bars ignored."""
    cdef uint64_t found = legal
    cdef uint64_t frontier = legal
    cdef uint64_t new
    while frontier and found != free:
        new = s.cross[lowest(frontier)] & free & ~found
        frontier &= frontier - 1
        found |= new
        frontier |= new
    return found


cdef inline uint64_t context_of(const Shape *s, uint64_t legal, int last, bint room) noexcept nogil:
    cdef const uint32_t *weight = s.weight + last * MAX_SPOTS
    cdef uint32_t index = 0
    while legal:
        index |= weight[lowest(legal)]
        legal &= legal - 1
    return s.number[s.place[last] + 2 * index + room]


cdef class LayerRules:
    """The moves of a build: from classes of equivalent positions to their successors.

    Args:
        of: the `kulami_solver.kulami.database.shape.Shape` of the positions.
    """

    cdef Shape shape
    cdef Geometry geometry
    cdef object tables              # has the arrays that `shape` points into

    def __cinit__(self, of):
        cdef Shape *s = &self.shape
        cdef const uint64_t[::1] words
        cdef const uint32_t[::1] halves
        cdef const uint8_t[::1] octets
        cdef const int16_t[::1] shorts
        cdef int i, p
        memset(s, 0, sizeof(Shape))
        self.geometry = of.layout.geometry
        self.tables = of.tables
        s.rules = &self.geometry.tables
        s.spots = len(of.spots)
        if s.spots > MAX_SPOTS:
            raise ValueError(f"more than {MAX_SPOTS} live fields")
        s.panels = s.rules.panels
        s.areas, s.chains, s.colours = of.scoring.area, of.scoring.chains, of.colours
        s.context_bits = of.context_bits
        for i in range(s.spots):
            s.field[i] = of.spots[i]
            s.cross[i] = of.cross[i]
            s.panel_of[i] = s.rules.panel_of[s.field[i]]
            s.panel[s.panel_of[i]] |= bit(i)
        words = self.tables.legal
        s.legal = &words[0]
        octets = self.tables.barred
        s.barred = &octets[0]
        halves = self.tables.weight
        s.weight = &halves[0]
        halves = self.tables.place
        s.place = &halves[0]
        halves = self.tables.number
        s.number = &halves[0]
        halves = self.tables.moved
        s.moved = &halves[0]
        octets = self.tables.digit_after
        s.digit_after = &octets[0]
        shorts = self.tables.paid
        s.paid = &shorts[0]
        for p, (shift, room) in of.panel_digits.items():
            s.shift[p], s.stride[p] = shift, 2 * room + 2
            s.mask[p] = bit(highest(2 * room + 1) + 1) - 1
        s.root_first, s.root_other = of.first_marbles, of.other_marbles

    cdef bint step_to(
        self, uint64_t frame, int spot, bint first, bint last, Step *step, Edit *edits
    ) noexcept nogil:
        """Compute the effect of a marble on `spot`; `last` tells whether it is the last marble.

        `edits` has room for the effects on the digits of all panels.
        """
        cdef const Shape *s = &self.shape
        cdef uint64_t context = frame & (bit(s.context_bits) - 1)
        cdef uint64_t before = frame >> s.context_bits
        cdef uint64_t live = before & ~bit(spot)
        cdef uint64_t legal = s.cross[spot] & live & ~s.panel[s.barred[context]]
        cdef uint64_t changed
        cdef int own = s.panel_of[spot]
        cdef int p
        cdef Edit *edit
        step.over = last or legal == 0
        step.edits = 0
        step.edit = edits
        if s.colours:
            step.marble = bit(s.spots - 1 - spot) if first else 0
        else:
            live = 0 if step.over else reachable(s, legal, live)
            changed = before & ~live
            while changed:
                p = s.panel_of[lowest(changed)]
                changed &= ~s.panel[p]
                if s.mask[p] == 0:
                    continue
                edit = &edits[step.edits]
                step.edits += 1
                edit.shift = s.shift[p]
                edit.mask = s.mask[p]
                edit.digit = s.digit_after + s.moved[p] + s.stride[p] * (
                    3 * popcount(live & s.panel[p]) + ((1 if first else 2) if p == own else 0)
                )
                edit.paid = s.paid + (edit.digit - s.digit_after)
        step.frame = live
        if not step.over:
            step.frame = live << s.context_bits | context_of(
                s, legal, spot, (s.panel[own] & live) != 0
            )
        return step.over

    cdef int final_margin(self, uint64_t detail, uint64_t live) noexcept nogil:
        """The margin of `first` in an ended game."""
        cdef const Shape *s = &self.shape
        cdef uint64_t own = s.root_first
        cdef uint64_t other = s.root_other
        cdef int i
        for i in range(s.spots):
            if live & bit(i):
                continue
            if detail & bit(s.spots - 1 - i):
                own |= bit(s.field[i])
            else:
                other |= bit(s.field[i])
        return margin_of(s.rules, own, other, s.areas, s.chains)

    def expand(
        self, const uint64_t[::1] frames, const uint64_t[::1] starts,
        const uint64_t[::1] details, bint first, bint last, bounds=(), uint64_t step=0
    ):
        """The positions one ply after those of some shards, each once.

        Args:
            frames, starts, details: the shards, one after the other.
            first: whether the side that began is to move.
            last: whether the marbles run out with this ply.
            bounds: the frames, by their numbers and rising, at which a further shard begins.
            step: of the positions after each shard, the frame of every `step`-th one is sampled;
                0 for no samples.

        Returns:
            ((frames, starts, details), moves, ended, arrived, samples): a run of the next layer;
            the number of legal moves, and of those that ended the game; the number of different
            positions after each shard, added up; the sampled frames.
        """
        cdef const Shape *s = &self.shape
        listed = [0, *bounds, frames.shape[0]]
        cdef uint64_t[::1] edges = np.array(listed, np.uint64)
        cdef uint64_t[::1] made = np.zeros(len(edges), np.uint64)   # frames up to each shard's end
        cdef uint64_t refs, room, all_refs = 0, moves = 0, most_refs = 0, most = 0
        cdef uint64_t ended = 0, samples = 0, n = 0, shard, i, size, at
        cdef uint64_t shards = edges.shape[0] - 1
        cdef uint64_t low = bit(s.context_bits) - 1
        cdef uint64_t[::1] details_after, memory, sampled
        cdef Collation after
        if listed != sorted(listed):
            raise ValueError("shards that do not follow each other")
        with nogil:
            for shard in range(shards):
                refs = room = 0
                for i in range(edges[shard], edges[shard + 1]):
                    size = popcount(s.legal[frames[i] & low])
                    refs += size * (1 + ((starts[i + 1] - starts[i]) >> COUNT_BITS))
                    room += size * (starts[i + 1] - starts[i])
                all_refs += refs
                moves += room
                most_refs = max(most_refs, refs)
                most = max(most, room)
        details_after = np.empty(most + 1, np.uint64)
        memory = np.empty((most_refs + 1) * REF_WORDS, np.uint64)
        after = Collation(all_refs, moves, most_refs, most)
        with nogil:
            for shard in range(shards):
                refs = self.make_moves(
                    frames, starts, details, edges[shard], edges[shard + 1], first, last,
                    <Ref *>&memory[0], &details_after[0], &ended
                )
                after.add(<Ref *>&memory[0], refs)
                made[shard + 1] = after.count
                if step:
                    size = after.starts[after.count] - after.starts[made[shard]]
                    samples += (size + step - 1) // step
        sampled = np.empty(samples, np.uint64)
        with nogil:
            for shard in range(shards if step else 0):
                at = after.starts[made[shard]]
                for i in range(made[shard], made[shard + 1]):
                    while at < after.starts[i + 1]:
                        sampled[n] = after.frames[i]
                        n += 1
                        at += step
        arrived = after.starts[after.count]
        run = after.shards()
        if shards > 1:
            run = Runs([run]).merged(0, ~<uint64_t>0)
        return run, moves, ended, arrived, np.asarray(sampled)

    cdef uint64_t make_moves(
        self, const uint64_t[::1] frames, const uint64_t[::1] starts,
        const uint64_t[::1] details, uint64_t begin, uint64_t end, bint first, bint last,
        Ref *ref, uint64_t *out, uint64_t *ended
    ) noexcept nogil:
        """Write the positions after some frames, and refs to them; return the number of refs."""
        cdef const Shape *s = &self.shape
        cdef uint64_t low = bit(s.context_bits) - 1
        cdef uint64_t i, j, legal, size, detail, made = 0
        cdef Step step
        cdef Edit edits[NO_PANEL]
        cdef int e
        cdef const Edit *edit
        for i in range(begin, end):
            size = starts[i + 1] - starts[i]
            legal = s.legal[frames[i] & low]
            while legal:
                if self.step_to(frames[i], lowest(legal), first, last, &step, edits):
                    ended[0] += size
                else:
                    made += refer(ref + made, step.frame, out, size)
                    for j in range(starts[i], starts[i + 1]):
                        detail = details[j]
                        if s.colours:
                            detail |= step.marble
                        else:
                            for e in range(step.edits):
                                edit = &step.edit[e]
                                detail ^= (<uint64_t>(
                                    edit.digit[detail >> edit.shift & edit.mask]
                                    ^ (detail >> edit.shift & edit.mask)
                                )) << edit.shift
                        out[0] = detail
                        out += 1
                legal &= legal - 1
        return made

    def solve(
        self, const uint64_t[::1] frames, const uint64_t[::1] starts,
        const uint64_t[::1] details, bint first, bint last, SolvedLayer after, int16_t[::1] values
    ):
        """Fill in the values of a shard from the layer after it.

        Raises:
            LookupError: a successor is not in that layer, so one of the two layers has changed.
        """
        cdef const Shape *s = &self.shape
        cdef uint64_t low = bit(s.context_bits) - 1
        cdef uint64_t i = 0, legal = 0
        cdef uint64_t n = frames.shape[0]
        cdef uint64_t index[MAX_SPOTS]
        cdef int shard[MAX_SPOTS]
        cdef Successor batch[BATCH]
        cdef Edit edits[BATCH * 4 + NO_PANEL]
        cdef Successor *a
        cdef int spot, moves, used, x
        cdef int worst = -32768 if first else 32767
        cdef bint missing = False
        memset(index, 0, sizeof(index))
        memset(shard, 0, sizeof(shard))
        values[:] = worst
        with nogil:
            if n:
                legal = s.legal[frames[0] & low]
            while i < n and not missing:
                # Three rounds over a batch: find the children, find their details, read their
                # values. Each round prefetches the memory that the next one reads.
                moves = used = 0
                while i < n and moves < BATCH and used < BATCH * 4:
                    if not legal:
                        i += 1
                        if i < n:
                            legal = s.legal[frames[i] & low]
                        continue
                    spot = lowest(legal)
                    legal &= legal - 1
                    a = &batch[moves]
                    moves += 1
                    a.parent = i
                    a.count = 0
                    if not self.step_to(frames[i], spot, first, last, &a.step, &edits[used]):
                        if not after.find(&shard[spot], &index[spot], a.step.frame):
                            missing = True
                            break
                        a.shard = shard[spot]
                        a.index = index[spot]
                        prefetch(&after.shard[a.shard].starts[a.index])
                    used += a.step.edits
                if missing:
                    break
                for x in range(moves):
                    a = &batch[x]
                    if not a.step.over:
                        a.begin = after.shard[a.shard].starts[a.index]
                        a.count = after.shard[a.shard].starts[a.index + 1] - a.begin
                        prefetch(&after.shard[a.shard].details[a.begin])
                        prefetch(&after.shard[a.shard].values[a.begin])
                for x in range(moves):
                    a = &batch[x]
                    if not self.back_up(
                        a, after, &details[0], starts[a.parent], starts[a.parent + 1],
                        first, &values[0]
                    ):
                        missing = True
                        break
        if missing:
            raise LookupError("a successor is missing from the next layer")

    cdef bint back_up(
        self, const Successor *a, SolvedLayer after, const uint64_t *details, uint64_t begin,
        uint64_t end, bint first, int16_t *values
    ) noexcept nogil:
        """Update the values of a frame's details by a move; false if one has no successor."""
        cdef const uint64_t *found = NULL
        cdef const int16_t *worth = NULL
        cdef const Edit *edit
        cdef uint64_t j, detail
        cdef uint64_t k = 0
        cdef int e, value, digit
        cdef bint colours = self.shape.colours
        if not a.step.over:
            found = after.shard[a.shard].details + a.begin
            worth = after.shard[a.shard].values + a.begin
        for j in range(begin, end):
            detail = details[j]
            value = 0
            if colours:
                detail |= a.step.marble
                if a.step.over:
                    value = self.final_margin(detail, a.step.frame)
            for e in range(a.step.edits):
                edit = &a.step.edit[e]
                digit = detail >> edit.shift & edit.mask
                value += edit.paid[digit]
                detail ^= (<uint64_t>(edit.digit[digit] ^ digit)) << edit.shift
            if not a.step.over:
                # Successors of rising details mostly rise, too.
                k = position_from(found, a.count, k, detail)
                if k == a.count:
                    return False
                value += worth[k]
            if first:
                values[j] = max(<int>values[j], value)
            else:
                values[j] = min(<int>values[j], value)
        return True


cdef inline uint64_t position_from(
    const uint64_t *sorted_list, uint64_t n, uint64_t hint, uint64_t wanted
) noexcept nogil:
    """The index of `wanted` in a rising list, n if it is absent; the search starts at `hint`."""
    cdef uint64_t low = 0, high = n
    cdef int _tries
    if hint < n:
        if sorted_list[hint] <= wanted:
            for _tries in range(6):
                if sorted_list[hint] == wanted:
                    return hint
                hint += 1
                if hint == n:
                    return n
                if sorted_list[hint] > wanted:
                    return n
            low = hint
        else:
            high = hint
    low = first_at(sorted_list, low, high, wanted)
    return low if low < n and sorted_list[low] == wanted else n
