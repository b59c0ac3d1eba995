#!/usr/bin/env python
"""Learn the weights of the evaluation from positions whose margins are known, and write them.

The phases of a game, each of four plies to come, are learned from the last to the first. Positions
close enough to the end are solved; before that, a position's margin is that of a look ahead, which
ends in phases that have been learned already.

    python scripts/data/train_evaluation.py                      all scorings, about an hour
    python scripts/data/train_evaluation.py --scoring 0 --games 500 --output /tmp/weights.json

The same seed gives the same file. Errors on layouts that were not trained on are printed.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from kulami_solver import Layout, Position, Scoring
from kulami_solver.kulami.solve.bounds import LearnedEvaluation
from kulami_solver.kulami.solve.evaluation import WEIGHTS_FILE, panel_slopes, weights_for
from kulami_solver.kulami.solve.heuristics import features
from kulami_solver.kulami.solve.solver import Solver

OUTPUT = Path(__file__).parents[2] / "kulami_solver" / "kulami" / "solve" / WEIGHTS_FILE
UNIT = 64  # weights are in 64ths of a point
PHASE_PLIES = 4
PHASES = 14
REPLIES = 16
TERMS = 8  # of the search's evaluation
MOST_TERMS = 20  # of the tree's, see train_glance.py
SIZES = (2, 3, 4, 6)
SOLVED = {Scoring.LEVEL0: 23, Scoring.LEVEL1: 19, Scoring.LEVEL2: 19, Scoring.CHAINS: 19}
LEAST_LOOK = 3  # plies
PRIOR = 30.0  # how many positions the weights of the phase that was learned before count for
PRIOR_OF_SLOPES = 1.0
HELD_OUT = 5  # of every so many layouts, one is for testing

Row = tuple[list[int], list[tuple[int, int, int, bool, bool]]]
Floats = NDArray[np.float64]


def columns() -> dict[Any, int]:
    """Return the number of each weight."""
    names: list[Any] = [("slopes", i) for i in range(3)]
    names += [("replies", i) for i in range(REPLIES)]
    names += [("parity", i) for i in range(2)]
    names += ["second"]
    names += [("terms", i) for i in range(TERMS)]
    for size in SIZES:
        for free in range(1, size + 1):
            for difference in range(free - size, size - free + 1):
                if abs(difference) > free:
                    continue
                names += [("now", size, free, difference), ("later", size, free, difference)]
                if difference > 0:
                    names += [("standing", size, free, difference)]
    names += [("terms", i) for i in range(TERMS, MOST_TERMS)]
    return {name: number for number, name in enumerate(names)}


COLUMNS = columns()


def decided(size: int, free: int, difference: int) -> int:
    """Return the points of a panel that cannot change, 0 if it can."""
    return 0 if abs(difference) <= free else size * (1 if difference > 0 else -1)


def line_of(row: Row) -> tuple[dict[int, float], int]:
    """Return what a position has of each weight, and the points of its decided panels."""
    numbers, panels = row
    plies, replies, second, *terms = numbers
    line: dict[int, float] = {}

    def add(name: Any, amount: float) -> None:
        line[COLUMNS[name]] = line.get(COLUMNS[name], 0.0) + amount

    points = 0
    add(("replies", min(replies, REPLIES - 1)), 1)
    add(("parity", plies & 1), 1)
    add("second", second)
    for i, term in enumerate(terms):
        add(("terms", i), term)
    for size, free, difference, now, later in panels:
        points += decided(size, free, difference)
        standing, gain, loss = panel_slopes(size, free, difference)
        if decided(size, free, difference) or not free:
            continue
        add(("slopes", 0), standing)
        if now:
            add(("slopes", 1), gain)
            add(("now", size, free, difference), 1)
        if later:
            add(("slopes", 2), loss)
            add(("later", size, free, difference), 1)
        if difference:
            add(("standing", size, free, abs(difference)), 1 if difference > 0 else -1)
    return line, points


def design(rows: Iterable[Row]) -> tuple[Floats, Floats]:
    """Return the weights' amounts, a row a position, and the points of decided panels."""
    lines = [line_of(row) for row in rows]
    amounts = np.zeros((len(lines), len(COLUMNS)))
    for i, (line, _) in enumerate(lines):
        amounts[i, list(line)] = list(line.values())
    return amounts, np.array([points for _, points in lines], float)


