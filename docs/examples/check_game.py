"""Play a game at random and hold what it says against what a game promises."""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Callable
from fractions import Fraction

from kulami_solver.errors import KulamiError
from kulami_solver.game import NOBODY, Budget, Number, State, descriptor


@functools.cache
def value(state: State) -> tuple[Number, ...]:
    """What each seat wins if all play their best."""
    if state.to_move == NOBODY:
        return state.returns()
    ends = [value(state.play(move)) for move in state.moves]
    return max(ends, key=lambda end: end[state.to_move])


def is_refused(ask: Callable[..., object], *given: object) -> bool:
    try:
        ask(*given)
    except KulamiError:
        return True
    return False


def check_any(state: State) -> None:
    game = state.game
    assert game.read(state.notation()) == state, "read does not take back what notation says"
    assert state.moves == state.moves, "moves come in another order"
    assert len(set(state.moves)) == len(state.moves), "a move is there twice"
    assert not any(" " in move for move in state.moves), "a move has a space"
    assert state.drawn(ascii_only=True).isascii(), "drawn is not in ASCII"
    assert is_refused(state.play, "nonsense"), "play takes what is no move"
    assert is_refused(game.read, "nonsense"), "read takes what is no position"


def check_over(state: State) -> None:
    assert not state.moves, "there are moves after the end"
    assert len(state.returns()) == len(state.game.seats), "returns is not one number for each seat"
    assert is_refused(state.evaluate, Budget()), "evaluate answers after the end"


def check_going_on(state: State) -> None:
    assert state.to_move in range(len(state.game.seats)), "to_move is no seat"
    assert state.moves, "there is no move before the end"
    assert is_refused(state.returns), "returns answers before the end"
    assert all(state.move_of(move) == move for move in state.moves), "move_of changes a move"
    seat = state.to_move
    found = state.evaluate(Budget(), every_move=True)
    bounds = [found.lower, found.upper]
    bounds += [bound for one in found.moves for bound in (one.lower, one.upper)]
    kinds = {type(bound) for bound in bounds}
    assert kinds <= {int, Fraction}, "a value is neither a whole number nor a Fraction"
    assert found.lower == value(state)[seat] == found.upper, "evaluate has another value"
    said = {one.move: (one.lower, one.upper) for one in found.moves}
    true = {move: value(state.play(move))[seat] for move in state.moves}
    expected = {move: (worth, worth) for move, worth in true.items()}
    assert said == expected, "a move has another value"
    assert found.best is not None, "there is no best move"
    assert true[found.best] == found.lower, "best is not the best move"
    assert found.moves[0].move == found.best, "the best move is not the first of moves"


def check_game(name: str, games: int = 20) -> None:
    described = descriptor(name)
    draw = random.Random(1)
    assert described.samples, "there are no samples"
    for options in described.samples:
        for _ in range(games):
            state = described.make(**options).start()
            assert described.name == state.game.name == name, "the game has two names"
            while state.to_move != NOBODY:
                told(check_any, state)
                told(check_going_on, state)
                state = state.play(draw.choice(state.moves))
            told(check_any, state)
            told(check_over, state)


def told(check: Callable[[State], None], state: State) -> None:
    """Do a check, and say of which position it is not true."""
    try:
        check(state)
    except Exception as error:
        raise SystemExit(f"{state.notation()}: {error!r}") from error


if __name__ == "__main__":
    check_game(sys.argv[1])
    print(f"{sys.argv[1]} keeps what a game promises")
