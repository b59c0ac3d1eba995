"""A state machine which plays on the package and on the reference side by side."""

from __future__ import annotations

import copy
import pickle

import just4fun_reference as reference
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from test_just4fun_position import assert_same

from kulami_solver.errors import PositionError
from kulami_solver.just4fun import Board, Position, deal, known_to
from kulami_solver.just4fun.cards import DECK
from kulami_solver.just4fun.dealing import Turn
from kulami_solver.just4fun.replay import check_record, record_of


class PlayAndTakeBack(RuleBasedStateMachine):
    """One game on both sides, cards drawn as the reference says they may come."""

    def __init__(self) -> None:
        super().__init__()
        self.start = deal(Board.parse("1x1"), 1, hand=1)
        self.positions = [self.start]
        self.turns: list[Turn] = []

    @property
    def position(self) -> Position:
        """The package's present position."""
        return self.positions[-1]

    def hides_too_little(self, player: str) -> bool:
        """Whether several hands would be short: what is unseen does not say which."""
        position = self.position
        hands = dict(zip(position.players, position.hands, strict=True))
        others = [hand for name, hand in hands.items() if name != player]
        cards = len(position.stock) + sum(len(hand or ()) for hand in others)
        return len(others) > 1 and 0 < cards < len(others) * position.hand

    @initialize(
        players=st.sampled_from(["rb", "gb", "ryg", "bgry"]),
        size=st.tuples(st.integers(1, 4), st.integers(1, 4)),
        seed=st.integers(0, 1000),
        stones=st.integers(1, 4),
        line=st.integers(1, 4),
        hand=st.integers(1, 4),
        cards=st.integers(0, 20),
    )
    def begin(
        self,
        players: str,
        size: tuple[int, int],
        seed: int,
        stones: int,
        line: int,
        hand: int,
        cards: int,
    ) -> None:
        deck = DECK[: len(players) * hand + cards] if seed % 2 else DECK
        board = Board.parse(f"{size[0]}x{size[1]}")
        self.start = deal(
            board, seed, players=players, stones=stones, line=line, hand=hand, cards=deck
        )
        self.positions = [self.start]
        self.turns = []

    @precondition(lambda self: not self.position.is_over)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        position = self.position
        move = data.draw(st.sampled_from(position.legal_moves))
        table, state = reference.read(position.jfn(), position.line, position.hand)
        pile, number = position.before_draw(move)
        if pile.ordered and number <= len(pile.stock):
            drawn = tuple(sorted(pile.stock[:number]))
            after = position.play(move)
            expected = reference.played(table, state, (move.field, move.cards))
            assert reference.read(after.jfn(), position.line, position.hand)[1] == expected
        else:
            drawn = data.draw(st.sampled_from(position.draws(move))).cards
            after = position.play(move, drawn)
            if not pile.ordered or not pile.stock:
                expected_draws = reference.draws(table, state, (move.field, move.cards))
                found = reference.read(after.jfn(), position.line, position.hand)[1]
                assert found in expected_draws
        self.positions.append(after)
        self.turns.append(Turn(move, drawn))

    @precondition(lambda self: self.turns)
    @rule()
    def take_back(self) -> None:
        self.positions.pop()
        self.turns.pop()

    @rule()
    def copies_are_equal(self) -> None:
        position = self.position
        assert copy.deepcopy(position) == position
        assert pickle.loads(pickle.dumps(position)) == position

    @rule()
    def hide_and_reveal(self) -> None:
        position = self.position
        for player in position.players:
            if self.hides_too_little(player):
                with pytest.raises(PositionError, match="hidden hands"):
                    known_to(position, player)
                continue
            known = known_to(position, player)
            options = {"line": position.line, "hand": position.hand}
            assert Position.from_jfn(known.jfn(), **options) == known

    @invariant()
    def agree(self) -> None:
        assert_same(self.position)

    @precondition(lambda self: self.position.is_over)
    @rule()
    def its_record_replays(self) -> None:
        assert check_record(record_of(self.start, self.turns, self.position)).agrees


def test_random_runs() -> None:
    run_state_machine_as_test(PlayAndTakeBack, settings=settings(max_examples=20))


@pytest.mark.nightly
def test_many_random_runs() -> None:
    run_state_machine_as_test(PlayAndTakeBack, settings=settings(max_examples=1000))
