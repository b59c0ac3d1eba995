"""Positions of Kulami to judge bots by, each with the exact value of every field.

A suite is a file of JSON lines:

    {"kfn": "AAB/CCB r/3 b a1", "scoring": "0", "values": {"c1": 0, "a2": -2}, "origin": "random"}

`values` are margins for the side to move after best play. `marbles` (28) and `short_end` (false)
may be added. The suite shipped with the package is in `data/suite.jsonl`; see `data/README.md`.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from ...core.whole_numbers import seeded
from ...errors import KulamiError, Phrase, PositionError
from ...game import NOBODY, Number, State
from ...kulami.game import KulamiState, state_of
from ...kulami.position.layout import Layout
from ...kulami.position.position import MARBLES, Position
from ...kulami.position.scoring import Scoring
from ...kulami.solve.solve import solve
from ..case import Case as AnyCase
from ..case import Refutation
from ..suite import read_cases, suite_record

__all__ = ["Case", "read_suite"]

# Playouts of an estimate; they take some 10 ms.
_PLAYOUTS: Final = 5000
_PACKAGE: Final = Path(__file__).resolve().parents[2]
_LEAST: Final = 10
_MOST: Final = 24
SCORINGS: Final = tuple(Scoring)
_NAMES: Final = {"0": "level 0", "1": "level 1", "2": "level 2", "chains": "panels, chains"}


@dataclass(frozen=True)
class Case(AnyCase):
    """A position of Kulami, the scoring, and the value of each legal field.

    Examples:
        >>> case = Case.of(Position(Layout.parse("AAB/CCB")).play("a1"), Scoring.LEVEL0)
        >>> case.values, case.best, case.best_fields
        ({'c1': 0, 'a2': -2}, 0, ('c1',))
    """

    position: Position
    scoring: Scoring
    values: Mapping[str, int]
    origin: str = ""

    game_called: ClassVar = "Kulami"
    move_word: ClassVar = "field"
    unit: ClassVar = "margin"
    named_by: ClassVar = ("kfn", "scoring")
    grouped_by: ClassVar = ("free", "scoring", "origin")
    tabled_by: ClassVar = ("free", "scoring")
    called: ClassVar = {"free": "free fields", "origin": "origin of the position"}

    @classmethod
    def of(cls, position: Position, scoring: Scoring, origin: str = "") -> Case:
        """Solve a position whose game is not over."""
        moves = solve(position, scoring, threads=1, every_move=True).moves
        found = {move.field: move.lower for move in moves}
        values = {field: found[field] for field in position.legal_fields}
        return cls(position, scoring, values, origin)

    @property
    def state(self) -> KulamiState:
        return state_of(self.position, self.scoring)

    def column(self, name: str) -> object:
        if name == "kfn":
            return self.position.kfn()
        if name == "free":
            return self.position.free_count
        return self.scoring.value if name == "scoring" else self.origin

    @classmethod
    def words(cls, column: str, value: str) -> str:
        return scoring_words(value) if column == "scoring" else value

    @property
    def rules_words(self) -> str:
        return scoring_words(self.scoring.value)

    @classmethod
    def rules_json(cls, state: State) -> dict[str, object]:
        assert isinstance(state, KulamiState)
        return {"scoring": state.game.scoring.value}

    @classmethod
    def standing(cls, state: State) -> Phrase:
        assert isinstance(state, KulamiState)
        score = state.position.score(state.game.scoring)
        return Phrase("score_of_both", red=score.red, black=score.black)

    @property
    def about(self) -> tuple[str, ...]:
        return self.rules_words, f"{self.position.free_count} free"

    def picture(self, played: str | None) -> str:
        """Return the board with every legal field's margin on it."""
        return self.picture_in("en", played)

    def picture_in(self, language: str, played: str | None) -> str:
        """Return the same with its caption in a language."""
        from .picture import annotated

        return annotated(self.position, self.values, played, language)

    def refutation(self, played: str) -> Refutation | None:
        from .refutation import refutation_of

        return refutation_of(self.position, self.scoring, played, self.best_moves[0])

    @classmethod
    def estimate(cls, state: State) -> float | None:
        """Return an estimate of the margin from playouts; always the same."""
        from .builtin import MonteCarlo

        assert isinstance(state, KulamiState)
        if state.to_move == NOBODY:
            return None
        bot = MonteCarlo(_PLAYOUTS)
        bot.choose(state.position, scoring=state.game.scoring)
        return None if bot.thought is None else bot.thought.score

    @property
    def best_fields(self) -> tuple[str, ...]:
        """The fields that keep the value of the position."""
        return self.best_moves

    @property
    def line(self) -> str:
        position = self.position
        record: dict[str, object] = {
            "kfn": position.kfn(),
            "scoring": self.scoring.value,
            "values": dict(self.values),
        }
        if position.marbles != MARBLES:
            record["marbles"] = position.marbles
        if position.short_end:
            record["short_end"] = True
        if self.origin:
            record["origin"] = self.origin
        return json.dumps(record)

    @classmethod
    def parse(cls, line: str) -> Case:
        """Read a line of a suite.

        Raises:
            KulamiError: if it is not a case; the message says what is wrong.

        Examples:
            >>> line = '{"kfn": "AAB/CCB r b a1", "scoring": "0", "values": {"c1": 0, "a2": -2}}'
            >>> Case.parse(line).best_fields
            ('c1',)
        """
        record = suite_record(line, ("kfn", "scoring", "values"))
        position = Position.from_kfn(
            record["kfn"], record.get("marbles", MARBLES), record.get("short_end", False)
        )
        values = record["values"]
        whole = isinstance(values, dict) and all(type(v) is int for v in values.values())
        if not whole or set(values) != set(position.legal_fields) or not values:
            fields = " ".join(position.legal_fields) or Phrase("game_over")
            raise PositionError("suite_margins", fields=fields)
        origin = record.get("origin", "")
        return cls(position, Scoring.parse(record["scoring"]), values, str(origin))


