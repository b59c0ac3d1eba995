"""Estimate every first field of 8x8 and of the rulebook's board, and try some in games.

    python scripts/data/build_openings.py             write data/openings.csv: a quarter of an hour
    python scripts/data/build_openings.py --summary   print the tables of findings.md

Nothing here is proved. After each first field a look ahead over the learned evaluation says what
is to be expected, at NODES positions. After the fields that look best and worst, games are played
as `fit_chances.py` plays them, which are exact from 20 plies before their end. A row has one
board at one scoring. Rows that are done are kept in FILE.building until the table is complete: a
run that was ended goes on from there.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from build_small_boards import DATA, EVERY_SCORING, Case, Row, rows_of, write_table
from fit_chances import SOLVED, TABLE, likely_field, solved
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.solve.solver import Solver

FILE: Final = DATA / "openings.csv"
BOARDS: Final = {"the square": ks.Layout.square(), "the rulebook's": ks.Layout.rulebook()}
COLUMNS: Final = ("layout", "scoring", "margins", "wins", "losses", "tried", "won", "lost", "by")
NODES: Final = 200_000  # looked at after each first field
TRIED: Final = 4  # fields that look best are played, and as many that look worst
GAMES: Final = 25  # after each of these
PLAYED_WITH: Final = 300  # nodes a field
WORKERS: Final = 2  # processes

Opening = tuple[str, str, str]  # layout, scoring and first field


def after(opening: Opening) -> ks.Position:
    """The position after a first field."""
    layout, _, field = opening
    return ks.Position(ks.Layout.parse(layout)).play(field)


def estimated(opening: Opening) -> tuple[float, float, float]:
    """The margin to expect, and the chances of a win and a loss, for the side that began."""
    found = ks.estimate_value(after(opening), opening[1], nodes=NODES)
    return -found.margin, found.loss, found.win


def looked_on(position: ks.Position, solver: Solver, draw: random.Random) -> ks.Position:
    """The position that both sides, looking ahead, come to where it can be solved."""
    looked = TranspositionTable(TABLE)
    while position.plies_left > SOLVED and not position.is_over:
        solver.bounds(position)
        values = solver.look_ahead(looked).look(nodes=PLAYED_WITH, every=True)
        position = position.play(position.layout.fields[likely_field(values, draw)])
    return position


def played(opening: Opening) -> list[int]:
    """The margins that games after a first field end with, for the side that began."""
    start, scoring = after(opening), ks.Scoring.parse(opening[1])
    margins = []
    for seed in range(GAMES):
        solver = Solver(start, scoring, 1 << 20)
        position = looked_on(start, solver, random.Random(seed))
        margin = position.margin(scoring) if position.is_over else solved(solver, position)
        margins.append(-margin if position.turn == start.turn else margin)
    return margins


def rows(listed: Iterable[Case]) -> Iterator[Row]:
    """Estimate and play; yield each row as soon as there is one."""
    with ProcessPoolExecutor(WORKERS) as executor:
        for layout, scoring in listed:
            fields = ks.Layout.parse(layout).fields
            openings = [(layout, scoring, field) for field in fields]
            guesses = tqdm(executor.map(estimated, openings), "first fields", len(fields), False)
            margins, wins, losses = zip(*guesses, strict=True)
            order = sorted(range(len(fields)), key=lambda i: (losses[i] - wins[i], fields[i]))
            tried = order[:TRIED] + order[-TRIED:]
            chosen = [openings[i] for i in tried]
            games = list(tqdm(executor.map(played, chosen), "games", len(chosen), False))
            yield {
                "layout": layout,
                "scoring": scoring,
                "margins": " ".join(f"{round(margin, 1) + 0.0:.1f}" for margin in margins),
                "wins": " ".join(f"{100 * win:.0f}" for win in wins),
                "losses": " ".join(f"{100 * loss:.0f}" for loss in losses),
                "tried": " ".join(fields[i] for i in tried),
                "won": " ".join(str(sum(one > 0 for one in some)) for some in games),
                "lost": " ".join(str(sum(one < 0 for one in some)) for some in games),
                "by": " ".join(f"{statistics.mean(some):.1f}" for some in games),
            }


def table() -> list[Row]:
    """The rows of the table."""
    return rows_of(FILE)


def numbers(text: str) -> list[float]:
    """The numbers of a cell."""
    return [float(number) for number in text.split()]


def summary(listed: list[Row]) -> Iterator[str]:
    """Yield the lines of the table that says what first fields are worth."""
    names = {str(layout): name for name, layout in BOARDS.items()}
    yield "| board | scoring | looks best | win, loss | margin | looks worst | win, loss | margin |"
    yield "|---|---|---|---|---:|---|---|---:|"
    for row in listed:
        fields = ks.Layout.parse(row["layout"]).fields
        tried = row["tried"].split()
        cells = [names[row["layout"]], row["scoring"]]
        for field in (tried[0], tried[-1]):
            i = fields.index(field)
            win, loss = row["wins"].split()[i], row["losses"].split()[i]
            cells += [field, f"{win} %, {loss} %", f"{numbers(row['margins'])[i]:+.1f}"]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield f"| board | scoring | {TRIED} best: stated | came | {TRIED} worst: stated | came |"
    yield "|---|---|---|---|---|---|"
    for row in listed:
        fields = ks.Layout.parse(row["layout"]).fields
        places = [fields.index(field) for field in row["tried"].split()]
        cells = [names[row["layout"]], row["scoring"]]
        for group in (slice(None, TRIED), slice(TRIED, None)):
            wins = statistics.mean(numbers(row["wins"])[i] for i in places[group])
            losses = statistics.mean(numbers(row["losses"])[i] for i in places[group])
            margin = statistics.mean(numbers(row["margins"])[i] for i in places[group])
            cells.append(f"{wins:.0f} %, {losses:.0f} %, {margin:+.1f}")
            won, lost = (
                100 * sum(numbers(row[name])[group]) / (TRIED * GAMES) for name in ("won", "lost")
            )
            cells.append(
                f"{won:.0f} %, {lost:.0f} %, {statistics.mean(numbers(row['by'])[group]):+.1f}"
            )
        yield f"| {' | '.join(cells)} |"


def main() -> int:
    """Read the command line; Ctrl-C keeps the rows that are done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--summary", action="store_true", help="print the tables of the page")
    if parser.parse_args().summary:
        print("\n".join(summary(table())))
        return 0
    cases = list(itertools.product(map(str, BOARDS.values()), EVERY_SCORING))
    try:
        write_table(cases, FILE, COLUMNS, rows)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
