"""A match or tournament as one HTML page: the ratings as a chart, the crosstable, the forfeits.

The page needs no other files: styles and the chart are in it, and there is no script.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any, Final

from .match import forfeit_lines
from .page_parts import chart, figures, label, page, rate_words, svg
from .tournament import Tournament

_WIDTH: Final = 1080.0
_LEFT: Final = 220.0
_RIGHT: Final = 190.0
_ROW: Final = 34.0
_NAME: Final = 28  # characters of a bot's name in the chart
_STEPS: Final = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)
_LINES: Final = 10  # of the chart, at most


def tournament_page(tournament: Tournament) -> str:
    """Return a tournament as a page.

    Examples:
        >>> tournament_page(Tournament(["greedy", "random"])).splitlines()[0]
        '<!DOCTYPE html>'
    """
    ratings = tournament.ratings()
    title = " against ".join(tournament.bots)
    if len(tournament.bots) > 2:
        gauntlet = f"{tournament.bots[0]} against {len(tournament.bots) - 1} bots"
        everyone = f"Round robin of {len(tournament.bots)} bots"
        title = everyone if tournament.kind == "round-robin" else gauntlet
    openings = max(match.games for match in tournament.matches) // 2
    source = "half of the Elo of the match"
    if len(tournament.bots) > 2:
        source = "by Bradley and Terry&#39;s model"
    mean = "all bots" if tournament.kind == "round-robin" else "those that the first bot meets"
    cards = [
        (f"{tournament.games:,}", "games"),
        (f"{openings:,}", "openings, each played with both colours by each two bots that meet"),
        (rate_words(ratings[0]["score"]), f"of its points has {ratings[0]['bot']}, the best bot"),
    ]
    if tournament.faults:
        cards.append((str(len(tournament.faults)), "games lost by forfeit"))
    rated = chart("Elo", _ratings(tournament, ratings), wide=True)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(", ".join(tournament.bots))}</p>',
        f'<section class="figures">\n{figures(cards)}\n</section>',
        "<h2>Ratings</h2>",
        f'<section class="charts">{rated}</section>',
        "<h2>Who scored what against whom</h2>",
        _crosstable(tournament, ratings),
    ]
    if tournament.faults:
        lines = escape("\n".join(forfeit_lines(tournament.faults, len(tournament.faults))))
        parts.append(f'<h2>Forfeits</h2><div class="moves"><pre>{lines}</pre></div>')
    parts.append(
        f"<footer>Elo 0 is the mean of {mean}. Whiskers are 95 % intervals of a bot&#39;s distance "
        f"from there, {source}; a draw is half a win and half a loss. The table has points of the "
        "bot in the row against that in the column, "
        '<span class="good">green</span> where it is ahead and <span class="bad">red</span> where '
        "it is behind.</footer>"
    )
    return page(title, "\n".join(parts))


def _ratings(tournament: Tournament, ratings: Sequence[dict[str, Any]]) -> str:
    """A line a bot: its Elo as a dot with whiskers."""
    bounds = [row[end] for row in ratings if row["games"] for end in ("low", "high")]
    known = [bound for bound in bounds if bound is not None]
    low, high = min(known, default=-100.0), max(known, default=100.0)
    step = next((step for step in _STEPS if (high - low) / step <= _LINES), _STEPS[-1])
    beyond = len(known) < len(bounds)  # room for a whisker without an end
    first, last = math.floor(low / step) - beyond, math.ceil(high / step) + beyond
    room = (_WIDTH - _LEFT - _RIGHT) / (last - first)
    bottom = _ROW * len(ratings)

    def x(elo: float) -> float:
        return _LEFT + room * (elo / step - first)

    shapes = []
    for number in range(first, last + 1):
        kind = "axis" if number else "zero"
        shapes.append(f'<path class="{kind}" d="M{x(number * step):.1f} 0V{bottom:g}"/>')
        shapes.append(label(x(number * step), bottom + 18, f"{number * step:+}" if number else "0"))
    for place, row in enumerate(ratings):
        middle = _ROW * (place + 0.5)
        title = tournament.title(row["bot"])
        name = title if len(title) <= _NAME else f"{title[: _NAME - 1]}\u2026"
        shapes.append(label(_LEFT - 12, middle + 4, name, "end", "value"))
        said = "no games"
        if row["games"]:
            elo = _signed(row["elo"], "+inf" if row["score"] > 0.5 else "-inf")
            said = f"{elo}  ({_signed(row['low'], '-inf')} to {_signed(row['high'], '+inf')})"
            ends = [row["low"], row["high"]]
            left, right = (
                border * step if end is None else end
                for border, end in zip((first, last), ends, strict=True)
            )
            drawn = [f"M{x(left):.1f} {middle:.1f}H{x(right):.1f}"]
            drawn += [f"M{x(end):.1f} {middle - 4:.1f}v8" for end in ends if end is not None]
            shapes.append(f'<path class="whisker" d="{"".join(drawn)}"/>')
        if row["elo"] is not None:
            shapes.append(
                f'<circle class="dot" cx="{x(row["elo"]):.1f}" cy="{middle:.1f}" r="5">'
                f"<title>{escape(row['bot'])}: {said}</title></circle>"
            )
        shapes.append(label(_WIDTH - _RIGHT + 12, middle + 4, said, "start"))
    return svg(_WIDTH, bottom + 26, shapes)


def _signed(elo: float | None, boundless: str) -> str:
    return boundless if elo is None else f"{round(elo):+}"


def _crosstable(tournament: Tournament, ratings: Sequence[dict[str, Any]]) -> str:
    """The best bot first, in rows and in columns."""
    left = list(range(len(tournament.bots)))
    order = []  # two bots of a match may have the same name
    for row in ratings:
        place = next(place for place in left if tournament.bots[place] == row["bot"])
        left.remove(place)
        order.append(place)
    table = tournament.table()
    heads = "".join(f'<th class="number">{rank}</th>' for rank in range(1, len(order) + 1))
    lines = [
        '<div class="moves"><table><tr><th></th><th>bot</th>'
        f'{heads}<th class="number">points</th><th class="number">games</th>'
        '<th class="number">score</th></tr>'
    ]
    for rank, (place, row) in enumerate(zip(order, ratings, strict=True), 1):
        cells = "".join(_cell(table[place][other]) for other in order)
        title = escape(tournament.title(row["bot"]))
        lines.append(
            f'<tr><td class="number">{rank}</td><td>{title}</td>{cells}'
            f'<td class="number">{row["score"] * row["games"]:.1f}</td>'
            f'<td class="number">{row["games"]:,}</td>'
            f'<td class="number">{rate_words(row["score"] if row["games"] else None)}</td></tr>'
        )
    return "\n".join([*lines, "</table></div>"])


def _cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return '<td class="number">\u2013</td>'
    ahead = found["wins"] - found["losses"]
    kind = " good" if ahead > 0 else " bad" if ahead < 0 else ""
    title = f"{found['wins']} won, {found['draws']} drawn, {found['losses']} lost"
    points = f"{found['score'] * found['games']:.1f}"
    return f'<td class="number{kind}" title="{title}">{points}</td>'
