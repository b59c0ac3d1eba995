"""A match: two bots, many openings, each played twice with seats swapped: any game.

Several bots meet in pairings, and each pairing plays the same openings: see `tournament`.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from statistics import mean
from typing import Any, Final

from ..core.notation import so_many
from ..core.whole_numbers import checked_seed, whole, wholes
from ..errors import NotationError
from ..game import CHANCE, NOBODY, State, options_of
from .arena import FinishedGame, Opening, draw_chance, play_game
from .description import BotDescription, described
from .naming import make_player
from .processes import workers_at
from .protocol import Clock, Player
from .statistics import Sprt, elo_of, normalized, pair_interval

PAIR_POINTS: Final = ("0", "1/2", "1", "3/2", "2")
"""The points that a bot may have in a pair."""

POINTS = {None: 0.5, True: 1.0, False: 0.0}

# What a record says besides the rules and the beginning.
_ENDS: Final = (
    *("moves", "opening", "winner", "score", "seconds", "adjudicated", "crashes"),
    *("forfeit", "fault", "message", "details", "game"),
)

SEEDS: Final = 1_000_003
"""The distance between the first openings of consecutive seeds."""


class MatchTerms(ABC):
    """The terms of a match of two bots; `GameTerms` fits any game, some games have their own.

    Attributes:
        clock: how long a bot may think about a move.
        seed: of the openings, and of the moves of chance.
        plies: random moves before the bots take over; in games of chance no two openings are the
            same in any case.
        recover: what becomes of a game in which a bot crashes: "" for a loss; "move" to start the
            bot again and ask it once more; "game" to play the game once more.
    """

    clock: Clock
    seed: int
    plies: int = 0
    recover: str = ""

    def __post_init__(self) -> None:
        """Take whole numbers of any kind.

        Raises:
            KulamiError: if the seed is no whole number of 0 or more.
        """
        object.__setattr__(self, "seed", checked_seed(self.seed))
        object.__setattr__(self, "plies", *wholes([self.plies]))

    @property
    @abstractmethod
    def game(self) -> Any:
        """The game; its seats have the same names with all options."""

    def start(self, seed: int, draw: random.Random) -> State:
        """Return the state in which an opening begins, by its seed or by what is drawn."""
        state: State = self.game.start()
        return state

    @abstractmethod
    def rules(self) -> dict[str, Any]:
        """Return the options of the game, for a file of games."""

    def opening(self, number: int) -> Opening:
        """Return the opening of a pair, the same for a seed and a number on every machine."""
        return next(self.openings_of(number))

    def openings_of(self, number: int) -> Iterator[Opening]:
        """Yield the opening of a pair, and others from the same start without end."""
        seed = self.seed * SEEDS + number
        draw = random.Random(seed)
        start = self.start(seed, draw)
        while True:
            yield random_opening(start, self.plies, draw)

    def player(self, name: str | BotDescription, seed: int) -> Player:
        """Return a bot; it can neither hang nor end this process.

        Raises:
            BotError: if there is no such bot, or it cannot be started.
        """
        return make_player(name, seed, isolated=True, game=self.game.name)

    def told(self, game: FinishedGame) -> dict[str, Any]:
        """Return the first part of a game's record: rules, moves and the end."""
        winner = winning_seat(game)
        return {
            **self.rules(),
            "moves": list(game.moves),
            "winner": None if winner is None else self.game.seats[winner],
        }

    def record(self, game: FinishedGame) -> dict[str, Any]:
        """Return the record of a game for a file of games."""
        seats = game.start.game.seats
        record = {**self.told(game), **dict(zip(seats, game.players, strict=True))}
        if not self.game.has_chance:
            record["opening"] = game.opening
        if game.seconds is not None:
            times = (round(seconds, 3) for seconds in game.seconds)
            record["seconds"] = dict(zip(seats, times, strict=True))
        if game.adjudicated is not None:
            record["adjudicated"] = game.adjudicated
        if any(game.crashes):
            record["crashes"] = dict(zip(seats, game.crashes, strict=True))
        return record | forfeit_record(game)

    def result(self, record: Mapping[str, Any]) -> Result:
        """Return how a game of a file has ended.

        Raises:
            NotationError: if the record does not say so.
        """
        seats, winner = self.game.seats, record.get("winner", "")
        if winner not in (None, *seats):
            raise NotationError("no winner")
        return result_of(record, seats, None if winner is None else seats.index(winner))

    def to_json(self) -> dict[str, object]:
        """Return the terms as a file of games states them."""
        return {
            "game": self.game.name,
            **self.rules(),
            **({} if self.game.has_chance else {"plies": self.plies}),
            **clock_record(self.clock),
            "seed": self.seed,
            "recover": self.recover or None,  # as in older files, which do not say it
        }

    def adjudicate(self, state: State) -> Sequence[str]:
        """Return best play to the end, from a state that the bots need not play out."""
        return ()


