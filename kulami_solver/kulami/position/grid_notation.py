"""Hagen and KBN: a letter and a digit for each square of 10x10, 200 characters.

`notation` says what the letters and digits are. Neither carries all that a position has.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...core.notation import BLACK, RED, field_name, parse_turn
from ...errors import LayoutError, NotationError, Phrase
from .kfn import Placement, kfn_loses, marbles_by_square, read_last
from .layout import Layout
from .material import NO_FIELD
from .views import LayoutView, PanelView, PositionView

_GRID = 10  # squares on a side
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_HAGEN_PANELS = {(2, 3): "bcde", (2, 2): "fghij", (1, 3): "klmn", (1, 2): "opqr"}
_HAGEN_MARBLES = {"0": None, "1": BLACK, "2": RED}


# Hagen


def read_hagen(
    text: str, turn: str | None = None, last: str | Iterable[str] | None = None
) -> Placement:
    """Read a Hagen board; its panels keep their letters as names.

    Args:
        text: 200 characters. Letters b-z may name any rectangle.
        turn: the side to move, which the text does not have.
        last: the last two marbles, newest first, like "f8,d3"; not needed on an empty board.

    Raises:
        NotationError: if the text is malformed, or something it lacks is not given.
        LayoutError: if its panels make no layout.

    Examples:
        >>> text = "b0b0" + "a0" * 8 + "b0b2" + "a0" * 88
        >>> board = read_hagen(text, turn="black", last="b2")
        >>> board.layout.rows[1], board.red, board.last
        ('bb........', 8, ('b2',))
        >>> read_hagen(text, turn="black")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: a Hagen board does not say which marbles were \
