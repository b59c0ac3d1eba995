"""Positions of Malawi: the compiled rules through the public nouns, against the slow reference."""

from __future__ import annotations

import copy
import pickle
import random

import malawi_reference as reference
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from malawi_agreement import mfn, turn_text
from strategies import spoilt

from kulami_solver.errors import IllegalMoveError, KulamiError
from kulami_solver.malawi import Board, Position
from kulami_solver.malawi.board import Turn
from kulami_solver.malawi.render import board_ansi

NIGHTLY = pytest.mark.nightly
LARGER = ((2, 5, 2), (2, 6, 2), (3, 3, 1), (3, 3, 2))
SMALL = [(2, 4, 2), *(pytest.param(*one, marks=NIGHTLY) for one in LARGER)]


def assert_agree(grid: reference.Grid, turn: str) -> None:
    """One position and all that its turns lead to, package and reference side by side."""
    position = Position.from_mfn(mfn(grid, turn))
    side, waiting = ("red", "black") if turn == "r" else ("black", "red")
    end = reference.ended(grid)
    assert position.winner == {None: None, "win": side, "loss": waiting}[end]
    expected = {} if end else {turn_text(grid, t, turn): g for t, g in reference.turns(grid)}
    assert {str(found) for found in position.legal_turns} == set(expected)
    other = "b" if turn == "r" else "r"
    for text, after in expected.items():
        assert position.play(text).mfn() == mfn(after, other)


@pytest.mark.parametrize(("columns", "rows", "beads"), SMALL)
def test_every_position_of_small_boards(columns: int, rows: int, beads: int) -> None:
    for number, grid in enumerate(reference.solve(reference.start(columns, rows, beads)).values):
        assert_agree(grid, "rb"[number % 2])


@pytest.mark.parametrize("size", [(2, 16), (3, 4), (4, 4), (5, 3), (6, 6)])
@pytest.mark.parametrize("beads", [1, 2, 4])
def test_random_games_follow_the_reference(size: tuple[int, int], beads: int) -> None:
    """Moves and hits are as likely as the many redistributions; other turns are refused."""
    draw = random.Random(f"{size} {beads}")
    board = Board(*size, beads=beads)
    position, grid = Position.start(board), reference.start(*size, beads)
    for _ in range(20):
        side = position.turn[0]
        assert position.mfn() == mfn(grid, side)
        assert position.is_over == (reference.ended(grid) is not None)
        following = dict(reference.turns(grid))
        expected = {} if position.is_over else {turn_text(grid, t, side): t for t in following}
        assert {str(turn) for turn in position.legal_turns} == set(expected)
        twin = Position.from_mfn(position.mfn())
        assert (twin, hash(twin)) == (position, hash(position))
        assert pickle.loads(pickle.dumps(position)) == position
        assert copy.deepcopy(position) is position
        assert Position.seen(board, position.turn, position.view) == position
        for _ in range(20):
            figure, *targets = draw.sample(board.fields, 3)
            kinds = (f"-{targets[0]}", f"x{targets[0]}", f":{','.join(targets)}")
            text = figure + draw.choice(kinds)
            if str(Turn.parse(text)) not in expected:
                with pytest.raises(IllegalMoveError) as refused:
                    position.play(text)
                assert_one_line(refused.value)
        if not expected:
            break
        kind = draw.choice(sorted({turn[0] for turn in following}))
        text = draw.choice(sorted(text for text, turn in expected.items() if turn[0] == kind))
        grid, before = following[expected[text]], position
        position = position.play(text)
        assert position != before


# Text

SOUND = [Position.start(Board(3, 4)).mfn(), "b0b3/r2./../.r2 r", "b12b0/../r0r255 b"]
QUICK = settings(max_examples=100)


def read_or_refuse(text: str) -> None:
    try:
        position = Position.from_mfn(text)
    except KulamiError as error:
        assert_one_line(error)
    else:
        assert position.mfn() == text.strip(" \t\r\n")
        assert Position.from_mfn(position.mfn()) == position
        assert position.text()


def assert_one_line(error: KulamiError) -> None:
    said = str(error)
    assert 10 < len(said) < 300
    assert said.isprintable()


@QUICK
@given(st.one_of(st.text(max_size=20), spoilt(SOUND, "rb.012/ x-")))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refuse(text)


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=20), st.text(st.sampled_from("ab12-x:,"), max_size=12)))
def test_any_turn_is_read_or_refused(text: str) -> None:
    try:
        turn = Turn.parse(text)
    except KulamiError as error:
        assert_one_line(error)
    else:
        assert Turn.parse(str(turn)) == turn


def test_colours_tell_the_sides_apart() -> None:
    text = board_ansi(Position.from_mfn("b2b0/../r1r1 r"))
    assert text.count("●") == 4
    assert text.count("\x1b[1;38;5;124m●") == 2
    assert "\x1b[2;38;5;16m●" in text
