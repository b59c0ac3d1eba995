#!/usr/bin/env python
"""Fit expected margins and chances to games of the look ahead against itself, and write them.

Each game begins with some plies at random. Both sides then look ahead a little, and now and then
choose a field that seems slightly worse. With 20 plies to come the position is solved: its margin
is what comes of every position of the game before it. Later positions are solved themselves.

    python scripts/data/fit_chances.py                           about eight minutes
    python scripts/data/fit_chances.py --games 100 --output /tmp/chances.json

The same seed gives the same file. What was stated and what came are printed, by numbers that were
fitted without the third of the boards that a game belongs to.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm
from train_evaluation import Floats, boards

from kulami_solver import Layout, Position, Scoring
from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.estimate.chances import CHANCES_FILE, Phase, margin_and_chances
from kulami_solver.kulami.solve.solver import Solver

OUTPUT = Path(__file__).parents[2] / "kulami_solver" / "kulami" / "estimate" / CHANCES_FILE
OPENINGS = (0, 1, 2, 3, 5, 8)  # plies at random
PLAYED_WITH = 300  # nodes a field
HEAT = 0.25  # points: a field so much worse is chosen e times less often
LOOKED_AT_WITH = 5000  # nodes of the looks whose values are fitted
EVERY = 4  # plies, of which one is looked at
SOLVED = 20  # plies to come
LAST = 5
TABLE = 1 << 19
BINS = ((4, 11), (12, 19), (20, 27), (28, 35), (36, 43), (44, 51), (52, 64))  # plies to come
BOARDS = 40
FOLDS = 3  # of every so many boards, one is left out of the fit that speaks of it
PRIOR = 1.0  # keeps what is certain from becoming infinitely steep
TENTHS = 10
HUNDREDTHS = [number / 100 for number in range(100)]

Stated = tuple[float, float, float]  # margin, chance of a win, chance of a loss


@dataclass(frozen=True)
class Seen:
    """A position of a game: the board's number, plies to come, value of the look, what came."""

    board: int
    plies: int
    value: float
    margin: int


def play(board: int, layout: Layout, scoring: Scoring, seed: int) -> list[Seen]:
    """Play a game, and return what was looked at."""
    draw = random.Random(seed)
    position = Position(layout)
    solver = Solver(position, scoring, 1 << 20)
    played, looked = TranspositionTable(TABLE), TranspositionTable(TABLE)
    opening, offset = draw.choice(OPENINGS), draw.randrange(EVERY)
    early: list[tuple[Position, float]] = []
    late: list[Seen] = []
    result: tuple[str, int] | None = None  # a side, and its margin
    ply = 0
    while not position.is_over and position.plies_left >= LAST:
        plies = position.plies_left
        if plies <= SOLVED and result is None:
            result = position.turn, solved(solver, position)
        bounds = solver.bounds(position)
        if ply >= opening and plies % EVERY == offset and bounds.lower < bounds.upper:
            value = next(iter(solver.look_ahead(looked).look(nodes=LOOKED_AT_WITH).values()))
            if plies > SOLVED:
                early.append((position, value))
            else:
                late.append(Seen(board, plies, value, solved(solver, position)))
                solver.bounds(position)
        if ply < opening:
            name = draw.choice(position.legal_fields)
        else:
            values = solver.look_ahead(played).look(nodes=PLAYED_WITH, every=True)
            name = layout.fields[likely_field(values, draw)]
        position = position.play(name)
        ply += 1
    side, margin = result or (position.turn, position.margin(scoring))
    return [
        Seen(board, one.plies_left, value, margin if one.turn == side else -margin)
        for one, value in early
    ] + late


def likely_field(values: Mapping[int, float], draw: random.Random) -> int:
    """Draw a field by what the fields look worth: the better, the likelier."""
    best = max(values.values())
    weights = [math.exp((value - best) / HEAT) for value in values.values()]
    return draw.choices(list(values), weights)[0]


