"""The files of the page, which are read once."""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .games import GamePage

_FOLDER: Final = Path(__file__).resolve().parent / "static"
_SENTENCES: Final = _FOLDER.parent.parent / "sentences"
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


def static_files(games: Sequence[GamePage]) -> dict[str, StaticFile]:
    """Return the page's files by their paths below `/static/`; no other path is ever opened.

    Examples:
        >>> static_files(())["index.html"].kind
        'text/html; charset=utf-8'
    """
    found = {}
    own = [
        game
        for game in games
        if (game.folder / "static").is_dir() and game.folder != _FOLDER.parent
    ]
    folders = [(_FOLDER, ""), (_SENTENCES, "sentences/")]
    folders += [(game.folder / "static", f"{game.name}/") for game in own]
    for folder, place in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _KINDS:
                content = path.read_bytes()
                if path.suffix == ".html":
                    content = _filled(content, games, own)
                tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
                name = path.relative_to(folder).as_posix()
                found[place + name] = StaticFile(content, _KINDS[path.suffix], tag)
    return found


def addresses(games: Sequence[GamePage]) -> dict[str, str]:
    """Return the addresses of all pages, each with its file among `static_files`.

    Examples:
        >>> addresses(())
        {'/': 'index.html'}
    """
    found = {"/": "index.html"}
    for game in games:
        if _has(game, "rules/page.json"):
            found[f"/rules/{game.name}/"] = "rules/page.html"
        if _has(game, "puzzles/page.html"):
            found[f"/puzzles/{game.name}/"] = f"{game.name}/puzzles/page.html"
    return found


def _has(game: GamePage, name: str) -> bool:
    """Whether a game has a file of this name in its `static/`."""
    return (game.folder / "static" / name).exists()


def _usual(game: GamePage) -> str:
    """The usual options of a game that a position does not say, for an attribute."""
    about = game.descriptor
    said = {one.name: one.default for one in about.options if one.name not in about.written}
    return html.escape(json.dumps(said))


def _filled(content: bytes, games: Sequence[GamePage], own: Collection[GamePage]) -> bytes:
    """Fill the shared parts into a page: games, preloaded modules, the reader's choices."""
    ruled = [game for game in own if _has(game, "rules/page.json")]
    brings = {game: ' data-own="rules"' if game in ruled else " data-own" for game in own}
    options = "\n".join(
        f'        <option value="{game.name}"{brings.get(game, "")} data-usual="{_usual(game)}">'
        f"{html.escape(game.descriptor.title)}</option>"
        for game in games
    )
    rules = "\n".join(
        f'    <a href="../{game.name}/" data-game="{game.name}">'
        f"{html.escape(game.descriptor.title)}</a>"
        for game in ruled
    )
    preload = "\n".join(
        f'<link rel="modulepreload" href="static/{game.name}/{name}">'
        for game in games[:1]
        for name in game.preloaded
    )
    reader = (_FOLDER / "reader.html").read_text(encoding="utf-8").rstrip()
    parts = {"games": options, "rules": rules, "preload": preload, "reader": reader}
    text = content.decode()
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    return text.encode()
