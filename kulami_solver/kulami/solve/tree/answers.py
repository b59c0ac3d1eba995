"""The journal of a hard position: the result of each job, so that a stopped search can continue.

    # {"journal": "position", "kfn": "...", "marbles": 28, "short_end": false, "scoring": "0", ...}
    {"fields": "d4 d7", "beta": -2, "nodes": 181204, "facts": [["", -2, 31]], "check": 2774391071}
    ...

A line is a job: the fields that lead from the position to the job's position, the `beta` of its
question (is the margin at least `beta`?), the nodes it took, and the proved facts. A fact is the
fields from the job's position and the bounds of a margin for the side to move. If no fact answers
the question, the nodes were used up. The rest is as in all files of results
(`storage/journal.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ....core.closing import Closing
from ....errors import KulamiError, NotationError
from ....storage.journal import ResultFile
from ...position.position import Position
from ...position.scoring import Scoring
from ..solver import FAR
from .jobs import Answer, Fact

# The keys of each line, besides its checksum.
_KEYS: Final = {"fields", "beta", "nodes", "facts"}

# No job takes more nodes.
_MOST_NODES: Final = 1 << 48


@dataclass(frozen=True)
class Known:
    """The result of a job of an earlier run, about the position that `fields` lead to."""

    fields: tuple[str, ...]
    beta: int
    facts: tuple[Fact, ...]
    nodes: int


class AnswerFile(Closing):
    """A file of answers, to read and to add to.

    Args:
        path: the file; it is made if it is not there, and continued if it is.
        position: the position to solve.
        scoring: what counts.

    Attributes:
        known: the answers in the file when it was opened.

    Raises:
        OSError: if the file cannot be read or written.
        KulamiError: if it is of another position or scoring, or another search is writing it.
        NotationError: if it is no journal of a position, or one of its lines is damaged.
    """

    def __init__(self, path: str | Path, position: Position, scoring: Scoring) -> None:
        header = {
            "journal": "position",
            "kfn": position.kfn(),
            "marbles": position.marbles,
            "short_end": position.short_end,
            "scoring": scoring.value,
        }
        self.known: list[Known] = []
        self._file = ResultFile(path, header)
        try:
            for number, record in enumerate(self._file.known, 2):
                self._read(position, number, record)
        except BaseException:
            self._file.close()
            raise

    def _read(self, position: Position, number: int, record: dict[str, Any]) -> None:
        try:
            if record.keys() != _KEYS:
                raise ValueError("other keys")
            facts = tuple(
                (tuple(fields.split()), _whole(lower, -FAR, FAR), _whole(upper, -FAR, FAR))
                for fields, lower, upper in record["facts"]
            )
            there = position.play_all(record["fields"])
            for fields, lower, upper in facts:
                there.play_all(fields)
                if lower > upper:
                    raise ValueError("bounds that leave no margin")
            led = tuple(record["fields"].split())
            beta, nodes = _whole(record["beta"], -FAR, FAR), _whole(record["nodes"], 0, _MOST_NODES)
            self.known.append(Known(led, beta, facts, nodes))
        except (KeyError, TypeError, ValueError, AttributeError, KulamiError):
            raise NotationError("journal_no_answer", file=self._file.path, number=number) from None

    def add(self, fields: tuple[str, ...], beta: int, found: Answer) -> None:
        """Write down the result of a job about the position after these fields."""
        self._file.add(
            {
                "fields": " ".join(fields),
                "beta": beta,
                "nodes": found.nodes,
                "facts": [[" ".join(path), lower, upper] for path, lower, upper in found.facts],
            }
        )

    def close(self) -> None:
        self._file.close()


def _whole(number: object, least: int, most: int) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
        raise ValueError(f"{number!r} is no whole number from {least} to {most}")
    return number
