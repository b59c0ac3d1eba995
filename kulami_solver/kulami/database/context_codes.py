"""The contexts that a database without keys tells apart, and their codes.

All records are counted in the finest contexts. Then each precision is tried: counts of contexts
that are no longer told apart are added up, and the file's size is worked out.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...core.codebook import Codebook, lengths_of

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


def chosen(keys: Any, counts: Any) -> tuple[Precision, Codebook]:
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
