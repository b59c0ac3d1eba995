"""A checker of proofs in plain Python, written from docs/file-format.md without the package.

python tests/tiny_proof_checker.py FILE.kpf      says what is proved, or what is wrong
python tests/tiny_proof_checker.py FILE.txt      the same of what `kulami export --text` has written
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

Square = tuple[int, int]


class Place(NamedTuple):
    """A position: marbles of the side to move and of the other side, and the last two of them."""

    own: frozenset[Square]
    other: frozenset[Square]
    last: Square | None
    before: Square | None


class Game:
    """The rules on one layout, at one scoring."""

    def __init__(self, layout: str, scoring: str) -> None:
        rows = layout.split("/")
        self.name = {(x, y): c for y, row in enumerate(rows) for x, c in enumerate(row) if c != "."}
        self.squares = sorted(self.name, key=lambda at: (at[1], at[0]))
        self.area, self.chains = scoring in ("1", "2"), scoring in ("2", "chains")
        sure(scoring in ("0", "1", "2", "chains"), "no scoring")

    def in_line(self, at: Square) -> set[Square]:
        """The squares in the row and column of a square, without its panel."""
        line = {s for s in self.squares if s[0] == at[0] or s[1] == at[1]}
        return {s for s in line if self.name[s] != self.name[at]}

    def moves(self, p: Place, supply: int) -> list[Square]:
        """The legal fields."""
        free = [s for s in self.squares if s not in p.own and s not in p.other]
        if p.last is not None:
            line = self.in_line(p.last)
            barred = None if p.before is None else self.name[p.before]
            free = [s for s in free if s in line and self.name[s] != barred]
        return free if supply > 0 else []

    def after(self, p: Place, s: Square) -> Place:
        """The position after a move."""
        return Place(p.other, p.own | {s}, s, p.last)

    def plies_to_come(self, p: Place, supply: int) -> int:
        """The supply, or the live fields if there are fewer."""
        live = waiting = set(self.moves(p, supply))
        while waiting:
            waiting = {t for s in waiting for t in self.in_line(s)} - live - p.own - p.other
            live = live | waiting
        return min(supply, len(live))

    def points(self, mine: frozenset[Square], theirs: frozenset[Square]) -> int:
        """What one side's marbles score."""
        total = 0
        for panel in set(self.name.values()):
            fields = {s for s in self.squares if self.name[s] == panel}
            total += len(fields) * (len(fields & mine) > len(fields & theirs))
        if self.area:
            left, areas = set(mine), [0]
            while left:
                edge = {left.pop()}
                areas.append(0)
                while edge:
                    x, y = edge.pop()
                    areas[-1] += 1
                    beside = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & left
                    edge, left = edge | beside, left - beside
            total += max(areas)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)) if self.chains else ():
            for x, y in mine:
                n = 0
                while (x - dx, y - dy) not in mine and (x + n * dx, y + n * dy) in mine:
                    n += 1
                total += n if n >= 5 else 0
        return total

    @functools.cache  # noqa: B019  (a game lives as long as the check)
    def worth(self, p: Place, supply: int) -> int:
        """What a position is worth, played out."""
        moves = self.moves(p, supply)
        if not moves:
            return self.points(p.own, p.other) - self.points(p.other, p.own)
        return max(-self.worth(self.after(p, s), supply - 1) for s in moves)

    def read(self, marbles: str, turn: str, last: str) -> Place:
        """A position from three fields of a KFN."""
        lying: dict[str, set[Square]] = {"r": set(), "b": set()}
        for y, row in enumerate(marbles.replace("-", "").split("/")):
            x = 0
            for part in re.findall("[rb]|[0-9]+", row):
                if part in lying:
                    lying[part].add((x, y))
                x += 1 if part in lying else int(part)
        newest, before = [*(square(f) for f in last.split(",") if f != "-"), None, None][:2]
        other = "b" if turn == "r" else "r"
        return Place(frozenset(lying[turn]), frozenset(lying[other]), newest, before)


def square(field: str) -> Square:
    """The place of a field."""
    return ord(field[0]) - 97, int(field[1:]) - 1


def sure(true: bool, said: str) -> None:
    """Refuse what is not true."""
    if not true:
        raise ValueError(said)


NEVER = 9999  # farther from 0 than any margin
BOUNDS = {"win": (1, NEVER), "draw": (0, 0), "loss": (-NEVER, -1)}


