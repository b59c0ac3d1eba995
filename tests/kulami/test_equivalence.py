"""Positions that the table takes for the same have the same value, up to what is settled.

The key says what the future of a position depends on. Here every reachable position of small
boards is enumerated and solved by the reference; wherever two keys are equal, so must be the
margins less the bases.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import pytest
import reference
import strategies
from hypothesis import given, note, settings
from static import Static, every_value, values_of_board

import kulami_solver as ks
from kulami_solver.kulami.solve.solver import Solver

Case = tuple[reference.Rules, reference.State]
Solved = tuple[reference.Rules, reference.State, int]

each_scoring = pytest.mark.parametrize("name", reference.SCORINGS)

SMALL_BOARDS = [
    "ABC/ADE/FFE",
    "ABC/DEF/GHI",
    "AABB/CCBB/DDEF",
    "AA..BB/CC..DD/.EE.F.",
    "AAB.C/DEB.C/DE.FF",
    "ABBCCDD",
    "ABCDE/.F.G.",
]
LARGER_BOARDS = [
    "ABBC/ADDC/EEFF",
    "AABBCC/DDDEEE",
    "ABBCCD/ABBEED",
    "ABBCCC/ADDEEF",
    "AAB/CDB/CEE/FGG",
    "ABCDE/FGHIJ",
]

# The limits shift who runs out of marbles, and share one table: how long the game can last is in
# the key, not how many marbles there are.
MARBLES = [(3, True), (28, False)]

# Long lines in all four directions, and room for areas.
OPEN_BOARDS = ["ABBBC/ABBBC/ADDEE/FDDEE/FDDGG", "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG"]


def games_on(board: str, name: str) -> Iterator[Solved]:
    """Every reachable position of a board, and its margin."""
    for marbles, short_end in MARBLES:
        rules, values = values_of_board(board, name, marbles, short_end)
        for reached, value in values.items():
            yield rules, reached, value


def late_games_on(board: str, name: str, starts: int) -> Iterator[Solved]:
    """All that follows positions with few free fields and one colour's marbles in lines.

    Each comes in several arrangements that are alike for the panels: with the same free fields and
    last marbles, and as many marbles of each colour on each panel. What keeps them apart is
    nothing but areas and chains.
    """
    panel = reference.parse_layout(board)
    draw = random.Random(f"{board} {name}")
    while starts:
        across, down = draw.choice([(0, 1), (1, 0), (1, 1), (1, -1)])
        noise = 3 * draw.random()
        squares = sorted(panel, key=lambda _: draw.random())
        marbles = sorted(
            squares[draw.randint(7, 11) :],
            key=lambda square: square[0] * across + square[1] * down + noise * draw.random(),
        )
        half = len(marbles) // 2
        own, other = frozenset(marbles[:half]), frozenset(marbles[half:])
        last = (draw.choice(sorted(other)), draw.choice(sorted(own)))
        rules = reference.Rules(reference.layout_rows(board), panel, draw.choice([13, 14, 28]))
        state = reference.State(own, other, "r", last)
        if len(other) > rules.marbles or reference.is_over(rules, state):
            continue
        starts -= 1
        for _ in range(6):
            for reached, value in every_value(rules, state, name).items():
                yield rules, reached, value
            state = rearranged(rules, state, draw)


def rearranged(
    rules: reference.Rules, state: reference.State, draw: random.Random
) -> reference.State:
    """Some marbles, but the last ones, change places within their panels."""
    red, black = set(state.red), set(state.black)
    for one in sorted(state.red - set(state.last)):
        on_panel = [s for s in black - set(state.last) if rules.panel[s] == rules.panel[one]]
        if on_panel and draw.random() < 0.4:
            two = draw.choice(sorted(on_panel))
            red = red - {one} | {two}
            black = black - {two} | {one}
    return reference.State(frozenset(red), frozenset(black), state.turn, state.last)


class Searches(dict[tuple[str, ...], Static]):
    """One for each layout, made when it is asked for."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __missing__(self, rows: tuple[str, ...]) -> Static:
        self[rows] = Static(rows, self.name)
        return self[rows]


def conflicts(solved: Iterable[Solved], name: str) -> list[str]:
    """Where equal keys have different values."""
    searches = Searches(name)
    met: dict[tuple[tuple[str, ...], object], tuple[int, Case]] = {}
    found: list[str] = []
    for rules, state, value in solved:
        key = searches[rules.rows].key(rules, state)
        if key is None:
            continue
        future = value - key[1]
        first, case = met.setdefault((rules.rows, key[0]), (future, (rules, state)))
        if first != future:
            found.append(
                f"scoring {name}: {future} to come at {told(rules, state)}, "
                f"but {first} at {told(*case)}"
            )
    return found


def told(rules: reference.Rules, state: reference.State) -> str:
    """A position in words."""
    return f"{reference.format_kfn(rules, state)} with {rules.marbles} marbles"


@each_scoring
def test_small_boards(name: str) -> None:
    for board in SMALL_BOARDS:
        found = conflicts(games_on(board, name), name)
        assert not found, found[0]


@each_scoring
def test_open_boards(name: str) -> None:
    for board in OPEN_BOARDS:
        found = conflicts(late_games_on(board, name, 10), name)
        assert not found, found[0]


@pytest.mark.nightly
@each_scoring
def test_larger_boards(name: str) -> None:
    for board in LARGER_BOARDS:
        found = conflicts(games_on(board, name), name)
        assert not found, found[0]
    for board in OPEN_BOARDS:
        found = conflicts(late_games_on(board, name, 400), name)
        assert not found, found[0]


@settings(max_examples=20)
@given(strategies.placed(most_free=8))
def test_all_that_follows_random_positions(case: Case) -> None:
    note(reference.format_kfn(*case))
    for name in reference.SCORINGS:
        values = every_value(*case, name)
        found = conflicts(((case[0], state, value) for state, value in values.items()), name)
        assert not found, found[0]


@each_scoring
def test_one_table_for_a_whole_board(name: str) -> None:
    """The search makes its keys move by move, and they must mean the same as those made afresh.

    All positions of a board are asked about in random order, with one table between them.
    """
    scoring = ks.Scoring.parse(name)
    for board in SMALL_BOARDS:
        rules, values = values_of_board(board, name)
        states = sorted(values, key=lambda state: len(state.red) + len(state.black))
        random.Random(board).shuffle(states)
        position = ks.Position(ks.Layout.parse(board))
        solver = Solver(position, scoring, 1 << 20)
        for state in states[:50]:
            position = ks.Position.from_kfn(reference.format_kfn(rules, state))
            found = solver.inquire(position)
            assert found.lower == found.upper == values[state], position.kfn()
