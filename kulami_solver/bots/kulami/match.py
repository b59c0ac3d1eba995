"""Matches of Kulami: openings on random layouts, and records that `kulami replay` reads."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ...core.notation import BLACK, RED
from ...core.whole_numbers import seeded
from ...errors import NotationError
from ...game import Question, State, ask
from ...kulami.estimate.chances import estimate_value
from ...kulami.game import KulamiGame, KulamiState, state_of
from ...kulami.game_record import GameRecord
from ...kulami.position.edition import USUAL, Edition
from ...kulami.position.layout import Layout
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ..arena import FinishedGame, Opening
from ..match import SEEDS, MatchTerms, Result, clock_record, random_opening, result_of
from ..protocol import Clock

_SIDES = (RED, BLACK)
# Of 100 random openings about 18 are balanced so far, by a look at so many positions.
_BALANCED = 0.08
_LOOK = 2000
_DRAWN = 200
_MOST = 10_000  # points between the two, in a game of a file


def draw_opening(
    seed: int,
    layout: Layout | str = "random",
    plies: int = 6,
    scoring: Scoring = Scoring.LEVEL0,
    edition: Edition = USUAL,
) -> Opening:
    """Return an opening, the same for a seed on every machine.

    Args:
        seed: 0 or more.
        layout: the layout, or "random": square for even seeds and irregular for odd ones.
        plies: marbles placed at random; fewer if the game would be over.
        scoring: what counts.
        edition: of the game.

    Examples:
        >>> opening = draw_opening(7)
        >>> len(opening.moves), opening == draw_opening(7)
        (6, True)
    """
    terms = KulamiTerms(layout, plies, scoring, edition=edition)
    draw = seeded(seed)
    return random_opening(terms.start(seed, draw), plies, draw)


@dataclass(frozen=True)
class KulamiTerms(MatchTerms):
    """The terms of a match of Kulami.

    Examples:
        >>> from kulami_solver.bots import Greedy, Player
        >>> from kulami_solver.bots.arena import play_game
        >>> greedy, terms = Player(Greedy()), KulamiTerms()
        >>> record = terms.record(play_game((greedy, greedy), terms.opening(7)))
        >>> record["first"], record["opening"], record["red"]
        ('red', 6, 'greedy')

    Attributes:
        layout: a layout, several to be taken in turn, or "random" for another one in each opening.
        plies: marbles placed at random before the bots take over.
        scoring: what counts.
        clock, seed, recover: as in `MatchTerms`.
        free: number of free fields from which on a game is solved instead of played; 0: never.
        edition: of all games but those from `openings`.
        openings: "random"; "balanced" for random ones whose estimated chances are about even; or
            the positions to begin with in turn, instead of random ones.
    """

    layout: Layout | tuple[Layout, ...] | str = "random"
    plies: int = 6
    scoring: Scoring = Scoring.LEVEL0
    clock: Clock = field(default_factory=Clock)
    free: int = 0
    seed: int = 0
    edition: Edition = USUAL
    openings: str | tuple[Position, ...] = "random"
    recover: str = ""

    @property
    def game(self) -> KulamiGame:
        """Kulami by these options; openings on random layouts have games of their own."""
        layout = self.layout if isinstance(self.layout, Layout) else Layout.square()
        return KulamiGame(layout, self.scoring, RED, self.edition)

    def start(self, seed: int, draw: random.Random) -> KulamiState:
        """Return the empty board: square for even seeds and irregular for odd ones if random."""
        layout = self.layout
        if isinstance(layout, str):
            layout = Layout.random(seed, irregular=seed % 2 == 1)
        elif isinstance(layout, tuple):
            layout = layout[(seed - self.seed * SEEDS) % len(layout)]
        first = _SIDES[int(draw.random() * 2)]
        return state_of(Position(layout, first, **self.edition), self.scoring)

    def opening(self, number: int) -> Opening:
        """Return the opening of a pair, the same for a seed and a number on every machine."""
        if not isinstance(self.openings, str):
            return Opening(state_of(self.openings[number % len(self.openings)], self.scoring))
        if self.openings == "random":
            return super().opening(number)
        drawn: list[tuple[float, Opening]] = []
        for opening in islice(self.openings_of(number), _DRAWN):
            drawn.append((self._bias(opening), opening))
            if drawn[-1][0] <= _BALANCED:
                break
        return min(drawn, key=lambda one: one[0])[1]

    def _bias(self, opening: Opening) -> float:
        """How far the chances of the side to move lie from 1/2, as estimated."""
        position = opening.end.position
        chances = estimate_value(position, self.scoring, nodes=_LOOK)
        return abs(chances.win + chances.draw / 2 - 0.5)

    def adjudicate(self, state: State) -> Sequence[str]:
        """Return best play to the end of the game, once at most `free` fields are free."""
        assert isinstance(state, KulamiState)
        if state.position.free_count > self.free:
            return ()
        return ask(Question(state)).line

    def told(self, game: FinishedGame) -> dict[str, Any]:
        """Return a record that `kulami replay` reads."""
        start = game.start
        assert isinstance(start, KulamiState)
        played = GameRecord.played(start.position, game.moves, start.game.scoring)
        score = played.end.score(played.scoring)  # of a forfeited game, too
        return played.to_json() | {"score": {RED: score.red, BLACK: score.black}}

    def result(self, record: Mapping[str, Any]) -> Result:
        """Return the result of a recorded game, by its score or forfeit.

        Raises:
            NotationError: if the record has no moves and score.
        """
        score = record.get("score")
        red, black = map(score.get, _SIDES) if isinstance(score, dict) else (None, None)
        if type(red) is not int or type(black) is not int or abs(red - black) > _MOST:
            raise NotationError("no score")
        margin = red - black
        winner = None if margin == 0 else 0 if margin > 0 else 1
        return result_of(record, _SIDES, winner, margin)

    def rules(self) -> dict[str, Any]:
        """Return the options that are the same for all openings."""
        return dict(self.edition)

    def to_json(self) -> dict[str, object]:
        return {
            "layout": [str(one) for one in self.layout]
            if isinstance(self.layout, tuple)
            else str(self.layout),
            "plies": self.plies,
            "scoring": self.scoring.value,
            **clock_record(self.clock),
            "adjudicate": self.free,
            "seed": self.seed,
            **self.rules(),
            "openings": self._told_openings(),
            "recover": self.recover or None,
        }

    def _told_openings(self) -> object:
        if self.openings == "random":
            return None  # as in older files, which do not say it
        given = self.openings
        return given if isinstance(given, str) else [one.kfn() for one in given]
