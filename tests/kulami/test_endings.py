"""Endings: every answer of the search close to the end is true, whatever it is asked.

A margin that is right may come from bounds that are not: here each question is asked by itself, and
its answer held against the margin that the textbook finds.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

import kulami_solver as ks
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.kulami.textbook import Textbook

# The longest endings take fourteen plies; the full search that leads to them is asked as well.
LONGEST = 15

ODD = (
    "A/B/C/D/E/F/G/H/I/J/K/L/M",
    "AB.CCDDD.EEE/AB.FFDDD.GGG/HHHHIIJJKKLL",
    "AAAAAAAA/AAAAAAAA/BBBBBBBB/BBBBBBBB/CCCCDDDD/CCCCDDDD",
    "ABCDEFGH/IJKLMNOP/QRSTUVWX/YZabcdef/ghijklmn",
    "AAAAAB/AAAAAB/AAAAAB/CCCCCB/CCCCCB/DDDDDD",
    "AAA.BBB/AAA.BBB/.......,CCC.DDD/CCC.DDD".replace(",", "/"),
)


def layouts() -> Iterator[ks.Layout]:
    """Random boards of the standard panels, and shapes and panels of other kinds."""
    for seed in range(12):
        yield ks.Layout.random(seed, irregular=seed % 3 == 2)
    for rows in ODD:
        yield ks.Layout.parse(rows)


def late_positions(layout: ks.Layout, games: int) -> Iterator[ks.Position]:
    """Positions of random games with 3 to LONGEST marbles or free fields left, one a ply."""
    chance = random.Random(layout.rows[0])
    for _ in range(games):
        fields = len(ks.Position(layout).legal_fields)
        marbles = min(32, chance.choice([28, (fields + 1) // 2, fields // 3 + 3]))
        position = ks.Position(layout, chance.choice(["red", "black"]), marbles)
        while not position.is_over:
            if 3 <= min(position.supply, position.free_count) <= LONGEST:
                yield position
            position = position.play(chance.choice(position.legal_fields))


def one_sided_positions(layout: ks.Layout, count: int) -> Iterator[ks.Position]:
    """Positions that no game need lead to, with panels more or less of one colour.

    Few panels are open in them, so bounds are close to what they bound.
    """
    chance = random.Random(layout.rows[-1])
    squares = [
        (x, y) for y, row in enumerate(layout.rows) for x, name in enumerate(row) if name != "."
    ]
    for _ in range(count):
        noise = chance.choice([1, 20, 100])
        order = {(x, y): ord(layout.rows[y][x]) + noise * chance.random() for x, y in squares}
        chance.shuffle(squares)
        free = chance.randint(3, min(LONGEST, len(squares) - 2))
        marbles = sorted(squares[free:], key=order.__getitem__)
        half = len(marbles) // 2
        colour = dict(zip(marbles, "r" * half + "b" * (len(marbles) - half), strict=True))
        rows = "/".join(
            "".join(
                str(len(list(run))) if mark == " " else mark * len(list(run))
                for mark, run in itertools.groupby(colour.get((x, y), " ") for x in range(len(row)))
            )
            for y, row in enumerate(layout.rows)
        )
        newest, older = (
            f"{chr(97 + x)}{y + 1}" for x, y in (chance.choice(marbles[half:]), marbles[0])
        )
        yield ks.Position.from_kfn(f"{'/'.join(layout.rows)} {rows} r {newest},{older}", marbles=32)


SLOW = (ks.Scoring.LEVEL1, ks.Scoring.LEVEL2)  # for the textbook


@pytest.mark.parametrize(
    ("scoring", "games", "part"),
    [
        *((scoring, 1, 4 if scoring in SLOW else 2) for scoring in ks.Scoring),
        *(pytest.param(scoring, 10, 1, marks=pytest.mark.nightly) for scoring in ks.Scoring),
    ],
)
def test_every_answer_is_true(scoring: ks.Scoring, games: int, part: int) -> None:
    """So is the field that proves it, whichever bound or search it was that gave the answer."""
    asked = named = 0
    # The textbook is fastest at level 0.
    one_sided = 40 if scoring is not ks.Scoring.LEVEL0 else 400 if games > 1 else 100
    for layout in itertools.islice(layouts(), 0, None, part):
        search = Solver(ks.Position(layout), scoring, 1 << 16).search
        book = Textbook(layout.geometry, 1 << 16, scoring.area, scoring.chains)
        drawn = one_sided_positions(layout, one_sided), late_positions(layout, games)
        for number, position in enumerate(itertools.chain(*drawn)):
            margins: dict[int, int | None] = {}  # after each field
            margin = book.margin(*position.view, position.supply)
            assert margin is not None
            lower, upper = search.set_position(*position.view, position.supply)
            assert lower <= margin <= upper
            for beta in range(lower + 1, upper + 1):
                answer = search.null_window(beta)
                assert answer is not None
                told = f"{position.kfn()} {position.marbles}: {beta}? {answer}, and is {margin}"
                assert (beta <= answer <= margin) or (margin <= answer < beta), told
                asked += 1
                field = search.proving_field()
                if number % 5 or answer < beta or field is None:
                    continue
                if field not in margins:
                    after = position.play(layout.fields[field])
                    margins[field] = book.margin(*after.view, after.supply)
                worth = margins[field]
                assert worth is not None
                assert -worth >= answer, f"{told}, by {field}"
                named += 1
    assert asked > 5000 // part, asked
    assert named > 500 // part, named
