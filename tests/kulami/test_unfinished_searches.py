"""What a search that a budget ends says of the position and of its fields: one story."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from command_line import good

import kulami_solver as ks
from kulami_solver.kulami.solve.solution import Goal
from kulami_solver.kulami.solve.solver import Solver


def middle_positions(seed: int, count: int) -> Iterator[ks.Position]:
    """Positions of random games, with some 20 to 34 free fields: too many for a small budget."""
    chance = random.Random(seed)
    while count:
        position = ks.Position(ks.Layout.random(chance.randrange(1000), irregular=count % 2 == 0))
        for _ in range(chance.randrange(30, 44)):
            if position.legal_fields:
                position = position.play(chance.choice(position.legal_fields))
        if not position.is_over:
            count -= 1
            yield position


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("goal", ["margin", "outcome"])
def test_the_best_field_carries_the_proved_bound(goal: Goal, threads: int) -> None:
    proved = 0
    chance = random.Random(threads)
    for position in middle_positions(7 * threads, 60):
        nodes = chance.choice((1000, 3000, 10_000, 30_000))
        scoring = chance.choice(list(ks.Scoring))
        solution = ks.solve(
            position, scoring, goal, nodes=nodes, threads=threads, memory="4M", every_move=True
        )
        best, *others = solution.moves
        assert best.field == solution.best
        assert best.lower == solution.lower
        assert solution.upper == max(move.upper for move in solution.moves)
        assert all(move.lower <= best.lower for move in others)
        assert [move.lower for move in others] == sorted((m.lower for m in others), reverse=True)
        assert {move.field for move in solution.moves} == set(position.legal_fields)
        for move in solution.moves:
            assert (move.margin is not None) == (move.lower == move.upper)
        if not solution.exact:
            without_search = ks.solve(position, scoring, goal, nodes=1, every_move=True)
            proved += solution.lower > without_search.lower
    # Who wins is asked in two questions at most, so few budgets end between them.
    assert proved > 0 or goal == "outcome", "no budget ended between a proof and the next"


@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.nightly)])
def test_what_is_proved_is_true(count: int) -> None:
    """The field that carries the bound is worth it: its own search, without a budget, says so."""
    credited = 0
    for position in middle_positions(3, count):
        exact = {move.field: move.margin for move in ks.analyse(position)}
        for nodes in (1, 20, 60, 200, 600):
            solution = ks.solve(position, nodes=nodes, every_move=True)
            for move in solution.moves:
                margin = exact[move.field]
                assert margin is not None
                assert move.lower <= margin <= move.upper
            credited += not solution.exact and solution.moves[0].lower == solution.lower
    assert credited > 0


@pytest.mark.parametrize("scoring", list(ks.Scoring))
def test_a_search_that_goes_on_after_its_budgets_finds_the_same(scoring: ks.Scoring) -> None:
    """What a budget cuts off leaves nothing in the table that is not proved."""
    chance = random.Random(5)
    stopped = 0
    for position in middle_positions(5, 30):
        if position.plies_left > 21:
            continue
        exact = ks.solve(position, scoring).margin
        solver = Solver(position, scoring, 1 << 20)
        known = None
        for nodes in [*(chance.randrange(1, 400) for _ in range(30)), None]:
            solver.allow(nodes)
            found = solver.inquire(position, known=known)
            known = found.lower, found.upper
            stopped += not found.reached
        assert known == (exact, exact)
    assert stopped > 30


def test_a_line_keeps_a_value_that_was_proved_elsewhere() -> None:
    """A field that answered a solver's last question is not played for more than it was asked."""
    chance = random.Random(1)
    followed = 0
    while followed < 200:
        text, marbles = chance.choice((("AABB/CCDD/EEFF", 4), ("ABBCD/ABBCD/ABBEE", 28)))
        position = ks.Position(ks.Layout.parse(text), marbles=marbles)
        for _ in range(chance.randrange(6)):
            if position.legal_fields:
                position = position.play(chance.choice(position.legal_fields))
        scoring = chance.choice(list(ks.Scoring))
        margin = ks.solve(position, scoring).margin
        assert margin is not None
        solver = Solver(position, scoring, 1 << 16)
        least = solver.bounds(position).lower
        if least == margin:
            continue
        followed += 1
        solver.inquire(position, chance.randint(least + 1, margin))
        line = solver.inquire(position, known=(margin, margin), line=True).line
        end = position.play_all([position.layout.fields[field] for field in line])
        score = end.score(scoring)
        assert end.is_over
        assert score.red - score.black == (margin if position.turn == "red" else -margin)


def test_a_search_of_the_outcome_stops_at_proved_fields() -> None:
    """A field whose value is known without search settles who wins; then the goal is reached."""
    for position in middle_positions(11, 20):
        solution = ks.solve(position, goal="outcome", nodes=200, every_move=True)
        assert solution.exact == (solution.outcome is not None)


def test_the_words_of_an_unfinished_search() -> None:
    for position in middle_positions(5, 1000):
        solution = ks.solve(position, nodes=2000)
        if 0 < solution.lower < solution.upper == ks.analyse(position, nodes=2000)[0].upper:
            break
    kfn = position.kfn()
    answer = good("solve", "--kfn", kfn, "--all", "--nodes", "2000", "--json").answer
    text = good("solve", "--kfn", kfn, "--all", "--nodes", "2000").out
    turn = ks.Position.from_kfn(kfn).turn
    range_in_words = f"{turn} wins by {answer['lower']} to {answer['upper']}"
    assert f"value     {range_in_words}\n" in text
    assert f"best      {answer['best']}\n" in text
    row = answer["moves"][0]
    assert row["field"] == answer["best"]
    assert f"moves     {row['field']:<4}{turn} wins by {row['lower']} to {row['upper']}\n" in text
    assert row["lower"] == answer["lower"]
