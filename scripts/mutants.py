#!/usr/bin/env python3
"""Make seeded mistakes in a copy of the tree, one at a time, and see whether the tests notice.

    python scripts/mutants.py                  all of scripts/mutants.txt
    python scripts/mutants.py --only malawi    those whose phrase or file has this pattern
    python scripts/mutants.py --list           only look whether each text is where it should be

A mistake is caught if a test fails that docs/contributing.md names for the room of its file, while
all of them pass without it. One that survives shows what no test asks for. Nothing in the tree
itself is changed, so there is nothing to put right after Ctrl-C.

mutmut and cosmic-ray make such mistakes by themselves, but in Python files alone: they read neither
.pyx nor .pxd, compile nothing, and half of the work here is compiled. They also make thousands of
mistakes, each of which would cost a compilation. These here are some 150 that somebody might
make: a bound off by one, a key without a word, a panel that is not barred.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTED = ROOT / "scripts" / "mutants.txt"
GUIDE = ROOT / "docs" / "contributing.md"
SOURCES = ("ext/kulami_solver/", "kulami_solver/")
# Left out of the copy, and what the tests and compilation leave there.
_ASIDE = shutil.ignore_patterns(".git", ".venv", ".mypy_cache", ".ruff_cache", ".hypothesis")
# A mistake may let a search run forever: tests may take so many times as long, and so many seconds.
_TIMES_AS_LONG, _AT_LEAST = 5, 60


@dataclass(frozen=True)
class Mutant:
    """A mistake: what it is in a phrase, the file, and the text that takes another's place."""

    phrase: str
    file: str
    old: str
    new: str

    @property
    def fault(self) -> str:
        """Why it cannot be made; empty if it can."""
        path = ROOT / self.file
        found = path.read_text(encoding="utf-8").count(self.old) if path.is_file() else -1
        return {-1: "no such file", 0: "the text is not there", 1: ""}.get(
            found, f"the text is there {found} times"
        )


def listed() -> list[Mutant]:
    """The mistakes of scripts/mutants.txt."""
    blocks = LISTED.read_text(encoding="utf-8").split("\n\n")
    return [_read(block.splitlines()) for block in blocks if not block.startswith("#")]


def _read(lines: list[str]) -> Mutant:
    phrase, file, *rest = lines
    old, new = (
        "\n".join(line[2:] for line in rest if line.startswith(sign)) for sign in ("- ", "+ ")
    )
    return Mutant(phrase, file, old, new)


@functools.cache
def rooms() -> dict[str, tuple[str, ...]]:
    """The tests of each room, by its folder below kulami_solver/, as docs/contributing.md says."""
    section = GUIDE.read_text(encoding="utf-8").partition("\n## Tests of a room\n")[2]
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", section.partition("\n## ")[0], re.MULTILINE)
    return {room.strip("/"): tuple(re.findall(r"`([^`]+)`", tests)) for room, tests in rows}


def room_of(file: str) -> str:
    """The room that a file lies in.

    Examples:
        >>> room_of("ext/kulami_solver/kulami/solve/table.pxd"), room_of("kulami_solver/game.py")
        ('kulami/solve', '.')
    """
    folder = Path(file.removeprefix("ext/").removeprefix("kulami_solver/")).parent
    return next(str(one) for one in (folder, *folder.parents) if str(one) in rooms())


