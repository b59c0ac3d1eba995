#!/usr/bin/env python3
"""Build databases of random late roots and hold all they say against the search.

    python scripts/data/check_databases.py --roots 5000 --seed 1
    python scripts/data/check_databases.py --roots 1 --seed 1 --from 4711     that root alone, again

Roots are of all scorings, shapes of boards and sizes of shards (`tests/late_roots.py`). Each is
built and verified; records are read by the package and by the reader in plain Python; every
position that can be reached is searched, and looked up alone, in a batch, by a search and by the
other readers; and `solve` is asked with the database for positions that are in it and for others.
The counts are printed as JSON.

Exit code: 0 nothing wrong, 1 something is; 2 the arguments make no sense.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from pathlib import Path

from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import late_roots  # noqa: E402


def main() -> int:
    """Check as many roots as were asked for."""
    parser = argparse.ArgumentParser(description="Check databases of random late roots.")
    parser.add_argument("--roots", type=int, default=100, help="how many; 100")
    parser.add_argument("--seed", type=int, default=1, help="another one, other roots; 1")
    parser.add_argument("--from", type=int, default=0, dest="begin", help="first root's number; 0")
    arguments = parser.parse_args()
    if arguments.roots < 1:
        parser.error(f"--roots {arguments.roots}: give 1 or more")
    if not 0 <= arguments.begin < late_roots.ROOTS_OF_A_SEED - arguments.roots:
        parser.error(f"--from {arguments.begin}: there are {late_roots.ROOTS_OF_A_SEED:,} roots")
    tally = late_roots.Tally()
    end = arguments.begin + arguments.roots
    with tempfile.TemporaryDirectory() as folder:
        for number in tqdm(range(arguments.begin, end), unit=" roots", mininterval=1):
            said = len(tally.problems)
            late_roots.check_root(
                late_roots.random_root(arguments.seed, number), Path(folder), tally
            )
            for problem in tally.problems[said:]:
                tqdm.write(f"root {number}: {problem}", file=sys.stderr)
    counts = dataclasses.asdict(tally)
    counts["problems"] = len(tally.problems)
    print(json.dumps({"roots": arguments.roots, "seed": arguments.seed, **counts}))
    whole = tally.built == tally.verified == arguments.roots
    return 0 if whole and not tally.problems else 1


if __name__ == "__main__":
    sys.exit(main())
