"""A check of any game as one HTML page: figures, charts, and the worst blunders as pictures.

The page needs no other files: styles and pictures are in it, and there is no script. In the
pictures, or below them, every legal move has its exact value for the side to move; a state that
has no picture is drawn as text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from html import escape
from string import Template
from typing import Final

from .case import outcome
from .check import Answer, Report
from .comparison import comparison_text
from .page_parts import (
    bar,
    chart,
    drawn_case,
    figures,
    label,
    page,
    rate_words,
    signed_words,
    svg,
)
from .report import flip_words

_SHOWN: Final = 12
_MOST_COLUMNS: Final = 24  # of the chart of losses; the last one takes the rest

_BODY: Final = Template("""\
<h1>$bot</h1>
<p class="lead">$lead</p>
<section class="figures">
$figures
</section>
<h2>Where it goes right</h2>
<section class="charts">
$charts
</section>
<h2>$heading</h2>
<section class="blunders">
$blunders
</section>
<footer>$footer</footer>""")


def html_page(*reports: Report, shown: int = _SHOWN) -> str:
    """Return a report as a page, or those of several bots, after their comparison.

    Args:
        reports: of bots that were asked the same positions.
        shown: how many blunders of each, at most.

    Examples:
        >>> html_page(Report("nobody", [])).splitlines()[0]
        '<!DOCTYPE html>'
    """
    parts = [_body(report, shown) for report in reports]
    if len(reports) > 1:
        parts.insert(0, f'<div class="moves"><pre>{escape(comparison_text(reports))}</pre></div>')
    title = " and ".join(report.bot for report in reports)
    return page(f"{title} against perfect play", "\n".join(parts))


def _body(report: Report, shown: int) -> str:
    blunders = report.blunders
    move, unit = report.kind.move_word, report.kind.unit
    heading = "No blunders" if not blunders else "The worst blunders"
    if len(blunders) > shown:
        heading += f": {shown} of {len(blunders):,}"
    return _BODY.substitute(
        bot=escape(report.bot),
        lead=f"judged against perfect play in {len(report):,} positions of "
        f"{report.kind.game_called} whose every {move} has a known value{_taken(report)}",
        figures=figures(_figures(report)),
        charts="\n".join(_charts(report)),
        heading=heading,
        blunders="\n".join(_blunder(n, answer) for n, answer in enumerate(blunders[:shown], 1)),
        footer=f"The {unit} of a {move} is for the side to move, after best play of all. An "
        f"answer is optimal if no {move} is worth more. Whiskers and intervals are 95 % (Wilson). "
        f"The number at each {move} is its exact {unit}: "
        '<span class="good">green</span> is best, <span class="bad">red</span> was played.',
    )


# Figures


def _figures(report: Report) -> list[tuple[str, str]]:
    low, high = report.interval
    flips = report.flips
    found = [
        (rate_words(report.optimal_rate), f"optimal moves ({low * 100:.1f}-{high * 100:.1f} %)"),
        (f"{report.mean_loss:.2f}", f"points lost on average, {report.worst_loss} at worst"),
        (
            rate_words(report.only_move_rate),
            f"of {len(report.only_moves):,} only moves found",
        ),
        (
            str(sum(flips.values())),
            f"outcomes spoilt: win to draw {flips['win_draw']}, win to loss "
            f"{flips['win_loss']}, draw to loss {flips['draw_loss']}",
        ),
        (
            _duration(report.seconds),
            f"a move, {_duration(report.worst_seconds)} at most",
        ),
    ]
    faults = {kind: count for kind, count in report.faults.items() if count}
    for rule, count in report.untold.items():
        found.append((f"{count:,}", f"positions need {rule}, which it is not told"))
    if report.refused:
        found.append((f"{len(report.refused):,}", "positions refused, not judged"))
    if faults:
        kinds = ", ".join(f"{kind} {count}" for kind, count in faults.items())
        move = report.kind.move_word
        found.append((str(sum(faults.values())), f"times no legal {move}: {kinds}"))
    return found


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


# Charts


def _charts(report: Report) -> list[str]:
    kind = report.kind
    charts = []
    for column in kind.grouped_by:
        parts = {kind.words(column, value): part for value, part in report.by(column).items()}
        called = kind.called.get(column, column)
        title = f"Optimal moves by {called}"
        # A counted quantity runs from left to right.
        if parts and all(value.isdigit() for value in parts):
            charts.append(chart(title, _rates_upright(parts, column, called), wide=True))
        else:
            charts.append(chart(title, _rates_level(parts)))
    names, columns = _losses(report)
    return [
        *charts,
        chart("Points lost, number of moves", _counts_upright(names, columns), wide=True),
    ]


def _losses(report: Report) -> tuple[list[str], list[int]]:
    """The losses of answers, and the number of answers with each loss."""
    losses = Counter(answer.loss for answer in report.answers)
    if any(loss != int(loss) for loss in losses):
        found = sorted(losses)
        return [str(loss) for loss in found], [losses[loss] for loss in found]
    most = min(int(max(losses, default=0)), _MOST_COLUMNS)
    columns = [losses[loss] for loss in range(most)]
    columns.append(sum(losses.values()) - sum(columns))
    names = [str(loss) for loss in range(len(columns))]
    if len(columns) > _MOST_COLUMNS:
        names[-1] += "+"
    return names, columns


def _rates_upright(parts: Mapping[str, Report], counted: str, called: str) -> str:
    """Columns from 0 to 100 %, with whiskers; below them the counted quantity."""
    width, height, left, below, above = 1080.0, 230.0, 44.0, 40.0, 12.0
    room = height - below - above
    step = (width - left) / max(1, len(parts))
    shapes = []
    for percent in (0, 25, 50, 75, 100):
        y = above + room * (1 - percent / 100)
        shapes.append(f'<path class="axis" d="M{left:g} {y:.1f}H{width:g}"/>')
        shapes.append(label(left - 8, y + 4, f"{percent} %", "end"))
    for place, (name, part) in enumerate(parts.items()):
        middle = left + step * (place + 0.5)
        wide = min(44.0, step * 0.62)
        tall = room * part.optimal_rate
        title = f"{name} {called}: {rate_words(part.optimal_rate)} of {len(part)}"
        shapes.append(bar(middle - wide / 2, above + room - tall, wide, tall, title))
        low, high = (above + room * (1 - bound) for bound in part.interval)
        shapes.append(
            f'<path class="whisker" d="M{middle - 4:.1f} {low:.1f}h8m-4 0V{high:.1f}m-4 0h8"/>'
        )
        shapes.append(label(middle, height - 22, name, kind="value"))
        shapes.append(label(middle, height - 6, f"{len(part)}"))
    shapes.append(label(left - 8, height - 22, counted, "end"))
    shapes.append(label(left - 8, height - 6, "n", "end"))
    return svg(width, height, shapes)


def _rates_level(parts: Mapping[str, Report]) -> str:
    """Bars from 0 to 100 %, with whiskers."""
    width, row, left, right = 520.0, 34.0, 118.0, 118.0
    room = width - left - right
    shapes = []
    for place, (name, part) in enumerate(parts.items()):
        y = row * place
        rate = part.optimal_rate
        shapes.append(label(left - 10, y + 20, name, "end", "value"))
        shapes.append(bar(left, y + 6, room * rate, row - 14, f"{rate_words(rate)} of {len(part)}"))
        low, high = (left + room * bound for bound in part.interval)
        middle = y + row / 2 - 1
        shapes.append(
            f'<path class="whisker" d="M{low:.1f} {middle - 4:.1f}v8m0 -4H{high:.1f}m0 -4v8"/>'
        )
        shapes.append(
            label(width - right + 12, y + 20, f"{rate_words(rate)} of {len(part)}", "start")
        )
    return svg(width, row * max(1, len(parts)), shapes)


def _counts_upright(names: list[str], counts: list[int]) -> str:
    """Columns of numbers; their heights are square roots, so that small numbers are visible."""
    width, height, below, above = 1080.0, 190.0, 24.0, 22.0
    room = height - below - above
    step = width / max(1, len(counts))
    most = math.sqrt(max(counts, default=1)) or 1.0
    shapes = [f'<path class="axis" d="M0 {above + room:g}H{width:g}"/>']
    for place, (name, count) in enumerate(zip(names, counts, strict=True)):
        middle = step * (place + 0.5)
        wide = min(44.0, step * 0.62)
        tall = room * math.sqrt(count) / most
        shapes.append(bar(middle - wide / 2, above + room - tall, wide, tall, f"{name}: {count}"))
        if count:
            shapes.append(label(middle, above + room - tall - 6, f"{count:,}", kind="value"))
        shapes.append(label(middle, height - 6, name))
    return svg(width, height, shapes)


# States


def _blunder(number: int, answer: Answer) -> str:
    case = answer.case
    right = " or ".join(case.best_moves)
    if answer.played is None:
        what = f"no legal {case.move_word} ({answer.fault})"
    else:
        what = f"{answer.played} instead of {right}"
    about = [
        f'loses <span class="bad">{answer.loss}</span>: {signed_words(answer.value)} instead of '
        f"{signed_words(case.best)}",
        *map(escape, case.about),
    ]
    if answer.flip:
        about.insert(1, f'<span class="bad">{escape(flip_words(answer))}</span>')
    elif answer.loss:
        about.insert(1, f"still a {outcome(answer.value)}")
    if answer.message:
        about.append(escape(answer.message))
    details = ""
    if answer.details:
        lines = escape("\n".join(answer.details))
        details = f"<details><summary>where</summary><pre>{lines}</pre></details>"
    return (
        f'<article class="blunder"><h3>{number}. {escape(what)}</h3>'
        f"<p>{'; '.join(about)}</p>{details}"
        f"{drawn_case(case, answer.played)}"
        f"<code>{escape(case.state.notation())}</code></article>"
    )


def _taken(report: Report) -> str:
    """The number of answers from an earlier run."""
    kept = report.from_file
    return f"; {kept:,} of the answers were kept from an earlier run" if kept else ""
