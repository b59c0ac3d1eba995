"""Puzzles: positions from games of bots in which one field alone is best, graded.

A file of puzzles has a line of JSON for each:

    {"kfn": "AAB/CCB r b a1", "scoring": "0", "best": "c1", "value": 0,
     "line": ["c1", ...], "theme": "turn", "difficulty": 41}

`value` is the exact margin for the side to move, and every other field is worth less. `line` is
best play of both from there to the end.

A theme is the first of these that holds:

    forced   the other side's first two replies in the line are its only legal fields
    greed    each field that scores most at once loses, and the best field does not
    turn     every other field changes who wins
    quiet    the best field scores nothing at once
    points   none of these: the best field is worth more than the others

Scorings and themes come in turn, and difficulties as evenly as a short search allows.

The difficulty is a whole number from 0 to 100. The share of `SOLVERS` that miss the field gives up
to 80 of it; a random choice counts as one of them. The refutation of the best wrong field gives up
to 20: the plies of best play after which the score stands still, 16 for the full number.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...core.notation import so_many
from ...core.whole_numbers import seeded
from ...errors import KulamiError, NotationError, quoted
from ...kulami.position.layout import Layout
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ..case import read_cases, suite_record
from .builtin import AlphaBeta, Greedy, MonteCarlo
from .case import Case
from .suite import SCORINGS, played_down, shipped

LEAST: Final = 12
"""Free fields of a puzzle, at least."""
MOST: Final = 26
"""Free fields of a puzzle, at most."""

_LONGEST: Final = 16  # plies of a refutation that count
_BANDS: Final = 4  # of difficulties: 0 to 24, 25 to 49, ...
_WIDE: Final = 25
_TRIES: Final = 10_000  # games for a puzzle, some hundred times as many as it usually takes
_CLOSER: Final = 20  # further positions to look at for the wanted difficulty once there is a puzzle
_FOR_BOTS: Final = 80
_FOR_REFUTATION: Final = 20

SOLVERS: Final[tuple[Any, ...]] = (
    Greedy(),
    *(AlphaBeta(depth) for depth in (1, 2, 4, 6)),
    *(MonteCarlo(playouts) for playouts in (50, 200, 1000)),
)
"""The bots by which puzzles are graded: no answer depends on the time."""

_KEYS: Final = ("kfn", "scoring", "best", "value", "line", "theme", "difficulty")

THEMES: Final = ("forced", "greed", "turn", "quiet", "points")

_PLAYERS: Final[tuple[Any, ...]] = (None, Greedy(), AlphaBeta(2), MonteCarlo(200))
_BOARDS: Final[tuple[Callable[[int], Layout], ...]] = (
    lambda _: Layout.square(),
    lambda _: Layout.rulebook(),
    Layout.random,
    lambda seed: Layout.random(seed, True),
)


@dataclass(frozen=True)
class Puzzle:
    """A position in which one field alone is best.

    Attributes:
        position: the position.
        scoring: what counts.
        best: the field.
        value: the exact margin for the side to move.
        line: best play of both to the end, from `best` on.
        theme: what makes it a puzzle, one of the words above.
        difficulty: from 0, which every bot finds, to 100.
    """

    position: Position
    scoring: Scoring
    best: str
    value: int
    line: tuple[str, ...]
    theme: str
    difficulty: int

    @classmethod
    def parse(cls, line: str) -> Puzzle:
        """Read a line of a file of puzzles, without checking the value of its field.

        Raises:
            KulamiError: if it is no puzzle; the message says what is wrong.
        """
        record = suite_record(line, _KEYS)
        position = Position.from_kfn(record["kfn"])
        best, played = record["best"], record["line"]
        if not isinstance(played, list) or played[:1] != [best] or not isinstance(best, str):
            raise NotationError(
                f"its line does not begin with its best field, {quoted(best)}: give best play from "
                "there"
            )
        position.play_all(played)
        for key in ("value", "difficulty"):
            if type(record[key]) is not int:
                raise NotationError(f"its {key} is {quoted(record[key])}: give a whole number")
        return cls(
            position,
            Scoring.parse(record["scoring"]),
            best,
            record["value"],
            tuple(played),
            str(record["theme"]),
            record["difficulty"],
        )

    @property
    def json_line(self) -> str:
        """The puzzle as a line of a file."""
        said = {**vars(self), "kfn": self.position.kfn(), "scoring": self.scoring.value}
        return json.dumps({key: said[key] for key in _KEYS})


def read_puzzles(path: str | Path | None = None) -> list[Puzzle]:
    """Read a file of puzzles.

    Args:
        path: the file; None for the puzzles that come with the package.

    Raises:
        OSError: if the file cannot be read.
        KulamiError: if it is no such file; the message names the line.

    Examples:
        >>> len(read_puzzles())
        500
    """
    found = shipped("puzzles.jsonl") if path is None else path
    if found is None:
        raise KulamiError(
            "the puzzles, data/puzzles.jsonl, did not come with this installation: name a file "
            "that kulami puzzles has written"
        )
    return read_cases(found, Puzzle.parse)


def draw_puzzles(
    seed: int, count: int, scorings: tuple[Scoring, ...] = SCORINGS, layouts: Sequence[Layout] = ()
) -> Iterator[Puzzle]:
    """Yield puzzles from games of bots, each once: the same for a seed on every machine.

    Args:
        seed: 0 or more.
        count: how many.
        scorings: what counts, in turn; so do the themes.
        layouts: to be taken in turn; the rulebook's and random ones if there are none.

    Raises:
        KulamiError: if a layout is so small that a puzzle may never be found, or none is found.

    Examples:
        >>> [(puzzle.scoring.value, puzzle.theme) for puzzle in draw_puzzles(1, 2)]
        [('0', 'forced'), ('1', 'greed')]
    """
    for layout in layouts:
        if len(layout) <= MOST:
            raise KulamiError(
                f"{layout}: puzzles need more than {MOST} fields, and this layout has "
                f"{len(layout)}: take a larger one"
            )
    numbers = itertools.count(seed * 1_000_003 + 1)
    seen: set[tuple[str, Scoring]] = set()
    drawn = [0] * _BANDS
    for place in range(count):
        scoring = scorings[place % len(scorings)]
        tried = itertools.islice(numbers, _TRIES)
        positions = (_from_game(number, scoring, layouts) for number in tried)
        new = (position for position in positions if (position.kfn(), scoring) not in seen)
        puzzle = _drawn(new, scoring, THEMES[place % len(THEMES)], drawn.index(min(drawn)))
        if puzzle is None:
            raise KulamiError(
                f"no puzzle came up in {_TRIES} games, after {so_many(place, 'puzzle')}: take "
                "other layouts, or fewer puzzles"
            )
        seen.add((puzzle.position.kfn(), scoring))
        drawn[_band(puzzle)] += 1
        yield puzzle


def _drawn(positions: Iterable[Position], scoring: Scoring, theme: str, band: int) -> Puzzle | None:
    """Return a puzzle of a theme with a difficulty in a band, if one is soon found.

    Otherwise it is the puzzle with the nearest difficulty; None if there is no puzzle.
    """
    nearest: Puzzle | None = None
    left = _CLOSER
    for position in positions:
        puzzle = puzzle_of(position, scoring, theme)
        left -= nearest is not None
        if puzzle is not None:
            if _band(puzzle) == band:
                return puzzle
            if nearest is None or abs(_band(puzzle) - band) < abs(_band(nearest) - band):
                nearest = puzzle
        if nearest is not None and not left:
            break
    return nearest


def _band(puzzle: Puzzle) -> int:
    return min(puzzle.difficulty // _WIDE, _BANDS - 1)


def puzzle_of(position: Position, scoring: Scoring, theme: str | None = None) -> Puzzle | None:
    """Return a position as a puzzle, None if it has fewer than two fields or no single best one.

    Args:
        position: the position, which is solved here with every field.
        scoring: what counts.
        theme: the wanted theme; for a puzzle of another theme the result is None.

    Examples:
        >>> puzzle_of(Position(Layout.parse("AAB/CCB")).play("a1"), Scoring.LEVEL0).best
        'c1'
    """
    if len(position.legal_fields) < 2:
        return None
    case = Case.of(position, scoring)
    if len(case.best_moves) != 1:
        return None
    best = case.best_moves[0]
    line = _best_play(position, best, scoring)
    its = _theme(case, best, line)
    if theme not in (None, its):
        return None
    return Puzzle(position, scoring, best, int(case.best), line, its, _difficulty(case, best))


def _from_game(number: int, scoring: Scoring, layouts: Sequence[Layout]) -> Position:
    """Return a position of a game between bots; board, bot and free fields are drawn."""
    draw = seeded(number).random
    board = int(draw() * len(_BOARDS))
    layout = layouts[number % len(layouts)] if layouts else _BOARDS[board](number)
    player = _PLAYERS[int(draw() * len(_PLAYERS))]
    free = LEAST + int(draw() * (MOST - LEAST + 1))
    start = Position(layout, ("red", "black")[int(draw() * 2)])
    chooser = player and (lambda position, scoring: player.choose(position, scoring=scoring))
    return played_down(start, free, scoring, chooser, draw)


def _best_play(position: Position, field: str, scoring: Scoring) -> tuple[str, ...]:
    """Return a field and best play after it; of equally good fields the first of the board.

    The best field of a search may depend on its memory; this field does not.
    """
    played = [field]
    position = position.play(field)
    while not position.is_over:
        fields = position.legal_fields
        field = fields[0] if len(fields) == 1 else Case.of(position, scoring).best_moves[0]
        played.append(field)
        position = position.play(field)
    return tuple(played)


def _theme(case: Case, best: str, line: tuple[str, ...]) -> str:
    position, scoring, values = case.position, case.scoring, case.values
    replies = 0
    after = position
    for place, field in enumerate(line[:4]):
        replies += place % 2 == 1 and len(after.legal_fields) == 1
        after = after.play(field)
    if replies == 2:
        return "forced"
    at_once = {field: -position.play(field).margin(scoring) for field in values}
    most = max(at_once.values())
    greedy = [values[field] for field in values if at_once[field] == most]
    if case.best >= 0 > max(greedy):
        return "greed"
    others = max(value for field, value in values.items() if field != best)
    if _sign(others) < _sign(int(case.best)):
        return "turn"
    return "quiet" if at_once[best] <= position.margin(scoring) else "points"


def _difficulty(case: Case, best: str) -> int:
    position, scoring = case.position, case.scoring
    missed: float = 1 - 1 / len(case.values)
    missed += sum(bot.choose(position, scoring=scoring) != best for bot in SOLVERS)
    wrong = {field: value for field, value in case.values.items() if field != best}
    second = max(wrong, key=wrong.__getitem__)
    refutation = min(_until_it_stands(position, second, scoring), _LONGEST)
    share = missed / (len(SOLVERS) + 1)
    return round(_FOR_BOTS * share + _FOR_REFUTATION * refutation / _LONGEST)


def _until_it_stands(position: Position, field: str, scoring: Scoring) -> int:
    """Return the number of plies of best play from a field until the score stays the same."""
    ahead = []  # for red, whoever is to move
    for played in _best_play(position, field, scoring):
        position = position.play(played)
        score = position.score(scoring)
        ahead.append(score.red - score.black)
    changes = [ply for ply in range(1, len(ahead)) if ahead[ply] != ahead[ply - 1]]
    return changes[-1] + 1 if changes else 1


def _sign(value: int) -> int:
    return int(value > 0) - int(value < 0)
