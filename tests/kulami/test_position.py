"""Positions as values: what they say, what they refuse."""

from __future__ import annotations

import copy
import pickle

import pytest

from kulami_solver.errors import IllegalMoveError, KulamiError, NotationError, PositionError
from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.position import Position
from kulami_solver.kulami.position.scoring import Part, Scoring

SMALL = Layout.parse("AAB/AAC")


def test_chains_on_two_lines_are_two() -> None:
    """The last window of a row, and the first one of the next."""
    geometry = Layout.parse("AABBC/DDEEC").geometry
    assert geometry.chain_points((1 << 10) - 1, 0) == (10, 0)


def test_play_makes_a_new_position() -> None:
    start = Position(SMALL)
    first = start.play("b1")
    second = first.play(2)
    assert start == Position(SMALL)
    assert (first.red, first.black, first.turn, first.last) == (0b10, 0, "black", ("b1",))
    assert (second.red, second.black, second.turn) == (0b10, 0b100, "red")
    assert (second.last, second.last_field, second.barred_field) == (("c1", "b1"), 2, 1)
    assert {start.first, first.first, second.first} == {"red"}


def test_numbers_and_names_are_the_same_fields() -> None:
    class Name(str):
        __slots__ = ()

    class Number:
        def __index__(self) -> int:
            return 1

    start = Position(SMALL)
    assert start.play("b1") == start.play(1) == start.play(Name("b1"))
    assert start.play("b1") == start.play(Number())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("played", "field", "message"),
    [
        ("d4 d7", "d4", "red cannot play d4: it is taken"),
        ("d4 d7", "d8", "red cannot play d8: it is on the panel of the last marble, d7"),
        (
            "d4 d8 a8",
            "d7",
            "black cannot play d7: it is on the panel of the last marble but one, d8",
        ),
        ("d4", "e6", "black cannot play e6: it is not in the row or column of the last marble, d4"),
        ("", "i1", "there is no field i1 in this layout: row 1 has a1 b1 c1 d1 e1 f1 g1 h1"),
        (
            "",
            "D4",
            "'D4' is not a field: write a column letter in lower case, then a row number, like d4",
        ),
        ("", 64, "there is no field number 64: this layout has 0 to 63"),
        ("", -1, "there is no field number -1: this layout has 0 to 63"),
        pytest.param(
            "",
            10**5000,
            "there is no field number a number of 16610 bits: this layout has 0 to 63",
            id="huge",
        ),
        ("", None, "a field is a name or a number, not None"),
        ("", True, "a field is a name or a number, not True"),
    ],
)
def test_illegal_moves_say_why(played: str, field: str | int, message: str) -> None:
    position = Position(Layout.square()).play_all(played)
    with pytest.raises(IllegalMoveError) as caught:
        position.play(field)
    assert str(caught.value) == message


def test_moves_after_the_end_say_so() -> None:
    over = Position(SMALL).play_all("a1 c1 c2 a2")
    assert over.is_over
    with pytest.raises(IllegalMoveError, match="b2 cannot be played: the game is over, red has no"):
        over.play("b2")
    spent = Position(Layout.square(), marbles=1).play_all("d4 d7")
    with pytest.raises(IllegalMoveError, match="the game is over, red has placed all 1 marbles"):
        spent.play("a7")


def test_play_all_counts_the_moves() -> None:
    with pytest.raises(IllegalMoveError, match=r"^move 2: black cannot play d4: it is taken$"):
        Position(Layout.square()).play_all(["d4", "d4"])
    with pytest.raises(NotationError, match=r"^number 3 of the list: 'd99' is not a field"):
        Position(Layout.square()).play_all("d4 d7 d99")


def test_marbles_end_the_game() -> None:
    position = Position(Layout.square(), marbles=2).play_all("d4 d7 a7")
    assert (position.supply, position.is_over) == (1, False)
    end = position.play(position.legal_fields[0])
    assert (end.supply, end.is_over, end.legal_fields) == (0, True, ())


def test_short_end_takes_away_the_last_marble() -> None:
    position = Position(Layout.square(), marbles=2, short_end=True).play_all("d4 d7 a7")
    assert (position.supply, position.is_over) == (0, True)
    with pytest.raises(IllegalMoveError, match="over, black is to move, but one side has placed"):
        position.play("a1")
    other = Position.from_kfn(position.kfn(), marbles=2)
    assert not other.is_over
    assert position != other


def test_one_known_marble_bars_only_its_panel() -> None:
    both = Position(Layout.square()).play_all("d4 d7 a7")
    one = Position.from_kfn(both.kfn().removesuffix(",d7"))
    assert (one.last, one.barred_field) == (("a7",), -1)
    assert set(both.legal_fields) < set(one.legal_fields)
    assert both != one
    assert one.play("a1").last == ("a1", "a7")


def test_a_position_is_a_value() -> None:
    position = Position(Layout.square(), marbles=30).play_all("d4 d7")
    same = Position(Layout.square(), marbles=30).play("d4").play("d7")
    assert position == same
    assert hash(position) == hash(same)
    assert position is not same
    assert copy.copy(position) is position
    assert copy.deepcopy(position) is position
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(position, protocol)) == position
    assert eval(repr(position)) == position
    assert position != position.kfn()
    with pytest.raises(AttributeError):
        position.red = 0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        position.comment = "good"  # type: ignore[attr-defined]


