"""Checks, graded games and tournaments, each as one HTML page; tournaments also as a figure.

A page needs no other files: styles and pictures are in it, and there is no script. The templates
are in `templates/`. In the pictures of a state, or below them, every legal move has its exact value
for the side to move; a state that has no picture is drawn as text.

The curve of a graded game shows the value with best play of both, for the player who began. It is
exact from the ply at which the game is solved; before that ply there are a bot's estimates, drawn
as dots and labelled as estimates. A mark shows where the outcome flips, and links to the board
below.

The figure, for a text, has the ratings with their intervals, and the crosstable. matplotlib draws
it, which is the extra `plot`.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..drawing.plots import new_figure, saved
from ..errors import Phrase, said, spoken
from ..game import CHANCE, NOBODY
from .case import outcome, signed_briefly
from .check import CheckReport
from .grade import Grade, GradedMove, column_word, solved_words
from .match import forfeit_lines
from .report import comparison_text, flip_words, rate_words
from .tournament import Tournament

if TYPE_CHECKING:
    from jinja2 import Environment

BLUNDERS: Final = 12
"""How many blunders a page shows of a bot, at most."""

BOARDS: Final = 12
"""How many boards a page shows of a game, at most; there may be more if the outcome flips there."""

KINDS: Final = ("svg", "pdf", "png")
"""The kinds of files of a figure."""

_MOST_COLUMNS: Final = 24  # of the chart of losses; the last one takes the rest
_STEPS: Final = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)  # of a scale of Elo
_LINES: Final = 10  # of such a scale, at most
_LONGEST: Final = 28  # letters of a bot's name in a figure


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters |= {
        "number": "{:,}".format,
        "px": "{:.1f}".format,
        "rate": rate_words,
        "signed": signed_briefly,
    }
    found.tests["numeral"] = str.isdigit
    found.globals["outcome"] = outcome
    return found


def _page(kind: str, title: str, **values: Any) -> str:
    template = _environment().get_template(f"{kind}.html")
    return template.render(title=title, language=spoken(), **values)


# A check


def check_page(*reports: CheckReport, shown: int = BLUNDERS) -> str:
    """Return a report as a page, or those of several bots, after their comparison.

    Args:
        reports: of bots that were asked the same positions.
        shown: how many blunders of each, at most.

    Examples:
        >>> check_page(CheckReport("nobody", [])).splitlines()[0]
        '<!DOCTYPE html>'
    """
    return _page(
        "check",
        " and ".join(report.bot for report in reports) + " against perfect play",
        reports=reports,
        comparison=comparison_text(reports) if len(reports) > 1 else "",
        shown=shown,
        figures_of=_figures,
        divided=_divided,
        losses=_losses,
        flip_words=flip_words,
    )


def _figures(report: CheckReport) -> list[tuple[str, str]]:
    """Figures and their meanings."""
    low, high = report.interval
    flips, move = report.flips, report.kind.move_word
    found = [
        (rate_words(report.optimal_rate), f"optimal moves ({low * 100:.1f}-{high * 100:.1f} %)"),
        (f"{report.mean_loss:.2f}", f"points lost on average, {report.worst_loss} at worst"),
        (rate_words(report.only_move_rate), f"of {len(report.only_moves):,} only moves found"),
        (
            str(sum(flips.values())),
            f"outcomes spoilt: win to draw {flips['win_draw']}, win to loss "
            f"{flips['win_loss']}, draw to loss {flips['draw_loss']}",
        ),
        (_duration(report.seconds), f"a move, {_duration(report.worst_seconds)} at most"),
    ]
    for rule, count in report.untold.items():
        found.append((f"{count:,}", f"positions need {rule}, which it is not told"))
    if report.refused:
        found.append((f"{len(report.refused):,}", "positions refused, not judged"))
    if report.fault_words:
        count = sum(report.faults.values())
        found.append((str(count), f"times no legal {move}: {report.fault_words}"))
    return found


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _divided(report: CheckReport) -> Iterator[tuple[str, str, dict[str, CheckReport]]]:
    """The columns that divide a report, each with its heading and the parts by their names."""
    kind = report.kind
    for column in kind.grouped_by:
        parts = {kind.words(column, value): part for value, part in report.by(column).items()}
        yield column, kind.called.get(column, column), parts


def _losses(report: CheckReport) -> dict[str, int]:
    """The number of answers with each loss."""
    losses = Counter(answer.loss for answer in report.answers)
    if any(loss != int(loss) for loss in losses):
        return {str(loss): losses[loss] for loss in sorted(losses)}
    most = min(int(max(losses, default=0)), _MOST_COLUMNS)
    found = {str(loss): losses[loss] for loss in range(most)}
    rest = f"{most}+" if most == _MOST_COLUMNS else str(most)
    return found | {rest: losses.total() - sum(found.values())}


# Graded games


def grade_page(games: Sequence[tuple[int, Grade]], source: str) -> str:
    """Return graded games as a page.

    Args:
        games: each with its number.
        source: where they were read.

    Examples:
        >>> from kulami_solver.bots.grade import grade
        >>> from kulami_solver.game import load_game
        >>> found = grade(load_game("kulami", layout="AAB/AAC").start(), "a1 c1 c2 a2".split())
        >>> grade_page([(1, found)], "games.jsonl").splitlines()[0]
        '<!DOCTYPE html>'
    """
    many = Phrase("several_games", count=len(games))
    if len(games) == 1:
        many = Phrase("text_game", number=games[0][0])
    return _page(
        "grade",
        Phrase("colon").said().join((source, many.said())),
        say=_say,
        games=games,
        source=source,
        many=many,
        column=column_word,
        lead=_lead,
        players=_players,
        curve=Curve,
        costing=_costing,
    )


def _say(words: str, **values: Any) -> str:
    """Return words, or those of a code, as HTML; values may be marked as such."""
    from markupsafe import Markup, escape

    marked = {name: value for name, value in values.items() if isinstance(value, Markup)}
    if values or not isinstance(words, Phrase):
        words = Phrase(words, **values | {name: f"{{{name}}}" for name in marked})
    found = escape(said(words))
    for name, value in marked.items():
        found = found.replace(f"{{{name}}}", value)
    return found


def _lead(found: Grade) -> list[str]:
    """What is known of a game, in a few words each."""
    words: list[object] = [Phrase("graded_moves", count=len(found.played))]
    words.append(found.words.standing(found.ended))
    if not found.finished:
        words.append(Phrase("not_to_end"))
    if found.moves:
        words.append(solved_words(found))
    elif found.played:
        words.append(Phrase("page_none_solved"))
    return [said(one) for one in words if one]


def _players(found: Grade) -> list[tuple[str, str]]:
    """Figures about the players and the outcome, and their meanings."""
    cards = []
    for seat in found.begun.game.seats:
        own, name = found.of(seat), found.called(seat, with_seat=True)
        counts = {key: own[key] for key in ("optimal", "moves", "lost")}
        words = Phrase("page_best_moves", side=name, **counts)
        cards.append((rate_words(own["accuracy"]), words.said()))
    flips = len(found.turning_points)
    return [*cards, (str(flips), Phrase("page_flips", count=flips).said())]


def _costing(found: Grade) -> tuple[list[GradedMove], list[GradedMove]]:
    """The moves that cost something, and those that are shown: flips, and what costs most."""
    costly = [move for move in found.moves if move.cost]
    first = sorted(costly, key=lambda move: (not move.turning_point, -move.cost, move.ply))
    # Every board that the curve links to is shown.
    shown = first[: max(BOARDS, len(found.turning_points))]
    return costly, sorted(shown, key=lambda move: move.ply)


class Curve:
    """The values of a game's positions for the player who began, and their places in a drawing.

    Attributes:
        exact: the known values, by the number of moves made.
        guessed: a bot's estimates of the positions before them.
        estimated: the same with the first known value, which joins both curves.
        seats: beginning with the player who began; the first seat if chance began.
        levels, numbered: the values and plies that have a number.
    """

    width: Final = 1080
    height: Final = 260
    above: Final = 22
    below: Final = 30
    _left: Final = 64
    _right: Final = 18

    def __init__(self, found: Grade) -> None:
        self.plies: Final = len(found.played)
        self._seat: Final = max(found.begun.to_move, 0)
        seats = found.begun.game.seats
        self.seats: Final = (*seats[self._seat :], *seats[: self._seat])
        self.exact: Final = self._known(found)
        self.guessed: Final = self._estimates(found)
        self.estimated: Final = self.guessed | dict([*self.exact.items()][:1])
        values = [0.0, *self.exact.values(), *self.guessed.values()]
        top = max(1.0, *map(abs, values))
        self._low = min(*values, -top / 6)
        self._high = max(*values, top / 6)
        step = max(1, round((self._high - self._low) / 6))
        self.levels = range(-(int(-self._low) // step) * step, int(self._high) + 1, step)
        self.numbered = range(0, self.plies + 1, max(1, round(self.plies / 14)))

    def x(self, ply: float) -> float:
        """Return the place of a ply."""
        return self._left + (self.width - self._left - self._right) * ply / max(1, self.plies)

    def y(self, value: float) -> float:
        """Return the place of a value."""
        room = self.height - self.above - self.below
        return self.above + room * (self._high - value) / (self._high - self._low)

    def _known(self, found: Grade) -> dict[int, float]:
        known: dict[int, float] = {}
        for move in found.moves:
            sign = 1 if move.case.state.to_move == self._seat else -1
            known[move.ply - 1] = float(sign * move.case.best)
            known[move.ply] = float(sign * move.value)
        if found.finished:
            known[self.plies] = float(found.ended.returns()[self._seat])
        return dict(sorted(known.items()))

    def _estimates(self, found: Grade) -> dict[int, float]:
        guessed: dict[int, float] = {}
        state = found.begun
        for ply in range(min(self.exact, default=self.plies + 1)):
            if ply:
                state = state.play(found.played[ply - 1])
            opinion = None if state.to_move in (CHANCE, NOBODY) else found.words.estimate(state)
            if opinion is not None:
                guessed[ply] = opinion if state.to_move == self._seat else -opinion
        return guessed


# A tournament


def tournament_page(tournament: Tournament) -> str:
    """Return a match or a tournament as a page: ratings, crosstable and forfeits.

    Examples:
        >>> tournament_page(Tournament(["greedy", "random"])).splitlines()[0]
        '<!DOCTYPE html>'
    """
    bots, ratings = tournament.bots, tournament.ratings()
    everyone = tournament.kind == "round-robin"
    title, source = " against ".join(bots), "half of the Elo of the match"
    if len(bots) > 2:
        gauntlet = f"{bots[0]} against {len(bots) - 1} bots"
        title = f"Round robin of {len(bots)} bots" if everyone else gauntlet
        source = "by Bradley and Terry's model"
    openings = max(match.games for match in tournament.matches) // 2
    cards = [
        (f"{tournament.games:,}", "games"),
        (f"{openings:,}", "openings, each played with both colours by each two bots that meet"),
        (rate_words(ratings[0]["score"]), f"of its points has {ratings[0]['bot']}, the best bot"),
    ]
    if tournament.faults:
        cards.append((str(len(tournament.faults)), "games lost by forfeit"))
    return _page(
        "tournament",
        title,
        tournament=tournament,
        ratings=ratings,
        cards=cards,
        table=tournament.table(),
        order=tournament.order(),
        forfeits=forfeit_lines(tournament.faults, len(tournament.faults)),
        mean="all bots" if everyone else "those that the first bot meets",
        source=source,
        scale=elo_scale(ratings),
    )


def elo_scale(ratings: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The step of a scale of Elo, and its first and last number in steps."""
    bounds = [row[end] for row in ratings if row["games"] for end in ("low", "high")]
    known = [bound for bound in bounds if bound is not None]
    low, high = min(known, default=-100.0), max(known, default=100.0)
    step = next((step for step in _STEPS if (high - low) / step <= _LINES), _STEPS[-1])
    beyond = len(known) < len(bounds)  # room for a whisker without an end
    first, last = math.floor(low / step) - beyond, math.ceil(high / step) + beyond
    return {"step": step, "first": first, "last": last}


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
