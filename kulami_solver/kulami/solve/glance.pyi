from kulami_solver.kulami.position.rules import Geometry
from kulami_solver.kulami.solve.weights import LearnedEvaluation

class Viewing:
    def __init__(
        self, geometry: Geometry, evaluation: LearnedEvaluation, areas: bool, chains: bool
    ) -> None: ...
    def features(
        self, own: int, other: int, last: int, before: int, supply: int
    ) -> tuple[list[int], list[tuple[int, int, int, bool, bool]]]: ...
    def value(self, own: int, other: int, last: int, before: int, supply: int) -> float: ...
