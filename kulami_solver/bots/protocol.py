"""What a bot is: something with `choose(position) -> move`.

    class Mine:
        def choose(self, position):              # or with scoring=..., clock=..., or both
            return position.legal_fields[0]

What the position is depends on the game: a `kulami_solver.game.State` says what its bots are given.
A bot may take more arguments by name, and is given those it has: `clock`, how long it may think,
and what its game offers besides; in Kulami `scoring`, what counts. It may have a `name`, a
`new_game()` that is called before each game, and a `close()`. A whole number called `seed` is one
higher in each further game of a series; a `thought` says what it thinks of the move it
has chosen.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from ..core.whole_numbers import whole
from ..errors import KulamiError
from ..game import State


class BotError(KulamiError):
    """A bot cannot be used, or did what no bot may; `kind` says which in a word."""

    kind = "unusable"
    details: tuple[str, ...] = ()
    """Where, as far as it says so itself: a traceback."""


class BotCrashed(BotError):  # noqa: N818  (what happened, not what is wrong)
    """A bot raised an exception, or its program ended."""

    kind = "crash"


class BotTimedOut(BotError):  # noqa: N818
    """A bot did not answer in time."""

    kind = "timeout"


class IllegalAnswer(BotError):  # noqa: N818
    """A bot answered what is no legal move."""

    kind = "illegal"


@dataclass(frozen=True)
class Clock:
    """How long a bot may think about one move; what is None is not limited.

    Attributes:
        seconds: time, more than 0. Where there is a clock for the whole game this is what the arena
            would take of it for this move; a bot may take another part.
        nodes: positions to look at, or playouts.
        depth: plies to look ahead.
        stop: set while the bot thinks if it has to come to an end now.
        game: seconds that each bot has for all moves of a game.
        increment: seconds that each of its moves adds to what it has left then.
        left: seconds that each seat has left; empty where there is no clock for the game.
        seat: the one that is to move, in `left`.

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

    @property
    def latest(self) -> float | None:
        """Seconds after which a move is too late; None if it never is."""
        return self.left[self.seat] if self.left else self.seconds

    @property
    def limited(self) -> bool:
        """Whether anything ends the thinking."""
        return any(limit is not None for limit in (self.seconds, self.nodes, self.depth))

    @property
    def stopped(self) -> Callable[[], bool] | None:
        """Asks whether to stop; None if nobody ever says so."""
        return None if self.stop is None else self.stop.is_set


@dataclass(frozen=True)
class Thought:
    """What a bot thinks of the move it has chosen; what is None it does not say.

    Attributes:
        line: the moves that it expects, the one chosen first.
        score: the value that it expects, for the side to move; in Kulami points of margin.
        nodes: positions looked at, or playouts.
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
    """What every bot has. `clock` may be left out, and so may what a game offers besides."""

    def choose(self, position: Any, *, clock: Clock) -> object:
        """Return a legal move of a position whose game is not over."""
        ...


class SearchState(Protocol):
    """How far a search has come that is still going on."""

    @property
    def nodes(self) -> int:
        """Positions searched."""
        ...

    @property
    def seconds(self) -> float:
        """Time taken."""
        ...

    @property
    def lower(self) -> int:
        """The value is not less, for the side to move."""
        ...

    @property
    def upper(self) -> int:
        """The value is not more, for the side to move."""
        ...


@runtime_checkable
class Solver(Protocol):
    """A bot that finds out what its move is worth, once the end of the game is near enough.

    Its `choose` takes `report` as well, a function that is told every 50 ms how far the search is.

    Attributes:
        solved_at_once: plies to come, from which on that takes next to no time.
    """

    solved_at_once: int

    @property
    def proved(self) -> bool:
        """Whether the move chosen last is proved to be best."""
        ...


class Player:
    """A bot behind one face: whatever it does, there is a legal move or a `BotError`.

    Args:
        bot: an object with `choose`.
        name: what to call it; by default its own `name`, or that of its class.

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
        choose = getattr(bot, "choose", None)
        if not callable(choose):
            raise BotError("no_choose", bot=bot)
        self.bot = bot
        self.name = str(name or getattr(bot, "name", None) or type(bot).__name__)
        self._choose = choose
        self._takes = _taker(choose)

    def new_game(self) -> None:
        """Tell the bot that another game begins.

        Raises:
            BotError: if that was too much for it.
        """
        self._tell("new_game")

    def advance(self) -> None:
        """Add one to the bot's seed, if it has one: it plays another game from the same position.

        Raises:
            BotError: if it does not let itself be given one.

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
            raise BotCrashed("seed_raises", name=self.name, raised=_raised(error)) from error

    @property
    def thought(self) -> Thought | None:
        """What the bot thinks of the move it chose last; None if it does not say."""
        thought = getattr(self.bot, "thought", None)
        return thought if isinstance(thought, Thought) else None

    def close(self) -> None:
        """Let the bot go; what it does about that is nobody's business any more."""
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
            raise BotCrashed(
                "method_raises", name=self.name, method=what, raised=_raised(error)
            ) from error

    def choose(self, state: State, clock: Clock | None = None, **others: Any) -> str:
        """Ask for a move.

        Args:
            state: it is the bot's turn there.
            clock: how long the bot may think.
            others: what else this bot takes by name.

        Returns:
            One of the state's `moves`.

        Raises:
            BotCrashed, BotTimedOut, IllegalAnswer: instead of one.
        """
        position, told = state.for_bots()
        answer = self.ask(position, {**told, "clock": clock or Clock()}, **others)
        try:
            return state.move_of(answer)
        except TypeError as error:
            raise IllegalAnswer(
                "answers_no_move", name=self.name, answer=answer, why=error
            ) from None
        except KulamiError as error:
            raise IllegalAnswer(
                "answers_refused", name=self.name, answer=answer, why=error
            ) from None

    def ask(self, position: Any, offered: Mapping[str, Any], **others: Any) -> object:
        """Ask for a move as a bot is asked, and return whatever it answers.

        Args:
            position: what the game's bots are given.
            offered: by name, what this bot is given as far as it takes it.
            others: what else it takes by name.

        Raises:
            BotError: if it does not answer.
        """
        arguments = others | {name: offered[name] for name in offered if self._takes(name)}
        try:
            return self._choose(position, **arguments)
        except BotError:
            raise
        except (Exception, SystemExit) as error:
            raise BotCrashed("bot_raises", name=self.name, raised=_raised(error)) from error

    def timed(self, state: State, clock: Clock | None = None) -> tuple[str, float]:
        """As `choose`, with the seconds it took."""
        begun = time.perf_counter()
        chosen = self.choose(state, clock)
        return chosen, time.perf_counter() - begun


def _taker(choose: Callable[..., object]) -> Callable[[str], bool]:
    """Return what says whether a bot's method takes an argument of a name."""
    try:
        parameters = inspect.signature(choose).parameters.values()
    except (TypeError, ValueError):  # compiled, without a signature
        return lambda name: False
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return lambda name: True
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {parameter.name for parameter in parameters if parameter.kind in kinds}
    return named.__contains__


def _raised(error: BaseException) -> str:
    said = " ".join(str(error).split())[:200]
    return f"raises {type(error).__name__}" + (f": {said}" if said else "")
