"""The interface of a bot: an object with `choose(position) -> move`.

    class Mine:
        def choose(self, position):              # or with scoring=..., clock=..., or both
            return position.legal_fields[0]

The type of the position depends on the game: `kulami_solver.game.State.for_bots` gives it.
A bot may take more arguments by name, and gets those that it names: `clock`, how long it may think,
and further arguments of its game; in Kulami `scoring`. It may have a `name`, a `new_game()` that is
called before each game, and a `close()`. A whole number called `seed` is one higher in each further
game of a series; a `thought` is the bot's opinion of its last choice.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from ..core.interruption import awake
from ..core.whole_numbers import checked_index, real, whole
from ..errors import KulamiError, checked_kind, quoted
from ..game import State, checked_state, descriptor, in_turn

PATIENCE: Final = 60.0
"""Seconds a move may take if no time is set."""

GRACE: Final = 0.5
"""Seconds beyond the time set that the way to a bot's process and back may take."""

_FOR_EVER: Final = 1e300  # seconds; whole numbers beyond cannot be told by a float
_MOST_POINTS = 1e9  # a score beyond is none


class BotError(KulamiError):
    """A bot cannot be used, or broke the rules for bots; `kind` is the fault in a word."""

    kind = "unusable"
    details: tuple[str, ...] = ()
    """The place of the fault, if the bot reports it: a traceback."""


class BotCrashed(BotError):  # noqa: N818  (named after the event)
    """A bot raised an exception, or its program ended."""

    kind = "crash"


class BotTimedOut(BotError):  # noqa: N818
    """A bot did not answer in time."""

    kind = "timeout"


class BotRefused(BotError):  # noqa: N818
    """A bot does not play such positions: it raises `NotImplementedError`, or has no move."""

    kind = "refused"


class IllegalAnswer(BotError):  # noqa: N818
    """A bot's answer is no legal move."""

    kind = "illegal"


@dataclass(frozen=True)
class Clock:
    """How long a bot may think about one move; None means no limit.

    Attributes:
        seconds: time, more than 0. With a clock for the whole game this is the arena's proposal for
            this move; a bot may take another part of its time.
        nodes: positions to look at.
        depth: plies to look ahead.
        stop: set while the bot thinks if it has to answer now.
        game: seconds that each bot has for all moves of a game.
        increment: seconds that each of its moves adds to its time left.
        left: seconds that each seat has left; empty without a clock for the game.
        seat: the seat to move, an index of `left`.

    Examples:
        >>> Clock(seconds=0.5).limited, Clock().limited
        (True, False)
        >>> Clock(seconds=2.0, left=(31.5, 60.0), seat=0).latest
        31.5
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    stop: threading.Event | None = field(default=None, compare=False)
    game: float | None = None
    increment: float = 0.0
    left: tuple[float, ...] = ()
    seat: int = 0

    def __post_init__(self) -> None:
        for name in ("seconds", "game", "increment"):
            given = getattr(self, name)
            number = 0 if given is None else real(given)
            if number is None or not (number < _FOR_EVER or number == math.inf):
                raise KulamiError(f"{name} of a clock is {quoted(given)}: give seconds")
        if checked_kind(self.left, tuple, "left of a clock are seconds, a tuple"):
            checked_index(self.seat, len(self.left), "seat of a clock")

    @property
    def latest(self) -> float | None:
        """Seconds after which a move is too late; None if it never is."""
        return self.left[self.seat] if self.left else self.seconds

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return any(limit is not None for limit in (self.seconds, self.nodes, self.depth))

    @property
    def stopped(self) -> Callable[[], bool] | None:
        """A function that tells whether to stop; None if there is no stop event."""
        return None if self.stop is None else self.stop.is_set


@dataclass(frozen=True)
class Thought:
    """A bot's opinion of its chosen move; None where the bot does not tell.

    An opinion with other values than these, such as an infinite score, is not passed on.

    Attributes:
        line: the moves that it expects, the one chosen first.
        score: the value that it expects, for the side to move; in Kulami points of margin.
        nodes: positions looked at.
        depth: plies looked ahead.
        proved: whether the move is proved to be best.
        chances: of a win, a draw and a loss, which add up to 1; an estimate.
    """

    line: tuple[str, ...]
    score: float | None = None
    nodes: int | None = None
    depth: int | None = None
    proved: bool | None = None
    chances: tuple[float, float, float] | None = None


class Bot(Protocol):
    """The interface of every bot. `clock` and a game's further arguments may be left out."""

    def choose(self, position: Any, *, clock: Clock) -> object:
        """Return a legal move of a position whose game is not over."""
        ...


