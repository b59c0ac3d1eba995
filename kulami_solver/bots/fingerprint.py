"""A bot's fingerprint: it keeps another bot of the same name from continuing a file of results.

    {"kulami_solver": "0.1.0", "core": "60303ae22b998861", "python": "3.11",
     "files": {"mine.py": "fd61a03af4f77d87", "helpers/trees.py": "a4e624d686e03ed2"}}

files   each with the first digits of its SHA-256:
            Python bot      its module, and every module that this imports from its own folder
                            or, if it is installed, from its own package
            program         the file that is run, every word that names a file, and what a Python
                            script or `-m module` imports
            perfect:FILE    the database
core    the code that built-in bots consist of, and Python bots can use: digits of one SHA-256.

Not covered: files that a bot opens while it plays, other installed packages, and the system's
libraries.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ..registry import module_of, part
from .isolated import find_in_working_folder
from .naming import bots_of, program_words

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_NAME: Final = "kulami_solver"
_COMPILED: Final = (".so", ".pyd")
_DIGITS: Final = 16
_HEADER: Final = 64  # bytes of a database's header; a checksum in it covers the contents


def bot_fingerprint(name: str, game: str = "kulami") -> dict[str, Any]:
    """Return the fingerprint of the bot of this name.

    Args:
        name: as for the game's `make_player`, which can make this bot.
        game: what it plays.

    Examples:
        >>> found = bot_fingerprint("greedy")
        >>> sorted(found), found["files"]
        (['core', 'files', 'kulami_solver', 'python'], {})
    """
    from ..core.version import __version__

    name = name.strip()
    found: dict[str, Any] = {_NAME: __version__}
    kind, _, rest = name.partition(":")
    if name.startswith("exec "):
        return found | {"files": _digests(_program_files(program_words(name)))}
    found |= {"core": _core(game), "python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    if kind == "perfect" and rest:
        with open(rest, "rb") as file:
            return found | {"files": {rest: _short(file.read(_HEADER))}}
    # A game of another package is not in the core.
    module = str(module_of(game))
    files = _module_files(module) if _is_foreign(module) else {}
    if kind.endswith(".py"):
        files |= _script_files(kind)
    elif name not in bots_of(game):
        files |= _module_files(kind)
    return found | {"files": _digests(files)}


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def _digests(files: Mapping[str, Path]) -> dict[str, str | None]:
    """Return a digest for each file, None for one that may be run but not read."""
    from ..core.files import file_sha256

    found: dict[str, str | None] = {}
    for label in sorted(files):
        try:
            found[label] = file_sha256(files[label])[:_DIGITS]
        except OSError:
            found[label] = None
    return found


@functools.cache
def _core(game: str) -> str:
    bots = part(game, "bots")
    own = [] if bots is None else [bots.__name__, f"{bots.__name__}.words", str(module_of(game))]
    kept = (f"{_NAME}.{game}.", f"{_NAME}.bots.{game}.", f"{_NAME}.bots.builtin.")
    files = dict(_followed(_PACKAGE.parent, own, lambda name: f"{name}.".startswith(kept)))
    files |= {
        file.relative_to(_PACKAGE.parent).as_posix(): file
        for file in _PACKAGE.rglob("*")
        if file.suffix in _COMPILED
    }
    return _short(repr(sorted(_digests(files).items())).encode())


# Python: the files of a module and of its imports, found without running anything


def _module_files(name: str) -> dict[str, Path]:
    """Return the files of a module that can be imported, by their places in its folder."""
    top = name.partition(".")[0]
    find_in_working_folder()
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return {}
    if spec is None:
        return {}
    places = [*(spec.submodule_search_locations or ())]
    place = places[0] if places else spec.origin
    if place is None or not Path(place).exists():  # part of Python itself
        return {}
    root = Path(place).resolve().parent
    # Folders in which unrelated packages lie side by side.
    installed = root.name in ("site-packages", "dist-packages")
    shared = installed or root == Path(sysconfig.get_path("stdlib")).resolve()

    def wanted(module: str) -> bool:
        return module.partition(".")[0] == top if shared else _is_foreign(module)

    return dict(_followed(root, [name], wanted))


def _is_foreign(module: str) -> bool:
    """Whether a module is outside this package, whose version and core are noted anyway."""
    return module.partition(".")[0] != _NAME


def _followed(
    root: Path, names: Iterable[str], wanted: Callable[[str], bool] = _is_foreign
) -> Iterator[tuple[str, Path]]:
    """Yield label and file of modules below `root`, and of the modules there that they import.

    Args:
        root: the folder in which names of modules begin.
        names: of the modules.
        wanted: tells from a module's name whether to follow it.
    """
    waiting = list(names)
    seen = set()
    while waiting:
        name = waiting.pop()
        parts = name.split(".")
        if not wanted(name) or not all(one.isidentifier() for one in parts):
            continue
        for length in range(1, len(parts) + 1):
            module = parts[:length]
            file = _file_of(root.joinpath(*module))
            if file is None:  # the name of something in a module
                break
            if file in seen or file.is_dir():
                continue
            seen.add(file)
            yield file.relative_to(root).as_posix(), file
            if file.suffix == ".py":
                inside = module if file.name == "__init__.py" else module[:-1]
                waiting += _imported_names(file, inside)


def _file_of(base: Path) -> Path | None:
    for file in (base / "__init__.py", base.with_name(f"{base.name}.py")):
        if file.is_file():
            return file
    if base.parent.is_dir():
        for file in sorted(base.parent.glob(f"{base.name}.*")):
            if file.suffix in _COMPILED:
                return file
    return base if base.is_dir() else None


def _imported_names(file: Path, package: list[str]) -> Iterator[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = [*above, *(node.module.split(".") if node.module else ())]
            yield from (".".join([*base, alias.name]) for alias in node.names)


# Programs


def _program_files(words: list[str]) -> dict[str, Path]:
    """Return the file that is run, and those that its words name."""
    files: dict[str, Path] = {}
    found = shutil.which(words[0])
    for place, word in enumerate(words):
        file = Path(found or word) if place == 0 else Path(word.partition("=")[2] or word)
        if words[place - 1] == "-m" and place > 0:
            files |= _followed(Path.cwd(), [word])
        elif file.is_file():
            files |= _script_files(word) if _is_python(file) else {word: file}
    return files


def _script_files(path: str) -> dict[str, Path]:
    """Return a Python file and the modules beside it that it imports."""
    file = Path(path)
    return {path: file, **dict(_followed(file.resolve().parent, _imported_names(file, [])))}


def _is_python(file: Path) -> bool:
    if file.suffix == ".py":
        return True
    try:
        with open(file, "rb") as opened:
            first = opened.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"python" in first
