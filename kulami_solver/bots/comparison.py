"""Several bots compared by their answers in the same positions.

Both bots' answers in a position depend on its difficulty, so the difference of their rates is
known much better than the rates: it comes from the positions in which just one of them is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ..core.intervals import Z95
from .check import SHOWN, Report, case_key
from .page_parts import rate_words
from .report import refused_words, untold_words


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


def differences(reports: Sequence[Report]) -> list[Difference]:
    """Return the differences of all pairs of bots; in each, the more often optimal bot is first."""
    ranked = _ranked(reports)
    answers = [{case_key(answer.case): answer for answer in one.answers} for one in ranked]
    found = []
    for one, two in combinations(range(len(ranked)), 2):
        both = [
            (answers[one][key], answers[two][key]) for key in answers[one].keys() & answers[two]
        ]
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


def comparison_json(reports: Sequence[Report], shown: int = SHOWN) -> dict[str, Any]:
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


def comparison_text(reports: Sequence[Report]) -> str:
    """Return reports and their differences as text, the best bot first."""
    unit = f"{reports[0].kind.unit} lost"
    wide = max(len(report.title) for report in reports)
    lines = [f"{'':<{wide}}  positions   optimal   95 % interval  only moves  {unit:>12}"]
    for report in _ranked(reports):
        low, high = report.interval
        shares = f"{low * 100:.1f}-{high * 100:.1f} %"
        lines.append(
            f"{report.title:<{wide}}{len(report):>11,}{rate_words(report.optimal_rate):>10}"
            f"{shares:>16}{rate_words(report.only_move_rate):>12}{report.mean_loss:>14.2f}"
        )
    lines += [
        f"{report.title} is not told {words}"
        for report in reports
        for words in untold_words(report)
    ]
    lines += [
        f"{report.title} refuses {refused_words(report)}" for report in reports if report.refused
    ]
    found = differences(reports)
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


def _ranked(reports: Sequence[Report]) -> list[Report]:
    """The bot that is optimal most often first; among equals the one that loses least."""
    return sorted(reports, key=lambda report: (-report.optimal_rate, report.mean_loss))
