"""Solving a board: the value of every position that can be reached from the start."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..core.budgets import check_watchers, workers_of
from ..core.dense import MOST_REACHED
from ..core.memory import MIB, available_memory, parse_memory
from ..core.retrograde_driver import Analysis, Progress
from ..core.tasks import threads_or
from ..errors import BudgetError
from ..storage.resources import Need, duration, refuse_what_does_not_fit
from .board import Board, checked_board
from .header import index_of, slots_of, start_of
from .values import Outcome, figures_of, outcome_of, plies_of

# The assumed share of reachable slots, with a reserve: on the solved boards with one bead a figure
# it is 0.2 to 0.53, on those with two 0.02 to 0.06.
_SHARE_OF_ONE: Final = 0.7
_SHARE: Final = 0.12
# The memory of an analysis: bytes a slot and bytes a reached slot.
_A_SLOT: Final = 0.16
_A_REACHED: Final = 2.0
# On disk: the file's bytes a reached slot, and the marks of all slots twice.
_IN_FILE: Final = 0.6
_MARKS: Final = 0.25
_PROGRAM: Final = 80 * MIB
_A_SECOND: Final = 0.8e6


@dataclass(frozen=True)
class BoardEstimate:
    """A rough estimate of the cost of a board's analysis, which is mostly lower.

    Attributes:
        slots: numbers of the index, exactly.
        reached: slots that can be reached, mirror images folded.
        memory: bytes.
        disk: bytes, the file among them.
        seconds: of one thread, divided by the number of threads.
    """

    slots: int
    reached: float
    memory: float
    disk: float
    seconds: float


@dataclass(frozen=True)
class Solved:
    """The figures of a solved board. Positions are counted with the side to move seen as one side,
    ended ones among them, a position and its mirror image apart.

    Attributes:
        board: the board.
        reachable: positions that can be reached from the start.
        wins, draws, losses: how many of them have this outcome for the side to move.
        outcome: of the start, for the side that begins.
        plies: to the end from the start, None for a draw.
        longest: plies of the longest forced end among the positions.
        seconds: time taken; less than the whole if it took up a broken run.
    """

    board: Board
    reachable: int
    wins: int
    draws: int
    losses: int
    outcome: Outcome
    plies: int | None
    longest: int
    seconds: float


def estimate(board: Board, threads: int = 1) -> BoardEstimate:
    """Estimate an analysis without any work.

    Raises:
        BoardError: if it is not a board.
        BudgetError: if the board is far too large, or `threads` makes no sense.

    Examples:
        >>> estimate(Board(3, 4)).slots > 5_000_000
        True
        >>> estimate(Board(6, 6))
        Traceback (most recent call last):
        ...
        kulami_solver.errors.BudgetError: a board of 6x6 with 2 beads a figure has \
199,359,124,752,267,043,200 positions to number: at most 1,099,511,627,776 will do
    """
    threads = workers_of(threads, name="threads")
    slots = slots_of(board)
    reached = slots * (_SHARE_OF_ONE if board.beads == 1 else _SHARE)
    return BoardEstimate(
        slots=slots,
        reached=reached,
        memory=_PROGRAM + _A_SLOT * slots + _A_REACHED * reached,
        disk=_MARKS * slots + _IN_FILE * reached,
        seconds=reached / _A_SECOND / threads,
    )


def check_budget(
    board: Board, target: Path | None, threads: int, memory: int | float | str | None, force: bool
) -> None:
    """Refuse an analysis that does not fit, by the estimate.

    Args:
        board: the board.
        target: the file to be built, None if nothing is kept.
        threads, memory, force: as for `solve_board`.

    Raises:
        BudgetError: if it does not fit; the message gives its needs.
    """
    allowed = parse_memory(memory) if memory is not None else available_memory()
    expected = estimate(board, threads)
    if not force:
        if expected.reached > MOST_REACHED:
            raise BudgetError(
                f"a board of {board} with {board.beads} beads a figure may have "
                f"{expected.reached:,.0f} positions, and at most {MOST_REACHED:,} can be numbered: "
                "take a smaller board or fewer beads, or try with --force (force=True)"
            )
        refuse_what_does_not_fit(
            f"up to {expected.reached:,.0f} positions, {duration(expected.seconds)}",
            target or Path(),
            Need(
                expected.memory,
                "",
                "take a smaller board or fewer beads, give more --memory (memory=)",
            ),
            Need(expected.disk if target else 0, "", "name another folder"),
            allowed,
        )


def occurring(counts: Any) -> list[list[int]]:
    """Return the values that occur, each with its number, of an array by values."""
    return [[int(number), int(counts[number])] for number in np.flatnonzero(counts)]


def summed_up(board: Board, counts: Sequence[Sequence[int]], start: int) -> dict[str, Any]:
    """Return the attributes of a `Solved`, from the values that occur and the start's value."""
    figures = figures_of(counts)
    return {
        "board": board,
        "reachable": figures.pop("positions"),
        "outcome": outcome_of(start),
        "plies": plies_of(start),
        **figures,
    }


def solve_board(
    board: Board,
    *,
    threads: int | None = None,
    memory: int | float | str | None = None,
    force: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Solved:
    """Solve a board by retrograde analysis, and keep only the counts.

    Args:
        board: the board; `estimate` gives the cost.
        threads: the number of threads; None for one a processor.
        memory: the memory to use, MiB or a text such as "14G"; by default all available.
        force: solve it even if memory is too small by the estimate.
        progress: called with the progress after each task.

    Raises:
        BudgetError: if it will not fit, or a budget makes no sense.
        BoardError: if it is not a board.
        CapacityError: if more than 2^32 - 1 positions can be reached, mirror images folded, or an
            end is more than 16,382 plies away.

    Examples:
        >>> from kulami_solver.malawi import Board
        >>> solved = solve_board(Board(2, 4))
        >>> solved.reachable, solved.outcome, solved.plies
        (1775, 'loss', 11)
    """
    begun = clock.monotonic()
    board = checked_board(board)
    workers = workers_of(threads, name="threads")
    check_watchers(progress, None)
    check_budget(board, None, workers, memory, force)
    index = index_of(board)
    start = start_of(board, index)
    with threads_or(None, workers) as pool:
        analysis = Analysis(index, pool, progress or (lambda _: None))
        analysis.mark(start)
        for layer in reversed(range(analysis.layers)):
            analysis.expand(layer)
        analysis.reached.number()
        counts = sum(analysis.solve(layer) for layer in range(analysis.layers))
    value = analysis.reached.value_at(start)
    assert value is not None
    solved = summed_up(board, occurring(counts), value)
    return Solved(**solved, seconds=clock.monotonic() - begun)
