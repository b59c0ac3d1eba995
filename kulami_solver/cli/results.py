"""Files to which commands add: answers, from which they go on, and games, a record on each line.

`check --results`, `solve --results` and `match --save` go on from a file of results; `play --save`
adds a game to any file of games.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from kulami_solver.cli import output
from kulami_solver.cli.output import CommandError, refused_at
from kulami_solver.cli.reading import RECORD_LIMIT, text_lines
from kulami_solver.core.game_records import is_record
from kulami_solver.core.locks import FileLock

if TYPE_CHECKING:
    from kulami_solver.cli.game import GameCommands
    from kulami_solver.storage.kept_work import ResultFile

# Seconds to wait for another command that adds a game.
_PATIENCE: Final = 10.0


def result_file(
    option: str,
    path: str,
    header: Mapping[str, object],
    fingerprints: Mapping[str, Mapping[str, Any]] | None = None,
) -> ResultFile:
    """Open a file of results; the other arguments are those of `ResultFile`.

    Raises:
        CommandError: it cannot be written, or holds something else; the message names the option.
    """
    from kulami_solver.storage.kept_work import ResultFile

    output.check_writable(option, path)
    with output.written_to(option, path), refused_at(option):
        return ResultFile(path, header, fingerprints)


def taken_from_file(path: str, kept: int, number: int, what: str) -> str:
    """Say how many results have been taken from a file, and how many are new."""
    was, new = "was" if kept == 1 else "were", number - kept
    are = "is" if new == 1 else "are"
    return f"{kept:,} of the {number:,} {what} {was} in {path} already, {new:,} {are} new"


def check_saved(path: str, game: GameCommands) -> None:
    """Refuse a file to which no record of a game can be added, before any work is done for it.

    Raises:
        CommandError: it holds something else, or cannot be written.
    """
    output.check_writable("--save", path)
    _lines_kept(path, game)


def add_game(path: str, game: GameCommands, record: Mapping[str, Any]) -> int:
    """Add a record as the last line of a file, and return its number in the file, from 1.

    A missing file is made; an existing file keeps its content. Several commands can add games to
    one file at the same time.

    Raises:
        CommandError: as `check_saved`, or another process keeps the file; it is then unchanged.
    """
    target = os.path.realpath(path)
    missing = not os.path.exists(target)
    with output.written_to("--save", path), refused_at("--save"):
        try:
            lock = FileLock(target, _PATIENCE)
        except BlockingIOError:
            raise _refused(path, "another command is writing it") from None
    with lock:
        try:
            lines = [*_lines_kept(path, game), json.dumps(record)]
            output.write_file("--save", path, "".join(f"{line}\n" for line in lines).encode())
        except BaseException:
            if missing and not os.path.getsize(target):
                os.unlink(target)
            raise
    return sum(map(is_record, lines))


def _lines_kept(path: str, game: GameCommands) -> list[str]:
    if not os.path.exists(path):
        return []
    if not os.path.isfile(path):
        raise _refused(path, "it is no file")
    lines = []
    for number, line in enumerate(text_lines("--save", path, RECORD_LIMIT), 1):
        lines.append(line)
        if line.startswith('{"journal":'):
            raise _refused(path, "a match or a check goes on with it")
        if not is_record(line):
            continue
        record = _parsed(line)
        if record is None:
            raise _refused(path, f"line {number} is no game")
        if not game.has_record(record):
            raise _refused(path, f"line {number} is no game of {game.title}")
    return lines


def _refused(path: str, why: str) -> CommandError:
    return CommandError(f"--save: no game can be added to {path}: {why}; name another file")


def _parsed(line: str) -> dict[str, Any] | None:
    """The record in a line, None if it is none of a game."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("moves"), list) else None
