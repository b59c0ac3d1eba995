"""Retrograde analysis, layer by layer: threads, progress and Ctrl-C around the compiled engine.

It knows no game: `core/retrograde.pyx` has the work on a layer, `core/dense.pxd` the interface of a
game. Forwards, from the last layer to the first, it marks the slots that can be reached; backwards,
from the first layer to the last, it solves layers. In between, the caller may save the state.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from .dense import DenseGame, Reached
from .retrograde import Expansion, Layer
from .tasks import run_tasks

#: Slots in one task: some tenths of a second, if most can be reached.
_TASK: Final = 1 << 20

Task: TypeAlias = Callable[[int, int], Any]


@dataclass(frozen=True)
class Progress:
    """The progress of an analysis: its step, the layer, and the number of slots done in it."""

    step: str
    layer: int
    done: int
    total: int


class Analysis:
    """The analysis of all slots that can be reached from a start.

    Args:
        game: numbered positions.
        executor: runs the tasks, in threads.
        report: called with the progress after each task.

    Attributes:
        reached: the slots that can be reached, and their values.
        layers: how many layers there are.
    """

    def __init__(
        self,
        game: DenseGame,
        executor: concurrent.futures.Executor,
        report: Callable[[Progress], None],
    ) -> None:
        self.reached: Final = Reached(game)
        self.layers: Final = len(game.bounds) - 1
        self._bounds = game.bounds
        self._executor = executor
        self._report = report

    def mark(self, start: int) -> None:
        """Mark a slot as reached."""
        self.reached.bitmap[start >> 6] |= 1 << (start & 63)

    def expand(self, layer: int) -> None:
        """Mark the slots that follow from a layer's marked slots; all later layers are done."""
        if not self._is_marked(layer):
            return
        expansion = Expansion(self.reached, layer)
        while any(self.run("expand", layer, expansion.sweep)):
            pass

    def solve(self, layer: int) -> Any:
        """Find the values of a layer, after all marks and numbers and all earlier layers.

        Returns:
            An array: how many positions have each value, mirror images counted apart.
        """
        work = Layer(self.reached, layer)
        if not self._is_marked(layer):
            return work.finish(self._bounds[layer], self._bounds[layer])
        furthest = max(self.run("prepare", layer, work.prepare))
        plies = 0
        while plies <= furthest:

            def wave(begin: int, end: int, plies: int = plies) -> int:
                return work.wave(plies, begin, end)

            furthest = max(furthest, *self.run(f"ply {plies}", layer, wave))
            plies += 1
        return sum(self.run("finish", layer, work.finish))

    def run(self, step: str, layer: int, task: Task) -> list[Any]:
        """Run a task on all slots of a layer; the results in the order of slots."""
        begin, end = self._bounds[layer : layer + 2]

        def tell(done: int) -> None:
            self._report(Progress(step, layer, done, end - begin))

        return run_in_parts(self._executor, task, begin, end, tell)

    def _is_marked(self, layer: int) -> bool:
        begin, end = self._bounds[layer : layer + 2]
        return bool(self.reached.bitmap[begin >> 6 : end >> 6].any())


def run_in_parts(
    executor: concurrent.futures.Executor,
    task: Task,
    begin: int,
    end: int,
    report: Callable[[int], None],
) -> list[Any]:
    """Run a task on a range of slots, a part at a time; the results in the order of slots.

    After Ctrl-C or an error it waits for the running parts, then raises.

    Args:
        executor: runs the parts, in threads.
        task: takes the first slot of a part and the one after its last.
        begin, end: the range, multiples of 512.
        report: called with the number of slots done.
    """
    parts = [(at, min(at + _TASK, end)) for at in range(begin, end, _TASK)]
    return run_tasks(
        executor, [(task, *part) for part in parts], [last - first for first, last in parts], report
    )
