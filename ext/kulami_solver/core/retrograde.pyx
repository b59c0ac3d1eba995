"""Retrograde analysis of a game that can go round in circles, whatever game it is.

`dense.pxd` shows slots, reached slots and values in memory. There are two steps. Each works on a
range of blocks at a time, so any number of threads may share it:

    Expansion   forwards, from the last layer to the first: find the reached slots
    Layer       backwards, from the first layer to the last: find their values

While a layer is being solved, a value that is not DECIDED is one of

    0                        a draw unless a way to win is found: a turn leads to a drawn slot of an
                             earlier layer, so the side to move need not lose
    count << shift | worst   `count` successors in this layer are not known to be won for the
                             opponent; all successors in earlier layers are won for it, in at most
                             `worst` plies. If `worst` is all ones, it may be more: it is looked up
                             again when `count` has come to 0, so `worst` may have few bits or none

A value that is DECIDED is final, with one exception: a win in more plies than the present wave may
still become a faster win. Wave n goes over the slots decided at n plies and updates their
predecessors: `docs/algorithms.md` proves that each slot gets its exact plies.

Threads write to the same words in two places only, and in both the order does not matter: bits of
`reached`, which are only ever set, and values of predecessors, each of which is replaced in one
step by a value computed from the old one. A wave never writes, nor overwrites, a value that it
looks for.
"""

import numpy as np

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free as release, malloc

from kulami_solver.core.bits cimport (
    bit, exchange, fetch_or, lowest, popcount, prefetch, relaxed_load, relaxed_load_16, replace_16,
)
from kulami_solver.core.dense cimport (
    BLOCK, DECIDED, LOSS, PLIES, WON, WORDS, Game, Reached, is_reached, ordinal_of, slot_at,
)
from kulami_solver.errors import CapacityError

cdef enum:
    TOGETHER = 512              # slots looked up together, so that memory is prefetched
    OPEN_BITS = 15              # of a value that is not DECIDED

# Marks a slot of the layer itself; numbers without this bit are ordinals of earlier layers' slots.
cdef extern from *:
    """
    #define HERE ((uint64_t)1 << 63)
    """
    const uint64_t HERE


cdef inline int distinct(uint64_t *found, int n, uint64_t least) noexcept nogil:
    """Move the slots from `least` on to the front, once each; return their number."""
    cdef uint64_t seen = 0          # one bit for each remainder by 64, so that few are compared
    cdef int kept = 0
    cdef int i, j
    for i in range(n):
        if found[i] < least:
            continue
        if seen & bit(found[i] & 63):
            for j in range(kept):
                if found[j] == found[i]:
                    break
            else:
                found[kept] = found[i]
                kept += 1
            continue
        seen |= bit(found[i] & 63)
        found[kept] = found[i]
        kept += 1
    return kept


cdef int check_layer(Reached reached, int layer) except -1:
    if not 0 <= layer < len(reached.game.bounds) - 1:
        raise ValueError(f"no layer {layer}: there are {len(reached.game.bounds) - 1}")
    return 0


