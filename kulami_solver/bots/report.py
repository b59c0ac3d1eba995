"""A check as text for people and as CSV for other programs; `page` makes a picture book of it."""

from __future__ import annotations

import csv
import io
from typing import Final

from .check import Answer, Report, outcome

__all__ = ["csv_text", "flip_words", "scoring_words", "text"]

_NAMES = {"0": "level 0", "1": "level 1", "2": "level 2", "chains": "panels, chains"}

GROUPS: Final = 3
"""How many different faults are shown."""

COLUMNS = (
    "kfn",
    "scoring",
    "free",
    "origin",
    "played",
    "best",
    "margin",
    "value",
    "loss",
    "optimal",
    "only_move",
    "flip",
    "fault",
    "seconds",
)


def scoring_words(value: str) -> str:
    """Return what a scoring is called.

    >>> scoring_words("0")
    'level 0'
    """
    return _NAMES.get(value, value)


def flip_words(answer: Answer) -> str:
    """Return what an answer does to the outcome: "a win becomes a loss", or nothing."""
    if answer.flip is None:
        return ""
    return f"a {outcome(answer.case.best)} becomes a {outcome(answer.value)}"


def text(report: Report, shown: int = 3) -> str:
    """Return a report as text.

    Args:
        report: of any check.
        shown: how many blunders are shown as boards.

    Examples:
        >>> from kulami_solver.bots import Perfect
        >>> from kulami_solver.bots.check import check
        >>> from kulami_solver.bots.suite import read_suite
        >>> print(text(check(Perfect(), read_suite(count=20))).splitlines()[1])
        optimal       100.0 %  (20; 95 % interval 83.9-100.0 %)
    """
    low, high = report.interval
    flips = report.flips
    lines = [
        f"{report.bot}: {len(report):,} positions",
        f"optimal       {_rate(report.optimal_rate)}  ({report.optimal:,}; 95 % interval "
        f"{low * 100:.1f}-{high * 100:.1f} %)",
        f"only moves    {_rate(report.only_move_rate)}  ({len(report.only_moves):,} positions "
        "with one right field)",
        f"margin lost   {report.mean_loss:.2f} on average, {report.worst_loss} at worst",
        f"outcome lost  {sum(flips.values())}: win to draw {flips['win_draw']}, "
        f"win to loss {flips['win_loss']}, draw to loss {flips['draw_loss']}",
        f"time          {report.seconds * 1000:.1f} ms a move, "
        f"{report.worst_seconds:.2f} s at most",
    ]
    faults = {kind: count for kind, count in report.faults.items() if count}
    if faults:
        said = ", ".join(f"{kind} {count}" for kind, count in faults.items())
        lines.append(f"no field      {said}  (judged as the worst field)")
    for title, parts in (
        ("free", report.by_free),
        ("scoring", {scoring_words(k): v for k, v in report.by_scoring.items()}),
    ):
        lines += ["", f"{title:<16}positions   optimal   lost"]
        lines += [
            f"{name:<16}{len(part):>9}{_rate(part.optimal_rate):>10}{part.mean_loss:>7.2f}"
            for name, part in parts.items()
        ]
    groups = report.fault_groups
    for count, answer in groups[:GROUPS]:
        times = f"{count:,} times " if count > 1 else ""
        lines += ["", f"{times}{answer.fault}: {answer.message}"]
        lines += [f"  {line}" for line in answer.details]
    if len(groups) > GROUPS:
        lines += ["", f"and {len(groups) - GROUPS:,} other faults"]
    for number, answer in enumerate(report.blunders[:shown], 1):
        lines += ["", f"blunder {number}: {blunder_words(answer)}", answer.case.position.kfn()]
        lines.append(answer.case.position.text(ascii_only=True))
    return "\n".join(lines)


def blunder_words(answer: Answer) -> str:
    """Return what was played, what was right, and what the difference is."""
    what = f"plays {answer.played}"
    if answer.played is None:
        what = f"no field ({answer.fault}: {answer.message})"
    right = " or ".join(answer.case.best_fields)
    words = [
        f"{what}, right is {right}",
        f"loses {answer.loss}",
        f"{scoring_words(answer.case.scoring.value)}",
    ]
    if answer.flip:
        words.insert(2, flip_words(answer))
    return "; ".join(words)


def csv_text(report: Report) -> str:
    """Return the answers as comma-separated values, a line each, after a line of names.

    Examples:
        >>> csv_text(Report("nobody", [])).split(",")[:3]
        ['kfn', 'scoring', 'free']
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(COLUMNS)
    for answer in report.answers:
        case = answer.case
        writer.writerow(
            (
                case.position.kfn(),
                case.scoring.value,
                case.position.free_count,
                case.origin,
                answer.played or "",
                " ".join(case.best_fields),
                case.best,
                answer.value,
                answer.loss,
                int(answer.optimal),
                int(answer.only_move),
                answer.flip or "",
                answer.fault or "",
                f"{answer.seconds:.6f}",
            )
        )
    return sheet.getvalue()


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate * 100:.1f} %"
