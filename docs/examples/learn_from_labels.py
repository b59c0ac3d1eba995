"""Learn from labels, play in a Batch, and print the exact points that a move gives away.

kulami labels late.parquet --layout AABB/AACC/DDCC/DDEE --count 3000 --free 2-15
python learn_from_labels.py late.parquet
"""

import sys
from typing import Any

import numpy as np

from kulami_solver import Layout
from kulami_solver.adapters.batch import NO_ACTION, Batch
from kulami_solver.adapters.exact import NO_VALUE, exact_values
from kulami_solver.adapters.labels import label_planes, read_labels

labels = read_labels(sys.argv[1])
layout = Layout.parse(labels["layout"][0])
seen = label_planes(labels).reshape(len(labels["margin"]), -1)
values = labels["values"][:, : len(layout)]
worth = np.where(values == NO_VALUE, 0, values - labels["margin"][:, None])
try:
    from sklearn.kernel_ridge import KernelRidge

    guess = KernelRidge(alpha=0.01, kernel="rbf", gamma=0.03).fit(seen, worth).predict
except ImportError:  # the same by hand

    def near(rows: Any) -> Any:
        apart = (rows**2).sum(axis=1)[:, None] + (seen**2).sum(axis=1) - 2 * rows @ seen.T
        return np.exp(-0.03 * apart)

    weights = np.linalg.solve(near(seen) + 0.01 * np.eye(len(seen)), worth)

    def guess(rows: Any) -> Any:
        return near(rows) @ weights


batch, luck = Batch(256, layout, seed=1), np.random.default_rng(1)
given, asked = {"learned": 0, "random": 0}, 0
while not batch.ended.all():
    exact, legal = exact_values(batch), batch.legal_masks[:, : len(layout)]
    best = np.where(legal, guess(batch.observe().reshape(256, -1)), -np.inf).argmax(axis=1)
    moves = {"learned": np.where(exact.over, NO_ACTION, best), "random": batch.random_actions()}
    for name, actions in moves.items():
        given[name] += exact.regret(actions)[~exact.over].sum()
    asked += np.count_nonzero(~exact.over)
    batch.step(moves[luck.choice(["learned", "random"])])
for name, points in given.items():
    print(f"{name:8}{points / asked:.3f}")
