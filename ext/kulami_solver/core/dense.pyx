"""Positions by number: what a game gives to be solved, and the table of what is reached.

`dense.pxd` shows how it lies in memory. Only the table needs NumPy, which a browser has not.
"""

from libc.stdlib cimport free as release, malloc

from kulami_solver.core.bits cimport popcount
from kulami_solver.errors import CapacityError

#: Ordinals are 32 bits wide.
MOST_REACHED = (1 << 32) - 1


cdef class DenseGame:
    """A game whose positions are numbered; each game has a class of its own that fills it in.

    Attributes:
        slots: how many there are.
        bounds: layer i has the slots bounds[i] to below bounds[i + 1], multiples of 512.
    """

    def successors(self, uint64_t slot) -> list[int] | None:
        """The slots one turn after a slot, as often as turns lead there; None if it has ended."""
        return self.around(self.game.successors, slot)

    def predecessors(self, uint64_t slot) -> list[int]:
        """The slots of the same layer from which a turn leads to a slot; some maybe twice."""
        return self.around(self.game.predecessors, slot)

    def weight(self, uint64_t slot) -> int:
        """How many positions a slot stands for, mirror images counted apart; 0 for none."""
        if slot >= self.slots:
            raise ValueError(f"no slot {slot}: there are {self.slots}")
        return self.game.weight(self.game.tables, slot)

    cdef uint64_t checked(self, uint64_t slot) except? 0:
        if not self.weight(slot):
            raise ValueError(f"slot {slot} stands for no position")
        return slot

    cdef object around(self, Around look, uint64_t slot):
        cdef uint64_t *found = <uint64_t *>malloc(self.game.most * sizeof(uint64_t))
        cdef int n, i
        if found == NULL:
            raise MemoryError("no memory for successors")
        try:
            n = look(self.game.tables, self.checked(slot), found)
            return None if n < 0 else [found[i] for i in range(n)]
        finally:
            release(found)


cdef class Reached:
    """Which slots of a game can be reached, and what is known of them.

    Args:
        game: whose slots they are.

    Attributes:
        bitmap: one bit a slot, in 64-bit words.
        directory: of each block of 512 slots, the reached ones before it; then of all.
        values: of the reached slots in their order; there once `number` has been called.

    Raises:
        MemoryError: no memory for a bit a slot.
    """

    def __cinit__(self, DenseGame game not None):
        import numpy as np
        cdef uint64_t[::1] words = np.zeros(game.slots >> 6, np.uint64)
        self.game = game
        self.bitmap = words.base
        self.reached = &words[0]

    def number(self, uint64_t most=MOST_REACHED) -> int:
        """Number the reached slots, once `bitmap` is complete, and make room for their values.

        Args:
            most: how many there may be.

        Returns:
            How many there are.

        Raises:
            MemoryError: no memory for two bytes each.
            CapacityError: there are more.
        """
        import numpy as np
        cdef uint64_t blocks = self.game.slots / BLOCK
        cdef uint32_t[::1] before = np.empty(blocks + 1, np.uint32)
        cdef uint16_t[::1] values
        cdef uint64_t block, count = 0
        cdef int word
        with nogil:
            for block in range(blocks):
                before[block] = <uint32_t>count
                for word in range(WORDS):
                    count += popcount(self.reached[block * WORDS + word])
        if count > most:
            raise CapacityError("too_many_slots", count=count, most=most)
        before[blocks] = <uint32_t>count
        values = np.zeros(max(count, 1), np.uint16)
        self.directory, self.before = before.base, &before[0]
        self.values, self.value = values.base[:count], &values[0]
        return count

    cdef int check_numbered(self) except -1:
        if self.value == NULL:
            raise ValueError("slots that have not been numbered: there are no values yet")
        return 0

    cdef int check_range(self, uint64_t begin, uint64_t end) except -1:
        """Refuse what is no range of whole blocks."""
        if begin % BLOCK or end % BLOCK or not begin <= end <= self.game.slots:
            raise ValueError(
                f"slots {begin} to {end}: give multiples of {BLOCK} up to {self.game.slots}"
            )
        return 0

    def value_at(self, uint64_t slot) -> int | None:
        """The value of a slot as a number, see `dense.pxd`; None if it is not reached.

        Raises:
            ValueError: the reached slots have not been numbered.
        """
        self.check_numbered()
        if slot >= self.game.slots or not is_reached(self.reached, slot):
            return None
        return self.value[ordinal_of(self.reached, self.before, slot)]
