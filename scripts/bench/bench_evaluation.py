"""Compare what evaluations say of each move with its exact margin, and tell what a look costs.

    python scripts/bench/bench_evaluation.py                       half an hour on two cores
    python scripts/bench/bench_evaluation.py --free 24 --scoring 0 --positions 50

The positions are of random games on layouts that nothing was trained on, half of them irregular.
Each legal field is valued at a glance (the evaluation after the move) and by looks two and four
plies further ahead, each over two evaluations:

    chance     every panel brings what it brings if chance fills it
    learned    the learned evaluation

What is printed of each: the share of the variance of exact margins that it explains (R2), how
often the field that looks best is best, how many points are lost with it, and microseconds of a
look with all that Python adds. At the end: nanoseconds for each position of longer looks.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from benching import at_least
from random_play import random_position
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.kulami.solve.evaluation import learned_evaluation, panel_slopes, weights_for
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.kulami.solve.weights import LearnedEvaluation

PLIES: Final = (1, 3, 5)  # of a look, the move included
LONG: Final = 50_000  # positions of a longer look
TABLE: Final = 1 << 22  # bytes of a look
SEEDS: Final = itertools.count(1_000_000)  # of layouts; the training draws 32 bits


@dataclass
class Sums:
    """What an evaluation said of moves, and what they are worth."""

    said: list[float] = field(default_factory=list)
    true: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)  # points, a position each
    seconds: float = 0.0

    def add(self, said: dict[int, float], true: dict[int, int]) -> None:
        """Count a position: what was said of each field, and its margin."""
        self.said += [said[at] for at in true]
        self.true += true.values()
        self.lost.append(max(true.values()) - true[max(true, key=said.__getitem__)])

    def __str__(self) -> str:
        true = np.array(self.true, float)
        off = true - np.array(self.said)
        explained = 1 - (off**2).mean() / true.var()
        lost = np.array(self.lost)
        return (
            f"{explained:6.3f} {(lost == 0).mean():8.1%} {lost.mean():8.2f}"
            f" {self.seconds / len(lost) * 1e6:10.0f}"
        )


def drawn(free: int) -> Iterator[ks.Position]:
    """Yield positions with so many free fields, each on a layout of its own."""
    for seed in SEEDS:
        layout = ks.Layout.random(seed, irregular=seed % 2 == 0)
        position = random_position(layout, free, seed)
        if position is not None and len(position.legal_fields) > 1:
            yield position


def by_chance(position: ks.Position) -> LearnedEvaluation:
    """Return an evaluation that adds up what each panel brings if chance fills it."""
    geometry = position.layout.geometry
    panels = {
        str(size): [
            [round(64 * panel_slopes(size, free, difference)[0]), 0, 0]
            for free in range(size + 1)
            for difference in range(free - size, size - free + 1)
        ]
        for size in set(geometry.sizes)
    }
    phase: dict[str, Any] = {
        "slopes": [64, 0, 0],
        "replies": [0] * 16,
        "parity": [0, 0],
        "second": 0,
        "terms": [64, 64, 0, 0, 0, 0, 0, 0],  # areas and chains as they are
        "panels": panels,
    }
    return LearnedEvaluation(geometry, weights_for(frozenset(geometry.sizes), [phase] * 14))


def compare(found: ks.Solution, scoring: ks.Scoring, sums: dict[tuple[str, int], Sums]) -> None:
    """Value each move of a solved position by each evaluation and look."""
    position = found.position
    true = {
        position.layout.index(one.field): one.margin
        for one in found.moves
        if one.margin is not None
    }
    learned = learned_evaluation(position.layout.geometry, scoring)
    for name, evaluation in (("chance", by_chance(position)), ("learned", learned)):
        solver = Solver(position, scoring, 1 << 16, evaluation=evaluation)
        solver.bounds(position)
        for plies in PLIES:
            looking = solver.look_ahead(TABLE)
            begun = time.process_time()
            said = looking.look(depth=plies, every=True)
            one = sums.setdefault((name, plies), Sums())
            one.seconds += time.process_time() - begun
            one.add(said, true)


def nanoseconds(scoring: ks.Scoring, free: int) -> float:
    """Return what a position of a longer look over the learned evaluation takes."""
    seconds, nodes = 0.0, 0
    for position in itertools.islice(drawn(free), 20):
        solver = Solver(position, scoring, 1 << 16)
        solver.bounds(position)
        looking = solver.look_ahead(TABLE)
        begun = time.process_time()
        looking.look(nodes=LONG)
        seconds += time.process_time() - begun
        nodes += looking.nodes
    return seconds / max(nodes, 1) * 1e9


def main() -> None:
    """Print a table for each number of free fields and scoring."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--free", type=at_least(2), nargs="+", default=[24, 28, 32])
    parser.add_argument("--scoring", nargs="+", default=[one.value for one in ks.Scoring])
    parser.add_argument("--positions", type=at_least(2), default=100, help="of each kind")
    arguments = parser.parse_args()
    for free, name in itertools.product(arguments.free, arguments.scoring):
        scoring = ks.Scoring.parse(name)
        positions = itertools.islice(drawn(free), arguments.positions)
        solutions = ks.solve_many(positions, scoring, every_move=True)
        sums: dict[tuple[str, int], Sums] = {}
        for found in tqdm(solutions, total=arguments.positions, delay=2, disable=None):
            compare(found, scoring, sums)
        print(f"\n{free} free fields, scoring {name}, {arguments.positions} positions")
        print("                         R2 best first  points  us a look")
        for (kind, plies), one in sums.items():
            look = "at a glance" if plies == 1 else f"{plies - 1} plies"
            print(f"{kind:8} {look:12}  {one}")
        longer = nanoseconds(scoring, free)
        print(f"a position of a look at {LONG:,}: {longer:.0f} ns", flush=True)


if __name__ == "__main__":
    main()
