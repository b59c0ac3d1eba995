#!/usr/bin/env python3
"""Write the page as a folder of plain files, which any web host can serve: no server answers.

    python scripts/make_static_page.py FOLDER

    FOLDER/index.html  rules/GAME/   the page, its games and their rules, in every language
           static-.../               its JavaScript, the same as that of `kulami serve`,
                                     answers/ to what every visitor asks first, and
                                     kulami-sketch.js, which draws what a link says meanwhile
           kulami-worker.js          answers in place of the server, by
           pyodide-.../              Python for the browser, from Pyodide's npm package, and
           kulami-....zip            this package, compiled to WebAssembly
           kulami-visit.js, .css     say what is the matter, and that there is a newer version
           kulami-offline.js         keeps all of it for visits without a network

All addresses are relative, and no other host is asked: FOLDER may lie below any path. What a
version has of its own lies in a folder that is named after its content, so that a browser never
gets files of two versions. It takes a
few minutes the first time, as everything is compiled, and seconds later: scripts/downloads.py says
where that is kept. The folder has to be new or empty, or an earlier one of this script. There
kulami-written.json lists what was written: of that, what is no longer needed goes. All other files
stay.
"""

from __future__ import annotations

import sys

try:
    import argparse
    import base64
    import contextlib
    import hashlib
    import html
    import json
    import zipfile
    from collections.abc import Collection, Mapping
    from pathlib import Path, PurePosixPath
    from typing import Any, Final

    import webassembly
    from downloads import MissingError

    import kulami_solver
    from kulami_solver.core.files import write_atomically
    from kulami_solver.just4fun.notation import PRINTED, Board
    from kulami_solver.kulami.position.layout import named_layout
    from kulami_solver.web.files import addresses, static_files
    from kulami_solver.web.inside import Inside
    from kulami_solver.web.places import pages
except KeyboardInterrupt:
    sys.exit(130)
except ModuleNotFoundError as error:
    sys.exit(
        f"make_static_page.py: this Python has no {error.name}: source .venv/bin/activate, which "
        "scripts/quickstart.sh makes"
    )

ROOT: Final = Path(__file__).resolve().parents[1]
OWN: Final = Path(__file__).resolve().parent / "static_page"
WRITTEN: Final = "kulami-written.json"
WORKER: Final = "kulami-worker.js"
SKETCH: Final = "kulami-sketch.js"
LANGUAGES: Final = ("en", "de", "fr", "es", "nl")

