"""A growing file of results, so that an interrupted run can go on.

    {"journal": "check", "bot": "greedy", ..., "check": 90612}    what was asked
    {..., "check": 2774391071}                                    one result
    {..., "check": 1195214523}

Every line is an object, as JSON Lines have it. Besides the task, the first one has the bots'
"fingerprints" by their names: a file is not continued if one of the bots has changed. `check` of
the first line is the CRC-32 of that line without `check`, as `json.dumps` writes it. `check` of a
result is the CRC-32 of the first line and of the result without `check`, so that a result of
another file is recognised.

If the file's name says that it is compressed, each line is packed by itself, so that it is on its
way to the disk at once; when the run ends, all of them become one, which is a third as long.

A line left unfinished by a power cut is removed. Only one run at a time can use the file.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import zlib
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, Final

from ..core.closing import Closing
from ..core.compressed import is_compressed, open_text, packed
from ..core.files import synced, write_atomically
from ..core.locks import FileLock
from ..errors import KulamiError, NotationError, quoted

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
        before = record.get("fingerprints")
        before = before if isinstance(before, dict) else {}
        for name, now in self._fingerprints.items():
            found = changes(before.get(name), now)
            if found:
                raise KulamiError(
                    f"{self.path} holds results of {quoted(name)} as it was before "
                    f"({listed(found)}): name another file, or delete it"
                )

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


def listed(found: list[str]) -> str:
    """The first three of some changes, and how many more there are."""
    more = f", and {len(found) - 3} more" if len(found) > 3 else ""
    return ", ".join(found[:3]) + more


def _said(value: object) -> str:
    return value if isinstance(value, str) and len(value) < 20 else quoted(value)
