"""Database files that agree with themselves and lie: every checksum in them is right.

A file is taken apart into its header and its sections; something in one of them is changed; and it
is put together again, with sizes, offsets and checksums that suit. Readers are held against the
original: whatever they say of a crafted file is either that it is no good, or true.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import random
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAGIC = struct.pack("<8sI", b"KULAMIDB", 1)

#: What may stand in a header in place of anything.
STRANGE: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 63, 64, 65, 255, 256, 1 << 15, 1 << 16, (1 << 31) - 1),
    *(1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, -(1 << 63), 10**400),
    *(0.5, 1.0, 1e300, "", "x", "0", "\0", "\ud800", "A" * 5000, "AAB/CCB - r -", "contexts"),
    *("dense", [], [0], [[]], [[0, 0, 0]], {}, {"": 0}),
]


@dataclass
class Crafted:
    """A file taken apart.

    Attributes:
        header: without what is only known when it is put together.
        parts: the sections' bytes.
        text: the header's text, if it is not to be made of `header`.
        kept: (number of a section, key) of what stays as it is: all other sizes, offsets and
            checksums are made to suit.
    """

    header: Any
    parts: list[bytes]
    text: bytes | None = None
    kept: set[tuple[int, str]] = field(default_factory=set)

    @classmethod
    def of(cls, content: bytes) -> Crafted:
        """Take a sound file apart."""
        length = int.from_bytes(content[12:16], "little")
        header = json.loads(content[64 : 64 + length])
        begin = 64 + length
        parts = [
            content[begin + s["offset"] : begin + s["offset"] + s["bytes"]]
            for s in header["sections"]
        ]
        return cls(header, parts)

    def copy(self) -> Crafted:
        """The same, to be changed."""
        return Crafted(copy.deepcopy(self.header), list(self.parts), self.text, set(self.kept))

    def whole(self) -> bytes:
        """Put it together, with checksums that are right."""
        offset = 0
        sections = self.header.get("sections") if isinstance(self.header, dict) else None
        if isinstance(sections, list):
            for number, (section, part) in enumerate(zip(sections, self.parts, strict=False)):
                if not isinstance(section, dict):
                    continue
                suits = {
                    "offset": offset,
                    "bytes": len(part),
                    "sha256": hashlib.sha256(part).hexdigest(),
                }
                offset += len(part)
                for key, value in suits.items():
                    if (number, key) not in self.kept:
                        section[key] = value
        text = self.text
        if text is None:
            text = json.dumps(self.header, sort_keys=True).encode("ascii")
        text += b" " * (-len(text) % 64)
        size = 64 + len(text) + sum(map(len, self.parts))
        fixed = MAGIC + struct.pack("<IQQ", len(text), size, 0)
        return fixed + hashlib.sha256(fixed + text).digest() + text + b"".join(self.parts)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all that is in a header."""
    if path:
        yield path
    for key, below in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(below, dict | list):
            yield from places(below, (*path, key))
        else:
            yield (*path, key)


def at(header: Any, path: tuple[Any, ...]) -> Any:
    """What a path leads to."""
    for key in path:
        header = header[key]
    return header


def lists(header: Any, least: Callable[[list[Any]], bool]) -> list[tuple[Any, ...]]:
    """The paths to the lists that are long enough."""
    found = ((path, at(header, path)) for path in places(header))
    return [path for path, value in found if isinstance(value, list) and least(value)]


def kept_of(path: tuple[Any, ...]) -> set[tuple[int, str]]:
    """What must not be made to suit, if that is the place that was changed."""
    if len(path) == 3 and path[0] == "sections" and path[2] in ("offset", "bytes", "sha256"):
        return {(path[1], path[2])}
    return set()


def put(crafted: Crafted, path: tuple[Any, ...], value: Any) -> Crafted:
    """Put a value in a place; returns the file."""
    at(crafted.header, path[:-1])[path[-1]] = copy.deepcopy(value)
    crafted.kept |= kept_of(path)
    return crafted


