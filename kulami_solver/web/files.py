"""The files of the page, read once; and the small boards whose values come with the package."""

from __future__ import annotations

import csv
import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..errors import KulamiError

__all__ = ["StaticFile", "small_boards", "static_files"]

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_FOLDER: Final = Path(__file__).resolve().parent / "static"
_KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_SMALL_BOARDS: Final = "small-boards.csv"


@dataclass(frozen=True)
class StaticFile:
    """A file of the page: its bytes, their type, and a name that changes when they do."""

    content: bytes
    kind: str
    tag: str


def static_files() -> dict[str, StaticFile]:
    """Return the page's files by their paths below `static/`; no other path is ever opened.

    Examples:
        >>> static_files()["index.html"].kind
        'text/html; charset=utf-8'
    """
    found = {}
    for path in sorted(_FOLDER.rglob("*")):
        if path.suffix in _KINDS:
            content = path.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            name = path.relative_to(_FOLDER).as_posix()
            found[name] = StaticFile(content, _KINDS[path.suffix], tag)
    return found


@functools.lru_cache(maxsize=1)
def small_boards() -> list[dict[str, Any]]:
    """Return the small layouts, each with its value to the side that begins, by scoring.

    Raises:
        KulamiError: if the table did not come with this installation.

    Examples:
        >>> small_boards()[0]
        {'layout': 'AAA/AAA/BBB', 'values': {'0': 3, '1': 3, '2': 3, 'chains': 3}}
    """
    for folder in (_PACKAGE / "data", _PACKAGE.parent / "data"):
        if (folder / _SMALL_BOARDS).is_file():
            break
    else:
        raise KulamiError(
            f"the table of small boards, data/{_SMALL_BOARDS}, did not come with this "
            "installation: install the package again"
        )
    found: dict[str, dict[str, int]] = {}
    with open(folder / _SMALL_BOARDS, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["layout"], {})[row["scoring"]] = int(row["value"])
    return [{"layout": layout, "values": values} for layout, values in found.items()]
