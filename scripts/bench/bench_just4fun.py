"""Time Just 4 Fun: double-dummy beside a textbook alpha-beta, expected scores, and hand odds.

    python scripts/bench/bench.py --game just4fun                   everything
    python scripts/bench/bench.py --game just4fun --count 5         five positions of each row
    python scripts/bench/bench.py --game just4fun --textbook 0      without the textbook
    python scripts/bench/bench.py --game just4fun --rows 5,7        two rows of it

Positions come from random games on the printed board with the real deck, when both players have so
many stones left; the same ones on every machine. "3x3" are deals on 1,2,3/4,5,6/7,8,9 with 5 stones
each, hands of 3 and lines of 3, from the real deck, and "3x3 low" from its cards up to 9. What is
timed is kulami_solver.just4fun.solve, from nothing to the outcome and the line to the end, or
.expect, on one thread. Times are those of the clock on the wall.

The textbook is kulami_solver.just4fun.textbook: plain alpha-beta with a table of 2^20 entries. It
solves the first positions of each row, as long as it takes at most --textbook nodes for each; the
ratio of nodes is its sum over that of the search on the same positions, and marked with >= if it
had to give up on one.

Beside expected scores stands how many positions are looked at without pruning, as a ratio. A value
on which two of them differ ends the script with exit code 1.
"""

from __future__ import annotations

import platform
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

from benching import at_least, load, parser_of, write
from random_just4fun import late_positions

import kulami_solver as ks
from kulami_solver.just4fun import DECK, Board, Position, deal, expect, hand_odds, solve
from kulami_solver.just4fun.solving import compiled_rules, compiled_view
from kulami_solver.just4fun.textbook import Textbook

OUTCOMES = {-1: "loss", 0: "draw", 1: "win"}

# Stones left of each, and how many positions when nothing else is asked for.
DOUBLE_DUMMY = {3: 100, 4: 100, 5: 100, 6: 40, 7: 20, 8: 10}
EXPECTED = {1: 100, 2: 40}
DEALS = 50
BOOK_POSITIONS = 10
BOOK_ENTRIES = 1 << 20
ODDS_REPEATS = 5


def deals(highest: int) -> Iterator[Position]:
    """Deals on the board of 3x3, of the cards of the deck up to the highest."""
    cards = [card for card in DECK if card <= highest]
    for seed in count(1):
        yield deal(Board.parse("3x3"), seed, stones=5, line=3, hand=3, cards=cards)


def by_the_book(position: Position, limit: int) -> tuple[str | None, int]:
    """The textbook's outcome, None if it gave up, and its nodes."""
    stock = bytes(position.stock)
    book = Textbook(compiled_rules(position), BOOK_ENTRIES, stock, position.hand)
    value = book.value(compiled_view(position), limit)
    return None if value is None else OUTCOMES[value], book.nodes


def times(seconds: Sequence[float]) -> str:
    """Mean, median and worst."""
    found = statistics.fmean(seconds), statistics.median(seconds), max(seconds)
    return " ".join(f"{number:>9.4f}" for number in found)


def double_dummy(name: str, positions: Sequence[Position], limit: int) -> dict[str, Any]:
    """Solve a row of positions, print its line, and return it."""
    solved = [solve(position) for position in positions]
    nodes = [solution.nodes for solution in solved]
    record: dict[str, Any] = {
        "row": name,
        "solved": [solution.to_json() for solution in solved],
        "textbook": [],
    }
    finished = True
    for solution in solved[: BOOK_POSITIONS if limit else 0]:
        outcome, took = by_the_book(solution.position, limit)
        record["textbook"].append(took)
        if outcome not in (None, solution.outcome):
            raise SystemExit(f"the textbook has {outcome}: {solution.to_json()}")
        if outcome is None:
            finished = False
            break
    compared = len(record["textbook"])
    beside = "-"
    if compared:
        ratio = sum(record["textbook"]) / max(1, sum(nodes[:compared]))
        beside = f"{'' if finished else '>='}{ratio:.3g}x"
    seconds = [solution.seconds for solution in solved]
    print(
        f"{name:>8} {len(solved):>9} {times(seconds)} {statistics.fmean(nodes):>12,.0f} "
        f"{max(nodes):>12,} {compared:>9} {beside:>8}",
        flush=True,
    )
    return record


