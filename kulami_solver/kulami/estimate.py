"""Before a build: about how many positions, how much memory and disk, and how long.

The first layers are enumerated in full. From there on a random sample of a layer goes on, which
tells how many moves its positions have. How many of these lead to the same positions cannot be seen
in a sample; it follows the share of plies played much in the same way on all boards:

    different / reached  =  1 - c (ply / live fields)^2.2,   c = 0.95 by panels alone, else 0.35

Compared with the boards that have been built, the sum is right within a factor of two.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..core.budgets import workers_of
from ..core.mapping import most_mappings
from ..core.memory import MIB, available_memory, parse_memory
from ..core.tasks import Needs
from ..errors import BudgetError
from ..storage.resources import Need, duration, refuse_what_does_not_fit
from .layers import LayerRules
from .position import Position
from .scoring import Scoring
from .shape import Shape

__all__ = ["Estimate", "check_budget", "estimate", "needs_of"]

#: Layers up to this size are enumerated in full.
_EXACT: Final = 100_000
_SAMPLE: Final = 30_000
# What a build takes: bytes a position in a shard at work, on disk until it is done, in the file.
_AT_WORK: Final = 115
_ON_DISK: Final = 14
_IN_FILE: Final = 2.5
_PROGRAM: Final = 60 * MIB
_A_SECOND: Final = 2.5e6
# Files that are mapped for each shard of the ply beside the one at work, and for all else.
_FILES: Final = 2
_OTHER_FILES: Final = 2000


@dataclass(frozen=True)
class Estimate:
    """What a build would come to, roughly.

    Attributes:
        positions: in the file.
        largest: those of the largest ply.
        memory: bytes.
        disk: bytes, the file among them.
        seconds: of one thread, divided by the number of threads.
        file: bytes of the file.
        core_seconds: of all threads together.
        shards: of the ply that has most of them.
    """

    positions: float
    largest: float
    memory: float
    disk: float
    seconds: float
    shards: int = 1

    @property
    def file(self) -> float:
        return _IN_FILE * self.positions

    @property
    def core_seconds(self) -> float:
        return self.positions / _A_SECOND


def estimate(
    root: Position, scoring: Scoring = Scoring.LEVEL0, threads: int = 1, shard: int = 1 << 22
) -> Estimate:
    """Estimate a build from a sampled first pass, which takes about a second at most.

    Args:
        root: where play starts; not over.
        scoring: what counts.
        threads: how many would work.
        shard: positions in a shard.

    Raises:
        BudgetError: if there is no hope.

    Examples:
        >>> from kulami_solver import Layout
        >>> 5e5 < estimate(Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))).positions < 2e6
        True
    """
    shape = Shape(root, scoring)
    rules = LayerRules(shape.layout.geometry, shape.tables)
    draw = np.random.default_rng(0)
    merging = 0.35 if shape.colours else 0.95
    layer: Any = tuple(
        np.array(part, np.uint64) for part in ([shape.frame], [0, 1], [shape.detail])
    )
    size = total = largest = arriving = 1.0
    for ply in range(len(shape.spots)):
        sampled = len(layer[2])
        frames, starts, details, moves, ended = rules.expand(
            layer[0], layer[1], layer[2], ply % 2 == 0, root.supply - ply == 1
        )
        layer = (frames, starts, details)
        if moves == ended:
            break
        arriving = max(arriving, size * (moves - ended) / sampled)
        if size == sampled and len(layer[2]) <= _EXACT:
            size = len(layer[2])
        else:
            share = 1 - merging * ((ply + 1) / len(shape.spots)) ** 2.2
            size *= (moves - ended) / sampled * share
            layer = _sample(layer, draw)
        total += size
        largest = max(largest, size)
    return Estimate(
        positions=total,
        largest=largest,
        memory=_PROGRAM + threads * _AT_WORK * min(2 * largest, shard),
        disk=_ON_DISK * total + 2 * _ON_DISK * largest + _IN_FILE * total,
        seconds=total / _A_SECOND / threads,
        shards=math.ceil(arriving / shard),
    )


def _sample(layer: Any, draw: np.random.Generator) -> Any:
    """Some frames of a layer with all their details."""
    frames, starts, details = layer
    share = min(1.0, _SAMPLE / len(details))
    chosen = draw.random(len(frames)) < share
    if not chosen.any():
        chosen[0] = True
    counts = np.diff(starts)
    kept = np.repeat(chosen, counts.astype(np.int64))
    begins = np.concatenate([np.zeros(1, np.uint64), np.cumsum(counts[chosen], dtype=np.uint64)])
    return frames[chosen], begins, details[kept]


def check_budget(
    root: Position,
    scoring: Scoring,
    target: Path,
    threads: int,
    shard: int,
    memory: int | float | str | None,
    force: bool,
) -> None:
    """Refuse a build that does not fit, by the estimate.

    Raises:
        BudgetError: if it does not; what it would take is said.
    """
    allowed = parse_memory(memory) if memory is not None else available_memory()
    if force:
        return
    expected = estimate(root, scoring, threads, shard)
    _check_shards(expected)
    refuse_what_does_not_fit(
        f"about {expected.positions:,.0f} positions, {duration(expected.seconds)}",
        target,
        Need(expected.memory, f"with {threads} threads", "give fewer --threads or more --memory"),
        Need(expected.disk, "", "start from a later position, name another folder"),
        allowed,
    )


def _check_shards(expected: Estimate) -> None:
    """Refuse a build with more shards than a process may map files.

    Raises:
        BudgetError: if there are more.
    """
    most = most_mappings()
    if most is not None and expected.shards * _FILES > most - _OTHER_FILES:
        raise BudgetError("too_many_shards", shards=expected.shards, most=most)


def needs_of(
    root: Position,
    scoring: Scoring,
    target: Path,
    executor: Executor | None,
    shard: int,
    memory: int | float | str | None,
    force: bool,
) -> Needs:
    """Return what a build needs of each worker of an executor, by the estimate.

    Args:
        root, scoring, shard: what is built, as for `estimate`.
        target: the file.
        executor: says how many workers it has.
        memory: what the workers of a machine may use together; None for what is available there.
        force: only the folder is needed, whatever the estimate says.

    Raises:
        BudgetError: if there is no hope, or `memory` makes no sense.
    """
    folder = str(target.parent)
    allowed = parse_memory(memory) if memory is not None else None
    if force:
        return Needs(folder)
    expected = estimate(root, scoring, 1, shard)
    _check_shards(expected)
    took = duration(expected.seconds / workers_of(None, executor=executor))
    return Needs(
        folder,
        said=f"about {expected.positions:,.0f} positions, {took}",
        memory=_PROGRAM,
        thread=expected.memory - _PROGRAM,
        allowed=allowed,
        disk=expected.disk,
    )
