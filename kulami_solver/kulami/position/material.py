"""The contents of the box and the characters that name panels; what is unusual about a layout."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ...errors import Phrase

if TYPE_CHECKING:
    from .layout import Panel

MAX_FIELDS: Final = 64
"""The most fields a layout may have."""

NO_FIELD: Final = "."
"""Stands in a layout's text for a square that is no field."""

PANEL_NAMES: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
"""The characters that may name a panel."""

STANDARD_PANELS: Final = {(2, 3): 4, (2, 2): 5, (1, 3): 4, (1, 2): 4}
"""How many panels of each size, shorter side first, are in the box."""


def layout_warnings(
    panels: Sequence[Panel], rows: tuple[str, ...], *, whole: bool = True
) -> list[Phrase]:
    """Return in words what is unusual about a layout of these panels, lying in these rows.

    Args:
        panels: all of them.
        rows: as `Layout.rows`.
        whole: whether it should have the panels of the box.
    """
    warnings = []
    counts = Counter(panel.sides for panel in panels if whole)
    if whole and counts != STANDARD_PANELS:
        kinds = list(STANDARD_PANELS) + sorted(set(counts) - set(STANDARD_PANELS))
        listed = [
            Phrase(
                "panels_of_size",
                count=counts[kind],
                size=f"{kind[0]}x{kind[1]}",
                standard=STANDARD_PANELS.get(kind, 0),
            )
            for kind in kinds
        ]
        warnings.append(Phrase("not_standard", panels=listed))
    groups = _groups(panels, rows)
    if len(groups) > 1:
        warnings.append(Phrase("not_one_piece", panels=" / ".join(groups)))
    return warnings


def _groups(panels: Sequence[Panel], rows: tuple[str, ...]) -> list[str]:
    """Return the names of the panels that touch side by side, one text for each group."""
    touching: dict[str, set[str]] = {panel.name: set() for panel in panels}
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    for one, other in (pair for line in (*rows, *columns) for pair in itertools.pairwise(line)):
        if one != NO_FIELD and other != NO_FIELD:
            touching[one].add(other)
            touching[other].add(one)
    groups = []
    left = dict.fromkeys(touching)
    while left:
        group = {next(iter(left))}
        reached = list(group)
        while reached:
            new = touching[reached.pop()] - group
            group |= new
            reached.extend(new)
        groups.append("".join(name for name in left if name in group))
        left = dict.fromkeys(name for name in left if name not in group)
    return groups