@dataclass(frozen=True)
class GameTerms(MatchTerms):
    """The terms of a match of any game.

    Attributes:
        played: the game, with its options.
        plies, clock, seed, recover: as in `MatchTerms`.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> terms = GameTerms(load_game("malawi", board="2x4"), plies=2)
        >>> greedy, random = (terms.player(name, 0) for name in ("greedy", "random"))
        >>> [terms.record(game)["opening"] for game in play_pair(greedy, random, 0, terms)]
        [2, 2]
    """

    played: Any
    plies: int = 0
    clock: Clock = field(default_factory=Clock)
    seed: int = 0
    recover: str = ""

    @property
    def game(self) -> Any:
        return self.played

    def rules(self) -> dict[str, Any]:
        return options_of(self.game)


def random_opening(start: State, plies: int, draw: random.Random) -> Opening:
    """Return an opening of `plies` random moves; fewer if the game would be over."""
    state = start
    moves: list[str] = []
    after: list[str] = []
    while plies > 0 and state.to_move != NOBODY:
        if state.to_move == CHANCE:
            after.append(draw_chance(state, draw))
        else:
            plies -= 1
            moves, after = after, [*after, state.moves[int(draw.random() * len(state.moves))]]
        state = state.play(after[-1])
    return Opening(start, tuple(moves if state.to_move == NOBODY else after))


def winning_seat(game: FinishedGame) -> int | None:
    """Return a seat that has won, None if neither bot has more of the point than the other."""
    first = [seat for seat, share in enumerate(game.shares) if share]
    return first[0] if len({seat % 2 for seat in first}) == 1 else None


@dataclass(frozen=True)
class Result:
    """How a game of two has ended.

    Attributes:
        winner: a seat that has won, None for a draw.
        plies: how many moves were made.
        margin: what seat 0 has won by, as the board stood; None in games without margins.
        forfeit: the seat that has lost by forfeit, None if none has.
        fault, message, details: what happened then, as in `arena.FinishedGame`.
        crashes: how often the bot in seat 0, and that in seat 1, was started again.
        opening, game: equal for the same opening, and for the same game; 0 if that is not known.
    """

    winner: int | None
    plies: int
    margin: int | None = None
    forfeit: int | None = None
    fault: str | None = None
    message: str = ""
    details: tuple[str, ...] = ()
    crashes: tuple[int, ...] = (0, 0)
    opening: int = 0
    game: int = 0


def clock_record(clock: Clock) -> dict[str, Any]:
    """Return a clock for a file of games; a clock for the whole game is written as `movetime`.

    Examples:
        >>> from kulami_solver.bots import Clock
        >>> clock_record(Clock(game=60, increment=0.5))["movetime"]
        '60+0.5 a game'
    """
    seconds: object = clock.seconds
    if clock.game is not None:
        seconds = f"{clock.game:g}+{clock.increment:g} a game"
    return {"movetime": seconds, "nodes": clock.nodes, "depth": clock.depth}


def forfeit_record(game: FinishedGame) -> dict[str, Any]:
    """Return what a record says of a forfeit: forfeit, fault, message and details, or nothing."""
    if game.forfeit is None:
        return {}
    return {
        "forfeit": game.start.game.seats[game.forfeit],
        "fault": game.fault,
        "message": game.message,
        "details": list(game.details),
    }


