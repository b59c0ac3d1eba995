#!/usr/bin/env python3
"""Work in which many threads meet: searches, stops, batches, builds, probes, of both games.

    python scripts/bench/threaded_work.py        what it does, one line for each kind, and seconds

It is small, for a thread sanitizer slows it down twentyfold: `sanitize.sh thread` runs it
with one. Every answer is held against that of one thread alone.
"""

from __future__ import annotations

import _thread
import itertools
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from random_play import positions

import kulami_solver as ks
from kulami_solver import malawi

THREADS = 4
SMALL = ks.Position(ks.Layout.parse("AABB/CCBB/CCDD"))
BOARD = malawi.Board(2, 4)


def searches() -> None:
    """Threads that search one position together, and the one that watches them."""
    for scoring, position in zip(ks.Scoring, positions(22), strict=False):
        alone = ks.solve(position, scoring, memory="64K").margin
        together = ks.solve(
            position,
            scoring,
            threads=THREADS,
            memory="64K",
            every_move=True,
        )
        assert together.margin == alone
        ks.solve(position, scoring, "outcome", threads=THREADS, nodes=500, memory="64K")


def stops() -> None:
    """Searches that end because another thread says so, because of Ctrl-C, or out of time."""
    endless = ks.Position(ks.Layout.square())
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    seen: list[int] = []
    stopped = ks.solve(
        endless,
        threads=THREADS,
        memory="1M",
        stop=stop,
        progress=lambda progress: seen.append(progress.nodes),
    )
    assert not stopped.exact
    assert seen == sorted(seen)
    assert not ks.solve(endless, threads=THREADS, memory="1M", time=0.3).exact
    pressed = threading.Timer(0.1, _thread.interrupt_main)
    left = None
    try:
        # Pressed once it searches, however slowly it began.
        ks.solve(
            endless,
            threads=THREADS,
            memory="1M",
            progress=lambda _: None if pressed.ident else pressed.start(),
        )
    except ks.SolveInterrupted as interrupted:
        left = interrupted.solution
    assert left is not None
    assert not left.exact
    stop.clear()
    threading.Timer(0.3, stop.set).start()
    start = malawi.Position.start(malawi.Board(6, 6))
    looked = malawi.search(
        start, memory="1M", stop=stop, progress=lambda progress: seen.append(progress.nodes)
    )
    assert looked.value.outcome is None


def batches() -> None:
    """Positions that are searched side by side, in threads and from threads."""
    places = list(itertools.islice(positions(14), 12))
    alone = [ks.solve(position).margin for position in places]
    with ThreadPoolExecutor(THREADS) as pool:
        side_by_side = ks.solve_many(places, executor=pool, threads=2, memory="64K")
        assert [solution.margin for solution in side_by_side] == alone
        margins = pool.map(lambda position: ks.solve(position, threads=2).margin, places)
        assert list(margins) == alone


def databases() -> None:
    """A build, a verification, probes and searches with a database, all with threads."""
    with tempfile.TemporaryDirectory() as folder:
        built = ks.build(Path(folder, "small.kdb"), SMALL, threads=THREADS, shard=500)
        with ks.open_database(built.path) as database:
            assert ks.verify(database, threads=THREADS, sample=3).problems == ()
        places = [SMALL]
        for _ in range(3):
            places += [p.play(field) for p in places[-12:] for field in p.legal_fields]
        alone = [ks.solve(position).margin for position in places]
        # Opened anew: the threads meet where parts of it are unpacked.
        with ks.open_database(built.path) as database, ThreadPoolExecutor(THREADS) as pool:
            ways: list[Callable[[], list[int | None]]] = [
                lambda: [database.get(position) for position in places],
                lambda: [database.get(position) for position in reversed(places)][::-1],
                lambda: [database.probe(position).margin for position in places],
                lambda: [ks.solve(p, database=database, threads=2).margin for p in places[:20]],
            ]
            for answers in [pool.submit(way) for way in ways]:
                found = answers.result()
                assert found == alone[: len(found)]


def loops() -> None:
    """Malawi: analysis, build, verification and probes with threads."""
    alone = malawi.solve_board(BOARD, threads=1)
    together = malawi.solve_board(BOARD, threads=THREADS)
    assert (together.reachable, together.outcome) == (alone.reachable, alone.outcome)
    with tempfile.TemporaryDirectory() as folder:
        built = malawi.build(Path(folder, "malawi.kdb"), BOARD, threads=THREADS)
        assert malawi.verify(built.path, threads=THREADS).problems == ()
        start = malawi.Position.start(BOARD)
        places = [start, *(start.play(turn) for turn in start.legal_turns)]
        with malawi.Database(built.path) as database, ThreadPoolExecutor(THREADS) as pool:
            probed = [pool.submit(lambda: [database.get(p) for p in places]) for _ in range(4)]
            values = [answers.result() for answers in probed]
            assert values == [[malawi.search(p, depth=20).value for p in places]] * 4


def main() -> None:
    """Do it all."""
    for kind in (searches, stops, batches, databases, loops):
        begun = time.monotonic()
        kind()
        print(f"{kind.__name__}: {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
