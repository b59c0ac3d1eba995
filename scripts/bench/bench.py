#!/usr/bin/env python3
"""Time the search on random 8x8 positions, beside a textbook alpha-beta, or beside another tree.

    python scripts/bench/bench.py                           the whole table
    python scripts/bench/bench.py --free 28,32 --scorings 0   two rows of it
    python scripts/bench/bench.py --late                    positions close to the end
    python scripts/bench/bench.py --beside FOLDER           the search of FOLDER, by turns with this

Each position comes from a random game of 28 marbles each on a random square layout; the same ones
on every machine. What is timed is kulami_solver.solve, from nothing to the value and the best line:
a new table of the default size for each position, its allocation included. Times are those of the
clock on the wall, so what else runs on the machine shows; the load is printed with them.

The textbook is kulami.textbook: plain alpha-beta with a full window, a table keyed by
the whole position, the table's move first and then the moves that leave the fewest replies. Its
table is there before its clock starts. It solves the first positions of each row, each with at most
--textbook nodes and all together in a minute. Ratios are its sums over those of the search on the
same positions; where it had to give up on one, the ratio is a lower bound, marked with >=. Nodes
are positions whose moves were looked at: ended games do not count on either side.

--late times what is solved in less than a millisecond: each position is solved five times, and the
fastest counts, since what else runs on the machine makes the others slower. The first time on a
layout comes in a column of its own, as the layout's tables are made then.

--beside solves each position with this package and with the one in FOLDER (a compiled tree, or a
folder like site-packages), each in a process of its own, five times by turns; the least processor
time of each counts. So a busy machine favours neither. The table has the ratios of FOLDER's sums to
those of this package, and the median of the positions' ratios.

A value on which two of them differ ends the script with exit code 1.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from random_play import positions
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.core.memory import parse_memory
from kulami_solver.kulami.textbook import Textbook

ROOT: Final = Path(__file__).resolve().parents[2]
#: Free fields that stay free to the end when the marbles run out: there is nothing to solve below.
LEAST_FREE: Final = 9
#: The rows of the table when nothing else is asked for.
TABLE: Final = [
    *((free, "0") for free in (20, 24, 28, 30, 32)),
    *((28, scoring) for scoring in ("1", "2", "chains")),
]
LATE: Final = (10, 16, 20, 24)  # free fields
REPEATS: Final = 5
BOOK_MEMORY: Final = parse_memory("256M")
BOOK_SECONDS: Final = 60  # for a row

HEADER: Final = (
    f"{'free':>4} {'scoring':>7} {'positions':>9} {'mean s':>9} {'median s':>9} {'worst s':>9} "
    f"{'mean nodes':>12} {'M nodes/s':>9}   {'textbook: on':>12} {'nodes':>10} {'time':>10}"
)
LATE_HEADER: Final = (
    f"{'free':>4} {'scoring':>7} {'positions':>9} {'median ms':>9} {'cpu ms':>9} {'worst ms':>9} "
    f"{'first ms':>9} {'nodes':>7}"
)
BESIDE_HEADER: Final = (
    f"{'free':>4} {'scoring':>7} {'positions':>9} {'seconds':>9} {'beside':>9} {'ratio':>7} "
    f"{'median':>7} {'nodes':>14} {'ratio':>7}"
)

#: What a process does that --beside starts in the folder of a package.
SERVED: Final = """
import json, sys, time
import kulami_solver as ks
for line in sys.stdin:
    kfn, scoring = json.loads(line)
    position, scoring = ks.Position.from_kfn(kfn), ks.Scoring.parse(scoring)
    begun = time.process_time()
    found = ks.solve(position, scoring)
    print(json.dumps([time.process_time() - begun, found.nodes, found.margin]), flush=True)
