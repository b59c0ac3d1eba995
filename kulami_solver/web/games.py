"""A game on the page: one class, which serves any game of `kulami_solver.game`.

    request --Replays--> Inquiry --+--> shown      all that the page draws
                                   +--> picture    an SVG document
                                   +--> valuing    its value, as a stream
                                   +--> choosing   the move of a bot
                                   +--> grading    the cost of each move, as a stream
                                   `--> exported   the position in every notation

`kulami_solver/web/GAME/` has the game's own part: a `PAGE`, and in `static/` the files for the
browser: `game.js`, `style.css`, and `texts/` in each language. A game without that folder is shown
by its picture, and its legal moves are buttons.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from ..bots import BotError, Clock
from ..bots.builtin import BestMover, RandomMover, StatePlayer
from ..bots.grade import EstimatedMove, GradedMove, MoveEstimate, grade
from ..bots.protocol import Player
from ..errors import KulamiError, Phrase, PositionError
from ..game import GAMES, NOBODY, Answer, Budget, Question, ask, descriptor, options_of, sound
from ..storage.database import Database
from .messages import Line, Seconds, Whole
from .replays import Asked, Replayed, asked_about
from .searches import Limits, Task, Work

_BOT_SECONDS: Final = 2.0
_GRADE_SECONDS: Final = 5.0
_LEAST_SECONDS: Final = 0.001

TIME: Final = ("time", Seconds | None, None)
"""How long a question may take."""


@dataclass(frozen=True)
class Opponent:
    """A kind of bot.

    Attributes:
        make: makes one from its strength and a seed.
        least, usual, most: its strengths; all 0 if it has only one.
        timed: whether it thinks for a given time.
    """

    make: Callable[[int, int], Any]
    least: int = 0
    usual: int = 0
    most: int = 0
    timed: bool = False


ANY_BOTS: Final = {
    "random": Opponent(lambda _strength, seed: StatePlayer(RandomMover(seed))),
    "perfect": Opponent(lambda _strength, seed: StatePlayer(BestMover(seed)), timed=True),
}
"""The bots of games that list none of their own."""

_BOT_NAME: Final = re.compile(r"([a-z]{1,12})(?::([0-9]{1,7}))?", re.ASCII)


def opponent(name: str, seed: int, bots: Mapping[str, Opponent]) -> Any:
    """Return the bot of a name.

    Names from the network never become a module, a program or a file: only the bots that a game's
    part of the page lists are known.

    Args:
        name: the name, followed by `:` and the strength if the bot has several.
        seed: the seed of its random choices.
        bots: all bots, weakest first.

    Raises:
        BotError: if there is no such bot.

    Examples:
        >>> bots = {"greedy": Opponent(lambda strength, seed: seed)}
        >>> opponent("greedy", 7, bots)
        7
        >>> opponent("greedy:FILE", 7, bots)
        Traceback (most recent call last):
        ...
        kulami_solver.bots.protocol.BotError: 'greedy:FILE' is no bot of the page: use greedy
    """
    match = _BOT_NAME.fullmatch(name)
    kind = bots.get(match[1]) if match else None
    if match and kind:
        strength = kind.usual if match[2] is None else int(match[2])
        if kind.least <= strength <= kind.most and (kind.most or match[2] is None):
            return kind.make(strength, seed)
    known = [f"{one}:{it.least}-{it.most}" if it.most else one for one, it in bots.items()]
    raise BotError("no_page_bot", name=name, names=known)


@dataclass(frozen=True)
class Inquiry:
    """A question about a game on the page, with the means to answer it.

    Attributes:
        asked: the request, of one of the types in `GamePage.kinds`.
        game: the game, played again up to the state in inquiry.
        limits: the limits of a search for the answer.
        sources: the databases and proofs of the game.
    """

    asked: Any
    game: Replayed
    limits: Limits
    sources: Sequence[Any]

    @property
    def state(self) -> Any:
        """The state in inquiry."""
        return self.game.states[-1]

    def at(self, state: Any) -> Inquiry:
        """Return the same question about another state."""
        return replace(self, game=self.game._replace(states=(state,)))

    @property
    def turn(self) -> str | None:
        """The seat to move there; None once the game is over."""
        state = self.state
        return None if state.to_move == NOBODY else state.game.seats[state.to_move]

    @property
    def sees_all(self) -> bool:
        """Whether nothing is hidden."""
        return bool(self.asked.sees_all(self.state))

    def sees(self, seat: str) -> bool:
        """Whether the answer may tell what only a seat can see."""
        return bool(self.asked.sees(self.state, seat))

    def check_open(self, *seats: str) -> None:
        """Raise a `PositionError` if the hand of one of these seats is hidden."""
        for seat in seats:
            if not self.sees(seat):
                raise PositionError("ask_to_see", side=seat)


class GamePage:
    """A game on the page.

    Args:
        name: as `kulami_solver.game.GAMES` has it.

    Attributes:
        asked: the type of a request that names a game.
        more: the further fields of a request, by inquiry, where they are not the usual ones.
        further: questions that other games do not have: the type of a request, and the function
            that answers it. The type is None, and so is the function's argument, where nothing is
            posted.
        bots: the bots that may be asked for, weakest first.
        usual_bot: the bot that plays where none is named.
        values_ends: whether `analyse` also answers for a game that is over.
        preloaded: modules in `static/` that a browser loads at once if this game is the first.
    """

    asked: type[Asked] = Asked
    more: ClassVar[Mapping[str, Sequence[Any]]] = {}
    further: ClassVar[Mapping[str, tuple[type[Any] | None, Callable[..., Any]]]] = {}
    bots: ClassVar[Mapping[str, Opponent]] = ANY_BOTS
    usual_bot: ClassVar[str] = "perfect"
    values_ends: ClassVar[bool] = False
    preloaded: ClassVar[Sequence[str]] = ()

    def __init__(self, name: str) -> None:
        self.name: Final = name
        self.is_first: Final = name == next(iter(GAMES))
        """Whether the page begins with this game. Its addresses need no name."""
        self.descriptor: Final = descriptor(name)
        self.notation: Final = self.descriptor.notation.lower()
        if self.asked is Asked:
            self.asked = asked_about(self.descriptor)
        questions: dict[str, Sequence[Any]] = {
            "position": (),
            "picture": (),
            "export": (),
            "analyse": (TIME,),
            "grade": (TIME,),
            "move": (("bot", Line, self.usual_bot), TIME, ("bot_seed", Whole, 0)),
        }
        self.kinds: Final = {
            what: msgspec.defstruct(
                f"{name}_{what}",
                list(self.more.get(what, said)),
                bases=(self.asked,),
                forbid_unknown_fields=True,
            )
            for what, said in questions.items()
        }
        """The type of each kind of request, by inquiry."""

    @property
    def folder(self) -> Path:
        """The folder of the game's part of the page."""
        return Path(inspect.getfile(type(self))).parent

    def options(self, sources: Sequence[Any]) -> dict[str, Any]:
        """Return the game's part of `/api/options`."""
        told: dict[str, Any] = {}
        if type(self) is GamePage:  # other games have JavaScript of their own
            about = self.descriptor
            told = {
                "notation": self.notation,
                "options": [one._asdict() for one in about.options],
                "seats": about.seats,
            }
        return {
            **told,
            "bots": {
                name: {"least": bot.least, "usual": bot.usual, "most": bot.most, "timed": bot.timed}
                for name, bot in self.bots.items()
            },
            "databases": [
                self.database_shown(one) for one in self.own(sources) if _knows_moves(one)
            ],
        }

    def own(self, sources: Sequence[Any]) -> list[Any]:
        """Return this game's databases, then its proofs: those know fewer moves."""
        noun = type(self.descriptor.make().start().position) if sources else None
        own = [one for one in sound(sources) if one.position_type is noun]
        return sorted(own, key=_knows_moves, reverse=True)

    def database_shown(self, database: Any) -> dict[str, Any]:
        """Return the description of a database for `/api/options`."""
        return {}

    # Positions

    def shown(self, inquiry: Inquiry) -> Mapping[str, Any]:
        """Return all that the page draws of a game's last state."""
        state, turn = inquiry.state, inquiry.turn
        seats = state.game.seats
        if inquiry.sees_all:
            text, svg = state.drawn(), state.svg()
        else:
            seen = (state.known_to(n) for n, seat in enumerate(seats) if inquiry.sees(seat))
            text, svg = "\n".join(seen), None
        won = zip(seats, state.returns(), strict=True) if turn is None else ()
        return {
            **self.basics(inquiry),
            "hides": state.game.has_hidden,
            "legal": list(state.moves) if turn is None or inquiry.sees(turn) else None,
            "returns": {seat: float(value) for seat, value in won},
            "text": text,
            "svg": svg,
        }

    def basics(self, inquiry: Inquiry) -> dict[str, Any]:
        """Return the part of the answer about a state that all games share."""
        state, turn = inquiry.state, inquiry.turn
        return {
            "game": self.name,
            "notation": state.notation() if inquiry.sees_all else None,
            "seats": list(state.game.seats),
            "turn": turn,
            "over": turn is None,
            "movers": inquiry.game.movers,
        }

    def picture(self, inquiry: Inquiry) -> str:
        """Return the picture of what a request may see of a state, as an SVG document.

        Raises:
            KulamiError: if there is none.
        """
        found: str | None = inquiry.state.svg()
        if found is None:
            raise KulamiError("not_drawn", game=self.name)
        return found

    def exported(self, inquiry: Inquiry) -> Mapping[str, Any]:
        """Return the position in each notation, and the game as a record, by name.

        Each notation has a `text` and a list of what it `loses`, or an `error`.
        """
        texts = {self.notation: self.shown(inquiry)["notation"]}
        if inquiry.sees_all:
            texts["record"] = json.dumps(self.record(inquiry.game))
        return {name: {"text": text, "loses": []} for name, text in texts.items() if text}

    def record(self, game: Replayed) -> Mapping[str, Any]:
        """Return a game as a record, for JSON, with the options that its notation may leave out."""
        return {
            "game": self.name,
            **options_of(game.begun.game),
            "start": game.begun.notation(),
            "moves": list(game.played),
        }

    # Searches

    def found(
        self,
        inquiry: Inquiry,
        search: Task,
        seconds: float,
        *,
        every_move: bool = True,
        report: Callable[[Answer], None] | None = None,
    ) -> Answer:
        """Find the value of a state, within the server's limits."""
        limits, state, asked = inquiry.limits, inquiry.state, inquiry.asked
        threads = limits.threads_for(getattr(asked, "threads", None))
        memory = limits.table(self.descriptor.table_plies(state), seconds, threads)
        question = Question(
            state,
            every_move,
            getattr(asked, "goal", "margin"),
            Budget(seconds, None, threads, memory, search.stop),
        )
        return ask(question, inquiry.sources, report)

    def told(self, inquiry: Inquiry, found: Answer) -> dict[str, Any]:
        """Return an answer for the page."""
        return found.to_json()

    def report(self, inquiry: Inquiry, search: Task) -> Callable[[Answer], dict[str, Any]]:
        """Return the function that makes of each answer of a search what the page is told."""
        return functools.partial(self.told, inquiry)

    def valuing(self, inquiry: Inquiry) -> Work:
        """Return the work of `analyse`.

        Raises:
            KulamiError: if the game is over, or a hand is hidden.
        """
        if inquiry.turn is None and not self.values_ends:
            raise KulamiError("nothing_to_find")
        inquiry.check_open(*inquiry.state.game.seats)
        seconds = inquiry.limits.time(inquiry.asked.time)

        def work(search: Task) -> None:
            told = self.report(inquiry, search)
            every_move = getattr(inquiry.asked, "all", True)

            def progress(found: Answer) -> None:
                search.tell("progress", told(found))

            found = self.found(inquiry, search, seconds, every_move=every_move, report=progress)
            search.tell("solution", told(found))

        return work

    def choosing(self, inquiry: Inquiry) -> Work:
        """Return the work of `move`, which returns the answer.

        Raises:
            KulamiError: if there is no such bot, or the game is over.
        """
        asked = inquiry.asked
        self.bot(inquiry)  # raises if there is none
        if inquiry.turn is None:
            raise KulamiError("nothing_to_choose")
        seconds = inquiry.limits.time(_BOT_SECONDS if asked.time is None else asked.time)

        def work(search: Task) -> Mapping[str, Any]:
            clock = Clock(seconds=seconds, stop=search.stop)
            bot = self.bot(inquiry)
            player = bot if isinstance(bot, Player) else Player(bot)
            return self.chosen(inquiry, player.choose(inquiry.state, clock), player)

        return work

    def bot(self, inquiry: Inquiry) -> Any:
        """Return the bot that is asked for, within the server's limits.

        A bot that solves asks databases and proofs first.
        """
        asked, limits = inquiry.asked, inquiry.limits
        bot = opponent(asked.bot, getattr(asked, "bot_seed", asked.seed), self.bots)
        if hasattr(bot, "sources"):
            bot.sources = inquiry.sources
        if hasattr(bot, "memory"):
            plies = self.descriptor.table_plies(inquiry.state)
            bot.memory = limits.table(plies, limits.seconds, 1)
        return bot

    def chosen(self, inquiry: Inquiry, move: str, player: Any) -> Mapping[str, Any]:
        """Return the answer with a bot's move."""
        return {"move": move, "bot": player.name}

    def estimates(self, state: Any) -> Mapping[str, MoveEstimate] | None:
        """Return an estimate of each move there; None if the game has no estimates."""
        return None

    def grading(self, inquiry: Inquiry) -> Work:
        """Return the work of `grade`: as `kulami grade`, from the end of the game backwards.

        After that come estimates of the earlier moves, as long as there is time.

        Raises:
            KulamiError: if a hand is hidden.
        """
        asked, game, limits = inquiry.asked, inquiry.game, inquiry.limits
        inquiry.check_open(*inquiry.state.game.seats)
        each = limits.time(asked.time)
        if asked.time is None:
            each = min(each, _GRADE_SECONDS)

        def work(search: Task) -> None:
            deadline = time.monotonic() + limits.seconds
            source = _Backwards(self, inquiry, search, each, deadline)

            def tell(move: GradedMove) -> None:
                values = {name: float(value) for name, value in move.case.values.items()}
                worth = {"value": float(move.value), "cost": float(move.cost), "values": values}
                found = {"ply": source.ply, "worth": worth, "solution": source.said}
                if move.refutation is not None:
                    why = move.refutation.words
                    found["why"] = why.told() if isinstance(why, Phrase) else {"sentence": why}
                search.tell("move", {**move.to_json(), **found})

            found = grade(game.begun, game.played, sources=(source,), progress=tell)
            search.tell("grade", found.to_json())
            solved = found.moves[0].ply if found.moves else len(game.states)
            for number in range(solved - 1, 0, -1):
                if time.monotonic() > deadline or search.stop.is_set():
                    break
                about = self.estimates(game.states[number - 1])
                if about is None:
                    break
                mover, move = game.movers[number - 1], game.played[number - 1]
                estimated = EstimatedMove(number, move, mover, about)
                search.tell("estimate", estimated.to_json(found.kind.move_word))

        return work


