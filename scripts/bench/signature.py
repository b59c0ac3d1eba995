#!/usr/bin/env python3
"""The searches' signatures: values and node counts of fixed sets of positions.

    python scripts/bench/signature.py            compare with tests/signature.json and its sisters
    python scripts/bench/signature.py --write    write them anew

One thread and a table of a fixed size search the same nodes in the same order everywhere, so a
change of the search shows as a change of numbers, and a change that should leave the search alone
shows that it does. Values must never change. A file has one line for each position, Kulami's::

    {"kfn": "AAB - r -", "scoring": "0", "goal": "margin", "value": 1, "nodes": 12}

where `value` is the margin, or with the goal "outcome" win, draw or loss, and Malawi's::

    {"mfn": "b1b1/../r1r1 r", "depth": 8, "value": "black wins in 6 plies", "nodes": 92}

and those of Just 4 Fun, double-dummy and expected scores::

    {"position": "1x3 - r1b1 r r1.2,b2 - -", "line": 2, "hand": 2, "value": "win", "nodes": 0}
    {"position": "1x3 - r1b1 r r1.2,b2 {3} -", "line": 2, "hand": 2, "value": "1/1", "nodes": 1}
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from random_just4fun import late_positions, small_position
from random_play import random_position

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.kulami.solve.solution import Goal

TESTS: Final = Path(__file__).resolve().parents[2] / "tests"
MEMORY: Final = "4M"
REWRITE: Final = (
    "If the change is meant, look at what it did to the counts and run "
    "python scripts/bench/signature.py --write"
)

SQUARE = ks.Layout.random(11)
IRREGULAR = ks.Layout.random(12, irregular=True)
ONES = ks.Layout.parse("ABCDEF/GHIJKL/MNOPQR/STUVWX/YZabcd/efghij")
WIDE = ks.Layout.parse("AAAABBBB/AAAABBBB/CCCCDDDD/CCCCDDDD/EEEEFFFF/EEEEFFFF")
APART = ks.Layout.parse("AABB..CC/AABB..CC/DDEE..../DDEE..FF/......FF/GGHHIIFF/GGHHIIFF")

# Layout, free fields, seed. Each is solved at all four scorings.
GAMES = [
    (ks.Layout.square(), 26, 1),
    (ks.Layout.rulebook(), 26, 2),
    (SQUARE, 24, 3),
    (IRREGULAR, 26, 4),
    (WIDE, 26, 1),
    (APART, 22, 1),
    (ONES, 18, 2),
]


def cases() -> list[tuple[ks.Position, ks.Scoring, Goal]]:
    """The positions with what is asked of them."""
    goals: list[Goal] = ["margin", "outcome"]
    found = []
    for i, (layout, free, seed) in enumerate(GAMES):
        position = random_position(layout, free, seed)
        if position is None:
            raise AssertionError(f"game {seed} on {layout} ends before {free} fields are free")
        for j, scoring in enumerate(ks.Scoring):
            found.append((position, scoring, goals[(i + j) % 2]))
    return found


# Malawi positions, and the plies to look ahead: ends that are found, and depths without one.
MALAWI_CASES = [
    ("b1b1b1/.../r1r1r1 r", 20),
    ("b0b2b1/r1../.r0r1 r", 20),
    ("b0b2./..b1/r0r2r1 r", 20),
    ("b2b2b2/.../.../r2r2r2 r", 12),
    ("b1b0b1/.../.../r0r1r1 r", 14),
    ("b1b3b0b0/..../r2.../.r2r0r0 r", 10),
    ("b1b1b1b1/..../..../r1r1r1r1 r", 10),
    ("b2b2b2b2b2b2/....../....../....../....../r2r2r2r2r2r2 r", 8),
    ("b0b3b0b3b2./....../.....b4/....../....../r0r3r0r3r1r5 r", 8),
]


def measure_kulami() -> list[dict[str, Any]]:
    """The signature of Kulami's search as it is now."""
    records = []
    for position, scoring, goal in cases():
        solution = ks.solve(position, scoring, goal, threads=1, memory=MEMORY)
        records.append(
            {
                "kfn": position.kfn(),
                "scoring": scoring.value,
                "goal": goal,
                "value": solution.margin if goal == "margin" else solution.outcome,
                "nodes": solution.nodes,
            }
        )
    return records


