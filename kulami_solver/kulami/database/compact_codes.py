"""What a database without keys is coded by: the weights of its predictor, and codes by context.

The weights are fitted to a sample of the full database by least squares. Panel by panel, and round
after round, each cell's weight takes up the mean of what the other weights leave over
(backfitting). All numbers are whole, so the weights are the same on every machine.

All records are counted in the finest contexts. Then each precision is tried: counts of contexts
that are no longer told apart are added up, and the file's size is worked out.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...core.codebook import Codebook, lengths_of
from .predictor import Predictor
from .probe import Database
from .readback import frames_of

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
        frames, starts, details, values = database._parts.records(ply, [part])
        each = frames_of(frames, starts, step)
        alone = np.arange(len(each) + 1, dtype=np.uint64)  # each record has a frame to itself
        here = np.full((len(each), predictor.panels), predictor.cells, np.uint32)
        _, found = predictor.contexts_of(
            ply, each, alone, details[::step].copy(), values[::step].copy(), here
        )
        cells.append(here)
        symbols.append(found)
    return np.concatenate(cells), np.concatenate(symbols)


Precision = tuple[int, bool, bool]
"""Low bits of the guess that are dropped; whether the numbers of live and of legal fields count."""

_GUESS_BITS: Final = 9
_LEGAL_AT, _LEGAL_BITS = 9, 3
_LIVE_AT, _LIVE_BITS = 12, 6
_SYMBOL_BITS: Final = 16
_PRECISIONS: Final = tuple(
    (dropped, by_live, by_legal)
    for dropped in (0, 1, 2, 3, 4, 9)
    for by_live, by_legal in ((True, True), (True, False), (False, True), (False, False))
)
# Bits in the file for a bit of a code word, in 1/64.
_SPENT: Final = 67


def tally(contexts: Any, symbols: Any) -> tuple[Any, Any]:
    """Count how often each symbol occurs in each context.

    Args:
        contexts: below 2^25.
        symbols: the symbol that occurs in each of the contexts.

    Returns:
        (context << 16 | symbol + 2^15, rising; the counts), as arrays.

    Examples:
        >>> keys, counts = tally(np.array([1, 0, 1], np.uint32), np.array([-1, 0, -1], np.int16))
        >>> (keys - 32768).tolist(), counts.tolist()
        ([0, 65535], [1, 2])
    """
    keys = contexts.astype(np.uint64) << np.uint64(_SYMBOL_BITS)
    keys |= (symbols.astype(np.int64) + (1 << 15)).astype(np.uint64)
    return np.unique(keys, return_counts=True)


def summed(tallies: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Add counts up by their keys, as `tally` gives both."""
    keys = np.concatenate([keys for keys, _ in tallies])
    counts = np.concatenate([counts for _, counts in tallies])
    return _merged(keys, counts)


def _merged(keys: Any, counts: Any) -> tuple[Any, Any]:
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[begins], np.add.reduceat(counts[order], begins)


def best_codes(keys: Any, counts: Any) -> tuple[Precision, Codebook]:
    """The precision that makes the file smallest, and the codes of its contexts."""
    best: tuple[int, Precision, Codebook] | None = None
    for precision in _PRECISIONS:
        codebook, bits = _codes_for(*_merged(_coarser_keys(keys, precision), counts))
        size = 8 * len(codebook.to_bytes()) + bits * _SPENT // 64
        if best is None or size < best[0]:
            best = size, precision, codebook
    assert best is not None
    return best[1:]


def coarser(contexts: Any, dropped: int, by_live: bool, by_legal: bool) -> Any:
    """Map the finest contexts to those of a coarser precision."""
    kind = contexts.dtype.type
    low = kind((1 << _GUESS_BITS) - 1)
    guesses = (contexts & low) >> kind(dropped)
    rest = contexts & ~low
    for counts_here, at, bits in (
        (by_legal, _LEGAL_AT, _LEGAL_BITS),
        (by_live, _LIVE_AT, _LIVE_BITS),
    ):
        if not counts_here:
            rest &= ~kind(((1 << bits) - 1) << at)
    rest |= guesses
    return rest


def _coarser_keys(keys: Any, precision: Precision) -> Any:
    """Map the keys of counts to contexts of a coarser precision."""
    contexts = coarser(keys >> np.uint64(_SYMBOL_BITS), *precision)
    symbols = keys & np.uint64((1 << _SYMBOL_BITS) - 1)
    return contexts << np.uint64(_SYMBOL_BITS) | symbols


def _codes_for(keys: Any, counts: Any) -> tuple[Codebook, int]:
    """The codes for these counts, and the bits of all code words together."""
    contexts = (keys >> np.uint64(_SYMBOL_BITS)).astype(np.uint32)
    symbols = (keys & np.uint64((1 << _SYMBOL_BITS) - 1)).astype(np.int64) - (1 << 15)
    begins = np.flatnonzero(np.concatenate([[True], contexts[1:] != contexts[:-1]]))
    starts = np.append(begins, len(keys)).astype(np.uint64)
    lengths = lengths_of(starts, counts)
    codebook = Codebook(contexts[begins], starts, symbols, lengths)
    return codebook, int((lengths.astype(np.int64) * counts.astype(np.int64)).sum())
