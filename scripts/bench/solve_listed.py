#!/usr/bin/env python3
"""Find the margins of listed positions: what experiments.py runs in each copy of the sources.

    python scripts/bench/solve_listed.py TABLE [DRIVER ...] < LISTED

One JSON line a position on stdin, ``{"kfn": "AAB - r -", "scoring": "0"}``, one on stdout,
``{"margin": 1, "nodes": 12, "seconds": 0.001}``: exact, by one thread from an empty table of TABLE
(a size like 64M), in seconds of the processor. It solves in its own thread and polls nothing, so
that its instructions are the search's.

What experiments change outside of the compiled search is named by DRIVER:

    small-pages  the table lies in pages of 4 KiB
"""

from __future__ import annotations

import json
import mmap
import sys
import time

import kulami_solver as ks
from kulami_solver.core.memory import parse_memory
from kulami_solver.kulami.solver import Solver

DRIVERS = ("small-pages",)


def main() -> None:
    """Solve what stdin lists."""
    table = parse_memory(sys.argv[1])
    drivers = sys.argv[2:]
    for driver in drivers:
        if driver not in DRIVERS:
            sys.exit(f"solve_listed.py: no driver is called {driver!r}: take {', '.join(DRIVERS)}")
    if "small-pages" in drivers and hasattr(mmap, "MADV_HUGEPAGE"):
        mmap.MADV_HUGEPAGE = mmap.MADV_NOHUGEPAGE  # type: ignore[misc]
    for line in sys.stdin:
        record = json.loads(line)
        position = ks.Position.from_kfn(record["kfn"])
        solver = Solver(position, ks.Scoring.parse(record["scoring"]), table)
        begun = time.process_time()
        bounds = solver.bounds(position)
        solver.narrow(position, bounds)
        seconds = time.process_time() - begun
        print(
            json.dumps({"margin": bounds.lower, "nodes": solver.nodes, "seconds": seconds}),
            flush=True,
        )
        solver.close()


if __name__ == "__main__":
    main()
