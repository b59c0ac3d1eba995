"""Positions of Just 4 Fun: the rules against the slow reference, the notation, and refusals."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import just4fun_reference as reference
import pytest
from just4fun_known import KNOWN
from just4fun_playthrough import playthrough

from kulami_solver.errors import (
    BoardError,
    BudgetError,
    IllegalMoveError,
    KulamiError,
    NotationError,
    PositionError,
)
from kulami_solver.just4fun import Board, Position, deal, deals, known_to, random_game, replay
from kulami_solver.just4fun.cards import DECK, Move, unseen_cards
from kulami_solver.just4fun.replay import check_record, record_of

PLAYERS = ("rb", "br", "rbg", "gyr", "rbgy", "ybgr")


def random_start(draw: random.Random, players: str) -> Position:
    """A deal on a random board with a random deck."""
    rows, columns = draw.randint(1, 6), draw.randint(2, 6)
    numbers = list(range(1, rows * columns + 1))
    if draw.random() < 0.7:
        draw.shuffle(numbers)
    hand = draw.randint(1, 4)
    cards = draw.sample(DECK, draw.randint(len(players) * hand, 40))
    return deal(
        Board(columns, tuple(numbers)),
        draw.randrange(10**6),
        players=players,
        stones=draw.randint(1, 7),
        line=draw.randint(2, 5),
        hand=hand,
        cards=cards,
    )


def assert_same(position: Position) -> None:
    """All that the reference says of a position, the package says too."""
    table, state = reference.read(position.jfn(), position.line, position.hand)
    names = dict(zip(table.players, position.players, strict=True))
    over = reference.is_over(table, state)
    assert position.is_over == over
    line_winner = reference.line_winner(table, state)
    assert (position.winning_line is None) == (line_winner is None)
    assert position.scores == {names[p]: n for p, n in reference.sums(table, state).items()}
    for field in range(1, position.board.fields + 1):
        holder = reference.holder(table, state, field)
        seat = None if holder is None else table.players.index(holder)
        assert position.majorities[field - 1] == seat
    moves = [(move.field, move.cards) for move in position.legal_moves]
    assert moves == reference.moves(table, state)
    if over:
        winner = reference.winner(table, state)
        assert position.winner == (None if winner is None else names[winner])
        return
    assert position.winner is None
    for move in position.legal_moves:
        if position.ordered:
            after = reference.played(table, state, (move.field, move.cards))
            same_state(position.play(move), after)


def same_state(position: Position, state: reference.State) -> None:
    _, found = reference.read(position.jfn(), position.line, position.hand)
    assert found == state


def assert_same_draws(position: Position, move: Move) -> None:
    """The reference draws card by card; what can come and how likely it is are the same."""
    table, state = reference.read(position.jfn(), position.line, position.hand)
    expected = reference.draws(table, state, (move.field, move.cards))
    draws = position.draws(move)
    assert sum(draw.chance for draw in draws) == 1
    found = {}
    for draw in draws:
        after = position.play(move, draw.cards)
        found[reference.read(after.jfn(), position.line, position.hand)[1]] = draw.chance
    assert found == expected


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seed", range(4))
def test_random_games_follow_the_reference(players: str, seed: int) -> None:
    _follow_a_game(players, seed)


def _follow_a_game(players: str, seed: int) -> None:
    draw = random.Random(f"{players} {seed}")
    start = random_start(draw, players)
    assert_same(start)
    for turn, position in random_game(start, seed, turns=60):
        assert_same(position)
        assert len(turn.drawn) <= position.hand
        read = Position.from_jfn(position.jfn(), line=position.line, hand=position.hand)
        assert read == position
        assert hash(read) == hash(position)
        if len(players) == 2:
            known = known_to(position, position.turn)
            options = {"line": position.line, "hand": position.hand}
            assert Position.from_jfn(known.jfn(), **options) == known


def test_whole_games_are_what_they_were() -> None:
    """Every answer of the package on the way, with draws of cards and all kinds of ends."""
    kept = Path(__file__).parents[1] / "positions" / "just4fun-playthrough.jsonl"
    lines = kept.read_text(encoding="utf-8").splitlines()
    for now, before in zip(playthrough(), lines, strict=True):
        assert json.loads(json.dumps(now)) == json.loads(before), now["notation"]


@pytest.mark.parametrize("seed", range(15))
def test_draws_are_those_of_the_reference(seed: int) -> None:
    draw = random.Random(seed)
    start = random_start(draw, "rb")
    unordered = Position(
        **{
            **{name: getattr(start, name) for name in start.written._fields},
            "ordered": False,
            "discards": start.stock[4:8],
            "stock": start.stock[:4],
            "line": start.line,
            "hand": start.hand,
        }
    )
    for move in unordered.legal_moves:
        assert_same_draws(unordered, move)


def test_cards_are_kept_whole() -> None:
    """No card is lost or made by playing, drawing and shuffling."""
    for seed in range(30):
        start = random_start(random.Random(seed), PLAYERS[seed % 6])
        for _, position in itertools.chain([(None, start)], random_game(start, seed, turns=80)):
            cards = Counter(position.stock) + Counter(position.discards)
            for hand in position.hands:
                cards += Counter(hand)
            if position is start:
                whole = cards
            assert cards == whole


@pytest.mark.parametrize("record", KNOWN)
def test_known_positions_are_read_and_written(record: dict[str, Any]) -> None:
    options = {"line": record["line"], "hand": record["hand"]}
    position = Position.from_jfn(record["position"], **options)
    assert position.jfn().split(" ")[1:] == record["position"].split(" ")[1:]
    assert Position.from_jfn(position.jfn(), **options) == position


def test_the_printed_board_has_a_name() -> None:
    rows = (
        "1,14,30,24,19,8/33,11,9,16,35,21/6,27,31,20,3,12/15,32,5,29,17,26/22,10,18,36,25,2/"
        "28,7,23,4,13,34"
    )
    assert Board.parse(rows) == Board.parse("2006")
    assert str(Board.parse(rows)) == "2006"
    assert str(Board.parse("1,2/3,4")) == "2x2"
    assert Board.parse("2x3").grid == ((1, 2, 3), (4, 5, 6))


def test_being_a_value() -> None:
    position = Position.from_jfn("3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -", line=3, hand=2)
    for other in (
        copy.copy(position),
        copy.deepcopy(position),
        pickle.loads(pickle.dumps(position)),
    ):
        assert other == position
        assert hash(other) == hash(position)
    assert eval(repr(position), {"Position": Position}) == position
    assert position != Position.from_jfn(position.jfn(), line=4, hand=2)
    assert position != position.play("1=1")
    with pytest.raises(AttributeError):
        position.seat = 1  # type: ignore[misc]


REFUSED = [
    ("", "has 7 parts|is empty"),
    ("3x3", "has 1"),
    ("3x3 - r1b1 r r1,b1 - - -", "more than 7 parts"),
    ("3x3 -  r1b1 r r1,b1 - -", "several in a row"),
    ("3x3 1:r1 r1b1 g r1,b1 - -", "TURN is 'g': write r or b"),
    ("3x3 99:r1 r1b1 r r1,b1 - -", "there is no field 99 on a board of 9 fields"),
    ("1,1/2,3 - r1b1 r r1,b1 - -", "board row 1 has a second 1"),
    ("1,2/3 - r1b1 r r1,b1 - -", "board row 2 has 1 field, row 1 has 2"),
    ("1,2/3,5 - r1b1 r r1,b1 - -", "board row 2 has 5 on a board of 4 fields"),
    ("17x1 - r1b1 r r1,b1 - -", "too large"),
    ("9x9 - r1b1 r r1,b1 - -", "too large"),
    ("2007 - r1b1 r r1,b1 - -", "is no board|1 field"),
    ("3x3 2:r1,1:r1 r1b1 r r1,b1 - -", "field 1 after 2"),
    ("3x3 1:r1,1:b1 r1b1 r r1,b1 - -", "field 1 after 1"),
    ("3x3 1:b1r1 r1b1 r r1,b1 - -", "in the order of LEFT"),
    ("3x3 1:r0 r1b1 r r1,b1 - -", "leave out"),
    ("3x3 1:r01 r1b1 r r1,b1 - -", "leading zero"),
    ("3x3 1:g1 r1b1 r r1,b1 - -", "g, who is not in LEFT"),
    ("3x3 1:r3b1 r1b1 r r1,b1 - -", "field 1 is red's for good"),
    ("3x3 1:r3b1g1 r1b1g1 r r1,b1,g1 - -", "field 1 is red's for good"),
    ("3x3 - r1 r r1 - -", "has 1 player"),
    ("3x3 - r1b1r1 r r1,b1,r1 - -", "has r twice"),
    ("3x3 - r1p1 r r1,p1 - -", "colour 'p'"),
    ("3x3 - r0b1 r r1,b1 - -", "without a stone left"),
    ("3x3 1:r2 r19b1 r r1,b1 - -", "a player has 20 in all"),
    ("3x3 - r1b1 r r1 - -", "one hand for each of r b"),
    ("3x3 - r1b1 r b1,r1 - -", "one hand for each of r b"),
    ("3x3 - r1b1 r r,b1 - -", "the hand of red is empty: write r-"),
    ("3x3 - r1b1 r r2.1,b1 - -", "1 after 2"),
    ("3x3 - r1b1 r r20,b1 - -", "no card"),
    ("3x3 - r1b1 r r1.1.1.1.1,b1 - -", "there are 6 cards of 1 in hands, stock and discards"),
    ("3x3 - r1b1 r r1.2.3.4.5,b1 - -", "red has 5 cards: a hand is 4 at most"),
    ("3x3 - r1b1 r r13,b13 - -", "2 cards of 13 in hands, stock and discards: the deck has 1"),
    ("3x3 - r1b1 r r1,b1 3.4 -", "red has 1 card while the stock has 2"),
    ("3x3 - r1b1 r r1,b1 - 3.4", "write - for none, or the cards in braces"),
    ("3x3 - r1b1 r r1,b1 {} -", "write - for none, or the cards in braces"),
    ("3x3 - r1b1 r r1,b1 - {4.3}", "3 after 4"),
    ("3x3 - r1b1 r r1.2.3.4,b? 5.6.7.8 -", "order of the stock cannot be known"),
    ("3x3 - r1b1g1 r r1.2.3.4,b?,g? {5.6.7.8} -", "cannot make 2 hidden hands of 4"),
    ("3x3 1:r1,2:r1,3:r1,4:b1,5:b1,6:b1 r1b1 r r1,b1 - -", "have a line each"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refusals(text: str, message: str) -> None:
    line = 3 if "line each" in message else 4
    with pytest.raises(KulamiError, match=message) as caught:
        Position.from_jfn(text, line=line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("9=4+5", "the hand is 1.4.7, without 5"),
        ("11=4+7", "the board has 9 fields"),
        ("5=1+4", "an opponent has at least two stones more on field 5"),
        ("discard=1+4+7", "only when no cards of it make a field"),
        ("5=5", "without 5"),
    ],
)
def test_why_a_move_is_not_legal(move: str, message: str) -> None:
    position = Position.from_jfn("3x3 5:b2 r2b2 r r1.4.7,b2.3 - -")
    with pytest.raises(IllegalMoveError, match=message):
        position.play(move)


def test_a_hand_is_put_away_whole() -> None:
    position = Position.from_jfn("1x2 - r2b2 r r5.6,b2 - -")
    with pytest.raises(IllegalMoveError, match="whole, which is discard=5\\+6"):
        position.play("discard=5")
    assert position.play("discard=5+6").jfn() == "1x2 - r2b2 b r-,b2 - {5.6}"


def test_who_has_no_card_passes_while_others_have() -> None:
    position = Position.from_jfn("1x2 - r2b2 r r-,b2 - -")
    assert [str(move) for move in position.legal_moves] == ["discard"]
    after = position.play("discard")
    assert after.turn == "blue"
    assert after.play("2=2").is_over  # nobody has a card, and the stock is used up


def test_draws_that_cannot_be() -> None:
    position = Position.from_jfn("1x3 - r2b2 r r1.2,b3.4 5 {6.6.6}", hand=2)
    assert position.play("3=1+2", (5, 6)).jfn() == "1x3 3:r1 r1b2 b r5.6,b3.4 {1.2.6.6} -"
    for drawn, message in (
        ((6, 6), "5 is next in the stock, the others are of 1.2.6.6.6"),
        ((5,), "it has to be 2 cards"),
        ((5, 7), "the others are of 1.2.6.6.6"),
    ):
        with pytest.raises(IllegalMoveError, match=message):
            position.play("3=1+2", drawn)
    with pytest.raises(PositionError, match="there is no card"):
        position.play("3=1+2", ("5", "6"))  # type: ignore[arg-type]
    unordered = Position.from_jfn("1x3 - r2b2 r r1.2,b3.4 {5.7} {6.6.6}", hand=2)
    with pytest.raises(PositionError, match="order of the stock is unknown"):
        unordered.play("1=1")


def test_a_move_with_a_card_that_is_none_names_it() -> None:
    with pytest.raises(NotationError, match=r"'99=1\+98' is no move: there is no card 98"):
        Move.parse("99=1+98")
    with pytest.raises(NotationError, match=r"a tuple of up to 12, not 13 cards"):
        Move(13, (1,) * 13)


def test_hidden_hands() -> None:
    position = Position.from_jfn("2006 - r20b20 r r1.2.3.4,b? - {5.5}")
    assert len(unseen_cards(position)) == 55 - 6
    assert len(position.legal_moves) > 5
    with pytest.raises(PositionError, match="the hand of blue is hidden"):
        position.play("1=1")
    for dealt in itertools.islice(deals(position, 3), 5):
        assert len(dealt.hands[1] or ()) == 4
        assert len(dealt.stock) == 45
        assert dealt.ordered
        assert known_to(dealt, "red") == replace(
            position, stock=unseen_cards(position), ordered=False
        )
    turned = replace(position, seat=1)
    with pytest.raises(PositionError, match="the hand of blue is hidden"):
        turned.legal_moves  # noqa: B018
    with pytest.raises(PositionError, match="there is no player 'green'"):
        known_to(position, "green")
    with pytest.raises(PositionError, match="are its Positions, not 'r'"):
        known_to("r", "red")  # type: ignore[arg-type]


@pytest.mark.parametrize("turns", [1.5, -1, True, None])
def test_the_turns_of_a_random_game_are_a_number(turns: Any) -> None:
    start = deal(Board.parse("2006"), 1)
    assert not list(random_game(start, turns=0))
    with pytest.raises(BudgetError, match="give a whole number of 0 or more"):
        next(random_game(start, turns=turns))


def test_records_are_lines_of_text() -> None:
    for wrong, said in ((None, "lines of text, not None"), ([b"{}"], "line 1 is a bytes")):
        with pytest.raises(NotationError, match=said):
            list(replay(wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("players", PLAYERS)
def test_records_of_random_games_replay(players: str) -> None:
    lines = []
    for seed in range(5):
        start = deal(Board.parse("2006"), seed, players=players)
        played = list(random_game(start, seed))
        end = played[-1][1]
        assert end.is_over
        lines.append(json.dumps(record_of(start, [turn for turn, _ in played], end)))
    verdicts = list(replay(["# games", *lines, ""]))
    assert [verdict.agrees for verdict in verdicts] == [True] * 5
    assert [verdict.number for verdict in verdicts] == [2, 3, 4, 5, 6]


RECORD: dict[str, Any] = {
    "start": "3x3 - r1b1 r r1.2,b2.3 {4.4} -",
    "line": 3,
    "hand": 2,
    "moves": ["3=1+2", "2=2"],
    "draws": [[4, 4], []],
    "winner": "red",
}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, ""),
        (
            {"winner": "blue"},
            "the record's winner is blue; by the rules: game over, red has won",
        ),
        ({"winner": None}, "the record's winner is nobody"),
        ({"winner": None, "forfeit": "blue"}, ""),
        ({"moves": ["3=1+2", "3=3"]}, "by the rules: game over, drawn"),
        ({"moves": ["3=1+2", "4=4"]}, "move 2: blue cannot play 4=4: the hand is 2.3, without 4"),
        (
            {"moves": ["3=1+2"], "draws": [[4, 4]]},
            "stops after move 1, but blue can still play 2=2",
        ),
        ({"draws": [[4, 5], []]}, "move 1: 4.5 cannot be drawn: they have to be of 4.4"),
        ({"draws": [[4, 4], [1]]}, "move 2: 1 cannot be drawn: it has to be 0 cards"),
    ],
)
def test_records_are_checked(changed: dict[str, Any], reason: str) -> None:
    verdict = check_record(RECORD | changed)
    assert verdict.agrees == (not reason)
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "it is a list: write an object"),
        ({}, "'start' is missing"),
        (RECORD | {"start": 3}, "a JFN is text, not 3"),
        (RECORD | {"line": "3"}, "line is '3': give a whole number"),
        (RECORD | {"moves": "3=3"}, "'moves' is '3=3': give a list"),
        (RECORD | {"moves": [3, 4]}, "3 is no move"),
        (RECORD | {"draws": [[]]}, "'draws' has 1 items and 'moves' 2"),
        (RECORD | {"draws": [4, 4]}, "draw 1 is 4: write a list of cards"),
        (RECORD | {"draws": ["44", ""]}, "cards are an iterable of whole numbers, not '44'"),
        (RECORD | {"winner": "green"}, "'winner' is 'green'"),
        (RECORD | {"winner": ["red"]}, "'winner' is a list"),
        (RECORD | {"forfeit": 3}, "'forfeit' is 3"),
        (RECORD | {"game": "chess"}, "'game' is 'chess'"),
        (RECORD | {"start": "3x3 - r1b1 r r1.2,b? {2.3.4.4} -"}, "a hand of 'start' is hidden"),
    ],
)
def test_what_is_no_record(record: object, message: str) -> None:
    with pytest.raises(KulamiError, match=message) as caught:
        check_record(record, 7)
    assert str(caught.value).startswith("game record 7: ")


def test_constructor_refuses_what_is_out_of_shape() -> None:
    position = Position.from_jfn("1x2 2:r1b1 r2b1 r r1.3,b2 - -")
    for changed, message in (
        ({"board": "1x2"}, "a position is on a Board"),
        ({"colours": "rr"}, "two to four letters"),
        ({"colours": "rx"}, "two to four letters"),
        ({"stones": ((0, 0),)}, "stones is a tuple: give a tuple of 2"),
        ({"stones": ((0, 0), (1, -1))}, "the stones on field 2"),
        ({"left": (1, 2.0)}, "left has to be"),
        ({"seat": 2}, "seat is 2: give 0 to 1"),
        ({"hands": ((1,),)}, "hands is a tuple: give a tuple of 2"),
        ({"hands": ((1,), "23")}, "cards are an iterable"),
        ({"stock": (0,)}, "there is no card 0"),
        ({"ordered": 1}, "ordered is 1"),
        ({"line": 0}, "line is 0"),
        ({"hand": True}, "hand is True"),
    ):
        with pytest.raises(PositionError, match=message):
            replace(position, **changed)
    with pytest.raises(BoardError):
        position.may_place(3)


def test_a_text_is_no_board_to_deal_on() -> None:
    with pytest.raises(BoardError, match="'3x3' is no Board: give one"):
        deal("3x3")  # type: ignore[arg-type]
