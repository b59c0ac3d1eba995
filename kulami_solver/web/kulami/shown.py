"""A position as the page draws it, with all that follows from the rules: the page knows none."""

from __future__ import annotations

import functools
from typing import Any, Final

from ...drawing.svg import picture_and_marks_svg
from ...kulami.drawing.picture import marks_of_fields, middle_of, wood_of
from ...kulami.drawing.render import standing
from ...kulami.position.layout import Layout, owner_of
from ...kulami.position.position import Position
from ...kulami.position.scoring import Part, Scoring

_CHAIN: Final = 5
_BESIDE: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))
_WAYS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


@functools.lru_cache(maxsize=64)
def board_shown(layout: Layout) -> dict[str, Any]:
    """Return the picture of an empty board, the places of its fields, and the marks for them.

    Examples:
        >>> board = board_shown(Layout.parse("AAB/AAC"))
        >>> board["fields"]["b1"], board["panels"][1]
        ([130, 70], {'name': 'B', 'fields': ('c1',)})
    """
    wood = wood_of(layout)
    svg, marks = picture_and_marks_svg(wood, marks_of_fields())
    return {
        "layout": str(layout),
        "width": wood.width,
        "height": wood.height,
        "svg": svg,
        "marks": marks,
        "fields": {
            name: [round(place) for place in middle_of(layout, number)]
            for number, name in enumerate(layout.fields)
        },
        "panels": [
            {"name": panel.name, "fields": tuple(layout.fields[field] for field in panel.fields)}
            for panel in layout.panels
        ],
    }


def layout_shown(layout: Layout) -> dict[str, Any]:
    """Return the description of a layout.

    Examples:
        >>> layout_shown(Layout.square())["fields"]
        64
    """
    return {
        "layout": str(layout),
        "width": layout.width,
        "height": layout.height,
        "panels": len(layout.panels),
        "fields": len(layout),
        "warnings": list(layout.warnings),
        "unusual": [warning.told() for warning in layout.warnings],
    }


def position_shown(position: Position, scoring: Scoring) -> dict[str, Any]:
    """Return the description of a position.

    Examples:
        >>> shown = position_shown(Position(Layout.parse("AAB/AAC")).play("a1"), Scoring.LEVEL0)
        >>> shown["turn"], shown["legal"], shown["barred"], shown["score"]["panels"]
        ('black', ['c1'], ['A'], [4, 0])
    """
    layout = position.layout
    score = position.score(scoring)
    barred = {
        layout.panel_of(number).name
        for number in (position.last_field, position.barred_field)
        if number >= 0
    }
    marbles = {"red": position.red, "black": position.black}
    ended = None
    if position.is_over:
        ended = "stuck" if position.supply else "marbles"
    return {
        "kfn": position.kfn(),
        "layout": str(layout),
        "scoring": scoring.value,
        "turn": position.turn,
        "over": position.is_over,
        "ended": ended,
        "standing": standing(position),
        "legal": list(position.legal_fields),
        "last": list(position.last),
        "barred": sorted(barred),
        "red": list(layout.names(position.red)),
        "black": list(layout.names(position.black)),
        "left": {colour: position.marbles - mask.bit_count() for colour, mask in marbles.items()},
        "plies": position.plies_left,
        "score": {
            "red": score.red,
            "black": score.black,
            "panels": _pair(score.panels),
            "area": _pair(score.area),
            "chains": _pair(score.chains),
        },
        "panels": [owner_of(panel, position.red, position.black) for panel in layout.panels],
        "areas": {colour: list(largest_area(position, colour)) for colour in marbles},
        "chains": {colour: list(chains(position, colour)) for colour in marbles},
        "marbles": position.marbles,
        "short_end": position.short_end,
        "warnings": list(layout.warnings),
    }


def _pair(part: Part) -> list[int]:
    return [part.red, part.black]


def largest_area(position: Position, colour: str) -> tuple[str, ...]:
    """Return the fields of a colour's largest area; of equal areas, the first.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> largest_area(Position.from_kfn("AAB/AAC rr/b1b r c2,a1"), "red")
        ('a1', 'b1')
    """
    squares = _squares(position, colour)
    best: list[str] = []
    while squares:
        reached = [next(iter(squares))]
        area = [squares.pop(reached[0])]
        while reached:
            column, row = reached.pop()
            for over, down in _BESIDE:
                beside = column + over, row + down
                if beside in squares:
                    area.append(squares.pop(beside))
                    reached.append(beside)
        best = max(best, area, key=len)
    return tuple(sorted(best, key=position.layout.index))


def chains(position: Position, colour: str) -> tuple[tuple[str, ...], ...]:
    """Return the fields of each of a colour's chains, from one end to the other.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> chains(Position(Layout.square()), "red")
        ()
    """
    squares = _squares(position, colour)
    found = []
    for column, row in squares:
        for over, down in _WAYS:
            if (column - over, row - down) in squares:
                continue
            run = [(column, row)]
            while (step := (run[-1][0] + over, run[-1][1] + down)) in squares:
                run.append(step)
            if len(run) >= _CHAIN:
                found.append(tuple(squares[square] for square in run))
    return tuple(found)


def _squares(position: Position, colour: str) -> dict[tuple[int, int], str]:
    """Return the column and row of each field with a marble of a colour, row by row."""
    mask = position.red if colour == "red" else position.black
    named = zip(position.layout.squares, position.layout.fields, strict=True)
    return {square: name for number, (square, name) in enumerate(named) if mask >> number & 1}
