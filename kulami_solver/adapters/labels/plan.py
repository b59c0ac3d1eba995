"""The plan of a file of labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...core.whole_numbers import whole
from ...errors import KulamiError
from ...kulami.position.layout import Layout
from ...kulami.position.material import MAX_FIELDS
from ...kulami.position.position import MARBLES, Position
from ...kulami.position.scoring import Scoring

_MOST_POSITIONS = 10**9
_MOST_GAMES = 10**4


@dataclass(frozen=True)
class LabelPlan:
    """The positions to be labelled.

    Attributes:
        count: how many, 1 to 10^9.
        free: their smallest and largest number of free fields, 1 to 64.
        scoring: what counts.
        layout: a layout, or "random": another one for each group of games, square and irregular in
            turn.
        bots: the players: none for random moves, one bot against itself, or two bots, by their
            names for `kulami_solver.bots.make_player`.
        plies: marbles that are placed at random before the bots take over, 0 to 40.
        marbles, short_end: as for `Position`.
        seed: 0 or more.
        games: how many games a group has, all on one layout, 1 to 10^4.

    Raises:
        KulamiError: if a value makes no sense.

    Examples:
        >>> LabelPlan(1000, (16, 16), layout=Layout.square()).to_json()["free"]
        [16, 16]
        >>> LabelPlan(1000, (20, 10))
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: free is (20, 10): give the least and the most free \
fields, 1 to 64
    """

    count: int
    free: tuple[int, int] = (10, 20)
    scoring: Scoring = Scoring.LEVEL0
    layout: Layout | str = "random"
    bots: tuple[str, ...] = field(default=())
    plies: int = 6
    marbles: int = MARBLES
    short_end: bool = False
    seed: int = 0
    games: int = 16

    def __post_init__(self) -> None:
        for name, low, high in (
            ("count", 1, _MOST_POSITIONS),
            ("plies", 0, 40),
            ("seed", 0, 1 << 63),
            ("games", 1, _MOST_GAMES),
        ):
            value = getattr(self, name)
            number = whole(value)
            if number is None or not low <= number <= high:
                raise KulamiError("labels_number", name=name, given=value, low=low, high=high)
            object.__setattr__(self, name, number)
        free = self.free
        ends = tuple(map(whole, free)) if isinstance(free, tuple) and len(free) == 2 else ()
        if not ends or None in ends or not 1 <= free[0] <= free[1] <= MAX_FIELDS:
            raise KulamiError("labels_free", given=f"{free!r}", most=MAX_FIELDS)
        if not isinstance(self.scoring, Scoring):
            raise KulamiError("no_scoring", scoring=self.scoring)
        if not isinstance(self.layout, Layout) and self.layout != "random":
            raise KulamiError("labels_layout", given=self.layout)
        if not isinstance(self.bots, tuple) or len(self.bots) > 2:
            raise KulamiError("labels_bots", given=self.bots)
        # Refuses an impossible number of marbles or way to end.
        Position(Layout.square(), "red", self.marbles, self.short_end)

    def start(self, group: int) -> Position:
        """Return the empty board of a group of games; black begins in every other pair of them."""
        layout = self.layout
        if not isinstance(layout, Layout):
            layout = Layout.random(self.seed_of(group), irregular=group % 2 == 1)
        return Position(layout, ("red", "black")[group // 2 % 2], self.marbles, self.short_end)

    def seed_of(self, group: int) -> int:
        """Return a seed that no other group has, nor any group of a plan with another seed."""
        return self.seed << 32 | group

    def to_json(self) -> dict[str, Any]:
        """Return the part of the plan that must agree for one run to continue the work of another.

        The part is everything but the number of positions.
        """
        return {
            "plan": "labels",
            "free": list(self.free),
            "scoring": self.scoring.value,
            "layout": str(self.layout),
            "bots": list(self.bots),
            "plies": self.plies,
            "marbles": self.marbles,
            "short_end": self.short_end,
            "seed": self.seed,
            "games": self.games,
        }