def measure_malawi() -> list[dict[str, Any]]:
    """The signature of Malawi's search as it is now."""
    records = []
    for mfn, depth in MALAWI_CASES:
        position = malawi.Position.from_mfn(mfn)
        solution = malawi.search(position, depth=depth, memory=MEMORY)
        value = solution.value.words(position.turn)
        records.append({"mfn": mfn, "depth": depth, "value": value, "nodes": solution.nodes})
    return records


def just4fun_cases() -> list[just4fun.Position]:
    """Late positions on the printed board and small ones, the stock in an order or in none."""
    found: list[just4fun.Position] = []
    for left, number, ordered in ((3, 4, True), (5, 4, True), (6, 2, True), (2, 3, False)):
        found += itertools.islice(late_positions(left, ordered=ordered), number)
    draw = random.Random(4)
    for _ in range(8):
        found.append(small_position(draw, 16, 3))
    return found


def measure_just4fun() -> list[dict[str, Any]]:
    """The signature of Just 4 Fun's searches as they are now."""
    records = []
    for position in just4fun_cases():
        if position.ordered:
            solution = just4fun.solve(position, memory=MEMORY)
            value, nodes = solution.outcome, solution.nodes
        else:
            expectation = just4fun.expect(position)
            value, nodes = expectation.to_json()["expected"], expectation.nodes
        records.append(
            {
                "position": position.jfn(),
                "line": position.line,
                "hand": position.hand,
                "value": value,
                "nodes": nodes,
            }
        )
    return records


@dataclass(frozen=True)
class Signature:
    """What a search is held to.

    Attributes:
        file: where values and counts are kept.
        asked: the keys of a record that say what was asked.
        measured: the signature of the search as it is now.
    """

    file: Path
    asked: tuple[str, ...]
    measured: Callable[[], list[dict[str, Any]]]

    def written(self) -> list[dict[str, Any]]:
        """The signature in the file."""
        found = json.loads(self.file.read_text(encoding="ascii"))
        records: list[dict[str, Any]] = found["positions"]
        return records

    def differences(self, old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
        """One line for each position that differs, wrong values first, and one for the sum."""

        def questions(records: list[dict[str, Any]]) -> list[list[Any]]:
            return [[record[key] for key in self.asked] for record in records]

        if questions(old) != questions(new):
            return [f"{self.file.name} holds other positions than signature.py asks for"]
        values, counts = [], []
        for was, now in zip(old, new, strict=True):
            first, *others = self.asked
            about = ", ".join([now[first], *(f"{key} {now[key]}" for key in others)])
            if was["value"] != now["value"]:
                values.append(f"WRONG VALUE {now['value']}, was {was['value']}: {about}")
            if was["nodes"] != now["nodes"]:
                counts.append(f"{now['nodes']} nodes, were {was['nodes']}: {about}")
        if counts:
            before, after = (sum(record["nodes"] for record in records) for records in (old, new))
            counts.append(f"{after} nodes in all, were {before}: {after / before - 1:+.1%}")
        return values + counts


KULAMI: Final = Signature(TESTS / "signature.json", ("kfn", "scoring", "goal"), measure_kulami)
MALAWI: Final = Signature(TESTS / "malawi_signature.json", ("mfn", "depth"), measure_malawi)
JUST4FUN: Final = Signature(
    TESTS / "just4fun_signature.json", ("position", "line", "hand"), measure_just4fun
)


def text(records: list[dict[str, Any]]) -> str:
    """A file's text: the sum of the nodes, then a line for each position."""
    lines = ",\n".join(json.dumps(record) for record in records)
    total = sum(record["nodes"] for record in records)
    return f'{{"memory": "{MEMORY}", "nodes": {total}, "positions": [\n{lines}\n]}}\n'


def main() -> int:
    """Write or compare; 1 if something differs."""
    parser = argparse.ArgumentParser(description="The searches' signatures.")
    parser.add_argument("--write", action="store_true", help="write the files in tests/")
    arguments = parser.parse_args()
    differ = False
    for signature in (KULAMI, MALAWI, JUST4FUN):
        new = signature.measured()
        found = [f"there is no {signature.file.name}"]
        if signature.file.exists():
            found = signature.differences(signature.written(), new)
        for line in found:
            print(line)
        differ = differ or bool(found)
        if arguments.write:
            signature.file.write_text(text(new), encoding="ascii")
    if differ and not arguments.write:
        print(REWRITE)
    return 1 if differ and not arguments.write else 0


if __name__ == "__main__":
    sys.exit(main())