@runtime_checkable
class SolvingBot(Protocol):
    """A bot that finds the exact value of its move, once the end of the game is near enough.

    Its `choose` also takes `report`, a function that gets the progress of the search every 50 ms.

    Attributes:
        solved_at_once: the number of plies to come at which solving takes next to no time.
    """

    solved_at_once: int

    @property
    def proved(self) -> bool:
        """Whether the move chosen last is proved to be best."""
        ...


class Player:
    """A wrapper of any bot: whatever the bot does, the result is a legal move or a `BotError`.

    Args:
        bot: an object with `choose`, or a function that does as `choose` would.
        name: the bot's name; by default its own `name`, or that of its class.

    Raises:
        BotError: if it has no `choose` that takes a position.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> class Last:
        ...     def choose(self, position):
        ...         return position.legal_fields[-1]
        >>> player = Player(Last())
        >>> player.name, player.choose(load_game("kulami", layout="AAB/CCB").start())
        ('Last', 'c2')
    """

    def __init__(self, bot: object, name: str | None = None) -> None:
        choose = getattr(bot, "choose", bot if inspect.isroutine(bot) else None)
        if not callable(choose):
            shown = quoted(bot) if name is None else f"{name}, {quoted(bot)},"
            raise BotError(f"{shown} is no bot: it has no method choose(position)")
        if inspect.iscoroutinefunction(choose):
            shown = quoted(bot) if name is None else name
            raise BotError(f"{shown} answers with a coroutine: write 'def', not 'async def'")
        self.bot = bot
        own = getattr(bot, "name", None) or getattr(bot, "__name__", type(bot).__name__)
        self.name = str(name or own)
        self._choose = choose
        self.taken: Final = _names_taken(choose)
        """The names of the arguments that the bot takes; None: all."""

    def new_game(self) -> None:
        """Tell the bot that another game begins.

        Raises:
            BotError: if the bot raises an exception.
        """
        self._tell("new_game")

    def advance(self) -> None:
        """Add one to the bot's seed, if it has one: it plays another game from the same position.

        Raises:
            BotError: if its seed cannot be set.

        Examples:
            >>> from kulami_solver.bots import Random
            >>> player = Player(Random(seed=7))
            >>> player.advance(), player.bot.seed
            (None, 8)
        """
        seed = whole(getattr(self.bot, "seed", None))
        if seed is None:
            return
        try:
            self.bot.seed = seed + 1  # type: ignore[attr-defined]
        except (Exception, SystemExit) as error:
            raise BotCrashed(f"{self.name}: setting its seed {raised(error)}") from error

    @property
    def thought(self) -> Thought | None:
        """The bot's opinion of its last choice; None if it does not tell, or makes no sense."""
        try:
            thought = getattr(self.bot, "thought", None)
            return thought if isinstance(thought, Thought) and _makes_sense(thought) else None
        except (Exception, SystemExit):
            return None  # its move counts all the same

    def close(self) -> None:
        """Close the bot, and ignore its exceptions."""
        with contextlib.suppress(BotError):
            self._tell("close")

    def _tell(self, what: str) -> None:
        told = getattr(self.bot, what, None)
        if not callable(told):
            return
        try:
            told()
        except BotError:
            raise
        except (Exception, SystemExit) as error:
            raise BotCrashed(f"{self.name}: {what}() {raised(error)}") from error

    def choose(self, state: State, clock: Clock | None = None, **others: Any) -> str:
        """Ask for a move.

        Args:
            state: a state in which it is the bot's turn.
            clock: how long the bot may think.
            others: further arguments that this bot takes by name.

        Returns:
            One of the state's `moves`.

        Raises:
            BotCrashed, BotTimedOut, IllegalAnswer: if the bot gives no such move.
        """
        position, told = checked_state(state).for_bots()
        answer = self.ask(position, {**told, "clock": clock or Clock()}, **others)
        try:
            return state.move_of(answer)
        except TypeError as error:
            raise IllegalAnswer(f"{self.name} answers {quoted(answer)}, which is {error}") from None
        except KulamiError as error:
            raise IllegalAnswer(f"{self.name} answers {quoted(answer)}: {error}") from None

    def untold(self, state: State) -> tuple[str, ...]:
        """Return the names of a state's rules, other than the usual ones, that the bot is not told.

        Examples:
            >>> from kulami_solver.game import load_game
            >>> class First:
            ...     def choose(self, position):
            ...         return position.legal_fields[0]
            >>> Player(First()).untold(load_game("kulami", layout="AAB/CCB", scoring="2").start())
            ('scoring',)
        """
        position, told = in_turn(checked_state(state)).for_bots()
        lacking = getattr(self.bot, "lacking", lambda position, told: ())
        usual = {option.name: option.default for option in descriptor(state.game.name).options}
        values = {name: getattr(value, "value", value) for name, value in told.items()}
        taken = told if self.taken is None else self.taken
        others = [name for name in usual.keys() & values if values[name] != usual[name]]
        return (*lacking(position, told), *(name for name in others if name not in taken))

    def ask(self, position: Any, offered: Mapping[str, Any], **others: Any) -> object:
        """Call the bot's `choose`, and return its answer unchecked.

        Args:
            position: the position as the game's bots get it.
            offered: arguments by name; the bot gets those that it takes.
            others: further arguments that the bot takes by name.

        Raises:
            BotError: if the bot does not answer.
        """
        checked_kind(offered, Mapping, "what is offered has names")
        taken = offered if self.taken is None else self.taken
        arguments = others | {name: offered[name] for name in offered if name in taken}
        try:
            return self._choose(position, **arguments)
        except BotError:
            raise
        except NotImplementedError as error:
            raise BotRefused(f"{self.name} {raised(error)}") from None
        except (Exception, SystemExit) as error:
            raise BotCrashed(f"{self.name} {raised(error)}") from error

    def timed(self, state: State, clock: Clock | None = None) -> tuple[str, float]:
        """As `choose`, with the seconds it took, by `core.interruption.awake`."""
        begun = awake()
        chosen = self.choose(state, clock)
        return chosen, awake() - begun


