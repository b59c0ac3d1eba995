"""Measure databases: building, verifying, size and probes.

    python scripts/bench/bench_database.py             the 4x5 board
    python scripts/bench/bench_database.py --large     a 5x5 board, too: minutes, 3 GB of disk
    python scripts/bench/bench_database.py --keep FOLDER  leave the files there, and take those up

Rates count two kinds of positions, and each is given by the second of wall-clock time, by core, and
by the second of processor time, which tells more where other programs run:

    kept       records in the file: positions that differ in what their future depends on, not over
    reached    positions of the game: any marbles, any last two fields that can come about

Each reached position is answered by the file; they are counted before any are merged. Memory is the
largest a process had, with what it had mapped of its files.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import kulami_solver as ks
from kulami_solver.core.budgets import available_processors
from kulami_solver.kulami.database.probe import ABSENT, arrays_of
from kulami_solver.kulami.export import entropy

SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"
LARGE = "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"
# Different positions that can be reached, counted once by a full enumeration.
REACHED = {SMALL: 2.5e6, LARGE: 499e6}
SINGLE = 20_000
BATCH = 1_000_000
# A process of its own says what work takes.
APART = """
import json, resource, time
import kulami_solver as ks
begun, processor = time.perf_counter(), time.process_time()
{work}
taken = time.perf_counter() - begun, time.process_time() - processor
print(json.dumps([*taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def apart(work: str) -> tuple[float, float, float]:
    """Do a piece of work in a process: seconds, processor time, and the most memory in MiB."""
    program = [sys.executable, "-c", APART.format(work=work)]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    seconds, processor, memory = json.loads(done.stdout)
    return seconds, processor, memory


def random_positions(root: ks.Position, count: int) -> list[ks.Position]:
    """Positions of random games, those that are over left out."""
    draw = random.Random(9)
    found: list[ks.Position] = []
    while len(found) < count:
        position = root
        while not position.is_over and len(found) < count:
            found.append(position)
            position = position.play(draw.choice(position.legal_fields))
    return found


def probes(database: ks.Database, clock: Callable[[], float]) -> tuple[float, float]:
    """Probes a second: one at a time, and in a batch by one thread; the file warm.

    Positions are those of random games, each of them 50 times in the batch, in random order.
    """
    positions = random_positions(database.root, SINGLE)
    for position in positions:
        position.is_over  # noqa: B018  (found once and kept, as in a program that plays)
        database.get(position)
    begun = clock()
    for position in positions:
        database.get(position)
    single = SINGLE / (clock() - begun)
    arrays = [np.tile(array, BATCH // SINGLE) for array in arrays_of(positions)]
    shuffled = np.random.default_rng(1).permutation(BATCH)
    arrays = [array[shuffled] for array in arrays]
    database.probe_many(*arrays)
    begun = clock()
    margins = database.probe_many(*arrays)
    batch = BATCH / (clock() - begun)
    assert (margins != ABSENT).all()
    return single, batch


def rates(positions: float, seconds: float, processor: float, threads: int) -> str:
    """Positions a second, in words."""
    wall = positions / seconds / 1e6
    return (
        f"{wall:6.2f} M/s, {wall / threads:.2f} M/s/core, "
        f"{positions / processor / 1e6:.2f} M per second of processor time"
    )


def measure(layout: str, folder: Path, threads: int) -> None:
    """Build, verify and probe one board's database, and print the figures."""
    path = folder / (layout.replace("/", "-") + ".kdb")
    print(f"\n{layout}, level 0, {threads} threads")
    root = f"ks.Position(ks.Layout.parse({layout!r}))"
    work = f"ks.build({str(path)!r}, {root}, threads={threads})"
    built = None if path.exists() else apart(work)
    verified = apart(f"assert ks.verify({str(path)!r}, threads={threads}).ok")
    with ks.open_database(path) as database:
        n = database.positions
        print(f"  kept           {n:>14,}")
        print(f"  reached        {REACHED[layout] / 1e6:>12,.1f} M")
        for did, cost in (("built", built), ("verified", verified)):
            if cost:
                seconds, processor, memory = cost
                print(f"  {did:<14} {seconds:>14.2f} s, {processor:.2f} s of processor time")
                print(f"    kept         {rates(n, seconds, processor, threads)}")
                print(f"    reached      {rates(REACHED[layout], seconds, processor, threads)}")
                print(f"    memory       {memory:>14,.0f} MiB")
        print(
            f"  size           {database.bytes:>14,} bytes: {database.bytes / n:.3f} a position, "
            f"which is {8 * database.bytes / n:.2f} bits"
        )
        print(f"  entropy        {entropy(database):>14.2f} bits of a position's value")
        for clock in (time.perf_counter, time.process_time):
            single, batch = probes(database, clock)
            print(
                f"  probes         {single:>14,.0f} /s one at a time, {batch:,.0f} /s in a batch"
                f"{'' if clock is time.perf_counter else ', by processor time'}"
            )


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="the 5x5 board, too")
    parser.add_argument("--only-large", action="store_true", help="the 5x5 board alone")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="where files stay")
    parser.add_argument("--threads", type=int, default=available_processors())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        if not args.only_large:
            measure(SMALL, folder, args.threads)
        if args.large or args.only_large:
            measure(LARGE, folder, args.threads)


if __name__ == "__main__":
    main()
