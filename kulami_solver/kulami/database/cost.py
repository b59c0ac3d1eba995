"""An estimate before a build: how many positions, how much memory and disk, and how long.

The first layers are enumerated in full, of later ones only a random sample. A sample tells how many
moves its positions have, but not how many of these moves lead to the same positions. The full
layers do; the share differs much between layouts. In later layers

    same / different  =  exp(a + b ply)

with a and b fitted to the last full layers, and b drawn towards its usual value: 7.2 where panels
alone count, else 3.6, over the number of live fields. The sum is right within a factor of two.
"""

from __future__ import annotations

import concurrent.futures
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...core.budgets import number_within, workers_of
from ...core.files import most_mappings
from ...core.memory import MIB, available_memory, parse_memory
from ...core.tasks import Needs, check_workers, knows_workers
from ...errors import BudgetError
from ...storage.container import DatabaseError
from ...storage.resources import Need, duration, refuse_what_does_not_fit
from ..position.position import Position, checked_position
from ..position.scoring import Scoring
from .build_tasks import shards_in_group
from .layers import LayerRules
from .shape import Shape

__all__ = ["estimate"]

MOST_SHARD: Final = 1 << 32
#: Layers up to this size are enumerated in full.
_EXACT: Final = 400_000
_SAMPLE: Final = 60_000
# Merging in later layers: the usual slope times live fields, where panels alone count or not, and
# its weight; how many full layers count, from how many merged moves on in full; the largest share.
_SLOPES: Final = (7.2, 3.6)
_SLOPE_WEIGHT: Final = 8.0
_LAYERS: Final = 3
_CERTAIN: Final = 2000
_MOST_MERGED: Final = 0.8
# Bytes of a position: in a shard at work, on disk until the build is done, and in the file.
_AT_WORK: Final = 115
_ON_DISK: Final = 14
_IN_FILE: Final = 2.5
_PROGRAM: Final = 60 * MIB
_A_SECOND: Final = 2.5e6
# Mapped files: for each group of shards of the neighbouring ply, and for everything else.
_FILES: Final = 2
_OTHER_FILES: Final = 2000


