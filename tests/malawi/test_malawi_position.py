"""Positions of Malawi: the compiled rules through the public nouns, against the slow reference."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import malawi_reference as reference
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from malawi_agreement import mfn, turn_text
from strategies import spoilt

from kulami_solver.errors import BoardError, IllegalMoveError, KulamiError, PositionError
from kulami_solver.malawi import Board, Position
from kulami_solver.malawi.board import Turn
from kulami_solver.malawi.render import board_ansi

NIGHTLY = pytest.mark.nightly
SMALL = [
    (2, 4, 2),
    pytest.param(2, 5, 2, marks=NIGHTLY),
    pytest.param(2, 6, 2, marks=NIGHTLY),
    pytest.param(3, 3, 1, marks=NIGHTLY),
    pytest.param(3, 3, 2, marks=NIGHTLY),
]


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
    reached = reference.solve(reference.start(columns, rows, beads)).values
    for number, grid in enumerate(reached):
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
            text = draw.choice(
                (
                    f"{figure}-{targets[0]}",
                    f"{figure}x{targets[0]}",
                    f"{figure}:{','.join(targets)}",
                )
            )
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("b1b1/../r1r1", "has 1 part"),
        ("b1b1/../r1r1 w", "MFN turn is 'w': write r or b"),
        ("b1b1/../r1r1  r", "has several in a row"),
        ("b1b1/./r1r1 r", "row 2 is 1 square wide, row 1 is 2: write . for"),
        ("b1b1//r1r1 r", "row 2 is empty"),
        ("b1b1/../r1r r", "row 3, b3: r lacks its number of beads: write r0"),
        ("b1b1/../r1q2 r", "row 3, b3: 'q2' is no square"),
        ("b1b1/../r1r02 r", "row 3, b3: 'r02' has a leading zero: write r2"),
        ("b1b1/../r1r300 r", "more beads than a side can have: at most 255"),
        ("b1b1/../r200r200 r", "red has 400 beads: a side has 255 at most"),
        ("b1b1/r1r1 r", "a board with 2 rows: give 3 to 16"),
        ("b1b1/../r1. r", "red has 1 figure: each side has 2"),
        ("b0b0/../r1r1 r", "black has no bead and red is to move"),
        ("/".join(["b1" + "." * 8] * 9) + " r", "81 squares: at most 64"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(text: str, said: str) -> None:
    with pytest.raises(KulamiError) as refused:
        Position.from_mfn(text)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        ("a1-a2", "the figure on a1 is black's"),
        ("b2-b3", "there is no figure on b2"),
        ("c3-c2", "the figure on c3 has no bead"),
        ("a3-a1", "a1 is not empty"),
        ("a3-b2", "b2 is not in the row or column of a3"),
        ("b3-b2", "has 3 beads, so it goes exactly 3, and b2 is 1 away"),
        ("a3xb3", "there is no figure of black's on b3"),
        ("a3xc1", "c1 is not in the row or column of a3"),
        ("a3xb1", "the figure on b1 has no bead to take"),
        ("b3xa1", "a1 is not in the row"),
        ("a3:b3", "the figure on a3 has 2 beads, so name 2 receivers"),
        ("a3:a3,b3", "beads go to other figures of red's only"),
        ("a3-d3", "'d3' is not on a board of 3x3: its last square is c3"),
    ],
)
def test_why_a_turn_is_not_legal_is_said(turn: str, said: str) -> None:
    position = Position.from_mfn("b2b0b1/.../r2r3r0 r")
    with pytest.raises(IllegalMoveError) as refused:
        position.play(turn)
    assert str(refused.value).startswith(f"red cannot play {turn}: ")
    assert said in str(refused.value)


@pytest.mark.parametrize("text", ["a4", "xx", "-", "a4x", "a4:", "a4:b4,"])
def test_what_names_no_figure_or_no_target_is_no_turn(text: str) -> None:
    with pytest.raises(KulamiError, match=f"^'{text}' is no turn: write a4-a2 for a move"):
        Turn.parse(text)


def test_a_figure_between_stops_moves_and_hits() -> None:
    position = Position.from_mfn("b2b1/../r0./r3. r")
    with pytest.raises(IllegalMoveError, match="a figure stands between a4 and a1"):
        position.play("a4xa1")
    position = Position.from_mfn(".b1/../r0b0/r2. r")
    with pytest.raises(IllegalMoveError, match="a figure stands between a4 and a2"):
        position.play("a4-a2")


def test_after_the_end_nothing_is_played() -> None:
    over = Position.from_mfn("r1b2/../b0r1 r")
    assert over.legal_turns == over.turns == ()
    with pytest.raises(IllegalMoveError, match="the game is over, red has won"):
        over.play("b3-b2")


def test_boards_and_positions_that_are_none() -> None:
    wrong: Any
    for wrong in ((1, 3), (2, 2), (17, 3), (9, 8), (3, 3, 0), (3, 3, 16), ("3", 3), (True, 3)):
        with pytest.raises(BoardError):
            Board(*wrong)
    with pytest.raises(PositionError, match="starts from a Board"):
        Position.start("3x3")  # type: ignore[arg-type]


def test_colours_tell_the_sides_apart() -> None:
    text = board_ansi(Position.from_mfn("b2b0/../r1r1 r"))
    assert text.count("●") == 4
    assert text.count("\x1b[1;38;5;124m●") == 2
    assert "\x1b[2;38;5;16m●" in text


@pytest.mark.parametrize("turn", ["red", "black"])
@pytest.mark.parametrize(
    ("view", "said"),
    [
        ((1 << 70, 3, bytes(6)), "off the board"),
        ((-1, 3, bytes(6)), "off the board"),
        ((0b110000, 0b010001, bytes(6)), "two are on one square"),
        ((0b110000, 0b000011, bytes(5)), "beads of 5 squares on a board of 6"),
        ((0b110000, 0b000011, bytes([1, 1, 1, 0, 1, 1])), "beads lie on an empty square"),
        ((0b110000, 0b000001, bytes([1, 0, 0, 0, 1, 1])), "has 1 figure"),
    ],
)
def test_a_view_that_is_no_position(turn: str, view: tuple[int, int, bytes], said: str) -> None:
    with pytest.raises(PositionError, match=said):
        Position.seen(Board(2, 3), turn, view)
