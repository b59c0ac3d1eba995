"""The cost of each move of a game, from the first ply at which the game can be solved: any game.

The game, or its part that was played, is solved from its end backwards, until a state takes more
than the budget; from there on every move is graded by the exact values of all moves. The cost is in
the unit of the game: margin, or a win, draw or loss as 1, 0 and -1. Moves of chance are not graded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..core.game_records import positions_after
from ..errors import Phrase
from ..game import CHANCE, GAMES, NOBODY, Budget, Number, State, part
from .case import case_of
from .graded import Estimate, EstimatedMove
from .graded import Grade as Grade
from .graded import GradedMove as GradedMove
from .suite import exact_values

__all__ = ["grade"]

NODES: Final = 20_000_000
"""The default budget of a search for one state, in nodes: the same on every machine."""


def grade(
    start: Any,
    played: str | Sequence[str],
    scoring: Any = None,
    *,
    time: float | None = None,
    nodes: int | None = None,
    known: Callable[[State], Mapping[str, Number] | None] | None = None,
    search: Callable[[State], Mapping[str, Number] | None] | None = None,
    estimate: Callable[[State], Mapping[str, Estimate]] | None = None,
    progress: Callable[[GradedMove], None] | None = None,
) -> Grade:
    """Grade the moves of a game.

    Args:
        start: the state the game began from, of any game; or a position of Kulami.
        played: the moves, in order, including those of chance; separated by blanks if one text.
        scoring: the scoring, for a position of Kulami; a state has its own.
        time, nodes: the budget of the search for one state, in seconds and in positions; by
            default `NODES`, so that the grade does not depend on the machine's load.
        known: asked before any search for the exact value of every move, for the seat to move;
            returns None where it has none. A database, for instance.
        search: finds the exact value of every move, in place of `State.evaluate`; None where that
            takes too long, which ends the grading.
        estimate: estimates every move of a state, for the seat to move; asked where nothing is
            solved. None for no estimates.
        progress: called with each graded move, the last one of the game first.

    Raises:
        KulamiError: if a move is not legal.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> found = grade(load_game("kulami", layout="AAB/AAC").start(), "a1 c1 c2 a2".split())
        >>> [move.cost for move in found.moves], found.first_ply
        ([0, 0, 0, 0], 1)
    """
    begun = _state(start, scoring)
    if isinstance(played, str):
        played = played.split()
    states = positions_after(begun, played)
    if time is None and nodes is None:
        nodes = NODES
    graded: list[GradedMove] = []
    beyond: str = ""
    for ply in range(len(played), 0, -1):
        state = states[ply - 1]
        if state.to_move == CHANCE:
            continue
        values = None if known is None else known(state)
        if values is None:
            budget = Budget(seconds=time, nodes=nodes)
            values = exact_values(state, budget) if search is None else search(state)
        if values is None:
            if search is None:
                if nodes is not None:
                    beyond = Phrase("beyond_nodes", ply=ply, nodes=nodes)
                else:
                    beyond = Phrase("beyond_seconds", ply=ply, seconds=f"{time:g}")
            break
        case = case_of(state, _at_the_end(state, values))
        made = GradedMove(ply, states[ply - 1].move_of(played[ply - 1]), case)
        graded.append(made)
        if progress is not None:
            progress(made)
    exact = tuple(reversed(graded))
    unsolved = states[: exact[0].ply - 1] if exact else states[:-1]
    estimated = None if estimate is None else _estimated(unsolved, played, estimate)
    return Grade(begun, tuple(played), exact, states[-1], beyond, estimated)


def _estimated(
    states: Sequence[State],
    played: Sequence[str],
    estimate: Callable[[State], Mapping[str, Estimate]],
) -> tuple[EstimatedMove, ...]:
    return tuple(
        EstimatedMove(ply, state.move_of(move), state.game.seats[state.to_move], estimate(state))
        for ply, (state, move) in enumerate(zip(states, played, strict=False), 1)
        if state.to_move != CHANCE
    )


def _state(start: Any, scoring: Any) -> State:
    """Return a state unchanged, and a position of Kulami as a state."""
    state: State = start
    if hasattr(start, "evaluate"):
        return state
    for name in GAMES:
        made = getattr(part(name, "bots"), "state_of", None)
        if made is not None:
            state = made(start) if scoring is None else made(start, scoring)
            break
    return state


def _at_the_end(state: State, values: Mapping[str, Number]) -> dict[str, Number]:
    """Return the values, but for a move that ends the game the result of that end.

    A position's value may differ from that result: its third occurrence may end the game.
    """
    seat = state.to_move
    found = {}
    for move, value in values.items():
        after = state.play(move)
        found[move] = after.returns()[seat] if after.to_move == NOBODY else value
    return found
