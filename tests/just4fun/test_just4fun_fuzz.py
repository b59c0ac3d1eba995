"""Any text as a position, a move or a board: read and written again, or refused in one line."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import spoilt

from kulami_solver.errors import KulamiError
from kulami_solver.just4fun import Board, Position, deal, known_to, random_game
from kulami_solver.just4fun.cards import Move
from kulami_solver.just4fun.replay import check_record

QUICK = settings(max_examples=100)


def _sound() -> list[str]:
    found = [
        "3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -",
        "2006 12:r2b1 r3b2 b r1.4.7.12,b? - -",
        "1x3 - r2b2 r r1.2,b3.4 {5} {6.6.6}",
        "3x3 - r1b1 r r-,b1 - {4}",
    ]
    for players in ("rb", "gyr", "rbgy"):
        start = deal(Board.parse("2006"), 1, players=players)
        found.append(start.jfn())
        for number, (_, position) in enumerate(random_game(start, 2)):
            if number % 9 == 8:
                found.append(position.jfn())
                found.append(known_to(position, position.turn).jfn())
    return found


SOUND = _sound()
ALPHABET = "0123456789rbgy,.:/x{}?- "
POSITIONS = spoilt(SOUND, ALPHABET)
MOVES = spoilt(["12=5+7", "discard=3+4", "discard"], "0123456789=+d")
BOARDS = spoilt(["2006", "3x4", "2,1/4,3"], "0123456789,/x")


def refused_in_one_line(error: KulamiError) -> None:
    said = str(error)
    assert said
    assert "\n" not in said
    assert said.isprintable()
    assert len(said) < 600


def check_position(text: str, line: int, hand: int) -> None:
    try:
        position = Position.from_jfn(text, line=line, hand=hand)
    except KulamiError as error:
        refused_in_one_line(error)
        return
    again = Position.from_jfn(position.jfn(), line=line, hand=hand)
    assert again == position
    assert again.jfn() == position.jfn()
    assert position.text()
    if position.hands[position.seat] is not None:
        for move in position.legal_moves[:3]:
            assert Move.parse(str(move)) == move


def check_value(kind: type[Move] | type[Board], text: str) -> None:
    try:
        value = kind.parse(text)
    except KulamiError as error:
        refused_in_one_line(error)
        return
    assert kind.parse(str(value)) == value


@QUICK
@given(st.text() | POSITIONS, st.integers(1, 5), st.integers(1, 5))
def test_positions(text: str, line: int, hand: int) -> None:
    check_position(text, line, hand)


@QUICK
@given(st.text() | MOVES, st.text() | BOARDS)
def test_moves_and_boards(move: str, board: str) -> None:
    check_value(Move, move)
    check_value(Board, board)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


@QUICK
@given(
    st.sampled_from(["start", "line", "hand", "moves", "draws", "winner", "forfeit", "game"]), JSON
)
def test_records_with_any_part(name: str, part: object) -> None:
    record = {"start": "3x3 - r1b1 r r1.2,b2.3 {4.4} -", "line": 3, "hand": 2, "winner": "red"}
    record |= {"moves": ["3=1+2", "2=2"], "draws": [[4, 4], []]}
    try:
        check_record(record | {name: part})
    except KulamiError as error:
        refused_in_one_line(error)
