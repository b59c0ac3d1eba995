"""A learner that plays, learns from exact values, and is graded by them: the whole loop.

    python training_loop.py                        games from NumPy batches
    python training_loop.py --games openspiel      or from OpenSpiel
    python training_loop.py --games pettingzoo     or from PettingZoo

The board has 4x4 fields. Its database is built first, in a second. Each step plays games, asks for
the exact value of every legal field along them, and learns from these. After 0, 1, 2, 4, 8, ...
steps the program prints what the learner gives away a move, in points, on positions of other games.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kulami_solver as ks
from kulami_solver.adapters.batch import NO_ACTION, Batch
from kulami_solver.adapters.exact import ExactValues, exact_values

LAYOUT = ks.Layout.parse("AABB/AACC/DDCC/DDEE")
FIELDS = len(LAYOUT)
RATE = 0.01
EXPLORED = 0.5  # of the moves that it learns from are drawn at random
UNSEEN = 1 << 20  # the seed of the games that it is graded on

Array = Any  # of NumPy
Group = tuple[Array, Array, "Batch | Sequence[ks.Position]"]  # observations, legal fields, where


class Learner:
    """Guesses what each field is worth: a weight for each number of the observation and field."""

    def __init__(self, rate: float = RATE) -> None:
        self._rate = rate
        self._weights: Array = 0.0

    def guess(self, seen: Array) -> Array:
        """Return a number for each field, (positions, FIELDS), from (positions, planes)."""
        return seen @ np.broadcast_to(self._weights, (seen.shape[1], FIELDS))

    def learn(self, seen: Array, legal: Array, values: Array) -> None:
        """Come closer to these values of the legal fields."""
        error = np.where(legal, self.guess(seen) - values, 0)
        self._weights = self._weights - self._rate * seen.T @ error / len(seen)

    def best(self, seen: Array, legal: Array) -> Array:
        """Return the legal field that looks best in each position, or NO_ACTION if none is."""
        chosen = np.where(legal, self.guess(seen), -np.inf).argmax(axis=1)
        return np.where(legal.any(axis=1), chosen, NO_ACTION)


def with_ones(planes: Array) -> Array:
    """Observations as rows, with a 1 before each."""
    rows = np.asarray(planes, np.float32).reshape(len(planes), -1)
    return np.c_[np.ones(len(rows), np.float32), rows]


def numpy_games(learner: Learner, count: int, seed: int, explored: float) -> Iterator[Group]:
    """Play games side by side; yield them ply by ply."""
    batch = Batch(count, LAYOUT, seed=seed)
    draw = np.random.default_rng(seed)
    while not batch.ended.all():
        seen, legal = with_ones(batch.observe()), batch.legal_masks[:, :FIELDS]
        yield seen, legal, batch
        at_random = draw.random(count) < explored
        batch.step(np.where(at_random, batch.random_actions(), learner.best(seen, legal)))


def openspiel_games(learner: Learner, count: int, seed: int, explored: float) -> Iterator[Group]:
    """Play games of OpenSpiel; yield each when it is over."""
    import pyspiel

    import kulami_solver.adapters.openspiel  # noqa: F401  (registers the game)

    game = pyspiel.load_game("kulami", {"layout": str(LAYOUT)})
    draw = np.random.default_rng(seed)
    for _ in range(count):
        state = game.new_initial_state()
        planes, masks, positions = [], [], []
        while not state.is_terminal():
            planes.append(state.observation_tensor(state.current_player()))
            masks.append(np.array(state.legal_actions_mask(), bool))
            positions.append(ks.Position.from_kfn(str(state)))
            if draw.random() < explored:
                state.apply_action(int(draw.choice(state.legal_actions())))
            else:
                seen = with_ones([planes[-1]])
                state.apply_action(int(learner.best(seen, masks[-1][None])[0]))
        yield with_ones(planes), np.array(masks), positions


def pettingzoo_games(learner: Learner, count: int, seed: int, explored: float) -> Iterator[Group]:
    """Play games of PettingZoo; yield each when it is over."""
    from kulami_solver.adapters.pettingzoo import env

    environment = env(layout=LAYOUT)
    draw = np.random.default_rng(seed)
    for _ in range(count):
        environment.reset(seed=int(draw.integers(1 << 31)))
        planes, masks, positions = [], [], []
        for _ in environment.agent_iter():
            observation, _reward, terminated, truncated, info = environment.last()
            if terminated or truncated:
                environment.step(None)
                continue
            planes.append(observation)
            masks.append(np.array(info["action_mask"], bool))
            positions.append(environment.unwrapped.position)
            if draw.random() < explored:
                environment.step(int(draw.choice(np.flatnonzero(masks[-1]))))
            else:
                seen = with_ones([planes[-1]])
                environment.step(int(learner.best(seen, masks[-1][None])[0]))
        yield with_ones(planes), np.array(masks), positions


GAMES: dict[str, Callable[[Learner, int, int, float], Iterator[Group]]] = {
    "numpy": numpy_games,
    "openspiel": openspiel_games,
    "pettingzoo": pettingzoo_games,
}


def valued(
    games: str, learner: Learner, source: ks.Database, count: int, seed: int, explored: float
) -> list[tuple[Array, Array, ExactValues]]:
    """Play games, and ask for the exact values along them."""
    return [
        (seen, legal, exact_values(positions, source))
        for seen, legal, positions in GAMES[games](learner, count, seed, explored)
    ]


def curve(
    games: str, source: ks.Database, steps: int, count: int = 16
) -> Iterator[tuple[int, float]]:
    """Yield (steps, regret) after 0, 1, 2, 4, 8, ... steps of one learner, up to so many.

    Args:
        games: what plays, a name in GAMES.
        source: a solved database of LAYOUT.
        steps: how many at most; their seeds count from 0.
        count: games in a step.
    """
    learner, taken = Learner(), 0
    unseen = valued(games, learner, source, 64, UNSEEN, 1.0)
    while True:
        lost = [
            exact.regret(learner.best(seen, legal))[~exact.over] for seen, legal, exact in unseen
        ]
        yield taken, float(np.concatenate(lost).mean())
        ahead = max(1, 2 * taken)
        if ahead > steps:
            return
        for seed in range(taken, ahead):
            played = valued(games, learner, source, count, seed, EXPLORED)
            seen, legal = (np.concatenate([row[column] for row in played]) for column in (0, 1))
            worth = np.concatenate(
                [exact.values[:, :FIELDS] - exact.margins[:, None] for _, _, exact in played]
            )
            learner.learn(seen, legal, worth)
        taken = ahead


def main() -> None:
    """Train, and print the curve."""
    parser = argparse.ArgumentParser(description="Learn from exact values, and be graded by them.")
    parser.add_argument("--games", choices=sorted(GAMES), default="numpy")
    parser.add_argument("--steps", type=int, default=256)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board.kdb"
        ks.build(path, ks.Position(LAYOUT))
        with ks.open_database(path) as source:
            for steps, regret in curve(asked.games, source, asked.steps):
                print(f"{steps:4} {regret:.3f}", flush=True)


if __name__ == "__main__":
    main()
