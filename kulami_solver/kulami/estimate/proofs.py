"""Estimate the steps, file, memory and time of a proof from the effort of the solve.

A proof has a step for a share of the positions that the solve enters, and each step asks the search
again. Both were fitted to proofs that were found (docs/estimates.md has the truth beside them):

    ln steps         =  -0.80 - e  +  0.695 ln n  +  0.225 p  -  d (0.256 + 0.239 f)  +  1.3 f
    ln nodes a step  =  -2.95 + g  +  0.222 ln n              +  d (0.218 + 0.162 f)  -  0.18 f

    n      nodes of the solve          p    plies to come
    d      plies of --depth-left       f    fields that stay free, as a share of 8; at most 1
    e, g   0 at level 0, 0.52 and 0.15 else: areas and chains make a search longer, not a proof
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from ...core.budgets import check_budgets
from ...errors import checked_kind
from ..position.position import Position, checked_position
from ..position.scoring import Scoring
from ..proof.proof_file import checked_depth
from .effort import STAY_FREE, SolveEstimate

__all__ = ["estimate_proof"]

# Bytes of the file: a fixed number, and a number for each step. Bytes of memory for each step: 40
# for each step of the largest two plies, which have half of all steps.
_FILE: Final = 600
_IN_FILE: Final = 0.1
_IN_MEMORY: Final = 20


@dataclass(frozen=True)
class ProofEstimate:
    """A rough estimate of a proof.

    Attributes:
        steps: number of steps.
        file: bytes of the file.
        memory: bytes, beside the search's table and its notes.
        seconds: including the solve, at the speed of this machine; 0 if its
            nodes per second are not known.
    """

    steps: float
    file: float
    memory: float
    seconds: float


def estimate_proof(
    position: Position,
    solving: SolveEstimate,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    *,
    depth_left: int | None = None,
    threads: int = 1,
) -> ProofEstimate:
    """Estimate a proof of a position's margin from what solving the position takes.

    For 179 proofs of positions on 8x8 and on small boards, all steps were within a factor of two,
    given the true nodes of the solve. Semi-strong proofs are not estimated: they had from 28 to 370
    times as many steps.

    Args:
        position: any position.
        solving: what `estimate_solve` says of it.
        scoring: what counts.
        depth_left: as for `prove`.
        threads: that solve the position, 1 or more; one finds the proof.

    Raises:
        BudgetError: if `threads` makes no sense.
        NotationError: if it is not a scoring.
        KulamiError: if the depth makes no sense.

    Examples:
        >>> from kulami_solver import Layout
        >>> from kulami_solver.kulami.estimate.effort import estimate_solve
        >>> start = Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
        >>> found = estimate_proof(start, estimate_solve(start))
        >>> 2_200 < found.steps < 8_800  # it has 5,771
        True
    """
    check_budgets(threads)
    plies = checked_position(position).plies_left
    checked_kind(solving, SolveEstimate, "solving is what estimate_solve returns")
    depth = min(checked_depth(depth_left), plies)
    later = float(Scoring.parse(scoring) is not Scoring.LEVEL0)
    # Proofs keep all positions that differ by an exchange of lines.
    nodes = math.log(max(solving.nodes * solving.alike, 1))
    free = min((position.free_count - plies) / STAY_FREE, 1.0)
    log = (
        -0.80
        - 0.52 * later
        + 0.695 * nodes
        + 0.225 * plies
        - depth * (0.256 + 0.239 * free)
        + 1.3 * free
    )
    each = -2.95 + 0.15 * later + 0.222 * nodes + depth * (0.218 + 0.162 * free) - 0.18 * free
    steps = max(math.exp(log), 1.0) if depth < plies else 1.0
    rate = solving.nodes_per_second
    finding = steps * math.exp(each) / rate if rate else 0.0
    return ProofEstimate(
        steps=steps,
        file=_FILE + _IN_FILE * steps,
        memory=_IN_MEMORY * steps,
        seconds=solving.seconds / threads + finding,
    )
