from typing import Any, final

import numpy as np
import numpy.typing as npt

from kulami_solver.kulami.position.rules import Geometry

@final
class Games:
    def __init__(self, count: int, areas: bool, chains: bool) -> None: ...
    @property
    def count(self) -> int: ...
    def begin(
        self,
        geometries: list[Geometry],
        boards: npt.NDArray[np.int32],
        chosen: npt.NDArray[np.uint8],
        seeds: npt.NDArray[np.uint64],
        first: int,
        supply: int,
        seeded: bool,
    ) -> None: ...
    def step(
        self,
        actions: npt.NDArray[np.int64],
        rewards: npt.NDArray[np.int16],
        ended: npt.NDArray[Any],
        outcome: bool,
        again: bool,
    ) -> int: ...
    def draw(self, actions: npt.NDArray[np.int64]) -> None: ...
    def roll_out(self, margins: npt.NDArray[np.int16], plies: npt.NDArray[np.uint8]) -> None: ...
    def show(
        self,
        red: npt.NDArray[np.uint64],
        black: npt.NDArray[np.uint64],
        legal: npt.NDArray[np.uint64],
        last: npt.NDArray[np.int8],
        before: npt.NDArray[np.int8],
        turn: npt.NDArray[np.uint8],
        supply: npt.NDArray[np.uint8],
        margins: npt.NDArray[np.int16],
    ) -> None: ...
    def legal(self, masks: npt.NDArray[np.uint64]) -> None: ...
    def spread(self, masks: npt.NDArray[Any]) -> None: ...
    def observe(
        self,
        planes: npt.NDArray[np.float32],
        squares: npt.NDArray[np.uint8],
        still: npt.NDArray[np.float32],
    ) -> None: ...