def _knows_moves(source: Any) -> bool:
    """Whether a source, which may be a `Spare`, is a database, and no proof."""
    return isinstance(getattr(source, "source", source), Database)


class _Backwards:
    """A source of the values of a game's positions, which are asked for from its end on.

    Args:
        page: of the game.
        inquiry: the game.
        search: what is done.
        each: seconds that each position may take.
        deadline: of all, by `time.monotonic`; after it there are only proved bounds.

    Attributes:
        ply: of the move after the position asked for last.
        said: the answer about it, for the page.
    """

    def __init__(
        self, page: GamePage, inquiry: Inquiry, search: Task, each: float, deadline: float
    ) -> None:
        self._page = page
        self._inquiry = inquiry
        self._search = search
        self._each = each
        self._deadline = deadline
        self.ply = len(inquiry.game.states)
        self.said: Mapping[str, Any] = {}

    def answer(self, asked: Question) -> Answer:
        """Return the value of a state, as far as there is time."""
        self.ply -= 1
        seconds = max(min(self._each, self._deadline - time.monotonic()), _LEAST_SECONDS)
        given = self._inquiry
        before = given.at(asked.state)
        found = self._page.found(before, self._search, seconds)
        if found.source == "proof" and found.exact_moves is None:
            # As a rule a proof has only bounds of the moves that it does not choose.
            others = [one for one in given.sources if _knows_moves(one)]
            found = self._page.found(replace(before, sources=others), self._search, seconds)
        self.said = self._page.told(before, found)
        return found
