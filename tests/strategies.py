"""Hypothesis strategies for layouts, positions and games, independent of the package.

Layouts come in two kinds: *packed* ones are filled square by square from the top left, *scattered*
ones drop rectangles anywhere on a grid, so that pieces may not touch.  Positions come in two kinds
too: *played* ones can be reached from the empty board, *placed* ones are merely valid, with the
colours lying in lines and blocks often enough for large areas and long chains.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits

import reference
from hypothesis import strategies as st

PANEL_NAMES = ascii_uppercase + ascii_lowercase + digits
# Characters that have fooled parsers: digits and letters of other scripts, separators, surrogates.
ODD = "\u0661\u00b2\uff12\u0391\u00aa\ud800\u2028\x00\x1f\x85\ufeff\U0001d7d8-_+eE"
MOST_FIELDS = 64
WIDEST = 16


@dataclass(frozen=True)
class Game:
    """Empty board, options and the fields played so far."""

    layout: str
    first: str  # "r" or "b"
    marbles: int
    short_end: bool
    moves: tuple[str, ...]

    def replayed(self) -> tuple[reference.Rules, reference.State]:
        """The rules and the position after the moves."""
        rules, state = reference.start(self.layout, self.first, self.marbles, self.short_end)
        for name in self.moves:
            state = reference.play(state, reference.field_square(name))
        return rules, state


class _Canvas:
    """A grid onto which rectangles are put as long as they fit."""

    def __init__(self, width: int, height: int, first_name: int) -> None:
        self.width = width
        self.height = height
        self.first_name = first_name
        self.panels = 0
        self.names: dict[reference.Square, str] = {}

    def put(self, column: int, row: int, width: int, height: int, most: int) -> bool:
        """Add a panel unless it overlaps, sticks out, or there would be too many fields."""
        squares = [(column + x, row + y) for y in range(height) for x in range(width)]
        if column + width > self.width or row + height > self.height:
            return False
        if len(self.names) + len(squares) > most or self.panels == len(PANEL_NAMES):
            return False
        if any(square in self.names for square in squares):
            return False
        name = PANEL_NAMES[(self.first_name + self.panels) % len(PANEL_NAMES)]
        self.names.update((square, name) for square in squares)
        self.panels += 1
        return True

    def text(self) -> str:
        """The layout's rows; the top left square becomes a panel if there is none at all."""
        if not self.names:
            self.put(0, 0, 1, 1, 1)
        return "/".join(
            "".join(self.names.get((column, row), ".") for column in range(self.width))
            for row in range(self.height)
        )


@st.composite
def packed_layouts(draw: st.DrawFn, most_fields: int = MOST_FIELDS) -> str:
    """Boards filled from the top left with panels of up to 4x4 and some gaps."""
    side = st.one_of(st.integers(4, 8), st.integers(1, 9))
    width, height = draw(side), draw(side)
    canvas = _Canvas(width, height, draw(st.integers(0, len(PANEL_NAMES) - 1)))
    for column, row, shape in _shapes(draw, width, height):
        panel_width, panel_height = shape
        while panel_width and panel_height:
            if canvas.put(column, row, panel_width, panel_height, most_fields):
                break
            if panel_width >= panel_height:
                panel_width -= 1
            else:
                panel_height -= 1
    return canvas.text()


def _shapes(draw: st.DrawFn, width: int, height: int) -> list[tuple[int, int, tuple[int, int]]]:
    kind = draw(st.sampled_from(["any", "ones", "kulami"]))
    shape = {
        "any": st.tuples(st.integers(0, 4), st.integers(1, 4)),
        "ones": st.sampled_from([(1, 1), (1, 1), (1, 1), (0, 0), (1, 2), (2, 1)]),
        "kulami": st.sampled_from([(2, 2), (1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2), (0, 0)]),
    }[kind]
    squares = [(column, row) for row in range(height) for column in range(width)]
    shapes = draw(st.lists(shape, min_size=len(squares), max_size=len(squares)))
    return [(column, row, shape) for (column, row), shape in zip(squares, shapes, strict=True)]


