"""A position as the page draws it, with all that follows from the rules: the page knows none."""

from __future__ import annotations

import functools
from typing import Any

from ...drawing.svg import picture_and_marks_svg
from ...kulami.drawing.picture import marks_of_fields, middle_of, wood_of
from ...kulami.drawing.render import standing
from ...kulami.position.layout import Layout, owner_of
from ...kulami.position.position import Position
from ...kulami.position.scoring import Part, Scoring
from .groups import chains, largest_area


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
