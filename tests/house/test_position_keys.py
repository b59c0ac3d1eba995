"""Keys of positions are the same exactly where an image of the one is the other, seen slowly."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from kulami_solver.game import CHANCE, State, descriptor
from kulami_solver.kulami.game import state_of

Grid = tuple[tuple[Any, ...], ...]


def images(grid: Grid) -> Iterator[Grid]:
    """The eight ways in which a grid can lie."""
    for _ in range(4):
        grid = tuple(tuple(row[x] for row in reversed(grid)) for x in range(len(grid[0])))
        yield grid
        yield tuple(tuple(reversed(row)) for row in grid)


def kulami(state: Any) -> object:
    """The position as cells of panel, marble and whether it is among the last two."""
    position = state.position
    number, marks = position.layout.fields, dict(zip(position.last, "nb", strict=False))
    colours = "oe" if position.turn == "red" else "eo"
    cells = {}
    for at, (square, name) in enumerate(zip(position.layout.squares, number, strict=True)):
        marble = position.red >> at & 1, position.black >> at & 1
        owner = colours[0] if marble[0] else colours[1] if marble[1] else " "
        cells[square] = (position.layout.panel_of(at).name, owner, marks.get(name, " "))
    xs, ys = ({square[axis] for square in cells} for axis in (0, 1))
    grid = tuple(
        tuple(cells.get((x, y), ("", "", "")) for x in range(min(xs), max(xs) + 1))
        for y in range(min(ys), max(ys) + 1)
    )
    found = []
    for image in images(grid):
        names: dict[str, int] = {"": -1}
        found.append(
            [
                [(names.setdefault(panel, len(names)), *rest) for panel, *rest in row]
                for row in image
            ]
        )
    return str(min(found)), position.marbles, position.short_end


def malawi(state: Any) -> object:
    """The position as written, and written for its images."""
    rows, turn = state.notation().split(" ")
    grid = [[row[i : i + 2] for i in range(0, len(row), 2)] for row in padded(rows).split("/")]
    other = str.maketrans("rb", "br")
    turned = [[cell.translate(other) for cell in row] for row in reversed(grid)]
    seen = grid if turn == "r" else turned
    return str(min(seen, [row[::-1] for row in seen]))


def padded(rows: str) -> str:
    """Rows in which an empty square has two characters, as a figure has."""
    return rows.replace(".", "..")


def just4fun(state: Any) -> object:
    """The stones where they lie, by how long it is until their owner's turn."""
    position = state.position
    players = len(position.players)
    at = position.seat
    stones = [
        [counts[(at + n) % players] for n in range(players)]
        for counts in (*position.stones, position.left)
    ]
    grid = tuple(
        tuple((number, str(stones[number - 1])) for number in row) for row in position.board.grid
    )
    return str(min(images(grid))), str(stones[-1]), position.line, position.hand


def walks(game: str, options: dict[str, Any], count: int, draw: Random) -> Iterator[State]:
    """The states of random games."""
    start = descriptor(game).make(**options).start()
    for _ in range(count):
        state = start
        for _ in range(40):
            if state.to_move != CHANCE:
                yield state
            if not state.moves:
                break
            state = state.play(draw.choice(state.moves))


CASES: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "kulami": (
        kulami,
        [
            {"layout": layout, "first": first, **more}
            for first in ("red", "black")
            for layout in ("AAB/AAC", "AA/CB/CB", "BAA/CAA", "xy/xy/.y", "..../.ab./.ab./..b.")
            for more in ({}, {"marbles": 2}, {"short_end": True})
        ],
    ),
    "malawi": (malawi, [{"board": "2x3"}, {"board": "3x3", "beads": 1}, {"board": "3x4"}]),
    "just4fun": (
        just4fun,
        [
            {"board": board, "stones": 2, "line": 3, "hand": hand, "players": players, "seed": seed}
            for board in ("2x3", "3,6/2,5/1,4", "2,1,3/4,5,6")
            for players in ("rb", "yg", "rbg")
            for hand in (3, 4)
            for seed in (1, 2)
        ],
    ),
}


@pytest.mark.parametrize("game", sorted(CASES))
def test_a_key_is_the_same_where_an_image_is_equal_and_nowhere_else(game: str) -> None:
    slow, starts = CASES[game]
    draw = Random(28)
    key = descriptor(game).position_key
    states = {
        (state.notation(), str(options)): state
        for options in starts
        for state in walks(game, options, 20, draw)
    }
    pairs = {(key(state), slow(state)) for state in states.values()}
    assert len(pairs) == len({one for one, _ in pairs}) == len({one for _, one in pairs})
    assert len(pairs) < 0.95 * len(states)  # so that there was something to find


@pytest.mark.parametrize("layout", ["square", "rulebook"])
def test_exchanged_and_turned_kulami_positions_have_one_key(layout: str) -> None:
    found = descriptor("kulami")
    draw = Random(7)
    for state in walks("kulami", {"layout": layout}, 1, draw):
        position: Any = state.position
        for _ in range(3):
            position = draw.choice([position.mirrored(), position.rotated(), position.exchanged()])
        assert found.position_key(state_of(position)) == found.position_key(state)


def test_what_is_hidden_changes_no_key() -> None:
    found = descriptor("just4fun")
    keys = {found.position_key(found.make(seed=seed).start()) for seed in range(5)}
    assert len(keys) == 1


def test_a_game_that_says_nothing_of_it_goes_by_its_notation() -> None:
    from toy_game import GAME

    start = GAME.make().start()
    assert GAME.position_key(start) == start.notation()
