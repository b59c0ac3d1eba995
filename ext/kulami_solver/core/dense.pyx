"""Positions by number: the interface of a game to be solved, and the table of its reached slots.

`dense.pxd` shows the data in memory. Only the table needs NumPy, which is missing in a browser.
"""

from libc.stdlib cimport free as release, malloc

from kulami_solver.core.bits cimport popcount
from kulami_solver.errors import CapacityError

#: Ordinals are 32 bits wide.
MOST_REACHED = (1 << 32) - 1


cdef class DenseGame:
    """A game whose positions are numbered; each game derives its own class.

    Attributes:
        slots: number of slots.
        bounds: layer i has the slots bounds[i] to below bounds[i + 1], multiples of 512.
    """

    def successors(self, uint64_t slot) -> list[int] | None:
        """The slots one turn after a slot, one for each turn; None if the game has ended."""
        return self.around(self.game.successors, slot)

    def predecessors(self, uint64_t slot) -> list[int]:
        """The slots of the same layer from which a turn leads to a slot; some may occur twice."""
        return self.around(self.game.predecessors, slot)

    def weight(self, uint64_t slot) -> int:
        """The number of positions of a slot, mirror images counted apart; 0 for none."""
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
    """The reached slots of a game, and their values as far as they are known.

    Args:
        game: the game of the slots.

    Attributes:
        bitmap: one bit a slot, in 64-bit words.
        directory: for each block of 512 slots, the number of reached slots before it; then the
            number of all reached slots.
        values: of the reached slots in their order; available after a call of `number`.

    Raises:
        MemoryError: there is no memory for one bit a slot.
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
            most: the largest number of reached slots allowed.

        Returns:
            The number of reached slots.

        Raises:
            MemoryError: there is no memory for two bytes a reached slot.
            CapacityError: there are more than `most`.
        """
        import numpy as np
        cdef uint64_t blocks = self.game.slots // BLOCK
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
            raise CapacityError(
                f"{count:,} slots are reached, and at most {most:,} can be numbered: take a "
                "smaller board"
            )
        before[blocks] = <uint32_t>count
        values = np.zeros(max(count, <uint64_t>1), np.uint16)
        self.directory, self.before = before.base, &before[0]
        self.values, self.value = values.base[:count], &values[0]
        return count

    cdef int check_numbered(self) except -1:
        if self.value == NULL:
            raise ValueError("slots that have not been numbered: there are no values yet")
        return 0

    cdef int check_range(self, uint64_t begin, uint64_t end) except -1:
        """Raise a ValueError unless this is a range of whole blocks."""
        if begin % BLOCK or end % BLOCK or not begin <= end <= self.game.slots:
            raise ValueError(
                f"slots {begin} to {end}: give multiples of {BLOCK} up to {self.game.slots}"
            )
        return 0

    def value_at(self, uint64_t slot) -> int | None:
        """The value of a slot as a number (see `dense.pxd`); None if it is not reached.

        Raises:
            ValueError: the reached slots have not been numbered.
        """
        self.check_numbered()
        if slot >= self.game.slots or not is_reached(self.reached, slot):
            return None
        return self.value[ordinal_of(self.reached, self.before, slot)]
