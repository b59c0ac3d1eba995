"""Files of games for `play --save`: a record of JSON on each line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from kulami_solver.cli import output
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.reading import RECORD_LIMIT, text_lines
from kulami_solver.errors import Phrase


def check_saved(path: str) -> None:
    """Refuse a file to which no game can be added, before any work is done for it.

    Raises:
        CommandError: it holds something else, or cannot be written.
    """
    _lines(path)
    output.check_writable("--save", path)


def add_game(path: str, record: Mapping[str, Any]) -> int:
    """Add a game as the last line of a file, and return its number in the file, from 1.

    A missing file is made; an existing file keeps its content.

    Raises:
        CommandError: as `check_saved`; the file is then unchanged.
    """
    lines = [*_lines(path), json.dumps(record)]
    output.write_file("--save", path, "".join(f"{line}\n" for line in lines).encode())
    return sum(_is_game(line) for line in lines)


def _lines(path: str) -> list[str]:
    if not os.path.exists(path):
        return []
    if not os.path.isfile(path):
        raise _refused(path, Phrase("not_a_file"))
    lines = list(text_lines("--save", path, RECORD_LIMIT))
    for number, line in enumerate(lines, 1):
        if line.startswith("# {"):
            raise _refused(path, Phrase("match_goes_on"))
        if _is_game(line) and not _has_moves(line):
            raise _refused(path, Phrase("line_no_game", number=number))
    return lines


def _refused(path: str, why: Phrase) -> CommandError:
    return CommandError("no_game_added", option="--save", path=path, why=why)


def _is_game(line: str) -> bool:
    return bool(line) and not line.startswith("#")


def _has_moves(line: str) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and isinstance(record.get("moves"), list)
