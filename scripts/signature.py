#!/usr/bin/env python3
"""The search's signature: values and node counts of a fixed set of positions.

    python scripts/signature.py            compare with tests/signature.json
    python scripts/signature.py --write    write it anew

One thread and a table of a fixed size search the same nodes in the same order everywhere, so a
change of the search shows as a change of numbers, and a change that should leave the search alone
shows that it does. Values must never change. The file has one line for each position::

    {"kfn": "AAB - r -", "scoring": "0", "goal": "margin", "value": 1, "nodes": 12}

where `value` is the margin, or with the goal "outcome" win, draw or loss.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from random_play import random_position

import kulami_solver as ks
from kulami_solver.kulami.solve import Goal

FILE = Path(__file__).resolve().parents[1] / "tests" / "signature.json"
MEMORY = "4M"
REWRITE = (
    "If the change is meant, look at what it did to the counts and run "
    "python scripts/signature.py --write"
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


def measured() -> list[dict[str, Any]]:
    """The signature of the search as it is now."""
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


def written() -> list[dict[str, Any]]:
    """The signature in the file."""
    records: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="ascii"))["positions"]
    return records


def text(records: list[dict[str, Any]]) -> str:
    """The file's text: the sum of the nodes, then a line for each position."""
    lines = ",\n".join(json.dumps(record) for record in records)
    total = sum(record["nodes"] for record in records)
    return f'{{"memory": "{MEMORY}", "nodes": {total}, "positions": [\n{lines}\n]}}\n'


def differences(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
    """One line for each position that differs, wrong values first, and one for the sum."""
    asked = ("kfn", "scoring", "goal")
    if [[one[key] for key in asked] for one in old] != [[one[key] for key in asked] for one in new]:
        return [f"{FILE.name} holds other positions than scripts/signature.py asks for"]
    values, counts = [], []
    for was, now in zip(old, new, strict=True):
        about = f"{now['kfn']}, scoring {now['scoring']}, {now['goal']}"
        if was["value"] != now["value"]:
            values.append(f"WRONG VALUE {now['value']}, was {was['value']}: {about}")
        if was["nodes"] != now["nodes"]:
            counts.append(f"{now['nodes']} nodes, were {was['nodes']}: {about}")
    if counts:
        before, after = (sum(record["nodes"] for record in records) for records in (old, new))
        counts.append(f"{after} nodes in all, were {before}: {after / before - 1:+.1%}")
    return values + counts


def main() -> int:
    """Write or compare; 1 if something differs."""
    parser = argparse.ArgumentParser(description="The search's signature.")
    parser.add_argument("--write", action="store_true", help=f"write tests/{FILE.name}")
    arguments = parser.parse_args()
    new = measured()
    found = differences(written(), new) if FILE.exists() else [f"there is no {FILE.name}"]
    for line in found:
        print(line)
    if arguments.write:
        FILE.write_text(text(new), encoding="ascii")
    elif found:
        print(REWRITE)
    return 1 if found and not arguments.write else 0


if __name__ == "__main__":
    sys.exit(main())