def fit(amounts: Floats, margins: Floats, before: Floats) -> Floats:
    """Return the weights that are off least, where those of the phase before are likely."""
    prior = np.full(len(COLUMNS), PRIOR)
    prior[:3] = PRIOR_OF_SLOPES
    change = np.linalg.solve(
        amounts.T @ amounts + np.diag(prior), amounts.T @ (margins - amounts @ before)
    )
    return before + change


def errors(margins: Floats, found: Floats, points: Floats) -> dict[str, float]:
    """Return how far values are off margins; both are without the points of decided panels."""
    off = float(((margins - found) ** 2).mean())
    spread = float((margins + points).std())
    return {
        "spread": round(spread, 3),
        "error": round(math.sqrt(off), 3),
        "r2": round(1 - off / spread**2, 4),
    }


def phase_of(weights: Floats, terms: int = TERMS) -> dict[str, Any]:
    """Return the weights as the package keeps them, with so many terms."""

    def units(points: float) -> int:
        return round(UNIT * float(points))

    def of(*name: Any) -> float:
        return float(weights[COLUMNS[name]])

    slopes = [float(weight) for weight in weights[:3]]
    panels: dict[str, list[list[int]]] = {}
    for size in SIZES:
        states = panels[str(size)] = []
        for free in range(size + 1):
            for difference in range(free - size, size - free + 1):
                if decided(size, free, difference) or not free:
                    states.append([UNIT * decided(size, free, difference), 0, 0])
                    continue
                standing, now, later = (
                    slope * part
                    for slope, part in zip(
                        slopes, panel_slopes(size, free, difference), strict=True
                    )
                )
                if difference:
                    side = 1 if difference > 0 else -1
                    standing += side * of("standing", size, free, abs(difference))
                now += of("now", size, free, difference)
                later += of("later", size, free, difference)
                states.append([units(standing), units(now), units(later)])
    return {
        "slopes": [units(slope) for slope in slopes],
        "replies": [units(of("replies", i)) for i in range(REPLIES)],
        "parity": [units(of("parity", i)) for i in range(2)],
        "second": units(float(weights[COLUMNS["second"]])),
        "terms": [units(of("terms", i)) for i in range(terms)],
        "panels": panels,
    }


@dataclass
class Task:
    """Positions to label at a scoring, by solving or by a look that ends in learned phases."""

    scoring: Scoring
    positions: list[Position]
    phases: list[dict[str, Any]]  # empty: solve
    first: int  # plies to come from which on the phases are not learned yet


def label(task: Task) -> list[tuple[Row, float]]:
    """Return what the evaluation sees of each position, and its margin."""
    found = []
    for position in task.positions:
        evaluation = None
        geometry = position.layout.geometry
        if task.phases:
            weights = weights_for(frozenset(geometry.sizes), task.phases)
            evaluation = LearnedEvaluation(geometry, weights)
        solver = Solver(position, task.scoring, 1 << 22, evaluation=evaluation)
        solver.bounds(position)
        row = features(solver.search)
        if task.phases:
            look = max(LEAST_LOOK, position.plies_left - task.first + 1)
            margin = solver.outlook(look)
        else:
            margin = float(solver.inquire(position).lower)
        found.append((row, margin))
    return found


def boards(count: int, draw: random.Random) -> list[Layout]:
    """Return layouts to play on: the square, published ones, random squares and irregular ones."""
    named = [Layout.square(), Layout.rulebook()]
    drawn = [Layout.random(draw.getrandbits(32), irregular=i % 2 == 0) for i in range(count)]
    return named + drawn


