"""Proofs found: a walk whose choices come from a search and its table (compiled)."""

from kulami_solver.kulami.proof.proof_rules import ProofBoard
from kulami_solver.kulami.proof.proof_writing import Writer
from kulami_solver.kulami.solve.search import Search

class Prover(Writer):
    """A walk that asks a search for its choices, and keeps them."""

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
    def find(self, claims: int) -> bool: ...
