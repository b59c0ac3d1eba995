"""KFN, Hagen and KBN: read, written, refused; and what each cannot carry."""

from __future__ import annotations

import random

import pytest

from kulami_solver.core.notation import parse_turn
from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.notation import hagen_loses, kbn_loses, kfn_loses
from kulami_solver.kulami.position.position import Position
from kulami_solver.kulami.position.scoring import Scoring


def grid(*rows: str, fill: str) -> str:
    """Return 200 characters: these rows at the top left of 10x10, the rest filled."""
    return "".join(row + fill * (10 - len(row) // 2) for row in rows) + fill * 10 * (10 - len(rows))


def hagen(*rows: str) -> str:
    return grid(*rows, fill="a0")


def kbn(*rows: str) -> str:
    return grid(*rows, fill="A0")


# KFN


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("AAB/AAC - r -", "AAB/AAC - r -"),
        ("AAB/AAC r b a1", "AAB/AAC r2/3 b a1"),
        ("AAB/AAC r/ b a1", "AAB/AAC r2/3 b a1"),
        ("AAB/AAC /r b a2", "AAB/AAC 3/r2 b a2"),
        ("AAB/AAC 3/2r b c2", "AAB/AAC 3/2r b c2"),
        ("AAB/AAC 003/02r00 b c2", "AAB/AAC 3/2r b c2"),
        ("AAB/AAC rb/ r b1,a1", "AAB/AAC rb1/3 r b1,a1"),
        ("AAB/AAC rb/ r b1", "AAB/AAC rb1/3 r b1"),
        ("A/BB 1/1r b b2", "A./BB 2/1r b b2"),
        ("  AAB/AAC - b -\r\n", "AAB/AAC - b -"),
        ("A.........B 10r b k1", "A.........B 10r b k1"),
    ],
)
def test_kfn_is_read_and_written(read: str, written: str) -> None:
    position = Position.from_kfn(read)
    assert position.kfn() == written
    assert Position.from_kfn(written) == position


def test_kfn_reports_what_it_lacks() -> None:
    position = Position(Layout.square(), marbles=32, short_end=True)
    assert kfn_loses(Position(Layout.square())) == ()
    assert kfn_loses(position) == (
        "32 marbles of each colour",
        "the game ends as soon as one player has placed all marbles",
    )
    assert Position.from_kfn(position.kfn(), marbles=32, short_end=True) == position


# All three


@pytest.mark.parametrize("seed", range(20))
def test_positions_of_a_game_survive_each_notation(seed: int) -> None:
    draw = random.Random(seed)
    first = "red" if seed % 3 else "black"
    position = Position(Layout.random(seed, irregular=seed % 2 == 1), first)
    while not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
        assert Position.from_kfn(position.kfn()) == position
        turn, last = position.turn, position.last
        for again in (
            Position.from_hagen(position.hagen(), turn, last),
            Position.from_kbn(position.kbn(), first),
        ):
            assert (again.red, again.black) == (position.red, position.black)
            assert (again.turn, again.last, again.first) == (turn, last, first)
            assert again.legal_fields == position.legal_fields
            assert again.score(Scoring.LEVEL2) == position.score(Scoring.LEVEL2)


# Hagen


def test_hagen_is_read_and_written() -> None:
    assert Position.from_hagen(hagen("f0"), turn="black").first == "black"
    text = hagen("f0f1o0", "f2f0o0")
    position = Position.from_hagen(text, turn="red", last="b1,a2")
    assert position.layout.rows[0] == "ffo......."
    assert (position.red, position.black, position.turn) == (0b1000, 0b10, "red")
    assert position.last == ("b1", "a2")
    assert position.hagen() == text
    assert Position.from_hagen(text, "red", ["b1", "a2"]) == position


def test_hagen_gives_the_letters_of_the_sizes() -> None:
    text = Position(Layout.square()).hagen()
    assert len(text) == 200
    assert set(text[::2]) == set("abcdefghijklmnopqr")
    again = Position.from_hagen(text, turn="red")
    assert again.hagen() == text
    assert Layout.from_rows(row[:8] for row in again.layout.rows[:8]).warnings == ()


def test_hagen_letters_may_stand_for_any_rectangle() -> None:
    position = Position.from_hagen(hagen("z0b0b0", "z0b0b0"), turn="black")
    assert [panel.size for panel in position.layout.panels] == [2, 4]
    assert position.hagen() == hagen("o0f0f0", "o0f0f0")


def test_hagen_reports_what_it_lacks() -> None:
    position = Position(Layout.square(), marbles=32).play_all("d4 d7")
    assert hagen_loses(position) == (
        "red is to move",
        "the last marbles are d7,d4",
        "the layout is 8x8 squares",
        "32 marbles of each colour",
    )


# KBN


def test_kbn_is_read_and_written() -> None:
    text = kbn("B0B4C0", "B3B0C0")
    position = Position.from_kbn(text)
    assert position.layout.rows[0] == "BBC......."
    assert (position.red, position.black, position.turn) == (0b1000, 0b10, "red")
    assert position.last == ("b1", "a2")
    assert position.kbn() == text


def test_kbn_after_an_odd_number_of_marbles() -> None:
    position = Position.from_kbn(kbn("B1B4", "B3B0"))
    assert (position.turn, position.last) == ("black", ("a2", "b1"))
    assert position.kbn() == kbn("B1B4", "B3B0")


def test_kbn_player_1_may_be_black() -> None:
    text = kbn("B3B0", "B0B0")
    position = Position.from_kbn(text, first="black")
    assert (position.black, position.turn, position.first) == (1, "red", "black")
    assert position.kbn() == text
    assert kbn_loses(position) == ("player 1 is black",)
    assert kbn_loses(Position.from_kbn(text)) == ()
    assert Position.from_kbn(kbn("B0"), first="black").turn == "black"


def test_kbn_needs_the_newest_marble_only() -> None:
    position = Position.from_kbn(kbn("B0B4C0", "B1B0C0"))
    assert position.last == ("b1",)
    assert position.kbn() == kbn("B0B4C0", "B1B0C0")


def test_kbn_names_panels_anew_if_one_is_called_a() -> None:
    assert Position(Layout.parse("AAB/AAC")).kbn() == kbn("B0B0C0", "B0B0D0")
    assert Position(Layout.parse("ZZX")).kbn() == kbn("Z0Z0X0")


def test_colours() -> None:
    assert [parse_turn(value) for value in ("r", "red", "b", "black")] == [
        "red",
        "red",
        "black",
        "black",
    ]
