"""The folder beside a database that keeps a build's work, so that an interrupted build can go on.

Labels and proofs keep their unfinished work so as well; a target that is itself a folder holds its
own. The folder holds `plan.json`, which describes what is to be made, and what is needed again
after Ctrl-C, SIGKILL or a power cut. Every file is written atomically. Files of a build are
identified by name and CRC-32, so that it can tell whether its work is unchanged. Names and CRC-32
are in checkpoints: a line of JSON and a line with its own CRC-32. What labels and proofs keep is
MessagePack, after its SHA-256.

The file `lock` is locked while a build is at work, and names its process. The lock ends with the
process, however that ends; the file stays. Nothing is removed whose name is not one of `_OURS`.

Tasks of a killed build may still be running on other machines during the next build. If both builds
have the same plan, they write the same bytes. Otherwise the folder is emptied first. A task checks
the plan between writing a file and giving it its name: after the emptying it finds another plan or
none, and a file written before the emptying is gone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from ..core.closing import Closing
from ..core.files import file_crc32, is_passing, replacement, write_atomically
from ..core.locks import FileLock, beside
from ..core.version import __version__
from .container import VERSION, DatabaseError, name_of

Kept = tuple[str, int]
"""A file's name and CRC-32."""

_Content = TypeVar("_Content")

_PLAN: Final = "plan.json"
_LOCK: Final = "lock"
# The files in a build's folder before there is work in it, and after.
_NO_WORK: Final = {_PLAN, _LOCK, f"{_LOCK}.lock"}
# The names of all files that builds, labels and proofs put there.
_OURS: Final = re.compile(
    r"plan\.json|lock(\.lock)?|choices"
    r"|((layer|run|values|codes|part|solved|packed|contexts|marks)-[-0-9a-f]+|marks)(\.json)?"
)


