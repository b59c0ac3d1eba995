"""Static functions and codebooks: what has few keys, rare symbols, or was written by nobody."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from kulami_solver.core.codebook import Codebook, lengths_of
from kulami_solver.core.static_function import StaticFunction, hashes_of, pack


def codebook(draw: random.Random, contexts: int) -> tuple[Codebook, list[int]]:
    """Codes for random counts, and the counts."""
    numbers = sorted(draw.sample(range(1 << 25), contexts))
    starts, symbols, counts = [0], [], []
    for _ in range(contexts):
        size = draw.choice([1, 1, 2, 3, 20, 200])
        symbols += sorted(draw.sample(range(-1022, 1023), size))
        kind = draw.choice(["even", "steep", "any"])
        for i in range(size):
            steep = 1 << min(i, 40)
            counts.append({"even": 7, "steep": steep, "any": draw.randint(1, 10**6)}[kind])
        starts.append(len(symbols))
    lengths = lengths_of(np.array(starts, np.uint64), np.array(counts, np.uint64))
    return Codebook(numbers, starts, symbols, lengths), counts


@pytest.mark.parametrize("seed", range(8))
def test_codes_are_short_complete_and_read_as_they_were_written(seed: int) -> None:
    draw = random.Random(seed)
    book, counts = codebook(draw, draw.choice([1, 2, 60]))
    starts, lengths = book.starts.tolist(), book.lengths.tolist()
    for begin, end in itertools.pairwise(starts):
        code = lengths[begin:end]
        assert max(code) <= 15
        assert sum(2.0**-length for length in code) == 1
        by_count = sorted(range(begin, end), key=lambda i: (counts[i], -lengths[i]))
        assert [lengths[i] for i in by_count] == sorted(code, reverse=True), "rarer is no shorter"
    raw = book.to_bytes()
    padded = np.frombuffer(raw + bytes(draw.choice([0, 1, 60])), np.uint8)
    again = Codebook.from_bytes(padded, len(book.contexts))
    for name in ("contexts", "starts", "symbols", "lengths"):
        assert np.array_equal(getattr(again, name), getattr(book, name)), name


def test_counts_that_would_overflow_are_refused() -> None:
    starts = np.array([0, 2], np.uint64)
    most = np.array([(1 << 61) - 1, 1 << 60], np.uint64)
    assert lengths_of(starts, most).tolist() == [1, 1]
    for counts in ([1 << 61, 1 << 61], [1 << 63, 1 << 63], [(1 << 64) - 1, 1]):
        with pytest.raises(ValueError, match="add up to"):
            lengths_of(starts, np.array(counts, np.uint64))


def test_a_symbol_without_a_word_is_refused() -> None:
    book = Codebook([5, 9], [0, 1, 3], [4, -1, 3], [0, 1, 1])
    words = book.words()
    good = book.encode(words, np.array([5, 9, 9], np.uint32), np.array([4, -1, 3], np.int16))
    assert [int(word) >> 27 for word in good] == [0, 1, 1]
    assert len({int(word) for word in good[1:]}) == 2
    for context, symbol in ((5, 3), (5, 5), (9, 0), (9, 4), (9, -2), (6, 4)):
        with pytest.raises(ValueError, match="no code word"):
            book.encode(words, np.array([context], np.uint32), np.array([symbol], np.int16))


def test_bytes_that_nobody_wrote_are_refused_or_read() -> None:
    draw = random.Random(4)
    raw = codebook(draw, 40)[0].to_bytes()
    for _ in range(1000):
        spoilt = bytearray(raw if draw.random() < 0.7 else draw.randbytes(200))
        for _ in range(draw.choice([0, 1, 5])):
            spoilt[draw.randrange(len(spoilt))] = draw.randrange(256)
        content = np.frombuffer(bytes(spoilt[: draw.randint(1, len(spoilt))]), np.uint8)
        try:
            book = Codebook.from_bytes(content, draw.choice([1, 40, 41, 1 << 25]))
        except ValueError:
            continue
        assert len(book.contexts) > 0
        again = Codebook.from_bytes(np.frombuffer(book.to_bytes(), np.uint8), len(book.contexts))
        assert np.array_equal(again.symbols, book.symbols)
    for size in (0, 5, 8, 64, 128, 640):
        for _ in range(100):
            content = np.frombuffer(draw.randbytes(size), np.uint8)
            with pytest.raises(ValueError, match=r"chunks|too short"):
                StaticFunction(content, draw.choice([0, 1, 2048, 2049, 10**6, 1 << 39]), 0)


def test_keys_that_nothing_tells_apart_are_given_up() -> None:
    frames, starts = np.array([7], np.uint64), np.array([0, 3], np.uint64)
    hashes = hashes_of(frames, starts, np.array([1, 2, 3], np.uint64), 0)
    assert len(set(hashes.tolist())) == 3
    assert hashes.tolist() != hashes_of(frames, starts, np.array([1, 2, 3], np.uint64), 1).tolist()
    codes = np.array([1 << 27, 1 << 27 | 1, 1 << 27], np.uint32)
    assert pack(hashes, codes, 0) is not None
    hashes[1] = hashes[0]
    assert pack(hashes, codes, 0) is None
    same = np.array([1 << 27 | 1] * 3, np.uint32)
    assert pack(hashes, same, 4) is not None, "equal keys with equal words are no contradiction"
