"""A layout's tables, in the form that a checker of proofs uses: see `proof_rules.pxd`."""

from kulami_solver.core.bits cimport bit
from kulami_solver.kulami.proof.proof_rules cimport NOWHERE


cdef class ProofBoard:
    """A layout and its scoring, for proofs.

    Args:
        rows: the layout's text.
        areas, chains: whether areas and chains count.
    """

    def __cinit__(self, str rows, bint areas, bint chains):
        cdef Board *b = &self.board
        cdef int d, field, other

        b.areas, b.chains = areas, chains
        squares = {
            (x, y): name
            for y, row in enumerate(rows.split("/")) for x, name in enumerate(row) if name != "."
        }
        if not 0 < len(squares) <= 64:
            raise ValueError(f"a layout of {len(squares)} fields")
        places = sorted(squares, key=lambda square: (square[1], square[0]))
        number = {square: field for field, square in enumerate(places)}
        names = list(dict.fromkeys(squares[square] for square in places))
        b.panels = len(names)
        for field, square in enumerate(places):
            b.every |= bit(field)
            b.panel[names.index(squares[square])] |= bit(field)
        for field, square in enumerate(places):
            b.panel_of[field] = b.panel[names.index(squares[square])]
            for other, beyond in enumerate(places):
                if beyond[0] == square[0] or beyond[1] == square[1]:
                    b.line[field] |= bit(other)
                if abs(beyond[0] - square[0]) + abs(beyond[1] - square[1]) == 1:
                    b.beside[field] |= bit(other)
            b.line[field] &= ~b.panel_of[field]
        b.line[NOWHERE] = b.every
        for d, (dx, dy) in enumerate(((1, 0), (0, 1), (1, 1), (-1, 1))):
            b.next[d][NOWHERE] = NOWHERE
            for field, square in enumerate(places):
                b.next[d][field] = number.get((square[0] + dx, square[1] + dy), NOWHERE)
                if b.next[d][field] != NOWHERE:
                    b.previous[d][b.next[d][field]] = bit(field)
