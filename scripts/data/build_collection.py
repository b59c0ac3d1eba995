"""Make a folder of databases: every essentially different small board, and a manifest of them.

    python scripts/data/build_collection.py FOLDER                   all boards up to 4x5: 599
    python scripts/data/build_collection.py FOLDER --family 4x4      only this family
    python scripts/data/build_collection.py FOLDER --compact         the files without keys
    python scripts/data/build_collection.py FOLDER --check           compare the files with it

Families and their scorings are those of `build_small_boards.py`. FOLDER/MANIFEST.json has for each
file the board, the scoring, the value, positions, bytes and SHA-256. Files that are there and named
in it are not built again: a run that was ended goes on. `kulami probe --database FOLDER` asks them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from build_small_boards import FAMILIES, Case, cases
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


def made(case: Case, folder: Path, threads: int, compact: bool) -> Entry:
    """Build a case's database; what the manifest says of it."""
    layout, scoring = case
    path = folder / file_of(case)
    built_at = path.with_suffix(".full") if compact else path
    built = ks.build(built_at, ks.Position(ks.Layout.parse(layout)), scoring, threads=threads)
    if compact:
        ks.compact(built_at, path)
        built_at.unlink()
    return {
        "file": path.name,
        "layout": layout,
        "scoring": scoring,
        "value": built.value,
        "positions": built.positions,
        "bytes": path.stat().st_size,
        "sha256": file_sha256(path),
    }


def make(listed: list[Case], folder: Path, threads: int, compact: bool) -> None:
    """Build what is not there, and write the manifest anew after each file."""
    folder.mkdir(exist_ok=True)
    known = listed_in(folder)
    for case in tqdm(listed, unit=" boards", delay=2, disable=None):
        name = file_of(case)
        if name not in known or not (folder / name).exists():
            known[name] = made(case, folder, threads, compact)
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
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--compact", action="store_true", help="without keys")
    parser.add_argument("--check", action="store_true", help="only compare what is there")
    arguments = parser.parse_args()
    if arguments.check:
        found = wrong(arguments.folder)
        print(*(f"{name} is not as the manifest says" for name in found), sep="\n", end="")
        return 1 if found else 0
    families = [names[arguments.family]] if arguments.family else list(FAMILIES)
    make(cases(families), arguments.folder, arguments.threads, arguments.compact)
    entries = listed_in(arguments.folder).values()
    print(f"{len(entries)} files, {sum(entry['bytes'] for entry in entries):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
