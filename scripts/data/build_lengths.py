"""Count how many plies games last, with good play and at random: data/lengths.csv.

    python scripts/data/build_lengths.py             write the table: in some minutes
    python scripts/data/build_lengths.py --summary   print the table of findings.md
    python scripts/data/draw_lengths.py              its pictures

Three kinds of play are counted. `best`: a game on every 5x5 board of `boards-5x5.csv`, in which
both sides choose one of the best fields, at random if there are several. `good`: games on 8x8 as
`fit_chances.py` plays them, with fields drawn by what they look worth, and best play from 20 plies
before the end. `random`: every legal field is as likely. The same seed gives the same games.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import random
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Final

import build_first_fields
from build_openings import BOARDS, WORKERS, looked_on
from build_small_boards import DATA, EVERY_SCORING, Case, Row, rows_of, write_table
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.kulami.solve.solver import Solver

FILE: Final = DATA / "lengths.csv"
COLUMNS: Final = ("layout", "scoring", "play", "games", "lengths")
SMALL: Final = "5x5"  # in place of a layout: all of them, a game on each
RANDOM: Final = "none"  # in place of a scoring, at random
GAMES: Final = {"good": 1000, "random": 5000}  # on a board of 8x8


def best_fields(positions: list[ks.Position], scoring: str, draw: random.Random) -> list[str]:
    """Draw one of the best fields of each position."""
    chosen = []
    for solution in ks.solve_many(positions, scoring, every_move=True):
        best = [move.field for move in solution.moves or () if move.margin == solution.margin]
        chosen.append(draw.choice(sorted(best)))
    return chosen


def best_games(scoring: str) -> list[int]:
    """The length of a best game on every 5x5 board."""
    draw = random.Random(f"best {scoring}")
    running: list[ks.Position] = []
    for row in build_first_fields.table():
        if row["scoring"] == scoring:
            root = ks.Position(ks.Layout.parse(row["layout"]))
            values = list(map(int, row["first_fields"].split()))
            best = [i for i, value in enumerate(values) if value == max(values)]
            running.append(root.play(root.layout.fields[draw.choice(best)]))
    lengths = []
    for plies in tqdm(itertools.count(1), f"plies, scoring {scoring}", leave=False):
        lengths += [plies for position in running if position.is_over]
        running = [position for position in running if not position.is_over]
        if not running:
            return lengths
        fields = best_fields(running, scoring, draw)
        running = [position.play(field) for position, field in zip(running, fields, strict=True)]
    raise AssertionError


def good_game(seed: int, layout: str, scoring: str) -> int:
    """The length of a game in which both sides look ahead, and end it exactly."""
    draw = random.Random(seed)
    position = ks.Position(ks.Layout.parse(layout))
    solver = Solver(position, ks.Scoring.parse(scoring), 1 << 20)
    position = looked_on(position, solver, draw)
    while not position.is_over:
        position = position.play(best_fields([position], scoring, draw)[0])
    return placed(position)


def random_game(seed: int, layout: str) -> int:
    """The length of a game at random."""
    draw = random.Random(seed)
    position = ks.Position(ks.Layout.parse(layout))
    while not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
    return placed(position)


def placed(position: ks.Position) -> int:
    """How many marbles lie on the board."""
    return (position.red | position.black).bit_count()


def play_of(case: Case) -> str:
    """How the games of a row are played."""
    layout, scoring = case
    return "random" if scoring == RANDOM else "best" if layout == SMALL else "good"


def lengths_of(case: Case) -> list[int]:
    """The lengths of the games of a row."""
    layout, scoring = case
    play = play_of(case)
    if play == "best":
        return best_games(scoring)
    if layout == SMALL:
        layouts = sorted({row["layout"] for row in build_first_fields.table()})
        return [random_game(seed, board) for seed, board in enumerate(layouts)]
    game: Callable[[int], int] = functools.partial(random_game, layout=layout)
    if play == "good":
        game = functools.partial(good_game, layout=layout, scoring=scoring)
    count = GAMES[play]
    with ProcessPoolExecutor(WORKERS) as executor:
        played = executor.map(game, range(count), chunksize=5)
        return list(tqdm(played, f"games, scoring {scoring}", count, leave=False))


def rows(listed: Iterable[Case]) -> Iterator[Row]:
    """Play the games of these rows; yield each row as soon as there is one."""
    for layout, scoring in listed:
        lengths = lengths_of((layout, scoring))
        counts = Counter(lengths)
        yield {
            "layout": layout,
            "scoring": scoring,
            "play": play_of((layout, scoring)),
            "games": str(len(lengths)),
            "lengths": " ".join(str(counts[plies]) for plies in range(1, max(counts) + 1)),
        }


def table() -> list[Row]:
    """The rows of the table."""
    return rows_of(FILE)


def counts_of(row: Row) -> dict[int, int]:
    """How many games of a row lasted how many plies."""
    return dict(enumerate(map(int, row["lengths"].split()), 1))


def summary(listed: list[Row]) -> Iterator[str]:
    """Yield the lines of the table that says how long games last."""
    names = {SMALL: "all of 5x5"} | {str(layout): name for name, layout in BOARDS.items()}
    yield "| board | play | scoring | games | plies | middle half | longest | odd |"
    yield "|---|---|---|---:|---:|---:|---:|---:|"
    for row in listed:
        counts = counts_of(row)
        lengths = list(Counter(counts).elements())
        low, _, high = statistics.quantiles(lengths, n=4)
        odd = sum(count for plies, count in counts.items() if plies % 2) / len(lengths)
        cells = (
            names[row["layout"]],
            row["play"],
            row["scoring"].replace(RANDOM, ""),
            row["games"],
            f"{statistics.mean(lengths):.1f}",
            f"{low:.0f} to {high:.0f}",
            str(max(lengths)),
            f"{100 * odd:.0f} %",
        )
        yield f"| {' | '.join(cells)} |"


def main() -> int:
    """Read the command line; Ctrl-C keeps the rows that are done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--summary", action="store_true", help="print the table of the page")
    if parser.parse_args().summary:
        print("\n".join(summary(table())))
        return 0
    layouts = (SMALL, *map(str, BOARDS.values()))
    try:
        cases = list(itertools.product(layouts, (*EVERY_SCORING, RANDOM)))
        write_table(cases, FILE, COLUMNS, rows)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
