"""Positions by number: what a game gives to be solved, and the table of what is reached.

`dense.pxd` shows how it lies in memory.
"""

import numpy as np

from libc.stdlib cimport free as release, malloc


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
