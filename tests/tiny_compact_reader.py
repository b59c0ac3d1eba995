"""A second reader of databases without keys, written from docs/file-format.md alone.

It uses nothing of the package. Which record stands for a position is worked out by `tiny_reader`;
here its value is found. Slow and obvious.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import Any

import reference
from tiny_reader import Bits, Reader

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15

Key = tuple[int, int, int]
"""Ply, frame and detail of a record."""


def mix(x: int) -> int:
    """A permutation of the numbers of 64 bits."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def gamma(bits: Bits) -> int:
    """A number from 1 on, in Elias's gamma code."""
    width = 0
    while not bits.take(1):
        width += 1
    return 1 << width | bits.take(width)


def signed(bits: Bits) -> int:
    """A number with a sign."""
    x = gamma(bits)
    return -(x // 2) if x % 2 else x // 2


def read_codes(part: bytes, count: int) -> dict[int, dict[str, int]]:
    """Of each context, the symbols by their code words."""
    bits = Bits(part)
    codes = {}
    context, first = -1, 0
    for _ in range(count):
        context += gamma(bits)
        number = gamma(bits)
        first += signed(bits)
        symbols = [first]
        while len(symbols) < number:
            symbols.append(symbols[-1] + gamma(bits))
        lengths = []
        length = 2
        for _ in range(number if number > 1 else 0):
            length += signed(bits)
            lengths.append(length)
        codes[context] = canonical(symbols, lengths or [0])
    return codes


def canonical(symbols: list[int], lengths: list[int]) -> dict[str, int]:
    """Symbols by their code words, which are written as digits."""
    words = {}
    word = before = 0
    for length, symbol in sorted(zip(lengths, symbols, strict=True)):
        word <<= length - before
        words[f"{word:0{length}b}" if length else ""] = symbol
        word += 1
        before = length
    return words


class Function:
    """A section with a static function."""

    def __init__(self, section: dict[str, Any], part: bytes, fingerprint: int) -> None:
        self.first: int = section["first"]
        self.salt: int = section["salt"]
        self.fingerprint = fingerprint
        self.chunks: int = -(-section["records"] // 2048)
        self.begins: tuple[int, ...] = struct.unpack_from(f"<{self.chunks + 1}I", part)
        self.seeds = part[4 * self.chunks + 4 : 5 * self.chunks + 4]
        head = 5 * self.chunks + 4
        self.bits = part[head + -head % 8 :]

    def find(self, frame: int, detail: int, words: dict[str, int]) -> int | None:
        """The symbol of a record, None if its fingerprint is another."""
        h = mix(mix((frame + self.salt * GOLDEN) & WORD) + detail & WORD)
        chunk = h * self.chunks >> 64
        begin, end = self.begins[chunk], self.begins[chunk + 1]
        bits = int.from_bytes(self.bits[8 * begin : 8 * end], "little")
        windows = 64 * (end - begin) - 63
        x = mix(h ^ (self.seeds[chunk] + 1) * GOLDEN & WORD)
        y = mix(x)

        def bit(i: int) -> int:
            if windows < 0:
                return 0
            at = ((y >> 32) + i * 0x9E3779B9 & 0xFFFFFFFF) * windows >> 32
            turned: int = x | 1
            turned = (turned << i | turned >> 64 - i) & WORD | 1
            return (bits >> at & turned).bit_count() % 2

        word = ""
        while word not in words:
            word += str(bit(len(word)))
        for i in range(self.fingerprint):
            if bit(len(word) + i) != y >> i & 1:
                return None
        return words[word]


@dataclass
class Values:
    """The values of records, as far as they are kept."""

    header: dict[str, Any]
    legal: list[int]
    weights: tuple[int, ...]
    codes: dict[int, dict[str, int]]
    functions: dict[int, list[Function]]

    def get(self, key: Key) -> int | None:
        """The value of a record of a ply that is kept; None if it was not in the full database."""
        ply, frame, detail = key
        base, context = self.context(key)
        if context not in self.codes:
            return None
        function = [f for f in self.functions[ply] if f.first <= frame] or self.functions[ply]
        symbol = function[-1].find(frame, detail, self.codes[context])
        return None if symbol is None else base + symbol

    def context(self, key: Key) -> tuple[int, int]:
        """A record's base and context."""
        header = self.header
        ply, frame, detail = key
        rules, root = reference.parse_kfn(header["root"], header["marbles"], header["short_end"])
        squares = sorted(rules.panel, key=reference.reading_order)
        names = list(dict.fromkeys(rules.panel[square] for square in squares))
        fields = [squares[field] for field in header["fields"]]
        live = {s for i, s in enumerate(fields) if frame >> header["context_bits"] + i & 1}
        spots = self.legal[frame & (1 << header["context_bits"]) - 1]
        legal = {s for i, s in enumerate(fields) if spots >> i & 1}
        sign = -1 if ply % 2 else 1
        own, other = (root.red, root.black) if root.turn == "r" else (root.black, root.red)
        base = 0
        if header["scoring"] != "0":
            for i, square in enumerate(fields):
                if square not in live and detail >> len(fields) - 1 - i & 1:
                    own |= {square}
                elif square not in live:
                    other |= {square}
            state = reference.State(own, other, "r", ())
            base = sign * reference.margin(rules, state, header["scoring"])
        digits = {panel: (shift, room) for panel, shift, room in header["panels"]}
        total = cell = points = 0
        for number, name in enumerate(names):
            room = sum(rules.panel[square] == name for square in fields)
            if not room or (header["scoring"] == "0" and number not in digits):
                continue
            free = sum(rules.panel[square] == name for square in live)
            size = sum(rules.panel[square] == name for square in squares)
            if header["scoring"] == "0":
                shift, _ = digits[number]
                width = (2 * room + 1).bit_length()
                lead = (detail >> shift & (1 << width) - 1) - room
                decided = lead > room
            else:
                mine = sum(rules.panel[square] == name for square in own)
                lead = mine - sum(rules.panel[square] == name for square in other)
                decided = abs(lead) > free
            if free:
                t = 2 * room + 1 if decided else sign * lead + room
                reached = any(rules.panel[square] == name for square in legal)
                total += self.weights[cell + 2 * ((free - 1) * (2 * room + 2) + t) + reached]
                points += 0 if decided else size
            cell += 4 * room * (room + 1)
        most = min(255, 4 * points) if header["scoring"] == "0" else 255
        guess = max(-most, min((total + 32) // 64, most))
        context = points << 18 | guess + 256 >> header["dropped"]
        context |= len(live) << 12 if header["by_live"] else 0
        context |= min(7, len(legal)) << 9 if header["by_legal"] else 0
        return base, context


def read(content: bytes) -> Reader:
    """Read a file."""
    length = int.from_bytes(content[12:16], "little")
    text = content[64 : 64 + length]
    assert hashlib.sha256(content[:32] + text).digest() == content[32:64]
    header = json.loads(text)
    assert header["context_bits"] < 64
    assert header["game"] == "kulami-compact"
    numbers: dict[tuple[int, int], int] = {}
    values = Values(header, [], (), {}, {})
    for section in header["sections"]:
        begin = 64 + length + section["offset"]
        part = content[begin : begin + section["bytes"]]
        assert hashlib.sha256(part).hexdigest() == section["sha256"]
        if section["kind"] == "contexts":
            count = header["contexts"]
            values.legal = list(struct.unpack_from(f"<{count}Q", part))
            for i, legal in enumerate(values.legal):
                numbers[legal, part[8 * count + i]] = i
        elif section["kind"] == "weights":
            values.weights = struct.unpack(f"<{len(part) // 4}i", part)
        elif section["kind"] == "codebook":
            values.codes = read_codes(part, section["contexts"])
        else:
            function = Function(section, part, header["fingerprint"])
            values.functions.setdefault(section["ply"], []).append(function)
    return Reader(header, numbers, values)  # type: ignore[arg-type]  # it is asked alike


def margin(reader: Reader, rules: reference.Rules, state: reference.State) -> int | None:
    """The margin of a position for the side to move, by play where its ply is left out."""
    header = reader.header
    _, root = reference.parse_kfn(header["root"])
    ply = len(state.red | state.black) - len(root.red | root.black)
    kept = ply % header["every"] == 0 and ply < max(1, len(header["plies"]) - header["until"])
    if kept or not reference.legal_fields(rules, state):
        return reader.margin(rules, state)
    after = [
        margin(reader, rules, reference.play(state, square))
        for square in reference.legal_fields(rules, state)
    ]
    return max(-value for value in after if value is not None)
