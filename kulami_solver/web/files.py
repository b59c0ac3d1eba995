"""The files of the page, read once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .games import GamePage

__all__ = ["StaticFile", "static_files"]

_FOLDER: Final = Path(__file__).resolve().parent / "static"
_KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class StaticFile:
    """A file of the page: its bytes, their type, and a name that changes when they do."""

    content: bytes
    kind: str
    tag: str


def static_files(games: Iterable[GamePage]) -> dict[str, StaticFile]:
    """Return the page's files by their paths below `/static/`; no other path is ever opened.

    Examples:
        >>> static_files(())["index.html"].kind
        'text/html; charset=utf-8'
    """
    found = {}
    folders = [(_FOLDER, ""), *((game.folder / "static", f"{game.name}/") for game in games)]
    for folder, place in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _KINDS:
                content = path.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
                name = path.relative_to(folder).as_posix()
                found[place + name] = StaticFile(content, _KINDS[path.suffix], tag)
    return found