def result_of(
    record: Mapping[str, Any], seats: Sequence[str], winner: int | None, margin: int | None = None
) -> Result:
    """Return the result in a record, from its `moves` and the keys of `forfeit_record`.

    Args:
        record: of a game.
        seats: what the players are called.
        winner: the seat that has won if nobody has lost by forfeit.
        margin: as in `Result`.

    Raises:
        NotationError: if there are no moves, or the seat that lost by forfeit is unknown.
    """
    moves, forfeit = record.get("moves"), record.get("forfeit")
    if not isinstance(moves, list) or forfeit not in (None, *seats):
        raise NotationError("no moves, or a forfeit of nobody who plays")
    told, opening = record.get("crashes", {}), whole(record.get("opening", 0))
    counts = told.values() if isinstance(told, dict) else [None]
    if opening is None or None in map(whole, counts):
        raise NotationError("a count is no number")
    if forfeit is not None and record.get("fault") not in (*_FAULTS,):
        raise NotationError("a forfeit without a fault")
    crashes = tuple(sum(told.get(seat, 0) for seat in seats[bot::2]) for bot in (0, 1))
    rules = [(name, record[name]) for name in sorted({*record} - {*_ENDS, *seats})]
    begun = repr((rules, moves[:opening])) if "opening" in record else ""
    same = hash(begun), hash(repr((rules, moves, *map(record.get, seats))))
    played = Result(winner, len(moves), margin, crashes=crashes, opening=same[0], game=same[1])
    if forfeit is None:
        return played
    lost = seats.index(forfeit)
    details = record.get("details")
    return replace(
        played,
        winner=lost - 1 if lost else 1,  # the other bot has the seats beside it
        forfeit=lost,
        fault=record.get("fault"),
        message=str(record.get("message", "")),
        details=tuple(details) if isinstance(details, list) else (),
    )


def play_pair(
    one: Player, two: Player, number: int, terms: MatchTerms, places: Iterable[int] = (0, 1)
) -> tuple[FinishedGame, ...]:
    """Play an opening twice: with `one` in seat 0, then with `two` in seat 0.

    If there are more than two seats, each bot has every second one.

    Args:
        one, two: the bots.
        number: of the pair, from 0.
        terms: what is played on.
        places: which of the two games to play, 0 and 1.

    Examples:
        >>> from kulami_solver.bots import Greedy, Random
        >>> from kulami_solver.bots.kulami.match import KulamiTerms
        >>> from kulami_solver.kulami.position.layout import Layout
        >>> terms = KulamiTerms(Layout.parse("AABCC/AABDD/EEFFG"), plies=2)
        >>> there, back = play_pair(Player(Greedy()), Player(Random()), 0, terms)
        >>> there.moves[:2] == back.moves[:2], there.players, back.players
        (True, ('greedy', 'random'), ('random', 'greedy'))
    """
    opening = terms.opening(number)
    seats = range(len(opening.start.game.seats))

    def play(place: int) -> FinishedGame:
        return play_game(
            [(one, two)[(seat + place) % 2] for seat in seats],
            opening,
            terms.clock,
            terms.adjudicate,
            seed=terms.seed * SEEDS + number,
            recover=terms.recover == "move",
        )

    games = []
    for place in places:
        game = play(place)
        if terms.recover == "game" and game.fault == "crash":
            crashes = tuple(int(seat == game.forfeit) for seat in seats)
            game = replace(play(place), crashes=crashes)
        games.append(game)
    return tuple(games)


