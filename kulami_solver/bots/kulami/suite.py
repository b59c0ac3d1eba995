"""Positions of Kulami to judge bots by, each with the exact value of every field.

A suite is a file of JSON lines:

    {"kfn": "AAB/CCB r/3 b a1", "scoring": "0", "values": {"c1": 0, "a2": -2}, "origin": "random"}

`values` are margins for the side to move after best play. The options of an edition may be
added. The suite shipped with the package is in `data/suite.jsonl`; see `data/README.md`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from ...core.whole_numbers import seeded
from ...errors import KulamiError
from ...kulami.position.edition import USUAL, Edition
from ...kulami.position.layout import Layout
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ..case import read_cases
from .case import Case

__all__ = ["Case", "read_suite"]

_PACKAGE: Final = Path(__file__).resolve().parents[2]
MOST_FREE: Final = 40
"""The most free fields of positions that are solved by the hundred: a search of one on 8x8 takes
about a minute then, and twice as long with each free field more."""
_LEAST: Final = 10
_MOST: Final = 24
_TRIES: Final = 1000  # games for one case; on whole boards nearly every second has one
_OPENING: Final = 6  # marbles at random before a bot plays on
_SLIP: Final = 0.125  # share of the bot's fields that are random, so that games differ
SCORINGS: Final = tuple(Scoring)

Chooser = Callable[[Position, Scoring], str]
"""A function that chooses a field of a position."""


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
    found = shipped("suite.jsonl") if path is None else path
    if found is None:
        raise KulamiError(
            "the suite of positions, data/suite.jsonl, did not come with this installation: name "
            "one with --suite, or draw positions with --live"
        )
    return read_cases(found, Case.parse, count)


def draw_case(
    seed: int,
    free: int,
    scoring: Scoring,
    chooser: Chooser | None = None,
    origin: str = "random",
    edition: Edition = USUAL,
    layout: Layout | None = None,
) -> Case | None:
    """Play a game until `free` fields are free, and solve that position.

    Args:
        seed: of the layout, square if it is even and irregular if it is odd, and of the play.
        free: free fields to stop at, 1 to 63.
        scoring: what counts.
        chooser: plays on after some marbles at random; None: at random all the way.
        origin: the origin of the case.
        edition: of the game.
        layout: the layout; None for one by the seed.

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
    board = layout or _layout(seed // 4, seed % 2 == 1)
    start = Position(board, first, **edition)
    position = played_down(start, free, scoring, chooser, draw)
    if len(position.legal_fields) < 2:
        return None
    case = Case.of(position, scoring, origin)
    return case if len(set(case.values.values())) > 1 else None


def played_down(
    position: Position,
    free: int,
    scoring: Scoring,
    chooser: Chooser | None,
    draw: Callable[[], float],
) -> Position:
    """Return a position after a game in which `free` fields are free, or that is over by then.

    Args:
        position: the empty board.
        free, scoring, chooser: as for `draw_case`.
        draw: returns random numbers from 0 to 1.
    """
    played = 0
    while position.free_count > free and not position.is_over:
        fields = position.legal_fields
        if chooser is None or played < _OPENING or draw() < _SLIP:
            field = fields[int(draw() * len(fields))]
        else:
            field = chooser(position, scoring)
        position = position.play(field)
        played += 1
    return position


def draw_cases(
    seed: int,
    count: int,
    scorings: Scoring | str | tuple[Scoring, ...] = SCORINGS,
    least: int = _LEAST,
    most: int = _MOST,
    edition: Edition = USUAL,
    layouts: Sequence[Layout] = (),
) -> Iterator[Case]:
    """Yield cases from random games, the same for a seed on every machine.

    Args:
        seed: 0 or more.
        count: how many.
        scorings: what counts; of several, each in turn.
        least, most: free fields, in turn, from 10 to 40: with 8 the marbles have run out, with 9
            all fields are the last. Each free field more takes about twice the time.
        edition: of the games.
        layouts: to be taken in turn; random ones if there are none.

    Raises:
        KulamiError: if there can be no such positions, or none is found on a layout.

    Examples:
        >>> [case.scoring.value for case in draw_cases(1, 4, most=11)]
        ['0', '1', '2', 'chains']
    """
    if not _LEAST <= least <= most <= MOST_FREE:
        raise KulamiError(
            f"positions with {least} to {most} free fields cannot be drawn: ask for {_LEAST} to "
            f"{MOST_FREE}"
        )
    if isinstance(scorings, (str, Scoring)):
        scorings = (Scoring.parse(scorings),)
    number = seed * 1_000_003
    for place in range(count):
        free = least + place // len(scorings) % (most - least + 1)
        counted = scorings[place % len(scorings)]
        layout = layouts[place % len(layouts)] if layouts else None
        for _ in range(_TRIES):
            number += 1
            case = draw_case(number, free, counted, edition=edition, layout=layout)
            if case is not None:
                yield case
                break
        else:
            small = layout is not None and len(layout) <= free
            remedy = "a larger layout" if small else "another layout, or other --free"
            raise KulamiError(
                f"no position with {free} free fields in which a mistake is possible came up on "
                f"{layout}: take {remedy}"
            )


@functools.lru_cache(maxsize=256)
def _layout(seed: int, irregular: bool) -> Layout:
    return Layout.random(seed, irregular)
