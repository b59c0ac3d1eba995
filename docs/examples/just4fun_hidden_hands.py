"""What open-hand values miss: a small Just 4 Fun with hidden hands, solved by OpenSpiel's CFR.

    python just4fun_hidden_hands.py [ITERATIONS]

The game is small enough for its whole tree. Two numbers are compared, both for the player who
begins (1 a win, -1 a loss):

    open hands      the mean over all deals of what they are worth if both players see all hands,
                    exactly, by `just4fun.expect`
    hidden hands    the value of the game itself, which CFR+ approaches

Who does not see the other hand has to play alike in deals that call for different moves; by how
much that changes the value no open-hand value says.

Needs `pip install 'kulami_solver[openspiel]'`.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import pyspiel
from open_spiel.python.algorithms import expected_game_score, gambit

import kulami_solver.adapters.openspiel  # noqa: F401  (registers the games)
from kulami_solver import just4fun

GAME = "just4fun(board=1x4,stones=2,line=4,hand=2,deck=1x1.2.3.4x2)"
LINE, HAND = 4, 2


def with_open_hands(state: Any) -> Fraction:
    """Return the mean value of the deals that can come from a state before or in the deal."""
    if state.is_chance_node():
        mean = Fraction(0)
        for card, chance in state.chance_outcomes():
            mean += Fraction(chance).limit_denominator(55) * with_open_hands(state.child(card))
        return mean
    found = just4fun.expect(just4fun.Position.from_jfn(str(state), line=LINE, hand=HAND))
    return Fraction(found.lower + found.upper) / 2


def with_hidden_hands(game: Any, iterations: int) -> tuple[float, float]:
    """Return the value of the game, and by how much a best reply still beats the solution.

    The tree is copied into one of OpenSpiel's own, through which it walks a hundred times as fast.
    """
    tree = pyspiel.load_efg_game(gambit.export_gambit(game))
    solver = pyspiel.CFRPlusSolver(tree)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value = expected_game_score.policy_value(tree.new_initial_state(), [policy, policy])[0]
    return float(value), float(pyspiel.exploitability(tree, policy))


def main(iterations: int = 300) -> None:
    """Value the game in both ways, and print what comes out."""
    game = pyspiel.load_game(GAME)
    value, beaten = with_hidden_hands(game, iterations)
    print(f"open hands    {float(with_open_hands(game.new_initial_state())):+.3f}")
    print(f"hidden hands  {value:+.3f}  (a best reply wins {beaten:.4f} more)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
