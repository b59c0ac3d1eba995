"""Parts of a proof joined: one walk through all of it, from walks through parts (compiled)."""

from kulami_solver.kulami.proof.proof_rules import ProofBoard
from kulami_solver.kulami.proof.proof_walk import Walk
from kulami_solver.kulami.proof.proof_writing import Writer

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
