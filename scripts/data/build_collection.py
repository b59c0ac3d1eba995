"""Make a folder of databases: every essentially different small board, and a manifest of them.

    python scripts/data/build_collection.py FOLDER                   all boards up to 4x5: 599
    python scripts/data/build_collection.py FOLDER --family 4x4      only this family
    python scripts/data/build_collection.py FOLDER --board LAYOUT    this board, at all scorings
    python scripts/data/build_collection.py FOLDER --check           compare the files with it

Families and their scorings are those of `build_small_boards.py`. FOLDER/MANIFEST.json has for each
file the board, the scoring, the value, positions, bytes and SHA-256. Files that are there and named
in it are not built again: a run that was ended goes on. `kulami probe --database FOLDER` asks them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any, Final

from build_small_boards import EVERY_SCORING, FAMILIES, Case, cases
from tqdm import tqdm

import kulami_solver as ks
from kulami_solver.core.files import file_sha256, write_atomically

MANIFEST: Final = "MANIFEST.json"
Entry = dict[str, Any]


def file_of(case: Case) -> str:
    """The name of a board's file."""
    layout, scoring = case
    return f"{layout.replace('/', '-')}-{ks.Scoring.parse(scoring).name.lower()}.kdb"


def listed_in(folder: Path) -> dict[str, Entry]:
    """What the manifest says of each file, by its name."""
    path = folder / MANIFEST
    entries: list[Entry] = json.loads(path.read_bytes()) if path.exists() else []
    return {entry["file"]: entry for entry in entries}


def made(case: Case, folder: Path, **options: Any) -> Entry:
    """Build a case's database and say what it took; what the manifest says of it."""
    layout, scoring = case
    path = folder / file_of(case)
    begun = time.process_time()
    built = ks.build(path, ks.Position(ks.Layout.parse(layout)), scoring, **options)
    took = time.process_time() - begun
    tqdm.write(f"{path.name}: built in {took:.1f} s of processor time", file=sys.stderr)
    return {
        "file": path.name,
        "layout": layout,
        "scoring": scoring,
        "value": built.value,
        "positions": built.positions,
        "bytes": path.stat().st_size,
        "sha256": file_sha256(path),
    }


def make(listed: list[Case], folder: Path, **options: Any) -> None:
    """Build what is not there, and write the manifest anew after each file."""
    folder.mkdir(exist_ok=True)
    known = listed_in(folder)
    for case in tqdm(listed, unit=" boards", delay=2, disable=None):
        name = file_of(case)
        if name not in known or not (folder / name).exists():
            known[name] = made(case, folder, **options)
            text = ",\n".join(json.dumps(known[name]) for name in sorted(known))
            write_atomically(folder / MANIFEST, [f"[\n{text}\n]\n".encode("ascii")])


def wrong(folder: Path) -> list[str]:
    """The files that are not as the manifest says, or not there."""
    return [
        name
        for name, entry in listed_in(folder).items()
        if not (folder / name).exists() or file_sha256(folder / name) != entry["sha256"]
    ]


def main() -> int:
    """Run as a script."""
    parser = argparse.ArgumentParser(description="Make a folder of databases of small boards.")
    parser.add_argument("folder", type=Path)
    names = {f"{height}x{width}": (height, width) for height, width in FAMILIES}
    parser.add_argument("--family", choices=names, help="only this family")
    parser.add_argument("--board", metavar="LAYOUT", help="only this board, at all scorings")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", help="what a build may use")
    parser.add_argument("--check", action="store_true", help="only compare what is there")
    arguments = parser.parse_args()
    if arguments.check:
        found = wrong(arguments.folder)
        print(*(f"{name} is not as the manifest says" for name in found), sep="\n", end="")
        return 1 if found else 0
    if arguments.board:
        listed = list(itertools.product([arguments.board], EVERY_SCORING))
    else:
        listed = cases([names[arguments.family]] if arguments.family else FAMILIES)
    options = {"threads": arguments.threads, "memory": arguments.memory}
    make(listed, arguments.folder, **options)
    entries = listed_in(arguments.folder).values()
    print(f"{len(entries)} files, {sum(entry['bytes'] for entry in entries):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