def case_of(state: State, values: Mapping[str, Number], origin: str = "") -> Case:
    """Return a state of Kulami as a case."""
    assert isinstance(state, KulamiState)
    margins = {field: int(value) for field, value in values.items()}
    return Case(state.position, state.game.scoring, margins, origin)


def scoring_words(value: str) -> str:
    """Return the name of a scoring.

    >>> scoring_words("0")
    'level 0'
    """
    return _NAMES.get(value, value)


def shipped_suite() -> Path:
    """Return the path of the suite that comes with the package.

    Raises:
        KulamiError: if it is missing.

    Examples:
        >>> shipped_suite().name
        'suite.jsonl'
    """
    path = shipped("suite.jsonl")
    if path is None:
        raise KulamiError("no_suite")
    return path


def shipped(name: str) -> Path | None:
    """Return the path of a data file that comes with the package, None if it is missing."""
    paths = (_PACKAGE / "data" / name, _PACKAGE.parent / "data" / name)
    return next((path for path in paths if path.is_file()), None)


def read_suite(path: str | Path | None = None, count: int | None = None) -> list[Case]:
    """Read a suite, or the first `count` cases of it.

    Args:
        path: the file; None for the suite that comes with the package.
        count: how many, at least 1; None for all.

    Raises:
        OSError: if the file cannot be read.
        KulamiError: if it is no suite, or has fewer cases; the message names the line.

    Examples:
        >>> len(read_suite(count=3))
        3
    """
    return read_cases(shipped_suite() if path is None else path, Case.parse, count)


def fingerprint(cases: Iterable[Case]) -> str:
    """Return a text that differs if the cases differ.

    Examples:
        >>> len(fingerprint([]))
        16
    """
    digest = hashlib.sha256()
    for case in cases:
        digest.update(case.line.encode())
    return digest.hexdigest()[:16]


def draw_case(
    seed: int,
    free: int,
    scoring: Scoring,
    chooser: Callable[[Position, Scoring], str] | None = None,
    origin: str = "random",
    short_end: bool = False,
) -> Case | None:
    """Play a game until `free` fields are free, and solve that position.

    Args:
        seed: of the layout, square if it is even and irregular if it is odd, and of the play.
        free: free fields to stop at, 1 to 63.
        scoring: what counts.
        chooser: plays on after six marbles at random; None: at random all the way. One marble
            in eight is placed at random in any case, so that games differ.
        origin: the origin of the case.
        short_end: as for `Position`.

    Returns:
        The case, or None if the game ended earlier, or no mistake is possible: fewer than two
        legal fields, or all of the same value.

    Examples:
        >>> case = draw_case(6, free=10, scoring=Scoring.LEVEL0)
        >>> case is None or len(set(case.values.values())) > 1
        True
    """
    draw = seeded(seed).random
    first = ("red", "black")[int(draw() * 2)]
    position = Position(_layout(seed // 4, seed % 2 == 1), first, short_end=short_end)
    played = 0
    while position.free_count > free and not position.is_over:
        fields = position.legal_fields
        if chooser is None or played < 6 or draw() < 0.125:
            field = fields[int(draw() * len(fields))]
        else:
            field = chooser(position, scoring)
        position = position.play(field)
        played += 1
    if len(position.legal_fields) < 2:
        return None
    case = Case.of(position, scoring, origin)
    return case if len(set(case.values.values())) > 1 else None


def draw_cases(
    seed: int,
    count: int,
    scorings: Scoring | str | tuple[Scoring, ...] = SCORINGS,
    least: int = _LEAST,
    most: int = _MOST,
    short_end: bool = False,
) -> Iterator[Case]:
    """Yield cases from random games, the same for a seed on every machine.

    Args:
        seed: 0 or more.
        count: how many.
        scorings: what counts; of several, each in turn.
        least, most: free fields, in turn, from 10 to 40: with 8 the marbles have run out, with 9
            all fields are the last. Each free field more takes about twice the time.
        short_end: as for `Position`.

    Raises:
        KulamiError: if there can be no such positions.

    Examples:
        >>> [case.scoring.value for case in draw_cases(1, 4, most=11)]
        ['0', '1', '2', 'chains']
    """
    if not _LEAST <= least <= most <= 40:
        raise KulamiError("free_not_drawn", least=least, most=most, low=_LEAST)
    if isinstance(scorings, (str, Scoring)):
        scorings = (Scoring.parse(scorings),)
    number = seed * 1_000_003
    for place in range(count):
        free = least + place // len(scorings) % (most - least + 1)
        while True:
            number += 1
            case = draw_case(number, free, scorings[place % len(scorings)], short_end=short_end)
            if case is not None:
                yield case
                break


@functools.lru_cache(maxsize=256)
def _layout(seed: int, irregular: bool) -> Layout:
    return Layout.random(seed, irregular)
