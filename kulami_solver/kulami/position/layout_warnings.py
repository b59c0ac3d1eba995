"""Warnings about layouts that are unusual, though they can be played on."""

from __future__ import annotations

import itertools
from collections import Counter

from ...errors import Phrase
from .material import NO_FIELD, STANDARD_PANELS
from .views import PanelView


def layout_warnings(panels: tuple[PanelView, ...], rows: tuple[str, ...]) -> list[Phrase]:
    """Return in words what is unusual about a layout of these panels, lying in these rows."""
    warnings = []
    sizes = [(min(panel.width, panel.height), max(panel.width, panel.height)) for panel in panels]
    counts = Counter(sizes)
    if counts != STANDARD_PANELS:
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


def _groups(panels: tuple[PanelView, ...], rows: tuple[str, ...]) -> list[str]:
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
