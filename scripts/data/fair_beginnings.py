"""Print the tables of fair beginnings in docs/explanation/findings.md.

    python scripts/data/fair_beginnings.py              two minutes
    python scripts/data/fair_beginnings.py --openings 20

By the pie rule one player chooses the first field, and the other one takes the side. So the first
player chooses the field whose value is nearest to 0. On boards of 5x5 all these values are known
(`build_first_fields.py`); on 8x8 they are estimates (`build_openings.py`). The last table solves
openings of six random marbles on boards of 5x6, as the first boards of `build_larger_boards.py`.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Final

import build_first_fields
import build_larger_boards
import build_openings
from build_small_boards import EVERY_SCORING, rows_of

import kulami_solver as ks

MARBLES: Final = 6  # of an opening
BOARDS: Final = 20  # of 5x6
EVEN: Final = 10  # percent by which a side may be the likelier winner of an even beginning


def pie() -> Iterator[str]:
    """What is left of the first player's advantage on boards of 5x5."""
    rows = build_first_fields.table()
    yield "| scoring | best field | fairest field | boards with 0 | 1 | 2 or more | worth 0 |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for scoring in EVERY_SCORING:
        boards = [
            list(map(int, row["first_fields"].split())) for row in rows if row["scoring"] == scoring
        ]
        fairest = [min(map(abs, fields)) for fields in boards]
        share = statistics.mean(fields.count(0) / len(fields) for fields in boards)
        yield (
            f"| {scoring} | {statistics.mean(map(max, boards)):.2f} | "
            f"{statistics.mean(fairest):.2f} | {fairest.count(0)} | {fairest.count(1)} | "
            f"{sum(value > 1 for value in fairest)} | {100 * share:.0f} % |"
        )


def fairest_fields() -> Iterator[str]:
    """The first fields of 8x8 boards after which both sides are likely to win about as often."""
    yield "| board | scoring | looks fairest | win, loss | margin | even fields of 64 |"
    yield "|---|---|---|---|---:|---:|"
    names = {str(layout): name for name, layout in build_openings.BOARDS.items()}
    for row in rows_of(build_openings.FILE):
        layout = ks.Layout.parse(row["layout"])
        columns = (map(float, row[key].split()) for key in ("wins", "losses", "margins"))
        fields = list(zip(layout.fields, *columns, strict=True))
        field, win, loss, margin = min(fields, key=lambda one: abs(one[1] - one[2]))
        even = sum(abs(win - loss) <= EVEN for _, win, loss, _ in fields)
        yield (
            f"| {names[row['layout']]} | {row['scoring']} | {field} | {win:.0f} %, {loss:.0f} % | "
            f"{margin:+.1f} | {even} |"
        )


def opening(layout: ks.Layout, draw: random.Random) -> ks.Position:
    """The position after random marbles, which no game ends before."""
    position = ks.Position(layout)
    for _ in range(MARBLES):
        fields = position.legal_fields
        position = position.play(fields[int(draw.random() * len(fields))])
    return position


def openings(count: int) -> Iterator[str]:
    """What openings of random marbles are worth on boards of 5x6, for the side to move."""
    draw = random.Random(MARBLES)
    layouts = build_larger_boards.drawn_layouts(5, 6, BOARDS)
    begun = [opening(ks.Layout.parse(one), draw) for one in layouts for _ in range(count)]
    yield "| scoring | lost | draw | won | by 1 or less | points won or lost |"
    yield "|---|---:|---:|---:|---:|---:|"
    for scoring in EVERY_SCORING:
        values = [solution.lower for solution in ks.solve_many(begun, scoring)]  # all are exact
        sides = Counter((value > 0) - (value < 0) for value in values)
        parts = [sides[-1], sides[0], sides[1], sum(abs(value) <= 1 for value in values)]
        shares = " | ".join(f"{100 * part / len(values):.0f} %" for part in parts)
        mean = statistics.mean(map(abs, values))
        yield f"| {scoring} | {shares} | {mean:.1f} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--openings", metavar="N", type=int, default=50, help="of each board (50)")
    args = parser.parse_args()
    for lines in (pie(), fairest_fields(), openings(args.openings)):
        print(*lines, "", sep="\n")


if __name__ == "__main__":
    main()
