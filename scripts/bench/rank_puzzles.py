"""How well the difficulty of puzzles agrees with how often bots miss them.

    python scripts/bench/rank_puzzles.py                      data/puzzles.jsonl
    python scripts/bench/rank_puzzles.py FILE --seeds 5

No bot takes part that the difficulty was made with: levels 1 to 7, each with some seeds, alpha-beta
3 and 5 plies deep, and Monte-Carlo tree search with 100 and 500 playouts. It prints Spearman's rank
correlation of the difficulty with the share of them that miss the field, and this share in each
quarter of the difficulties.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import correlation, mean
from typing import Any

from tqdm import tqdm

from kulami_solver.bots.kulami.builtin import AlphaBeta, MonteCarlo
from kulami_solver.bots.kulami.puzzles import Puzzle, read_puzzles
from kulami_solver.bots.kulami.solving import Level

QUARTER = 25


def main() -> None:
    parser = argparse.ArgumentParser(description="Difficulty of puzzles beside the rates of bots.")
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--seeds", type=int, default=3, help="of each level (3)")
    args = parser.parse_args()
    others = [AlphaBeta(3), AlphaBeta(5), MonteCarlo(100), MonteCarlo(500)]
    bots = [*others, *(Level(level, seed) for level in range(1, 8) for seed in range(args.seeds))]
    puzzles = read_puzzles(args.file)
    missed = [share_that_misses(puzzle, bots) for puzzle in tqdm(puzzles, unit=" puzzles")]
    ranks = [float(puzzle.difficulty) for puzzle in puzzles]
    found = spearman(ranks, missed)
    print(f"{len(puzzles)} puzzles, {len(bots)} bots: rank correlation {found:.2f}")
    for low in range(0, 4 * QUARTER, QUARTER):
        of = [
            share
            for puzzle, share in zip(puzzles, missed, strict=True)
            if min(puzzle.difficulty // QUARTER, 3) == low // QUARTER
        ]
        print(f"difficulty from {low:>2}: {len(of):>3} puzzles, missed by {100 * mean(of):.0f} %")


def share_that_misses(puzzle: Puzzle, bots: Sequence[Any]) -> float:
    right = [bot.choose(puzzle.position, scoring=puzzle.scoring) == puzzle.best for bot in bots]
    return 1 - right.count(True) / len(right)


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the rank correlation; what is equal shares its ranks."""
    return correlation(ranked(one), ranked(other))


def ranked(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    first = {value: order.index(value) for value in set(values)}
    return [first[value] + (order.count(value) - 1) / 2 for value in values]


if __name__ == "__main__":
    main()