def target_of(path: str | os.PathLike[str]) -> Path:
    """The file that a build with this path writes; links are followed.

    Raises:
        DatabaseError: if no file can be built there.
    """
    named = name_of(path)
    if named == "-":
        raise DatabaseError("-: a database is a file, and no stream; name one (./- is a file)")
    target = Path(os.path.realpath(named) if os.path.islink(named) else named)
    if not target.parent.is_dir():
        raise DatabaseError(f"{named}: there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise DatabaseError(f"{named}: a folder of that name is in the way; name another file")
    if target.exists() and not target.is_file():
        raise DatabaseError(f"{named}: a pipe or a device is in the way; name another file")
    return target


class BuildFolder(Closing):
    """A build's folder.

    Args:
        target: the database to be built; the folder has the same name with ".building" appended
            (a long name is cut).
        plan: all that must agree for one build to continue the work of another, as JSON.
        last: where the target is a folder, in which the work lies, the file that is made last.
            `clear` leaves what was made, and a folder with this file is made anew.

    Attributes:
        path: the folder's path.
    """

    def __init__(self, target: Path, plan: dict[str, Any], last: str | None = None) -> None:
        self._target: Final = target
        self._target_before: Final = _state_of(target)
        self._lock: FileLock | None = None
        self._last: Final = last
        self.path: Final = target if last else Path(beside(target, ".building"))
        self._plan = _whole(plan)

    def has_plan(self) -> bool:
        """Whether the folder holds work on this plan."""
        return self._loaded_plan() == self._plan

    def other_plan(self) -> dict[str, Any] | None:
        """The plan of the work in the folder, if it is not this build's; else None."""
        plan = self._loaded_plan()
        return None if plan == self._plan else plan

    def open(self, force: bool | None, files: Callable[[], Iterable[Kept]] = tuple) -> None:
        """Make the folder, or continue one that holds intact work on the same plan; lock it.

        Call `close` or `clear` when the work is done or given up.

        Args:
            force: throw away the work of another build; None for no, where nothing offers it.
            files: finds the files that are needed of this plan's work in the folder; if it raises
                anything, the work is not intact.

        Raises:
            DatabaseError: if the folder holds another build's work, another build is running, or
                one has just replaced the target, which nobody has looked at yet.
        """
        if self.path.exists() and not self.path.is_dir():
            raise DatabaseError(
                f"{self._target}: its work lies in {self.path}, where a file is in the way; remove "
                "that, or name another file"
            )
        if not force and not self._is_ours():
            raise self._in_the_way(force)
        self._begin_alone()
        if not force and not self._last and _state_of(self._target) != self._target_before:
            self.leave()
            raise DatabaseError(
                f"{self._target}: another process has written it meanwhile; see what it holds, "
                "then give the command again"
            )
        try:
            (self.path / _LOCK).write_text(str(os.getpid()), encoding="ascii")
            plan = self._loaded_plan()
            if plan == self._plan and self._has_all(files):
                for path in self.path.iterdir():
                    if is_passing(path.name):
                        path.unlink(missing_ok=True)
                return
            if plan not in (None, self._plan) and not force:
                raise self._in_the_way(force)
            self._empty()
            plan_file, content = self.path / _PLAN, [msgspec.json.encode(self._plan)]
            write_atomically(plan_file, content, sync=self._last is not None)
        except BaseException:
            self.close()
            raise

    def keep(self, name: str, what: object, *, sync: bool = True) -> None:
        """Keep something in place of what has been kept under that name.

        Without `sync` a power cut may lose it, as one may that comes a little earlier.
        """
        content = msgspec.msgpack.encode(what)
        chunks = [hashlib.sha256(content).digest(), content]
        write_atomically(self.path / name, chunks, sync=sync)

    def kept(self, name: str, kind: type[_Content]) -> _Content | None:
        """Return what was kept under a name; None if it is missing or damaged."""
        try:
            content = (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            return None
        return msgspec.msgpack.decode(content[32:], type=kind)

    def close(self) -> None:
        """Unlock the folder; its contents stay."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def leave(self) -> None:
        """Unlock the folder; it stays with its work, or goes if there is none."""
        with contextlib.suppress(FileNotFoundError):  # Ctrl-C came while it was being removed
            if self._lock and all(path.name in _NO_WORK for path in self.path.iterdir()):
                self.clear()
        self.close()

    def clear(self) -> None:
        """Remove the folder; after an interruption no build continues the rest of it.

        Files that others have put there stay, and the folder with them.
        """
        self._empty()
        (self.path / _LOCK).unlink()
        self.close()
        with contextlib.suppress(OSError):  # The next build may have begun in it.
            self.path.rmdir()

    def _empty(self) -> None:
        # Without a plan the rest is no work any more. On a full disk this can be done, too.
        (self.path / _PLAN).unlink(missing_ok=True)
        for path in self.path.iterdir():
            if _is_work(path.name) and path.name not in _NO_WORK:
                path.unlink(missing_ok=True)  # tasks of a killed build may be removing theirs

    def _is_ours(self) -> bool:
        """Whether only builds have put files there, by their names, the plan and the lock."""
        try:
            names = {path.name for path in self.path.iterdir()}
        except FileNotFoundError:
            return True
        known = self._loaded_plan() is not None or all(map(_is_work, names)) or self._last in names
        lock = (self.path / _LOCK).read_bytes() if _LOCK in names else b""
        return known and (not lock or lock.isdigit())

    def _in_the_way(self, force: bool | None) -> DatabaseError:
        if force is None:
            work, remedy = "other work", f"name another {'folder' if self._last else 'file'}"
        else:
            work, remedy = "the work of another build", "give --force"
        return DatabaseError(
            f"{self._target}: {work} is in the way, in {self.path}; remove that, or {remedy}"
        )

    def _begin_alone(self) -> None:
        """Make the folder if there is none, and keep other processes out of it."""
        path = self.path / _LOCK
        while self._lock is None:
            self.path.mkdir(exist_ok=True)
            try:
                with contextlib.suppress(FileNotFoundError):  # The folder was removed just now.
                    self._lock = FileLock(path)
            except BlockingIOError:
                pid = path.read_text(encoding="ascii", errors="replace")
                if pid.isdigit():
                    raise DatabaseError(
                        f"{self._target}: another process ({pid}) is building it now; wait for "
                        "that, or end it"
                    ) from None
                raise DatabaseError(
                    f"{self._target}: another process is building it now; wait for that, or end it"
                ) from None

    def _has_all(self, files: Callable[[], Iterable[Kept]]) -> bool:
        """Whether files are unchanged since they were written."""
        try:
            return all(file_crc32(self.path / name) == crc for name, crc in files())
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _loaded_plan(self) -> dict[str, Any] | None:
        try:
            plan = _plan_in(self.path)
        except (OSError, msgspec.DecodeError):
            return None
        return plan if isinstance(plan, dict) and "program" in plan else None


def _state_of(target: Path) -> tuple[int, int] | None:
    """What changes when a file is replaced; None if it is not there."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def _is_work(name: str) -> bool:
    """Whether a build may have put a file of this name into its folder."""
    return _OURS.fullmatch(name) is not None or is_passing(name)


def _plan_in(folder: Path) -> dict[str, Any]:
    plan: dict[str, Any] = msgspec.json.decode((folder / _PLAN).read_bytes())
    return plan


def write(path: Path, chunks: list[Any], plan: dict[str, Any] | None = None) -> Kept:
    """Write a file needed only until the build is done; return its name and CRC-32.

    A file that already has these bytes is not written again: others may be reading it.

    Args:
        path: the file.
        chunks: its content, piece by piece.
        plan: of the build, as given to its folder; None for the process that locks the folder.

    Raises:
        DatabaseError: if the folder belongs to another build by now.
        OSError: if the file cannot be written, or the folder is gone.
    """
    crc = 0
    for chunk in chunks:
        crc = zlib.crc32(chunk, crc)
    with contextlib.suppress(FileNotFoundError):
        size = sum(memoryview(chunk).nbytes for chunk in chunks)
        if file_crc32(path) == crc and os.stat(path).st_size == size:
            return path.name, crc
    with replacement(path, sync=False) as writing:
        with open(writing, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
        if plan is not None and _plan_in(path.parent) != _whole(plan):
            raise DatabaseError(f"{path}: the folder is another build's now")
    return path.name, crc


def _whole(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan as the folder stores it."""
    return {**plan, "version": VERSION, "program": __version__}


def save(path: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint."""
    text = msgspec.json.encode(content)
    write_atomically(path, [text, b"\n%08x\n" % zlib.crc32(text)], sync=False)


def load(path: Path) -> dict[str, Any]:
    """Read a checkpoint.

    Raises:
        OSError: if there is none.
        ValueError: if it has changed since it was written.
    """
    text, _, checksum = path.read_bytes().partition(b"\n")
    if checksum != b"%08x\n" % zlib.crc32(text):
        raise ValueError(f"{path}: the checkpoint is not as it was written")
    loaded: dict[str, Any] = msgspec.json.decode(text)
    return loaded
