"""The package's position beside the reference's: how one becomes the other, and what must agree."""

from __future__ import annotations

import reference

import kulami_solver as ks

TURNS = {"r": "red", "b": "black"}


def as_position(rules: reference.Rules, state: reference.State) -> ks.Position:
    """The package's position for a reference position."""
    return ks.Position.from_kfn(
        reference.format_kfn(rules, state), marbles=rules.marbles, short_end=rules.short_end
    )


def names(squares: list[reference.Square]) -> tuple[str, ...]:
    """The names of squares, in the same order."""
    return tuple(reference.field_name(square) for square in squares)


def mask(rules: reference.Rules, squares: frozenset[reference.Square]) -> int:
    """A set of squares as the package's bit mask: fields are numbered row by row."""
    numbers = {
        square: number
        for number, square in enumerate(sorted(rules.panel, key=reference.reading_order))
    }
    return sum(1 << numbers[square] for square in squares)


def assert_agree(position: ks.Position, rules: reference.Rules, state: reference.State) -> None:
    """Everything the package says about a position is what the reference says."""
    legal = reference.legal_fields(rules, state)
    over = reference.is_over(rules, state)
    assert position.turn == TURNS[state.turn]
    assert position.last == names(list(state.last))
    assert position.red == mask(rules, state.red)
    assert position.black == mask(rules, state.black)
    assert position.free_count == len(rules.panel) - len(state.red) - len(state.black)
    assert position.legal_fields == names(legal)
    assert position.legal_mask == mask(rules, frozenset(legal))
    assert position.is_over == over
    assert_scores_agree(position, rules, state)
    assert_kfn_agrees(position, rules, state)


def assert_scores_agree(
    position: ks.Position, rules: reference.Rules, state: reference.State
) -> None:
    """The parts, both totals and the margin, at all four scorings."""
    parts = reference.score_parts(rules, state)
    for name in reference.SCORINGS:
        scoring = ks.Scoring.parse(name)
        score = position.score(scoring)
        assert (score.panels.red, score.panels.black) == parts.panels
        assert (score.area.red, score.area.black) == parts.area
        assert (score.chains.red, score.chains.black) == parts.chains
        assert (score.red, score.black) == reference.totals(rules, state, name)
        assert score.margin == score.red - score.black
        assert position.margin(scoring) == reference.margin(rules, state, name)


def assert_kfn_agrees(
    position: ks.Position, rules: reference.Rules, state: reference.State
) -> None:
    """Each side reads what the other has written, and gets the same position."""
    text = position.kfn()
    read_rules, read_state = reference.parse_kfn(text, rules.marbles, rules.short_end)
    assert read_rules == rules
    assert read_state == state
    again = as_position(rules, state)
    assert again == position
    assert hash(again) == hash(position)
    assert again.kfn() == text


class TooManyPositionsError(Exception):
    """The reference would take too long."""


class BoundedMemo(dict[reference.State, int]):
    """A memo for the reference's minimax which gives up at some size."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, state: reference.State, value: int) -> None:
        if len(self) >= self.most:
            raise TooManyPositionsError
        super().__setitem__(state, value)


def assert_solution_agrees(
    solution: ks.Solution,
    rules: reference.Rules,
    state: reference.State,
    name: str,
    values: dict[str, int],
) -> None:
    """The value, every legal field's value, the best field and the line of a full solution.

    The solution must have been asked for every move; its goal may be either.  ``values`` are the
    reference's.
    """
    value = max(values.values()) if values else reference.margin(rules, state, name)
    assert solution.exact
    assert solution.outcome == reference.outcome(value)
    assert solution.lower <= value <= solution.upper
    assert {move.field for move in solution.moves} == set(values)
    assert len(solution.moves) == len(values)
    for move in solution.moves:
        assert move.outcome == reference.outcome(values[move.field])
        assert move.lower <= values[move.field] <= move.upper
        assert move.margin is None or move.margin == values[move.field]
    if not values:
        assert solution.best is None
        assert solution.line == ()
    elif solution.goal == "outcome":
        assert solution.best is not None
        assert reference.outcome(values[solution.best]) == solution.outcome
    if solution.goal == "margin":
        assert solution.margin == value
        assert solution.lower == solution.upper == value
        assert all(move.margin == values[move.field] for move in solution.moves)
        assert_line_reaches(solution.line, value, rules, state, name)
        if values:
            assert solution.best == solution.line[0]
            assert values[solution.line[0]] == value


def assert_line_reaches(
    line: tuple[str, ...], value: int, rules: reference.Rules, state: reference.State, name: str
) -> None:
    """The line is legal, runs to the end of the game and ends with exactly this margin."""
    turn = state.turn
    for field in line:
        assert field in names(reference.legal_fields(rules, state))
        state = reference.play(state, reference.field_square(field))
    assert reference.is_over(rules, state)
    red, black = reference.totals(rules, state, name)
    assert value == (red - black if turn == "r" else black - red)
