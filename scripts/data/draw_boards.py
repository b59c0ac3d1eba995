"""Draw what solved boards say of the first player, as the pictures of first-player.md.

    pip install '.[plot]'
    python scripts/data/draw_boards.py            write docs/_static/boards-*.svg and sizes-*.svg

Each picture is drawn for light and for dark pages. It names the SHA-256 of the tables that it was
drawn from, so that a test can tell whether it is up to date.
"""

from __future__ import annotations

import functools
import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import build_larger_boards
from build_first_fields import TABLE, table
from build_small_boards import EVERY_SCORING, Row
from pictures import COLOURS, write_pictures

import kulami_solver as ks

Rows = list[dict[str, Any]]
ENOUGH: Final = 3  # boards of a size, for a mean


def read() -> Rows:
    """The rows of the table, with whole numbers."""
    return [
        {
            "scoring": row["scoring"],
            "value": int(row["value"]),
            "layout": ks.Layout.parse(row["layout"]),
            "fields": list(map(int, row["first_fields"].split())),
        }
        for row in table()
    ]


def values(axes: Any, rows: Rows) -> None:
    """How many boards have which value, by scoring."""
    shown = range(-1, 5)
    for place, scoring in enumerate(EVERY_SCORING):
        counts = Counter(row["value"] for row in rows if row["scoring"] == scoring)
        axes.bar(
            [value + 0.2 * (place - 1.5) for value in shown],
            [counts[value] for value in shown],
            0.2,
            label=f"scoring {scoring}",
            color=COLOURS[place],
        )
    axes.set_xlabel("points by which the first player wins")
    axes.set_ylabel("boards")
    axes.legend(frameon=False)


def panels(axes: Any, rows: Rows) -> None:
    """The mean value by the number of panels."""
    for place, scoring in enumerate(EVERY_SCORING):
        by_count: dict[int, list[int]] = {}
        for row in rows:
            if row["scoring"] == scoring:
                by_count.setdefault(len(row["layout"].panels), []).append(row["value"])
        counts = sorted(by_count)
        means = [statistics.mean(by_count[count]) for count in counts]
        axes.plot(counts, means, "o-", label=f"scoring {scoring}", color=COLOURS[place])
    axes.set_xlabel("panels of the board")
    axes.set_ylabel("points for the first player, on average")
    axes.set_xticks(range(5, 10))
    axes.set_ylim(0)
    axes.legend(frameon=False)


def fields(axes: Any, rows: Rows) -> None:
    """What the 25 first fields are worth, the best first, on average."""
    for place, scoring in enumerate(EVERY_SCORING):
        ordered = [sorted(row["fields"], reverse=True) for row in rows if row["scoring"] == scoring]
        means = [statistics.mean(column) for column in zip(*ordered, strict=True)]
        axes.plot(range(1, 26), means, label=f"scoring {scoring}", color=COLOURS[place], lw=2)
    axes.axhline(0, color="#88888866", lw=1)
    axes.set_xlabel("first fields of a board, the best one first")
    axes.set_ylabel("points for the first player, on average")
    axes.legend(frameon=False)


def sizes(axes: Any, rows: list[Row]) -> None:
    """The mean value of boards of a size, by the number of their fields."""
    shown: dict[int, str] = {}
    for place, (scoring, boards) in enumerate(build_larger_boards.by_size(rows).items()):
        means = {
            size: statistics.mean(values)
            for size, values in sorted(boards.items())
            if len(values) >= ENOUGH
        }
        shown |= {height * width: f"{height}x{width}" for height, width in means}
        fields = [height * width for height, width in means]
        label = f"scoring {scoring}"
        axes.plot(fields, list(means.values()), "o-", label=label, color=COLOURS[place])
    axes.set_xlabel("board, by its number of fields")
    axes.set_ylabel("points for the first player, on average")
    axes.set_xticks(list(shown), list(shown.values()))
    axes.set_ylim(0)
    axes.legend(frameon=False)


PICTURES: Final[dict[str, Callable[..., None]]] = {
    "boards-values": values,
    "boards-panels": panels,
    "boards-fields": fields,
}


def main() -> None:
    """Write the pictures."""
    every = functools.partial(sizes, rows=build_larger_boards.table())
    write_pictures("sizes", every, *build_larger_boards.TABLES)
    rows = read()
    for name, draw in PICTURES.items():
        write_pictures(name, functools.partial(draw, rows=rows), TABLE)


if __name__ == "__main__":
    main()
