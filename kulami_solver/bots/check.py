"""How often a bot's choice is optimal, and the cost of its mistakes.

An answer is judged by the exact values of a position's moves: it is optimal if no move is worth
more, and otherwise costs the difference in value. A bot that gives no legal move in time is
judged as if it had played the worst one, and the fault is counted. A position that a bot refuses
is not judged, and counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from ..core.budgets import check_watchers
from ..core.interruption import awake
from ..core.intervals import wilson
from ..errors import checked_kind
from ..game import Number
from .case import Case, json_number, outcome
from .case import case_key as case_key
from .description import BotDescription, described
from .naming import make_player
from .overheard import failure_lines, places_of
from .processes import workers_at
from .protocol import BotError, Clock, Player

__all__ = ["check"]

_FAULTS: Final = ("illegal", "timeout", "crash", "refused")

_LONGEST: Final = 1e9  # seconds of an answer in a file

SHOWN: Final = 12
"""How many blunders a report shows."""


@dataclass(frozen=True)
class Choice:
    """A bot's answer in a position.

    Attributes:
        case: the position with its values.
        played: the move, None if it gave no legal one.
        seconds: how long it took.
        fault: "illegal", "timeout", "crash" or "refused" where `played` is None.
        message: what went wrong in that case.
        details: the place of the fault, if known: a traceback, or a program's last lines.
    """

    case: Case
    played: str | None
    seconds: float
    fault: str | None = None
    message: str = ""
    details: tuple[str, ...] = ()

    @cached_property
    def value(self) -> Number:
        """The value after the answer, for the bot."""
        values = self.case.values
        return min(values.values()) if self.played is None else values[self.played]

    @cached_property
    def loss(self) -> Number:
        """The cost of the answer."""
        return self.case.best - self.value

    @cached_property
    def optimal(self) -> bool:
        """Whether the bot gave a move, and no move was better."""
        return self.played is not None and self.loss == 0

    @property
    def flip(self) -> str | None:
        """The change of the outcome: "win_draw", "win_loss", "draw_loss" or None."""
        before, after = outcome(self.case.best), outcome(self.value)
        return None if before == after else f"{before}_{after}"

    @property
    def only_move(self) -> bool:
        """Whether just one move was right."""
        return len(self.case.best_moves) == 1

    def to_json(self) -> dict[str, object]:
        """Return the answer as a file of results keeps it."""
        seconds = round(self.seconds, 6)
        record = {"case": case_key(self.case), "played": self.played, "seconds": seconds}
        return record | self.fault_json()

    def fault_json(self) -> dict[str, object]:
        """Return what a record says of a fault: fault, message and details, or nothing."""
        if self.fault is None:
            return {}
        return {"fault": self.fault, "message": self.message, "details": list(self.details)}

    @classmethod
    def from_json(cls, case: Case, record: dict[str, Any]) -> Choice | None:
        """Return the answer in a record; None if the record holds no answer."""
        played, seconds = record.get("played"), record.get("seconds")
        fault, message = record.get("fault"), record.get("message", "")
        if fault not in (None, *_FAULTS) or played not in (None, *case.values):
            return None
        if (played is None) == (fault is None) or isinstance(seconds, bool):
            return None
        if not isinstance(seconds, (int, float)) or not 0 <= seconds < _LONGEST:
            return None
        details = record.get("details")
        lines = tuple(map(str, details)) if isinstance(details, list) else ()
        return cls(case, played, float(seconds), fault, str(message), lines)


def choices_of(
    player: Player, cases: Iterable[Case], clock: Clock | None = None
) -> Iterator[Choice]:
    """Ask a bot for its choice in each position.

    Examples:
        >>> from kulami_solver.bots import Greedy
        >>> from kulami_solver.bots.kulami.suite import read_suite
        >>> [answer.fault for answer in choices_of(Player(Greedy()), read_suite(count=2))]
        [None, None]
    """
    for case in checked_kind(cases, Iterable, "cases are an iterable of Cases"):
        begun, state = awake(), checked_kind(case, Case, "a case is a Case").state
        try:
            played = player.choose(state, clock)
        except BotError as error:
            kind = "crash" if error.kind == "unusable" else error.kind
            seconds = awake() - begun
            yield Choice(case, None, seconds, kind, str(error), failure_lines(player, error))
        else:
            yield Choice(case, played, awake() - begun)


def check(
    bot: object,
    cases: Iterable[Case],
    clock: Clock | None = None,
    progress: Callable[[Choice], None] | None = None,
) -> CheckReport:
    """Judge a bot by its choices in positions with known values.

    Args:
        bot: any object with `choose(position)`, or a `Player`.
        cases: of any game; Kulami's are from `suite.read_suite` or `suite.draw_cases`.
        clock: how long it may think about each.
        progress: called with each answer.

    Raises:
        BotError: if `bot` is not a bot.

    Examples:
        >>> from kulami_solver.bots import Perfect
        >>> from kulami_solver.bots.kulami.suite import read_suite
        >>> report = check(Perfect(), read_suite(count=20))
        >>> report.optimal_rate, report.mean_loss
        (1.0, 0.0)
    """
    check_watchers(progress, None)
    player = bot if isinstance(bot, Player) else Player(bot)
    answers = []
    for answer in choices_of(player, cases, clock):
        answers.append(answer)
        if progress is not None:
            progress(answer)
    return CheckReport(player.name, answers)


# In parallel: each process has its own bot.

_AT_ONCE = 4  # positions given to a process at a time
Maker = Callable[[str | BotDescription, int, bool], Player]
_player: Player | None = None
_clock: Clock | None = None


def choices_in_parallel(
    bot: str | BotDescription,
    seed: int,
    cases: Sequence[Case],
    clock: Clock,
    workers: int | Executor,
    make: Maker = make_player,
) -> Generator[Choice, None, None]:
    """As `choices_of`, but in several processes, each with a bot of its own, in any order.

    The processes end when the caller or an exception closes this generator.

    Args:
        bot, seed: as for `make`.
        cases: the positions.
        clock: how long the bot may think about each.
        workers: processes, 1 or more; or an executor whose workers find the bot by the same name.
        make: makes a bot, by a seed, and by whether it gets its own process.

    Raises:
        BotCrashed: if a process ended.
    """
    # Without `stop`, because no other process can see it.
    begun, name = (make, bot, seed, replace(clock, stop=None)), described(bot).name
    crashed = f"{name}: a process that asks it has ended; try --workers 1 to see why"
    pieces = ((list(cases[at : at + _AT_ONCE]),) for at in range(0, len(cases), _AT_ONCE))
    with workers_at(workers, f"check {name}", crashed, _begin, begun) as asking:
        for _, answers in asking.done(_ask_some, pieces, 2 * asking.number):
            yield from answers


def _begin(make: Maker, bot: str | BotDescription, seed: int, clock: Clock) -> Callable[[], None]:
    global _player, _clock
    _player, _clock = make(bot, seed, True), clock
    return _player.close


def _ask_some(cases: list[Case]) -> list[Choice]:
    assert _player is not None
    return list(choices_of(_player, cases, _clock))


class CheckReport:
    """The results of a bot, from its answers.

    Args:
        bot: its name.
        answers: the bot's answers, any number. Those in which it refuses a position are not
            judged; they are `refused`, and the others `answers`.
        from_file: how many of the answers come from an earlier run.
        kind: the class of the cases, which names the columns; None: the class of those answered.

    Examples:
        >>> CheckReport("nobody", []).to_json()["interval"]
        [0.0, 1.0]
    """

    def __init__(
        self,
        bot: str,
        answers: Iterable[Choice],
        from_file: int = 0,
        kind: type[Case] | None = None,
    ) -> None:
        self.bot = bot
        self.title = bot
        """What tables call it."""
        self.untold: dict[str, int] = {}
        """The rules that it cannot be told, and how many positions need each."""
        given = tuple(answers)
        self.answers = tuple(answer for answer in given if answer.fault != "refused")
        self.refused = tuple(answer for answer in given if answer.fault == "refused")
        self.from_file = from_file
        if kind is None:
            kind = type(given[0].case) if given else Case
        self.kind = kind

    def __len__(self) -> int:
        return len(self.answers)

    @cached_property
    def optimal(self) -> int:
        """How many answers were optimal."""
        return sum(answer.optimal for answer in self.answers)

    @property
    def optimal_rate(self) -> float:
        """The share of optimal answers."""
        return self.optimal / len(self) if self.answers else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of that share."""
        return wilson(self.optimal, len(self))

    @property
    def mean_loss(self) -> float:
        """The average cost of an answer."""
        return float(sum(answer.loss for answer in self.answers) / max(1, len(self)))

    @property
    def worst_loss(self) -> Number:
        """The cost of the worst answer."""
        return max((answer.loss for answer in self.answers), default=0)

    @property
    def flips(self) -> dict[str, int]:
        """How often the outcome was spoilt, by kind."""
        found = Counter(answer.flip for answer in self.answers)
        return {kind: found[kind] for kind in ("win_draw", "win_loss", "draw_loss")}

    @property
    def only_moves(self) -> CheckReport:
        """The answers where just one move was right."""
        return self._part(answer for answer in self.answers if answer.only_move)

    @property
    def only_move_rate(self) -> float | None:
        """How often the only right move was found; None if there was no such position."""
        found = self.only_moves
        return found.optimal_rate if len(found) else None

    @property
    def faults(self) -> dict[str, int]:
        """How often the bot gave no legal move, by kind of fault."""
        found = Counter(answer.fault for answer in self.answers)
        return {kind: found[kind] for kind in ("illegal", "timeout", "crash")}

    @property
    def fault_words(self) -> str:
        """The same in words, empty without faults."""
        return ", ".join(f"{kind} {count}" for kind, count in self.faults.items() if count)

    @property
    def fault_groups(self) -> list[tuple[int, Choice]]:
        """The number of faults in each group, the largest group first, and an answer as an example.

        Faults with the same traceback, or else the same message, form a group.
        """
        found: dict[object, list[Choice]] = {}
        for answer in self.answers:
            if answer.fault is not None:
                places = places_of(answer.details)
                found.setdefault((answer.fault, places or answer.message), []).append(answer)
        return [(len(same), same[0]) for same in sorted(found.values(), key=len, reverse=True)]

    @property
    def seconds(self) -> float:
        """Time per answer, on average."""
        return sum(answer.seconds for answer in self.answers) / max(1, len(self))

    @property
    def worst_seconds(self) -> float:
        """The longest time an answer took."""
        return max((answer.seconds for answer in self.answers), default=0.0)

    def by(self, column: str) -> dict[str, CheckReport]:
        """Return a report for each value of a column of the cases."""
        parts: dict[Any, list[Choice]] = {}
        for answer in self.answers:
            parts.setdefault(answer.case.column(column), []).append(answer)
        # A value missing in a case is unknown.
        named = {part: "unknown" if part == "" else str(part) for part in sorted(parts)}
        return {name: self._part(parts[part]) for part, name in named.items()}

    def _part(self, answers: Iterable[Choice]) -> CheckReport:
        return CheckReport(self.bot, answers, kind=self.kind)

    @property
    def blunders(self) -> tuple[Choice, ...]:
        """All answers that were not optimal, the worst first."""
        wrong = [answer for answer in self.answers if not answer.optimal]
        spoilt = {None: 0, "win_draw": 1, "draw_loss": 1, "win_loss": 2}
        # The last key makes the order independent of the order in which answers came in.
        wrong.sort(key=lambda a: (-a.loss, -spoilt[a.flip], a.case.line))
        return tuple(wrong)

    def to_json(self, shown: int = SHOWN) -> dict[str, Any]:
        """Return the report as the command line prints it.

        Args:
            shown: how many blunders, at most.
        """
        return {
            "bot": self.bot,
            **self._summary(),
            "flips": self.flips,
            "only_move_rate": self.only_move_rate,
            "only_moves": len(self.only_moves),
            **{
                f"by_{column}": {name: part._summary() for name, part in self.by(column).items()}
                for column in self.kind.grouped_by
            },
            "blunders": [_blunder_json(answer) for answer in self.blunders[:shown]],
            "faults": self.faults,
            "refused": len(self.refused),
            "untold": self.untold,
            "seconds": self.seconds,
            "worst_seconds": self.worst_seconds,
            "from_file": self.from_file,
            "new": len(self) + len(self.refused) - self.from_file,
        }

    def _summary(self) -> dict[str, Any]:
        return {
            "positions": len(self),
            "optimal_rate": self.optimal_rate,
            "interval": list(self.interval),
            "mean_loss": self.mean_loss,
            "worst_loss": json_number(self.worst_loss),
        }


def _blunder_json(answer: Choice) -> dict[str, Any]:
    case = answer.case
    record = {
        **{column: case.column(column) for column in case.named_by},
        "played": answer.played,
        "best": list(case.best_moves),
        "loss": json_number(answer.loss),
        case.unit: json_number(case.best),
        "outcome": [outcome(case.best), outcome(answer.value)],
        "values": {move: json_number(value) for move, value in case.values.items()},
        "seconds": answer.seconds,
    }
    return record | answer.fault_json()
