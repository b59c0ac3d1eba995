"""Files of JSON lines that a script makes: written, or compared with what is there."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write_or_compare(folder: Path, suites: Mapping[str, Callable[[], Iterable[str]]]) -> None:
    """Write, or with ``--check`` compare, the files named on the command line, or all of them.

    Args:
        folder: where they lie.
        suites: what makes the lines of each file, by its name.
    """
    where = folder.relative_to(ROOT)
    parser = argparse.ArgumentParser(description=f"Write {where}/*.jsonl.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(suites)}")
    parser.add_argument("--check", action="store_true", help="only compare with what is there")
    arguments = parser.parse_args()
    for name in arguments.names or suites:
        if name not in suites:
            parser.error(f"there is no suite {name}; there are {', '.join(suites)}")
        lines = list(suites[name]())
        path = folder / f"{name}.jsonl"
        if not arguments.check:
            folder.mkdir(exist_ok=True)
            path.write_text("".join(lines), encoding="ascii")
        elif path.read_text(encoding="ascii") != "".join(lines):
            raise SystemExit(f"{where / path.name} differs")
        print(f"{where / path.name}: {len(lines)} lines", flush=True)
