"""A second reader of solved databases, written from docs/file-format.md alone.

It uses nothing of the package: the rules come from `reference.py`, and the file is read into a dict
from (ply, frame, detail) to values. Slow and obvious.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import reference
from reference import Rules, Square, State


class Bits:
    """Bits to be taken from the lowest of each byte upwards."""

    def __init__(self, content: bytes) -> None:
        self.number = int.from_bytes(content, "little")

    def take(self, count: int) -> int:
        """The next bits, the first of them the lowest."""
        taken = self.number & (1 << count) - 1
        self.number >>= count
        return taken


class Code:
    """One Huffman code."""

    def __init__(self, lengths: bytes, only: int) -> None:
        self.only = only
        self.symbol_of: dict[tuple[int, int], int] = {}
        word = 0
        for length in range(1, 13):
            word *= 2
            for symbol, bits in enumerate(lengths):
                if bits == length:
                    self.symbol_of[length, word] = symbol
                    word += 1

    def read(self, bits: Bits) -> int:
        """The next symbol."""
        if not self.symbol_of:
            return self.only
        length = word = 0
        while (length, word) not in self.symbol_of:
            assert length < 12, "no such code word"
            length += 1
            word = 2 * word + bits.take(1)
        return self.symbol_of[length, word]


@dataclass
class Reader:
    """A whole file in memory."""

    header: dict[str, Any]
    contexts: dict[tuple[int, int], int]
    values: dict[tuple[int, int, int], int]

    def margin(self, rules: Rules, state: State) -> int | None:
        """The margin for the side to move; None if the position is not in the file."""
        scoring = self.header["scoring"]
        legal = reference.legal_fields(rules, state)
        if not legal:
            return reference.margin(rules, state, scoring)
        squares = sorted(rules.panel, key=reference.reading_order)

        names = list(dict.fromkeys(rules.panel[square] for square in squares))
        spots = {squares[field]: i for i, field in enumerate(self.header["fields"])}
        root_rules, root = reference.parse_kfn(
            self.header["root"], self.header["marbles"], self.header["short_end"]
        )
        assert root_rules.rows == rules.rows
        ply = len(state.red) + len(state.black) - len(root.red) - len(root.black)
        own, other = (state.red, state.black) if state.turn == "r" else (state.black, state.red)
        first, second = (own, other) if ply % 2 == 0 else (other, own)
        free = [square for square in squares if square not in first | second]
        if any(self.header["scoring"] == name for name in ("1", "2", "chains")):
            live = {square for square in free if square in spots}
            root_own, root_other = (
                (root.red, root.black) if root.turn == "r" else (root.black, root.red)
            )
            if {s for s in first if s not in spots} != root_own:
                return None
            if {s for s in second if s not in spots} != root_other:
                return None
        else:
            live = reachable(rules, free, legal)
        if not live <= set(spots):
            return None
        newest = rules.panel[state.last[0]] if state.last else ""
        room_left = any(rules.panel[square] == newest for square in live)
        context = (
            sum(1 << spots[square] for square in legal),
            names.index(newest) if room_left else 64,
        )
        if context not in self.contexts:
            return None
        frame = sum(1 << spots[square] for square in live) << self.header["context_bits"]
        frame |= self.contexts[context]
        detail = base = 0
        if scoring != "0":
            detail = sum(1 << len(spots) - 1 - spots[s] for s in first if s in spots)
        else:
            listed = {panel: (shift, room) for panel, shift, room in self.header["panels"]}
            for panel, name in enumerate(names):
                fields = [square for square in squares if rules.panel[square] == name]
                lead = sum((s in first) - (s in second) for s in fields)
                left = sum(s in live for s in fields)
                if abs(lead) > left:
                    side = 1 if lead > 0 else -1
                    base += side * len(fields) * (1 if ply % 2 == 0 else -1)
                if left and panel in listed:
                    shift, room = listed[panel]
                    digit = 2 * room + 1 if abs(lead) > left else lead + room
                    detail |= digit << shift
                elif left and abs(lead) <= left:
                    return None
        value = self.values.get((ply, frame, detail))
        return None if value is None else base + value


def reachable(rules: Rules, free: list[Square], legal: list[Square]) -> set[Square]:
    """The free fields that can be reached from the legal ones."""
    found = set(legal)
    waiting = list(legal)
    while waiting:
        column, row = waiting.pop()
        for square in free:
            if (
                square not in found
                and (square[0] == column or square[1] == row)
                and rules.panel[square] != rules.panel[column, row]
            ):
                found.add(square)
                waiting.append(square)
    return found


def read(content: bytes) -> Reader:
    """Read a file."""
    assert content[:8] == b"KULAMIDB"
    assert int.from_bytes(content[8:12], "little") == 1
    length = int.from_bytes(content[12:16], "little")
    assert int.from_bytes(content[16:24], "little") == len(content)
    text = content[64 : 64 + length]
    assert hashlib.sha256(content[:32] + text).digest() == content[32:64]
    header = json.loads(text)
    assert header["context_bits"] < 64
    contexts: dict[tuple[int, int], int] = {}
    values: dict[tuple[int, int, int], int] = {}
    codes: list[Code] = []
    for section in header["sections"]:
        begin = 64 + length + section["offset"]
        part = content[begin : begin + section["bytes"]]
        assert hashlib.sha256(part).hexdigest() == section["sha256"]
        if section["kind"] == "contexts":
            count = header["contexts"]
            for i in range(count):
                legal = int.from_bytes(part[8 * i : 8 * i + 8], "little")
                contexts[legal, part[8 * count + i]] = i
        elif section["kind"] == "codes":
            codes = read_codes(header, section["ply"], part)
        else:
            for frame, detail, value in read_records(header, section, part, codes):
                values[section["ply"], frame, detail] = value
    return Reader(header, contexts, values)


def read_codes(header: dict[str, Any], ply: int, part: bytes) -> list[Code]:
    """The codes of a ply."""
    sizes = [len(header["digits"]) + 64, len(header["plies"][ply]["values"])]
    for _, mask, given in header["digits"]:
        sizes += [mask + 1] * (1 + given.bit_count())
    codes = []
    at, only_at = 0, sum(sizes)
    for size in sizes:
        only = int.from_bytes(part[only_at : only_at + 2], "little")
        codes.append(Code(part[at : at + size], only))
        at += size
        only_at += 2
    return codes


def read_records(
    header: dict[str, Any], section: dict[str, Any], part: bytes, codes: list[Code]
) -> Iterator[tuple[int, int, int]]:
    """The records of a part: frame, detail, value."""
    digits = header["digits"]
    lowest = header["plies"][section["ply"]]["lowest"]
    first_code = []
    code = 2
    for _, _, given in digits:
        first_code.append(code)
        code += 1 + given.bit_count()
    detail_bits = digits[0][0] + digits[0][1].bit_length() if digits else 0
    joined = len(header["fields"]) + header["context_bits"] + detail_bits <= 64
    blocks = -(-section["records"] // 64)
    words = [int.from_bytes(part[8 * i : 8 * i + 8], "little") for i in range(2 * blocks)]
    keys = 8 * blocks * (1 if joined else 2)
    offsets = [
        int.from_bytes(part[keys + 4 * i : keys + 4 * i + 4], "little") for i in range(blocks)
    ]
    stream = part[keys + 6 * blocks :]
    for block in range(blocks):
        if joined:
            frame, detail = words[block] >> detail_bits, words[block] & (1 << detail_bits) - 1
        else:
            frame, detail = words[2 * block], words[2 * block + 1]
        first = frame, detail
        if block == 0:
            assert [frame, detail] == section["first"]
        end = offsets[block + 1] if block + 1 < blocks else len(stream)
        bits = Bits(stream[offsets[block] : end])
        for i in range(min(64, section["records"] - 64 * block)):
            if i == 32:
                frame, detail = first
            if i:
                step = codes[0].read(bits)
                if step >= len(digits):
                    frame += (1 << step - len(digits)) + bits.take(step - len(digits))
                    step = 0
                for number in range(step, len(digits)):
                    shift, mask, given = digits[number]
                    symbol = codes[first_code[number] + (given & frame).bit_count()].read(bits)
                    detail = detail & ~(mask << shift) | symbol << shift
            yield frame, detail, lowest + codes[1].read(bits)
