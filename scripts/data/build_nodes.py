#!/usr/bin/env python3
"""Count the nodes that exact solutions take, by free fields and scoring: data/nodes.csv.

    python scripts/data/build_nodes.py             write the table: two minutes on one core
    python scripts/data/build_nodes.py --summary   the table of findings.md
    python scripts/data/draw_nodes.py              its picture

The positions are those of scripts/bench/random_play.py: random games on random square layouts, the
first COUNT with so many free fields. Each is solved by one thread from an empty table, so the
counts are the same on every machine. They change when the search does: run it again then.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))

from random_play import positions  # noqa: E402

import kulami_solver as ks  # noqa: E402

TABLE: Final = ROOT / "data" / "nodes.csv"
SCORINGS: Final = ("0", "1", "2", "chains")
FREE: Final = range(16, 33, 2)
COUNT: Final = 20
_HEADER: Final = "scoring,free,nodes"


class Row(NamedTuple):
    """The nodes of each position of a kind."""

    scoring: str
    free: int
    nodes: tuple[int, ...]


def counted(scoring: str, free: int, count: int = COUNT) -> Row:
    """Solve so many positions."""
    found = []
    for position in itertools.islice(positions(free), count):
        solution = ks.solve(position, scoring, threads=1)
        assert solution.exact
        found.append(solution.nodes)
    return Row(scoring, free, tuple(found))


def table() -> list[Row]:
    """The rows of the committed table."""
    header, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert header == _HEADER
    rows = [line.split(",") for line in lines]
    return [
        Row(scoring, int(free), tuple(map(int, nodes.split()))) for scoring, free, nodes in rows
    ]


def growth(rows: list[Row], scoring: str) -> float:
    """The factor a further free field takes, from 20 free fields to the most."""
    medians = {row.free: statistics.median(row.nodes) for row in rows if row.scoring == scoring}
    last = max(medians)
    factor: float = (medians[last] / medians[20]) ** (1 / (last - 20))
    return factor


def summary(rows: list[Row]) -> Iterator[str]:
    """The table of the page: medians in thousands, and how they grow."""
    yield "| free fields | " + " | ".join(f"scoring {scoring}" for scoring in SCORINGS) + " |"
    yield "|---" + "|---:" * len(SCORINGS) + "|"
    medians = {(row.free, row.scoring): statistics.median(row.nodes) for row in rows}
    for free in FREE:
        cells = " | ".join(f"{medians[free, scoring] / 1000:,.1f}" for scoring in SCORINGS)
        yield f"| {free} | {cells} |"
    cells = " | ".join(f"{growth(rows, scoring):.2f}" for scoring in SCORINGS)
    yield f"| each field more, from 20 on: times | {cells} |"


def main() -> None:
    """Write the table, or its summary."""
    parser = argparse.ArgumentParser(description="Count nodes by free fields.")
    parser.add_argument("--summary", action="store_true", help="print the page's table")
    if parser.parse_args().summary:
        print("\n".join(summary(table())))
        return
    lines = [_HEADER]
    for scoring, free in itertools.product(SCORINGS, FREE):
        row = counted(scoring, free)
        lines.append(f"{scoring},{free},{' '.join(map(str, row.nodes))}")
        print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
