"""Prove a position's value: a file that anyone can check, found from the search and its table."""

from __future__ import annotations

import contextlib
import os
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..core.background import Stopped, run_watched
from ..core.budgets import check_budgets, check_watchers
from ..core.memory import table_size
from ..core.watch import Watcher
from ..errors import KulamiError
from ..game import Goal, checked_goal
from ..storage.container import DatabaseError, name_of
from ..storage.kept_work import BuildFolder, load, save
from .position.position import Position, checked_position
from .position.scoring import Scoring
from .proof.proof_file import FoundProof, ToProve, checked_depth, claimed, write_proof
from .proof.proving import Prover
from .solve.solver import Solver, table_plies

# A proof needs more of the search's results than the solve does, so its table has the size for a
# game that is longer by this number of plies.
_KEPT_LONGER: Final = 6

# Claims between two checks whether to stop.
_AT_A_TIME: Final = 1 << 14


# Seconds between two saves of the choices found so far.
_KEPT_EVERY: Final = 10.0


@dataclass(frozen=True)
class Proved:
    """A proof that has been written.

    Attributes:
        path: the file.
        value: the root's proved value, for the side to move: a margin, or win, draw or loss.
        steps: number of steps of each kind, Ge, Le and Play.
        bytes: the size of the file.
        nodes: positions that the search entered, to solve the root and to find the proof.
        solving: seconds taken to solve the root.
        seconds: seconds in all.
    """

    path: str
    value: int | str
    steps: tuple[int, int, int]
    bytes: int
    nodes: int
    solving: float
    seconds: float


@dataclass(frozen=True)
class ProofProgress:
    """Progress of a proof.

    Attributes:
        ply: plies from the root; None while the root is being solved.
        done: steps found, or nodes while the root is being solved.
    """

    ply: int | None
    done: int


class _Finding:
    """The work on a proof."""

    def __init__(self, wanted: ToProve, solver: Solver, kept: Path) -> None:
        self._wanted: Final = wanted
        self._solver: Final = solver
        self._kept: Final = kept
        self._begun: Final = clock.monotonic()
        self._stopped = False
        self.found: FoundProof | None = None
        self.plies: Final[list[tuple[int, int, int]]] = []
        self.prover: Prover | None = None

    def stop(self) -> None:
        self._stopped = True
        self._solver.stop()

    def watched_by(self, watcher: Watcher | None) -> None:
        self._solver.watched_by(watcher)

    def work(self) -> None:
        wanted = self._wanted
        known = self._solver.inquire(wanted.position, wanted.goal)
        if not known.reached or self._stopped:
            raise Stopped
        solving = clock.monotonic() - self._begun
        value: int | str = known.lower
        if wanted.goal == "outcome":
            value = "win" if known.lower > 0 else "loss" if known.upper < 0 else "draw"
        about = (wanted.board, wanted.place, *claimed(value), wanted.depth, wanted.semi_strong)
        choices = (b"", 0)
        with contextlib.suppress(DatabaseError):
            choices = load(self._kept)
        self.prover = Prover(self._solver.search, *about, *choices)
        last = clock.monotonic()
        more = True
        while more:
            while not self.prover.find(_AT_A_TIME):
                stopped = self.prover.fault is not None or self._stopped
                if stopped or clock.monotonic() - last > _KEPT_EVERY:
                    save(self._kept, (self.prover.choices, self.prover.bits), sync=True)
                    last = clock.monotonic()
                if stopped:
                    raise Stopped
            self.plies.append(self.prover.counts)
            more = self.prover.advance()
        choices = self.prover.choices, self.prover.bits
        self.found = FoundProof(value, self.plies, *choices, self._solver.nodes, solving)

    @property
    def progress(self) -> ProofProgress:
        if self.prover is None:
            return ProofProgress(None, self._solver.nodes)
        done = sum(map(sum, self.plies)) + sum(self.prover.counts)
        return ProofProgress(len(self.plies), done)


def _table(position: Position, scoring: Scoring, memory: int | float | str | None) -> int:
    """The size in bytes of the search's table for a proof."""
    return table_size(memory, table_plies(position.plies_left, scoring) + _KEPT_LONGER)