class MatchReport:
    """The games of a match so far, and what they say.

    Args:
        one, two: the bots' names.
        sprt: the test that may end the match.
        margins: whether games are won by margins, and the report speaks of them.

    Examples:
        >>> from kulami_solver.bots.kulami.match import KulamiTerms
        >>> from kulami_solver.kulami.position.layout import Layout
        >>> report = MatchReport("greedy", "random")
        >>> terms = KulamiTerms(Layout.parse("AABCC/AABDD/EEFFG"), plies=2)
        >>> greedy, random = (terms.player(name, 0) for name in ("greedy", "random"))
        >>> games = play_pair(greedy, random, 0, terms)
        >>> report.add(0, [terms.result(terms.record(game)) for game in games])
        >>> report.games, sum(report.counts.values())
        (2, 2)
    """

    def __init__(self, one: str, two: str, sprt: Sprt | None = None, margins: bool = True) -> None:
        self.one = one
        self.two = two
        self.sprt = sprt
        self.margins = margins
        self._played: dict[int, Sequence[Result | None]] = {}
        self._points_had: Counter[float] = Counter()
        self._pair_counts = [0] * len(PAIR_POINTS)
        self._tested = [0] * len(PAIR_POINTS)
        self._looked = 0  # how many pairs the test has looked at
        self._seen: set[int] = set()  # their games
        self._verdict: str | None = None

    def add(self, pair: int, games: Sequence[Result | None]) -> None:
        """Take in a pair: how both games have ended; `one` has seat 0 in the first.

        One of them may be None among games that were not played as a match.
        """
        self._played[pair] = games
        points = self._points(pair)
        self._points_had.update(points)
        if len(points) == len(games):
            self._pair_counts[round(2 * sum(points))] += 1

    def _games_of(self, pair: int) -> set[int]:
        """The games of a pair, equal for the same game."""
        games = enumerate(self._played[pair], -2 * pair - 2)
        return {game.game or number for number, game in games if game is not None}

    def __contains__(self, pair: object) -> bool:
        return pair in self._played

    @property
    def games(self) -> int:
        """How many games there are."""
        return self._points_had.total()

    @property
    def openings(self) -> int:
        """How many different openings there are."""
        return len({game.opening or -1 - pair for pair, _, game in self._all_games()})

    @property
    def different(self) -> int:
        """How many different games there are: bots without luck play the same one again."""
        return len(set().union(*map(self._games_of, self._played)))

    @property
    def ratio(self) -> float:
        """The logarithm of the test's likelihood ratio, of the pairs that it has looked at."""
        _ = self.verdict  # the test has looked
        return 0.0 if self.sprt is None else self.sprt.ratio(self._tested)

    def _points(self, pair: int) -> list[float]:
        """The points of `one` in both games of a pair, whose place is its seat."""
        return [
            POINTS[None if game.winner is None else game.winner % 2 == place]
            for place, game in enumerate(self._played[pair])
            if game is not None
        ]

    def _all_games(self) -> Iterator[tuple[int, int, Result]]:
        """Pair, place and result of each game, in their order."""
        for pair in sorted(self._played):
            for place, game in enumerate(self._played[pair]):
                if game is not None:
                    yield pair, place, game

    @property
    def counts(self) -> dict[str, int]:
        """How many games `one` has won, drawn and lost: `wins`, `draws` and `losses`."""
        points = self._points_had
        return {"wins": points[1.0], "draws": points[0.5], "losses": points[0.0]}

    @property
    def score(self) -> float:
        """The share of the points that `one` has."""
        points = self._points_had
        return (points[1.0] + points[0.5] / 2) / points.total() if self._played else 0.5

    @property
    def pairs(self) -> list[float]:
        """The share of the points that `one` has in each pair, in the order of the pairs."""
        return [mean(self._points(pair)) for pair in sorted(self._played)]

    @property
    def sizes(self) -> list[int]:
        """How many games each of these pairs has: two, or one where the other is missing."""
        return [len(self._points(pair)) for pair in sorted(self._played)]

    @property
    def pair_counts(self) -> list[int]:
        """How many pairs `one` has ended with 0, 1/2, 1, 3/2 and 2 points."""
        return list(self._pair_counts)

    @property
    def normalized(self) -> float | None:
        """The strength of `one` as the mean of a pair over its deviation.

        It is 0 for equal bots, and depends less than Elo on how many openings are won by whoever
        has the better side. None before the second pair, and if all pairs are alike.
        """
        return normalized(self.pairs)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of that share."""
        return pair_interval(self.pairs)

    @property
    def elo(self) -> float | None:
        """The difference in Elo, None if one side has all points."""
        return elo_of(self.score)

    @property
    def elo_interval(self) -> tuple[float | None, float | None]:
        """Its 95 % interval, None where it has no bound."""
        low, high = self.interval
        return elo_of(low), elo_of(high)

    @property
    def mean_margin(self) -> float:
        """The average margin of `one`, if games have margins; forfeits count as the board stood."""
        known = [(place, game.margin) for _, place, game in self._all_games()]
        margins = [-margin if place else margin for place, margin in known if margin is not None]
        return sum(margins) / max(1, len(margins))

    @property
    def faults(self) -> list[dict[str, Any]]:
        """Games lost by forfeit: game, bot, ply, fault, message and details."""
        return [
            {
                "game": 2 * pair + place + 1,
                "bot": self.one if game.forfeit % 2 == place else self.two,
                "ply": game.plies + 1,
                "fault": game.fault,
                "message": game.message,
                "details": list(game.details),
            }
            for pair, place, game in self._all_games()
            if game.forfeit is not None
        ]

    @property
    def crashes(self) -> list[int]:
        """How often `one` and `two` have crashed, whether or not that lost the game."""
        found = [0, 0]
        for _, place, game in self._all_games():
            for seat, count in enumerate(game.crashes):
                found[(seat + place) % 2] += count
            if game.forfeit is not None and game.fault == "crash":
                found[(game.forfeit + place) % 2] += 1
        return found

    @property
    def verdict(self) -> str | None:
        """The answer of the test, "H0" or "H1"; None without a test, or while it is open.

        It uses the pairs in the order of their numbers, up to the first missing one, so that
        games in parallel give the same answer as games one by one. A pair without a new game tells
        nothing new.
        """
        if self.sprt is None:
            return None
        while self._verdict is None and (pair := self._looked) in self._played:
            self._looked += 1
            if not self._games_of(pair) <= self._seen:
                self._seen |= self._games_of(pair)
                self._tested[round(2 * sum(self._points(pair)))] += 1
            self._verdict = self.sprt.verdict(self._tested)
        return self._verdict

    def to_json(self) -> dict[str, Any]:
        """Return the report as the command line prints it."""
        answer: dict[str, Any] = {
            "bots": [self.one, self.two],
            "games": self.games,
            "different": self.different,
            "openings": self.openings,
            **self.counts,
            "score": self.score,
            "interval": list(self.interval),
            "elo": self.elo,
            "elo_interval": list(self.elo_interval),
            "mean_margin": self.mean_margin,
            "pairs": self.pair_counts,
            "normalized": self.normalized,
            "faults": self.faults,
            "crashes": self.crashes,
            "sprt": None,
        }
        if not self.margins:
            del answer["mean_margin"]
        if self.sprt is not None:
            answer["sprt"] = {
                **asdict(self.sprt),
                "model": self.sprt.model,
                "ratio": self.ratio,
                "bounds": list(self.sprt.bounds),
                "verdict": self.verdict,
                "elo_biased": self.verdict is not None,
            }
        return answer

    def text(self, shown: int = 5) -> str:
        """Return the report as text, with at most `shown` forfeits."""
        (low, high), (elo_low, elo_high) = self.interval, self.elo_interval
        wins, draws, losses = self.counts.values()
        head = f"{self.one} against {self.two}: {so_many(self.games, 'game')}, "
        head += so_many(self.openings, "opening")
        if self.different < self.games:
            head += f"; different games: {self.different}"
        if not self.games:
            return head
        lines = [
            head,
            f"{self.one} wins {wins}, draws {draws}, loses {losses}",
            f"score    {self.score * 100:.1f} %  (95 % interval {low * 100:.1f}-"
            f"{high * 100:.1f} %)",
            f"Elo      {_elo(self.elo, self.score)}  (95 % interval {_elo(elo_low, low)} to "
            f"{_elo(elo_high, high)})",
        ]
        if self.margins:
            lines.append(f"margin   {self.mean_margin:+.2f} on average")
        if sum(self._pair_counts) > 1:
            counts = "  ".join(map("{}: {}".format, PAIR_POINTS, self.pair_counts))
            lines.append(f"pairs    {counts}  (by the points of {self.one})")
        for number, said in enumerate(self.tested()):
            lines.append(f"{'' if number else 'SPRT':<9}{said}")
        lines += crash_lines((self.one, self.two), self.crashes, self.faults)
        return "\n".join([*lines, *forfeit_lines(self.faults, shown)])

    def tested(self) -> list[str]:
        """Return what the test says, what it tests, and what that does to the Elo, as sentences."""
        test, verdict = self.sprt, self.verdict
        if test is None:
            return []
        low, high = test.bounds
        said = {
            "H0": f"better by less than {test.elo1:g} Elo, if at all",
            "H1": f"better by more than {test.elo0:g} Elo",
            None: "not decided",
        }[verdict]
        lines = [
            f"{said}: LLR {self.ratio:.2f} ({low:.2f} to {high:.2f})",
            f"of H0 {test.elo0:+g} Elo and H1 {test.elo1:+g} Elo, alpha {test.alpha:g}, "
            f"beta {test.beta:g}, {test.model} model of pairs",
        ]
        if verdict is not None:
            lines.append(
                "Elo and its interval are biased away from the middle, since the test stopped the "
                "match"
            )
        return lines


def crash_lines(
    bots: Sequence[str], crashes: Sequence[int], faults: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return a line for each bot that crashed more often than it lost a game by that."""
    lost = Counter(fault["bot"] for fault in faults if fault["fault"] == "crash")
    return [
        f"crashes  {bot}: {so_many(count, 'time')} in all, {lost[bot]} of its games lost by them"
        for bot, count in zip(bots, crashes, strict=True)
        if count > lost[bot]
    ]


