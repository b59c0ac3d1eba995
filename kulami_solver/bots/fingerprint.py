"""A bot's fingerprint: it keeps another bot of the same name from continuing a file of results.

    {"kulami_solver": "0.1.0", "core": "60303ae22b998861", "python": "3.11",
     "files": {"mine.py": "fd61a03af4f77d87", "trees.py": "a4e624d686e03ed2"}}

files   each with the first digits of its SHA-256:
            Python bot      its file, and every `*.py` in the folder of that
            program         the file that is run, and every word that names a file; with a Python
                            script or `-m module` the `*.py` of its folder
            perfect:FILE    each file that it asks
description    of a program: digits of how it is started, with its folder and options
core    the code that built-in bots consist of, and Python bots can use: digits of one SHA-256.

Not covered: what a bot imports from elsewhere, files that it opens while it plays, and the system's
libraries.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..registry import module_of
from .builtin import files_of_bot
from .description import BotDescription, described
from .naming import bots_of, find_in_working_folder

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_NAME: Final = "kulami_solver"
_COMPILED: Final = (".so", ".pyd")
_DIGITS: Final = 16
_HEADER: Final = 64  # bytes of a database's header; a checksum in it covers the contents


def bot_fingerprint(bot: str | BotDescription, game: str = "kulami") -> dict[str, Any]:
    """Return the fingerprint of a bot.

    Args:
        bot: as for the game's `make_player`, which can make this bot.
        game: what it plays.

    Examples:
        >>> found = bot_fingerprint("greedy")
        >>> sorted(found), found["files"]
        (['core', 'files', 'kulami_solver', 'python'], {})
    """
    from ..core.version import __version__

    told = described(bot)
    name = told.name
    found: dict[str, Any] = {_NAME: __version__}
    kind, _, rest = name.partition(":")
    if told.command:
        files = _program_files(told.command, Path(told.folder))
        return found | {"description": _short(repr(told).encode()), "files": _digests(files)}
    found |= {"core": _core(game), "python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    if kind == "perfect" and rest:
        heads = {}
        for path in files_of_bot(rest):
            with open(path, "rb") as file:
                heads[path] = _short(file.read(_HEADER))
        return found | {"files": heads}
    module = str(module_of(game))
    files = {}
    if module.partition(".")[0] != _NAME:  # a game of another package is not in the core
        files = {f"{game}/{label}": file for label, file in _module_files(module).items()}
    if kind.endswith(".py"):
        files |= _with_folder(kind, Path(kind))
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
        except (PermissionError, FileNotFoundError):
            found[label] = None
    return found


@functools.cache
def _core(game: str) -> str:
    own = [_PACKAGE / game, _PACKAGE / "bots" / game, _PACKAGE / "bots" / "builtin.py"]
    files = {
        file.relative_to(_PACKAGE).as_posix(): file
        for file in _PACKAGE.rglob("*")
        if file.suffix in _COMPILED
        or (file.suffix == ".py" and not {file, *file.parents}.isdisjoint(own))
    }
    return _short(repr(sorted(_digests(files).items())).encode())


def _with_folder(label: str, file: Path) -> dict[str, Path]:
    """Return a file, and the Python files beside it."""
    beside = {one.name: one for one in file.parent.glob("*.py") if one.name != file.name}
    return {label: file, **beside}


def _module_files(name: str, folder: str = "") -> dict[str, Path]:
    """Return the file of a module, and the Python files beside it; nothing is run for that.

    Args:
        name: of the module.
        folder: where it is looked for first, as by `python -m` there; empty for the working folder.
    """
    find_in_working_folder()
    top, *inner = name.split(".")
    try:
        own = importlib.machinery.PathFinder.find_spec(top, [folder]) if folder else None
        spec = own or importlib.util.find_spec(top)
        for place in range(len(inner)):
            if spec is None:
                return {}
            below = spec.submodule_search_locations
            spec = importlib.machinery.PathFinder.find_spec(inner[place], below)
    except (ImportError, ValueError):
        return {}
    file = Path(spec.origin or "") if spec is not None else Path()
    # What is part of Python itself may have none.
    return _with_folder(file.name, file) if file.is_file() else {}


def _program_files(words: Sequence[str], folder: Path) -> dict[str, Path]:
    """Return the file that is run, those that its words name, and those beside a Python file."""
    files: dict[str, Path] = {}
    found = None if "/" in words[0] else shutil.which(words[0])
    for place, word in enumerate(words):
        file = folder / ((place == 0 and found) or word.partition("=")[2] or word)
        if words[place - 1] == "-m" and place > 0:
            files |= _module_files(word, str(folder))
        elif file.is_file():
            files |= _with_folder(word, file) if file.suffix == ".py" else {word: file}
    return files