def expected(name: str, positions: Sequence[Position]) -> dict[str, Any]:
    """Find the expected scores of a row of positions, print its line, and return it."""
    found = [expect(position) for position in positions]
    full = [expect(position, pruning=False) for position in positions]
    for one, other in zip(found, full, strict=True):
        if (one.lower, one.upper) != (other.lower, other.upper):
            raise SystemExit(f"without pruning {other.to_json()}, with it {one.to_json()}")
    nodes = sum(one.nodes for one in found)
    saved = sum(one.nodes for one in full) / nodes
    print(
        f"{name:>8} {len(found):>9} {times([one.seconds for one in found])} "
        f"{nodes / len(found):>12,.0f} {sum(one.expected is not None for one in found):>9} "
        f"{saved:>8.3g}x",
        flush=True,
    )
    return {"row": name, "found": [one.to_json() for one in found], "without_pruning": saved}


def odds_seconds() -> float:
    """The fastest of some counts of the whole table of hand odds."""
    fastest = float("inf")
    for _ in range(ODDS_REPEATS):
        begun = time.perf_counter()
        hand_odds()
        fastest = min(fastest, time.perf_counter() - begun)
    return fastest


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 130 if Ctrl-C ended it after some rows."""
    parser = parser_of(__doc__, prog="bench.py --game just4fun")
    parser.add_argument(
        "--rows",
        type=lambda text: text.split(","),
        metavar="ROW,ROW",
        help="only these: 3x3, or how many stones are left (all)",
    )
    parser.add_argument("--count", type=at_least(1), metavar="N", help="positions of a row")
    parser.add_argument(
        "--textbook",
        type=at_least(0),
        default=5_000_000,
        metavar="NODES",
        help="the most that the textbook takes for a position (5000000); 0: leave it out",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all positions there")
    options = parser.parse_args(arguments)

    def wanted(row: object) -> bool:
        return options.rows is None or str(row) in options.rows

    report: dict[str, Any] = {
        "version": ks.__version__, "python": platform.python_version(), "load_before": load(),
        "rows": [],
    }  # fmt: skip
    print(f"Just 4 Fun, one thread; {load()}\n\ndouble-dummy")
    print(
        f"{'left':>8} {'positions':>9} {'mean s':>9} {'median s':>9} {'worst s':>9} "
        f"{'mean nodes':>12} {'worst nodes':>12} {'textbook':>9} {'nodes':>8}"
    )
    try:
        rows = report["rows"]
        boards = (("3x3", max(DECK)), ("3x3 low", 9)) if wanted("3x3") else ()
        for name, highest in boards:
            start = list(islice(deals(highest), options.count or DEALS))
            rows.append(double_dummy(name, start, options.textbook))
        for left, number in ((left, n) for left, n in DOUBLE_DUMMY.items() if wanted(left)):
            late = list(islice(late_positions(left, ordered=True), options.count or number))
            rows.append(double_dummy(f"{left} each", late, options.textbook))
        print(
            f"\nexpected scores\n{'left':>8} {'positions':>9} {'mean s':>9} {'median s':>9} "
            f"{'worst s':>9} {'mean nodes':>12} {'exact':>9} {'unpruned':>9}"
        )
        for left, number in ((left, n) for left, n in EXPECTED.items() if wanted(left)):
            late = list(islice(late_positions(left, ordered=False), options.count or number))
            rows.append(expected(f"{left} each", late))
        hands, seconds = hand_odds().hands, odds_seconds()
        report["odds"] = {"hands": hands, "seconds": seconds}
        print(f"\nhand odds: {hands:,} hands in {seconds:.4f} s\n{load()} at the end")
    except KeyboardInterrupt:
        print("interrupted: rows that are not printed were not finished", file=sys.stderr)
        return 130
    if options.json is not None:
        write(options.json, report)
    return 0