def forfeit_lines(faults: Sequence[Mapping[str, Any]], shown: int) -> list[str]:
    """Return lines on forfeits: how often each bot lost by each fault, and `shown` examples."""
    lines = []
    kinds = Counter((fault["bot"], fault["fault"]) for fault in faults)
    for (bot, kind), count in sorted(kinds.items()):
        lines.append(f"forfeit  {bot} loses {count} by {_FAULTS.get(kind, kind)}")
    told: set[tuple[str, ...]] = set()
    for fault in faults[:shown]:
        lines.append(f"  game {fault['game']}, ply {fault['ply']}: {fault['message']}")
        # A traceback is shown only once; the exception itself is in the message.
        places = tuple(map(str, fault["details"][:-1]))
        if places not in told:
            lines += [f"    {line}" for line in fault["details"]]
        told.add(places)
    if len(faults) > shown:
        lines.append(f"  and {len(faults) - shown} more")
    return lines


_FAULTS = {"illegal": "an illegal move", "timeout": "time", "crash": "a crash"}


def _elo(elo: float | None, score: float) -> str:
    if elo is None:
        return "-inf" if score < 0.5 else "+inf"
    return f"{elo:+.0f}"


def play_numbered(
    players: Sequence[Player],
    pairings: Sequence[tuple[int, int]],
    number: int,
    terms: MatchTerms,
    places: Iterable[int] = (0, 1),
) -> tuple[FinishedGame, ...]:
    """Play a pair of games of several bots: opening by opening, each by one pairing after another.

    Args:
        players: the bots.
        pairings: who meets whom, as numbers of bots from 0.
        number: of the pair, from 0.
        terms, places: as for `play_pair`.
    """
    opening, pairing = divmod(number, len(pairings))
    one, two = pairings[pairing]
    return play_pair(players[one], players[two], opening, terms, places)


