"""What a run leaves for the next one: a growing file of results, and a folder of half-done work.

A file of results has one whole record on each line:

    {"journal": "check", "bot": "greedy", ..., "check": 90612}    what was asked
    {..., "check": 2774391071}                                    one result
    {..., "check": 1195214523}

Every line is an object, as JSON Lines have it. Besides the task, the first one has the bots'
"fingerprints" by their names: a file is not continued if one of the bots has changed. `check` of
the first line is the CRC-32 of that line without `check`, as `json.dumps` writes it. `check` of a
result is the CRC-32 of the first line and of the result without `check`, so that a result of
another file is recognised. A line left unfinished by a power cut is removed. Only one run at a time
can use the file.

If the file's name says that it is compressed, each line is packed by itself, so that it is on its
way to the disk at once; when the run ends, all of them become one, which is a third as long.

A folder of work lies beside the file to be made, which a build, labels and proofs make so; a target
that is itself a folder holds its own. It holds

    plan.json   what is to be made, as JSON: all that must agree for one run to go on with another's
    lock        locked while a run is at work, with the number of its process; the lock ends with
                the process, however that ends, and the file stays
    others      what is needed again after Ctrl-C, SIGKILL or a power cut, each written atomically:
                those of `save` have the SHA-256 of their MessagePack, then that; those of `write`
                are known by name and CRC-32, which a saved checkpoint has

Nothing is removed whose name is not one of `_OURS`.

Tasks of a killed build may still be running on other machines during the next build. If both builds
have the same plan, they write the same bytes. Otherwise the folder is emptied first. A task checks
the plan between writing a file and giving it its name: after the emptying it finds another plan or
none, and a file written before the emptying is gone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from ..core.closing import Closing
from ..core.compressed import is_compressed, open_text, packed
from ..core.files import file_crc32, is_passing, replacement, synced, write_atomically
from ..core.locks import FileLock, beside
from ..core.version import __version__
from ..errors import KulamiError, NotationError, quoted
from .container import VERSION, DatabaseError, name_of

Kept = tuple[str, int]
"""A file's name and CRC-32."""

_PLAN: Final = "plan.json"
_LOCK: Final = "lock"
# The files in a build's folder before there is work in it, and after.
_NO_WORK: Final = {_PLAN, _LOCK, f"{_LOCK}.lock"}
# The names of all files that builds, labels and proofs put there.
_OURS: Final = re.compile(
    r"plan\.json|lock(\.lock)?|choices"
    r"|((layer|run|values|codes|part|solved|packed|contexts|marks)-[-0-9a-f]+|marks)(\.kept)?"
)
# No line of such a file is as long as this, in bytes; a longer one is from another program.
_LONGEST: Final = 1 << 20