cdef class Expansion:
    """The reached slots of a layer, and the search for those that follow from them.

    Args:
        reached: the table; complete for later layers.
        layer: the number of the layer.

    Raises:
        ValueError: there is no such layer.
    """

    cdef Reached reached
    cdef const Game *game
    cdef readonly uint64_t begin
    cdef uint64_t end
    cdef object kept
    cdef uint64_t *fresh            # reached slots of the layer that have not been expanded

    def __cinit__(self, Reached reached not None, int layer):
        cdef uint64_t[::1] words
        check_layer(reached, layer)
        self.reached = reached
        self.game = &reached.game.game
        self.begin = reached.game.bounds[layer]
        self.end = reached.game.bounds[layer + 1]
        words = reached.bitmap[self.begin >> 6:self.end >> 6].copy()
        self.kept = words.base
        self.fresh = &words[0]

    def sweep(self, uint64_t begin, uint64_t end) -> int:
        """Expand the fresh slots from `begin` to below `end`, multiples of 512.

        Returns:
            The number of expanded slots; the layer is complete when sweeps of all of it give 0.

        Raises:
            ValueError: this is no range of the layer's blocks.
        """
        self.reached.check_range(begin, end)
        if begin < self.begin or end > self.end:
            raise ValueError(f"slots {begin} to {end} are not all of the layer")
        cdef uint64_t *found = <uint64_t *>malloc((TOGETHER + self.game.most) * sizeof(uint64_t))
        cdef uint64_t expanded = 0
        cdef uint64_t word, todo
        cdef int filled = 0, n, i
        if found == NULL:
            raise MemoryError("no memory for successors")
        with nogil:
            for word in range(begin >> 6, end >> 6):
                if not relaxed_load(&self.fresh[word - (self.begin >> 6)]):
                    continue
                todo = exchange(&self.fresh[word - (self.begin >> 6)], 0)
                expanded += popcount(todo)
                while todo:
                    n = self.game.successors(
                        self.game.tables, word << 6 | lowest(todo), found + filled
                    )
                    todo &= todo - 1
                    for i in range(n):
                        prefetch(&self.reached.reached[found[filled + i] >> 6])
                    filled += max(n, 0)
                    if filled >= TOGETHER:
                        self.mark(found, filled)
                        filled = 0
            self.mark(found, filled)
        release(found)
        return expanded

    cdef void mark(self, const uint64_t *found, int n) noexcept nogil:
        cdef uint64_t word, member
        cdef int i
        for i in range(n):
            word, member = found[i] >> 6, bit(found[i] & 63)
            if relaxed_load(&self.reached.reached[word]) & member:
                continue
            if fetch_or(&self.reached.reached[word], member) & member:
                continue
            if found[i] >= self.begin:
                fetch_or(&self.fresh[word - (self.begin >> 6)], member)


