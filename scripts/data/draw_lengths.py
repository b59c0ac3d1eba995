"""Draw how many plies games last, from data/lengths.csv, as the pictures of first-player.md.

pip install '.[plot]'
python scripts/data/draw_lengths.py          write docs/_static/lengths-*.svg
"""

from __future__ import annotations

import functools
from typing import Any, Final

from build_lengths import FILE, RANDOM, SMALL, counts_of, table
from build_openings import BOARDS
from pictures import COLOURS, write_pictures

#: What is in each picture: the boards of its games.
PICTURES: Final = {"lengths-5x5": SMALL, "lengths-8x8": str(BOARDS["the rulebook's"])}
ALMOST_ALL: Final = 99.5  # percent; where fewer games have ended, nothing is drawn


def draw(axes: Any, layout: str) -> None:
    """The share of games that last so many plies or more, by scoring; at random, dashed."""
    colours = iter(COLOURS)
    for row in table():
        if row["layout"] != layout:
            continue
        counts, games = counts_of(row), int(row["games"])
        lasting = [100 * sum(list(counts.values())[ply:]) / games for ply in range(len(counts))]
        shown = [(ply, share) for ply, share in enumerate(lasting, 1) if share < ALMOST_ALL]
        if row["scoring"] == RANDOM:
            axes.plot(*zip(*shown, strict=True), "--", label="at random", color="#888888", lw=2)
        else:
            label = f"scoring {row['scoring']}"
            axes.plot(*zip(*shown, strict=True), "o-", ms=3, label=label, color=next(colours))
    axes.set_xlabel("plies")
    axes.set_ylabel("games that last so long, in percent")
    axes.set_ylim(0, 100)
    axes.legend(frameon=False)


if __name__ == "__main__":
    for name, layout in PICTURES.items():
        write_pictures(name, functools.partial(draw, layout=layout), FILE)
