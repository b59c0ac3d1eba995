"""A check as one HTML page: it needs no other files, and there is no script in it.

The templates are in `templates/`. In the pictures of a state, or below them, every legal move
has its exact value for the side to move; a state that has no picture is drawn as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .case import outcome, signed_briefly
from .check import CheckReport
from .report import comparison_text, flip_words, rate_words

BLUNDERS: Final = 12
"""How many blunders a page shows of a bot, at most."""

_MOST_COLUMNS: Final = 24  # of the chart of losses; the last one takes the rest


def check_page(*reports: CheckReport, shown: int = BLUNDERS) -> str:
    """Return a report as a page, or those of several bots, after their comparison.

    Args:
        reports: of bots that were asked the same positions.
        shown: how many blunders of each, at most.

    Examples:
        >>> check_page(CheckReport("nobody", [])).splitlines()[0]
        '<!DOCTYPE html>'
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters |= {"number": "{:,}".format, "px": "{:.1f}".format}
    made.filters |= {"rate": rate_words, "signed": signed_briefly}
    made.tests["numeral"] = str.isdigit
    return made.get_template("check.html").render(
        title=" and ".join(report.bot for report in reports) + " against perfect play",
        reports=reports,
        comparison=comparison_text(reports) if len(reports) > 1 else "",
        shown=shown,
        figures_of=_figures,
        divided=_divided,
        losses=_losses,
        flip_words=flip_words,
        outcome=outcome,
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
