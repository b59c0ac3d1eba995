"""Proofs: the walk through one, and the check of one (compiled)."""

from collections.abc import Callable
from typing import TypeAlias

_Claim: TypeAlias = tuple[int, int, int, int, int | None, int | None, bool, int | None]
"""Own, other, last, before, lower and upper bound, whether it is played out, chosen field."""

_Place: TypeAlias = tuple[int, int, int, int, int]

NOTHING: int
LOOK_EVERY: int

class ProofBoard:
    """A layout and its scoring, for proofs."""

    def __init__(self, rows: str, areas: bool, chains: bool) -> None: ...

class Walk:
    """A walk through a proof, ply by ply from the root."""

    ply: int
    fault: tuple[str, int, _Claim] | None
    def __init__(
        self,
        board: ProofBoard,
        place: _Place,
        least: int,
        most: int,
        depth: int,
        semi_strong: bool,
        look: Callable[[int], object] | None = None,
    ) -> None: ...
    def work(self, claims: int) -> bool: ...
    def advance(self) -> bool: ...
    @property
    def claims(self) -> int: ...
    @property
    def counts(self) -> tuple[int, int, int]: ...
    def steps(self, begin: int, end: int) -> list[_Claim]: ...
    def records(self, begin: int, end: int) -> bytes: ...
    def claimed(self, own: int, other: int, last: int, before: int) -> _Claim | None: ...

class Checker(Walk):
    """A walk that checks every claim."""

    bits: int
    def __init__(
        self,
        board: ProofBoard,
        place: _Place,
        least: int,
        most: int,
        depth: int,
        semi_strong: bool,
        choices: bytes | memoryview,
        bits: int,
        trusting: bool = False,
        look: Callable[[int], object] | None = None,
    ) -> None: ...

def value_of(
    board: ProofBoard,
    place: _Place,
    alpha: int,
    beta: int,
    look: Callable[[int], object] | None = None,
) -> int: ...
def plies_of(board: ProofBoard, place: _Place) -> int: ...
