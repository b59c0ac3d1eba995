"""The double-dummy search of Just 4 Fun: against the slow reference, and bounds that are true."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import just4fun_reference as reference
import pytest
from just4fun_known import KNOWN
from random_just4fun import late_positions, small_position, with_stock

from kulami_solver.core.table import TranspositionTable
from kulami_solver.just4fun import Board, Position, solve
from kulami_solver.just4fun.duel import Rules
from kulami_solver.just4fun.search import Search
from kulami_solver.just4fun.solving import Solution, compiled_rules, compiled_view

NIGHTLY = pytest.mark.nightly
RANK = {"loss": -1, "draw": 0, "win": 1}


class TooMuch(Exception):  # noqa: N818, what is found is no error
    """The reference would take too long."""


class Bounded(reference.Minimax):
    """The reference, as far as it takes no more than so many states."""

    def value(self, state: reference.State) -> int:
        if len(self.known) > 4000:
            raise TooMuch
        return super().value(state)


SEARCHED = [record for record in KNOWN if "outcome" in record]


def assert_line_is_best_play(solution: Solution) -> None:
    """The line leads to the end of the game, and to the outcome."""
    end = solution.position.play_all(solution.line)
    assert end.is_over
    mover = solution.position.turn
    won = "draw" if end.winner is None else "win" if end.winner == mover else "loss"
    assert won == solution.outcome
    assert solution.best == (solution.line[0] if solution.line else None)


@pytest.mark.parametrize("record", SEARCHED)
def test_known_values(record: dict[str, Any]) -> None:
    position = Position.from_jfn(record["position"], line=record["line"], hand=record["hand"])
    solution = solve(position, every_move=True)
    assert solution.outcome == record["outcome"]
    assert_line_is_best_play(solution)
    assert [one.move for one in solution.moves if one.outcome == solution.outcome]
    assert {one.move for one in solution.moves} == {*position.legal_moves}


def assert_same(position: Position, memory: str) -> bool:
    """The reference finds the same; False if it takes too long."""
    table, state = reference.read(position.jfn(), position.line, position.hand)
    solver = Bounded(table)
    try:
        outcome = solver.outcome(state)
        moves = solver.move_outcomes(state)
    except TooMuch:
        return False
    solution = solve(position, every_move=True, memory=memory)
    assert solution.outcome == outcome, position.jfn()
    assert {(one.move.field, one.move.cards): one.outcome for one in solution.moves} == moves
    other = next(name for name in position.players if name != position.turn)
    winner = {"win": f"{position.turn} wins", "loss": f"{other} wins", "draw": "draw"}
    assert solution.words() == winner[outcome]
    ranks = [RANK[one.outcome or "draw"] for one in solution.moves]
    assert ranks == sorted(ranks, reverse=True)
    assert_line_is_best_play(solution)
    return True


def assert_many_are_the_same(count: int, seed: int) -> None:
    draw = random.Random(seed)
    agreed = 0
    outcomes = set()
    while agreed < count:
        position = small_position(draw, draw.choice((4, 9, 16)), draw.choice((1, 2, 3)))
        position = with_stock(position, ordered=True, seed=agreed)
        agreed += assert_same(position, draw.choice(("64K", "4M")))
        outcomes.add(solve(position).outcome)
    assert outcomes == {"win", "draw", "loss"}


def test_random_positions_against_the_reference() -> None:
    assert_many_are_the_same(50, 1)


def test_the_number_of_cards_of_a_last_play_matters() -> None:
    """With it red chooses what it draws itself, and what it leaves to blue."""
    jfn = "1x4 2:b1,3:r1,4:r1 r1b2 r r1.3.4,b1.3.4 3.1.2.4.1.2 -"
    assert assert_same(Position.from_jfn(jfn, line=9, hand=3), "64K")


@NIGHTLY
def test_many_random_positions_against_the_reference() -> None:
    assert_many_are_the_same(10_000, 2)


def test_last_stones_on_the_printed_board_against_the_reference() -> None:
    for position in itertools.islice(late_positions(1, ordered=True), 4):
        assert assert_same(position, "64K")


@NIGHTLY
def test_three_stones_on_the_printed_board_against_the_reference() -> None:
    for position in itertools.islice(late_positions(2, ordered=True), 4):
        assert assert_same(position.play(position.legal_moves[0]), "64K")


def search_of(position: Position, memory: int) -> Search:
    rules = compiled_rules(position)
    return Search(rules, TranspositionTable(memory), bytes(position.stock), position.hand)


def found_by(search: Search, position: Position, drawn: int) -> int:
    """1, 0 or -1 for the side to move."""
    if search.reaches(compiled_view(position), drawn, 1):
        return 1
    return 0 if search.reaches(compiled_view(position), drawn, 0) else -1


def test_a_table_of_one_bucket_finds_the_same() -> None:
    for position in itertools.islice(late_positions(3, ordered=True), 10):
        small, roomy = search_of(position, 64), search_of(position, 1 << 22)
        assert found_by(small, position, 0) == found_by(roomy, position, 0)
        assert small.nodes >= roomy.nodes


Key = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...], int, str]


def every_state(
    table: reference.Table, cards: tuple[int, ...], stock: tuple[int, ...], left: int
) -> Iterator[tuple[Key, reference.State]]:
    """Every state with at most two stones of a colour on a field, and its key.

    The key is that of docs/just4fun.md, written down once more: differences of stones, the hands
    of those who have stones, stones left, how far the stock is drawn, and who is to move.
    """
    fields = [number for row in table.rows for number in row]
    counts = [*itertools.product(range(3), repeat=2)]
    dealt = [
        hand
        for size in range(table.hand + 1)
        for hand in itertools.combinations_with_replacement(cards, size)
    ]
    discards = itertools.cycle(((), (1,), (1, 9)))
    for stones in itertools.product(counts, repeat=len(fields)):
        if any(abs(r - b) == 2 and min(r, b) for r, b in stones):
            continue
        placed = tuple(
            (field, player)
            for field, both in zip(fields, stones, strict=True)
            for player, number in zip("rb", both, strict=True)
            for _ in range(number)
        )
        for hands, drawn, remaining, turn in itertools.product(
            itertools.product(dealt, repeat=2),
            range(len(stock) + 1),
            itertools.product(range(left + 1), repeat=2),
            "rb",
        ):
            if not remaining["rb".index(turn)] or (
                drawn < len(stock) and min(map(len, hands)) < table.hand
            ):
                continue
            state = reference.State(
                tuple(sorted(placed)), remaining, turn, hands, stock[drawn:], next(discards)
            )
            held = tuple(
                hand if number else () for hand, number in zip(hands, remaining, strict=True)
            )
            yield (tuple(r - b for r, b in stones), held, remaining, drawn, turn), state


def assert_the_key_holds_all(
    table: reference.Table, cards: tuple[int, ...], stock: tuple[int, ...], left: int
) -> None:
    order = [number for row in table.rows for number in row]
    board = Board(len(table.rows[0]), tuple(order))
    lines = [sum(1 << field - 1 for field in line) for line in board.lines(table.line)]
    search = Search(Rules(len(order), lines), TranspositionTable(1 << 20), bytes(stock), table.hand)
    solver = reference.Minimax(table)
    values: dict[Key, int] = {}
    states = 0
    for key, state in every_state(table, cards, stock, left):
        if reference.line_winner(table, state):
            continue
        value = RANK[solver.outcome(state)]
        states += 1
        if key in values:
            assert values[key] == value, state
            continue
        values[key] = value
        differences, hands, remaining, drawn, turn = key
        sets = [
            sum(1 << order[at] - 1 for at, found in enumerate(differences) if found == wanted)
            for wanted in (1, -1, 2, -2)
        ]
        view = (
            (sets[0], sets[1]),
            (sets[2], sets[3]),
            (bytes(hands[0]), bytes(hands[1])),
            (remaining[0], remaining[1]),
            "rb".index(turn),
        )
        answers = [search.reaches(view, drawn, goal) for goal in (0, 1)]
        assert answers == [value >= 0, value >= 1], state
    assert states > 1.5 * len(values) > 1000


def test_the_key_holds_all_that_matters() -> None:
    """All states of a board of two fields: those with equal keys have equal values.

    They differ in stones that left, in stones that cancel out, in hands that are not needed any
    more, and in discards. One search, with one table, finds all values.
    """
    assert_the_key_holds_all(reference.Table(((2, 1),), "rb", 2, 1), (1, 2), (2,), 2)


@NIGHTLY
@pytest.mark.parametrize("line", [2, 3, 4])
def test_the_key_of_three_fields_holds_all_that_matters(line: int) -> None:
    assert_the_key_holds_all(reference.Table(((3, 1, 2),), "rb", line, 1), (1, 2), (3,), 1)


def test_stones_that_left_and_discards_do_not_matter() -> None:
    """A field of two stones each, or three of one: they could as well have none each, or two."""
    position = next(late_positions(5, ordered=True))
    fewer = {(1, 1): (0, 0), (2, 2): (0, 0), (1, 2): (0, 1), (2, 1): (1, 0), (3, 0): (2, 0)}
    stones = tuple(fewer.get((first, second), (first, second)) for first, second in position.stones)
    assert stones != position.stones
    other = replace(position, stones=stones, discards=position.discards[1:])
    assert solve(other).nodes == solve(position).nodes
    assert solve(other).line == solve(position).line


# Ends, and positions that are hardly any --------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "hand", "outcome", "moves"),
    [
        ("1x1 - r1b1 r r1,b1 - -", 2, 1, "draw", "1=1 1=1"),
        ("1x1 - r1b1 r r1,b1 - -", 1, 1, "win", "1=1"),
        ("1x1 - r2b1 r r1,b2 1 -", 2, 1, "win", "1=1 discard=2 1=1"),
        ("1x1 1:r2 r0b1 b r-,b1 - -", 2, 1, "loss", "discard=1"),
        ("1x2 - r1b1 r r-,b- - -", 2, 1, "draw", ""),
        ("1x2 1:r1 r1b1 b r-,b- - -", 2, 1, "loss", ""),
        ("1x2 - r1b1 r r-,b1 - -", 2, 1, "loss", "discard 1=1"),
        ("1x2 - r0b0 r r1,b1 - -", 2, 1, "draw", ""),
        ("1x3 1:r1,2:r1 r1b1 b r1,b2 - -", 2, 1, "loss", ""),
        ("1x2 1:r2,2:b2 r1b1 r r1,b2 - -", 3, 1, "loss", "1=1 2=2"),
        ("1x2 - r1b0 r r1.1.1,b- - -", 2, 3, "win", "2=1+1"),
        ("3x3 1:r1,5:r1 r1b1 r r4.5,b1.2 1.2 -", 3, 2, "win", "9=4+5"),
    ],
)
def test_small_and_degenerate(text: str, line: int, hand: int, outcome: str, moves: str) -> None:
    solution = solve(Position.from_jfn(text, line=line, hand=hand), every_move=True)
    assert solution.outcome == outcome
    assert_line_is_best_play(solution)
    assert " ".join(map(str, solution.line)) == moves
    table, state = reference.read(text, line, hand)
    assert reference.Minimax(table).outcome(state) == outcome


def test_a_board_of_64_fields_and_a_hand_of_12() -> None:
    text = "8x8 - r2b2 r r1.1.1.2.2.2.3.3.3.4.4.4,b5.5.5.6.6.6.7.7.7.8.8.8 1.9.9 -"
    solution = solve(Position.from_jfn(text, hand=12))
    assert solution.outcome == "loss"
    assert_line_is_best_play(solution)
    whole = "8x8 - r1b1 r r12.13.19,b12.14.18 12.12 -"
    assert solve(Position.from_jfn(whole, hand=3)).outcome == "draw"


# Budgets ----------------------------------------------------------------------------------------


@functools.cache
def hard() -> tuple[Position, ...]:
    """Positions that take some thousand nodes."""
    found = itertools.islice(late_positions(5, ordered=True), 40)
    return tuple(itertools.islice((p for p in found if solve(p).nodes > 2000), 3))


def test_budgets_leave_what_is_proved() -> None:
    half = 0
    for position in hard():
        full = solve(position, every_move=True)
        exact = {one.move: one.outcome for one in full.moves}
        for nodes in (1, 10, 100, 1000, 2000, 10_000):
            found = solve(position, every_move=True, nodes=nodes)
            assert found.nodes <= nodes
            assert found.lower <= RANK[full.outcome or ""] <= found.upper
            for one in found.moves:
                assert one.lower <= RANK[exact[one.move] or ""] <= one.upper
            half += any(one.outcome is None for one in found.moves) and found.outcome is not None
            assert ("wins" in found.words()) == (found.outcome in ("win", "loss"))
    assert half
