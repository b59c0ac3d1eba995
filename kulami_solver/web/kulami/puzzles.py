"""The puzzles of the package, for the page."""

from __future__ import annotations

import functools
from typing import Any

from ...bots.kulami.puzzles import Puzzle, read_puzzles
from ...errors import KulamiError


@functools.cache
def _puzzles() -> list[Puzzle]:
    return read_puzzles()


def puzzles_shown() -> dict[str, Any]:
    """Return the difficulty and the scoring of all puzzles, as lists in their order.

    Raises:
        KulamiError: if they did not come with this installation.

    Examples:
        >>> shown = puzzles_shown()
        >>> len(shown["difficulty"]), shown["scoring"][:4]
        (500, ['0', '1', '2', 'chains'])
    """
    return {
        "difficulty": [puzzle.difficulty for puzzle in _puzzles()],
        "scoring": [puzzle.scoring.value for puzzle in _puzzles()],
    }


def puzzle_shown(number: int) -> dict[str, Any]:
    """Return a puzzle, with its solution.

    Args:
        number: from 1.

    Raises:
        KulamiError: if no puzzle has that number.

    Examples:
        >>> puzzle_shown(1)["best"]
        'f8'
    """
    puzzles = _puzzles()
    if number > len(puzzles):
        raise KulamiError("so_many_puzzles", count=len(puzzles))
    puzzle = puzzles[number - 1]
    return {
        "number": number,
        "kfn": puzzle.position.kfn(),
        "scoring": puzzle.scoring.value,
        "best": puzzle.best,
        "value": puzzle.value,
        "line": list(puzzle.line),
        "theme": puzzle.theme,
        "difficulty": puzzle.difficulty,
    }
