"""OpenSpiel's Monte-Carlo tree search as a bot of Kulami.

    kulami check openspiel_mcts:Mcts --positions 20

in the folder of this file. It is the search in Python: `pyspiel.MCTSBot`, in C++, crashes with any
game that is written in Python (OpenSpiel 2.0). Needs `pip install 'kulami_solver[openspiel]'`.
"""

from __future__ import annotations

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import kulami_solver.adapters.openspiel  # noqa: F401  (registers the game)
from kulami_solver import Position, Scoring

EXPLORATION = 6.0  # in points of margin, which is what the search averages


class Mcts:
    """Plays the field that OpenSpiel's search visits most.

    Args:
        simulations: random games for each move.
    """

    name = "openspiel-mcts"

    def __init__(self, simulations: int = 200) -> None:
        self.simulations = simulations

    def choose(self, position: Position, *, scoring: Scoring) -> str:
        """Return a field of a position whose game is not over."""
        game = pyspiel.load_game(
            "kulami",
            {
                "layout": str(position.layout),
                "scoring": "chains" if scoring is Scoring.CHAINS else f"level{scoring.value}",
                **position.edition,
            },
        )
        draw = np.random.RandomState(1)
        bot = mcts.MCTSBot(
            game,
            EXPLORATION,
            self.simulations,
            mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=draw),
            random_state=draw,
            solve=True,
        )
        field: int = bot.step(game.new_initial_state(position.kfn()))
        return position.layout.fields[field]
