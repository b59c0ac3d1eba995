"""Make a folder of databases or proofs of solved boards, and a manifest of them.

    python scripts/data/build_folder.py FOLDER                   databases of all boards up to 4x5
    python scripts/data/build_folder.py FOLDER --family 4x4      only those of this size
    python scripts/data/build_folder.py FOLDER --board LAYOUT    of this board, at all scorings
    python scripts/data/build_folder.py FOLDER --proofs --family 5x6 --rows 20   proofs of 20 rows
    python scripts/data/build_folder.py FOLDER --check           compare the files with the manifest

Boards, scorings and values are the rows of the tables of `build_boards.py`, with --rows so many
drawn at random; each file has to have the value of its row. Proofs are checked as soon as they are
written. FOLDER/MANIFEST.json has for each file the board, the scoring, the value, positions or
steps, bytes and SHA-256. Files that are as it says are not made again: a run that was ended goes
on. `kulami probe --database FOLDER` asks the databases.
"""

from __future__ import annotations

import sys

try:
    import argparse
    import json
    import random
    from pathlib import Path
    from typing import Any, Final

    from build_boards import EVERY_SCORING, TABLES, alone, rows_of
    from tqdm import tqdm

    import kulami_solver as ks
    from kulami_solver.core.files import file_sha256, write_atomically
    from kulami_solver.kulami.proof.proof import open_proof
    from kulami_solver.kulami.prove import prove
except KeyboardInterrupt:
    sys.exit(130)


MANIFEST: Final = "MANIFEST.json"
Entry = dict[str, Any]


def listed_in(folder: Path) -> dict[str, Entry]:
    """What the manifest says of each file, by its name."""
    path = folder / MANIFEST
    entries: list[Entry] = json.loads(path.read_bytes()) if path.exists() else []
    return {entry["file"]: entry for entry in entries}


def is_as_said(folder: Path, entry: Entry) -> bool:
    """Whether a file is there, and as the manifest says."""
    path: Path = folder / entry["file"]
    return path.exists() and file_sha256(path) == entry["sha256"]


def made(path: Path, row: Entry, options: dict[str, Any]) -> Entry:
    """Make a file of a row, whose value it has to have; what the manifest says of it."""
    root, scoring = ks.Position(ks.Layout.parse(row["layout"])), row["scoring"]
    value: int | str
    if path.suffix == ".kdb":
        built = ks.build(path, root, scoring, **options)
        value, size = built.value, {"positions": built.positions}
    else:
        value = prove(path, root, scoring, **options).value
        with open_proof(path) as proof:
            checked = proof.verify()
        if not checked.ok:
            raise SystemExit(f"{path}: the proof does not hold")
        size = {"steps": checked.steps}
    if row.get("value") not in (None, str(value)):
        raise SystemExit(f"{path} has the value {value}, and the table says {row['value']}")
    told = {"file": path.name, "layout": row["layout"], "scoring": scoring, "value": value, **size}
    return {**told, "bytes": path.stat().st_size, "sha256": file_sha256(path)}


def make(rows: list[Entry], folder: Path, suffix: str, options: dict[str, Any]) -> None:
    """Make what is not there, and write the manifest anew after each file."""
    folder.mkdir(parents=True, exist_ok=True)
    with alone(folder / "lock"):
        known = listed_in(folder)
        for row in tqdm(rows, unit=" boards", delay=2, disable=None):
            name = f"{row['layout'].replace('/', '-')}-{row['scoring']}{suffix}"
            if name not in known or not is_as_said(folder, known[name]):
                (folder / name).unlink(missing_ok=True)
                known[name] = made(folder / name, row, options)
                text = ",\n".join(json.dumps(known[name]) for name in sorted(known))
                write_atomically(folder / MANIFEST, [f"[\n{text}\n]\n".encode("ascii")])
        (folder / "lock").unlink()


def main() -> int:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--proofs", action="store_true", help="in place of databases")
    parser.add_argument("--family", metavar="RxC", help="only boards of this size")
    parser.add_argument("--board", metavar="LAYOUT", help="only this board, at all scorings")
    parser.add_argument("--rows", metavar="N", type=int, help="so many, drawn at random")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", help="what a build or a search may use")
    parser.add_argument("--check", action="store_true", help="only compare what is there")
    args = parser.parse_args()
    if args.check:
        entries = listed_in(args.folder)
        wrong = [name for name, entry in entries.items() if not is_as_said(args.folder, entry)]
        print(*(f"{name} is not as the manifest says" for name in wrong), sep="\n", end="")
        return int(bool(wrong))
    tables = TABLES.values() if args.family else [TABLES["small"]]
    rows: list[Entry] = [row for table in tables for row in rows_of(table.path)]
    if args.board:
        rows = [{"layout": args.board, "scoring": scoring} for scoring in EVERY_SCORING]
    if args.family:
        height, width = map(int, args.family.split("x"))
        shape = [width] * height
        rows = [row for row in rows if [*map(len, row["layout"].split("/"))] == shape]
    if args.rows:
        rows = random.Random(1).sample(rows, args.rows)
    options = {"threads": args.threads, "memory": args.memory}
    try:
        make(rows, args.folder, ".kpf" if args.proofs else ".kdb", options)
    except KeyboardInterrupt:
        print("interrupted; the files that are done are kept: run it again", file=sys.stderr)
        return 130
    made_of = listed_in(args.folder).values()
    print(f"{len(made_of)} files, {sum(entry['bytes'] for entry in made_of):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
