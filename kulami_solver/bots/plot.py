"""The ratings of a tournament with their intervals, and its crosstable, as one figure.

matplotlib draws it, which is the extra `plot`: the same data gives the same bytes.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..errors import KulamiError
from .tournament import Tournament

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS: Final = ("svg", "pdf", "png")
"""The kinds of files of a figure."""

_STEPS: Final = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # of a scale of Elo
_LINES: Final = 10  # of such a scale, at most
_LONGEST: Final = 28  # letters of a bot's name

# The version of the drawing program and the time are left out.
_UNNAMED: Final[dict[str, dict[str, None]]] = {
    "png": {"Software": None},
    "svg": {"Creator": None, "Date": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}


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

    scale = _elo_scale(ratings)
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
    return _saved(figure, kind)


def _elo_scale(ratings: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The step of a scale of Elo, and its first and last number in steps."""
    bounds = [row[end] for row in ratings if row["games"] for end in ("low", "high")]
    known = [bound for bound in bounds if bound is not None]
    low, high = min(known, default=-100.0), max(known, default=100.0)
    step = next((step for step in _STEPS if (high - low) / step <= _LINES), _STEPS[-1])
    beyond = len(known) < len(bounds)  # room for a whisker without an end
    first, last = math.floor(low / step) - beyond, math.ceil(high / step) + beyond
    return {"step": step, "first": first, "last": last}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure.

    Args:
        width, height: in inches.

    Raises:
        KulamiError: if matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise KulamiError("extra_missing", package="matplotlib", extra="plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def _saved(figure: Figure, kind: str) -> bytes:
    """Return a figure as a file of a kind: "png", "svg" or "pdf"."""
    from matplotlib import rc_context

    drawn = io.BytesIO()
    with rc_context({"svg.hashsalt": "kulami"}):  # identifiers in an SVG are random without it
        figure.savefig(drawn, format=kind, dpi=120, metadata=_UNNAMED[kind])
    return drawn.getvalue()