"""


def load() -> str:
    """How busy the machine is, in words."""
    busy = f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"
    return f"load {busy} on {os.cpu_count()} processors"


def chosen(free: int, count: int) -> Iterator[ks.Position]:
    """So many positions, with a progress bar where they take long."""
    return iter(tqdm(itertools.islice(positions(free), count), total=count, leave=False, delay=2))


def measure(free: int, scoring: ks.Scoring, args: argparse.Namespace) -> str:
    """A line of the table."""
    solved = []
    for position in chosen(free, args.count or 20):
        begun = time.perf_counter()
        solution = ks.solve(position, scoring, args.goal, threads=args.threads)
        solved.append((solution, time.perf_counter() - begun))
    seconds = [taken for _, taken in solved]
    nodes = sum(solution.nodes for solution, _ in solved)
    return (
        f"{len(solved):>9} {statistics.fmean(seconds):>9.4f} {statistics.median(seconds):>9.4f} "
        f"{max(seconds):>9.4f} {nodes / len(solved):>12,.0f} {nodes / sum(seconds) / 1e6:>9.3f}   "
        f"{by_the_book(solved, scoring, args.textbook)}"
    )


def by_the_book(solved: Sequence[tuple[ks.Solution, float]], scoring: ks.Scoring, most: int) -> str:
    """How much more the textbook takes; SystemExit if it finds another value."""
    deadline = time.monotonic() + BOOK_SECONDS
    count, nodes, seconds, bound = 0, 0, 0.0, ""
    for solution, _ in solved if most else ():
        left = deadline - time.monotonic()
        if left <= 0:
            break
        position = solution.position
        geometry = position.layout.geometry
        book = Textbook(geometry, BOOK_MEMORY, scoring.area, scoring.chains)
        begun = time.perf_counter()
        margin = book.margin(*position.view, position.supply, node_limit=most, time_limit=left)
        seconds += time.perf_counter() - begun
        nodes += book.nodes
        count += 1
        if margin is None:
            bound = ">="
        elif not solution.lower <= margin <= solution.upper:
            raise SystemExit(f"the textbook has {margin}: {solution.to_json()}")
    if not count:
        return f"{'-':>12} {'-':>10} {'-':>10}"
    ratios = (
        nodes / sum(solution.nodes for solution, _ in solved[:count]),
        seconds / sum(taken for _, taken in solved[:count]),
    )
    return f"{count:>12} " + " ".join(f"{f'{bound}{ratio:.3g}x':>10}" for ratio in ratios)


def measure_late(free: int, scoring: ks.Scoring, args: argparse.Namespace) -> str:
    """A line of the table of late positions."""
    least, first, nodes = [], [], []
    for position in chosen(free, args.count or 200):
        times = []
        for _ in range(REPEATS + 1):
            begun, worked = time.perf_counter(), time.process_time()
            solution = ks.solve(position, scoring)
            times.append((time.perf_counter() - begun, time.process_time() - worked))
        first.append(times[0][0])
        least.append([min(some) for some in zip(*times[1:], strict=True)])
        nodes.append(solution.nodes)
    wall, processor = zip(*least, strict=True)
    shown = map(statistics.median, (wall, processor))
    numbers = [*shown, max(wall), statistics.median(first)]
    text = " ".join(f"{1e3 * number:>9.3f}" for number in numbers)
    return f"{len(nodes):>9} {text} {statistics.median(nodes):>7.0f}"


class Beside:
    """This package and another one, each in a process that solves what it is told."""

    def __init__(self, folder: Path) -> None:
        self._processes = [
            subprocess.Popen(
                [sys.executable, "-c", SERVED],
                cwd=place,  # whose package is taken first
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for place in (ROOT, folder)
        ]

    def _ask(self, which: int, kfn: str, scoring: ks.Scoring) -> list[Any]:
        """Seconds, nodes and margin."""
        process = self._processes[which]
        assert process.stdin is not None
        assert process.stdout is not None
        print(json.dumps([kfn, scoring.value]), file=process.stdin, flush=True)
        found: list[Any] = json.loads(process.stdout.readline() or "[]")
        if not found:
            raise SystemExit(f"the process of {'FOLDER' if which else ROOT} has ended; see above")
        return found

    def measure(self, free: int, scoring: ks.Scoring, args: argparse.Namespace) -> str:
        """A line of the table."""
        times, nodes = [], [0, 0]
        for position in chosen(free, args.count or 10):
            kfn = position.kfn()
            least = [float("inf")] * 2
            for turn in range(REPEATS):
                order = (0, 1) if turn % 2 else (1, 0)
                found = {which: self._ask(which, kfn, scoring) for which in order}
                if found[0][2] != found[1][2]:
                    raise SystemExit(f"{kfn}, scoring {scoring.value}: {found}")
                least = [min(least[which], found[which][0]) for which in (0, 1)]
            times.append(least)
            nodes = [nodes[which] + found[which][1] for which in (0, 1)]
        here, there = (sum(some) for some in zip(*times, strict=True))
        median = statistics.median(other / own for own, other in times)
        return (
            f"{len(times):>9} {here:>9.3f} {there:>9.3f} {there / here:>7.3f} {median:>7.3f} "
            f"{nodes[0]:>14,} {nodes[1] / nodes[0]:>7.3f}"
        )


def main() -> int:
    """Measure and print; 130 if Ctrl-C ended it after some rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--free", metavar="N,N", help="free fields of the rows")
    parser.add_argument("--scorings", metavar="S,S", help="0, 1, 2 or chains, for each of --free")
    parser.add_argument("--count", type=int, metavar="N", help="positions of a row (20, 200, 10)")
    parser.add_argument("--late", action="store_true", help="time late positions")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another package, by turns")
    parser.add_argument("--goal", choices=["margin", "outcome"], default="margin")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of the search (1)")
    parser.add_argument(
        "--textbook",
        type=int,
        default=10_000_000,
        metavar="NODES",
        help="the textbook's limit for a position (10000000); 0: leave it out",
    )
    args = parser.parse_args()
    rows = [(free, "0") for free in LATE] if args.late else TABLE
    if args.free or args.scorings:
        free = [int(word) for word in args.free.split(",")] if args.free else [28]
        rows = [(one, name) for name in (args.scorings or "0").split(",") for one in free]
    if not all(one >= LEAST_FREE for one, _ in rows):
        parser.error(f"--free {args.free}: give {LEAST_FREE} or more")
    line, header = (measure_late, LATE_HEADER) if args.late else (measure, HEADER)
    if args.beside:
        line, header = Beside(args.beside).measure, BESIDE_HEADER
    print(f"random 8x8 positions, goal {args.goal}, threads {args.threads}; {load()}\n{header}")
    try:
        for one, name in rows:
            told = line(one, ks.Scoring.parse(name), args)
            print(f"{one:>4} {name:>7} {told}", flush=True)
    except KeyboardInterrupt:
        return 130
    print(f"{load()} at the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
