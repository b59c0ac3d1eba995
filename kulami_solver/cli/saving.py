"""Files of games that a command adds one to: a record of JSON on each line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from kulami_solver.cli import output
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.reading import RECORD_LIMIT, text_lines
from kulami_solver.errors import Phrase


class SavedGames:
    """A file of games, which is made if it is not there and keeps all that it holds.

    Args:
        option: the option that named the file, for messages.
        path: the file.

    Raises:
        CommandError: it holds something else, or cannot be written.
    """

    def __init__(self, option: str, path: str) -> None:
        self._option = option
        self.path = path
        self._lines()
        output.check_writable(option, path)

    def add(self, record: Mapping[str, Any]) -> int:
        """Add a game as the last line, and return which game of the file it is, from 1.

        Raises:
            CommandError: as for the file itself; it is as it was before then.
        """
        lines = [*self._lines(), json.dumps(record)]
        output.write_file(self._option, self.path, "".join(f"{line}\n" for line in lines).encode())
        return sum(_is_game(line) for line in lines)

    def _lines(self) -> list[str]:
        if not os.path.exists(self.path):
            return []
        if not os.path.isfile(self.path):
            raise self._refused(Phrase("not_a_file"))
        lines = list(text_lines(self._option, self.path, RECORD_LIMIT))
        for number, line in enumerate(lines, 1):
            if line.startswith("# {"):
                raise self._refused(Phrase("match_goes_on"))
            if _is_game(line) and not _has_moves(line):
                raise self._refused(Phrase("line_no_game", number=number))
        return lines

    def _refused(self, why: Phrase) -> CommandError:
        return CommandError("no_game_added", option=self._option, path=self.path, why=why)


def _is_game(line: str) -> bool:
    return bool(line) and not line.startswith("#")


def _has_moves(line: str) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and isinstance(record.get("moves"), list)
