#!/usr/bin/env python3
"""Time the search on random 8x8 positions, beside a textbook alpha-beta.

    python scripts/bench/bench.py                           the whole table
    python scripts/bench/bench.py --free 28,32 --scorings 0   two rows of it
    python scripts/bench/bench.py --textbook 0 --json out.json
    python scripts/bench/bench.py --late                    positions close to the end
    python scripts/bench/bench.py --batch --labels          what learners need: steps, labels
    python scripts/bench/bench.py --game just4fun           another game; --help after it tells more

Each position comes from a random game of 28 marbles each on a random square layout; the same ones
on every machine. What is timed is kulami_solver.solve, from nothing to the value and the best line:
a new table of the default size for each position, its allocation included. Times are those of the
clock on the wall, so what else runs on the machine shows; the load is printed with them.

The textbook is kulami.solve.textbook: plain alpha-beta with a full window, a table keyed by
the whole position, the table's move first and then the moves that leave the fewest replies. Its
table is there before its clock starts. It solves the first positions of each row, each with at most
--textbook nodes and all together in --textbook-time seconds. Ratios are its sums over those of the
search on the same positions; where it had to give up on one, the ratio is a lower bound, marked
with >=. Nodes are positions whose moves were looked at: ended games do not count on either side.

A value on which the two differ ends the script with exit code 1.

--late times what is solved in less than a millisecond, from Python and in this process: --count
positions (200) with 10, 16, 20 and 24 free fields. Each is solved five times, the fastest counts:
what else runs on the machine makes the others slower. The first time on a layout comes in a column
of its own, since the layout's tables are made then. The shares say where the time goes: setting up
the search, the value, the line, and the rest, which is mostly Python. After that solve_many solves
--many such positions (10000) on 50 layouts, as many of each kind, on two threads and on two
processes. Times are those of the clock on the wall; processor time, of all threads and processes,
is printed beside them, as on a machine that is busy with other things it is the one that counts.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import platform
import statistics
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benching import at_least, load, parser_of, write
from random_play import positions, random_position
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.core.memory import default_table_size, parse_memory
from kulami_solver.kulami.solve.solution import Goal
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.kulami.solve.textbook import Textbook

# Fields that stay free to the end when the marbles run out: there is nothing to solve below.
LEAST_FREE = 9
MOST_FREE = 64

# (free fields, scoring) of the table that is made when nothing else is asked for.
TABLE = [(free, ks.Scoring.LEVEL0) for free in (20, 24, 28, 30, 32)] + [
    (28, scoring) for scoring in (ks.Scoring.LEVEL1, ks.Scoring.LEVEL2, ks.Scoring.CHAINS)
]

# Free fields of late positions, and how solve_many is set to them.
LATE = (10, 16, 20, 24)
REPEATS = 5
WORKERS = 2
LAYOUTS = 50

LATE_HEADER = (
    f"{'free':>4} {'scoring':>7} {'positions':>9} {'median ms':>9} {'cpu ms':>9} {'worst ms':>9} "
    f"{'first ms':>9} {'nodes':>7}   {'set up':>6} {'value':>6} {'line':>6} {'rest':>6}"
)

HEADER = (
    f"{'free':>4} {'scoring':>7} {'positions':>9} {'mean s':>9} {'median s':>9} {'worst s':>9} "
    f"{'mean nodes':>12} {'M nodes/s':>9}   {'textbook: on':>12} {'nodes':>10} {'time':>10}"
)


@dataclass
class Solved:
    """One position, solved by the search and perhaps by the textbook."""

    position: ks.Position
    lower: int
    upper: int
    seconds: float
    nodes: int
    textbook: Effort | None = None


@dataclass
class Effort:
    """What the textbook took for a position; not `finished` if a limit ended it."""

    seconds: float
    nodes: int
    finished: bool


@dataclass
class Row:
    """One line of the table."""

    free: int
    scoring: ks.Scoring
    goal: Goal
    solved: list[Solved] = field(default_factory=list)

    def compared(self) -> list[tuple[Solved, Effort]]:
        """The positions that the textbook was set to."""
        return [(one, one.textbook) for one in self.solved if one.textbook is not None]

    def ratios(self) -> tuple[float, float] | None:
        """Nodes and time of the textbook over those of the search, None without a textbook."""
        compared = self.compared()
        nodes = sum(one.nodes for one, _ in compared)
        if not nodes:
            return None
        return (
            sum(textbook.nodes for _, textbook in compared) / nodes,
            sum(textbook.seconds for _, textbook in compared)
            / sum(one.seconds for one, _ in compared),
        )

    def finished(self) -> bool:
        """Whether the textbook solved all that it was set to."""
        return all(textbook.finished for _, textbook in self.compared())

    def line(self) -> str:
        """The row as text, below HEADER."""
        seconds = [one.seconds for one in self.solved]
        nodes = sum(one.nodes for one in self.solved)
        ratios = self.ratios()
        beside = f"{'-':>12} {'-':>10} {'-':>10}"
        if ratios is not None:
            bound = "" if self.finished() else ">="
            nodes_ratio, time_ratio = (f"{bound}{ratio:.3g}x" for ratio in ratios)
            beside = f"{len(self.compared()):>12} {nodes_ratio:>10} {time_ratio:>10}"
        return (
            f"{self.free:>4} {self.scoring.value:>7} {len(self.solved):>9} "
            f"{statistics.fmean(seconds):>9.4f} {statistics.median(seconds):>9.4f} "
            f"{max(seconds):>9.4f} {nodes / len(self.solved):>12,.0f} "
            f"{nodes / sum(seconds) / 1e6:>9.3f}   {beside}"
        )

    def to_json(self) -> dict[str, Any]:
        """The row with all its positions."""
        seconds = [one.seconds for one in self.solved]
        nodes = [one.nodes for one in self.solved]
        ratios = self.ratios()
        return {
            "free": self.free,
            "scoring": self.scoring.value,
            "goal": self.goal,
            "positions": len(self.solved),
            "seconds": {
                "mean": statistics.fmean(seconds),
                "median": statistics.median(seconds),
                "worst": max(seconds),
            },
            "nodes": {
                "mean": statistics.fmean(nodes),
                "median": statistics.median(nodes),
                "worst": max(nodes),
            },
            "nodes_per_second": sum(nodes) / sum(seconds),
            "textbook": None
            if ratios is None
            else {
                "positions": len(self.compared()),
                "lower_bound": not self.finished(),
                "nodes_ratio": ratios[0],
                "time_ratio": ratios[1],
            },
            "solved": [_record(one) for one in self.solved],
        }


def _record(one: Solved) -> dict[str, Any]:
    record: dict[str, Any] = {
        "kfn": one.position.kfn(),
        "lower": one.lower,
        "upper": one.upper,
        "seconds": round(one.seconds, 6),
        "nodes": one.nodes,
    }
    if one.textbook is not None:
        record["textbook"] = {
            "finished": one.textbook.finished,
            "seconds": round(one.textbook.seconds, 6),
            "nodes": one.textbook.nodes,
        }
    return record


class Bench:
    """The measurements that the options ask for."""

    def __init__(self, options: argparse.Namespace, bar: tqdm[Any]) -> None:
        self.options = options
        self.bar = bar

    def measure(self, row: Row) -> None:
        """Fill in a row."""
        self.bar.set_description(f"{row.free} free, scoring {row.scoring.value}")
        chosen = list(itertools.islice(positions(row.free), self.options.count))
        for position in chosen:
            row.solved.append(self.solve(position, row))
            self.bar.update()
        deadline = time.monotonic() + self.options.textbook_time
        for one in row.solved:
            left = deadline - time.monotonic()
            if self.options.textbook > 0 and left > 0:
                one.textbook = self.solve_by_the_book(one, row, left)
            self.bar.update()

    def solve(self, position: ks.Position, row: Row) -> Solved:
        """Solve a position with the search."""
        begun = time.perf_counter()
        solution = ks.solve(
            position,
            row.scoring,
            row.goal,
            threads=self.options.threads,
            memory=self.options.memory,
        )
        seconds = time.perf_counter() - begun
        return Solved(position, solution.lower, solution.upper, seconds, solution.nodes)

    def solve_by_the_book(self, one: Solved, row: Row, time_limit: float) -> Effort:
        """Solve it with the textbook; SystemExit if that gives another value."""
        position = one.position
        textbook = Textbook(
            position.layout.geometry,
            parse_memory(self.options.textbook_memory),
            row.scoring.area,
            row.scoring.chains,
        )
        begun = time.perf_counter()
        margin = textbook.margin(
            *position.view,
            position.supply,
            node_limit=self.options.textbook,
            time_limit=time_limit,
        )
        seconds = time.perf_counter() - begun
        if margin is not None and not one.lower <= margin <= one.upper:
            raise SystemExit(
                f"scoring {row.scoring.value}, {position.kfn()}: the search says "
                f"{one.lower:+d} to {one.upper:+d}, the textbook {margin:+d}"
            )
        return Effort(seconds, textbook.nodes, margin is not None)


@dataclass
class LateRow:
    """Late positions of one kind: milliseconds of each, and the medians of their parts."""

    free: int
    scoring: ks.Scoring
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=dict)

    def add(self, position: ks.Position) -> None:
        """Solve a position, as a whole and in parts."""
        times = []
        for _ in range(REPEATS + 1):
            begun, worked = time.perf_counter(), time.process_time()
            solution = ks.solve(position, self.scoring)
            times.append((time.perf_counter() - begun, time.process_time() - worked))
        self.first.append(1e3 * times[0][0])
        self.wall.append(1e3 * min(wall for wall, _ in times[1:]))
        self.processor.append(1e3 * min(processor for _, processor in times[1:]))
        self.nodes.append(solution.nodes)
        parts = [self._parts(position) for _ in range(REPEATS)]
        for name in parts[0]:
            part = 1e3 * min(times[name] for times in parts)
            self.parts.setdefault(name, []).append(part)

    def _parts(self, position: ks.Position) -> dict[str, float]:
        times = [time.perf_counter()]
        plies = position.plies_left
        solver = Solver(position, self.scoring, default_table_size(plies))
        bounds = solver.bounds(position)
        times.append(time.perf_counter())
        solver.narrow(position, bounds)
        times.append(time.perf_counter())
        solver.line(position, bounds)
        times.append(time.perf_counter())
        lengths = [after - before for before, after in itertools.pairwise(times)]
        return dict(zip(("set up", "value", "line"), lengths, strict=True))

    def shares(self) -> dict[str, float]:
        """The share of each part in the time that all positions take together."""
        whole = sum(self.wall)
        shares = {name: sum(times) / whole for name, times in self.parts.items()}
        shares["rest"] = max(0.0, 1 - sum(shares.values()))
        return shares

    def line(self) -> str:
        """The row as text, below LATE_HEADER."""
        medians = [statistics.median(times) for times in (self.wall, self.processor)]
        shares = " ".join(f"{share:>6.0%}" for share in self.shares().values())
        return (
            f"{self.free:>4} {self.scoring.value:>7} {len(self.wall):>9} {medians[0]:>9.3f} "
            f"{medians[1]:>9.3f} {max(self.wall):>9.3f} {statistics.median(self.first):>9.3f} "
            f"{statistics.median(self.nodes):>7.0f}   {shares}"
        )

    def to_json(self) -> dict[str, Any]:
        """The row as it is printed, and all its times in milliseconds."""
        return {
            "free": self.free,
            "scoring": self.scoring.value,
            "median": statistics.median(self.wall),
            "median_processor": statistics.median(self.processor),
            "median_first": statistics.median(self.first),
            "shares": self.shares(),
            "wall": self.wall,
            "processor": self.processor,
            "first": self.first,
            "nodes": self.nodes,
        }


def late_positions(many: int, free: list[int]) -> list[ks.Position]:
    """So many late positions of each kind in turn, on LAYOUTS layouts."""
    layouts = [ks.Layout.random(seed) for seed in range(1, LAYOUTS + 1)]
    found: list[ks.Position] = []
    for seed in itertools.count(1):
        if len(found) == many:
            break
        kind = free[len(found) % len(free)]
        position = random_position(layouts[seed % LAYOUTS], kind, seed)
        if position is not None:
            found.append(position)
    return found


def processor_time() -> float:
    """Seconds that processors have worked for this process and those it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def solve_late(
    positions: list[ks.Position], scoring: ks.Scoring, kind: str
) -> dict[str, float | str]:
    """Set solve_many to the positions with WORKERS threads or processes."""
    worked = processor_time()
    with contextlib.ExitStack() as stack:
        executor: Executor = ThreadPoolExecutor(WORKERS)
        if kind == "processes":
            executor = ProcessPoolExecutor(WORKERS)
        stack.enter_context(executor)
        # The processes start before the clock does.
        for done in [executor.submit(time.sleep, 0.2) for _ in range(WORKERS)]:
            done.result()
        begun = time.perf_counter()
        for solution in ks.solve_many(positions, scoring, executor=executor):
            assert solution.exact
        seconds = time.perf_counter() - begun
    worked = processor_time() - worked
    return {
        "workers": kind,
        "per_second": len(positions) / seconds,
        "processor_ms": 1e3 * worked / len(positions),
    }