def search_memory(
    position: Position, scoring: Scoring, memory: int | float | str | None = None
) -> int:
    """Return the bytes that the search of a proof takes: its table, and notes of half that size.

    Args:
        position: the position to prove.
        scoring: what counts.
        memory: as for `prove`.

    Raises:
        BudgetError: `memory` makes no sense, or the machine has not that much.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
        >>> search_memory(start, Scoring.LEVEL0) == 3 * 2**17
        True
    """
    return _table(position, scoring, memory) * 3 // 2


def prove(
    path: str | os.PathLike[str],
    position: Position,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    goal: Goal = "margin",
    *,
    depth_left: int | None = None,
    semi_strong: bool = False,
    threads: int | None = None,
    memory: int | float | str | None = None,
    progress: Callable[[ProofProgress], None] | None = None,
) -> Proved:
    """Write a proof of a position's value.

    The position is solved first. Then each step of the proof is taken from the search's table, or
    searched again where the table has lost it. The file appears when it is complete; the choices
    found so far are in FILE.building, and the same call after an interruption goes on from them.

    Args:
        path: the file, .kpf as a rule; one that is there is replaced.
        position: any position, also an ended game.
        scoring, threads, memory: as for `solve`; more than one thread helps to solve it.
        goal: "margin", or "outcome" to prove win, draw or loss alone.
        depth_left: positions with at most so many plies to come are left to the checker to play
            out, 0 to 64; more make a shorter file that takes longer to check. None for 6.
        semi_strong: prove the value of every position that comes about while at least one side
            plays as the proof does, so that the other side's mistakes can be punished from the
            file. Only margins can be proved so.
        progress: called about every 50 ms.

    Raises:
        PositionError, NotationError, BudgetError, KulamiError: an argument makes no sense.
        DatabaseError: FILE.building holds other work, or another process is proving FILE.
        OSError: the file cannot be written.
        KeyboardInterrupt: Ctrl-C; the file is not written then.

    Examples:
        >>> import tempfile
        >>> from kulami_solver import Layout
        >>> from kulami_solver.kulami.proof.proof import open_proof
        >>> start = Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     proved = prove(folder + "/small.kpf", start)
        ...     with open_proof(folder + "/small.kpf") as proof:
        ...         proof.verify().ok, proof.value
        (True, 2)
    """
    position = checked_position(position)
    scoring = Scoring.parse(scoring)
    goal = checked_goal(goal)
    name = name_of(path)
    depth = checked_depth(depth_left)
    if semi_strong and goal != "margin":
        raise KulamiError(
            "a proof of the outcome alone cannot be semi-strong: prove the margin, or leave out "
            "--semi-strong"
        )
    threads, *_ = check_budgets(threads)
    check_watchers(progress, None)
    begun = clock.monotonic()
    wanted = ToProve(position, scoring, goal, depth, semi_strong)
    about = [position.kfn(), *map(str, dict(position.edition).values()), scoring.value]
    target = Path(os.path.realpath(name) if os.path.isfile(name) else name)
    folder = BuildFolder(target, {"proof": [*about, goal, str(depth), str(semi_strong)]})
    folder.open(force=None)
    with folder:
        found = _found(wanted, threads, memory, progress, folder.path / "choices")
        written, steps = write_proof(name, wanted, found)
        folder.clear()
    seconds = clock.monotonic() - begun
    return Proved(name, found.value, steps, written, found.nodes, found.solving, seconds)


def _found(
    wanted: ToProve,
    threads: int | None,
    memory: int | float | str | None,
    progress: Callable[[ProofProgress], None] | None,
    kept: Path,
) -> FoundProof:
    """Find a proof."""
    size = _table(wanted.position, wanted.scoring, memory)
    solver = Solver(wanted.position, wanted.scoring, size, threads or 1)
    solver.allow(None)
    finding = _Finding(wanted, solver, kept)
    report = None if progress is None else lambda _: progress(finding.progress)
    try:
        # Ctrl-C lets it keep its choices first.
        run_watched(finding.work, finding, report=report, deferred=True)
    finally:
        solver.close()
    assert finding.found is not None
    return finding.found
