from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kulami_solver.kulami.position.rules import Geometry

class Weights:
    def __init__(self, sizes: Iterable[int], phases: Sequence[Mapping[str, Any]]) -> None: ...

class LearnedEvaluation:
    def __init__(self, geometry: Geometry, weights: Weights) -> None: ...
