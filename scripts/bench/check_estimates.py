#!/usr/bin/env python3
"""Estimates beside the truth: what `kulami estimate` says, and what solving and building then take.

    python scripts/bench/check_estimates.py                     8x8 positions, 6 of each kind
    python scripts/bench/check_estimates.py --free 32,34 --scorings 0,2 --count 12
    python scripts/bench/check_estimates.py --boards --count 0  empty small boards, and later ones
    python scripts/bench/check_estimates.py --alike 20 --count 0   empty boards with alike lines
    python scripts/bench/check_estimates.py --marbles 8,10,12,14 --plies 15,16,17 --free ""
    python scripts/bench/check_estimates.py --builds --count 0  databases of small boards
    python scripts/bench/check_estimates.py --proofs --count 0  proofs: steps, file and time
    python scripts/bench/check_estimates.py --plan 44,48,52     estimates alone, without a truth

Positions are those of random_play.py; those with few marbles have so many plies to come. Each is
estimated without being solved at once, then solved by one thread; *ratio* is the estimate over the
truth. Below the table is the share of ratios between a half and two, and that of truths within the
range that is said to hold four of five. Times are those of the processor. The exit code is 1 if
less than --least of the ratios are good.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import statistics
import string
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benching import parser_of
from random_play import few_marbles, positions

import kulami_solver as ks
from kulami_solver.kulami.database.cost import estimate
from kulami_solver.kulami.estimate.effort import estimate_solve
from kulami_solver.kulami.estimate.proofs import estimate_proof
from kulami_solver.kulami.prove import prove

BOARDS = (
    "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG",
    "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG",
    "AABBC/AABBC/DDEEF/DDEEF/GGHHI/GGHHI",
)

# Boards whose empty positions are proved in some seconds.
PROVED = ("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG", "ABCC/ABCC/ABDD/EEDD/EEFF/GGFF")

# Boards whose databases are built in a minute, with what counts.
BUILDS = (
    ("ABBC/ABBC/DDEE/FFEE", "0"),
    ("ABBC/ABBC/DDEE/FFEE", "2"),
    ("ABBCD/ABBCD/ABBEE/FFFEE", "0"),
    ("ABBCD/ABBCD/ABBEE/FFFEE", "1"),
    ("ABBCD/ABBCD/ABBEE/FFFEE", "2"),
    ("ABBCD/ABBCD/ABBEE/FFFEE", "chains"),
)

HEADER = (
    f"{'position':<18} {'scoring':>7} {'of':>9} {'truth':>14} {'estimate':>14} {'ratio':>6}  range"
)


def numbers(text: str) -> list[int]:
    """Whole numbers with commas between them."""
    return [int(word) for word in text.split(",") if word]


def main() -> int:
    """Print the table."""
    parser = parser_of(__doc__)
    parser.add_argument("--free", type=numbers, default=[30, 32, 34], help="free fields")
    parser.add_argument("--scorings", default="0,1,2,chains", help="what counts")
    parser.add_argument("--count", type=int, default=6, help="positions of each kind")
    parser.add_argument("--marbles", type=numbers, default=[], help="few marbles of each colour")
    parser.add_argument("--plies", type=numbers, default=[15, 16], help="to come, with --marbles")
    parser.add_argument("--boards", action="store_true", help="small boards as well")
    parser.add_argument("--alike", type=int, default=0, help="boards with alike lines")
    parser.add_argument("--builds", action="store_true", help="databases as well")
    parser.add_argument("--proofs", action="store_true", help="proofs as well")
    parser.add_argument("--plan", type=numbers, help="free fields of positions only estimated")
    parser.add_argument("--least", type=float, default=0.0, help="share of good ratios wanted")
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    args = parser.parse_args()
    if args.plan:
        plan(args.plan, args.scorings.split(","), args.count)
        return 0
    rows: list[dict[str, Any]] = []
    print(HEADER)
    for row in itertools.chain(
        solves(args.free, args.scorings.split(","), args.count),
        few(args.marbles, args.plies, args.scorings.split(","), args.count),
        boards() if args.boards else (),
        alike(args.alike),
        builds() if args.builds else (),
        proofs() if args.proofs else (),
    ):
        rows.append(row)
        ratio = row["estimate"] / row["truth"]
        within = {True: "in it", False: "outside", None: ""}[row.get("in_range")]
        print(
            f"{row['position']:<18} {row['scoring']:>7} {row['of']:>9} {row['truth']:>14,.0f} "
            f"{row['estimate']:>14,.0f} {ratio:>6.2f}  {within}",
            flush=True,
        )
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0 if summary(rows) >= args.least else 1


def summary(rows: list[dict[str, Any]]) -> float:
    """Print how good the ratios are, by what was estimated; the least share within two."""
    least = 1.0
    for of in dict.fromkeys(row["of"] for row in rows):
        logs = [math.log(row["estimate"] / row["truth"]) for row in rows if row["of"] == of]
        good = sum(abs(log) <= math.log(2) for log in logs) / len(logs)
        ranged = [row["in_range"] for row in rows if row["of"] == of and "in_range" in row]
        held = f", {sum(ranged) / len(ranged):.0%} of truths in the range" if ranged else ""
        print(
            f"{of}: {len(logs)} estimates, {good:.0%} within a factor of two{held}; "
            f"mean ratio {math.exp(statistics.fmean(logs)):.2f}, "
            f"worst {math.exp(min(logs)):.2f} and {math.exp(max(logs)):.2f}"
        )
        least = min(least, good)
    return least


def solves(free: list[int], scorings: list[str], count: int) -> Iterator[dict[str, Any]]:
    """8x8 positions of random games."""
    for scoring, fields in itertools.product(scorings, free):
        for number, position in enumerate(itertools.islice(positions(fields), count), 1):
            yield from solved(f"8x8 {fields} free #{number}", position, scoring)


def few(
    marbles: list[int], plies: list[int], scorings: list[str], count: int
) -> Iterator[dict[str, Any]]:
    """8x8 positions of random games with few marbles, in which most of the board stays free."""
    for scoring, each, left in itertools.product(scorings, marbles, plies):
        for number, position in enumerate(itertools.islice(few_marbles(each, left), count), 1):
            yield from solved(f"{each} marbles {left} #{number}", position, scoring)


def plan(free: list[int], scorings: list[str], count: int) -> None:
    """Print estimates of positions that nobody solves here."""
    print(f"{'free':>4} {'scoring':>7} {'nodes: middle':>14} {'least':>9} {'most':>9} {'range':>6}")
    for scoring, fields in itertools.product(scorings, free):
        found = [
            estimate_solve(position, scoring, at_once=0)
            for position in itertools.islice(positions(fields), count)
        ]
        nodes = sorted(one.nodes for one in found)
        wide = math.sqrt(found[0].high / found[0].low)
        print(
            f"{fields:>4} {scoring:>7} {statistics.median(nodes):>14.2g} {nodes[0]:>9.2g} "
            f"{nodes[-1]:>9.2g}  x/ {wide:.1f}",
            flush=True,
        )


def boards() -> Iterator[dict[str, Any]]:
    """Small boards, empty and after up to three moves."""
    for text in BOARDS:
        position = ks.Position(ks.Layout.parse(text))
        size = f"{position.layout.width}x{position.layout.height}"
        for ply in range(4):
            yield from solved(f"{size} ply {ply}", position, "0")
            position = position.play(position.legal_fields[len(position.legal_fields) // 2])


def alike(count: int) -> Iterator[dict[str, Any]]:
    """Random empty boards of rows and columns of panels: most of their lines have a like."""
    draw = random.Random(1)
    for number in range(1, count + 1):
        heights, widths = _sizes(draw), _sizes(draw)
        while max(heights) * max(widths) > 6:  # fields of the largest panels of the box
            widths = _sizes(draw)
        names = iter(string.ascii_uppercase)
        rows = [["".join(next(names) * wide for wide in widths)] * high for high in heights]
        position = ks.Position(ks.Layout.parse("/".join(itertools.chain(*rows))))
        yield from solved(f"alike #{number} {sum(widths)}x{sum(heights)}", position, "0")


def _sizes(draw: random.Random) -> list[int]:
    """Sizes of panels along a side of five or six fields."""
    sizes = [draw.randint(1, 3)]
    while sum(sizes) < 5:
        sizes.append(draw.randint(1, min(3, 6 - sum(sizes))))
    return sizes


def solved(name: str, position: ks.Position, scoring: str) -> Iterator[dict[str, Any]]:
    """What was estimated for solving a position, and what it took."""
    found = estimate_solve(position, scoring, at_once=1 << 14)
    if not found.samples:
        return
    begun = time.process_time()
    nodes = ks.solve(position, scoring).nodes
    taken = time.process_time() - begun
    row = {"position": name, "scoring": scoring}
    yield {
        **row,
        "of": "nodes",
        "truth": nodes,
        "estimate": found.nodes,
        "in_range": found.low <= nodes <= found.high,
    }
    if taken > 0.5:
        rate = estimate_solve(position, scoring, at_once=1 << 20).nodes_per_second
        yield {**row, "of": "ms", "truth": 1e3 * taken, "estimate": 1e3 * found.nodes / rate}


def builds() -> Iterator[dict[str, Any]]:
    """Databases of small boards."""
    for text, scoring in BUILDS:
        root = ks.Position(ks.Layout.parse(text))
        expected = estimate(root, ks.Scoring.parse(scoring))
        row = {"position": f"{root.layout.width}x{root.layout.height} empty", "scoring": scoring}
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            path = os.path.join(folder, "small.kdb")
            built = ks.build(path, root, scoring, threads=1)
            taken = time.process_time() - begun
        for of, truth, guess in (
            ("positions", built.positions, expected.positions),
            ("file", built.bytes, expected.file),
            ("build ms", 1e3 * taken, 1e3 * expected.core_seconds),
        ):
            yield {**row, "of": of, "truth": truth, "estimate": guess}


def proofs() -> Iterator[dict[str, Any]]:
    """Proofs of 8x8 positions and of small boards, from an estimate of the solve."""
    for scoring, free in itertools.product(("0", "1", "2", "chains"), (28, 31)):
        for number, position in enumerate(itertools.islice(positions(free), 3), 1):
            for depth in (4, 6, 8):
                name = f"8x8 {free} free #{number} D{depth}"
                yield from proved(name, position, scoring, depth)
    for text, scoring in itertools.product(PROVED, ("0", "2")):
        position = ks.Position(ks.Layout.parse(text))
        size = f"{position.layout.width}x{position.layout.height}"
        for ply in range(2):
            for depth in (4, 6, 8):
                yield from proved(f"{size} ply {ply} D{depth}", position, scoring, depth)
            position = position.play(position.legal_fields[len(position.legal_fields) // 3])


def proved(name: str, position: ks.Position, scoring: str, depth: int) -> Iterator[dict[str, Any]]:
    """What was estimated for a proof, and what it took."""
    solving = estimate_solve(position, scoring, at_once=1 << 14)
    rate = estimate_solve(position, scoring, at_once=1 << 20).nodes_per_second
    expected = estimate_proof(
        position, replace(solving, nodes_per_second=rate), scoring, depth_left=depth
    )
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        found = prove(os.path.join(folder, "it.kpf"), position, scoring, depth_left=depth)
        taken = time.process_time() - begun
    row = {"position": name, "scoring": scoring}
    yield {**row, "of": "steps", "truth": sum(found.steps), "estimate": expected.steps}
    yield {**row, "of": "bytes", "truth": found.bytes, "estimate": expected.file}
    if taken > 0.2:
        yield {**row, "of": "proof ms", "truth": 1e3 * taken, "estimate": 1e3 * expected.seconds}


if __name__ == "__main__":
    sys.exit(main())
