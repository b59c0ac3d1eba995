"""A match or a tournament as a figure for a text: ratings with their intervals, and the crosstable.

matplotlib draws it, which is the extra `plot`.
"""

from __future__ import annotations

from typing import Final

from ..drawing.plots import new_figure, saved
from .pages import elo_scale
from .tournament import Tournament

KINDS: Final = ("svg", "pdf", "png")
"""The kinds of files of a figure."""

_LONGEST: Final = 28  # letters of a bot's name


def tournament_figure(tournament: Tournament, kind: str = "svg") -> bytes:
    """Return the figure of a match or a tournament, the best bot at the top.

    A whisker is a 95 % interval; it reaches the frame where it has no bound. A cell of the table
    has the points of the bot in the row against that in the column, by their ranks.

    Args:
        tournament: with its games.
        kind: one of `KINDS`.

    Raises:
        KulamiError: if matplotlib is not installed.
    """
    ratings = tournament.ratings()
    order = tournament.order()
    names = [tournament.title(tournament.bots[bot])[:_LONGEST] for bot in order]
    ranked = [f"{name}  {rank}" for rank, name in enumerate(names, 1)]
    places = range(len(order))
    figure = new_figure(8, 1.2 + 0.4 * len(order))
    elos, table = figure.subplots(1, 2)

    scale = elo_scale(ratings)
    least, most = (scale[end] * scale["step"] for end in ("first", "last"))
    elos.axvline(0, color="0.7", linewidth=0.8)
    for place, row in zip(places, ratings, strict=True):
        if row["games"]:
            low = least if row["low"] is None else row["low"]
            elos.plot([low, most if row["high"] is None else row["high"]], [place] * 2, "k-")
        if row["elo"] is not None:
            elos.plot([row["elo"]], [place], "ko")
    elos.set_xlim(least, most)
    elos.set_xlabel("Elo")
    elos.set_yticks(places, ranked)
    elos.set_ylim(len(order) - 0.5, -0.5)

    cells = tournament.table()
    scores = [[(cells[one][two] or {}).get("score") for two in order] for one in order]
    shades = [[0.5 if score is None else score for score in row] for row in scores]
    table.imshow(shades, cmap="RdYlGn", vmin=0, vmax=1, alpha=0.6, aspect="auto")
    for y, one in enumerate(order):
        for x, two in enumerate(order):
            found = cells[one][two]
            points = "-" if found is None else f"{found['score'] * found['games']:g}"
            table.text(x, y, points, ha="center", va="center")
    table.set_xlabel("points against")
    table.set_xticks(places, [str(place + 1) for place in places])
    table.set_yticks(places, [str(place + 1) for place in places])
    return saved(figure, kind)
