"""The reader of databases, for all kinds of file. `reader.pxd` shows how it finds a value."""

from cpython.ref cimport PyObject
from libc.stdint cimport int16_t, int8_t, uint64_t

from kulami_solver.core.bits cimport acquire_load, bit, lowest, release_store
from kulami_solver.kulami.database.classes cimport FOREIGN, OVER, Classes, Description
from kulami_solver.kulami.database.parts cimport part_of, release_parts, room_for_parts
from kulami_solver.kulami.position.rules cimport MINUS_INFINITY, legal_fields


cdef class Reader:
    """Answers positions from a database; the kinds of file derive from it."""

    cdef int set_up(self, Classes classes, firsts, fetch, type kind) except -1:
        """Set up the fields that all kinds of reader share.

        Args:
            classes: the mapping from positions to records.
            firsts: for each ply, the first frames of its parts, rising; empty for a ply left out.
                The last ply that has any is at most 15 before the last.
            fetch: called with the numbers of a ply and of a part of it; returns the part.
            kind: the type of a part.
        """
        self.classes, self.fetch, self.kind = classes, fetch, kind
        self.kept = []
        self.ply = room_for_parts(firsts)
        self.plies = len(firsts)
        return 0

    def __dealloc__(self):
        if self.ply != NULL:
            release_parts(self.ply, self.plies)

    cdef uint64_t part_with(self, int ply, uint64_t frame) except 0 nogil:
        """The address of the only part of a ply that can have a frame."""
        cdef int part = part_of(&self.ply[ply], frame)
        cdef uint64_t address = acquire_load(&self.ply[ply].part[part])
        return address if address != 0 else self.fetched(ply, part)

    cdef uint64_t fetched(self, int ply, int part) except 0 with gil:
        """Fetch a part, enter it in its place, and return its address."""
        cdef uint64_t address
        found = self.fetch(ply, part)
        if not isinstance(found, self.kind):
            raise TypeError(f"a part of a database that is a {type(found).__name__}")
        self.kept.append(found)
        address = <uint64_t><PyObject *>found
        release_store(&self.ply[ply].part[part], address)
        return address

    cdef int look_up(self, const Description *d, int *margin) except -1 nogil:
        """The margin of a record in a ply that is kept."""
        return ABSENT

    cdef int margin_of(
        self, uint64_t own, uint64_t other, int last, int before, int *margin
    ) except -1 nogil:
        """The margin of a position; ABSENT if it cannot be in the database or is not found."""
        cdef Description d
        cdef uint64_t legal
        cdef int best = MINUS_INFINITY
        cdef int x, after = 0
        cdef int kind = self.classes.describe(own, other, last, before, &d)
        if kind == OVER:
            margin[0] = d.base
            return PRESENT
        if kind == FOREIGN or d.ply >= self.plies:
            return ABSENT
        if self.ply[d.ply].count:
            return self.look_up(&d, margin)
        legal = legal_fields(self.classes.rules, own | other, last, before)
        while legal:
            x = lowest(legal)
            legal &= legal - 1
            if self.margin_of(other, own | bit(x), x, last, &after) == ABSENT:
                return ABSENT
            best = max(best, -after)
        margin[0] = best
        return PRESENT

    def get(self, uint64_t own, uint64_t other, int last, int before):
        """The margin of a position, None if it cannot be in the database or is found not to be.

        Args:
            own, other: marbles of the side to move and of the other one.
            last, before: fields of the last two marbles, -1 for none.

        Raises:
            ValueError: a field is not on the layout, or has a marble of both sides.
        """
        cdef int margin = 0
        cdef int outcome
        last, before = self.classes.geometry.checked(last), self.classes.geometry.checked(before)
        self.classes.geometry.check_marbles(own, other)
        with nogil:
            outcome = self.margin_of(own, other, last, before, &margin)
        return margin if outcome == PRESENT else None

    def get_many(
        self, const uint64_t[::1] own not None, const uint64_t[::1] other not None,
        const int8_t[::1] last not None, const int8_t[::1] before not None,
        int16_t[::1] margins not None, int absent
    ):
        """`get` for arrays; `absent` stands for None, and for anything that is no position.

        Raises:
            ValueError: the arrays are not equally long.
        """
        cdef Py_ssize_t i, n = own.shape[0]
        cdef int margin = 0
        if not (
            other.shape[0] == last.shape[0] == before.shape[0] == margins.shape[0] == n
        ):
            raise ValueError(f"arrays that are not all of the length of the first, {n}")
        with nogil:
            for i in range(n):
                margins[i] = absent
                if (
                    self.is_position(own[i], other[i], last[i], before[i])
                    and self.margin_of(
                        own[i], other[i], field_or_none(last[i]), field_or_none(before[i]), &margin
                    ) == PRESENT
                ):
                    margins[i] = margin

    cdef bint is_position(
        self, uint64_t own, uint64_t other, int last, int before
    ) noexcept nogil:
        """Whether marbles lie on fields, one on each, and the last ones are fields or none."""
        return not (
            (own | other) & ~self.classes.rules.every or own & other
            or last >= self.classes.rules.fields or before >= self.classes.rules.fields
        )