class ResultFile(Closing):
    """Results so far, and more of them.

    Args:
        path: the file; it is made if it is missing, and continued otherwise.
        header: the task. A file that begins with another header is left unchanged.
        fingerprints: by the names of the bots, see `fingerprint`.

    Attributes:
        known: the results that the file had.

    Raises:
        OSError: if the file cannot be read or written.
        KulamiError: if it holds results of another task or of an earlier version of a bot, is no
            such file, or another run is writing it.
        NotationError: if a line of it is damaged.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for number in (1, 2):
        ...         with ResultFile(Path(folder, "j.jsonl"), {"journal": "test"}) as results:
        ...             results.add({"result": number})
        ...     with ResultFile(Path(folder, "j.jsonl"), {"journal": "test"}) as results:
        ...         results.known
        [{'result': 1}, {'result': 2}]
    """

    def __init__(
        self,
        path: str | Path,
        header: Mapping[str, object],
        fingerprints: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.path = Path(path)
        self.known: list[dict[str, Any]] = []
        self._fingerprints = {} if fingerprints is None else dict(fingerprints)
        self._bound = 0  # the CRC-32 of the first line, which those of results continue
        self._cut = False  # whether the file ended within a line, or a member
        self._packed: Final = is_compressed(self.path)
        self._grown = False
        _check_kind(self.path)
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._locked())
            whole = self._read(dict(header))
            if self._packed and self._cut:
                self._pack(whole)  # it is another file now
                stack.close()
                stack.enter_context(self._locked())
            self._file = stack.enter_context(open(self.path, "ab", buffering=0))
            if not self._packed:
                self._file.truncate(whole)
            if not whole:
                self._begin(header)
            self._opened: Final = stack.pop_all()

    def _locked(self) -> FileLock:
        try:
            return FileLock(os.path.realpath(self.path))
        except BlockingIOError:
            raise KulamiError(
                f"{self.path} is in use by another run: wait for its end, or name another file"
            ) from None

    def _begin(self, header: Mapping[str, object]) -> None:
        first = self._first(header)
        self._bound = _check(first)
        self._write(_begun_with(first))

    def _first(self, header: Mapping[str, object]) -> dict[str, object]:
        """What the first line says, without its check."""
        told = {"fingerprints": self._fingerprints} if self._fingerprints else {}
        return {**header, **told}

    def _read(self, header: dict[str, object]) -> int:
        """Read the file line by line; return how many of its bytes are complete lines."""
        with contextlib.closing(self._lines()) as lines:
            first = next(lines, b"")
            begun = _begun_with(self._first(header)).encode()
            if begun.startswith(first) and not (self._cut and self._is_strange(begun)):
                self._cut = self._cut or bool(first)
                return 0  # nothing yet, or a line that a power cut left unfinished
            self._read_first(first, header)
            whole, number = len(first), 1
            for line in lines:
                number += 1
                if not line.endswith(b"\n") and len(line) < _LONGEST:
                    self._cut = True
                    break  # an unfinished line
                record = _record(line)
                check = None if record is None else record.pop("check", None)
                if record is None:
                    raise self.bad_line(number)
                if check != _check(record, self._bound):
                    raise self.bad_line(number, changed=True)
                self.known.append(record)
                whole += len(line)
        return whole

    def _lines(self) -> Generator[bytes, None, None]:
        """The lines of the file; of a compressed one that was cut off, those before the cut."""
        try:
            with open_text(self.path) as file:
                while line := file.readline(_LONGEST):
                    yield line
                # One that was ended before all of its members became one.
                self._grown = getattr(getattr(file, "raw", None), "members", 1) > 1
        except KulamiError as error:
            if error.code != "compressed_short":
                raise
            self._cut = True

    def _is_strange(self, begun: bytes) -> bool:
        """Whether a compressed file without a whole line is not the begin of ours."""
        return not packed(self.path, begun + b"\n").startswith(self.path.read_bytes())

    def _pack(self, whole: int) -> None:
        """Replace a compressed file by one with the first bytes of its content, as one member."""
        with open_text(self.path) as file:
            content = file.read(whole)
        write_atomically(self.path, [packed(self.path, content)] if content else [])

    def bad_line(
        self, number: int, what: str = "is damaged", changed: bool = False
    ) -> NotationError:
        """Return the error for a line that cannot be used; it says how to go on."""
        told = f"{self.path} line {number} {what}: delete that line to go on without it"
        return NotationError(f"{told}; this journal has been changed" if changed else told)

    def _read_first(self, line: bytes, header: dict[str, object]) -> None:
        """Compare the first line with the task and the bots."""
        record = _record(line) if line.endswith(b"\n") else None
        if record is None or record.get("journal") != header.get("journal"):
            raise NotationError(f"{self.path} is no file of results: name another one")
        check = record.pop("check", None)
        for key, value in header.items():
            if record.get(key) != value:
                raise KulamiError(
                    f"{self.path} holds results with {key} {_shown(record.get(key))}, not "
                    f"{_shown(value)}: name another file, or delete it"
                )
        self._bound = _check(record)
        if check != self._bound:
            raise NotationError(
                f"{self.path} line 1 is damaged: this journal has been changed; name another file, "
                "or delete it"
            )
        held, remedy = f"{self.path} holds results", "name another file, or delete it"
        check_bots(held, record.get("fingerprints"), self._fingerprints, remedy)

    def add(self, record: Mapping[str, object]) -> None:
        """Write one more result; it is on its way to the disk when this returns."""
        self._write(json.dumps({**record, "check": _check(record, self._bound)}))

    def _write(self, line: str) -> None:
        left = packed(self.path, line.encode() + b"\n")
        whole = self._file.seek(0, os.SEEK_END)
        try:
            while left:
                left = left[self._file.write(left) :]
        except BaseException:  # the disk is full, or Ctrl-C: other readers want whole lines
            self._file.truncate(whole)
            raise
        self._grown = True

    def close(self) -> None:
        """Write everything out."""
        with self._opened:
            if self._file.closed:
                return
            synced(self._file.fileno())
            if self._packed and self._grown:
                self._file.close()
                self._pack(-1)


