"""Checks as text for people, as CSV for other programs, and several bots compared by theirs.

Both bots' answers in a position depend on its difficulty, so the difference of their rates is
known much better than the rates: it comes from the positions in which just one of them is right.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from ..core.intervals import Z95
from ..core.notation import so_many
from .case import case_key, outcome
from .check import SHOWN, CheckReport, Choice

GROUPS: Final = 3
"""How many different faults are shown."""


def rate_words(rate: float | None) -> str:
    """Return a share of 1 in per cent, "-" for None.

    Examples:
        >>> rate_words(0.5), rate_words(None)
        ('50.0 %', '-')
    """
    return "-" if rate is None else f"{rate * 100:.1f} %"


def flip_words(answer: Choice) -> str:
    """Return the change of the outcome by an answer: "a win becomes a loss", or an empty text."""
    if answer.flip is None:
        return ""
    return f"a {outcome(answer.case.best)} becomes a {outcome(answer.value)}"


def text(report: CheckReport, shown: int = 3) -> str:
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
    lines = [f"{report.bot}: {so_many(len(report), 'position')}"]
    if report.answers:
        lines += [
            f"optimal       {rate_words(report.optimal_rate)}  ({report.optimal:,}; 95 % interval "
            f"{low * 100:.1f}-{high * 100:.1f} %)",
            f"only moves    {rate_words(report.only_move_rate)}  "
            f"({so_many(len(report.only_moves), 'position')} with one right {move})",
            f"{unit + ' lost':<14}{report.mean_loss:.2f} on average, {report.worst_loss} at worst",
            f"outcome lost  {sum(flips.values())}: win to draw {flips['win_draw']}, "
            f"win to loss {flips['win_loss']}, draw to loss {flips['draw_loss']}",
            f"time          {report.seconds * 1000:.1f} ms a move, "
            f"{report.worst_seconds:.2f} s at most",
        ]
    lines += [f"not told      {words}" for words in untold_words(report)]
    if report.refused:
        lines.append(f"refused       {refused_words(report)}")
    if report.fault_words:
        lines.append(f"{'no ' + move:<14}{report.fault_words}  (judged as the worst {move})")
    for title in report.kind.tabled_by if report.answers else ():
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


def untold_words(report: CheckReport) -> list[str]:
    """Return each rule that the bot cannot be told, and how many positions need it."""
    return [
        f"{rule}, which {so_many(count, 'position')} need{'s' * (count == 1)}: it cannot know what "
        f"counts there; choose positions with the usual {rule}, or teach it"
        for rule, count in report.untold.items()
    ]


def refused_words(report: CheckReport) -> str:
    """Return how many positions the bot refuses, and what it says about the first."""
    refused = so_many(len(report.refused), "position")
    return f"{refused}, not judged; the first: {report.refused[0].message}"


def blunder_words(answer: Choice) -> str:
    """Return the played move, the right one, and the difference."""
    what = f"plays {answer.played}"
    if answer.played is None:
        what = f"no {answer.case.move_word} ({answer.fault}: {answer.message})"
    right = " or ".join(answer.case.best_moves)
    words = [f"{what}, right is {right}", f"loses {answer.loss}", flip_words(answer)]
    words.append(answer.case.rules_words)
    return "; ".join(word for word in words if word)


def csv_text(*reports: CheckReport) -> str:
    """Return the answers as comma-separated values, a line each, after a line of names.

    Those of several bots, in the same positions, have the bot in a column of its own.

    Examples:
        >>> from kulami_solver.bots.kulami.suite import Case
        >>> csv_text(CheckReport("nobody", [], kind=Case)).split(",")[:3]
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
    given = [(one.title, answer) for one in reports for answer in (*one.answers, *one.refused)]
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


# Several bots


