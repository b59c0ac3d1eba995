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

from kulami_solver.just4fun import Board, Position, deal, deals, known_to, random_game, replay
from kulami_solver.just4fun.cards import DECK, Move
from kulami_solver.just4fun.replay import record_of

PLAYERS = ("rb", "br", "rbg", "gyr", "rbgy", "ybgr")


def random_start(draw: random.Random, players: str) -> Position:
    """A deal on a random board with a random deck."""
    rows, columns = draw.randint(1, 6), draw.randint(2, 6)
    numbers = list(range(1, rows * columns + 1))
    if draw.random() < 0.7:
        draw.shuffle(numbers)
    hand = draw.randint(1, 4)
    return deal(
        Board(columns, tuple(numbers)),
        draw.randrange(10**6),
        players=players,
        stones=draw.randint(1, 7),
        line=draw.randint(2, 5),
        hand=hand,
        cards=draw.sample(DECK, draw.randint(len(players) * hand, 40)),
    )


def assert_same(position: Position) -> None:
    """All that the reference says of a position, the package says too."""
    table, state = reference.read(position.jfn(), position.line, position.hand)
    names = dict(zip(table.players, position.players, strict=True))
    over = reference.is_over(table, state)
    assert position.is_over == over
    assert (position.winning_line is None) == (reference.line_winner(table, state) is None)
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
    start = random_start(random.Random(f"{players} {seed}"), players)
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
    start = random_start(random.Random(seed), "rb")
    given = {name: getattr(start, name) for name in (*start.written._fields, "line", "hand")}
    given |= {"ordered": False, "discards": start.stock[4:8], "stock": start.stock[:4]}
    unordered = Position(**given)
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


def test_hidden_hands() -> None:
    position = Position.from_jfn("2006 - r20b20 r r1.2.3.4,b? - {5.5}")
    assert len(position.unseen_cards) == 55 - 6
    assert len(position.legal_moves) > 5
    for dealt in itertools.islice(deals(position, 3), 5):
        assert len(dealt.hands[1] or ()) == 4
        assert len(dealt.stock) == 45
        assert dealt.ordered
        assert known_to(dealt, "red") == replace(
            position, stock=position.unseen_cards, ordered=False
        )
    assert not list(random_game(deal(Board.parse("2006"), 1), turns=0))


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