def leave_out(crafted: Crafted, path: tuple[Any, ...]) -> Crafted:
    """Leave a place out; returns the file."""
    del at(crafted.header, path[:-1])[path[-1]]
    crafted.kept |= kept_of(path)
    return crafted


def chosen_place(header: Any, draw: random.Random) -> tuple[Any, ...]:
    """A place in a header: each key of it and each kind of section as likely as any other."""
    key = draw.choice(sorted(header))
    path: tuple[Any, ...] = (key,)
    value = header[key]
    while isinstance(value, dict | list) and value and draw.random() < 0.8:
        step = draw.choice(sorted(value) if isinstance(value, dict) else range(len(value)))
        path, value = (*path, step), value[step]
    return path


Change = Callable[[Crafted, random.Random], str]


def strange_value(crafted: Crafted, draw: random.Random) -> str:
    """Another type or number in one place."""
    path = chosen_place(crafted.header, draw)
    value = draw.choice(STRANGE)
    put(crafted, path, value)
    return f"{path} = {value!r:.30}"


def near_value(crafted: Crafted, draw: random.Random) -> str:
    """A number that is a little off, somewhere."""
    numbers = [
        path
        for path in places(crafted.header)
        if isinstance(at(crafted.header, path), int) and path[-1] not in ("offset",)
    ]
    # Long lists would have nearly all of the places.
    kind = draw.choice(sorted({tuple(k for k in path if isinstance(k, str)) for path in numbers}))
    path = draw.choice([p for p in numbers if tuple(k for k in p if isinstance(k, str)) == kind])
    by = draw.choice([1, -1, 2, -2, 63, 64, -64, 1 << draw.randrange(64), -(1 << 32)])
    put(crafted, path, int(at(crafted.header, path)) + by)
    return f"{path} += {by}"


def two_near_values(crafted: Crafted, draw: random.Random) -> str:
    """Two numbers of one list or object that are off, so that their sum is not."""
    of_numbers = lists(crafted.header, lambda found: sum(type(v) is int for v in found) > 1)
    if not of_numbers:
        return near_value(crafted, draw)
    path = draw.choice(of_numbers)
    found = at(crafted.header, path)
    one, two = draw.sample([i for i, v in enumerate(found) if type(v) is int], 2)
    found[one] += 1
    found[two] -= 1
    return f"{path}[{one}] += 1, [{two}] -= 1"


def removed(crafted: Crafted, draw: random.Random) -> str:
    """A key or a member less."""
    path = chosen_place(crafted.header, draw)
    leave_out(crafted, path)
    return f"no {path}"


def doubled(crafted: Crafted, draw: random.Random) -> str:
    """A member twice, or a key that there is not."""
    path = chosen_place(crafted.header, draw)
    parent = at(crafted.header, path[:-1])
    if isinstance(parent, list):
        parent.insert(path[-1], copy.deepcopy(parent[path[-1]]))
        if path[0] == "sections" and len(path) == 2:
            crafted.parts.insert(path[1], crafted.parts[path[1]])
    else:
        parent[f"{path[-1]}_"] = copy.deepcopy(parent[path[-1]])
    return f"{path} twice"


def exchanged(crafted: Crafted, draw: random.Random) -> str:
    """Two members of a list in each other's place; sections with or without their bytes."""
    path = draw.choice(lists(crafted.header, lambda found: len(found) > 1))
    found = at(crafted.header, path)
    one, two = draw.sample(range(len(found)), 2)
    found[one], found[two] = found[two], found[one]
    if path == ("sections",) and draw.random() < 0.5:
        crafted.parts[one], crafted.parts[two] = crafted.parts[two], crafted.parts[one]
    return f"{path}: {one} and {two} exchanged"


