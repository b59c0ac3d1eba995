"""The learned evaluations of a layout, from the weights that come with the package.

The search has one, and the tree has another, which sees more and costs less (`heuristics.pxd`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from ..position.rules import Geometry
from ..position.scoring import Scoring
from .bounds import LearnedEvaluation, Weights, expectation
from .heuristics import Viewing

WEIGHTS_FILE = "evaluation.json"
GLANCE_FILE = "glance.json"
_UNIT = 64  # weights are in 64ths of a point
_TENTHS = 10  # `expectation` is in tenths of a point


def panel_slopes(size: int, free: int, difference: int) -> tuple[float, float, float]:
    """Return a panel's points if chance fills it, and what a marble of each side changes of them.

    Weights of panels of any size are multiples of these; those of the standard sizes are learned
    state by state as well.

    Args:
        size: its fields.
        free: its fields that can still be played.
        difference: marbles of the side to move there, minus the other side's.

    Examples:
        >>> panel_slopes(4, 2, 0)
        (0.0, 2.0, -2.0)
    """
    here = expectation(size, free, difference)
    if not free:
        return here / _TENTHS, 0.0, 0.0
    own = expectation(size, free - 1, difference + 1) - here
    other = expectation(size, free - 1, difference - 1) - here
    return here / _TENTHS, own / _TENTHS, other / _TENTHS


@cache
def read_weights(scoring: Scoring, name: str = WEIGHTS_FILE) -> Sequence[Mapping[str, Any]]:
    """Return the weights of each phase at a scoring, as the file has them."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        phases: list[Mapping[str, Any]] = json.load(file)["scorings"][scoring.value]
    return phases


def weights_for(sizes: frozenset[int], phases: Sequence[Mapping[str, Any]]) -> Weights:
    """Return weights for panels of these sizes; sizes that were not learned have slopes alone."""
    return Weights(
        sizes,
        [
            {
                **phase,
                "panels": {
                    size: phase["panels"].get(str(size)) or _by_slopes(size, phase["slopes"])
                    for size in sizes
                },
            }
            for phase in phases
        ],
    )


def _by_slopes(size: int, slopes: Sequence[int]) -> list[list[int]]:
    states = []
    for free in range(size + 1):
        for difference in range(free - size, size - free + 1):
            parts = panel_slopes(size, free, difference)
            if abs(difference) > free:  # decided: its points, and nothing else
                states.append([round(_UNIT * parts[0]), 0, 0])
            else:
                states.append([round(s * part) for s, part in zip(slopes, parts, strict=True)])
    return states


@lru_cache(maxsize=64)
def _known(sizes: frozenset[int], scoring: Scoring, name: str) -> Weights:
    return weights_for(sizes, read_weights(scoring, name))


@lru_cache(maxsize=256)
def learned_evaluation(geometry: Geometry, scoring: Scoring) -> LearnedEvaluation:
    """Return the search's evaluation, for a layout's tables and a scoring."""
    return LearnedEvaluation(geometry, _known(frozenset(geometry.sizes), scoring, WEIGHTS_FILE))


@lru_cache(maxsize=256)
def viewing(geometry: Geometry, scoring: Scoring) -> Viewing:
    """Return the tree's evaluation, for a layout's tables and a scoring."""
    weights = _known(frozenset(geometry.sizes), scoring, GLANCE_FILE)
    evaluation = LearnedEvaluation(geometry, weights)
    return Viewing(geometry, evaluation, scoring.area, scoring.chains)
