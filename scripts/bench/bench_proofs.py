"""Measure proofs: bytes a step, steps against nodes, and times against that of the solve.

    python scripts/bench/bench_proofs.py                     8x8 positions with 28 free fields
    python scripts/bench/bench_proofs.py --free 32 --count 5
    python scripts/bench/bench_proofs.py --depth-left 2 4 6 8    what the checker plays out
    python scripts/bench/bench_proofs.py --proved            the checker that is proved in Coq, too

Positions come from random games on the square board, the same ones every time. Each line is the
sum over all positions of a scoring. Times are processor time: of a solve, of all that proving takes
(the solve among it), and of the check. `proved` is the checker of scripts/proved_checker.sh, which
has to be compiled before.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import kulami_solver as ks
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.proof.proof_file import DEPTH_LEFT
from kulami_solver.kulami.prove import prove

CHECKER = Path(__file__).parents[2] / "build" / "proved_checker" / "proved_checker"


def drawn(free: int, count: int) -> Iterator[ks.Position]:
    """Positions of random games with so many free fields."""
    draw = random.Random(28)
    while count:
        position = ks.Position(ks.Layout.square())
        while position.free_count > free and not position.is_over:
            position = position.play(draw.choice(position.legal_fields))
        if not position.is_over:
            count -= 1
            yield position


def proved_seconds(path: Path) -> float:
    """The processor time that the proved checker takes for a proof."""
    with tempfile.TemporaryDirectory() as folder:
        with open_proof(path) as proof:
            proof.write_plies(folder)
        begun = os.times().children_user
        subprocess.run([CHECKER, folder], capture_output=True, check=True)
        return os.times().children_user - begun


def measure(scoring: str, depth: int, args: argparse.Namespace, folder: Path) -> str:
    """Prove and check the positions; a line of the table."""
    steps = size = nodes = 0
    solving = proving = checking = proved = 0.0
    path = folder / "it.kpf"
    for position in drawn(args.free, args.count):
        begun = time.process_time()
        nodes += ks.solve(position, scoring).nodes
        solved = time.process_time()
        found = prove(path, position, scoring, depth_left=depth)
        done = time.process_time()
        with open_proof(path) as proof:
            checked = proof.verify()
        checking += time.process_time() - done
        assert checked.ok, checked.problems
        steps += checked.steps
        size += found.bytes
        solving += solved - begun
        proving += done - solved
        proved += proved_seconds(path) if args.proved else 0.0
    last = f"{steps / proved:>12,.0f}" if proved else ""
    return (
        f"{scoring:<8}{depth:>3}{nodes:>12,}{steps:>11,}{steps / nodes:>7.2f}{size / steps:>7.2f}"
        f"{solving * 1e3:>10.1f}{proving / solving:>8.1f}{checking / solving:>8.1f}{last}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure proofs.")
    parser.add_argument("--free", type=int, default=28, help="free fields")
    parser.add_argument("--count", type=int, default=20, help="positions of each scoring")
    parser.add_argument("--depth-left", type=int, nargs="+", default=[DEPTH_LEFT])
    parser.add_argument("--proved", action="store_true", help="the proved checker, too")
    args = parser.parse_args()
    print(f"{args.count} positions with {args.free} free fields; times of the solve's")
    head = f"{'scoring':<8}{'D':>3}{'nodes':>12}{'steps':>11}{'/node':>7}{'B/step':>7}"
    print(f"{head}{'solve ms':>10}{'prove':>8}{'check':>8}" + "  proved, steps/s" * args.proved)
    with tempfile.TemporaryDirectory() as folder:
        for scoring in ("0", "1", "2", "chains"):
            for depth in args.depth_left:
                print(measure(scoring, depth, args, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
