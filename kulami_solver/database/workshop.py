"""The folder beside a database in which a build keeps its work, and takes it up again.

It holds `plan.json`, which says what is being built, and whatever files the build wants to find
again after its end, be it Ctrl-C, SIGKILL or a power cut. Every file is written atomically and
known by its name and CRC-32, so that a build can tell whether its work is as it left it.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from .format import VERSION, DatabaseError, write_atomically

__all__ = ["Kept", "Workshop"]

Kept = tuple[str, int]
"""A file's name and CRC-32."""

# What stands in place of a plan while its folder is being removed.
_WASTE: Final = {"plan": "removed"}


class Workshop:
    """A build's folder.

    Args:
        target: the database to be built; the folder is called as it is, with ".building" behind.
        plan: all that has to agree for one build to go on with the work of another, as JSON has it.
    """

    def __init__(self, target: Path, plan: dict[str, Any]) -> None:
        from .. import __version__

        self.folder: Final = Path(str(target) + ".building")
        self._plan = {**plan, "version": VERSION, "program": __version__}

    def has_plan(self) -> bool:
        """Whether the folder holds work on this plan."""
        return self._loaded_plan() == self._plan

    def open(self, intact: Callable[[], bool], force: bool) -> None:
        """Make the folder, or take up one that holds intact work on the same plan.

        Args:
            intact: whether the work in the folder, of this plan, is as it was left.
            force: throw away the work of another build.

        Raises:
            DatabaseError: if another build's work is in the way.
        """
        if self.folder.is_dir():
            same = self.has_plan()
            if same and intact():
                return
            # A build that was killed at once leaves a folder with nothing in it.
            begun = {path.name for path in self.folder.iterdir()} - {"plan.json.tmp"}
            if begun and not same and not force and self._loaded_plan() != _WASTE:
                raise DatabaseError(
                    f"{self.folder}: the work of another build is in the way; remove it, or give "
                    "--force"
                )
            self.clear()
        self.folder.mkdir()
        self.save("plan.json", self._plan)

    def clear(self) -> None:
        """Remove the folder so that, ended on the way, nothing in it is taken up again."""
        self.save("plan.json", _WASTE)
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != "plan.json":
                path.unlink()
        (self.folder / "plan.json").unlink()
        self.folder.rmdir()

    def save(self, name: str, content: dict[str, Any]) -> None:
        """Write a checkpoint."""
        save(self.folder / name, content)

    def has(self, name: str) -> bool:
        """Whether there is a file of that name."""
        return (self.folder / name).exists()

    def load(self, name: str) -> dict[str, Any]:
        """Read a checkpoint."""
        return load(self.folder / name)

    def write(self, name: str, chunks: list[Any]) -> Kept:
        """Write a file of the work."""
        return write(self.folder / name, chunks)

    def is_intact(self, kept: Kept) -> bool:
        """Whether a file is as it was written."""
        name, crc = kept
        return _crc(self.folder / name) == crc

    def _loaded_plan(self) -> dict[str, Any] | None:
        try:
            return self.load("plan.json")
        except (OSError, ValueError):
            return None


def write(path: Path, chunks: list[Any]) -> Kept:
    """Write a file that only matters until the build is done; its name and CRC-32."""
    crc = 0
    for chunk in chunks:
        crc = zlib.crc32(chunk, crc)
    write_atomically(path, chunks, sync=False)
    return path.name, crc


def save(path: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint."""
    write_atomically(path, [json.dumps(content).encode("ascii")], sync=False)


def load(path: Path) -> dict[str, Any]:
    """Read a checkpoint.

    Raises:
        OSError, ValueError: if there is none, or it is no JSON.
    """
    loaded: dict[str, Any] = json.loads(path.read_bytes())
    return loaded


def _crc(path: Path) -> int:
    crc = 0
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            crc = zlib.crc32(chunk, crc)
    return crc