def solved(solver: Solver, position: Position) -> int:
    """Return the exact margin of a position."""
    return solver.inquire(position).lower


def play_some(task: tuple[list[Layout], Scoring, range]) -> list[Seen]:
    """Play a game for each seed."""
    layouts, scoring, seeds = task
    return [
        one
        for seed in seeds
        for one in play(seed % len(layouts), layouts[seed % len(layouts)], scoring, seed)
    ]


def fit(seen: Sequence[Seen]) -> list[Phase]:
    """Return what is stored of each phase (see `Phase`)."""
    phases: list[Phase] = []
    for first, last in BINS:
        phase = [one for one in seen if first <= one.plies <= last]
        open_ones = [one for one in phase if not one.value.is_integer()]
        values = np.array([one.value for one in open_ones])
        margins = np.array([one.margin for one in open_ones], float)
        amounts = np.stack([np.ones(len(open_ones)), values], axis=1)
        tempo, slope = np.linalg.lstsq(amounts, margins, rcond=None)[0]
        steepness, threshold = fit_outcomes(amounts @ [tempo, slope], np.sign(margins))
        plies = float(np.mean([one.plies for one in phase]))
        numbers = [plies, *(float(number) for number in (tempo, slope, steepness, threshold))]
        certainty = fit_certainty([one for one in phase if one.value.is_integer()], numbers)
        phases.append([*(round(number, 4) for number in numbers), certainty])
    return phases


def fit_certainty(whole: Sequence[Seen], numbers: Sequence[float]) -> float:
    """Return the certainty of whole values that makes their outcomes likeliest."""
    chances = [
        [
            share_of(one, margin_and_chances(one.value, one.plies, [[*numbers, certainty]]))
            for one in whole
        ]
        for certainty in (0.0, 1.0)
    ]
    without, wholly = np.array(chances)

    def likelihood(certainty: float) -> float:
        mixed = (1 - certainty) * without + certainty * wholly
        return float(np.log(np.maximum(mixed, 1e-12)).sum())

    return max(HUNDREDTHS, key=likelihood)


def fit_outcomes(margins: Floats, outcomes: Floats) -> tuple[float, float]:
    """Return steepness and threshold that make the outcomes likeliest, by Newton's method."""

    def unlikelihood(numbers: Floats) -> float:
        win = 1 / (1 + np.exp(numbers[1] - numbers[0] * margins))
        loss = 1 / (1 + np.exp(numbers[1] + numbers[0] * margins))
        came = np.where(outcomes > 0, win, np.where(outcomes < 0, loss, 1 - win - loss))
        return float(-np.log(np.maximum(came, 1e-12)).sum() + PRIOR * (numbers**2).sum())

    numbers, step = np.array([0.5, 0.3]), 1e-3
    units = step * np.eye(2)
    for _ in range(30):
        here = unlikelihood(numbers)
        ahead = np.array([unlikelihood(numbers + unit) for unit in units])
        behind = np.array([unlikelihood(numbers - unit) for unit in units])
        slopes = (ahead - behind) / (2 * step)
        mixed = (
            unlikelihood(numbers + units[0] + units[1])
            - unlikelihood(numbers + units[0] - units[1])
            - unlikelihood(numbers - units[0] + units[1])
            + unlikelihood(numbers - units[0] - units[1])
        ) / 4
        bends = np.diag(ahead - 2 * here + behind)
        bends[0, 1] = bends[1, 0] = mixed
        change = -np.linalg.solve(bends / step**2, slopes)
        while unlikelihood(numbers + change) > here and np.max(np.abs(change)) > 1e-6:
            change /= 2
        numbers = np.maximum(numbers + change, 0.01)
        if np.max(np.abs(change)) < 1e-5:
            break
    return float(numbers[0]), float(numbers[1])


def share_of(one: Seen, stated: Stated) -> float:
    """Return what chance was stated for what came."""
    _, win, loss = stated
    return (win, 1 - win - loss, loss)[1 - (one.margin > 0) + (one.margin < 0)]


