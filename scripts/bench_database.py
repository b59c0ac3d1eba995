"""Measure databases: building, verifying, size and probes, against what they should reach.

    python scripts/bench_database.py                 the 4x5 board
    python scripts/bench_database.py --large         a 5x5 board, too: minutes, 3 GB of disk
    python scripts/bench_database.py --keep FOLDER   leave the files there, and take those up

Times are wall-clock, with processor time beside them, which tells more where other programs run.
Memory is the largest a process had, with what it had mapped of its files.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kulami_solver as ks
from kulami_solver.database import ABSENT
from kulami_solver.database.export import entropy
from kulami_solver.database.probe import arrays_of

SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"
LARGE = "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"
# Different positions of the large board that can be reached, colours and all, not only those which
# differ in what their future depends on.
REACHED = {SMALL: 2.5e6, LARGE: 499e6}
SINGLE = 20_000
BATCH = 1_000_000


def build_apart(path: Path, layout: str, threads: int) -> dict[str, Any]:
    """Build in a process of its own, so that its memory can be told."""
    program = (
        "import sys, time, json, resource, kulami_solver as ks\n"
        "begun = time.perf_counter()\n"
        f"root = ks.Position(ks.Layout.parse({layout!r}))\n"
        f"built = ks.build({str(path)!r}, root, threads={threads})\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(json.dumps([time.perf_counter() - begun, used.ru_utime + used.ru_stime, "
        "used.ru_maxrss / 1024]))"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds, processor, memory = json.loads(done.stdout)
    return {"seconds": seconds, "processor": processor, "memory": memory}


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


def measure(layout: str, folder: Path, threads: int) -> None:
    """Build, verify and probe one board's database, and print the figures."""
    path = folder / (layout.replace("/", "-") + ".kdb")
    print(f"\n{layout}, level 0, {threads} threads")
    built = {} if path.exists() else build_apart(path, layout, threads)
    with ks.open_database(path) as database:
        n = database.positions
        print(f"  positions      {n:>14,}  ({REACHED[layout] / 1e6:,.1f} M before equivalence)")
        if built:
            rate = n / built["seconds"] / threads / 1e6
            print(
                f"  built in       {built['seconds']:>14.2f} s, {rate:.2f} M/s/core kept, "
                f"{rate * REACHED[layout] / n:.2f} M reached; {n / built['processor'] / 1e6:.2f} M "
                f"kept per second of processor time"
            )
            print(f"  memory         {built['memory']:>14,.0f} MiB")
        begun, processor = time.perf_counter(), time.process_time()
        result = ks.verify(database, threads=threads)
        seconds, processor = time.perf_counter() - begun, time.process_time() - processor
        print(
            f"  verified in    {seconds:>14.2f} s, {n / seconds / threads / 1e6:.2f} M/s/core; "
            f"{n / processor / 1e6:.2f} M per second of processor time"
        )
        if built:
            print(
                f"  build / verify {built['seconds'] / seconds:>14.2f} "
                f"(processor time {built['processor'] / processor:.2f})"
            )
        print(f"  verification   {'ok' if result.ok else result.problems!r:>14}")
        print(
            f"  size           {database.bytes:>14,} bytes, {database.bytes / n:.3f} a position; "
            f"entropy of the values {entropy(database):.2f} bits"
        )
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
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        if not args.only_large:
            measure(SMALL, folder, args.threads)
        if args.large or args.only_large:
            measure(LARGE, folder, args.threads)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nmemory of this process, which verified and probed: {peak:,.0f} MiB")


if __name__ == "__main__":
    main()