@st.composite
def scattered_layouts(draw: st.DrawFn, most_fields: int = MOST_FIELDS) -> str:
    """Rectangles anywhere on a grid of up to 16x16, mostly not touching all."""
    width, height = draw(st.integers(1, WIDEST)), draw(st.integers(1, WIDEST))
    canvas = _Canvas(width, height, draw(st.integers(0, len(PANEL_NAMES) - 1)))
    for _ in range(draw(st.integers(1, 20))):
        canvas.put(
            draw(st.integers(0, width - 1)),
            draw(st.integers(0, height - 1)),
            draw(st.integers(1, 3)),
            draw(st.integers(1, 3)),
            most_fields,
        )
    return canvas.text()


@st.composite
def wide_layouts(draw: st.DrawFn, most_fields: int = MOST_FIELDS) -> str:
    """A few lines of up to 16 squares with gaps, of panels of one field, bars and whole lines."""
    width = draw(st.sampled_from([11, 12, WIDEST, 8, 5]))
    height = draw(st.integers(1, max(1, most_fields // width)))
    turned, first = draw(st.booleans()), draw(st.integers(0, len(PANEL_NAMES) - 1))
    canvas = _Canvas(*((height, width) if turned else (width, height)), first)
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    # In all lines, or here and there.
    gaps = draw(st.sampled_from([(width // 2,), (width // 2,), (1, width - 2), ()]))
    holes, longest = (
        draw(st.sampled_from([0.0, 0.0, 0.1])),
        draw(st.sampled_from([1, 1, 3, WIDEST])),
    )
    for row, column in itertools.product(range(height), range(width)):
        beyond = min(gap for gap in (*gaps, width) if gap >= column)
        length = chance.randint((longest + 1) // 2, longest) if chance.random() >= holes else 0
        length = min(length, beyond - column)
        while length:
            place = (row, column, 1, length) if turned else (column, row, length, 1)
            length = 0 if canvas.put(*place, most_fields) else length - 1
    return canvas.text()


def layouts(most_fields: int = MOST_FIELDS) -> st.SearchStrategy[str]:
    """Layout texts with 1 to ``most_fields`` fields, the rulebook's two among them."""
    kinds = [maker(most_fields) for maker in (packed_layouts, scattered_layouts, wide_layouts)]
    if most_fields >= MOST_FIELDS:
        kinds.append(st.sampled_from([reference.SQUARE_LAYOUT, reference.RULEBOOK_LAYOUT]))
    return st.one_of(kinds)


def marble_limits() -> st.SearchStrategy[int]:
    """Marbles of each colour: 1 to 32, often few enough to end the game."""
    return st.one_of(st.just(28), st.integers(1, 8), st.integers(1, 32))


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Games played at random from an empty board; some have ended, some are in the middle."""
    layout = draw(layouts())
    first = draw(st.sampled_from("rb"))
    marbles, short_end = draw(marble_limits()), draw(st.booleans())
    rules, state = reference.start(layout, first, marbles, short_end)
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    moves = _random_moves(rules, state, chance, plies=draw(st.integers(0, MOST_FIELDS)))
    return Game(layout, first, marbles, short_end, tuple(moves))


def _random_moves(
    rules: reference.Rules, state: reference.State, chance: random.Random, plies: int
) -> list[str]:
    """Random play for this many plies, or until the game ends."""
    moves: list[str] = []
    while len(moves) < plies:
        fields = reference.legal_fields(rules, state)
        if not fields:
            break
        field = chance.choice(fields)
        moves.append(reference.field_name(field))
        state = reference.play(state, field)
    return moves


@st.composite
def endgames(draw: st.DrawFn, most_free: int) -> tuple[reference.Rules, reference.State]:
    """Played positions with at most ``most_free`` free fields, most of them not yet ended.

    The marble limit is chosen afterwards, so that it ends the game now, soon or never.
    """
    layout = draw(st.one_of(layouts(), layouts(most_fields=most_free + 4)))
    first = draw(st.sampled_from("rb"))
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    free = draw(st.integers(most_free // 2, most_free))
    for _ in range(20):
        rules, state = reference.start(layout, first, marbles=MOST_FIELDS)
        plies = max(0, len(rules.panel) - free)
        moves = _random_moves(rules, state, chance, plies)
        if len(moves) == plies:
            break
    # A game which got stuck before is taken back a little if few fields can still be played.
    if len(moves) < plies and draw(st.booleans()):
        del moves[-3:]
    per_colour = len(moves) // 2 + 1
    marbles = draw(st.one_of(st.just(MOST_FIELDS), st.integers(per_colour, per_colour + 4)))
    return Game(layout, first, marbles, draw(st.booleans()), tuple(moves)).replayed()


@st.composite
def placed(
    draw: st.DrawFn, most_free: int = MOST_FIELDS, most_fields: int = MOST_FIELDS
) -> tuple[reference.Rules, reference.State]:
    """Valid positions which need not come from a game, with at most ``most_free`` free fields."""
    layout = draw(st.one_of(layouts(most_fields), wide_layouts(most_fields)))
    panel = reference.parse_layout(layout)
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    cap = min(most_free, len(panel))
    free = draw(
        st.one_of(*(st.integers(*ends) for ends in ((cap * 2 // 3, cap), (0, cap), (0, cap // 9))))
    )
    squares = sorted(panel, key=lambda _: chance.random())[free:]
    noise = draw(st.sampled_from([0.0, 0.0, 2.0, 100.0]))
    # Diagonals, columns or rows of one colour, or what lies anywhere.
    along = draw(st.sampled_from([(1, 1), (1, -1), (20, 1), (1, 20), (0, 1)]))
    squares.sort(key=lambda xy: xy[0] * along[0] + xy[1] * along[1] + noise * chance.random())
    turn = draw(st.sampled_from("rb"))
    half = len(squares) // 2
    own, other = frozenset(squares[:half]), frozenset(squares[half:])
    red, black = (own, other) if turn == "r" else (other, own)
    limit = st.one_of(st.just(32), st.integers(max(1, len(other)), len(other) + 4))
    rules = reference.Rules(reference.layout_rows(layout), panel, draw(limit), draw(st.booleans()))
    with_older = bool(own) and draw(st.integers(0, 3)) > 0
    for _ in range(20):
        last: tuple[reference.Square, ...] = ()
        if other:
            last += (chance.choice(sorted(other)),)
        if with_older:
            last += (chance.choice(sorted(own)),)
        state = reference.State(red, black, turn, last)
        if reference.reachable_fields(rules, state):
            break
    return rules, state


def positions() -> st.SearchStrategy[tuple[reference.Rules, reference.State]]:
    """Played and placed positions of all kinds."""
    return st.one_of(games().map(Game.replayed), placed())


def late_positions(most_free: int) -> st.SearchStrategy[tuple[reference.Rules, reference.State]]:
    """Played and placed positions with few free fields, which the reference can solve."""
    return st.one_of(endgames(most_free), placed(most_free))


def spoilt(sound: list[str], alphabet: str) -> st.SearchStrategy[str]:
    """Return texts that differ from a sound one in up to four places."""

    @st.composite
    def text(draw: st.DrawFn) -> str:
        spoiling = draw(st.sampled_from(sound))
        for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 4]))):
            start = draw(st.integers(0, len(spoiling)))
            end = start + draw(st.integers(0, 3))
            new = draw(
                st.text(alphabet + ODD, max_size=3)
                | st.sampled_from(["9" * 5000, "1000000000", "0", "//", "  ", "A" * 20])
            )
            spoiling = spoiling[:start] + new + spoiling[end:]
        return spoiling

    return text()