placed last: give last, like 'f8,d3'
    """
    layout, marbles = _read_grid(text, "Hagen", _LETTERS, "012")
    if turn is None:
        raise NotationError("hagen_turn")
    colours = {RED: 0, BLACK: 0}
    for number, digit in enumerate(marbles):
        colour = _HAGEN_MARBLES[digit]
        if colour:
            colours[colour] |= 1 << number
    if last is None:
        if any(colours.values()):
            raise NotationError("hagen_last")
        last = ()
    return Placement(
        layout, colours[RED], colours[BLACK], parse_turn(turn), read_last(last, layout)
    )


def write_hagen(position: PositionView) -> str:
    """Return a position as a Hagen board, the layout in its top left corner.

    `hagen_loses` tells what is not in it. Panels keep their names where these are Hagen's letters
    for their sizes; otherwise all get new ones.

    Raises:
        NotationError: if the layout does not fit 10x10, or Hagen has too few letters for its
            panels.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> write_hagen(Position(Layout.parse("AA/AA")).play("b2"))[:24]
        'f0f0a0a0a0a0a0a0a0a0f0f2'
    """
    panels = position.layout.panels
    kept = [panel.name for panel in panels]
    fits = [name in _hagen_letters(panel) for name, panel in zip(kept, panels, strict=True)]
    if not all(fits):
        left = {size: list(letters) for size, letters in _HAGEN_PANELS.items()}
        kept = []
        for panel in panels:
            letters = left.get((min(panel.width, panel.height), max(panel.width, panel.height)))
            if not letters:
                raise NotationError(
                    "hagen_letters" if letters is None else "hagen_letters_left",
                    panel=panel.name,
                    size=f"{panel.width}x{panel.height}",
                )
            kept.append(letters.pop(0))
    return _write_grid(position, "Hagen", "a", kept, {RED: "2", BLACK: "1"}, {})


def hagen_loses(position: PositionView) -> tuple[Phrase, ...]:
    """Return what the Hagen board of a position does not carry.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> hagen_loses(Position(Layout.rulebook()).play("d6"))
        ('black is to move', 'the last marbles are d6', 'the layout is 9x9 squares')
    """
    lost = [Phrase("loses_turn", side=position.turn)]
    if position.last:
        lost.append(Phrase("loses_last", fields=",".join(position.last)))
    return (*lost, *_size_lost(position.layout), *kfn_loses(position))


def _hagen_letters(panel: PanelView) -> str:
    return _HAGEN_PANELS.get((min(panel.width, panel.height), max(panel.width, panel.height)), "")


# KBN


def read_kbn(text: str, first: str = RED) -> Placement:
    """Read a KBN board; its panels keep their letters as names.

    Args:
        text: 200 characters.
        first: the colour of player 1, which the text does not have.

    Raises:
        NotationError: if the text is malformed, or does not mark the newest marble.
        LayoutError: if its panels make no layout.

    Examples:
        >>> text = "B0B1" + "A0" * 8 + "B4B3" + "A0" * 88
        >>> board = read_kbn(text)
        >>> board.red, board.black, board.turn, board.last
        (10, 4, 'black', ('b2', 'a2'))
    """
    layout, marbles = _read_grid(text, "KBN", _LETTERS.upper(), "01234")
    one = parse_turn(first, "first")
    two = BLACK if one == RED else RED
    owner = {"1": one, "3": one, "2": two, "4": two}
    colours = {RED: 0, BLACK: 0}
    marked = {"3": "", "4": ""}
    for number, digit in enumerate(marbles):
        if digit == "0":
            continue
        colours[owner[digit]] |= 1 << number
        if digit in marked:
            if marked[digit]:
                raise NotationError(
                    "kbn_two_last", one=marked[digit], other=layout.fields[number], digit=digit
                )
            marked[digit] = layout.fields[number]
    ahead = colours[one].bit_count() - colours[two].bit_count()
    turn, newest, older = (one, "4", "3") if ahead == 0 else (two, "3", "4")
    if not any(colours.values()):
        return Placement(layout, 0, 0, turn, ())
    if ahead not in (0, 1):
        raise NotationError(
            "kbn_counts", first=colours[one].bit_count(), second=colours[two].bit_count()
        )
    if not marked[newest]:
        player = 2 if newest == "4" else 1
        raise NotationError("kbn_no_last", player=player, digit=newest)
    last = tuple(name for name in (marked[newest], marked[older]) if name)
    return Placement(layout, colours[RED], colours[BLACK], turn, last)


def write_kbn(position: PositionView) -> str:
    """Return a position as a KBN board, the layout in its top left corner.

    `kbn_loses` tells what is not in it. Panels keep their names where all of these are capitals
    other than A; otherwise all get new ones.

    Raises:
        NotationError: if the layout does not fit 10x10, or has more than 25 panels.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> write_kbn(Position(Layout.parse("AA/AA")).play("b2"))[:24]
        'B0B0A0A0A0A0A0A0A0A0B0B3'
    """
    panels = position.layout.panels
    letters = _LETTERS.upper()[1:]
    names = [panel.name for panel in panels]
    if not set(names) <= set(letters):
        if len(panels) > len(letters):
            raise NotationError("kbn_panels", letters=len(letters), panels=len(panels))
        names = list(letters[: len(panels)])
    other = BLACK if position.first == RED else RED
    newest = dict.fromkeys(position.last[:1], "3" if position.turn == other else "4")
    before = dict.fromkeys(position.last[1:], "4" if position.turn == other else "3")
    return _write_grid(
        position, "KBN", "A", names, {position.first: "1", other: "2"}, newest | before
    )


def kbn_loses(position: PositionView) -> tuple[Phrase, ...]:
    """Return what the KBN board of a position does not carry.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> kbn_loses(Position(Layout.rulebook(), first="black"))
        ('player 1 is black', 'the layout is 9x9 squares')
    """
    lost = [Phrase("loses_first", side=position.first)] if position.first != RED else []
    return (*lost, *_size_lost(position.layout), *kfn_loses(position))


# Both Hagen and KBN: two characters for each square of 10x10


def _read_grid(text: str, notation: str, letters: str, digits: str) -> tuple[Layout, str]:
    """Return the layout, and the digit of each field in the order of their numbers."""
    if not isinstance(text, str):
        raise NotationError("grid_no_text", notation=notation, text=text)
    text = text.strip(" \t\r\n")
    if len(text) != 2 * _GRID * _GRID:
        raise NotationError(
            "grid_length", notation=notation, length=2 * _GRID * _GRID, side=_GRID, count=len(text)
        )
    for place, (letter, digit) in enumerate(zip(text[::2], text[1::2], strict=True)):
        square = field_name(place % _GRID, place // _GRID)
        if letter not in letters:
            raise NotationError(
                "grid_letter",
                notation=notation,
                square=square,
                letter=letter,
                none=letters[0],
                first=letters[1],
                last=letters[-1],
            )
        if digit not in digits:
            raise NotationError(
                "grid_digit",
                notation=notation,
                square=square,
                digit=digit,
                first=digits[0],
                last=digits[-1],
            )
        if letter == letters[0] and digit != "0":
            raise NotationError(
                "grid_marble_nowhere", notation=notation, square=square, digit=digit, letter=letter
            )
    names = text[::2].replace(letters[0], NO_FIELD)
    try:
        layout = Layout.from_rows(
            names[start : start + _GRID] for start in range(0, len(names), _GRID)
        )
    except LayoutError as error:
        raise error.at("grid_board", notation=notation) from None
    return layout, "".join(
        digit for name, digit in zip(names, text[1::2], strict=True) if name != NO_FIELD
    )


def _write_grid(
    position: PositionView,
    notation: str,
    no_field: str,
    names: list[str],
    digits: dict[str, str],
    special: dict[str, str],
) -> str:
    """Write the grid: `names` of the panels, `digits` of the colours, `special` of some fields."""
    layout = position.layout
    grid = {(column, row): f"{no_field}0" for row in range(_GRID) for column in range(_GRID)}
    marbles = marbles_by_square(position)
    for number, square in enumerate(layout.squares):
        if square not in grid:
            raise NotationError(
                "grid_size", notation=notation, side=_GRID, field=layout.fields[number]
            )
        colour = marbles.get(square)
        digit = digits[colour] if colour else "0"
        name = names[layout.panels.index(layout.panel_of(number))]
        grid[square] = name + special.get(layout.fields[number], digit)
    return "".join(grid.values())


def _size_lost(layout: LayoutView) -> tuple[Phrase, ...]:
    if (layout.width, layout.height) == (_GRID, _GRID):
        return ()
    return (Phrase("loses_size", size=f"{layout.width}x{layout.height}"),)