def test_positions_differ_in_what_the_future_depends_on() -> None:
    position = Position(Layout.square()).play("d4")
    others = [
        Position(Layout.square(), first="black").play("d4"),
        Position(Layout.square(), marbles=29).play("d4"),
        Position(Layout.square(), short_end=True).play("d4"),
        Position(Layout.square()).play("d5"),
        Position(Layout.random(1)).play("d4"),
    ]
    assert len({position, *others}) == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"layout": "AAB/AAC"}, "a position needs a Layout, not 'AAB/AAC'"),
        ({"first": "white"}, "first 'white' is no colour: use 'red' or 'black'"),
        ({"first": None}, "first None is no colour: use 'red' or 'black'"),
        ({"marbles": 0}, "0 marbles of each colour: give 1 to 64"),
        ({"marbles": 10**9}, "1000000000 marbles of each colour: give 1 to 64"),
        ({"marbles": "28"}, "marbles is a whole number, not '28'"),
        ({"short_end": "no"}, "short_end is True or False, not 'no'"),
    ],
)
def test_what_is_no_position(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(KulamiError) as caught:
        Position(**({"layout": SMALL} | arguments))  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("kfn", "message"),
    [
        (
            "AAB/AAC 2r/r b a2",
            "red has 2 marbles on the board and black 0: they differ by at most one",
        ),
        (
            "AAB/AAC r r a1",
            "red is to move, but has more marbles on the board, 1 against 0: "
            "give the turn to black",
        ),
        (
            "AAB/AAC r b -",
            "marbles are on the board, but none is named as the last one: "
            "name the newest and the one before, like f8,d3",
        ),
        (
            "AAB/AAC - r a1",
            "'a1' is named as the last marble of an empty board: name none (- in KFN)",
        ),
        (
            "AAB/AAC r b a2",
            "the newest marble is said to be on a2, but red, who has just moved, "
            "has no marble there",
        ),
        (
            "AAB/AAC r1b r c1,a2",
            "the second newest marble is said to be on a2, but red, "
            "who is to move, has no marble there",
        ),
        (
            "AAB/AAC r1b r c1,c1",
            "the second newest marble is said to be on c1, but red, "
            "who is to move, has no marble there",
        ),
    ],
)
def test_what_a_kfn_may_not_say(kfn: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position.from_kfn(kfn)
    assert str(caught.value) == message


def test_more_marbles_on_the_board_than_there_are() -> None:
    full = Position(Layout.square(), marbles=2).play_all("d4 d7 a7")
    with pytest.raises(
        PositionError,
        match=r"2 marbles on the board and 1 in all: ask for more "
        r"with --marbles 2 \(marbles=2\)",
    ):
        Position.from_kfn(full.kfn(), marbles=1)


@pytest.mark.parametrize(
    ("red", "black", "message"),
    [
        (1, 1, "a1 has a red and a black marble: a field holds one"),
        (-1, 0, "red's marbles have a bit outside the layout's 6 fields: use bits 0 to 5"),
        (0, 1 << 64, "black's marbles have a bit outside the layout's 6 fields: use bits 0 to 5"),
        ("a1", 0, "red's marbles are a bit mask, not 'a1'"),
    ],
)
def test_arranged_checks_its_masks(red: int, black: int, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position.arranged(SMALL, red, black, "red")
    assert str(caught.value) == message


def test_three_last_marbles_are_too_many() -> None:
    with pytest.raises(PositionError, match="3 last marbles are named: name two at most"):
        Position.arranged(SMALL, 0b1, 0b100, "red", "c1 a1 a1")


def test_score_of_a_board_in_play() -> None:
    position = Position(SMALL).play_all("b1 c1")
    score = position.score(Scoring.CHAINS)
    assert (score.panels, score.area, score.chains) == (Part(4, 1), Part(1, 1), Part(0, 0))
    assert (score.red, score.black, score.margin, position.margin()) == (4, 1, 3, 3)
    assert Position(SMALL).play("b1").margin() == -4  # for black, who is to move


@pytest.mark.parametrize("value", ["0", "1", "2", "chains", 0, 1, 2, "level0", "Level2", "CHAINS"])
def test_names_of_scorings(value: object) -> None:
    expected = str(value).lower().removeprefix("level")
    assert Scoring.parse(value).value == expected


@pytest.mark.parametrize(
    "value", ["3", 3, -1, True, None, "", "chain", pytest.param("0" * 10**6, id="huge")]
)
def test_what_is_no_scoring(value: object) -> None:
    with pytest.raises(NotationError, match="is not a scoring: use 0, 1, 2 or chains"):
        Scoring.parse(value)


def test_perft_of_a_small_board() -> None:
    start = Position(Layout.parse("AB/CD"))
    assert start.perft(5) == [4, 8, 8, 8, 8]
    assert Position(Layout.parse("AB/CD"), marbles=1).perft(3) == [4, 8, 8]
    for depth in (0, -1, 129, 10**9, "2", True):
        with pytest.raises(PositionError, match="is not a number of plies, 1 to 128"):
            start.perft(depth)  # type: ignore[arg-type]
