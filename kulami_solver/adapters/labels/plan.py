"""The plan of a file of labels, and the games that positions are taken from: random, or of bots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...bots.arena import play_game
from ...bots.kulami.match import draw_opening
from ...bots.kulami.suite import MOST_FREE
from ...bots.naming import make_player
from ...bots.protocol import BotCrashed
from ...core.budgets import number_within
from ...core.game_records import positions_after
from ...core.whole_numbers import whole
from ...errors import KulamiError, checked_kind, quoted
from ...kulami.position.edition import USUAL, Edition
from ...kulami.position.layout import Layout
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ..batch import Batch

_MOST_POSITIONS = 10**9
_MOST_GAMES = 10**4


@dataclass(frozen=True)
class LabelPlan:
    """The positions to be labelled.

    Attributes:
        count: how many, 1 to 10^9.
        free: their smallest and largest number of free fields, 1 to 40.
        scoring: what counts.
        layout: a layout, several to be taken in turn, or "random": another one for each group of
            games, square and irregular in turn.
        bots: the players: none for random moves, one bot against itself, or two bots, by their
            names for `kulami_solver.bots.make_player`.
        plies: marbles that are placed at random before the bots take over, 0 to 40.
        edition: of the games.
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
fields, 1 to 40
    """

    count: int
    free: tuple[int, int] = (10, 20)
    scoring: Scoring = Scoring.LEVEL0
    layout: Layout | tuple[Layout, ...] | str = "random"
    bots: tuple[str, ...] = ()
    plies: int = 6
    edition: Edition = USUAL
    seed: int = 0
    games: int = 16

    def __post_init__(self) -> None:
        for name, low, high in (
            ("count", 1, _MOST_POSITIONS),
            ("plies", 0, 40),
            ("seed", 0, 1 << 63),
            ("games", 1, _MOST_GAMES),
        ):
            number = number_within(getattr(self, name), name, low, high)
            object.__setattr__(self, name, number)
        free = self.free
        ends = tuple(map(whole, free)) if isinstance(free, tuple) and len(free) == 2 else ()
        if not ends or None in ends or not 1 <= free[0] <= free[1] <= MOST_FREE:
            raise KulamiError(
                f"free is {free!r}: give the least and the most free fields, 1 to {MOST_FREE}"
            )
        if not isinstance(self.scoring, Scoring):
            raise KulamiError(f"scoring is {quoted(self.scoring)}: give a Scoring")
        given = (isinstance(self.layout, tuple) and self.layout) or (self.layout,)
        if self.layout != "random" and not all(isinstance(one, Layout) for one in given):
            raise KulamiError(
                f"layout is {quoted(self.layout)}: give a Layout, a tuple of them, or 'random'"
            )
        if not isinstance(self.bots, tuple) or len(self.bots) > 2:
            raise KulamiError("bots: give none, one or two names (--bot once or twice, or a tuple)")
        checked_kind(self.edition, Edition, "the edition is an Edition")

    def start(self, group: int) -> Position:
        """Return the empty board of a group of games.

        Black begins in every other pair of them; of several layouts, in every other round.
        """
        layout, turns = self.layout, 2
        if isinstance(layout, tuple):
            turns = len(layout)
            layout = layout[group % turns]
        elif not isinstance(layout, Layout):
            layout = Layout.random(self.seed_of(group), irregular=group % 2 == 1)
        first = ("red", "black")[group // turns % 2]
        return Position(layout, first, **self.edition)

    def seed_of(self, group: int) -> int:
        """Return a seed that no other group has, nor any group of a plan with another seed."""
        return self.seed << 32 | group

    def to_json(self) -> dict[str, Any]:
        """Return the part of the plan that must agree for one run to continue the work of another.

        The part is everything but the number of positions.
        """
        layout = self.layout
        own: dict[str, Any] = {}
        for name, value in vars(self).items():
            own |= value if name == "edition" else {name: value}
        del own["count"]
        own |= {
            "free": list(self.free),
            "scoring": self.scoring.value,
            "layout": [*map(str, layout)] if isinstance(layout, tuple) else str(layout),
            "bots": list(self.bots),
        }
        return {"plan": "labels", **own}


def positions_of(plan: LabelPlan, group: int, start: Position) -> list[tuple[int, Position]]:
    """Return the positions of a group of games that are to be labelled, with their games' numbers.

    They are in the best order for a search: each game from its end.

    Raises:
        BotError: if a bot cannot be made, or gives no legal move.

    Examples:
        >>> from kulami_solver import Layout
        >>> plan = LabelPlan(100, (10, 12), layout=Layout.square(), games=2)
        >>> listed = positions_of(plan, 1, plan.start(1))
        >>> [(game, position.free_count) for game, position in listed]
        [(2, 12), (3, 10), (3, 11), (3, 12)]
    """
    played = _played(plan, group, start) if plan.bots else _random(plan, group, start)
    least, most = plan.free
    listed = [
        (group * plan.games + game, position)
        for game, position in played
        if least <= position.free_count <= most and not position.is_over
    ]
    listed.sort(key=lambda one: (one[0], one[1].free_count))
    return listed


def _random(plan: LabelPlan, group: int, start: Position) -> Iterator[tuple[int, Position]]:
    first, seed = start.first, plan.seed_of(group)
    batch = Batch(plan.games, start.layout, first=first, seed=seed, **plan.edition)
    least, most = plan.free
    for free in range(len(start.layout), least - 1, -1):
        if free <= most:
            for game in (~batch.ended).nonzero()[0].tolist():
                yield game, batch.position(game)
        batch.step(batch.random_actions())


def _played(plan: LabelPlan, group: int, start: Position) -> Iterator[tuple[int, Position]]:
    """The positions of games of bots, each of which begins with some random moves.

    Two bots change sides after each game.
    """
    names = plan.bots * (3 - len(plan.bots))
    seed = plan.seed_of(group)
    players = [make_player(name, seed + place) for place, name in enumerate(names)]
    try:
        for game in range(plan.games):
            number = seed * plan.games + game
            opening = draw_opening(number, start.layout, plan.plies, plan.scoring, plan.edition)
            seats = players if game % 2 == 0 else players[::-1]
            played = play_game(seats, opening)
            if played.forfeit is not None:
                loser = played.players[played.forfeit]
                raise BotCrashed(f"{loser} has lost by forfeit: {played.message}")
            for state in positions_after(opening.start, played.moves):
                yield game, state.position
    finally:
        for player in players:
            player.close()