@dataclass(frozen=True)
class Difference:
    """The difference of two bots, in the positions that both have answered.

    Attributes:
        one, two: their names.
        only_one, only_two: how many positions this bot alone has answered optimally.
        losses: for each position, the cost of the answer of `one` less that of `two`.

    Examples:
        >>> found = Difference("one", "two", 12, 3, (0.0, -2.0) * 20)
        >>> found.optimal_rate, [round(bound, 2) for bound in found.interval]
        (0.225, [0.04, 0.39])
        >>> found.mean_loss, [round(bound, 2) for bound in found.loss_interval]
        (-1.0, [-1.31, -0.69])
    """

    one: str
    two: str
    only_one: int
    only_two: int
    losses: tuple[float, ...]

    @property
    def positions(self) -> int:
        """How many positions both have answered."""
        return len(self.losses)

    @property
    def optimal_rate(self) -> float:
        """The rate of optimal answers of `one` less that of `two`."""
        return (self.only_one - self.only_two) / max(1, self.positions)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `optimal_rate`, by Agresti and Min: each kind plus half a position.

        Source: A. Agresti and Y. Min, Simple improved confidence intervals for comparing matched
        proportions, Statistics in Medicine 24 (2005).
        """
        count, one, two = self.positions + 2, self.only_one + 0.5, self.only_two + 0.5
        middle = (one - two) / count
        half = Z95 * math.sqrt(one + two - (one - two) ** 2 / count) / count
        return max(-1.0, middle - half), min(1.0, middle + half)

    @property
    def mean_loss(self) -> float:
        """The average cost of an answer of `one`, less that of `two`."""
        return sum(self.losses) / max(1, self.positions)

    @property
    def loss_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of `mean_loss`; None for fewer than two positions."""
        if self.positions < 2:
            return None
        mean = self.mean_loss
        variance = sum((loss - mean) ** 2 for loss in self.losses) / (self.positions - 1)
        half = Z95 * math.sqrt(variance / self.positions)
        return mean - half, mean + half

    def to_json(self) -> dict[str, Any]:
        """Return the difference as the command line prints it."""
        bounds = self.loss_interval
        return {
            "bots": [self.one, self.two],
            "positions": self.positions,
            "only_first": self.only_one,
            "only_second": self.only_two,
            "optimal_rate": self.optimal_rate,
            "interval": list(self.interval),
            "mean_loss": self.mean_loss,
            "loss_interval": None if bounds is None else list(bounds),
        }


def differences(reports: Sequence[CheckReport]) -> list[Difference]:
    """Return the differences of all pairs of bots; in each, the more often optimal bot is first."""
    ranked = _ranked(reports)
    answers = [{case_key(answer.case): answer for answer in one.answers} for one in ranked]
    found = []
    for one, two in combinations(range(len(ranked)), 2):
        keys = answers[one].keys() & answers[two]
        both = [(answers[one][key], answers[two][key]) for key in keys]
        found.append(
            Difference(
                ranked[one].bot,
                ranked[two].bot,
                sum(first.optimal and not second.optimal for first, second in both),
                sum(second.optimal and not first.optimal for first, second in both),
                tuple(float(first.loss - second.loss) for first, second in both),
            )
        )
    return found


def comparison_json(reports: Sequence[CheckReport], shown: int = SHOWN) -> dict[str, Any]:
    """Return reports and their differences as the command line prints them.

    Args:
        reports: of two bots or more.
        shown: how many blunders of each, at most.
    """
    told = [report.to_json(shown) for report in reports]
    return {
        "bots": [report.bot for report in reports],
        "differences": [difference.to_json() for difference in differences(reports)],
        "reports": told,
        "from_file": sum(report["from_file"] for report in told),
        "new": sum(report["new"] for report in told),
    }


def comparison_text(reports: Sequence[CheckReport]) -> str:
    """Return reports and their differences as text, the best bot first."""
    unit = f"{reports[0].kind.unit} lost"
    wide = max(len(report.title) for report in reports)
    lines = [f"{'':<{wide}}  positions   optimal   95 % interval  only moves  {unit:>12}"]
    for report in _ranked(reports):
        if not report.answers:
            lines.append(f"{report.title:<{wide}}{0:>11}{'-':>10}{'-':>16}{'-':>12}{'-':>14}")
            continue
        low, high = report.interval
        shares = f"{low * 100:.1f}-{high * 100:.1f} %"
        lines.append(
            f"{report.title:<{wide}}{len(report):>11,}{rate_words(report.optimal_rate):>10}"
            f"{shares:>16}{rate_words(report.only_move_rate):>12}{report.mean_loss:>14.2f}"
        )
    for report in reports:
        lines += [f"{report.title} is not told {words}" for words in untold_words(report)]
    refusing = (report for report in reports if report.refused)
    lines += [f"{report.title} refuses {refused_words(report)}" for report in refusing]
    found = [difference for difference in differences(reports) if difference.positions]
    if not found:
        return "\n".join(lines)
    titles = {report.bot: report.title for report in reports}
    names = [f"{titles[difference.one]} - {titles[difference.two]}" for difference in found]
    wide = max(map(len, names))
    lines += ["", f"{'':<{wide}}   optimal     95 % interval  {unit:>12}     95 % interval"]
    for name, difference in zip(names, found, strict=True):
        low, high = difference.interval
        bounds = difference.loss_interval
        costs = "" if bounds is None else f"{bounds[0]:+.2f} to {bounds[1]:+.2f}"
        shares = f"{low * 100:+.1f} to {high * 100:+.1f} %"
        lines.append(
            f"{name:<{wide}}{difference.optimal_rate * 100:>+8.1f} %{shares:>18}"
            f"{difference.mean_loss:>+14.2f}{costs:>18}"
        )
    return "\n".join(lines)


def _ranked(reports: Sequence[CheckReport]) -> list[CheckReport]:
    """The bot that is optimal most often first; among equals the one that loses least."""
    return sorted(reports, key=lambda report: (-report.optimal_rate, report.mean_loss))
