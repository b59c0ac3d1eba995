"""What counts: the four scorings, a score with its parts, and margins in words."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ...core.notation import other_side
from ...core.whole_numbers import whole
from ...errors import NotationError, checked_kind


class Scoring(enum.Enum):
    """Which parts count besides the panels: the largest areas, the chains, both or none.

    The Spanish and Dutch editions call panels and chains level 2, and all three parts level 3;
    here they are `CHAINS` and `LEVEL2`.

    Examples:
        >>> [scoring.value for scoring in Scoring if scoring.chains]
        ['2', 'chains']
    """

    LEVEL0 = "0"
    LEVEL1 = "1"
    LEVEL2 = "2"
    CHAINS = "chains"

    @property
    def area(self) -> bool:
        """Whether the largest areas count."""
        return self is Scoring.LEVEL1 or self is Scoring.LEVEL2

    @property
    def chains(self) -> bool:
        """Whether the chains count."""
        return self is Scoring.LEVEL2 or self is Scoring.CHAINS

    @classmethod
    def parse(cls, value: object) -> Scoring:
        """Return the scoring that `value` names.

        Args:
            value: `"0"`, `"1"`, `"2"`, `"chains"`, the numbers 0 to 2, `"level0"` to `"level2"`,
                or a `Scoring`.

        Raises:
            NotationError: for anything else.

        Examples:
            >>> Scoring.parse("chains"), Scoring.parse(2) is Scoring.parse("level2")
            (<Scoring.CHAINS: 'chains'>, True)
            >>> Scoring.parse("3")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.NotationError: '3' is not a scoring: use 0, 1, 2 or chains \
(level 3 of the Spanish and Dutch rules is 2 here)
        """
        if isinstance(value, cls):
            return value
        number = whole(value)
        if number is not None and 0 <= number <= 2:
            return cls(str(number))
        if isinstance(value, str) and len(value) <= 16:
            name = value.lower().removeprefix("level")
            if name in ("0", "1", "2") or value.lower() == "chains":
                return cls(name)
        level3 = number == 3 or (isinstance(value, str) and value == "3")
        raise NotationError("no_scoring_level_3" if level3 else "no_scoring_like", given=value)


@dataclass(frozen=True)
class Part:
    """One measured part of a score: red's and black's numbers.

    Examples:
        >>> Part(red=12, black=17).lead
        -5
    """

    red: int
    black: int

    @property
    def lead(self) -> int:
        """Red's number minus black's."""
        return self.red - self.black


@dataclass(frozen=True)
class Score:
    """The score of a position.

    The parts are measured whether or not the scoring counts them: `panels` in points, `area` in
    fields of the largest area, `chains` in the summed length of all chains. The totals `red` and
    `black` are the points of the panels and, for each further part that counts, the difference,
    given to the colour that has more.

    Examples:
        >>> score = Score.of(Part(31, 27), Part(12, 17), Part(12, 15), Scoring.LEVEL2)
        >>> score.red, score.black, score.margin
        (31, 35, -4)
    """

    red: int
    black: int
    panels: Part
    area: Part
    chains: Part
    scoring: Scoring

    @classmethod
    def of(cls, panels: Part, area: Part, chains: Part, scoring: Scoring) -> Score:
        """Return the score that these parts make under `scoring`."""
        for part in (panels, area, chains):
            checked_kind(part, Part, "a part of a score is a Part")
        checked_kind(scoring, Scoring, "scoring is a Scoring")
        red, black = panels.red, panels.black
        for part, counts in ((area, scoring.area), (chains, scoring.chains)):
            if counts:
                red += max(part.lead, 0)
                black += max(-part.lead, 0)
        return cls(red, black, panels, area, chains, scoring)

    @property
    def margin(self) -> int:
        """Red's total minus black's."""
        return self.red - self.black


def margin_words(margin: int, side: str) -> str:
    """Return in words a margin of the side to move.

    Examples:
        >>> margin_words(-3, "red")
        'black wins by 3'
    """
    if margin == 0:
        return "draw"
    return f"{side if margin > 0 else other_side(side)} wins by {abs(margin)}"


def range_words(lower: int, upper: int, side: str, *, by: bool = True) -> str:
    """Return in words proved bounds of the margin of the side to move.

    Args:
        lower, upper: the bounds; equal where the margin is known.
        side: who is to move.
        by: whether to give the least and the greatest margin of a win.

    Examples:
        >>> for lower, upper in (2, 52), (-9, -3), (0, 7), (-4, 8), (1, 1):
        ...     print(range_words(lower, upper, "red"))
        red wins by 2 to 52
        black wins by 3 to 9
        at least a draw for red, at most a win by 7
        not proved yet: between 'black wins by 4' and 'red wins by 8'
        red wins by 1
        >>> range_words(2, 52, "red", by=False)
        'red wins'
    """
    if lower == upper:
        return margin_words(lower, side)
    if lower < 0 < upper:
        low, high = margin_words(lower, side), margin_words(upper, side)
        return f"not proved yet: between '{low}' and '{high}'"
    ahead = side if upper > 0 else other_side(side)
    least, most = (lower, upper) if upper > 0 else (-upper, -lower)
    if not by:
        return f"{ahead} wins" if least else f"at least a draw for {ahead}"
    if least:
        return f"{ahead} wins by {least} to {most}"
    return f"at least a draw for {ahead}, at most a win by {most}"