def nested(crafted: Crafted, draw: random.Random) -> str:
    """Brackets within brackets, in place of a value or beside it."""
    deep = draw.choice([10, 500, 5000, 200_000])
    opening, closing = draw.choice([(b"[", b"]"), (b'{"a":', b"}")])
    inner = opening * deep + (b"0" if opening != b"[" else b"") + closing * deep
    if draw.random() < 0.3:
        crafted.text = inner
        return f"{deep} brackets alone"
    path = chosen_place(crafted.header, draw)
    parent = at(crafted.header, path[:-1])
    key: Any = path[-1]
    if isinstance(parent, dict) and draw.random() < 0.5:
        key = "more"
    parent[key] = "@@"
    crafted.whole()  # Makes the rest suit.
    crafted.kept |= kept_of(path)
    parent[key] = "@@"
    text = json.dumps(crafted.header, sort_keys=True).encode("ascii")
    crafted.text = text.replace(b'"@@"', inner, 1)
    return f"{deep} brackets at {path}"


def odd_text(crafted: Crafted, draw: random.Random) -> str:
    """A header that is no object, no JSON or no ASCII."""
    crafted.whole()
    text = json.dumps(crafted.header, sort_keys=True).encode("ascii")
    more = (b',"game":"malawi"}', b',"game":"kulami"}', b',"sections":[]}')
    texts = [
        *(b"", b"{}", b"[]", b"null", b"0", b'""', b"NaN", b'{"game":"kulami"}'),
        *(b'{"game":"malawi"}', b'{"game":7}', b'{"game":"chess","sections":[]}'),
        *(b'{"sections":[]}', b"\xff" * 64, b"1" * 5000, text[: draw.randrange(len(text))]),
        *(text + text, text.replace(b'"value"', b'"value": NaN, "value"')),
        *(text.replace(b":", b"::", 1), *(text[:-1] + end for end in more)),
        *(text.replace(b"a", b"\xe9", 1), b"\xef\xbb\xbf" + text),
        text.decode("ascii").encode("utf-16"),
    ]
    crafted.text = draw.choice(texts)
    return f"text {crafted.text[:20]!r}"


def flipped_bits(crafted: Crafted, draw: random.Random) -> str:
    """Bits of a section."""
    number = draw.randrange(len(crafted.parts))
    part = bytearray(crafted.parts[number])
    for _ in range(draw.choice([1, 1, 2, 8])):
        # As often at the front, where indexes and codes are.
        bit = draw.randrange(len(part) * 8 if draw.random() < 0.5 else min(len(part), 64) * 8)
        part[bit >> 3] ^= 1 << (bit & 7)
    crafted.parts[number] = bytes(part)
    return f"bits of section {number}"


