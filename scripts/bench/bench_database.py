"""Measure databases: building, verifying, size and probes.

    python scripts/bench/bench_database.py             the 4x5 board
    python scripts/bench/bench_database.py --large     a 5x5 board, too: minutes, 3 GB of disk
    python scripts/bench/bench_database.py --oracle    searches of 8x8 positions that ask a database
    python scripts/bench/bench_database.py --shards    1,000 shards a ply beside one, by turns
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
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from benching import apart

import kulami_solver as ks
from kulami_solver.core.budgets import available_processors
from kulami_solver.kulami.database.building import SHARD
from kulami_solver.kulami.database.probe import ABSENT, arrays_of
from kulami_solver.kulami.export import entropy

SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"
LARGE = "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"
# Different positions that can be reached, counted once by a full enumeration.
REACHED = {SMALL: 2.5e6, LARGE: 499e6}
# Boards to be built in small shards, and the size that gives a ply up to some 1,000 of them.
IN_SHARDS = {SMALL: 250, "AAABB/CCCBB/DDDBB/EEFFF": 65}
TURNS = 7
SINGLE = 20_000
BATCH = 1_000_000


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
    built = {} if path.exists() else apart(f"ks.build({str(path)!r}, {root}, threads={threads})")
    verified = apart(f"assert ks.verify({str(path)!r}, threads={threads}).ok")
    with ks.open_database(path) as database:
        n = database.positions
        print(f"  kept           {n:>14,}")
        print(f"  reached        {REACHED[layout] / 1e6:>12,.1f} M")
        for did, cost in (("built", built), ("verified", verified)):
            if cost:
                seconds, processor = cost["seconds"], cost["processor"]
                print(f"  {did:<14} {seconds:>14.2f} s, {processor:.2f} s of processor time")
                print(f"    kept         {rates(n, seconds, processor, threads)}")
                print(f"    reached      {rates(REACHED[layout], seconds, processor, threads)}")
                print(f"    memory       {cost['memory']:>14,.0f} MiB")
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


def late_position(free: int, seed: int) -> ks.Position:
    """A position of a random game on a random 8x8 layout, with a choice of fields."""
    draw = random.Random(seed)
    while True:
        position = ks.Position(ks.Layout.random(draw.randrange(10**6)))
        while not position.is_over and position.free_count > free:
            position = position.play(draw.choice(position.legal_fields))
        if len(position.legal_fields) > 1:
            return position


def measure_oracle(folder: Path, moves: int) -> None:
    """Solve positions with and without a database built some moves later in best play."""
    print(f"\n8x8, 26 free fields, level 0; a database from {moves} moves later on")
    nodes, seconds = [0, 0], [0.0, 0.0]
    for seed in range(1, 7):
        position = late_position(26, seed)
        alone = ks.solve(position)
        path = folder / f"26-{moves}-{seed}.kdb"
        if not path.exists():
            ks.build(path, position.play_all(alone.line[:moves]))
        with ks.open_database(path) as database:
            first = ks.solve(position, database=database)
            runs = [[ks.solve(position, database=d) for d in (None, database)] for _ in range(5)]
            for i in (0, 1):
                assert runs[0][i].margin == alone.margin
                nodes[i] += runs[0][i].nodes
                seconds[i] += statistics.median(run[i].seconds for run in runs)
            print(
                f"  {database.positions:>12,} positions: {alone.nodes:>7,} nodes alone, "
                f"{first.nodes:>7,} with it; {first.seconds:.3f} s the first time"
            )
    print(f"  nodes          {nodes[0]:>14,} alone, {nodes[1]:,} with it")
    print(f"  seconds        {seconds[0]:>14.3f} alone, {seconds[1]:.3f} with it, once it is read")


def measure_shards(layout: str, shard: int, folder: Path) -> None:
    """Build a board with one shard a ply and with small ones, by turns; print medians."""
    root = ks.Position(ks.Layout.parse(layout))
    path = folder / "shards.kdb"
    sizes = {"one shard": SHARD, "small shards": shard}
    times: dict[str, list[float]] = {name: [] for name in sizes}
    most = {}
    for _ in range(TURNS):
        for name, size in sizes.items():
            begun = time.process_time()
            built = ks.build(path, root, threads=1, shard=size)
            times[name].append(time.process_time() - begun)
            with ks.open_database(path) as database:
                most[name] = max(database.parts(ply) for ply in range(len(database.plies)))
    print(f"\n{layout}, level 0, {built.positions:,} positions; processor time of one thread")
    medians = [statistics.median(times[name]) for name in sizes]
    for name, median in zip(sizes, medians, strict=True):
        print(f"  {name:<14} {median:>14.3f} s, up to {most[name]:,} shards a ply")
    print(f"  ratio          {medians[1] / medians[0]:>14.2f}")


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--large", action="store_true", help="the 5x5 board, too")
    parser.add_argument("--only-large", action="store_true", help="the 5x5 board alone")
    parser.add_argument("--oracle", action="store_true", help="searches that ask a database")
    parser.add_argument("--shards", action="store_true", help="small shards beside one a ply")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="where files stay")
    parser.add_argument("--threads", type=int, default=available_processors())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        if args.oracle:
            measure_oracle(folder, 1)
            measure_oracle(folder, 4)
            return
        if args.shards:
            for layout, shard in IN_SHARDS.items():
                measure_shards(layout, shard, folder)
            return
        if not args.only_large:
            measure(SMALL, folder, args.threads)
        if args.large or args.only_large:
            measure(LARGE, folder, args.threads)


if __name__ == "__main__":
    main()
