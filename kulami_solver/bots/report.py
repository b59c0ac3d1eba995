"""A check as text for people and as CSV for other programs; `page` makes an HTML page of it."""

from __future__ import annotations

import csv
import io
from typing import Final

from ..core.notation import so_many
from .case import outcome
from .check import Answer, Report
from .page_parts import rate_words

GROUPS: Final = 3
"""How many different faults are shown."""


def flip_words(answer: Answer) -> str:
    """Return the change of the outcome by an answer: "a win becomes a loss", or an empty text."""
    if answer.flip is None:
        return ""
    return f"a {outcome(answer.case.best)} becomes a {outcome(answer.value)}"


def text(report: Report, shown: int = 3) -> str:
    """Return a report as text.

    Examples:
        >>> from kulami_solver.bots import Perfect
        >>> from kulami_solver.bots.check import check
        >>> from kulami_solver.bots.kulami.suite import read_suite
        >>> print(text(check(Perfect(), read_suite(count=20))).splitlines()[1])
        optimal       100.0 %  (20; 95 % interval 83.9-100.0 %)
    """
    low, high = report.interval
    flips = report.flips
    move, unit = report.kind.move_word, report.kind.unit
    lines = [
        f"{report.bot}: {len(report):,} positions",
        f"optimal       {rate_words(report.optimal_rate)}  ({report.optimal:,}; 95 % interval "
        f"{low * 100:.1f}-{high * 100:.1f} %)",
        f"only moves    {rate_words(report.only_move_rate)}  "
        f"({len(report.only_moves):,} positions with one right {move})",
        f"{unit + ' lost':<14}{report.mean_loss:.2f} on average, {report.worst_loss} at worst",
        f"outcome lost  {sum(flips.values())}: win to draw {flips['win_draw']}, "
        f"win to loss {flips['win_loss']}, draw to loss {flips['draw_loss']}",
        f"time          {report.seconds * 1000:.1f} ms a move, "
        f"{report.worst_seconds:.2f} s at most",
    ]
    faults = {kind: count for kind, count in report.faults.items() if count}
    lines += [f"not told      {words}" for words in untold_words(report)]
    if report.refused:
        lines.append(f"refused       {refused_words(report)}")
    if faults:
        said = ", ".join(f"{kind} {count}" for kind, count in faults.items())
        lines.append(f"{'no ' + move:<14}{said}  (judged as the worst {move})")
    for title in report.kind.tabled_by:
        parts = {report.kind.words(title, k): v for k, v in report.by(title).items()}
        lines += ["", f"{title:<16}positions   optimal   lost"]
        lines += [
            f"{name:<16}{len(part):>9}{rate_words(part.optimal_rate):>10}{part.mean_loss:>7.2f}"
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
        lines += ["", f"blunder {number}: {blunder_words(answer)}"]
        lines += [answer.case.state.notation(), answer.case.state.drawn(ascii_only=True)]
    return "\n".join(lines)


def untold_words(report: Report) -> list[str]:
    """Return each rule that the bot cannot be told, and how many positions need it."""
    return [
        f"{rule}, which {so_many(count, 'position')} need: it cannot know what counts there; "
        f"choose positions with the usual {rule}, or teach it"
        for rule, count in report.untold.items()
    ]


def refused_words(report: Report) -> str:
    """Return how many positions the bot refuses, and what it says about the first."""
    return f"{len(report.refused):,} positions, not judged; the first: {report.refused[0].message}"


def blunder_words(answer: Answer) -> str:
    """Return the played move, the right one, and the difference."""
    what = f"plays {answer.played}"
    if answer.played is None:
        what = f"no {answer.case.move_word} ({answer.fault}: {answer.message})"
    right = " or ".join(answer.case.best_moves)
    words = [f"{what}, right is {right}", f"loses {answer.loss}", flip_words(answer)]
    words.append(answer.case.rules_words)
    return "; ".join(word for word in words if word)


def csv_text(*reports: Report) -> str:
    """Return the answers as comma-separated values, a line each, after a line of names.

    Those of several bots, in the same positions, have the bot in a column of its own.

    Examples:
        >>> from kulami_solver.bots.kulami.suite import Case
        >>> csv_text(Report("nobody", [], kind=Case)).split(",")[:3]
        ['kfn', 'scoring', 'free']
    """
    kind = reports[0].kind
    several = len(reports) > 1
    said = tuple(dict.fromkeys((*kind.named_by, *kind.grouped_by)))
    judged = ("value", "loss", "optimal", "only_move", "flip", "fault", "seconds")
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    bot = ("bot",) if several else ()
    writer.writerow((*bot, *said, "played", "best", kind.unit, *judged))
    given = [(one.bot, answer) for one in reports for answer in (*one.answers, *one.refused)]
    for name, answer in given:
        case = answer.case
        value, loss, right = answer.value, answer.loss, int(answer.optimal)
        judgement = (value, loss, right, int(answer.only_move), answer.flip or "")
        writer.writerow(
            (
                *((name,) if several else ()),
                *(case.column(column) for column in said),
                answer.played or "",
                " ".join(case.best_moves),
                case.best,
                *(judgement if answer.fault != "refused" else [""] * len(judgement)),
                answer.fault or "",
                f"{answer.seconds:.6f}",
            )
        )
    return sheet.getvalue()
