"""Choices of a proof, written as its file has them (compiled)."""

from kulami_solver.kulami.proof.proof_walk import Walk

class Writer(Walk):
    """A walk that writes its choices down."""

    bits: int
    @property
    def choices(self) -> bytes: ...
