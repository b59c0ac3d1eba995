"""Measure databases of Malawi: building, memory, size, verifying and probes.

    python scripts/bench/bench_malawi.py                   the 3x5 board with 2 beads
    python scripts/bench/bench_malawi.py 3x4:2 3x5:1 4x3:1   these boards, with beads a figure

Each board is built in a process of its own, so that its memory can be told. Times are wall-clock,
with processor time beside them, which tells more where other programs run. Memory is the largest
that the process had, less what it had before it began (Linux). Positions are counted as in
`Solved`: those that can be reached, a position and its mirror image apart.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benching import apart

from kulami_solver import malawi
from kulami_solver.core.budgets import available_processors
from kulami_solver.malawi.solving import estimate

DEFAULT = ["3x5:2"]
PROBES = 20_000


def probes(database: malawi.Database) -> float:
    """Probes a second, one at a time, of positions of random games."""
    draw = random.Random(3)
    positions: list[malawi.Position] = []
    position = malawi.Position.start(database.board)
    while len(positions) < PROBES:
        positions.append(position)
        if position.is_over or draw.random() < 0.02:
            position = malawi.Position.start(database.board)
        else:
            position = position.play(draw.choice(position.legal_turns))
    begun = time.perf_counter()
    for position in positions:
        assert position in database
    return PROBES / (time.perf_counter() - begun)


def measure(board: malawi.Board, folder: Path, threads: int) -> None:
    """Build, verify and probe one board's database, and print the figures."""
    path = folder / f"malawi-{board}-{board.beads}.kdb"
    text, beads = str(board), board.beads
    built = apart(
        f"ks.malawi.build({str(path)!r}, Board.parse({text!r}, {beads}), threads={threads})",
        "from kulami_solver.malawi import Board, solve_board\nsolve_board(Board(2, 3), threads=1)",
    )
    slots = estimate(board).slots
    with malawi.open_database(path) as database:
        header: dict[str, Any] = database.header
        n = database.positions
        print(f"\n{board}, {board.beads} beads a figure, {threads} threads")
        print(f"  value          {database.value.words('red'):>14}")
        print(
            f"  positions      {n:>14,}: {header['wins']:,} wins, {header['draws']:,} draws, "
            f"{header['losses']:,} losses; the longest end in {header['longest']} plies"
        )
        print(
            f"  built in       {built['seconds']:>14.2f} s, "
            f"{n / built['seconds'] / threads / 1e6:.2f} M/s/core; "
            f"{n / built['processor'] / 1e6:.2f} M per second of processor time"
        )
        print(
            f"  memory         {built['grown']:>14,.0f} MiB, "
            f"{built['grown'] * 2**20 / slots:.2f} bytes for each of {slots:,} slots"
        )
        begun, processor = time.perf_counter(), time.process_time()
        result = malawi.verify(database, threads=threads)
        seconds, processor = time.perf_counter() - begun, time.process_time() - processor
        print(
            f"  verified in    {seconds:>14.2f} s, {n / seconds / threads / 1e6:.2f} M/s/core; "
            f"{n / processor / 1e6:.2f} M per second of processor time"
        )
        print(f"  verification   {'ok' if result.ok else result.problems!r:>14}")
        print(f"  size           {database.bytes:>14,} bytes, {database.bytes / n:.3f} a position")
        print(f"  probes         {probes(database):>14,.0f} /s, one at a time")


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("boards", nargs="*", metavar="WxH:BEADS", default=DEFAULT)
    parser.add_argument("--threads", type=int, default=available_processors())
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="where files stay")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        for text in args.boards:
            size, _, beads = text.partition(":")
            measure(malawi.Board.parse(size, int(beads or 2)), folder, args.threads)


if __name__ == "__main__":
    main()
