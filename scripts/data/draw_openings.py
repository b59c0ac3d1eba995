"""Draw what data/openings.csv says of first fields, as the pictures of findings.md.

pip install '.[plot]'
python scripts/data/draw_openings.py          write docs/_static/openings-*.svg
"""

from __future__ import annotations

import functools
from typing import Any, Final

from build_openings import BOARDS, FILE, numbers, table
from build_small_boards import Row
from pictures import write_pictures

import kulami_solver as ks

SCORINGS: Final = ("0", "2")
GAP: Final = 1.2  # squares between two boards
FAR: Final = 2.5  # points of the strongest colours
DARK: Final = 1.7  # points from which colours are dark
EDGE: Final = "#33251a"  # around panels


def boards(axes: Any, listed: list[Row]) -> None:
    """Each board, each field in the colour of its margin."""
    import matplotlib

    shades = matplotlib.colormaps["RdBu"]
    left = 0.0
    for name, layout in BOARDS.items():
        (row,) = (row for row in listed if row["layout"] == str(layout))
        for (x, y), margin in zip(layout.squares, numbers(row["margins"]), strict=True):
            shade = shades(0.5 + margin / (2 * FAR))
            axes.add_patch(matplotlib.patches.Rectangle((left + x, y), 1, 1, facecolor=shade, lw=0))
            axes.text(
                left + x + 0.5,
                y + 0.5,
                f"{margin + 0:.1f}".replace("-", "\u2212"),
                ha="center",
                va="center",
                fontsize=7,
                color="white" if abs(margin) > DARK else "black",
            )
        panels(axes, layout, left)
        axes.text(left + layout.width / 2, -0.4, name, ha="center", fontsize=10)
        left += layout.width + GAP
    axes.set_xlim(0, left - GAP)
    axes.set_ylim(9.1, -1.1)
    axes.set_aspect("equal")
    axes.axis("off")


def panels(axes: Any, layout: ks.Layout, left: float) -> None:
    """A line around each panel."""
    import matplotlib

    for panel in layout.panels:
        squares = [layout.squares[field] for field in panel.fields]
        x, y = min(x for x, _ in squares), min(y for _, y in squares)
        size = [max(one[axis] for one in squares) - (x, y)[axis] + 1 for axis in (0, 1)]
        axes.add_patch(
            matplotlib.patches.Rectangle((left + x, y), *size, fill=False, edgecolor=EDGE, lw=0.9)
        )


if __name__ == "__main__":
    for scoring in SCORINGS:
        rows = [row for row in table() if row["scoring"] == scoring]
        write_pictures(f"openings-{scoring}", functools.partial(boards, listed=rows), FILE)
