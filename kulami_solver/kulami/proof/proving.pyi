"""Proofs found: a walk whose choices come from a search and its table (compiled)."""

from kulami_solver.kulami.proof.proof_walk import ProofBoard, Walk
from kulami_solver.kulami.solve.search import Search

class Writer(Walk):
    """A walk that writes its choices down."""

    bits: int
    @property
    def choices(self) -> bytes: ...

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

class Joiner(Writer):
    """A walk whose choices are offered to it before it works on a ply."""

    def __init__(
        self,
        board: ProofBoard,
        place: tuple[int, int, int, int, int],
        least: int,
        most: int,
        depth: int,
        leaving: bool = False,
    ) -> None: ...
    def offer(
        self, own: int, other: int, last: int, before: int, least: int, field: int
    ) -> None: ...
    def join(self, part: Walk) -> None: ...
