"""A file of results that grows as they come, so that what was interrupted can go on.

    # {"journal": "check", "bot": "greedy", ..., "checks": true}    what was asked
    {..., "check": 2774391071}                                       one result
    {..., "check": 1195214523}

Besides what was asked, the first line says what the bots were, as "fingerprints" by their names: a
file is not taken up when one of them has changed. `check` is the CRC-32 of a result without it, as
`json.dumps` writes it; files begun by older versions have results without.

Whoever reads JSON lines and skips comments can read the results. A line that was not finished when
the power went is cut off. Only one run at a time can have the file.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.closing import Closing
from ..errors import KulamiError, NotationError, quoted

__all__ = ["ResultFile", "changes"]


class ResultFile(Closing):
    """Results so far, and more of them.

    Args:
        path: the file; it is made if it is not there, and continued if it is.
        header: what was asked. A file that begins with something else is left alone.
        fingerprints: by the names of the bots, see `fingerprint`.

    Attributes:
        known: the results that were there.
        told: whether the file says what the bots were; those begun by older versions do not.

    Raises:
        OSError: if the file cannot be read or written.
        KulamiError: if it holds results of something else, or of a bot as it was before it
            changed, is no such file, or another run is writing it.
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
        self.told = True
        self._fingerprints = {} if fingerprints is None else dict(fingerprints)
        self._file = open(self.path, "ab")  # noqa: SIM115  (closed by close)
        try:
            self._lock()
            whole = self._read(dict(header))
            if self._file.seekable():
                self._file.truncate(whole)
            if not whole:
                told = {"fingerprints": self._fingerprints} if self._fingerprints else {}
                self._write("# " + json.dumps({**header, **told, "checks": True}))
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        """Keep other runs out until the file is closed; closing it lets them in."""
        try:
            import fcntl
        except ImportError:  # a system without such locks
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise KulamiError(
                f"{self.path} is in use by another run: wait for its end, or name another file"
            ) from None
        except OSError:  # a file system without them
            pass

    def _read(self, header: dict[str, object]) -> int:
        """Read what is there; return how many bytes of it are whole lines."""
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        checked = False
        if content and not whole:
            raise NotationError(f"{self.path} is no file of results: name another one")
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                text = line.removeprefix(b"# ") if number == 1 else line
                record = json.loads(text, parse_constant=_refused)
            except (ValueError, RecursionError):
                record = None
            if number == 1 and not isinstance(record, dict):
                raise NotationError(f"{self.path} is no file of results: name another one")
            if number > 1:
                check = record.pop("check", None) if isinstance(record, dict) else None
                if not isinstance(record, dict) or (
                    (checked or check is not None) and check != _check(record)
                ):
                    raise NotationError(
                        f"{self.path} line {number} is damaged: delete that line to go on without "
                        "it"
                    )
                self.known.append(record)
                continue
            checked = "checks" in record
            if record.get("journal") != header.get("journal"):
                raise NotationError(f"{self.path} is no file of results: name another one")
            for key, value in header.items():
                if record.get(key) != value:
                    raise KulamiError(
                        f"{self.path} holds results with {key} {_shown(record.get(key))}, not "
                        f"{_shown(value)}: name another file, or delete it"
                    )
            self._compare(record.get("fingerprints"))
        return whole

    def _compare(self, fingerprints: object) -> None:
        """See whether the bots are what they were."""
        self.told = not self._fingerprints or fingerprints is not None
        if not self.told:
            return
        before = fingerprints if isinstance(fingerprints, dict) else {}
        for name, now in self._fingerprints.items():
            found = changes(before.get(name), now)
            if found:
                more = f", and {len(found) - 3} more" if len(found) > 3 else ""
                raise KulamiError(
                    f"{self.path} holds results of {quoted(name)} as it was before "
                    f"({', '.join(found[:3])}{more}): name another file, or delete it"
                )

    def add(self, record: Mapping[str, object]) -> None:
        """Write one more result; it is on its way to the disk when this returns."""
        self._write(json.dumps({**record, "check": _check(record)}))

    def _write(self, line: str) -> None:
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Write everything out."""
        if not self._file.closed:
            if self._file.seekable():
                os.fsync(self._file.fileno())
            self._file.close()


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON, and nothing here writes it")


def _check(record: Mapping[str, object]) -> int:
    return zlib.crc32(json.dumps(record).encode())


def _shown(value: object) -> str:
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


def _said(value: object) -> str:
    return value if isinstance(value, str) and len(value) < 20 else quoted(value)
