"""KFN, Hagen and KBN: read, written, refused; and what each cannot carry."""

from __future__ import annotations

import random

import pytest

from kulami_solver.core.notation import parse_turn
from kulami_solver.errors import KulamiError, NotationError, PositionError
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


OWN_NAMES = "; give every panel its own name"
FORM = "a KFN is 'LAYOUT MARBLES TURN LAST' with single spaces between: "
SIGNS = ": write r, b, or a number of squares without a marble"
WIDE = "KFN marbles row 1 is more than 3 squares wide, as wide as its layout: shorten it"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", FORM + "'' is empty"),
        ("AAB/AAC - r", FORM + "'AAB/AAC - r' has 3 parts"),
        ("AAB/AAC", FORM + "'AAB/AAC' has 1 part"),
        ("AAB/AAC - r - -", FORM + "'AAB/AAC - r - -' has more than 4 parts"),
        ("AAB/AAC  - r -", FORM + "'AAB/AAC  - r -' has several in a row"),
        ("AAB/AAC - R -", "KFN turn is 'R': write r or b, the side to move"),
        ("AAB/AAC - red -", "KFN turn is 'red': write r or b, the side to move"),
        ("AAB/AAC x r -", "KFN marbles row 1 has 'x'" + SIGNS),
        ("AAB/AAC r/- b a1", "KFN marbles row 2 has '-'" + SIGNS),
        ("AAB/AAC \u00b2r b c1", "KFN marbles row 1 has '\\xb2'" + SIGNS),
        ("AAB/AAC \u0662r b c1", "KFN marbles row 1 has '\\u0662'" + SIGNS),
        ("AAB/AAC 3r b c1", WIDE),
        ("AAB/AAC 4 r -", WIDE),
        ("AAB/AAC 1000000000 r -", WIDE),
        (
            "AAB/AAC r// b a1",
            "KFN marbles have more than 2 rows, as many as their layout: leave rows out",
        ),
        (
            "A.B/AAA r b a1",
            "panel A is not a rectangle: it lies on a1-c2 but not on b1" + OWN_NAMES,
        ),
        (
            "A.B 1r b b1",
            "KFN marbles put r on b1, where the layout has no field: "
            "count the squares of that row again",
        ),
        ("AAB/AAC r b b9", "last marbles: there is no field b9 in this layout: row 9 has none"),
        (
            "AAB/AAC rb r b1,",
            "last marbles: '' is not a field: write a column letter in lower case, "
            "then a row number, like d4",
        ),
        (
            "AAB/AAC rbr b c1,b1,a1",
            "last marbles 'c1,b1,a1' are more than two: name the newest and the one before, "
            "like f8,d3",
        ),
    ],
)
def test_kfn_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(KulamiError) as caught:
        Position.from_kfn(text)
    assert str(caught.value) == message


def test_kfn_of_wild_sizes_is_refused_at_once() -> None:
    big = 10**6
    for marbles in ("9" * big, "0" * big + "r", "r" * big, "/" * big, "1r" * big, "\x00" * big):
        with pytest.raises(KulamiError) as caught:
            Position.from_kfn(f"AAB/AAC {marbles} r -")
        assert len(str(caught.value)) < 200
    for text in (" " * big, "A" * big, "A - r " + "a1," * big, "- " * big):
        with pytest.raises(KulamiError) as caught:
            Position.from_kfn(text)
        assert len(str(caught.value)) < 250


@pytest.mark.parametrize("text", [None, 5, b"AAB/AAC - r -", ["AAB/AAC", "-", "r", "-"]])
def test_notations_are_text(text: object) -> None:
    for read in (Position.from_kfn, Position.from_hagen, Position.from_kbn):
        with pytest.raises(NotationError):
            read(text)  # type: ignore[arg-type]


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


