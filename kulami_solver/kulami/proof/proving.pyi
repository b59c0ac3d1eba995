"""Proofs found: a walk whose choices come from a search and its table (compiled)."""

from kulami_solver.kulami.proof.proof_walk import ProofBoard, Walk
from kulami_solver.kulami.solve.search import Search

class Prover(Walk):
    """A walk that asks a search for its choices, and keeps them."""

    bits: int
    def __init__(
        self,
        search: Search,
        board: ProofBoard,
        place: tuple[int, int, int, int, int],
        least: int,
        most: int,
        depth: int,
        semi_strong: bool,
        begun: bytes,
        bits: int,
    ) -> None: ...
    @property
    def choices(self) -> bytes: ...
    def find(self, claims: int) -> bool: ...
