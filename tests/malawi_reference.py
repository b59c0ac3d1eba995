"""The rules of Malawi once more, slow and obvious, and a plain value iteration over them.

Written from the rules alone and sharing no code with the package, so that everything fast can be
checked against it.  A position is one tuple of rows, seen by the side to move, who walks up:

    (-3, -3)      far row        0 is an empty square,
    ( 0,  0)                     n > 0 an own figure with n - 1 beads,
    ( 3,  3)      home row       n < 0 a figure of the other side with -n - 1 beads

A turn makes another such tuple, seen by the other side: turned upside down, signs changed.
Columns stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

Grid: TypeAlias = tuple[tuple[int, ...], ...]
#: What a turn does: ("move", from, to), ("hit", from, to) or ("spread", from, receivers), squares
#: as (column from the left, row from the top of the mover's view).
Square: TypeAlias = tuple[int, int]
Turn: TypeAlias = tuple[str, Square, tuple[Square, ...]]

WIN, DRAW, LOSS = "win", "draw", "loss"
DIRECTIONS = ((0, -1), (0, 1), (-1, 0), (1, 0))


# Rules -------------------------------------------------------------------------------------------


def start(columns: int, rows: int, beads: int) -> Grid:
    """Both sides on their home rows, every figure with all its beads."""
    own = (1 + beads,) * columns
    other = (-1 - beads,) * columns
    return (other, *[(0,) * columns for _ in range(rows - 2)], own)


def turned(grid: Grid) -> Grid:
    """The same board, seen by the other side."""
    return tuple(tuple(-square for square in row) for row in reversed(grid))


def mirrored(grid: Grid) -> Grid:
    """Left and right changed."""
    return tuple(tuple(reversed(row)) for row in grid)


def ended(grid: Grid) -> str | None:
    """What an ended game is for the side to move, None while it goes on."""
    if any(square > 1 for square in grid[0]):
        return WIN  # a figure with a bead has come home on the far row and was left there
    if not any(square > 1 for row in grid for square in row):
        return LOSS  # the last bead is gone
    return None


def changed(grid: Grid, squares: dict[Square, int]) -> Grid:
    """The grid with other values on some squares."""
    return tuple(
        tuple(squares.get((column, row), square) for column, square in enumerate(line))
        for row, line in enumerate(grid)
    )


def turns(grid: Grid) -> Iterator[tuple[Turn, Grid]]:
    """Every turn of the side to move with what it leads to, seen by the other side."""
    own = {
        (column, row): square
        for row, line in enumerate(grid)
        for column, square in enumerate(line)
        if square > 0
    }
    for (column, row), figure in own.items():
        beads = figure - 1
        if beads == 0:
            continue
        here = (column, row)
        for right, down in DIRECTIONS:
            way = [(column + right * step, row + down * step) for step in range(1, beads + 1)]
            to = way[-1]
            if not (0 <= to[0] < len(grid[0]) and 0 <= to[1] < len(grid)):
                continue
            if any(grid[y][x] for x, y in way[:-1]):
                continue
            target = grid[to[1]][to[0]]
            if target == 0:
                yield ("move", here, (to,)), turned(changed(grid, {here: 0, to: figure}))
            elif target < -1:
                yield ("hit", here, (to,)), turned(changed(grid, {to: -1}))
        others = [square for square in own if square != here]
        for receivers in combinations(others, min(beads, len(others))):
            after = {here: 1, **{square: own[square] + 1 for square in receivers}}
            yield ("spread", here, receivers), turned(changed(grid, after))


# Values ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solved:
    """Every position that can be reached, with its value for the side to move.

    `values` has (outcome, plies to the end) of each; plies is None for a draw. Positions of both
    sides to move are one where they look alike; mirror images are two; ended ones are counted.
    """

    root: Grid
    values: dict[Grid, tuple[str, int | None]]

    def count(self, outcome: str) -> int:
        """How many positions have this outcome."""
        return sum(found == outcome for found, _ in self.values.values())


def solve(root: Grid) -> Solved:
    """The value of every position that can be reached from `root`.

    By rounds: after round n, a position is decided if it is won or lost in at most n plies. It is
    won in n if a turn leads to one lost in n - 1 and none is better; it is lost in n if all turns
    lead to positions won by then, the last of them in n - 1. What no round decides is a draw,
    since whoever is to move can always go on to another position that no round decides.
    """
    numbers = {root: 0}
    grids = [root]
    following: list[list[int]] = []
    value: list[tuple[str, int | None] | None] = []
    for position in grids:  # grows meanwhile
        end = ended(position)
        value.append((end, 0) if end else None)
        after = set()
        if not end:
            for _, next_position in turns(position):
                if next_position not in numbers:
                    numbers[next_position] = len(grids)
                    grids.append(next_position)
                after.add(numbers[next_position])
        following.append(list(after))
    open_ones = [number for number, known in enumerate(value) if known is None]
    plies = 0
    while True:
        plies += 1
        decided: dict[int, tuple[str, int | None]] = {}
        for number in open_ones:
            won_by_other = 0
            for child in following[number]:
                known = value[child]
                if known is not None and known[0] is LOSS:
                    decided[number] = (WIN, plies)
                    break
                won_by_other += known is not None
            else:
                if won_by_other == len(following[number]):
                    decided[number] = (LOSS, plies)
        if not decided:
            break
        for number, found in decided.items():
            value[number] = found
        open_ones = [number for number in open_ones if number not in decided]
    return Solved(
        root,
        {position: known or (DRAW, None) for position, known in zip(grids, value, strict=True)},
    )


def best_values(grid: Grid, solved: Solved) -> dict[Turn, tuple[str, int | None]]:
    """What each turn is worth to the side that makes it, plies counted from before the turn."""
    mine = {WIN: LOSS, DRAW: DRAW, LOSS: WIN}
    found: dict[Turn, tuple[str, int | None]] = {}
    for turn, child in turns(grid):
        outcome, plies = solved.values[child]
        found[turn] = (mine[outcome], None if plies is None else plies + 1)
    return found