def _begun_with(first: Mapping[str, object]) -> str:
    """The first line, without its end."""
    return json.dumps({**first, "check": _check(first)})


def _check_kind(path: Path) -> None:
    """Refuse a file that cannot be read and continued: a device, a pipe."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise NotationError(f"{path} is no file of results: name another one")


def _record(line: bytes) -> dict[str, Any] | None:
    """The JSON object in a line; None if there is none."""
    try:
        record = json.loads(line, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON, and nothing here writes it")


def _check(record: Mapping[str, object], bound: int = 0) -> int:
    """The CRC-32 of a line, continued from that of the first line."""
    return zlib.crc32(json.dumps(record).encode(), bound)


def _shown(value: object) -> str:
    if value is None:
        return "none"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def changes(before: object, now: Mapping[str, Any]) -> list[str]:
    """Return what differs between two fingerprints, in words; nothing if they are the same.

    Examples:
        >>> changes({"python": "3.10", "files": {}}, {"python": "3.11", "files": {"a.py": "0"}})
        ['python was 3.10 and is 3.11', 'a.py is new']
    """
    old = before if isinstance(before, Mapping) else {}
    said = []
    for key in sorted((old.keys() | now.keys()) - {"files"}):
        if old.get(key) == now.get(key):
            continue
        if key == "core":
            said.append("the code of kulami_solver has changed")
        else:
            said.append(f"{key} was {_said(old.get(key))} and is {_said(now.get(key))}")
    files = old.get("files")
    kept = files if isinstance(files, Mapping) else {}
    for file in sorted(kept.keys() | now["files"].keys()):
        if file not in now["files"]:
            said.append(f"{file} is gone")
        elif file not in kept:
            said.append(f"{file} is new")
        elif kept[file] != now["files"][file]:
            said.append(f"{file} has changed")
    return said


def check_bots(
    held: str, before: object, now: Mapping[str, Mapping[str, Any]], remedy: str
) -> None:
    """Refuse to go on with what bots have made that have changed since.

    Args:
        held: what is there, for the message.
        before, now: the fingerprints by the names of the bots.
        remedy: what to do.
    """
    kept = before if isinstance(before, Mapping) else {}
    for name, own in now.items():
        if found := changes(kept.get(name), own):
            more = f", and {len(found) - 3} more" if len(found) > 3 else ""
            raise KulamiError(
                f"{held} of {quoted(name)} as it was before ({', '.join(found[:3])}{more}): "
                f"{remedy}"
            )


def _said(value: object) -> str:
    return value if isinstance(value, str) and len(value) < 20 else quoted(value)


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
        stays: keep the folder also without work, for its plan tells that this has been checked.

    Attributes:
        path: the folder's path.
    """

    def __init__(
        self, target: Path, plan: dict[str, Any], last: str | None = None, *, stays: bool = False
    ) -> None:
        self._target: Final = target
        self._target_before: Final = _state_of(target)
        self._lock: FileLock | None = None
        self._last: Final = last
        self._stays: Final = stays
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

        Call `clear` when the work is done, and `close` in any case.

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
            self.close()
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
            self._unlock()
            raise

    def close(self) -> None:
        """Unlock the folder; it stays with its work and, unless it `stays`, goes without any."""
        with contextlib.suppress(FileNotFoundError):  # Ctrl-C came while it was being removed
            empty = all(path.name in _NO_WORK for path in self.path.iterdir())
            if self._lock and empty and not self._stays:
                self.clear()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def clear(self) -> None:
        """Remove the folder; after an interruption no build continues the rest of it.

        Files that others have put there stay, and the folder with them.
        """
        self._empty()
        (self.path / _LOCK).unlink()
        self._unlock()
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
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return False

    def _loaded_plan(self) -> dict[str, Any] | None:
        try:
            plan = _plan_in(self.path)
        except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
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


def save(path: Path, what: object, *, sync: bool = False) -> None:
    """Keep something in a file, in place of what has been kept there.

    Without `sync` a power cut may lose it, as one may that comes a little earlier.
    """
    content = msgspec.msgpack.encode(what)
    write_atomically(path, [hashlib.sha256(content).digest(), content], sync=sync)


def load(path: Path) -> Any:
    """Return what was saved in a file.

    Raises:
        OSError: if it cannot be read.
        DatabaseError: if there is none, or it has changed since it was written.
    """
    content = path.read_bytes() if path.exists() else b""
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        raise DatabaseError(f"{path} is damaged: remove it")
    return msgspec.msgpack.decode(content[32:])
