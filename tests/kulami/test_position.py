"""Positions as values: what they say, what they refuse."""

from __future__ import annotations

import copy
import pickle

import pytest

from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.position import Position
from kulami_solver.kulami.position.scoring import Part, Scoring

SMALL = Layout.parse("AAB/AAC")


@pytest.mark.parametrize("layout", ["AABBC/DDEEC", "ABCDE.FGHIJ"])
def test_chains_on_two_lines_are_two(layout: str) -> None:
    """The last window of a row, and the first one of the next, or beyond a gap."""
    geometry = Layout.parse(layout).geometry
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


def test_marbles_end_the_game() -> None:
    position = Position(Layout.square(), marbles=2).play_all("d4 d7 a7")
    assert (position.supply, position.is_over) == (1, False)
    end = position.play(position.legal_fields[0])
    assert (end.supply, end.is_over, end.legal_fields) == (0, True, ())


def test_short_end_takes_away_the_last_marble() -> None:
    position = Position(Layout.square(), marbles=2, short_end=True).play_all("d4 d7 a7")
    assert (position.supply, position.is_over) == (0, True)
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


def test_perft_of_a_small_board() -> None:
    start = Position(Layout.parse("AB/CD"))
    assert start.perft(5) == [4, 8, 8, 8, 8]
    assert Position(Layout.parse("AB/CD"), marbles=1).perft(3) == [4, 8, 8]