def check_file(raw: bytes) -> int | str:
    """Check a .kpf; returns what it proves."""
    magic, version, length, size, zero = struct.unpack_from("<8sIIQQ", raw)
    text, section = raw[64 : 64 + length], raw[64 + length :]
    sure((magic, version, size, zero) == (b"KULAMIPF", 1, len(raw), 0), "no proof, or cut short")
    sure(hashlib.sha256(raw[:32] + text).digest() == raw[32:64], "the header is damaged")
    head = json.loads(text)
    part = head["sections"][0]
    sure(hashlib.sha256(section).hexdigest() == part["sha256"], "the choices are damaged")
    layout, *kfn = head["root"].split()
    game = Game(layout, head["scoring"])
    root = game.read(*kfn)
    supply = max(2 * head["marbles"] - head["short_end"] - len(root.own | root.other), 0)
    bits = iter([section[i >> 3] >> (i & 7) & 1 for i in range(part["bits"])])

    def bit() -> int:
        found = next(bits, None)
        sure(found is not None, "the choices end")
        return found or 0

    value: int | str = head["value"]
    # Of each position: its bounds, and which sides have played their best fields alone, so that
    # both bounds are one number: who moves there (1), and the other side (2).
    best = 3 if head.get("semi_strong") else 0
    claims = {root: (*(BOUNDS[value] if isinstance(value, str) else (value, value)), best)}
    sure(not best or isinstance(value, int), "a semi-strong proof of no margin")
    plies: list[list[int]] = []
    while claims:
        after: dict[Place, tuple[int, int, int]] = {}
        counts = [0, 0, 0]
        played = set()
        for p, (least, most, best) in claims.items():
            if game.plies_to_come(p, supply) <= head["depth_left"]:
                worth = game.worth(p, supply)
                sure(least <= worth <= most, f"ply {len(plies)}: {p} is worth {worth}")
                played.add(p)
                counts[2] += 1
            elif most < NEVER:
                for c in (game.after(p, s) for s in game.moves(p, supply)):
                    low, high, there = after.get(c, (-NEVER, NEVER, 0))
                    exact = None
                    if best and game.plies_to_come(c, supply - 1) > head["depth_left"]:
                        lost = max(low + most, 0)
                        if not there:
                            lost, limit = 0, 1000 if best & 2 else 1
                            while lost < limit and bit():
                                lost += 1
                        if best & 2:
                            exact, there = lost - most, there | 1
                        if best & 1 and not lost:
                            exact, there = -most, there | 2
                    low = max(low, -most if exact is None else exact)
                    after[c] = low, high if exact is None else min(high, exact), there
                counts[1] += 1
        for p, (least, *_) in claims.items():
            if p not in played and least > -NEVER:
                moves = game.moves(p, supply)
                wide = (len(moves) - 1).bit_length()
                number = sum(bit() << i for i in range(wide))
                sure(number < len(moves), f"ply {len(plies)}: no such move of {p}")
                c = game.after(p, moves[number])
                low, high, there = after.get(c, (-NEVER, NEVER, 0))
                after[c] = low, min(high, -least), there
                counts[0] += 1
        plies.append(counts)
        claims, supply = after, supply - 1
    sure(plies == head["plies"] and sum(map(sum, plies)) == head["steps"], "the counts are wrong")
    sure(next(bits, None) is None, "choices are left over")
    return value


def check_text(text: Iterable[str]) -> str:
    """Check what `kulami export --text` has written; returns what it proves."""
    lines = iter(text)
    layout, scoring, depth = next(lines).split()
    game = Game(layout, scoring)
    what, marbles, turn, last, supply, value = next(lines).split()
    root = game.read(marbles, turn, last), int(supply)
    least: dict[tuple[Place, int], int] = {}
    most: dict[tuple[Place, int], int] = {}
    for number, line in enumerate(lines, 3):
        kind, marbles, turn, last, supply, *rest = line.split()
        p, left = game.read(marbles, turn, last), int(supply)
        if kind == "P":
            sure(game.plies_to_come(p, left) <= int(depth), f"line {number}: a long game")
            least[p, left] = most[p, left] = game.worth(p, left)
            continue
        bound, moves = int(rest[0]), game.moves(p, left)
        sure(bool(moves), f"line {number}: the game is over")
        if kind == "L":
            for s in moves:
                known = least.get((game.after(p, s), left - 1), -NEVER)
                sure(known >= -bound, f"line {number}: a reply is open")
            most[p, left] = bound
        else:
            at = square(rest[1])
            sure(at in moves, f"line {number}: {rest[1]} is not legal")
            known = most.get((game.after(p, at), left - 1), NEVER)
            sure(known <= -bound, f"line {number}: nothing says so of {rest[1]}")
            least[p, left] = bound
    low, high = BOUNDS[value] if what == "outcome" else (int(value), int(value))
    sure(low == -NEVER or least.get(root, -NEVER) >= low, "the root may be worth less")
    sure(most.get(root, NEVER) <= high, "the root may be worth more")
    return value


if __name__ == "__main__":
    content = Path(sys.argv[1]).read_bytes()
    if content.startswith(b"KULAMIPF"):
        print("holds:", check_file(content))
    else:
        print("holds:", check_text(content.decode().splitlines()))
