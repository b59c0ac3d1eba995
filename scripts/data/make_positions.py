#!/usr/bin/env python3
"""Write tests/positions/*.jsonl: positions with the exact margin of every legal field.

    python scripts/data/make_positions.py [--check] [NAME ...]

One line is one position at one scoring::

    {"kfn": "AAB - r -", "marbles": 28, "short_end": false, "scoring": "0",
     "margin": 1, "values": {"a1": 1, "b1": 1, "c1": -1}}

All margins are the side to move's.  An ended position has no values and its margin is the score.
The values are the plain minimax of tests/reference.py; the package is not used.  The same bytes
come out on every machine: chance is random.Random(seed).random() and nothing else.
"""

from __future__ import annotations

import functools
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import reference  # noqa: E402
from json_lines import write_or_compare  # noqa: E402

FOLDER = ROOT / "tests" / "positions"

Position = tuple[reference.Rules, reference.State]

STANDARD = [
    reference.SQUARE_LAYOUT,
    reference.RULEBOOK_LAYOUT,
    "AABBCCDE/FGBBHHDE/FGIIHHDE/JGIIHHKK/JLIIMMKK/JLNNMMKK/OONNPPQQ/OONNPPQQ",
    "....OO..../.NNNOOPPP./.NNN...LL./QQ.III.LL./QQDDD..HHM/"
    "EEDDDAAHHM/EE.CCBB.JM/EE.FF.KKJ./.GGFF.KKJ./......KK..",
    ".MMM..NN../.MMMH.NN../O.IIH.NNGG/O.IIHPPPGG/O..DD...GG/"
    "LL.ABBBCC./.FFABBBCC./.FF.EE.JKK/...QQ..JKK/...QQ..J..",
]
SMALL = [
    "AAB",
    "AAB/CCB",
    "ABC/DEF/GHI",
    "AAB/AAB/CCD",
    "AABB/CCDD/CCEE",
    "ABBC/ABBC/ADDE",
    "AABBC/DDEEC",
    "ABBCC/ABBDD",
    "AABBC/DDEEF",
    "A.B/.C./D.E",
    "AA.BB/AA.BB/..C../DDDEE",
    "ABCDEFGH",
    "AABBCCDDE",
    "A/A/B/B/C/D/E/F/G",
]
MIDDLE = [
    "ABBBC/ABBBC/ADDEE/FDDEE/FDDGG",
    "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG",
    "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG/HHIIJJ",
    "ABCDE/FGHIJ/KLMNO/PQRST/UVWXY",
    "AABBCCDD/EEFFGGHH/IIJJKKLL",
    "AAA.BBB/AAA.BBB/......./CC.DD.E/CC.DD.E/......./FFFGGGG",
    "AAAA....BBBB/....CCCC..../DDDD....EEEE/....FFFF..../GGGG....HHHH",
]


class Chance:
    """Random choices which are the same in every version of Python."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound`` - 1."""
        return int(self.random() * bound)

    def shuffled(self, squares: list[reference.Square]) -> list[reference.Square]:
        """The squares in another order."""
        return sorted(squares, key=lambda _: self.random())


def free_fields(position: Position) -> int:
    """How many fields are free."""
    rules, state = position
    return len(rules.panel) - len(state.red) - len(state.black)


def played(
    chance: Chance, layout: str, most_free: int, marbles: int = 28, short_end: bool = False
) -> Position:
    """A position of a random game with at most this many free fields, not ended if possible."""
    for _ in range(50):
        rules, state = reference.start(layout, "rb"[chance.below(2)], marbles, short_end)
        while free_fields((rules, state)) > most_free:
            fields = reference.legal_fields(rules, state)
            if not fields:
                break
            state = reference.play(state, fields[chance.below(len(fields))])
        if not reference.is_over(rules, state):
            break
    return rules, state


def placed(chance: Chance, layout: str, free: int, noise: float) -> Position:
    """A valid position whose colours lie in blocks, the less so the more noise."""
    rules, _ = reference.start(layout)
    squares = chance.shuffled(sorted(rules.panel))[free:]
    squares.sort(key=lambda square: 2 * square[0] + square[1] + noise * chance.random())
    half = len(squares) // 2
    own, other = squares[:half], squares[half:]
    last: tuple[reference.Square, ...] = (other[chance.below(len(other))],)
    if own and chance.below(4):
        last = (*last, own[chance.below(len(own))])
    turn = "rb"[chance.below(2)]
    red, black = (own, other) if turn == "r" else (other, own)
    # 32 marbles each: the fullest of these boards has 28 and more of a colour on it.
    return (
        reference.Rules(rules.rows, rules.panel, 32),
        reference.State(frozenset(red), frozenset(black), turn, last),
    )


def small() -> Iterator[Position]:
    """Small boards from the empty board."""
    for layout in SMALL:
        yield reference.start(layout, "r")


def middle() -> Iterator[Position]:
    """Small and middle-sized boards in the middle of a game."""
    chance = Chance(1)
    for layout in MIDDLE:
        for most_free in (6, 9, 11, 12):
            yield played(chance, layout, most_free)
    for most_free in (5, 7, 8, 9):  # in a long row nearly every order of play is possible
        yield played(chance, "AABBCCDDEEFFGGHH/IIJJKKLLMMNNOOPP", most_free)


def standard() -> Iterator[Position]:
    """Standard layouts near the end of a game."""
    chance = Chance(2)
    for layout in STANDARD:
        for most_free in (8, 10, 12, 13, 14, 15):
            yield played(chance, layout, most_free)


def placed_colours() -> Iterator[Position]:
    """Large areas and long chains, which random play hardly ever makes."""
    chance = Chance(3)
    for layout in [*STANDARD[:3], *MIDDLE[:3], MIDDLE[5]]:
        for free in (5, 8, 10, 12):
            yield placed(chance, layout, free, noise=chance.below(3) * 2.0)


def limits() -> Iterator[Position]:
    """Games which the marbles end, with both ways to end them."""
    chance = Chance(4)
    for layout in [*SMALL[1:8], *MIDDLE[:4]]:
        for short_end in (False, True):
            fields = len(reference.parse_layout(layout))
            marbles = 1 + chance.below(min(6, fields // 2))
            plies = chance.below(max(1, 2 * marbles - 4)) + max(0, 2 * marbles - 5)
            yield played(chance, layout, fields - plies, marbles, short_end)
    for layout in STANDARD:
        yield played(chance, layout, 15, 26, bool(chance.below(2)))


SUITE: dict[str, Callable[[], Iterator[Position]]] = {
    "small": small,
    "middle": middle,
    "standard": standard,
    "placed": placed_colours,
    "limits": limits,
}


def line(position: Position, scoring: str) -> str:
    """A position's line at one scoring."""
    rules, state = position
    values = reference.field_values(rules, state, scoring, {})
    record = {
        "kfn": reference.format_kfn(rules, state),
        "marbles": rules.marbles,
        "short_end": rules.short_end,
        "scoring": scoring,
        "margin": max(values.values()) if values else reference.margin(rules, state, scoring),
        "values": values,
    }
    return json.dumps(record) + "\n"


def lines(positions: Callable[[], Iterator[Position]]) -> Iterator[str]:
    """The lines of positions at every scoring."""
    return (line(position, scoring) for position in positions() for scoring in reference.SCORINGS)


if __name__ == "__main__":
    write_or_compare(FOLDER, {name: functools.partial(lines, made) for name, made in SUITE.items()})
