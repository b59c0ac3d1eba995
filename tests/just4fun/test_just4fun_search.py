"""The double-dummy search of Just 4 Fun: against the slow reference, and bounds that are true."""

from __future__ import annotations

import functools
import itertools
import random
import sys
import threading
from typing import Any

import just4fun_reference as reference
import pytest
from command_line import completed
from just4fun_known import KNOWN
from random_just4fun import late_positions, small_position, with_stock

from kulami_solver.errors import BudgetError, KulamiError, PositionError
from kulami_solver.just4fun import Board, Position, deal, solve
from kulami_solver.just4fun.solving import Solution

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
    position = Position.from_jfn(text, line=line, hand=hand)
    solution = solve(position, every_move=True)
    assert solution.outcome == outcome
    assert_line_is_best_play(solution)
    assert " ".join(map(str, solution.line)) == moves
    table, state = reference.read(text, line, hand)
    assert reference.Minimax(table).outcome(state) == outcome


def test_a_line_is_won_at_once_and_has_to_be_stopped() -> None:
    text = "4x4 1:r1,2:r1,3:r1,15:b1,16:b2 r2b3 {turn} r4.7,b4.5 - -"
    won = solve(Position.from_jfn(text.format(turn="r"), hand=2), every_move=True)
    assert str(won.best) == "4=4"
    held = solve(Position.from_jfn(text.format(turn="b"), hand=2), every_move=True)
    keeps = [str(one.move) for one in held.moves if one.outcome == held.outcome]
    assert held.outcome == "win"
    assert keeps == ["4=4"]


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
            words = found.words()
            assert ("wins" in words) == (found.outcome in ("win", "loss"))
    assert half


def test_it_can_be_watched_and_stopped() -> None:
    position = deal(Board.parse("2006"), 1)
    seen: list[Solution] = []
    event = threading.Event()

    def watch(progress: Solution) -> None:
        seen.append(progress)
        if progress.nodes > 100_000:
            event.set()

    solution = solve(position, progress=watch, stop=event, memory="4M")
    assert solution.nodes > 100_000
    assert [progress.nodes for progress in seen] == sorted(progress.nodes for progress in seen)
    assert solution.outcome is None
    brief = solve(position, time=0.2, memory="4M")
    assert brief.seconds < 5
    assert brief.to_json()["outcome"] is None
    event.set()
    assert solve(position, stop=event).nodes == 0


def test_ctrl_c_leaves_what_is_proved() -> None:
    code = """
import os, signal, threading
from kulami_solver import SolveInterrupted
from kulami_solver.just4fun import Board, deal, solve
signal.signal(signal.SIGINT, signal.default_int_handler)
position = deal(Board.parse("2006"), 1)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    solve(position, memory="4M")
except SolveInterrupted as interrupt:
    print(interrupt.solution.outcome, interrupt.solution.nodes > 0)
"""
    ran = completed([sys.executable, "-c", code], timeout=60, check=True)
    assert ran.stdout.split() == ["None", "True"]


def small(text: str) -> Position:
    return Position.from_jfn(text, hand=1)


@pytest.mark.parametrize(
    ("position", "options", "error", "said"),
    [
        ("1x3", {}, PositionError, "are its Positions, not '1x3'"),
        (small("1x3 - r1b1g1 r r1,b2,g3 - -"), {}, PositionError, "has 3"),
        (small("1x3 - r1b1 r r1,b? {2.3} -"), {}, PositionError, "open hands"),
        (small("1x3 - r1b1 r r1,b2 {1.3} -"), {}, PositionError, "the order of the stock"),
        (small("1x3 - r1b1 r r1,b2 3 -"), {"time": -1}, BudgetError, "time is -1"),
        (small("1x3 - r1b1 r r1,b2 3 -"), {"nodes": 0}, BudgetError, "nodes is 0"),
        (small("1x3 - r1b1 r r1,b2 3 -"), {"memory": "x"}, BudgetError, "'x' is no memory size"),
        (small("1x3 - r1b1 r r1,b2 3 -"), {"memory": "900T"}, BudgetError, "memory available"),
        (small("1x3 - r1b1 r r1,b2 3 -"), {"stop": 1}, BudgetError, "stop is 1"),
        (small("1x3 - r1b1 r r1,b2 3 -"), {"progress": 1}, KulamiError, "progress is 1"),
    ],
)
def test_what_is_refused(
    position: Any, options: dict[str, Any], error: type[KulamiError], said: str
) -> None:
    with pytest.raises(error, match=said):
        solve(position, **options)
