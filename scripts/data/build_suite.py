"""Write data/suite.jsonl: positions with every field's exact value, to judge bots by.

    python scripts/data/build_suite.py              write it anew; takes some minutes
    python scripts/data/build_suite.py --check 50   solve 50 of its lines again and compare

For each scoring and each number of free fields from 10 to 24 there are as many positions; half of
them on the rulebook's sort of square, half on irregular layouts; in turn from random games, and
from games that alpha-beta (2 plies) and Monte-Carlo tree search (200 positions) play against
themselves, with one marble in eight at random. Positions where nothing can go wrong are left out.
The order is a fixed shuffle, so the first N lines are a fair sample of all.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path

from tqdm import tqdm

from kulami_solver import Position, Scoring
from kulami_solver.bots.kulami.builtin import AlphaBeta, MonteCarlo
from kulami_solver.bots.kulami.suite import Case, draw_case, read_suite

PATH = Path(__file__).resolve().parents[2] / "data" / "suite.jsonl"
FREE = range(10, 25)
PER_CELL = 34  # positions for each scoring and number of free fields: 2,040 in all


def alpha_beta(position: Position, scoring: Scoring) -> str:
    """What alpha-beta plays."""
    return AlphaBeta(2).choose(position, scoring=scoring)


def monte_carlo(position: Position, scoring: Scoring) -> str:
    """What Monte-Carlo tree search plays."""
    return MonteCarlo(200).choose(position, scoring=scoring)


PLAY: list[tuple[str, Callable[[Position, Scoring], str] | None]] = [
    ("random", None),
    ("alphabeta:2", alpha_beta),
    ("random", None),
    ("mcts:200", monte_carlo),
]


def cases() -> list[Case]:
    """All cases in their final order."""
    drawn: dict[str, Case] = {}
    seed = 0
    cells = [(scoring, free) for scoring in Scoring for free in FREE for _ in range(PER_CELL)]
    for number, (scoring, free) in enumerate(tqdm(cells, unit=" positions")):
        origin, chooser = PLAY[number // 2 % len(PLAY)]
        while True:
            seed += 2
            case = draw_case(seed + number % 2, free, scoring, chooser, origin)
            if case is not None and case.position.kfn() not in drawn:
                drawn[case.position.kfn()] = case
                break
    draw = random.Random(1).random
    return sorted(drawn.values(), key=lambda _: draw())


def main() -> None:
    """Write the suite, or check what is there."""
    parser = argparse.ArgumentParser(description="Write data/suite.jsonl.")
    parser.add_argument("--check", metavar="N", type=int, help="solve N lines again and compare")
    arguments = parser.parse_args()
    if arguments.check is None:
        PATH.parent.mkdir(exist_ok=True)
        PATH.write_text("".join(f"{case.line}\n" for case in cases()), encoding="ascii")
        return
    suite = read_suite(PATH)
    step = max(1, len(suite) // arguments.check)
    for case in tqdm(suite[::step], unit=" positions"):
        again = Case.of(case.position, case.scoring, case.origin)
        if again.line != case.line:
            raise SystemExit(f"differs: {case.line}\n now {again.line}")


if __name__ == "__main__":
    main()
