"""A game on the page: one class, which serves any game of `kulami_solver.game`.

    request --Replays--> states --+--> shown      all that the page draws
                                  +--> picture    an SVG document, or a PNG
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
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

import msgspec

from .. import game as games
from ..bots import Clock
from ..bots.grade import GradedMove, grade
from ..bots.graded import Estimate, EstimatedMove
from ..bots.protocol import Player
from ..errors import KulamiError, Phrase, PositionError
from ..game import NOBODY, Answer, Budget, Number, ask, descriptor, options_of
from ..storage.database import Database
from .opponents import ANY_BOTS, Opponent, opponent, strengths
from .replays import Asked, Replayed, asked_about
from .requests import Line, Seconds, Whole
from .searches import Limits, Task, Work

_BOT_SECONDS: Final = 2.0
_GRADE_SECONDS: Final = 5.0

TIME: Final = ("time", Seconds | None, None)
"""How long a question may take."""

Values = Mapping[str, Number]
"""The value of each move for its player."""


@dataclass(frozen=True)
class Question:
    """A question about a game, with the means to answer it.

    Attributes:
        asked: the request, of one of the types in `GamePage.kinds`.
        game: the game, played again up to the state in question.
        limits: the limits of a search for the answer.
        sources: the databases and proofs of the game.
    """

    asked: Any
    game: Replayed
    limits: Limits
    sources: Sequence[Any]

    @property
    def state(self) -> Any:
        """The state in question."""
        return self.game.states[-1]

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
        more: the further fields of a request, by question, where they are not the usual ones.
        further: questions that other games do not have: the type of a request, and the function
            that answers it. The type is None, and so is the function's argument, where nothing is
            posted.
        bots: the bots that may be asked for, weakest first.
        usual_bot: the bot that plays where none is named.
        values_ends: whether `analyse` also answers for a game that is over.
        is_first: whether the page begins with this game. Its addresses need no name.
        preloaded: modules in `static/` that a browser loads at once if this game is the first.
    """

    asked: type[Asked] = Asked
    more: ClassVar[Mapping[str, Sequence[Any]]] = {}
    further: ClassVar[Mapping[str, tuple[type[Any] | None, Callable[..., Any]]]] = {}
    bots: ClassVar[Mapping[str, Opponent]] = ANY_BOTS
    usual_bot: ClassVar[str] = "perfect"
    values_ends: ClassVar[bool] = False
    is_first: ClassVar[bool] = False
    preloaded: ClassVar[Sequence[str]] = ()

    def __init__(self, name: str) -> None:
        self.name: Final = name
        self.descriptor: Final = descriptor(name)
        self.notation: Final = self.descriptor.notation.lower()
        if self.asked is Asked:
            self.asked = asked_about(self.descriptor)
        questions: dict[str, Sequence[Any]] = {
            "position": (),
            "picture": (("format", Literal["svg", "png"], "svg"),),
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
        """The type of each kind of request, by question."""

    @property
    def folder(self) -> Path:
        """The folder of the game's part of the page."""
        return Path(inspect.getfile(type(self))).parent

    def options(self, sources: Sequence[Any]) -> dict[str, Any]:
        """Return the game's part of `/api/options`."""
        told: dict[str, Any] = {}
        if type(self) is GamePage:  # other games have JavaScript of their own
            about = self.descriptor
            told = {"notation": self.notation, "options": about.options, "seats": about.seats}
        return {
            **told,
            "bots": strengths(self.bots),
            "databases": [
                self.database_shown(one) for one in self.own(sources) if isinstance(one, Database)
            ],
        }

    def own(self, sources: Sequence[Any]) -> list[Any]:
        """Return the databases and proofs that belong to this game."""
        noun = type(self.descriptor.make().start().position) if sources else None
        return [one for one in sources if one.position_type is noun]

    def chosen_file(self, name: str, file: Any) -> Any:
        """Open a file that somebody has chosen in a browser, as a source of answers.

        Args:
            name: the name of the file.
            file: read as an `mmap.mmap` is, in slices.

        Raises:
            KulamiError: if it is no database, or the game has no databases that can be read so.
        """
        raise KulamiError("chosen_none", path=name)

    def file_shown(self, source: Any) -> dict[str, Any]:
        """Return the description of a file that `chosen_file` has opened."""
        return {}

    def database_shown(self, database: Any) -> dict[str, Any]:
        """Return the description of a database for `/api/options`."""
        return {}

    # Positions

    def shown(self, question: Question) -> Mapping[str, Any]:
        """Return all that the page draws of a game's last state."""
        state, turn = question.state, question.turn
        seats = state.game.seats
        if question.sees_all:
            text, svg = state.drawn(), state.svg()
        else:
            seen = (state.known_to(n) for n, seat in enumerate(seats) if question.sees(seat))
            text, svg = "\n".join(seen), None
        won = zip(seats, state.returns(), strict=True) if turn is None else ()
        return {
            **self.basics(question),
            "hides": state.game.has_hidden,
            "legal": list(state.moves) if turn is None or question.sees(turn) else None,
            "returns": {seat: float(value) for seat, value in won},
            "text": text,
            "svg": svg,
        }

    def basics(self, question: Question) -> dict[str, Any]:
        """Return the part of the answer about a state that all games share."""
        state, turn = question.state, question.turn
        return {
            "game": self.name,
            "notation": state.notation() if question.sees_all else None,
            "seats": list(state.game.seats),
            "turn": turn,
            "over": turn is None,
            "movers": question.game.movers,
        }

    def picture(self, question: Question) -> str | bytes:
        """Return the picture of what a request may see of a state, as an SVG document or a PNG.

        Raises:
            KulamiError: if there is no such picture.
        """
        svg = question.state.svg()
        if svg is None or question.asked.format != "svg":
            name = question.asked.format.upper()
            raise KulamiError("not_drawn", game=self.name, format=name)
        return str(svg)

    def exported(self, question: Question) -> Mapping[str, Any]:
        """Return the position in each notation, and the game as a record, by name.

        Each notation has a `text` and a list of what it `loses`, or an `error`.
        """
        texts = {self.notation: self.shown(question)["notation"]}
        if question.sees_all:
            texts["record"] = json.dumps(self.record(question.game))
        return {name: {"text": text, "loses": []} for name, text in texts.items() if text}

    def record(self, game: Replayed) -> Mapping[str, Any]:
        """Return a game as a record, for JSON, with the options that its notation may leave out."""
        return {
            "game": self.name,
            **options_of(game.begun.game),
            "start": game.begun.notation(),
            "moves": list(game.played),
        }

    def record_with(self, game: Replayed, besides: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a game as a record, with `comments` and `variations` by the numbers of moves.

        Raises:
            KulamiError: if they do not fit the game.
        """
        return {**self.record(game), **besides}

    # Searches

    def found(
        self,
        question: Question,
        search: Task,
        seconds: float,
        *,
        every_move: bool = True,
        report: Callable[[Answer], None] | None = None,
    ) -> Answer:
        """Find the value of a state, within the server's limits."""
        limits, state, asked = question.limits, question.state, question.asked
        threads = limits.threads_for(getattr(asked, "threads", None))
        memory = limits.table(self.descriptor.table_plies(state), seconds, threads)
        return ask(
            games.Question(
                state,
                every_move,
                getattr(asked, "goal", "margin"),
                Budget(seconds, None, threads, memory, search.stop),
            ),
            question.sources,
            report,
        )

    def told(self, question: Question, found: Answer) -> dict[str, Any]:
        """Return an answer for the page."""
        return found.to_json()

    def report(self, question: Question, search: Task) -> Callable[[Answer], dict[str, Any]]:
        """Return the function that makes of each answer of a search what the page is told."""
        return functools.partial(self.told, question)

    def valuing(self, question: Question) -> Work:
        """Return the work of `analyse`.

        Raises:
            KulamiError: if the game is over, or a hand is hidden.
        """
        if question.turn is None and not self.values_ends:
            raise KulamiError("nothing_to_find")
        question.check_open(*question.state.game.seats)
        seconds = question.limits.time(question.asked.time)

        def work(search: Task) -> None:
            told = self.report(question, search)
            every_move = getattr(question.asked, "all", True)

            def progress(found: Answer) -> None:
                search.tell("progress", told(found))

            found = self.found(question, search, seconds, every_move=every_move, report=progress)
            search.tell("solution", told(found))

        return work

    def choosing(self, question: Question) -> Work:
        """Return the work of `move`, which returns the answer.

        Raises:
            KulamiError: if there is no such bot, or the game is over.
        """
        bot, asked = self.bot(question), question.asked
        if question.turn is None:
            raise KulamiError("nothing_to_choose")
        seconds = question.limits.time(_BOT_SECONDS if asked.time is None else asked.time)
        player = bot if isinstance(bot, Player) else Player(bot)

        def work(search: Task) -> Mapping[str, Any]:
            clock = Clock(seconds=seconds, stop=search.stop)
            return self.chosen(question, player.choose(question.state, clock), player)

        return work

    def bot(self, question: Question) -> Any:
        """Return the bot that is asked for, within the server's limits."""
        return opponent(question.asked.bot, question.asked.bot_seed, self.bots)

    def chosen(self, question: Question, move: str, player: Any) -> Mapping[str, Any]:
        """Return the answer with a bot's move."""
        return {"move": move, "bot": player.name}

    def estimates(self, question: Question) -> Mapping[str, Estimate] | None:
        """Return an estimate of each move; None if the game has no estimates."""
        return None

    def grading(self, question: Question) -> Work:
        """Return the work of `grade`: as `kulami grade`, from the end of the game backwards.

        After that come estimates of the earlier moves, as long as there is time.

        Raises:
            KulamiError: if a hand is hidden.
        """
        asked, game, limits = question.asked, question.game, question.limits
        question.check_open(*question.state.game.seats)
        each = limits.time(asked.time)
        if asked.time is None:
            each = min(each, _GRADE_SECONDS)

        def work(search: Task) -> None:
            deadline = time.monotonic() + limits.seconds
            said: Mapping[str, Any] = {}
            ply = len(game.states)

            def known(state: Any) -> Values | None:
                nonlocal said, ply
                ply -= 1
                seconds = min(each, deadline - time.monotonic())
                if seconds <= 0 or search.stop.is_set():
                    return None
                before = replace(question, game=game._replace(states=(state,)))
                found = self.found(before, search, seconds)
                if found.source == "proof" and found.exact_moves is None:
                    # As a rule a proof has only bounds of the moves that it does not choose.
                    others = [one for one in question.sources if isinstance(one, Database)]
                    found = self.found(replace(before, sources=others), search, seconds)
                said = self.told(before, found)
                return found.exact_moves

            def tell(move: GradedMove) -> None:
                values = {name: float(value) for name, value in move.case.values.items()}
                worth = {"value": float(move.value), "cost": float(move.cost), "values": values}
                found = {"ply": ply, "worth": worth, "solution": said}
                if move.refutation is not None:
                    why = move.refutation.words
                    found["why"] = why.told() if isinstance(why, Phrase) else {"sentence": why}
                search.tell("move", {**move.to_json(), **found})

            found = grade(game.begun, game.played, search=known, progress=tell)
            search.tell("grade", found.to_json())
            solved = found.moves[0].ply if found.moves else len(game.states)
            for number in range(solved - 1, 0, -1):
                if time.monotonic() > deadline or search.stop.is_set():
                    break
                before = replace(question, game=game._replace(states=(game.states[number - 1],)))
                about = self.estimates(before)
                if about is None:
                    break
                mover, move = game.movers[number - 1], game.played[number - 1]
                estimated = EstimatedMove(number, move, mover, about)
                search.tell("estimate", estimated.to_json(found.words.move_word))

        return work