#: What of the package a browser has no use for: it is left out of the archive.
LEFT_OUT: Final = (
    "cli/",
    "cluster/",
    "adapters/",
    "static/",
    "bots/page.py",
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


def page(content: bytes, folder: str, version: str, answers: str) -> bytes:
    """Return an HTML page that asks workers instead of a server.

    Args:
        content: as the server has it.
        folder: in which it lies.
        version: the folder of the JavaScript.
        answers: the file of answers in that folder.
    """
    home = "../" * len(Path(folder).parts)
    told = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    visit = (
        f'<link rel="stylesheet" href="{home}kulami-visit.css">\n'
        f'<script src="{home}kulami-visit.js" data-version="{version}"></script>'
    )
    script = f'<script type="module" src="{home}static/alone.js"></script>'
    board = '<div id="board" class="board">'
    place = board if board in content.decode() else '<main id="rules">'
    if not folder:
        script = f'<script defer src="static/{SKETCH}"></script>\n{script}'
    changes = {
        '<html lang="en">': f'<html lang="en" data-alone="{answers}">',
        '<meta charset="utf-8">': f'<meta charset="utf-8">\n{told}\n{visit}',
        '<script type="module"': f'{script}\n<script type="module"',
        place: place + not_begun(),
    }
    return replaced(content.decode(), changes).replace("static/", f"{version}/").encode()


def replaced(text: str, changes: Mapping[str, str]) -> str:
    """Return a text with changes, each of which concerns one place."""
    for old, new in changes.items():
        if text.count(old) != 1:
            raise ValueError(f"{old} is not once in the text")
        text = text.replace(old, new)
    return text


def texts() -> dict[str, dict[str, str]]:
    """Return what kulami-visit.js may have to say, by languages."""
    paths = {language: OWN / "texts" / f"{language}.json" for language in LANGUAGES}
    return {one: json.loads(path.read_text(encoding="utf-8")) for one, path in paths.items()}


def not_begun() -> str:
    """Return what a page says where no script can choose the language."""
    said = (
        f'<p lang="{one}">{html.escape(each["not_begun"])}</p>' for one, each in texts().items()
    )
    return f'<div id="matter" class="unbegun">{"".join(said)}</div>'


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
    """Return all files by their paths in the folder, in the order in which to write them.

    Raises:
        MissingError: if something that is needed cannot be had.
    """
    games = pages()
    given, places = static_files(games), addresses(games)
    own = {name: file.content for name, file in given.items() if name not in places.values()}
    own |= {f"answers/{name}.json": content for name, content in all_answers(places).items()}
    rows = {name: str(named_layout(name)) for name in ("square", "rulebook")}
    rows[PRINTED] = "/".join(",".join(map(str, row)) for row in Board.parse(PRINTED).grid)
    own[SKETCH] = own_script(SKETCH, NAMED=rows)
    python, placed = python_files()
    visit = own_script("kulami-visit.js", TEXTS=texts())
    style = (OWN / "kulami-visit.css").read_bytes()
    html_pages = {address.strip("/"): given[name].content for address, name in places.items()}
    worker = own_script(WORKER)
    sources = {**own, **python, "visit": visit, "style": style, "worker": worker, **html_pages}
    version = f"static-{digest_of(sources)}"
    for name, content in own.items():
        if name.endswith(".html"):
            own[name] = content.replace(b"static/", f"{version}/".encode())
    own[WORKER] = own_script(WORKER, PLACED=placed_from("../", placed))
    files = {**python, **{f"{version}/{name}": content for name, content in own.items()}}
    files[WORKER] = own_script(WORKER, PLACED=placed_from("", placed))
    files |= {"kulami-visit.js": visit, "kulami-visit.css": style}
    for folder, content in html_pages.items():
        answers = f"answers/{answers_name(folder)}.json"
        files[f"{folder}/index.html".lstrip("/")] = page(content, folder, version, answers)
    files["kulami-offline.js"] = offline(files)
    return files


def answers_name(folder: str) -> str:
    """Return the name of the answers of the page in a folder.

    Examples:
        >>> answers_name("rules/malawi"), answers_name("")
        ('rules-malawi', 'board')
    """
    return folder.replace("/", "-") or "board"


def all_answers(places: Collection[str]) -> dict[str, bytes]:
    """Return what the readers of each page ask first, by names."""
    inside = Inside()
    found = {}
    for folder in (address.strip("/") for address in places):
        answers = b"{}" if folder else first_answers(inside)
        if folder.startswith("rules/"):
            answers = answers_of_rules(inside, folder.removeprefix("rules/"))
        found[answers_name(folder)] = answers
    return found


def python_files() -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return Python and the package, by paths that change with them; and what a worker is told."""
    runtime = webassembly.runtime()
    library, packed = webassembly.precompiled(runtime, archive(webassembly.modules()))
    runtime[webassembly.LIBRARY] = library
    counted = ("pyodide.asm.wasm", webassembly.LIBRARY, webassembly.LOCK)
    whole = len(packed) + sum(len(runtime[name]) for name in counted)
    # Many hosts do not know .mjs, and send it as a type that browsers do not run.
    named = {name.replace(".mjs", ".js"): content for name, content in runtime.items()}
    folder = f"{webassembly.RUNTIME.what.replace(' ', '-').lower()}-{digest_of(named)}/"
    package = f"kulami-{digest(packed)}.zip"
    files = {package: packed, **{folder + name: content for name, content in named.items()}}
    return files, {"runtime": folder, "archive": package, "whole": whole}


def placed_from(home: str, placed: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a worker is told that lies where `home` leads to the page's folder."""
    return {**placed, **{name: home + placed[name] for name in ("runtime", "archive")}}


def own_script(name: str, **constants: Any) -> bytes:
    """Return a script of this folder, with values for constants that are empty there."""
    text = (OWN / name).read_text(encoding="utf-8")
    for constant, value in constants.items():
        empty = json.dumps(type(value)())
        said = json.dumps(value, ensure_ascii=False)
        text = replaced(text, {f"const {constant} = {empty};": f"const {constant} = {said};"})
    return text.encode()


def offline(files: Mapping[str, bytes]) -> bytes:
    """Return the script that keeps these files."""
    kept = {
        name.removesuffix("index.html") or "./": checksum(files[name]) for name in sorted(files)
    }
    return own_script("kulami-offline.js", VERSION=digest_of(files), FILES=kept)


def checksum(content: bytes) -> str:
    """Return a checksum as browsers compare it.

    Examples:
        >>> checksum(b"")
        'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return a name that changes with the names and the contents of files."""
    return digest(*(part for name in sorted(files) for part in (name.encode(), files[name])))


def digest(*parts: bytes) -> str:
    """Return a name that changes with what is in it."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def say_whose() -> None:
    """Say on stderr if the package that is imported is not that of this tree."""
    tree = Path(kulami_solver.__file__).resolve().parents[1]
    if tree != ROOT:
        print(
            f"make_static_page.py: the page is that of {tree}, its solver that of {ROOT}; to take "
            f"both from here: pip install -e {ROOT}",
            file=sys.stderr,
        )


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

    What is cut off in the middle can be written again: the list is there before the files. A page
    is written after what it needs, and what it needed goes last.

    Raises:
        MissingError: as `written_before` and `check`.
    """
    before = written_before(folder)
    check(files, before, folder)
    note_written(folder, {*files, *before})
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name in before - files.keys():
        path = folder / name
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it is not empty
            path.parent.rmdir()
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
        say_whose()
        written_before(folder)  # refuses a folder before anything is compiled
        files = static_site()
        write(files, folder)
    except (MissingError, OSError) as error:
        print(f"make_static_page.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("make_static_page.py: interrupted; run it again", file=sys.stderr)
        return 130
    whole = sum(map(len, files.values()))
    print(f"{folder}: {len(files)} files, {whole:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
