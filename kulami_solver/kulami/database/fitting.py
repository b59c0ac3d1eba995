"""The weights of a predictor, fitted to a sample of a database by least squares.

Panel by panel, and round after round, each cell's weight takes up the mean of what the other
weights leave over (backfitting). All numbers are whole, so the weights are the same on every
machine.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .parts import Records
from .predictor import Predictor
from .probe import Database

# Records of a ply in the sample, parts of the ply that they come from, and rounds.
_SAMPLE: Final = 1 << 15
_PARTS: Final = 4
_ROUNDS: Final = 12
# Units of a weight in a point; how many times finer they are while weights are fitted.
_UNITS: Final = 256
_FINER: Final = 16
# Weights of cells with few records are drawn towards 0, as if by this many more records.
_CAUTION: Final = 4


def fit(database: Database, predictor: Predictor, plies: list[int]) -> Any:
    """Fit weights to some records of each ply.

    Args:
        database: with its keys.
        predictor: of the database's records.
        plies: those to take records from.

    Returns:
        An array of int32, a weight a cell.
    """
    samples = [_sample(database, predictor, ply) for ply in plies]
    cells = np.concatenate([cells for cells, _ in samples])
    left = np.concatenate([symbols for _, symbols in samples]).astype(np.int64)
    left *= _UNITS * _FINER
    weights = np.zeros(predictor.cells + 1, np.int64)
    columns = [np.ascontiguousarray(cells[:, i]) for i in range(cells.shape[1])]
    counts = [np.bincount(column, minlength=len(weights)) for column in columns]
    for _ in range(_ROUNDS):
        for column, count in zip(columns, counts, strict=True):
            # The sums are small enough to be exact as floats.
            sums = np.bincount(column, left, len(weights)).astype(np.int64)
            change = sums // (count + _CAUTION)
            change[-1] = 0  # a panel without a live field
            weights += change
            left -= change[column]
    return (weights[:-1] // _FINER).astype(np.int32)


def _sample(database: Database, predictor: Predictor, ply: int) -> tuple[Any, Any]:
    """The cells and symbols of records of some parts of a ply."""
    parts = database.parts(ply)
    chosen = sorted({parts * i // _PARTS for i in range(_PARTS)})
    cells, symbols = [], []
    for part in chosen:
        step = max(1, database.part_sizes(ply)[part] * len(chosen) // _SAMPLE)
        records: Records = database._parts.sample(ply, part, step)
        here = np.full((len(records[2]), predictor.panels), predictor.cells, np.uint32)
        _, found = predictor.contexts_of(ply, *records, here)
        cells.append(here)
        symbols.append(found)
    return np.concatenate(cells), np.concatenate(symbols)