def measure_late(options: argparse.Namespace, report: dict[str, Any]) -> None:
    """Measure and print what --late asks for; put it into the report."""
    free = options.free or list(LATE)
    scorings = options.scorings or [ks.Scoring.LEVEL0]
    print(f"late positions, the fastest of {REPEATS} times; {load()}")
    print(LATE_HEADER)
    for scoring in scorings:
        for kind in free:
            row = LateRow(kind, scoring)
            for position in itertools.islice(positions(kind), options.count or 200):
                row.add(position)
            print(row.line(), flush=True)
            report["rows"].append(row.to_json())
    chosen = late_positions(options.many, free)
    for scoring in scorings:
        for workers in ("threads", "processes"):
            rate = solve_late(chosen, scoring, workers)
            print(
                f"solve_many, scoring {scoring.value}, {len(chosen)} positions, {WORKERS} "
                f"{workers}: {rate['per_second']:.0f} a second, "
                f"{rate['processor_ms']:.3f} ms of processor time each",
                flush=True,
            )
            report.setdefault("solve_many", []).append({"scoring": scoring.value, **rate})


def numbers(text: str) -> list[int]:
    """Free fields, as --free takes them."""
    try:
        values = [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: give numbers like 20,24,28") from None
    for value in values:
        if not LEAST_FREE <= value <= MOST_FREE:
            raise argparse.ArgumentTypeError(
                f"{value} free fields: give {LEAST_FREE} to {MOST_FREE}"
            )
    return values


def scorings(text: str) -> list[ks.Scoring]:
    """Scorings, as --scorings takes them."""
    try:
        return [ks.Scoring.parse(word) for word in text.split(",")]
    except ks.NotationError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = parser_of(__doc__)
    options.add_argument(
        "--game", choices=["kulami", "just4fun"], default="kulami", help="what is timed (kulami)"
    )
    options.add_argument("--free", type=numbers, metavar="N,N", help="free fields of the rows")
    options.add_argument(
        "--scorings", type=scorings, metavar="S,S", help="0, 1, 2 or chains, for each of --free"
    )
    options.add_argument(
        "--count", type=at_least(1), metavar="N", help="positions of a row (20; --late: 200)"
    )
    options.add_argument(
        "--late", action="store_true", help="time late positions, one by one and by solve_many"
    )
    options.add_argument("--batch", action="store_true", help="time games that are stepped at once")
    options.add_argument(
        "--labels", action="store_true", help="time the labelling of positions (--free, --scorings)"
    )
    options.add_argument(
        "--many",
        type=at_least(1),
        default=10_000,
        metavar="N",
        help="late positions for solve_many (10000)",
    )
    options.add_argument("--goal", choices=["margin", "outcome"], default="margin")
    options.add_argument(
        "--threads", type=at_least(1), default=1, metavar="N", help="of the search (1)"
    )
    options.add_argument("--memory", metavar="SIZE", help="of its table; by default, its default")
    options.add_argument(
        "--textbook",
        type=at_least(0),
        default=10_000_000,
        metavar="NODES",
        help="the textbook's limit for a position (10000000); 0: leave it out",
    )
    options.add_argument(
        "--textbook-time",
        type=at_least(1),
        default=60,
        metavar="SECONDS",
        help="its limit for a row (60)",
    )
    options.add_argument(
        "--textbook-memory", default="256M", metavar="SIZE", help="of its table (256M)"
    )
    options.add_argument("--json", type=Path, metavar="FILE", help="write all there is to know")
    return options


def wanted(options: argparse.Namespace) -> list[Row]:
    """The empty rows that the options ask for."""
    cells = TABLE
    if options.free or options.scorings:
        cells = [
            (free, scoring)
            for scoring in options.scorings or [ks.Scoring.LEVEL0]
            for free in options.free or [28]
        ]
    return [Row(free, scoring, options.goal) for free, scoring in cells]


def measure_training(options: argparse.Namespace, report: dict[str, Any]) -> None:
    """Do what --batch and --labels ask for."""
    import bench_training

    if options.batch:
        bench_training.measure_batch(report)
    if options.labels:
        bench_training.measure_labels(report, options.scorings, options.free)


def measure_table(options: argparse.Namespace, report: dict[str, Any]) -> None:
    """Measure and print the table; write each row as soon as there is one."""
    rows = wanted(options)
    options.count = options.count or 20
    print(
        f"random 8x8 positions, goal {options.goal}, {options.threads} thread"
        f"{'s' * (options.threads > 1)}, table {options.memory or 'of the default size'}; "
        f"{report['load_before']}"
    )
    print(HEADER)
    with tqdm(total=2 * options.count * len(rows), file=sys.stderr, leave=False) as bar:
        bench = Bench(options, bar)
        for row in rows:
            bench.measure(row)
            bar.clear()
            print(row.line(), flush=True)
            report["rows"].append(row.to_json())
            note(options, report)


def note(options: argparse.Namespace, report: dict[str, Any]) -> None:
    """Write what there is by now, if --json says where."""
    report["load_after"] = load()
    if options.json is not None:
        write(options.json, report)


def main() -> int:
    """Measure, print, write; 130 if Ctrl-C ended it after some rows."""
    game = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    game.add_argument("--game")
    chosen, others = game.parse_known_args()
    if chosen.game == "just4fun":
        import bench_just4fun

        return bench_just4fun.main(others)
    options = parser().parse_args()
    small = measure_training if options.batch or options.labels else measure_table
    measure = measure_late if options.late else small
    report: dict[str, Any] = {
        "version": ks.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "options": {name: str(value) for name, value in vars(options).items() if name != "json"},
        "load_before": load(),
        "rows": [],
    }
    try:
        measure(options, report)
        note(options, report)
    except KeyboardInterrupt:
        print("interrupted: rows that are not printed were not finished", file=sys.stderr)
        return 130
    except ks.KulamiError as error:
        print(f"bench.py: {error}", file=sys.stderr)
        return 2
    print(f"{load()} at the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