@dataclass(frozen=True)
class Estimate:
    """A rough estimate of a build.

    Attributes:
        positions: in the file.
        largest: positions of the largest ply.
        memory: bytes.
        disk: bytes, including the file.
        seconds: of one thread, divided by the number of threads.
        file: bytes of the file.
        core_seconds: of all threads together.
        shards: of the ply with the most shards.
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
    root: Position,
    scoring: Scoring | str | int = Scoring.LEVEL0,
    threads: int = 1,
    shard: int = 1 << 22,
) -> Estimate:
    """Estimate a build from a sampled first pass, which takes about a second at most.

    Args:
        root: where play starts; not over.
        scoring: what counts.
        threads: how many would work.
        shard: positions in a shard.

    Raises:
        PositionError, NotationError: if the root is no position, or the scoring none.
        BudgetError: if `threads` or `shard` makes no sense, or there are more positions than any
            machine could list.
        DatabaseError: if the game is over.

    Examples:
        >>> from kulami_solver import Layout
        >>> 5e5 < estimate(Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))).positions < 2e6
        True
    """
    threads = workers_of(threads, name="threads")
    shard = number_within(shard, "shard", 1, MOST_SHARD)
    root, scoring = checked_position(root), Scoring.parse(scoring)
    if root.is_over:
        raise DatabaseError("the game is over in this position: there is nothing to build")
    shape = Shape(root, scoring)
    rules = LayerRules(shape)
    draw = np.random.default_rng(0)
    merging = _Merging(_SLOPES[bool(shape.colours)] / len(shape.spots))
    layer: Any = tuple(
        np.array(part, np.uint64) for part in ([shape.frame], [0, 1], [shape.detail])
    )
    size = total = largest = arriving = 1.0
    for ply in range(len(shape.spots)):
        sampled = len(layer[2])
        frames, starts, details = layer
        layer, moves, ended, _, _ = rules.expand(
            frames, starts, details, ply % 2 == 0, root.supply - ply == 1
        )
        if moves == ended:
            break
        arriving = max(arriving, size * (moves - ended) / sampled)
        if size == sampled and len(layer[2]) <= _EXACT:
            size = len(layer[2])
            merging.note(ply, moves - ended, len(layer[2]))
        else:
            size *= (moves - ended) / sampled * (1 - merging.share(ply))
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


class _Merging:
    """The share of the moves into a layer that lead to positions which other moves reach, too.

    Args:
        slope: the usual rise of the logarithm of the odds from ply to ply.
    """

    def __init__(self, slope: float) -> None:
        self._usual: Final = slope
        self._seen: list[tuple[int, float, float]] = []  # ply, logarithm of the odds, weight

    def note(self, ply: int, reached: int, different: int) -> None:
        """Note a layer known in full: the moves into it, and its different positions."""
        same = max(reached - different, 1e-4 * reached)
        weight = min(1.0, (reached - different) / _CERTAIN)
        self._seen.append((ply, math.log(same / max(different, 1)), weight))

    def share(self, ply: int) -> float:
        """The share to be expected at a ply."""
        seen = [one for one in self._seen[-_LAYERS:] if one[2] > 0] or [(ply, -4.0, 1.0)]
        weight = sum(w for _, _, w in seen)
        middle = sum(w * at for at, _, w in seen) / weight
        height = sum(w * odds for _, odds, w in seen) / weight
        spread = sum(w * (at - middle) ** 2 for at, _, w in seen)
        rise = sum(w * (at - middle) * (odds - height) for at, odds, w in seen)
        slope = (rise + _SLOPE_WEIGHT * self._usual) / (spread + _SLOPE_WEIGHT)
        odds = math.exp(height + slope * (ply - middle))
        return min(odds / (1 + odds), _MOST_MERGED)


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


def check_cost(
    root: Position,
    scoring: Scoring,
    shard: int,
    target: Path,
    executor: concurrent.futures.Executor | None,
    threads: int,
    memory: int | float | str | None,
    force: bool,
) -> None:
    """Refuse a build that does not fit into this process, or into the workers of an executor.

    Args:
        root, scoring, shard: what is built, and positions in a shard.
        target: the file that is made.
        executor, threads, memory: what may be used.
        force: whether a build that seems not to fit is let through.

    Raises:
        BudgetError: it does not fit, its groups of shards are more files than a process may map, or
            `memory` makes no sense.
        KulamiError: a worker cannot do the work.
    """
    allowed = None if memory is None else parse_memory(memory)
    far = knows_workers(executor)
    if not force:
        threads = workers_of(None, executor=executor) if far else threads
        expected = estimate(root, scoring, 1, shard)
        _check_files(expected, shard)
        said = f"about {expected.positions:,.0f} positions, {duration(expected.seconds / threads)}"
        if allowed is None:  # what other machines have is not known here
            allowed = sys.maxsize if far else available_memory()
        fewer = "start fewer workers" if far else "give fewer --threads (threads=)"
        refuse_what_does_not_fit(
            said,
            target,
            Need(
                _PROGRAM + threads * (expected.memory - _PROGRAM),
                f"with {threads} threads",
                f"{fewer} or more --memory (memory=)",
            ),
            Need(expected.disk, "", "start from a later position, name another folder"),
            allowed,
        )
    check_workers(executor, Needs(str(target.parent)))


def _check_files(expected: Estimate, shard: int) -> None:
    """Refuse a build whose groups of shards are more files than a process may map."""
    most = most_mappings()
    groups = math.ceil(expected.shards / shards_in_group(expected.shards * shard, shard))
    if most is not None and groups * _FILES > most - _OTHER_FILES:
        raise BudgetError(
            f"a ply would lie in {groups:,} groups of shards, and this system lets a process map "
            f"{most:,} files: raise vm.max_map_count, give larger shards (shard=), or "
            "--force (force=True)"
        )
