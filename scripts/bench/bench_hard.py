#!/usr/bin/env python3
"""One hard position on two worker processes, beside two threads of one process.

    python scripts/bench/bench_hard.py                         three positions with 38 free fields
    python scripts/bench/bench_hard.py --free 36 --count 6 --scoring 2
    python scripts/bench/bench_hard.py --workers 4             four workers, beside four threads

Positions are those of random_play.py. Threads share a table; workers are processes that share
nothing, and the tree is searched here (kulami_solver.cluster.solve_position). *Processor* is
the time of all of them together, with this process's own share, *tree*, in it; on a machine with
nothing else to do, and as many cores as workers, the time on the clock is that divided by their
number, or a little more. *Clock* is the time on the wall, which feels what else is running; the
load is printed. A value on which the two differ ends the script with exit code 1.

--stop ends the search on workers at half of its nodes and takes it up from its journal, once with
the same workers, as after the end of the command alone, and once with new ones, whose tables are
empty, as after the end of everything. It prints how many nodes both parts took more than the whole.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benching import load, parser_of
from random_play import positions

import kulami_solver as ks
from kulami_solver.cluster import solve_position

HEADER = (
    f"{'position':<12} {'threads: nodes':>15} {'processor s':>11} {'clock s':>8}   "
    f"{'workers: nodes':>15} {'processor s':>11} {'tree s':>7} {'clock s':>8}   "
    f"{'nodes':>6} {'processor':>9} {'clock':>6}"
)


@dataclass
class Effort:
    """What a search took."""

    solution: ks.Solution
    processor: float
    clock: float
    here: float = 0.0


def by_threads(position: ks.Position, scoring: str, threads: int) -> Effort:
    """Search with threads of this process."""
    clock, processor = time.monotonic(), time.process_time()
    solution = ks.solve(position, scoring, threads=threads)
    return Effort(solution, time.process_time() - processor, time.monotonic() - clock)


@contextlib.contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Processes that are new, once they are there."""
    with ProcessPoolExecutor(workers) as executor:
        for started in [executor.submit(time.sleep, 0.2) for _ in range(workers)]:
            started.result()
        yield executor


def by_workers(position: ks.Position, scoring: str, workers: int) -> Effort:
    """Search with processes that are new."""
    before = os.times()
    with processes(workers) as executor:
        clock, here = time.monotonic(), time.process_time()
        solution = solve_position(position, scoring, executor=executor)
        clock, here = time.monotonic() - clock, time.process_time() - here
    after = os.times()
    there = after.children_user + after.children_system
    there -= before.children_user + before.children_system
    return Effort(solution, here + there, clock, here)


def main() -> int:
    """Print the table."""
    parser = parser_of(__doc__)
    parser.add_argument("--free", type=int, default=38, help="free fields")
    parser.add_argument("--count", type=int, default=3, help="positions")
    parser.add_argument("--scoring", default="0", help="what counts")
    parser.add_argument("--workers", type=int, default=2, help="workers, and threads beside them")
    parser.add_argument("--stop", action="store_true", help="stop half-way and take up again")
    args = parser.parse_args()
    print(HEADER)
    for number, position in enumerate(itertools.islice(positions(args.free), args.count), 1):
        one = by_threads(position, args.scoring, args.workers)
        other = by_workers(position, args.scoring, args.workers)
        print(
            f"{args.free} free #{number:<3} {one.solution.nodes:>15,} {one.processor:>11.1f} "
            f"{one.clock:>8.1f}   {other.solution.nodes:>15,} {other.processor:>11.1f} "
            f"{other.here:>7.1f} {other.clock:>8.1f}   "
            f"{other.solution.nodes / one.solution.nodes:>6.2f} "
            f"{other.processor / one.processor:>9.2f} {other.clock / one.clock:>6.2f}",
            flush=True,
        )
        if one.solution.margin != other.solution.margin:
            print(f"{position.kfn()}: {one.solution.margin} and {other.solution.margin}")
            return 1
        if args.stop:
            stop(position, args.scoring, args.workers, other.solution.nodes)
    print(f"{load()} at the end")
    return 0


def stop(position: ks.Position, scoring: str, workers: int, whole: int) -> None:
    """Stop half-way, take up again, and print what it took."""
    for taken_up_by in ("the same workers", "new workers"):
        with tempfile.TemporaryDirectory() as folder:
            journal = Path(folder, "journal.jsonl")
            with contextlib.ExitStack() as stack:
                executor = stack.enter_context(processes(workers))
                first = solve_position(
                    position, scoring, executor=executor, nodes=whole // 2, journal=journal
                )
                if taken_up_by == "new workers":
                    stack.close()
                    executor = stack.enter_context(processes(workers))
                second = solve_position(position, scoring, executor=executor, journal=journal)
            size = journal.stat().st_size
        both = first.nodes + second.nodes
        print(
            f"    stopped at {first.nodes:,} nodes, taken up by {taken_up_by}: {second.nodes:,} "
            f"more; together {both / whole - 1:+.1%} of the whole; journal {size:,} bytes",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
