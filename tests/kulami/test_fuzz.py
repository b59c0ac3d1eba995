"""The parsers on any text: each returns what can be written and read again, or says what is wrong.

Some texts are arbitrary; most are made of a notation's own characters, or are sound ones spoilt in
a few places, since those get further. Run the long version with ``-m nightly``.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import ODD, spoilt

from kulami_solver.core.notation import parse_fields
from kulami_solver.errors import KulamiError, NotationError
from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.position import Position


def pairs(letters: str, digits: str) -> st.SearchStrategy[str]:
    """Return 200 characters with a few panels and marbles here and there."""
    empty = letters[0] + "0"

    @st.composite
    def text(draw: st.DrawFn) -> str:
        squares = [empty] * 100
        for letter in draw(st.lists(st.sampled_from(letters), unique=True, max_size=8)):
            column, row = draw(st.integers(0, 9)), draw(st.integers(0, 9))
            for down in range(draw(st.integers(1, 3))):
                for over in range(draw(st.integers(1, 3))):
                    place = (row + down) % 10 * 10 + (column + over) % 10
                    squares[place] = letter + draw(st.sampled_from("0" * 6 + digits))
        return "".join(squares)

    return text()


POSITIONS = [
    Position(Layout.square()),
    Position(Layout.square()).play_all("d4 d7 a7"),
    Position(Layout.rulebook(), first="black").play_all("d6 d3 i3"),
    Position(Layout.parse("ffo/ffo")).play_all("b1 c1"),
    Position.from_kfn(Position(Layout.rulebook()).play_all("d6 d3 i3").kfn().replace(",d3", "")),
]
LAYOUTS = st.one_of(
    st.text(),
    st.text("AB./", max_size=40),
    st.text("AaB0./\n \r" + ODD, max_size=60),
    spoilt([str(Layout.square()), str(Layout.rulebook()), "AAB/AAC"], "ABCZaz09./\n"),
)
KFNS = st.one_of(
    st.text(),
    st.text("AB./rb123 -a,", max_size=40),
    st.tuples(
        st.sampled_from(["A", "AAB/AAC", "ABC/DEF", "AA.B/..CC"]),
        st.text("rb12345/-" + ODD[:3], max_size=8),
        st.sampled_from("rbR"),
        st.sampled_from(["-", "a1", "b2", "c1,a1", "a2,b2", "b1,a1", "a1,,b1", "a1,a1"]),
    ).map(" ".join),
    spoilt([position.kfn() for position in POSITIONS], "ABrb0123/- ,ai."),
)
HAGENS = st.one_of(
    st.text(),
    st.text("ab01", min_size=200, max_size=200),
    pairs("abcdefghijz", "12"),
    spoilt([position.hagen() for position in POSITIONS], "abcz012 "),
)
KBNS = st.one_of(
    st.text(),
    st.text("AB03", min_size=200, max_size=200),
    pairs("ABCDEFGHIJZ", "1234"),
    spoilt([position.kbn() for position in POSITIONS], "ABCZ01234 "),
)
LASTS = st.one_of(
    st.none(),
    st.text(max_size=8),
    st.sampled_from(["-", "a1", "b1,a1", "d4", "d7,d4", "a7,d7", "i3,d3", "c1,b1"]),
    st.lists(st.sampled_from(["a1", "b1", "c3"]), max_size=3),
)


def fails(error: KulamiError) -> None:
    """Check that a message is one short line that can be printed anywhere."""
    message = str(error)
    assert message
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 500


def check_layout(text: str) -> None:
    try:
        layout = Layout.parse(text)
    except KulamiError as error:
        return fails(error)
    assert Layout.parse(str(layout)) == layout
    assert str(Layout.parse(str(layout))) == str(layout)
    assert 1 <= len(layout) <= 64
    return None


def check_position(position: Position) -> None:
    """Check that a position is sound and survives its own KFN."""
    assert Position.from_kfn(position.kfn()) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert position.text()
    for field in position.legal_fields:
        assert position.play(field).last[0] == field


def check_kfn(text: str) -> None:
    try:
        position = Position.from_kfn(text)
    except KulamiError as error:
        return fails(error)
    return check_position(position)


def check_hagen(text: str, turn: str | None, last: str | list[str] | None) -> None:
    try:
        position = Position.from_hagen(text, turn, last)
    except KulamiError as error:
        return fails(error)
    check_position(position)
    try:
        written = position.hagen()
    except NotationError as error:
        return fails(error)  # free letters may stand for panels that Hagen has no letters for
    again = Position.from_hagen(written, position.turn, position.last)
    assert (again.red, again.black, again.last) == (position.red, position.black, position.last)
    assert again.hagen() == written
    return None


def check_kbn(text: str, first: str) -> None:
    try:
        position = Position.from_kbn(text, first)
    except KulamiError as error:
        return fails(error)
    check_position(position)
    assert Position.from_kbn(position.kbn(), first) == position
    return None


def check_fields(text: str) -> None:
    try:
        names = parse_fields(text)
    except KulamiError as error:
        return fails(error)
    assert parse_fields(" ".join(names)) == names
    return None


TURNS = st.sampled_from(["red", "black", None, "", "white"])
FIRSTS = st.sampled_from(["red", "black"])
FIELDS = st.text() | st.text("abp019 ,\n" + ODD)


@pytest.mark.parametrize(
    "examples", [100, pytest.param(10_000, marks=pytest.mark.nightly)], ids=["few", "many"]
)
@pytest.mark.parametrize(
    ("check", "drawn"),
    [
        (check_layout, [LAYOUTS]),
        (check_kfn, [KFNS]),
        (check_hagen, [HAGENS, TURNS, LASTS]),
        (check_kbn, [KBNS, FIRSTS]),
        (check_fields, [FIELDS]),
    ],
)
def test_any_text(
    check: Callable[..., None], drawn: list[st.SearchStrategy[Any]], examples: int
) -> None:
    @settings(max_examples=examples)
    @given(st.tuples(*drawn))
    def run(arguments: tuple[Any, ...]) -> None:
        check(*arguments)

    run()
