"""The job of a worker for a proof: prove claims about some positions, with all their steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from ....core.background import run_watched
from ....core.tasks import is_wanted
from ...position.position import Position
from ...proof.proof_file import board_of
from ...proof.proof_walk import NOTHING
from ...proof.proving import Prover
from ..solver import SearchStopped
from .jobs import Terms, borrowed_solver

Claim: TypeAlias = tuple[int, int, int, int, int]
"""Own, other, last and before of a position, and the lower bound to prove."""

# Claims between two checks whether to stop.
_AT_A_TIME: Final = 1 << 12


@dataclass(frozen=True)
class Part:
    """Claims about positions of one ply, which are proved together.

    Attributes:
        ply: plies from the root.
        claims: the claims to prove.
    """

    ply: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class FoundPart:
    """The proof of a part.

    Attributes:
        choices, bits: as the file of a proof has them.
        steps: number of steps.
        nodes: positions searched.
    """

    choices: bytes
    bits: int
    steps: int
    nodes: int


def prove_part(root: Position, terms: Terms, depth: int, part: Part) -> FoundPart:
    """Prove a part of a proof about `root`.

    Raises:
        SearchStopped: nobody waits for it any more.
    """
    with borrowed_solver(root, terms) as solver:
        before = solver.nodes
        solver.allow(None)
        supply = root.supply - part.ply
        (own, other, last, barred, least), *rest = part.claims
        board = board_of(root, terms.scoring)
        place = (own, other, last, barred, supply)
        prover = Prover(solver.search, board, place, least, NOTHING, depth, False, b"", 0)
        for own, other, last, barred, least in rest:
            prover.claim(own, other, last, barred, least, NOTHING)
        steps = 0

        def work() -> None:
            nonlocal steps
            more = True
            while more:
                while not prover.find(_AT_A_TIME):
                    if prover.fault is not None:
                        raise SearchStopped
                steps += sum(prover.counts)
                more = prover.advance()

        def look(_: float) -> None:
            if not is_wanted():
                raise SearchStopped

        run_watched(work, solver.stop, report=look)
        return FoundPart(prover.choices, prover.bits, steps, solver.nodes - before)