def cross_validated(seen: Sequence[Seen]) -> list[tuple[Seen, Stated]]:
    """Return what is stated of each position by a fit to the boards of the other folds."""
    judged: list[tuple[Seen, Stated]] = []
    for fold in range(FOLDS):
        phases = fit([one for one in seen if one.board % FOLDS != fold])
        judged += [
            (one, margin_and_chances(one.value, one.plies, phases))
            for one in seen
            if one.board % FOLDS == fold
        ]
    return judged


def report(
    judged: Sequence[tuple[Seen, Stated]],
) -> tuple[dict[str, Any], list[tuple[float, bool]]]:
    """Return how good what is stated of these positions is, and each chance with what came."""
    by_phase = []
    stated: list[tuple[float, bool]] = []
    for first, last in BINS:
        phase = [(one, said) for one, said in judged if first <= one.plies <= last]
        if not phase:
            continue
        brier = ignorant = error = 0.0
        often = [
            sum(np.sign(one.margin) == sign for one, _ in phase) / len(phase) for sign in (1, 0, -1)
        ]
        for one, (margin, win, loss) in phase:
            chances = (win, 1 - win - loss, loss)
            came = [np.sign(one.margin) == sign for sign in (1, 0, -1)]
            stated += zip(chances, came, strict=True)
            brier += sum((chance - c) ** 2 for chance, c in zip(chances, came, strict=True))
            ignorant += sum((chance - c) ** 2 for chance, c in zip(often, came, strict=True))
            error += (margin - one.margin) ** 2
        by_phase.append(
            {
                "plies": [first, last],
                "positions": len(phase),
                "brier": round(brier / len(phase), 3),
                "brier_of_shares": round(ignorant / len(phase), 3),
                "margin_error": round(math.sqrt(error / len(phase)), 2),
            }
        )
    return {"phases": by_phase, "tenths": reliability(stated)}, stated


def reliability(stated: Iterable[tuple[float, bool]]) -> list[dict[str, float]]:
    """Return for each tenth of the chances how many there were, what was stated, and what came."""
    tenths: list[list[tuple[float, bool]]] = [[] for _ in range(TENTHS)]
    for chance, came in stated:
        tenths[min(int(TENTHS * chance), TENTHS - 1)].append((chance, came))
    return [
        {
            "chances": len(tenth),
            "stated": round(100 * sum(chance for chance, _ in tenth) / len(tenth), 1),
            "came": round(100 * sum(came for _, came in tenth) / len(tenth), 1),
        }
        for tenth in tenths
        if tenth
    ]


def main() -> None:
    """Play, fit, print what it is worth, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1200, help="for each scoring, 100 or more")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()
    if arguments.games < 100:
        parser.error(f"--games {arguments.games}: give 100 or more")
    layouts = boards(BOARDS - 2, random.Random(arguments.seed))
    scorings: dict[str, list[Phase]] = {}
    card: dict[str, Any] = {"games": arguments.games, "seed": arguments.seed}
    together: list[tuple[float, bool]] = []
    with ProcessPoolExecutor(arguments.workers) as executor:
        for scoring in Scoring:
            begin = arguments.seed * 1_000_000
            seeds = range(begin, begin + arguments.games)
            tasks = [(layouts, scoring, seeds[i : i + 10]) for i in range(0, len(seeds), 10)]
            playing = tqdm(executor.map(play_some, tasks), f"scoring {scoring.value}", len(tasks))
            seen = [one for some in playing for one in some]
            scorings[scoring.value] = fit(seen)
            card[scoring.value], stated = report(cross_validated(seen))
            together += stated
            print(scoring.value, json.dumps(card[scoring.value]), flush=True)
    card["together"] = reliability(together)
    print("together", json.dumps(card["together"]))
    text = json.dumps({"card": card, "scorings": scorings}, separators=(",", ":"))
    arguments.output.write_text(
        text.replace('{"plies"', '\n{"plies"').replace('":[[', '":\n[[') + "\n"
    )


if __name__ == "__main__":
    main()