def games(
    count: int, layouts: list[Layout], scoring: Scoring, draw: random.Random
) -> Iterator[tuple[int, list[Position]]]:
    """Yield games: the number of their layout, and a position of each phase."""
    for _ in range(count):
        number = draw.randrange(len(layouts))
        position = Position(layouts[number])
        heat = draw.choice((0.7, 2.0, 6.0, 1000.0))
        found = []
        wanted = {PHASE_PLIES * phase + draw.randrange(PHASE_PLIES) for phase in range(1, PHASES)}
        while not position.is_over:
            fields = position.legal_fields
            children = [position.play(field) for field in fields]
            points = [-child.margin(scoring) for child in children]
            best = max(points)
            (chosen,) = draw.choices(children, [math.exp((one - best) / heat) for one in points])
            if position.plies_left in wanted:
                found.append(draw.choice((position, chosen, draw.choice(children))))
            position = chosen
        yield number, [one for one in found if one.plies_left >= PHASE_PLIES]


def learn(
    scoring: Scoring, count: int, seed: int, workers: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the weights of each phase, and how far off they are on other layouts."""
    draw = random.Random(seed)
    layouts = boards(4 * HELD_OUT, draw)
    phases: list[list[tuple[int, Position]]] = [[] for _ in range(PHASES)]
    playing = games(count, layouts, scoring, draw)
    for number, positions in tqdm(playing, "games", count, unit=" games"):
        for position in positions:
            phases[position.plies_left // PHASE_PLIES].append((number, position))
    learned: list[dict[str, Any]] = []
    report = []
    weights = np.zeros(len(COLUMNS))
    with ProcessPoolExecutor(workers) as executor:
        for phase in tqdm(range(1, PHASES), f"phases, scoring {scoring.value}", unit=" phases"):
            drawn = phases[phase]
            first = PHASE_PLIES * phase
            solved = first + PHASE_PLIES - 1 <= SOLVED[scoring]
            tasks = [
                Task(
                    scoring,
                    [position for _, position in drawn[i : i + 50]],
                    [] if solved else learned,
                    first,
                )
                for i in range(0, len(drawn), 50)
            ]
            labels = [one for found in executor.map(label, tasks) for one in found]
            amounts, points = design(row for row, _ in labels)
            margins = np.array([margin for _, margin in labels]) - points
            held = np.array([number % HELD_OUT == HELD_OUT - 1 for number, _ in drawn])
            weights = fit(amounts[~held], margins[~held], weights)
            found = phase_of(weights)
            learned += [found] * (1 if learned else 2)
            report.append(
                {
                    "plies": [first, first + PHASE_PLIES - 1],
                    "labels": "solved" if solved else "looked ahead",
                    "positions": len(labels),
                    **errors(margins[held], amounts[held] @ weights, points[held]),
                }
            )
            tqdm.write(f"{scoring.value} {report[-1]}")
    return learned, report


def read_arguments(about: str, games: int, output: Path) -> argparse.Namespace:
    """Read the command line of a script that learns weights; `games` and `output` are defaults."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--scoring", action="append", help="one of them only; may be repeated")
    parser.add_argument("--games", type=int, default=games, help="for each scoring")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--output", type=Path, default=output)
    return parser.parse_args()


def learn_each(
    arguments: argparse.Namespace,
    learn_one: Callable[[Scoring], tuple[list[dict[str, Any]], list[dict[str, Any]]]],
) -> None:
    """Learn the weights of each scoring that is asked for, and write them to the file."""
    kept = json.loads(arguments.output.read_text()) if arguments.output.exists() else {}
    card = kept.get("card", {})
    scorings = kept.get("scorings", {})
    for scoring in map(Scoring.parse, arguments.scoring or [one.value for one in Scoring]):
        scorings[scoring.value], report = learn_one(scoring)
        card[scoring.value] = {"games": arguments.games, "seed": arguments.seed, "phases": report}
        lines = json.dumps({"card": card, "scorings": scorings}, separators=(",", ":"))
        arguments.output.write_text(lines.replace('{"slopes"', '\n{"slopes"') + "\n")


def main() -> None:
    """Learn the weights of each scoring and write the file."""
    given = read_arguments(__doc__, 6000, OUTPUT)
    learn_each(given, lambda scoring: learn(scoring, given.games, given.seed, given.workers))


if __name__ == "__main__":
    main()
