#!/usr/bin/env python3
"""Write tests/perft/*.jsonl and tests/positions/*.jsonl anew, by the rules of tests/reference.py.

    python scripts/data/make_references.py [--check] [FILE ...]

A line of tests/perft is a position, and how many leaves there are at depth 1, 2 ... from it::

    {"kfn": "AAB/CCB - r -", "marbles": 28, "short_end": false, "checked": 8, "counts": [6, ...]}

An ended game counts once at every depth beyond its end. The first `checked` counts are those of the
reference, the deeper ones are the package's: they pin what it says. A line of tests/positions is a
position at one scoring, and the exact margin of every legal field for the side to move, by plain
minimax of the reference alone::

    {"kfn": "AAB - r -", "marbles": 28, "short_end": false, "scoring": "0",
     "margin": 1, "values": {"a1": 1, "b1": 1, "c1": -1}}

An ended position has no values, and its margin is the score. A new line needs the keys before
`counts` or `margin`; its `counts` are zeros, as many as are wanted.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(FOLDER))

import reference  # noqa: E402

import kulami_solver as ks  # noqa: E402


def found(record: dict[str, Any]) -> dict[str, Any]:
    """A line as it should be; SystemExit where the package and the reference differ."""
    kfn, marbles, short_end = record["kfn"], record["marbles"], record["short_end"]
    rules, state = reference.parse_kfn(kfn, marbles, short_end)
    if "scoring" in record:
        scoring = record["scoring"]
        values = reference.field_values(rules, state, scoring, {})
        margin = max(values.values()) if values else reference.margin(rules, state, scoring)
        return {**record, "margin": margin, "values": values}
    position = ks.Position.from_kfn(kfn, marbles=marbles, short_end=short_end)
    counts = position.perft(len(record["counts"]))
    slow = reference.perft(rules, state, record["checked"])
    if counts[: len(slow)] != slow:
        raise SystemExit(f"{kfn}: the package counts {counts}, the reference {slow}")
    return {**record, "counts": counts}


def main() -> None:
    """Write or compare the files named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", type=Path)
    parser.add_argument("--check", action="store_true", help="only compare with what is there")
    arguments = parser.parse_args()
    # Just 4 Fun's file has a script of its own.
    listed = [*FOLDER.glob("perft/*.jsonl"), *FOLDER.glob("positions/[!j]*.jsonl")]
    for path in arguments.files or sorted(listed):
        text = path.read_text(encoding="ascii")
        lines = [json.dumps(found(json.loads(line))) + "\n" for line in text.splitlines()]
        if not arguments.check:
            path.write_text("".join(lines), encoding="ascii")
        elif "".join(lines) != text:
            raise SystemExit(f"{path} differs")
        print(f"{path}: {len(lines)} lines", flush=True)


if __name__ == "__main__":
    main()