def _makes_sense(thought: Thought) -> bool:
    """Whether a bot, which may be anyone's, has told of lines and numbers as `Thought` says."""
    line, chances = thought.line, thought.chances
    if not isinstance(line, (tuple, list)) or not all(
        isinstance(move, str) and move.isprintable() for move in line
    ):
        return False
    if chances is not None and not (isinstance(chances, (tuple, list)) and len(chances) == 3):
        return False
    counts = [whole(count) for count in (thought.nodes, thought.depth) if count is not None]
    shares = [real(chance) for chance in chances or ()]
    score = real(0 if thought.score is None else thought.score)
    return (
        score is not None
        and abs(score) < _MOST_POINTS
        and all(count is not None and 0 <= count < 1 << 62 for count in counts)
        and all(share is not None and 0 <= share <= 1 for share in shares)
    )


def _names_taken(choose: Callable[..., object]) -> frozenset[str] | None:
    """Return the names of the arguments that a bot's method takes; None if it takes all."""
    try:
        parameters = inspect.signature(choose).parameters.values()
    except (TypeError, ValueError):  # compiled, without a signature
        return frozenset()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return frozenset(parameter.name for parameter in parameters if parameter.kind in kinds)


def raised(error: BaseException) -> str:
    """Say what a bot has raised.

    Examples:
        >>> raised(ValueError("no move"))
        'raises ValueError: no move'
    """
    try:
        said = " ".join(str(error).split())[:200]
    except Exception:  # of a bot's own class
        said = ""
    return f"raises {type(error).__name__}" + (f": {said}" if said else "")