class Copy:
    """A compiled copy of the tree, in which mistakes are made."""

    def __init__(self, folder: Path) -> None:
        self._sound, self._tree = folder / "sound", folder / "tree"
        shutil.copytree(ROOT, self._sound, ignore=_ASIDE)
        fault = self._compile(self._sound)
        if fault:
            raise SystemExit(f"the tree does not compile:\n{fault}")
        shutil.copytree(self._sound, self._tree)

    def _run(self, command: list[str], tree: Path, limit: float | None) -> tuple[int, str]:
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=limit)
        except BaseException as error:
            os.killpg(process.pid, 9)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                return 1, "FAILED: not done in time"
            raise
        return process.returncode, said

    def _compile(self, tree: Path) -> str:
        """Compile what has changed; what the compiler says if it fails."""
        code, said = self._run(["setup.py", "-q", "build_ext", "--inplace"], tree, None)
        return said if code else ""

    def test(self, room: str, limit: float | None = None) -> str:
        """Run a room's tests; the first that fails, or nothing."""
        options = ["-m", "pytest", "-q", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
        code, said = self._run([*options, *rooms()[room]], self._tree, limit)
        if not code:
            return ""
        failed = re.search(r"^(?:FAILED|ERROR)[ :]+(\S.*?)(?: - .*)?$", said, re.MULTILINE)
        return failed[1] if failed else f"pytest ends with {code}: {said[-300:]}"

    def make(self, mutant: Mutant) -> str:
        """Make a mistake; what the compiler says if it refuses it."""
        path = self._tree / mutant.file
        text = path.read_text(encoding="utf-8").replace(mutant.old, mutant.new)
        path.write_text(text, encoding="utf-8")
        return self._compile(self._tree) if mutant.file.startswith("ext/") else ""

    def restore(self) -> None:
        """Put back all files that have changed."""
        for sound in self._sound.rglob("*"):
            there = self._tree / sound.relative_to(self._sound)
            if sound.is_file() and (
                not there.exists() or there.stat().st_mtime_ns != sound.stat().st_mtime_ns
            ):
                shutil.copy2(sound, there)


def tried(copy: Copy, mutants: list[Mutant], trust: bool) -> Iterator[tuple[Mutant, str, str]]:
    """Each mistake with its fate, and the test that has caught it or what the matter is."""
    limits: dict[str, float] = {}
    for mutant in mutants:
        room = room_of(mutant.file)
        if room not in limits and not trust:
            begun = time.monotonic()
            failed = copy.test(room)
            if failed:
                raise SystemExit(f"{room}: {failed} fails without any mistake")
            limits[room] = _AT_LEAST + _TIMES_AS_LONG * (time.monotonic() - begun)
            print(f"{room}: its tests take {time.monotonic() - begun:.0f} s", flush=True)
        try:
            fault = mutant.fault or copy.make(mutant)
            caught = "" if fault else copy.test(room, limits.get(room))
        finally:
            copy.restore()
        yield mutant, "NOT MADE" if fault else "caught" if caught else "SURVIVED", fault or caught


def main() -> int:
    """Try the mistakes; 1 if one survives or cannot be made."""
    about, _, details = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", metavar="PATTERN", help="those that it is found in")
    parser.add_argument("--list", action="store_true", help="make none")
    trust = "take for granted that all tests pass without a mistake, and end, however long it takes"
    parser.add_argument("--trust", action="store_true", help=trust)
    args = parser.parse_args()
    chosen = [one for one in listed() if re.search(args.only, f"{one.phrase}\n{one.file}")]
    if args.list:
        for one in chosen:
            print(f"{room_of(one.file):16} {one.phrase}{f'  ({one.fault})' if one.fault else ''}")
        return int(any(one.fault for one in chosen))
    fates = {"caught": 0, "SURVIVED": 0, "NOT MADE": 0}
    with tempfile.TemporaryDirectory(prefix="kulami-mutants-") as folder:
        begun = time.monotonic()
        for mutant, fate, why in tried(Copy(Path(folder)), chosen, args.trust):
            seconds, begun = time.monotonic() - begun, time.monotonic()
            print(f"{fate:8} {seconds:4.0f} s  {mutant.phrase}\n{'':17}{why}", flush=True)
            fates[fate] += 1
    print(", ".join(f"{count} {fate}" for fate, count in fates.items()))
    return int(fates["caught"] < len(chosen))


if __name__ == "__main__":
    sys.exit(main())
