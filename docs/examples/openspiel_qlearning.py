"""A table of values, learnt by OpenSpiel's Q-learner on a small board and judged by exact ones.

    python openspiel_qlearning.py suite.jsonl                    positions to judge by
    kulami check openspiel_qlearning:Learner --suite suite.jsonl
    kulami check random --suite suite.jsonl                      to compare

in the folder of this file. Needs `pip install 'kulami_solver[openspiel]'`.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pyspiel
from open_spiel.python.algorithms import tabular_qlearner
from open_spiel.python.rl_environment import Environment, ObservationType

import kulami_solver.adapters.openspiel  # noqa: F401  (registers the game)
from kulami_solver import Layout, Position, Scoring
from kulami_solver.bots.kulami.suite import Case

LAYOUT = Layout.parse("AABB/CCDD/EEDD")
EPISODES = 5000


class Learner:
    """Learns by playing against itself before its first move, and then plays what it has learnt.

    Args:
        episodes: games to learn from.
        seed: of the games.
    """

    name = "openspiel-qlearning"

    def __init__(self, episodes: int = EPISODES, seed: int = 1) -> None:
        self._episodes = episodes
        self._seed = seed
        self._game = pyspiel.load_game("kulami", {"layout": str(LAYOUT)})
        self._environment = Environment(self._game, observation_type=ObservationType.OBSERVATION)
        fields = self._game.num_distinct_actions()
        self._learners = [
            tabular_qlearner.QLearner(player, fields, step_size=0.3) for player in range(2)
        ]

    def learn(self) -> None:
        """Play all the games."""
        np.random.seed(self._seed)  # which the learners draw from
        while self._episodes:
            self._play()
            self._episodes -= 1

    def _play(self) -> None:
        step = self._environment.reset()
        while not step.last():
            learner = self._learners[step.observations["current_player"]]
            step = self._environment.step([learner.step(step).action])
        for learner in self._learners:
            learner.step(step)

    def choose(self, position: Position) -> str:
        """Return the field that it values most."""
        self.learn()
        self._environment.set_state(self._game.new_initial_state(position.kfn()))
        step = self._environment.get_time_step()
        learner = self._learners[step.observations["current_player"]]
        field: int = learner.step(step, is_evaluation=True).action
        return LAYOUT.fields[field]


def write_suite(file: Path, positions: int = 200, seed: int = 2) -> None:
    """Write positions of random games on the board, with every field's exact value."""
    draw = random.Random(seed)
    found: dict[Position, str] = {}
    while len(found) < positions:
        position = Position(LAYOUT)
        while not position.is_over:
            if len(position.legal_fields) > 1:
                found[position] = Case.of(position, Scoring.LEVEL0, "random").line
            position = position.play(draw.choice(position.legal_fields))
    file.write_text("".join(f"{line}\n" for line in found.values()), encoding="utf-8")


if __name__ == "__main__":
    write_suite(Path(sys.argv[1]))
