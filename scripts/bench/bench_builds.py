"""Time builds of the package against each other, in turn.

    python scripts/bench/bench_builds.py . build/wheel/site --free 28,32 --build

What is timed is a folder with a kulami_solver in it, as a clone or site-packages. The first is what
the others are compared with.

Each runs in a process of its own. They solve the same positions in turn, and each position counts
with the least processor time of all rounds, so a busy machine does not favour any: it only makes
all of them slower. Their margins and nodes have to be equal; with --versions margins alone, since
another version may search in another order:

    python scripts/bench/bench_builds.py OLD . --versions --free 12,16,20 --count 10000 --rounds 1
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import random_play
from benching import parser_of

import kulami_solver as ks

BOARD: Final = "ABBCD/ABBCD/ABBEE/FFFEE"


class Contender:
    """A process that solves what it is told, and says how much processor time that took."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--serve"],
            env=os.environ | {"PYTHONPATH": str(Path(name).resolve())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        greeting = self.ask({})
        print(f"{name}: {greeting['folder']}, {greeting['compiler']}")

    def ask(self, work: dict[str, Any]) -> dict[str, Any]:
        """Have a piece of work done."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(work), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"bench_builds.py: {self.name} has ended; see above")
        found: dict[str, Any] = json.loads(answer)
        return found

    def end(self) -> None:
        """Let the process end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def serve() -> None:
    """Do the work that comes line by line: what a contender's process does."""
    from kulami_solver.core import processor

    for line in sys.stdin:
        work = json.loads(line)
        answer: dict[str, Any] = {
            "folder": str(Path(ks.__file__).parent.parent),
            "compiler": processor.COMPILER,
        }
        if "kfn" in work:
            position, scoring = ks.Position.from_kfn(work["kfn"]), ks.Scoring.parse(work["scoring"])
            begun = time.process_time()
            solution = ks.solve(position, scoring)
            seconds = time.process_time() - begun
            answer = {"seconds": seconds, "same": [solution.margin, solution.nodes]}
        elif "board" in work:
            with tempfile.TemporaryDirectory() as folder:
                begun = time.process_time()
                root = ks.Position(ks.Layout.parse(work["board"]))
                built = ks.build(Path(folder, "board.kdb"), root, threads=1)
                seconds = time.process_time() - begun
            answer = {"seconds": seconds, "same": [built.positions, built.bytes]}
        print(json.dumps(answer), flush=True)


def compare(
    what: str,
    contenders: Sequence[Contender],
    works: Sequence[dict[str, Any]],
    rounds: int,
    *,
    versions: bool,
) -> None:
    """Have all works done by all, so many times, and print how long they took."""
    told = dict.fromkeys((one.name for one in contenders), 0)  # nodes, or bytes of a build
    least = {one.name: [float("inf")] * len(works) for one in contenders}
    for turn in range(rounds):
        for number, work in enumerate(works):
            answers = []
            for one in contenders if turn % 2 == 0 else contenders[::-1]:
                answer = one.ask(work)
                answers.append(answer["same"][:1] if versions else answer["same"])
                told[one.name] += answer["same"][1]
                least[one.name][number] = min(least[one.name][number], answer["seconds"])
            if any(answer != answers[0] for answer in answers):
                raise SystemExit(f"bench_builds.py: {work}: different answers: {answers}")
    first = least[contenders[0].name]
    for one in contenders:
        times = least[one.name]
        ratios = [mine / other for mine, other in zip(times, first, strict=True)]
        print(
            f"{what:<24} {one.name:<40} {sum(times):9.3f} s   whole {sum(times) / sum(first):.3f}"
            f"   median {statistics.median(ratios):.3f}   {told[one.name] // rounds:,}",
            flush=True,
        )


def main() -> int:
    """Compare what the command line names."""
    parser = parser_of(__doc__)
    parser.add_argument("contenders", nargs="*", metavar="FOLDER", help="what is timed")
    parser.add_argument("--free", default="28,32", metavar="N,N", help="free fields (28,32)")
    parser.add_argument("--scoring", default="0", help="0, 1, 2 or chains (0)")
    parser.add_argument("--count", type=int, default=10, metavar="N", help="positions each (10)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="times each (5)")
    parser.add_argument("--build", action="store_true", help="build a 4x5 database as well")
    parser.add_argument("--versions", action="store_true", help="compare margins alone")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    if len(options.contenders) < 2:
        parser.error("name two or more folders to compare")
    contenders = [Contender(name) for name in options.contenders]
    timed = functools.partial(compare, rounds=options.rounds, versions=options.versions)
    for free in map(int, filter(None, options.free.split(","))):
        chosen = zip(range(options.count), random_play.positions(free), strict=False)
        works = [{"kfn": position.kfn(), "scoring": options.scoring} for _, position in chosen]
        timed(f"{free} free, {len(works)} positions", contenders, works)
    if options.build:
        timed("build of 4x5", contenders, [{"board": BOARD}])
    for one in contenders:
        one.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
