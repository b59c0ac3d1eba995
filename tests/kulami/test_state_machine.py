"""A state machine which plays and takes back on the package and on the reference side by side."""

from __future__ import annotations

import copy
import pickle

import pytest
import reference
import strategies
from agreement import as_position, assert_agree, assert_solution_agrees
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

import kulami_solver as ks
from kulami_solver.kulami.solve.solution import Goal


class PlayAndTakeBack(RuleBasedStateMachine):
    """One game on both sides; the positions before the present one are kept to go back to."""

    def __init__(self) -> None:
        super().__init__()
        self.board, state = reference.start("A")
        self.states = [state]
        self.positions = [as_position(self.board, state)]
        self.texts = [self.positions[0].kfn()]

    @property
    def state(self) -> reference.State:
        """The reference's present position."""
        return self.states[-1]

    @property
    def position(self) -> ks.Position:
        """The package's present position."""
        return self.positions[-1]

    @property
    def free(self) -> int:
        """How many fields are free."""
        return len(self.board.panel) - len(self.state.red) - len(self.state.black)

    def add(self, square: reference.Square, position: ks.Position) -> None:
        """Go on to the position after a legal field."""
        self.states.append(reference.play(self.state, square))
        self.positions.append(position)
        self.texts.append(position.kfn())

    @initialize(
        layout=st.one_of(strategies.layouts(), strategies.layouts(most_fields=16)),
        first=st.sampled_from("rb"),
        marbles=strategies.marble_limits(),
        short_end=st.booleans(),
    )
    def begin(self, layout: str, first: str, marbles: int, short_end: bool) -> None:
        """An empty board."""
        self.board, state = reference.start(layout, first, marbles, short_end)
        position = ks.Position(
            ks.Layout.parse(layout),
            first="red" if first == "r" else "black",
            marbles=marbles,
            short_end=short_end,
        )
        self.states, self.positions, self.texts = [state], [position], [position.kfn()]

    @precondition(lambda self: not reference.is_over(self.board, self.state))
    @rule(choice=st.integers(0, 63), by_name=st.booleans())
    def play(self, choice: int, by_name: bool) -> None:
        """One ply, the field given by its name or its number."""
        fields = reference.legal_fields(self.board, self.state)
        square = fields[choice % len(fields)]
        name = reference.field_name(square)
        number = sorted(self.board.panel, key=reference.reading_order).index(square)
        self.add(square, self.position.play(name if by_name else number))

    @precondition(lambda self: not reference.is_over(self.board, self.state))
    @rule(choices=st.lists(st.integers(0, 63), min_size=5, max_size=30))
    def play_on(self, choices: list[int]) -> None:
        """Several plies at once, as a text."""
        state, squares = self.state, []
        for choice in choices:
            fields = reference.legal_fields(self.board, state)
            if not fields:
                break
            squares.append(fields[choice % len(fields)])
            state = reference.play(state, squares[-1])
        target = self.position.play_all(" ".join(map(reference.field_name, squares)))
        for square in squares:
            self.add(square, self.position.play(reference.field_name(square)))
        assert self.position == target
        assert hash(self.position) == hash(target)

    @precondition(lambda self: len(self.states) > 1)
    @rule(plies=st.integers(1, 64))
    def take_back(self, plies: int) -> None:
        """Go back some plies: the positions of then have not been touched since."""
        for _ in range(min(plies, len(self.states) - 1)):
            self.states.pop()
            self.positions.pop()
            self.texts.pop()
        assert self.position.kfn() == self.texts[-1]

    @rule(column=st.integers(0, 15), row=st.integers(0, 15))
    def try_any_square(self, column: int, row: int) -> None:
        """A square which is no legal field is refused and nothing changes."""
        name = reference.field_name((column, row))
        if (column, row) not in self.board.panel:
            with pytest.raises(ks.KulamiError):
                self.position.play(name)
        elif (column, row) not in reference.legal_fields(self.board, self.state):
            with pytest.raises(ks.IllegalMoveError):
                self.position.play(name)

    @rule()
    def copies_are_equal(self) -> None:
        """Copies and pickles are the same position; an earlier one never is."""
        for twin in (
            copy.copy(self.position),
            copy.deepcopy(self.position),
            pickle.loads(pickle.dumps(self.position)),
        ):
            assert twin == self.position
            assert hash(twin) == hash(self.position)
            assert twin.kfn() == self.position.kfn()
        for earlier in self.positions[:-1]:
            assert earlier != self.position

    @precondition(lambda self: self.free <= 8)
    @rule(
        name=st.sampled_from(list(reference.SCORINGS)), goal=st.sampled_from(["margin", "outcome"])
    )
    def solve(self, name: str, goal: Goal) -> None:
        """The exact value of a position near the end."""
        solution = ks.solve(
            self.position,
            scoring=ks.Scoring.parse(name),
            goal=goal,
            threads=1,
            memory="1M",
            every_move=True,
        )
        values = reference.field_values(self.board, self.state, name, {})
        assert_solution_agrees(solution, self.board, self.state, name, values)

    @invariant()
    def both_sides_agree(self) -> None:
        """Everything there is to compare."""
        assert_agree(self.position, self.board, self.state)


PlayAndTakeBack.TestCase.settings = settings(max_examples=25, stateful_step_count=25)
TestPlayAndTakeBack = PlayAndTakeBack.TestCase


@pytest.mark.nightly
def test_play_and_take_back_thoroughly() -> None:
    run_state_machine_as_test(
        PlayAndTakeBack, settings=settings(max_examples=400, stateful_step_count=50)
    )
