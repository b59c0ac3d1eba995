#!/usr/bin/env python3
"""Write the page as a folder of plain files, which any web host can serve: no server answers.

    python scripts/make_static_page.py FOLDER

    FOLDER/index.html  rules/GAME/   the page, its games and their rules, in every language
           static/                   its JavaScript, the same as that of `kulami serve`
           kulami-worker.js          answers in place of the server, by
           pyodide-.../              Python for the browser, from Pyodide's npm package, and
           kulami-....zip            this package, compiled to WebAssembly
           answers.json              what every visitor asks first
           kulami-offline.js         keeps all of it for visits without a network

All addresses are relative, and no other host is asked: FOLDER may lie below any path. It takes a
few minutes the first time, as everything is compiled, and seconds later: scripts/downloads.py says
where that is kept. The folder has to be new or empty, or an earlier one of this script. There
kulami-written.json lists what was written: of that, what is no longer needed goes. All other files
stay.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

import webassembly
from downloads import MissingError

try:
    from kulami_solver.core.files import write_atomically
    from kulami_solver.web.files import addresses, static_files
    from kulami_solver.web.inside import Inside
    from kulami_solver.web.places import pages
except ModuleNotFoundError as error:
    sys.exit(
        f"make_static_page.py: this Python has no {error.name}: source .venv/bin/activate, which "
        "scripts/quickstart.sh makes"
    )

ROOT: Final = Path(__file__).resolve().parents[1]
OWN: Final = Path(__file__).resolve().parent / "static_page"
LIST: Final = "kulami-files.json"
WRITTEN: Final = "kulami-written.json"
RUNTIME: Final = f"{webassembly.RUNTIME.what.replace(' ', '-').lower()}/"

#: What of the package a browser has no use for: it is left out of the archive.
LEFT_OUT: Final = (
    "cli/",
    "cluster/",
    "adapters/",
    "static/",
    "bots/pages.py",
    "bots/templates/",
    "py.typed",
)
DATA: Final = ("small-boards.csv", "puzzles.jsonl")

POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self' blob:; worker-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
#: What a game's page asks first, and what the page of its rules asks in every question: fields of
#: requests, as their JavaScript writes them. Just 4 Fun deals other cards to everybody.
FIRST: Final[Mapping[str, Mapping[str, Any]]] = {
    "kulami": {"layout": "square", "first": "red", "moves": [], "scoring": "0"},
    "malawi": {"board": "6x6", "beads": 2, "moves": []},
}
ALWAYS: Final[Mapping[str, Mapping[str, Any]]] = {
    "kulami": {"scoring": "0"},
    "just4fun": {"see": ["red", "blue"]},
}


def question(path: str, body: Mapping[str, Any] | None = None) -> str:
    """Return a question as static/alone.js looks it up.

    Examples:
        >>> question("/api/board", {"layout": "square"})
        '/api/board {"layout":"square"}'
    """
    if body is None:
        return path
    return f"{path} {json.dumps(body, sort_keys=True, separators=(',', ':'), ensure_ascii=False)}"


class Answers:
    """Answers that are written beside a page, as many as its readers ask for first."""

    def __init__(self, inside: Inside) -> None:
        self._inside: Final = inside
        self.found: Final[dict[str, Any]] = {}

    def add(self, path: str, body: Mapping[str, Any] | None = None) -> None:
        """Answer a question."""
        status, _, text = self._inside.answer(path, json.dumps(body), lambda *_: None, bool)
        answer = json.loads(text)
        if status != 200 or "error" in answer:
            raise ValueError(f"{path} {body}: {answer}")
        self.found[question(path, body)] = answer

    def add_position(self, game: str, asked: Mapping[str, Any]) -> None:
        """Answer what a page asks to draw a position."""
        self.add(f"/api/{game}/position", asked)
        if game == "kulami":
            self.add("/api/board", {"layout": asked.get("layout") or asked["kfn"].split()[0]})

    def content(self) -> bytes:
        """The file."""
        return json.dumps(self.found, separators=(",", ":"), ensure_ascii=False).encode()


def first_answers(inside: Inside) -> bytes:
    """Return what the page's visitors ask first."""
    answers = Answers(inside)
    answers.add("/api/options")
    for game, asked in FIRST.items():
        answers.add_position(game, asked)
    return answers.content()


def answers_of_rules(inside: Inside, game: str) -> bytes:
    """Return what the page of a game's rules asks: for each of its positions."""
    answers = Answers(inside)
    said = ROOT / "kulami_solver" / "web" / game / "static" / "rules" / "page.json"
    for position in json.loads(said.read_text(encoding="utf-8"))["positions"].values():
        moves, counts = position.get("moves", []), position.get("counts", {})
        asked = {**position["start"], "moves": moves, **ALWAYS.get(game, {}), **counts}
        answers.add_position(game, asked)
    return answers.content()


def page(content: bytes, folder: str) -> bytes:
    """Return an HTML page that asks workers instead of a server.

    Args:
        content: as the server has it.
        folder: in which it lies.
    """
    html = content.decode()
    home = "../" * len(Path(folder).parts)
    told = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    script = f'<script type="module" src="{home}static/alone.js"></script>'
    for old, new in (
        ('<html lang="en">', '<html lang="en" data-alone>'),
        ('<meta charset="utf-8">', f'<meta charset="utf-8">\n{told}'),
        ('<script type="module"', f'{script}\n<script type="module"'),
    ):
        if html.count(old) != 1:
            raise ValueError(f"{old} is not once in the page")
        html = html.replace(old, new)
    return html.encode()