# In parallel: each process has all bots.

_begun: tuple[list[Player], Sequence[tuple[int, int]], MatchTerms] | None = None


def pairs_in_parallel(
    bots: Sequence[str | BotDescription],
    seed: int,
    places: Mapping[int, tuple[int, ...]],
    terms: MatchTerms,
    workers: int | Executor,
    pairings: Sequence[tuple[int, int]] = ((0, 1),),
) -> Iterator[tuple[int, tuple[FinishedGame, ...]]]:
    """Play pairs in several processes; yield number and games, in no particular order.

    The processes end when the caller closes this generator, or an exception does.

    Args:
        bots: as for `MatchTerms.player`.
        seed: of the first bot; that of the next is one more, and so on.
        places: which games to play of each pair, as for `play_pair`, by the pairs' numbers.
        terms: what is played on.
        workers: processes, 1 or more; or an executor, on whose workers the bots are found as here.
        pairings: who meets whom, which numbers the pairs as for `play_numbered`.

    Raises:
        BotCrashed: if a process ended.
    """
    names = [described(bot).name for bot in bots]
    crashed = f"{' or '.join(names)}: a process that plays has ended; try --workers 1 to see why"
    shown = f"match {' against '.join(names)}"
    begin = (bots, seed, terms, pairings)
    with workers_at(workers, shown, crashed, _begin, begin) as playing:
        for (number, _), games in playing.done(_play, places.items(), playing.number + 1):
            yield number, games


def _begin(
    bots: Sequence[str | BotDescription],
    seed: int,
    terms: MatchTerms,
    pairings: Sequence[tuple[int, int]],
) -> Callable[[], None]:
    global _begun
    players = [terms.player(bot, seed + place) for place, bot in enumerate(bots)]
    _begun = players, pairings, terms
    ends = ExitStack()
    for player in players:
        ends.callback(player.close)
    return ends.close


def _play(number: int, places: tuple[int, ...]) -> tuple[FinishedGame, ...]:
    assert _begun is not None
    players, pairings, terms = _begun
    return play_numbered(players, pairings, number, terms, places)
