#!/usr/bin/env python
"""Learn the weights that the tree of `master` looks at positions with, and write them.

Monte-Carlo tree search plays games against itself, on the square, the rulebook's board, and random
square and irregular ones. Once a position is close enough to the end it is solved: its margin is
what came of each position of the game before it. Later positions are solved themselves. Weights
are fitted to that, for every four plies to come, as those of the search are.

    python scripts/data/train_glance.py                      all scorings, 20 minutes on two cores
    python scripts/data/train_glance.py --scoring 2 --games 200 --output /tmp/glance.json

The weights that are there come from games of a tree whose values were those of random games alone.
The same seed gives the same file. Errors on layouts that were not trained on are in its card.
"""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm
from train_evaluation import (
    COLUMNS,
    HELD_OUT,
    MOST_TERMS,
    PHASE_PLIES,
    PHASES,
    Row,
    boards,
    design,
    errors,
    fit,
    learn_each,
    phase_of,
    read_arguments,
)

from kulami_solver import Layout, Position, Scoring
from kulami_solver.bots import MonteCarlo
from kulami_solver.kulami.solve.evaluation import GLANCE_FILE, learned_evaluation
from kulami_solver.kulami.solve.heuristics import Viewing
from kulami_solver.kulami.solve.solver import Solver

OUTPUT = Path(__file__).parents[2] / "kulami_solver" / "kulami" / "solve" / GLANCE_FILE
BOARDS = 60
PLAYOUTS = 1000  # a move
OPENINGS = (0, 1, 2, 3, 4, 6, 8, 10, 14)  # plies at random
SOLVED = {Scoring.LEVEL0: 24, Scoring.LEVEL1: 20, Scoring.LEVEL2: 20, Scoring.CHAINS: 20}
ERRING = 0.3  # how often a move among solved positions is one at random
TABLE = 1 << 20
CHUNK = 25  # games of a task


@dataclass
class Seen:
    """A position: the number of its board, what is seen of it, and the margin that came of it."""

    board: int
    row: Row
    margin: int


def play(number: int, layout: Layout, scoring: Scoring, seed: int) -> list[Seen]:
    """Play a game, and return its positions."""
    draw = random.Random(seed)
    geometry = layout.geometry
    # What is seen does not depend on the weights: any will do.
    viewing = Viewing(geometry, learned_evaluation(geometry, scoring), scoring.area, scoring.chains)
    position = Position(layout)
    solver = Solver(position, scoring, TABLE)
    opening = draw.choice(OPENINGS)
    early: list[tuple[str, Row]] = []
    late: list[Seen] = []
    result: tuple[str, int] | None = None  # a side, and its margin
    ply = 0
    while not position.is_over:
        fields = position.legal_fields
        plies = position.plies_left
        row = viewing.features(*position.view, position.supply)
        if plies <= SOLVED[scoring]:
            margin = solver.inquire(position).lower
            result = result or (position.turn, margin)
            if draw.random() < 0.5:
                late.append(Seen(number, row, margin))
        elif ply >= opening:
            early.append((position.turn, row))
        if ply < opening or (plies <= SOLVED[scoring] and draw.random() < ERRING):
            field = draw.choice(fields)
        else:
            field = MonteCarlo(PLAYOUTS, seed).choose(position, scoring=scoring)
        position = position.play(field)
        ply += 1
    side, margin = result or (position.turn, position.margin(scoring))
    return late + [Seen(number, row, margin if turn == side else -margin) for turn, row in early]


def play_some(task: tuple[list[Layout], Scoring, range]) -> list[Seen]:
    """Play a game for each seed."""
    layouts, scoring, seeds = task
    return [
        one
        for seed in seeds
        for one in play(seed % len(layouts), layouts[seed % len(layouts)], scoring, seed)
    ]


def learn(seen: list[Seen]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the weights of each phase, and how far off they are on other layouts."""
    learned: list[dict[str, Any]] = []
    report = []
    weights = np.zeros(len(COLUMNS))
    for phase in range(1, PHASES):
        drawn = [one for one in seen if one.row[0][0] // PHASE_PLIES == phase]
        amounts, points = design(one.row for one in drawn)
        margins = np.array([one.margin for one in drawn]) - points
        held = np.array([one.board % HELD_OUT == HELD_OUT - 1 for one in drawn])
        weights = fit(amounts[~held], margins[~held], weights)
        found = phase_of(weights, MOST_TERMS)
        learned += [found] * (1 if learned else 2)
        report.append(
            {
                "plies": [PHASE_PLIES * phase, PHASE_PLIES * phase + PHASE_PLIES - 1],
                "positions": len(drawn),
                **errors(margins[held], amounts[held] @ weights, points[held]),
            }
        )
        tqdm.write(str(report[-1]))
    return learned, report


def main() -> None:
    """Learn the weights of each scoring and write the file."""
    given = read_arguments(__doc__, 3000, OUTPUT)
    layouts = boards(BOARDS, random.Random(given.seed))
    first = given.seed * given.games
    chunks = [
        range(begin, min(begin + CHUNK, first + given.games))
        for begin in range(first, first + given.games, CHUNK)
    ]

    def learn_one(scoring: Scoring) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        with ProcessPoolExecutor(given.workers) as executor:
            tasks = [(layouts, scoring, seeds) for seeds in chunks]
            played = executor.map(play_some, tasks)
            bar = tqdm(played, f"scoring {scoring.value}", len(tasks), unit=f" x {CHUNK} games")
            seen = [one for found in bar for one in found]
        return learn(seen)

    learn_each(given, learn_one)


if __name__ == "__main__":
    main()
