"""A tournament: several bots in pairings, each a match of two, and the result of all games.

    number of a pair of games      0      1      2      3      4      5     ...
    opening                        0      0      0      1      1      1
    pairing                      A-B    A-C    B-C    A-B    A-C    B-C

Every pairing plays the same openings, each with both colours, and no pairing is more than one
opening ahead: a tournament that is broken off is a fair one, only shorter. A match of
two is the tournament with one pairing.

Ratings in Elo are by Bradley and Terry's model. Each bot has a strength. The score expected of two
bots depends on the difference of theirs alone: it is `statistics.score_of` of that difference. A
draw is half a win and half a loss, as in the Elo of a match of two.

Strengths are those of greatest likelihood, with Firth's correction: Jeffreys' prior, which gives
half a win and half a loss to who has nothing else. It takes the bias off small numbers of games and
keeps the rating finite of a bot that has won all of them. It also draws ratings together: two bots
alone are nearer to each other here than in the Elo of their match, the more so the fewer the games.
And their interval hangs on a few pairs alone. So `Tournament.ratings` takes those of a match of two
from the match itself.

Intervals are not those of the likelihood. Two games with the same opening depend on each other, and
draws vary less than wins and losses. So the variance is a sandwich: the inverse information on both
sides of the squares that the games show, where a pair with the same opening is one observation.
Each square is corrected for its own part in the fit (its leverage). `tests/bots/test_statistics.py`
counts how often intervals of simulated tournaments hold the truth.

Sources: R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs (1952); D. Firth,
Bias reduction of maximum likelihood estimates (1993); R. M. Bell and D. F. McCaffrey, Bias
reduction in standard errors with multi-stage samples (2002).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Final

from ..core.intervals import Z95
from ..core.notation import so_many
from ..errors import KulamiError, quoted
from ..game import options_of
from .arena import FinishedGame
from .match import MatchReport, Result, crash_lines, forfeit_lines, winning_seat
from .statistics import Sprt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_STANDING: Final = 20  # letters of a bot's name beside the progress of a tournament

FORMATS: Final = ("round-robin", "gauntlet")
SAVED: Final = "saved"
"""The kind of a tournament that `rated` makes of saved games."""


def pairings_of(bots: Sequence[str], kind: str = "round-robin") -> list[tuple[int, int]]:
    """Return who meets whom, as numbers of bots from 0.

    Args:
        bots: names of two or more.
        kind: "round-robin" for everyone against everyone, or "gauntlet" for the first bot against
            each of the others.

    Raises:
        KulamiError: if these bots cannot play so. Only a match of two may have one bot twice.

    Examples:
        >>> pairings_of(["greedy", "random", "mcts"])
        [(0, 1), (0, 2), (1, 2)]
        >>> pairings_of(["greedy", "random", "mcts"], "gauntlet")
        [(0, 1), (0, 2)]
    """
    if kind not in FORMATS:
        raise KulamiError(f"{quoted(kind)} is no format: use {' or '.join(FORMATS)}")
    if len(bots) < 2:
        raise KulamiError(f"a match needs two bots or more, not {len(bots)}: name who plays")
    if len(bots) == 2 and kind == "gauntlet":
        raise KulamiError(
            "a gauntlet of two bots is a match: leave out the format, or name a third bot"
        )
    names = [bot.strip() for bot in bots]
    twice = next((bot for place, bot in enumerate(names) if bot in names[:place]), None)
    if twice is not None and len(bots) > 2:
        raise KulamiError(
            f"{quoted(twice)} is in the tournament twice: name each bot once; a match of two may "
            "be against itself"
        )
    if kind == "gauntlet":
        return [(0, other) for other in range(1, len(bots))]
    return list(combinations(range(len(bots)), 2))


class Tournament:
    """The games of a tournament so far, and their results.

    Args:
        bots: their names, two or more.
        kind: one of `FORMATS`.
        sprt: the test that may end a match of two.
        margins: as for `MatchReport`.
        pairings: who meets whom, where `kind` does not say it.

    Attributes:
        bots, kind: as given.
        pairings: who meets whom, as `pairings_of` says.
        matches: the report of each pairing; their pairs of games have the tournament's numbers.

    Raises:
        KulamiError: as `pairings_of`, or if more than two bots are to be tested.

    Examples:
        >>> tournament = Tournament(["greedy", "random", "mcts"], margins=False)
        >>> for number, winners in enumerate([(0, 1), (1, 0), (1, 1)]):
        ...     tournament.add(number, [Result(winner, 20) for winner in winners])
        >>> [(one["bot"], one["score"]) for one in tournament.ratings()]
        [('mcts', 0.75), ('greedy', 0.5), ('random', 0.25)]
    """

    def __init__(
        self,
        bots: Sequence[str],
        kind: str = "round-robin",
        sprt: Sprt | None = None,
        margins: bool = True,
        pairings: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        self.bots = tuple(bots)
        self.titles: dict[str, str] = {}
        """What tables call a bot, where that is not its name."""
        self.kind = kind
        self.pairings = pairings_of(bots, kind) if pairings is None else list(pairings)
        if sprt is not None and len(self.pairings) > 1:
            raise KulamiError(
                f"a test by SPRT compares two bots, not {len(bots)}: leave it out, or name two"
            )
        names = ((bots[one], bots[two]) for one, two in self.pairings)
        self.matches = [MatchReport(*two, sprt, margins) for two in names]

    def add(self, number: int, games: Sequence[Result | None]) -> None:
        """Take in the results of a pair of games, in their order, by the pair's number."""
        self.matches[number % len(self.matches)].add(number, games)

    def __contains__(self, number: int) -> bool:
        return number in self.matches[number % len(self.matches)]

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(match.games for match in self.matches)

    @property
    def verdict(self) -> str | None:
        """The answer of the test of a match of two, see `MatchReport.verdict`."""
        return self.matches[0].verdict

    @property
    def faults(self) -> list[dict[str, Any]]:
        """Games lost by forfeit, as `MatchReport.faults`, in the order of the games."""
        faults = [fault for match in self.matches for fault in match.faults]
        return sorted(faults, key=lambda fault: int(fault["game"]))

    @property
    def crashes(self) -> list[int]:
        """How often each bot has crashed, as `bots` are given."""
        found = [0] * len(self.bots)
        for match, pairing in zip(self.matches, self.pairings, strict=True):
            for bot, count in zip(pairing, match.crashes, strict=True):
                found[bot] += count
        return found

    def games_of(self, bot: int) -> int:
        """Return how many games a bot has played, by its number."""
        return sum(
            match.games
            for match, pairing in zip(self.matches, self.pairings, strict=True)
            for place in pairing
            if place == bot
        )

    def _points_of(self, bot: int) -> float:
        points = 0.0
        for match, (one, two) in zip(self.matches, self.pairings, strict=True):
            own = match.counts["wins"] + match.counts["draws"] / 2
            points += own * (one == bot) + (match.games - own) * (two == bot)
        return points

    def ratings(self) -> list[dict[str, Any]]:
        """Return the rating list, the best bot first: bot, elo, low, high, games and score.

        Elo 0 is the mean of all bots, in a gauntlet the mean of those that the first bot meets.
        `low` and `high` bound the 95 % interval. They follow from `rate`; those of two bots
        are half of their match's Elo and of its interval, and None where these have no bound. All
        three are None for a bot that has played no game. `score` is the share of the points in its
        games.

        Examples:
            >>> two = Tournament(["greedy", "random"], margins=False)
            >>> two.add(0, [Result(0, 20), Result(None, 20)])
            >>> round(two.matches[0].elo), [round(one["elo"]) for one in two.ratings()]
            (191, [95, -95])
        """
        rated = self._rated_by_match() if len(self.matches) == 1 else self._rated_by_model()
        rows = []
        for place, bot in enumerate(self.bots):
            games = self.games_of(place)
            elo, low, high = rated[place] if games else (None, None, None)
            score = self._points_of(place) / games if games else 0.5
            row = {"bot": bot, "elo": elo, "low": low, "high": high, "games": games, "score": score}
            rows.append(row)
        # One who has won every game of a match is first, without a bound.
        return sorted(
            rows, key=lambda row: (math.inf if row["elo"] is None else -row["elo"], -row["score"])
        )

    def order(self) -> list[int]:
        """Return the numbers of the bots as rated, the best one first.

        Two bots of a match may have the same name.
        """
        left = list(range(len(self.bots)))
        order = []
        for row in self.ratings():
            order.append(next(place for place in left if self.bots[place] == row["bot"]))
            left.remove(order[-1])
        return order

    def _rated_by_match(self) -> list[tuple[float | None, ...]]:
        """Elo and its bounds of two bots: the mean of both is 0, so each has half of the match's.

        The model would draw them together.
        """
        (match,) = self.matches
        one = [None if elo is None else elo / 2 for elo in (match.elo, *match.elo_interval)]
        elo, low, high = (None if elo is None else 0.0 - elo for elo in one)
        return [tuple(one), (elo, high, low)]

    def _rated_by_model(self) -> list[tuple[float | None, ...]]:
        """Elo and its bounds of each bot."""
        import numpy as np

        longest = max(len(match.pairs) for match in self.matches)
        pairs = np.full((len(self.matches), longest), np.nan)
        sizes = np.zeros_like(pairs)
        for row, size, match in zip(pairs, sizes, self.matches, strict=True):
            row[: len(match.pairs)], size[: len(match.pairs)] = match.pairs, match.sizes
        others = len(self.bots) - 1
        zero = [0.0] + [1 / others] * others if self.kind == "gauntlet" else None
        elos, halves = rate(self.pairings, pairs, zero, sizes)
        rated = zip(elos.tolist(), halves.tolist(), strict=True)
        return [(elo, elo - half, elo + half) for elo, half in rated]

    def table(self) -> list[list[dict[str, Any] | None]]:
        """Return the crosstable: a row a bot with what it scored against each, as `bots` are given.

        Each entry has games, wins, draws, losses and score (the share of the points) of the row's
        bot; it is None for bots that do not meet.
        """
        rows: list[list[dict[str, Any] | None]] = [[None] * len(self.bots) for _ in self.bots]
        for match, (one, two) in zip(self.matches, self.pairings, strict=True):
            counts = match.counts
            turned = {**counts, "wins": counts["losses"], "losses": counts["wins"]}
            rows[one][two] = {"games": match.games, **counts, "score": match.score}
            rows[two][one] = {"games": match.games, **turned, "score": 1 - match.score}
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return the report as the command line prints it; that of two bots is of a match, too."""
        rated = {"ratings": self.ratings(), "table": self.table()}
        if len(self.matches) == 1:
            return self.matches[0].to_json() | rated
        return {
            "bots": list(self.bots),
            "format": self.kind,
            "games": self.games,
            **rated,
            "pairings": [match.to_json() for match in self.matches],
            "faults": self.faults,
            "crashes": self.crashes,
        }

    def text(self, shown: int = 5) -> str:
        """Return the report as text, with at most `shown` forfeits."""
        if len(self.matches) == 1:
            return self.matches[0].text(shown)
        most = max(match.openings for match in self.matches)
        called, mean = f"round robin of {len(self.bots)} bots", "all bots"
        openings = f", {so_many(most, 'opening')}, the same for each two bots"
        if self.kind == "gauntlet":
            called, mean = f"{self.bots[0]} against {len(self.bots) - 1} bots", "the others"
        elif self.kind == SAVED:
            called, mean, openings = f"{len(self.bots)} players", "all players", ""
        head = f"{called}: {so_many(self.games, 'game')}{openings}"
        if not self.games:
            return head
        faults = [{**fault, "bot": self.title(fault["bot"])} for fault in self.faults]
        return "\n".join(
            [
                head,
                "",
                *self._rating_lines(),
                "",
                *self._table_lines(),
                "",
                f"Elo 0 is the mean of {mean}",
                *crash_lines([*map(self.title, self.bots)], self.crashes, faults),
                *forfeit_lines(faults, shown),
            ]
        )

    def points_so_far(self) -> str:
        """Return the points of each bot so far, the most successful first, in a few words.

        Examples:
            >>> two = Tournament(["greedy", "random"])
            >>> two.add(0, [Result(0, 20), Result(None, 20)])
            >>> two.points_so_far()
            'greedy 1.5/2, random 0.5/2'
        """
        rows = [(self._points_of(bot), self.games_of(bot), bot) for bot in range(len(self.bots))]
        rows.sort(key=lambda row: -row[0] / max(1, row[1]))
        said = [
            f"{self.title(self.bots[bot])[:_STANDING]} {points:g}/{games}"
            for points, games, bot in rows
        ]
        test, match = self.matches[0].sprt, self.matches[0]
        return ", ".join(said) + (f", LLR {match.ratio:.2f}" if test else "")

    def title(self, bot: str) -> str:
        """Return what tables call a bot."""
        return self.titles.get(bot, bot)

    def _rating_lines(self) -> list[str]:
        wide = max(len(self.title(bot)) for bot in self.bots)
        lines = [f"     {'bot':<{wide}}    Elo   95 % interval    games     score"]
        for rank, row in enumerate(self.ratings(), 1):
            title = self.title(row["bot"])
            elo = bounds = ""
            if row["elo"] is not None:
                elo = f"{round(row['elo']):+}"
                bounds = f"{round(row['low']):+} to {round(row['high']):+}"
            score = f"{row['score'] * 100:.1f} %" if row["games"] else "-"
            rated = f"{elo:>5}  {bounds:>14}  {row['games']:>7,}  {score:>8}"
            lines.append(f"{rank:>3}  {title:<{wide}}  {rated}")
        return lines

    def _table_lines(self) -> list[str]:
        """The points of each bot against each, the best bot first."""
        ranks = self.order()
        table = self.table()
        wide = max(len(self.title(bot)) for bot in self.bots)
        heads = "".join(f"{rank:>7}" for rank in range(1, len(ranks) + 1))
        lines = [f"     {'points':<{wide}}{heads}"]
        for rank, bot in enumerate(ranks, 1):
            cells = ""
            for other in ranks:
                found = table[bot][other]
                games = found["games"] if found else 0
                points = f"{found['score'] * games:.1f}" if found and games else "-"
                cells += f"{points:>7}"
            lines.append(f"{rank:>3}  {self.title(self.bots[bot]):<{wide}}{cells}")
        return lines


def rated(games: Iterable[FinishedGame]) -> Tournament:
    """Return the ratings of the players of saved games, whoever met whom how often.

    Two games of the same players from the same opening, with seats swapped, are a pair.

    Args:
        games: each has two players, in every second seat.

    Raises:
        KulamiError: if there is no game.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> start = load_game("kulami", layout="AAB/CCB").start()
        >>> evening = [FinishedGame(start, ("a1", "c1"), ("Ann", "Bob")) for _ in range(3)]
        >>> found = rated(evening)
        >>> found.bots, found.matches[0].counts
        (('Ann', 'Bob'), {'wins': 0, 'draws': 3, 'losses': 0})
    """
    seen: Counter[tuple[object, int]] = Counter()
    found: dict[object, list[Result | None]] = {}
    met: dict[tuple[str, str], list[list[Result | None]]] = {}
    for game in games:
        one, two = sorted(game.players[:2])
        place = int(game.players[0] == two)
        rules = repr(options_of(game.start.game))
        opening = (one, two, rules, game.start.notation(), game.moves[: game.opening])
        number = seen[opening, place]
        seen[opening, place] += 1
        pair = found.setdefault((opening, number), [None, None])
        if pair == [None, None]:
            met.setdefault((one, two), []).append(pair)
        winner = winning_seat(game) if game.forfeit is None else (game.forfeit + 1) % 2
        same = hash((opening, place, game.moves))
        pair[place] = Result(winner, len(game.moves), opening=hash(opening), game=same)
    bots = sorted({name for names in met for name in names})
    if not bots:
        raise KulamiError("there is no game of two players with names: save some, or name others")
    # A chain through all players compares those, too, who have met nobody in common.
    chain = {*pairwise(bots)}
    pairings = sorted((bots.index(one), bots.index(two)) for one, two in chain | met.keys())
    report = Tournament(bots, SAVED, margins=False, pairings=pairings)
    for place, (first, second) in enumerate(pairings):
        for number, pair in enumerate(met.get((bots[first], bots[second]), [])):
            report.add(number * len(pairings) + place, pair)
    return report


# Ratings

_PER_LOGIT: Final = 400 / math.log(10)

# This part of a game, half won and half lost, connects a pairing that has no games yet.
_TIE: Final = 1e-3

# A lone pair of games has leverage 1, which would leave its variance unknown.
_MOST_LEVERAGE: Final = 0.5

_ROUNDS: Final = 200
_CLOSE: Final = 1e-9


def rate(
    pairings: Sequence[tuple[int, int]],
    pairs: ArrayLike,
    zero: Sequence[float] | None = None,
    sizes: ArrayLike = 2,
) -> tuple[Floats, Floats]:
    """Return the Elo of each bot, and how far its 95 % interval goes to either side.

    Args:
        pairings: who meets whom, as numbers of bots from 0.
        pairs: for each pairing the scores of its first bot in pairs of games, each from 0 to 1, NaN
            where there is none; axes before these two are tournaments of their own.
        zero: weights of the bots, with sum 1, whose mean rating is Elo 0; equal by default.
        sizes: how many games each pair has.

    Examples:
        >>> elo, half = rate([(0, 1), (0, 2), (1, 2)], [[0.75, 0.5, 1], [1, 1, 0.75], [0.75, 1, 0]])
        >>> [round(one) for one in elo], [round(one) for one in half]
        ([164, -42, -123], [128, 158, 167])
    """
    import numpy as np

    scores = np.asarray(pairs, dtype=float)
    number = 1 + max(map(max, pairings))
    # A row for each pairing: 1 for its first bot, -1 for its second.
    design = np.zeros((len(pairings), number))
    for row, (one, two) in zip(design, pairings, strict=True):
        row[one], row[two] = 1, -1
    sizes = np.where(np.isnan(scores), 0, sizes)
    games = np.sum(sizes, axis=-1)
    points = np.nansum(sizes * scores, axis=-1)
    strengths = np.zeros((*games.shape[:-1], number))
    for _ in range(_ROUNDS):
        expected = 1 / (1 + np.exp(-strengths @ design.T))
        spread = expected * (1 - expected)
        known = _inverse((games + _TIE) * spread, design)
        leverage = np.einsum("ki,...ij,kj->...k", design, known, design) * spread  # of a game
        prior = games * leverage + _TIE  # so many games, half won and half lost
        beyond = points - games * expected + prior * (0.5 - expected)
        known = _inverse((games + prior) * spread, design)
        step = _applied(known, beyond @ design)
        longest = np.abs(step).max(axis=-1, keepdims=True)
        if longest.max() < _CLOSE:
            break
        strengths += step / np.maximum(1, longest)
    each = (sizes * (scores - expected[..., None])) ** 2
    each = each / np.maximum(1 - sizes * leverage[..., None], 1 - _MOST_LEVERAGE)
    squares = np.nansum(each, axis=-1)
    squares += prior * (expected**2 + (1 - expected) ** 2) / 2
    weights = np.full(number, 1 / number) if zero is None else np.asarray(zero, dtype=float)
    centred = np.eye(number) - weights
    half = centred @ known
    covariance = half @ _summed(squares, design) @ np.swapaxes(half, -1, -2)
    deviation = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    return _PER_LOGIT * _applied(centred, strengths), _PER_LOGIT * Z95 * deviation


def _inverse(weights: Floats, design: Floats) -> Floats:
    """Return the inverse of the information; only differences are known, so the mean stays 0."""
    import numpy as np

    return np.linalg.inv(_summed(weights, design) + 1 / design.shape[-1])


def _summed(weights: Floats, design: Floats) -> Floats:
    """Return the matrix over bots that results from a weight for each pairing."""
    found: Floats = (design.T * weights[..., None, :]) @ design
    return found


def _applied(matrix: Floats, vector: Floats) -> Floats:
    found: Floats = (matrix @ vector[..., None])[..., 0]
    return found