def archive(compiled: Mapping[str, bytes]) -> bytes:
    """Return the package for Python in the browser, and what it needs."""
    package = ROOT / "kulami_solver"
    files: dict[str, bytes] = {}
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.json")]):
        name = path.relative_to(package).as_posix()
        if not any(part in name for part in LEFT_OUT):
            files[f"kulami_solver/{name}"] = path.read_bytes()
    for name in DATA:
        files[f"kulami_solver/data/{name}"] = (ROOT / "data" / name).read_bytes()
    with zipfile.ZipFile(webassembly.MSGSPEC.fetched()) as wheel:
        for name in wheel.namelist():
            if name.startswith("msgspec/") and not name.endswith(".pyi"):
                files[name] = wheel.read(name)
    return webassembly.zipped({**files, **compiled})


def static_site() -> dict[str, bytes]:
    """Return all files by their paths in the folder.

    Raises:
        MissingError: if something that is needed cannot be had.
    """
    games = pages()
    files: dict[str, bytes] = {}
    inside = Inside()
    given = static_files(games)
    for address, name in addresses(games).items():
        folder = address.strip("/")
        asked = first_answers(inside) if not folder else b"{}"
        if folder.startswith("rules/"):
            asked = answers_of_rules(inside, folder.removeprefix("rules/"))
        files[f"{folder}/index.html".lstrip("/")] = page(given[name].content, folder)
        files[f"{folder}/answers.json".lstrip("/")] = asked
    files |= {f"static/{name}": file.content for name, file in given.items()}
    files["kulami-worker.js"] = (OWN / "kulami-worker.js").read_bytes()
    runtime = webassembly.runtime()
    library, packed = webassembly.precompiled(runtime, archive(webassembly.modules()))
    runtime[webassembly.LIBRARY] = library
    files |= {RUNTIME + name: content for name, content in runtime.items()}
    packed_name = f"kulami-{digest(packed)}.zip"
    files[packed_name] = packed
    counted = ("pyodide.asm.wasm", webassembly.LIBRARY, webassembly.LOCK)
    whole = len(packed) + sum(len(files[RUNTIME + name]) for name in counted)
    told = {"runtime": RUNTIME, "archive": packed_name, "whole": whole}
    files[LIST] = json.dumps(told).encode()
    files["kulami-offline.js"] = offline(files)
    return files


def offline(files: Mapping[str, bytes]) -> bytes:
    """Return the script that keeps these files."""
    script = (OWN / "kulami-offline.js").read_text(encoding="utf-8")
    version = digest(*(part for name in sorted(files) for part in (name.encode(), files[name])))
    kept = list(asked_for(files))
    for old, new in (
        ('const KEPT = "kulami";', f'const KEPT = "kulami {version}";'),
        ("const FILES = [];", f"const FILES = {json.dumps(kept)};"),
    ):
        assert script.count(old) == 1
        script = script.replace(old, new)
    return script.encode()


def asked_for(files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield where the files are asked for: pages by their folders."""
    for name in sorted(files):
        yield name.removesuffix("index.html") or "./"


def digest(*parts: bytes) -> str:
    """Return a name that changes with what is in it."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def written_before(folder: Path) -> set[str]:
    """Return the names of what this script has written into a folder.

    Raises:
        MissingError: if there is something in the folder, and no list of this script.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return set()
    try:
        names = json.loads((folder / WRITTEN).read_bytes())["files"]
        places = [PurePosixPath(name) for name in names]
    except (OSError, ValueError, KeyError, TypeError):
        places = [PurePosixPath("/")]
    if any(place.is_absolute() or ".." in place.parts for place in places):
        raise MissingError(f"{folder} is not empty, and no page of this script: name another one")
    return {str(place) for place in places}


def check(files: Collection[str], before: Collection[str], folder: Path) -> None:
    """Raise a `MissingError` if a file would be written over one that this script did not write."""
    for name in files:
        if name not in before and (folder / name).exists():
            raise MissingError(f"{folder / name} is no file of this script: move it away")


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files; those of an earlier page that are none of these go, and nothing else.

    What is cut off in the middle can be written again: the list is there before the files.

    Raises:
        MissingError: as `written_before` and `check`.
    """
    before = written_before(folder)
    check(files, before, folder)
    note_written(folder, {*files, *before})
    for name in before - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    note_written(folder, {*files})


def note_written(folder: Path, names: set[str]) -> None:
    """Write the list of what this script has written into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"files": sorted(names)}, indent=1)
    write_atomically(str(folder / WRITTEN), [content.encode()])


def main() -> int:
    """Write the page; the exit code is 1, with a sentence on stderr, if something is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to")
    folder = parser.parse_args().folder
    try:
        written_before(folder)  # refuses a folder before anything is compiled
        files = static_site()
        write(files, folder)
    except (MissingError, OSError) as error:
        print(f"make_static_page.py: {error}", file=sys.stderr)
        return 1
    whole = sum(map(len, files.values()))
    print(f"{folder}: {len(files)} files, {whole:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
