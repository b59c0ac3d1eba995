"""Time what learners need: games stepped at once, and labelled positions; in processor time.

    python scripts/bench/bench.py --batch      games stepped at once, by what is done with them
    python scripts/bench/bench.py --labels     labelled positions, by free fields and scoring

Both work in one thread. A second is one of the processor's, so that what else runs on the machine
matters little; each rate is the best of three.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kulami_solver as ks
from kulami_solver.adapters.batch import Batch
from kulami_solver.adapters.exact import exact_values
from kulami_solver.adapters.labels import LabelPlan
from kulami_solver.adapters.labels.writing import label_groups
from kulami_solver.core.memory import default_table_size

DATABASE = Path(__file__).parents[2] / "data" / "4x4-level0.kdb"
GAMES = 4096
LAYOUTS = 64
STEPS = 100
REPEATS = 3
# Groups of sixteen games that are labelled for a rate.
GROUPS = 40
FREE = (12, 16, 20)


def batch_rates() -> dict[str, float]:
    """Steps a second of one core, by what is done in each step."""
    layouts = [ks.Layout.random(seed) for seed in range(LAYOUTS)]
    batch = Batch(GAMES, layouts, again=True, seed=1)
    done: dict[str, Callable[[], object]] = {
        "step": lambda: None,
        "step, words of legal fields": lambda: batch.legal_bits,
        "step, masks of legal fields": lambda: batch.legal_masks,
        "step, observations": batch.observe,
    }
    rates = {
        name: max(_stepped(batch, more) for _ in range(REPEATS)) for name, more in done.items()
    }
    rates["step, actions drawn"] = max(_drawn(batch) for _ in range(REPEATS))
    rates["rollouts"] = max(_rolled_out(batch) for _ in range(REPEATS))
    rates["positions, exact values"] = max(_valued() for _ in range(REPEATS))
    return rates


def _stepped(batch: Batch, more: Callable[[], object]) -> float:
    spent = 0.0
    for _ in range(STEPS):
        actions = batch.random_actions()
        begun = time.process_time()
        batch.step(actions)
        more()
        spent += time.process_time() - begun
    return STEPS * len(batch) / spent


def _drawn(batch: Batch) -> float:
    begun = time.process_time()
    for _ in range(STEPS):
        batch.step(batch.random_actions())
    return STEPS * len(batch) / (time.process_time() - begun)


def _rolled_out(batch: Batch) -> float:
    begun = time.process_time()
    _, plies = batch.rollouts(4)
    return float(plies.sum()) / (time.process_time() - begun)


def _valued() -> float:
    """From the database of a small board, one to eight plies into random games."""
    spent = 0.0
    with ks.open_database(DATABASE) as database:
        layout = database.root.layout
        for plies in range(1, 9):
            batch = Batch(GAMES, layout, seed=plies)
            for _ in range(plies):
                batch.step(batch.random_actions())
            begun = time.process_time()
            exact_values(batch, database)
            spent += time.process_time() - begun
    return 8 * GAMES / spent


def label_rates(scorings: list[ks.Scoring], free: list[int]) -> list[dict[str, Any]]:
    """Labelled positions a second of one core: games, layouts and searches, without the file."""
    rows = []
    for scoring in scorings:
        for number in free:
            plan = LabelPlan(1, (number, number), scoring)
            best, positions = 0.0, 0
            for _ in range(REPEATS):
                begun = time.process_time()
                groups, _ = label_groups(plan, range(GROUPS), default_table_size(number))
                positions = sum(len(rows) for _, rows in groups)
                best = max(best, positions / (time.process_time() - begun))
            rows.append(
                {
                    "free": number,
                    "scoring": scoring.value,
                    "positions": positions,
                    "per_second": best,
                }
            )
    return rows


def measure_batch(report: dict[str, Any]) -> None:
    """Print and note the rates of games stepped at once."""
    report["batch"] = batch_rates()
    print(f"{GAMES} games on {LAYOUTS} layouts, one thread")
    for name, rate in report["batch"].items():
        print(f"{name:<30} {rate / 1e6:>8.2f} M a second of processor time")


def measure_labels(
    report: dict[str, Any], scorings: list[ks.Scoring] | None, free: list[int] | None
) -> None:
    """Print and note the rates of labelled positions."""
    wanted = scorings or [ks.Scoring.LEVEL0, ks.Scoring.LEVEL2]
    report["labels"] = label_rates(wanted, free or list(FREE))
    print(
        f"{'free':>4} {'scoring':>7} {'positions':>9} {'labelled a second of processor time':>36}"
    )
    for row in report["labels"]:
        print(
            f"{row['free']:>4} {row['scoring']:>7} {row['positions']:>9} {row['per_second']:>36.0f}"
        )
