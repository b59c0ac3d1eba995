"""Draw how nodes grow with free fields, from data/nodes.csv, as the picture of growth.md.

pip install '.[plot]'
python scripts/data/draw_nodes.py            write docs/_static/nodes-*.svg
"""

from __future__ import annotations

import statistics
from typing import Any

from build_nodes import SCORINGS, TABLE, table
from pictures import COLOURS, write_pictures


def draw(axes: Any) -> None:
    """The median for each scoring, and the range of the positions at level 0 and 2."""
    rows = table()
    for scoring, colour in zip(SCORINGS, COLOURS, strict=True):
        own = [row for row in rows if row.scoring == scoring]
        free = [row.free for row in own]
        medians = [statistics.median(row.nodes) for row in own]
        axes.plot(free, medians, "o-", ms=4, label=f"scoring {scoring}", color=colour)
        if scoring in ("0", "2"):
            low, high = [min(row.nodes) for row in own], [max(row.nodes) for row in own]
            axes.fill_between(free, low, high, color=colour, alpha=0.15, lw=0)
    axes.set_yscale("log")
    axes.set_xticks(free)
    axes.set_xlabel("free fields")
    axes.set_ylabel("nodes of a solution")
    axes.legend(frameon=False)


if __name__ == "__main__":
    write_pictures("nodes", draw, TABLE)