cdef class Layer:
    """A layer to be solved; all earlier layers must be solved.

    Args:
        reached: the table, in which the reached slots have been numbered.
        layer: the number of the layer.
        bits: of a value that is not DECIDED, at most 15; fewer bits change no result.
        most_plies: the longest way to an end that is accepted, at most 16,382.

    Raises:
        ValueError: a count of turns takes more bits, the reached slots have not been numbered, or
            there is no such layer.
    """

    cdef Reached reached
    cdef const Game *game
    cdef readonly uint64_t begin
    cdef int layer
    cdef int shift
    cdef uint16_t worst             # mask
    cdef int most_plies

    def __cinit__(
        self, Reached reached not None, int layer, int bits=OPEN_BITS, int most_plies=PLIES - 1
    ):
        check_layer(reached, layer)
        if not 1 <= bits <= OPEN_BITS or not 0 <= most_plies < PLIES:
            raise ValueError(f"{bits} bits and {most_plies} plies: 1 to 15 and 0 to 16,382 will do")
        self.layer = layer
        self.most_plies = most_plies
        self.reached = reached
        self.game = &reached.game.game
        self.begin = reached.game.bounds[layer]
        self.shift = bits - <int>int(self.game.most).bit_length()
        if self.shift < 0:
            raise ValueError(f"{bits} bits have no room for a count of {self.game.most} turns")
        self.worst = (1 << self.shift) - 1
        reached.check_numbered()

    def prepare(self, uint64_t begin, uint64_t end) -> int:
        """Set first values from ends and earlier layers, for slots from `begin` to below `end`.

        Returns:
            The most plies of the slots decided so far, -1 if there are none.

        Raises:
            CapacityError: an end is more than `most_plies` away.
            ValueError: this is no range of blocks.
        """
        self.reached.check_range(begin, end)
        cdef uint64_t *found = <uint64_t *>malloc((TOGETHER + self.game.most) * sizeof(uint64_t))
        cdef uint64_t slots[TOGETHER + 1]
        cdef int counts[TOGETHER + 1]
        cdef uint64_t ordinal = self.reached.before[begin // BLOCK]
        cdef uint64_t word, todo
        cdef int pending = 0, filled = 0, furthest = -1
        cdef int n, i
        if found == NULL:
            raise MemoryError("no memory for successors")
        with nogil:
            for word in range(begin >> 6, end >> 6):
                todo = self.reached.reached[word]
                while todo:
                    n = self.game.successors(
                        self.game.tables, word << 6 | lowest(todo), found + filled
                    )
                    todo &= todo - 1
                    for i in range(n):
                        if found[filled + i] < self.begin:
                            prefetch(&self.reached.reached[found[filled + i] >> 6])
                    slots[pending] = ordinal
                    counts[pending] = n
                    ordinal += 1
                    pending += 1
                    filled += max(n, 0)
                    if filled >= TOGETHER or pending == TOGETHER:
                        furthest = max(furthest, self.judge(slots, counts, pending, found))
                        pending = filled = 0
            furthest = max(furthest, self.judge(slots, counts, pending, found))
        release(found)
        return self.checked(furthest)

    cdef int judge(
        self, const uint64_t *ordinals, const int *counts, int pending, uint64_t *found
    ) noexcept nogil:
        """Give slots their first values."""
        cdef const uint64_t *reached = self.reached.reached
        cdef const uint32_t *before = self.reached.before
        cdef const uint16_t *values = self.reached.value
        cdef int total = 0, furthest = -1
        cdef int i, p, plies
        cdef uint16_t value
        for p in range(pending):
            total += max(counts[p], 0)
        # Slots of earlier layers become ordinals; slots of this layer stay slots.
        for i in range(total):
            if found[i] < self.begin:
                found[i] = ordinal_of(reached, before, found[i])
                prefetch(&values[found[i]])
            else:
                found[i] |= HERE
        for p in range(pending):
            value = self.first_value(counts[p], found)
            self.reached.value[ordinals[p]] = value
            if value & DECIDED:
                plies = value & PLIES
                furthest = max(furthest, plies)
            found += max(counts[p], 0)
        return furthest

    cdef uint16_t first_value(self, int n, uint64_t *found) noexcept nogil:
        cdef int best = PLIES + 1, worst = -1
        cdef bint held = False
        cdef int i, plies
        cdef uint16_t value
        if n < 0:
            return DECIDED if n == WON else DECIDED | LOSS
        for i in range(n):
            if found[i] & HERE:
                continue
            value = self.reached.value[found[i]]
            plies = value & PLIES
            if not value & DECIDED:
                held = True
            elif value & LOSS:
                best = min(best, plies)
            else:
                worst = max(worst, plies)
        if best < PLIES:
            return DECIDED | (best + 1)
        if held:
            return 0
        n = distinct(found, n, HERE)
        if not n:
            return DECIDED | LOSS | (worst + 1)
        return n << self.shift | min(max(worst, 0), <int>self.worst)

    cdef int checked(self, int plies) except -2:
        if plies > self.most_plies:
            raise CapacityError(
                f"layer {self.layer}: an end is more than {self.most_plies:,} plies away, which a "
                "value cannot say: take a smaller board"
            )
        return plies

    def wave(self, int plies, uint64_t begin, uint64_t end) -> int:
        """Update the predecessors of the slots from `begin` to below `end` decided at `plies`.

        Returns:
            The most plies of the newly decided slots, -1 if there are none.

        Raises:
            CapacityError: an end is more than `most_plies` away.
            ValueError: this is no range of blocks.
        """
        self.reached.check_range(begin, end)
        cdef const uint32_t *before = self.reached.before
        cdef const uint16_t *values = self.reached.value
        cdef uint16_t won = DECIDED | plies
        cdef uint16_t lost = DECIDED | LOSS | plies
        # Predecessors of won slots go in the first part, predecessors of lost ones in the second.
        cdef int room = TOGETHER + self.game.most
        cdef uint64_t *found = <uint64_t *>malloc((2 * room + self.game.most) * sizeof(uint64_t))
        cdef uint64_t *before_won = found
        cdef uint64_t *before_lost = found + room
        cdef uint64_t *after = found + 2 * room
        cdef uint64_t block, word, todo
        cdef uint32_t ordinal
        cdef int winners = 0, losers = 0, furthest = -1
        cdef bint any_here
        if found == NULL:
            raise MemoryError("no memory for predecessors")
        with nogil:
            for block in range(begin // BLOCK, end // BLOCK):
                any_here = False
                for ordinal in range(before[block], before[block + 1]):
                    any_here |= (values[ordinal] == won) | (values[ordinal] == lost)
                if not any_here:
                    continue
                ordinal = before[block]
                for word in range(block * WORDS, (block + 1) * WORDS):
                    todo = self.reached.reached[word]
                    while todo:
                        if values[ordinal] == won:
                            losers += self.look_back(
                                word << 6 | lowest(todo), before_won + losers
                            )
                        elif values[ordinal] == lost:
                            winners += self.look_back(
                                word << 6 | lowest(todo), before_lost + winners
                            )
                        todo &= todo - 1
                        ordinal += 1
                        if losers >= TOGETHER:
                            furthest = max(
                                furthest, self.count_down(plies, before_won, losers, after)
                            )
                            losers = 0
                        if winners >= TOGETHER:
                            furthest = max(furthest, self.let_win(plies, before_lost, winners))
                            winners = 0
            furthest = max(furthest, self.count_down(plies, before_won, losers, after))
            furthest = max(furthest, self.let_win(plies, before_lost, winners))
        release(found)
        return self.checked(furthest)

    cdef int look_back(self, uint64_t slot, uint64_t *found) noexcept nogil:
        """Find the predecessors of a slot, once each; return their number."""
        cdef int n = self.game.predecessors(self.game.tables, slot, found)
        cdef int i
        n = distinct(found, n, 0)
        for i in range(n):
            prefetch(&self.reached.reached[found[i] >> 6])
        return n

    cdef int keep_reached(self, uint64_t *found, int n) noexcept nogil:
        """Move the ordinals of the reached slots to the front; return their number."""
        cdef int kept = 0
        cdef int i
        for i in range(n):
            if is_reached(self.reached.reached, found[i]):
                found[kept] = ordinal_of(self.reached.reached, self.reached.before, found[i])
                prefetch(&self.reached.value[found[kept]])
                kept += 1
        return kept

    cdef int let_win(self, int plies, uint64_t *found, int n) noexcept nogil:
        """Let these slots win: a turn leads from each to a slot that is lost in `plies`."""
        cdef int furthest = -1
        cdef int i
        cdef uint16_t *value
        cdef uint16_t old
        n = self.keep_reached(found, n)
        for i in range(n):
            value = &self.reached.value[found[i]]
            while True:
                old = relaxed_load_16(value)
                if old & DECIDED and (old & LOSS or (old & PLIES) <= plies + 1):
                    break
                if replace_16(value, old, DECIDED | (plies + 1)):
                    furthest = plies + 1
                    break
        return furthest

    cdef int slowest_before(self, uint64_t ordinal, uint64_t *after) noexcept nogil:
        """The most plies of the successors in earlier layers, all of which are won."""
        cdef const uint64_t *reached = self.reached.reached
        cdef const uint32_t *before = self.reached.before
        cdef uint64_t slot = slot_at(reached, before, self.reached.game.slots // BLOCK, ordinal)
        cdef int n = self.game.successors(self.game.tables, slot, after)
        cdef int slowest = 0
        cdef int i, plies
        for i in range(n):
            if after[i] < self.begin:
                plies = self.reached.value[ordinal_of(reached, before, after[i])] & PLIES
                slowest = max(slowest, plies)
        return slowest

    cdef int count_down(
        self, int plies, uint64_t *found, int n, uint64_t *after
    ) noexcept nogil:
        """Count one more successor of each slot as won for the opponent, in `plies`.

        `after` has room for the successors of a slot.
        """
        cdef int furthest = -1
        cdef int i, longest
        cdef uint16_t *value
        cdef uint16_t old, new
        n = self.keep_reached(found, n)
        for i in range(n):
            value = &self.reached.value[found[i]]
            while True:
                old = relaxed_load_16(value)
                if old & DECIDED or not old:
                    break
                longest = -1
                new = old - (1 << self.shift)
                if not new >> self.shift:
                    longest = new
                    if longest == self.worst:
                        longest = self.slowest_before(found[i], after)
                    longest = max(plies, longest) + 1
                    new = DECIDED | LOSS | longest
                if replace_16(value, old, new):
                    furthest = max(furthest, longest)
                    break
        return furthest

    def finish(self, uint64_t begin, uint64_t end):
        """Make the slots that are still open from `begin` to below `end` draws.

        Returns:
            An array: the number of positions with each value, mirror images counted apart.

        Raises:
            ValueError: this is no range of blocks.
        """
        self.reached.check_range(begin, end)
        cdef uint64_t[::1] counts = np.zeros(1 << 16, np.uint64)
        cdef uint64_t ordinal = self.reached.before[begin // BLOCK]
        cdef uint64_t word, todo
        cdef uint16_t *values = self.reached.value
        with nogil:
            for word in range(begin >> 6, end >> 6):
                todo = self.reached.reached[word]
                while todo:
                    if not values[ordinal] & DECIDED:
                        values[ordinal] = 0
                    counts[values[ordinal]] += self.game.weight(
                        self.game.tables, word << 6 | lowest(todo)
                    )
                    todo &= todo - 1
                    ordinal += 1
        return counts.base