def other_words(crafted: Crafted, draw: random.Random) -> str:
    """Whole words of a section that are something else: offsets, keys, lengths of codes."""
    number = draw.randrange(len(crafted.parts))
    part = bytearray(crafted.parts[number])
    size = draw.choice([1, 2, 4, 8])
    place = draw.randrange(min(len(part), draw.choice([64, 1 << 30])) // size) * size
    value = draw.choice([0, 1, (1 << 8 * size) - 1, 1 << 8 * size - 1, draw.getrandbits(8 * size)])
    part[place : place + size] = value.to_bytes(size, "little")
    crafted.parts[number] = bytes(part)
    return f"section {number}, byte {place}: {value}"


def random_section(crafted: Crafted, draw: random.Random) -> str:
    """A section of nothing but noise, zeros or ones."""
    number = draw.randrange(len(crafted.parts))
    size = len(crafted.parts[number])
    crafted.parts[number] = draw.choice([bytes(size), b"\xff" * size, draw.randbytes(size)])
    return f"section {number} of noise"


def other_length(crafted: Crafted, draw: random.Random) -> str:
    """A section that is cut or made longer, or all of them."""
    number = draw.randrange(len(crafted.parts))
    by = draw.choice([-64, -1, 1, 64, 128, -len(crafted.parts[number]), 1 << 16])
    part = crafted.parts[number]
    crafted.parts[number] = part[:by] if by < 0 else part + bytes(by)
    return f"section {number} longer by {by}"


def lies_of_sections(crafted: Crafted, draw: random.Random) -> str:
    """Offsets and sizes that overlap, go beyond the file, or leave it partly unused."""
    crafted.whole()
    number = draw.randrange(len(crafted.parts))
    section = crafted.header["sections"][number]
    key = draw.choice(["offset", "bytes"])
    other = draw.choice(crafted.header["sections"])
    value = draw.choice(
        [other[key], section[key] + 64, section[key] - 64, 0, 1 << 62, (1 << 64) - 64, -64]
    )
    section[key] = value
    crafted.kept |= {(number, key)}
    if key == "bytes" and draw.random() < 0.5:  # Another makes up for it.
        crafted.header["sections"][number - 1]["bytes"] += len(crafted.parts[number]) - value
        crafted.kept |= {(n, k) for n in range(len(crafted.parts)) for k in ("bytes", "offset")}
    return f"section {number}: {key} = {value}"


def merged_sections(crafted: Crafted, draw: random.Random) -> str:
    """Two sections that follow each other as one, or one of them left out with its bytes."""
    number = draw.randrange(len(crafted.parts) - 1)
    del crafted.header["sections"][number + 1]
    gone = crafted.parts.pop(number + 1)
    if draw.random() < 0.5:
        crafted.parts[number] += gone
    return f"sections {number} and {number + 1} made one"


def several(crafted: Crafted, draw: random.Random) -> str:
    """A section and the header, too, at the same time."""
    # What changes sections goes by the header, so that comes last.
    chosen = [draw.choice(CONTENT_CHANGES), draw.choice(HEADER_CHANGES[:4])]
    return "; ".join(change(crafted, draw) for change in chosen)


def dense_block(crafted: Crafted, draw: random.Random) -> str:
    """A block of a dense section packed anew: other slots or values, more of it, or a bomb."""
    number = draw.randrange(len(crafted.parts))
    section, part = crafted.header["sections"][number], crafted.parts[number]
    if section["kind"] != "dense":
        return flipped_bits(crafted, draw)
    blocks = -(-section["slots"] // 65536)
    ends = struct.unpack_from(f"<{blocks + 1}Q", part)
    chosen = draw.choice([i for i in range(blocks) if ends[i] < ends[i + 1]])
    begin = 8 * (blocks + 1)
    packed = [part[begin + a : begin + b] for a, b in itertools.pairwise(ends)]
    raw = bytearray(zlib.decompress(packed[chosen]))
    kind = draw.choice(["bit", "bits", "more", "less", "bomb", "none", "tail"])
    if kind in ("bit", "bits"):
        for _ in range(1 if kind == "bit" else 8):
            place = draw.randrange(8 * len(raw))
            raw[place >> 3] ^= 1 << (place & 7)
    elif kind == "more":
        raw += bytes(draw.choice([1, 8, 4096]))
    elif kind == "less":
        del raw[-draw.choice([1, 8, 100]) :]
    elif kind == "bomb":
        raw += bytes(1 << 22)
    packed[chosen] = b"" if kind == "none" else zlib.compress(bytes(raw), 1)
    if kind == "tail":
        packed[chosen] += b"tail"
    offsets = [0, *itertools.accumulate(map(len, packed))]
    content = struct.pack(f"<{blocks + 1}Q", *offsets) + b"".join(packed)
    crafted.parts[number] = content + bytes(-len(content) % 64)
    return f"section {number}, block {chosen}: {kind}"


def code_table(crafted: Crafted, draw: random.Random) -> str:
    """Lengths of code words: too many, too few, too long, or another code that is complete."""
    listed = [i for i, s in enumerate(crafted.header["sections"]) if s["kind"] == "codes"]
    if not listed:
        return dense_block(crafted, draw)
    number = draw.choice(listed)
    header = crafted.header
    values = len(header["plies"][header["sections"][number]["ply"]]["values"])
    sizes = [len(header["digits"]) + 64, values]
    for _, mask, given in header["digits"]:
        sizes += [mask + 1] * (int(given).bit_count() + 1)
    raw = bytearray(crafted.parts[number])
    code = draw.randrange(len(sizes))
    begin, size = sum(sizes[:code]), sizes[code]
    only = sum(sizes) + 2 * code
    kind = draw.choice(["zeros", "long", "ones", "exchange", "only", "flat", "one"])
    lengths = raw[begin : begin + size]
    if kind == "zeros":
        lengths = bytearray(size)
    elif kind == "long":
        lengths[draw.randrange(size)] = draw.choice([13, 64, 255])
    elif kind == "ones":
        lengths = bytearray([1] * size)
    elif kind == "exchange":
        draw.shuffle(lengths)
    elif kind == "flat":
        bits = size.bit_length() - 1
        lengths = bytearray([bits] * (1 << bits) + [0] * (size - (1 << bits)))
    elif kind == "one":
        lengths[draw.randrange(size)] ^= 1
    else:
        raw[only : only + 2] = struct.pack("<H", draw.choice([0, 1, size - 1, size, 4095, 65535]))
    raw[begin : begin + size] = lengths
    crafted.parts[number] = bytes(raw)
    return f"code {code} of section {number}: {kind}"


HEADER_CHANGES: list[Change] = [
    *(strange_value, near_value, two_near_values, removed, doubled, exchanged, nested, odd_text),
    *(lies_of_sections, merged_sections),
]
CONTENT_CHANGES: list[Change] = [
    *(flipped_bits, other_words, random_section, other_length, dense_block, code_table)
]
CHANGES: list[Change] = [*HEADER_CHANGES, *CONTENT_CHANGES, several]


def every_key(content: bytes, part: int = 1) -> Iterator[tuple[str, bytes]]:
    """For each key of the header and of each kind of section: gone, of each type, too large.

    Args:
        content: the sound file.
        part: one in so many of what is STRANGE stands in place of each, one after the other.
    """
    sound = Crafted.of(content)
    paths = [(key,) for key in sound.header]
    seen = set()
    for path in places(sound.header):
        if len(path) == 1:
            continue
        named = tuple(key for key in path if isinstance(key, str))
        kind = sound.header["sections"][path[1]]["kind"] if path[0] == "sections" else None
        if (named, kind) not in seen:
            seen.add((named, kind))
            paths.append(path)
    for number, path in enumerate(paths):
        yield f"no {path}", leave_out(sound.copy(), path).whole()
        for value in STRANGE[number % part :: part]:
            if value != at(sound.header, path) or type(value) is not type(at(sound.header, path)):
                yield f"{path} = {value!r:.30}", put(sound.copy(), path, value).whole()


def every_number(content: bytes) -> Iterator[tuple[str, bytes]]:
    """For each whole number of the header: a little more and a little less."""
    sound = Crafted.of(content)
    for path in places(sound.header):
        value = at(sound.header, path)
        for by in (-2, -1, 1, 2) if type(value) is int else ():
            yield f"{path} = {value + by}", put(sound.copy(), path, value + by).whole()


def crafted_files(content: bytes, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """So many crafted files: what was done, and the file."""
    sound = Crafted.of(content)
    draw = random.Random(seed)
    made = 0
    while made < count:
        crafted = sound.copy()
        said = CHANGES[made % len(CHANGES)](crafted, draw)
        whole = crafted.whole()
        if draw.random() < 0.02:
            cut = draw.randrange(len(whole))
            whole, said = whole[:cut], f"{said}; cut at {cut}"
        if whole != content:
            yield said, whole
            made += 1


def write(path: Path, content: bytes) -> Path:
    """Write a crafted file."""
    path.write_bytes(content)
    return path