def test_hagen_asks_for_what_it_lacks() -> None:
    text = hagen("f0f1", "f2f0")
    with pytest.raises(NotationError, match="not say who is to move: give turn, 'red' or 'black'"):
        Position.from_hagen(text)
    with pytest.raises(NotationError, match="not say who is to move"):
        Position.from_hagen(hagen("f0"))
    with pytest.raises(NotationError, match="placed last: give last, like 'f8,d3'"):
        Position.from_hagen(text, turn="red")
    with pytest.raises(NotationError, match="turn 'white' is no colour"):
        Position.from_hagen(text, turn="white", last="b1")
    with pytest.raises(PositionError, match="none is named as the last one"):
        Position.from_hagen(text, turn="red", last="-")
    with pytest.raises(NotationError, match="last marbles: there is no field c1"):
        Position.from_hagen(text, turn="red", last="c1")
    assert Position.from_hagen(hagen("f0"), turn="black").first == "black"


def test_hagen_reports_what_it_lacks() -> None:
    position = Position(Layout.square(), marbles=32).play_all("d4 d7")
    assert hagen_loses(position) == (
        "red is to move",
        "the last marbles are d7,d4",
        "the layout is 8x8 squares",
        "32 marbles of each colour",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            hagen("f0")[:-1],
            "a Hagen board is 200 characters, a letter and a digit for each square "
            "of 10x10, not 199",
        ),
        (hagen("F0"), "Hagen square a1 has the letter 'F': use a for no field, b-z for a panel"),
        (hagen("f0", "f3"), "Hagen square a2 has the digit '3': use 0-2"),
        (hagen("f\u0661"), "Hagen square a1 has the digit '\\u0661': use 0-2"),
        (
            hagen("f0a1"),
            "Hagen square b1 has a marble (1) where there is no field: write a0 or name its panel",
        ),
        (
            hagen("f0a0f0"),
            "Hagen board: panel f is not a rectangle: it lies on a1-c1 but not on b1" + OWN_NAMES,
        ),
        (hagen(), "Hagen board: the layout has no field: name at least one panel"),
    ],
)
def test_hagen_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(KulamiError) as caught:
        Position.from_hagen(text, turn="red")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("AAA/AAA/AAA", "has no letter for panel A, 3x3: it knows four panels of 2x3"),
        ("ABCDE/ABCDE", "has no letter left for panel E, 1x2"),
        ("..........AA", "is 10x10 squares, the layout has a field on k1: use KFN"),
    ],
)
def test_layouts_that_hagen_cannot_write(layout: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        Position(Layout.parse(layout)).hagen()


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            kbn("B0") + "A",
            "a KBN board is 200 characters, a letter and a digit for each square of 10x10, not 201",
        ),
        (kbn("b0"), "KBN square a1 has the letter 'b': use A for no field, B-Z for a panel"),
        (kbn("B5"), "KBN square a1 has the digit '5': use 0-4"),
        (
            kbn("A3"),
            "KBN square a1 has a marble (3) where there is no field: write A0 or name its panel",
        ),
        (
            kbn("B3B3"),
            "KBN marks two last marbles of one player, a1 and b1, with 3: mark the later one only",
        ),
        (
            kbn("B4"),
            "KBN has 0 marbles of player 1 and 1 of player 2: player 1 has moved first, "
            "so has as many or one more",
        ),
        (
            kbn("B1"),
            "KBN does not mark the last marble of player 1, who moved last: write 3 on its field",
        ),
        (
            kbn("B3B2"),
            "KBN does not mark the last marble of player 2, who moved last: write 4 on its field",
        ),
    ],
)
def test_kbn_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(KulamiError) as caught:
        Position.from_kbn(text)
    assert str(caught.value) == message


def test_layouts_that_kbn_cannot_write() -> None:
    names = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    with pytest.raises(
        NotationError, match="has letters for 25 panels, the layout has 26: use KFN"
    ):
        Position(Layout.from_rows([names[:10], names[10:20], names[20:]])).kbn()
    with pytest.raises(NotationError, match="10x10 squares, the layout has a field on a11"):
        Position(Layout.from_rows(["BBBBB"] * 11)).kbn()


def test_colours() -> None:
    assert [parse_turn(value) for value in ("r", "red", "b", "black")] == [
        "red",
        "red",
        "black",
        "black",
    ]
    for value in ("R", "", None, 0, "blue", "x" * 10**6):
        with pytest.raises(NotationError, match="use 'red' or 'black'"):
            parse_turn(value)
