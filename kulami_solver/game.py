"""The interface of any game for the rest of the package: the side to move, legal moves, values.

A `State` is a position together with everything that decides how the game ends; it is immutable. It
fits games of margins (Kulami), games that can repeat positions (Malawi) and games with chance,
hidden hands and two to four players.

    to_move      the seat of the player to move, from 0; CHANCE where cards or dice decide;
                 NOBODY once the game is over
    moves        texts in the game's own notation, always in the same order; where CHANCE is to
                 move, the possible outcomes
    returns()    the result of each seat, once the game is over: a margin, or 1, 0 and -1
    evaluate()   proved bounds of the value for the seat to move
    for_bots()   the arguments of the bot to move: nothing that its player cannot know

A `Descriptor` has further facts about a game: its options, its notation, its seats. A
game registers itself by one line in `GAMES`, which names the module of its `GAME`. A package that
is installed beside this one does so by an entry point of the group `kulami_solver.games`. `part`
finds the modules of other rooms (sub-packages) for a game.

What a position is worth is asked in one way: `ask` takes a `Question` and a list of `Source`s, and
returns an `Answer`. Code that plays, judges or shows games uses only this interface. The searches
do not use it: each game has its own, over its compiled rules.

The interface follows OpenSpiel's State (github.com/google-deepmind/open_spiel, `spiel.h`).
"""

from __future__ import annotations

import importlib
import sys
import threading
import time as clock
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal, Protocol

from .core.options import Option as Option
from .errors import KulamiError, PositionError, checked_kind, harmless, quoted
from .registry import GAMES, module_of
from .registry import part as part

__all__ = [
    "GAMES",
    "NOBODY",
    "Answer",
    "Budget",
    "Descriptor",
    "Game",
    "OpenState",
    "Option",
    "Question",
    "Source",
    "State",
    "ask",
    "descriptor",
    "load_game",
]

CHANCE: Final = -1
"""`State.to_move` where cards or dice decide."""

NOBODY: Final = -2
"""`State.to_move` when the game is over."""

WORTH: Final[Mapping[str | None, int]] = {"win": 1, "draw": 0, "loss": -1}
"""The values of outcomes in games without margins."""

Number = int | Fraction
"""A value: whole in games of margins and outcomes, a fraction where it is an expectation."""


@dataclass(frozen=True)
class Budget:
    """The budget for finding a value; None means no limit, or the game's own default.

    Attributes:
        seconds: time, more than 0.
        nodes: positions to be searched.
        threads: how many search together.
        memory: of a search's table, MiB or a text such as "512M".
        stop: ends it once another thread has set it.
        depth: plies to look ahead at most, in games whose search has such a limit.
    """

    seconds: float | None = None
    nodes: int | None = None
    threads: int | None = None
    memory: int | float | str | None = None
    stop: threading.Event | None = None
    depth: int | None = field(default=None, kw_only=True)


class Bounded:
    """What has proved bounds of a value, `lower` and `upper`: lower <= value <= upper."""

    __slots__ = ()
    lower: Number
    upper: Number

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.lower == self.upper

    @property
    def outcome(self) -> str | None:
        """Win, draw or loss, in a word; None if the bounds do not tell."""
        if self.lower > 0:
            return "win"
        if self.upper < 0:
            return "loss"
        return "draw" if self.lower == self.upper else None


@dataclass(frozen=True)
class MoveAnswer(Bounded):
    """Proved bounds of one legal move, for the seat that makes it.

    Attributes:
        move: the move; `str` of it is the game's notation.
        lower, upper: bounds of the value, in the unit of `State.returns`.
        plies: moves to the end of the game, in games that count them; else None.
        within: where the value is open, the plies within which nobody wins, in such games.
    """

    move: Any
    lower: Number
    upper: Number
    plies: int | None = None
    within: int | None = None


@dataclass(frozen=True)
class Answer(Bounded):
    """What is known of a position's value, for the seat to move: proved bounds, and the best moves.

    Games derive their own from it, with their own words and keys of JSON.

    Attributes:
        position: the game's own object for the position.
        lower, upper: bounds of the value, in the unit of `State.returns`.
        best: a move that keeps the value, None if none is known.
        line: best play from here as far as it is known.
        moves: every legal move, best first, if they were asked for.
        nodes: positions searched.
        seconds: time taken.
        source: where the value comes from: "search", "database" or "proof".
        plies, within: as those of a move.
    """

    position: Any
    lower: Number
    upper: Number
    best: Any = None
    line: tuple[Any, ...] = ()
    moves: tuple[MoveAnswer, ...] = ()
    nodes: int = 0
    seconds: float = 0.0
    source: str = "search"
    plies: int | None = None
    within: int | None = None

    move_word: ClassVar[str] = "move"
    """The game's word for a move."""

    @property
    def exact_moves(self) -> dict[str, Number] | None:
        """The value of every legal move by its notation; None if one of them is not known."""
        if not all(found.lower == found.upper for found in self.moves):
            return None
        return {str(found.move): found.lower for found in self.moves}

    def settles(self, question: Question) -> bool:
        """Whether nothing is left to be searched for."""
        return self.exact

    def words(self, move: MoveAnswer | None = None) -> str:
        """Return the value in words; that of one of `moves` if it is given."""
        found = move or self
        return str(found.lower) if found.exact else f"{found.lower} to {found.upper}"

    def to_json(self) -> dict[str, Any]:
        """Return the answer for JSON."""

        def bounds(found: Answer | MoveAnswer, words: str) -> dict[str, Any]:
            lower, upper = float(found.lower), float(found.upper)
            return {"lower": lower, "upper": upper, "exact": found.exact, "words": words}

        return {
            **bounds(self, self.words()),
            "best": None if self.best is None else str(self.best),
            "line": [str(move) for move in self.line],
            "moves": [
                {"move": str(one.move), **bounds(one, self.words(one))} for one in self.moves
            ],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }

    def svg(self) -> str:
        """Return the position as an SVG picture."""
        picture: str = self.position.svg()
        return picture

    def _repr_html_(self) -> str:
        from .drawing.svg import with_value

        moves = [(one.move, self.words(one)) for one in self.moves]
        return with_value(self.svg(), self.words(), self.best, self.line, moves, self.move_word)


Goal = Literal["margin", "outcome"]
"""What is asked of a value: "outcome" if win, draw or loss is enough, in games of margins."""


def checked_goal(goal: object) -> Goal:
    """Return `goal` if it is one; raise a `KulamiError` otherwise."""
    if isinstance(goal, str) and goal in ("margin", "outcome"):
        return goal  # type: ignore[return-value]
    raise KulamiError(f"{quoted(goal)} is no goal: give margin or outcome")


def checked_state(state: Any) -> Any:
    """Return `state` if it is one, of any game; raise a `KulamiError` otherwise."""
    if not hasattr(state, "game"):
        raise KulamiError(f"{quoted(state)} is no State: load_game(NAME).start() is one")
    return state


@dataclass(frozen=True)
class Question:
    """What a position is worth.

    Attributes:
        state: whose value is asked for; a player is to move.
        every_move: whether to value every legal move, too.
        goal: "margin"; or "outcome" if win, draw or loss is enough, for games of margins.
        budget: when to end a search for the answer.

    Raises:
        KulamiError: if `goal` is no goal, or `state` or `budget` none.
    """

    state: Any
    every_move: bool = False
    goal: Goal = "margin"
    budget: Budget = Budget()

    def __post_init__(self) -> None:
        checked_goal(self.goal)
        checked_kind(self.budget, Budget, "a budget is a Budget")
        checked_state(self.state)


def checked_question(question: Question) -> Question:
    """Return `question` if it is one; raise a `KulamiError` otherwise."""
    return checked_kind(question, Question, "what is asked is a Question")


Report = Callable[[Any], object]
"""Called every now and then during a search with the `Answer` by then."""


class Source(Protocol):
    """Whoever may know what positions are worth: a database, a proof, a dictionary."""

    def answer(self, question: Question) -> Answer | None:
        """Return the answer; None for a position that it knows nothing of."""
        ...


class Spare:
    """A source that can be done without: once it is found damaged, it knows nothing any more.

    Args:
        source: a database or a proof, whose attributes are those of this one, too.
        tell: called once, with the error.

    Attributes:
        source: as given.
        fault: the error; None while none is known.

    Examples:
        >>> import kulami_solver as ks
        >>> closed = ks.open_database("data/3x4-level2.kdb")
        >>> spare = Spare(closed, lambda fault: print("left aside:", fault))
        >>> closed.close()
        >>> question = Question(load_game("kulami", layout=spare.layout, scoring="2").start())
        >>> ask(question, [spare]).source
        left aside: data/3x4-level2.kdb: the file is closed; open it again
        'search'
    """

    def __init__(self, source: Any, tell: Callable[[Exception], object] | None = None) -> None:
        self.source: Final = source
        self.fault: Exception | None = None
        names = (source.path, getattr(source, "place", source.path))
        self._names: Final = {harmless(str(name), lines=False) for name in names}
        self._tell: Final = tell
        self._telling: Final = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    def __reduce__(self) -> tuple[type[Spare], tuple[Any]]:
        return Spare, (self.source,)  # whoever has sent it tells of its fault

    def answer(self, question: Question) -> Answer | None:
        """Return the source's answer; None if it is damaged where it is read."""
        found: Answer | None = None
        try:
            found = None if self.fault else self.source.answer(question)
        except KulamiError as fault:
            self.leave_aside(fault, own=True)
        return found

    def leave_aside(self, fault: Exception, own: bool = False) -> bool:
        """Ask it no more if an error is its `own`, or names it; return whether it is so."""
        if not own and not any(f"{name}: " in str(fault) for name in self._names):
            return False
        with self._telling:
            told, self.fault = self.fault, self.fault or fault
        if told is None and self._tell is not None:
            self._tell(fault)
        return True


def known(question: Question, sources: Iterable[Source]) -> Iterator[Answer]:
    """Yield the answers of the sources that have one, in their order."""
    for source in checked_kind(sources, Iterable, "sources are a list of databases and proofs"):
        if not callable(getattr(source, "answer", None)):
            raise KulamiError(f"{quoted(source)} is no source: give an open database or proof")
        found = source.answer(question)
        if found is not None:
            yield found


def sound(sources: Sequence[Any]) -> list[Any]:
    """Return the sources that have not been found damaged and left aside."""
    return [source for source in sources if getattr(source, "fault", None) is None]


def searched(
    search: Callable[[Question, Sequence[Source]], Any],
    question: Question,
    sources: Sequence[Source] = (),
    report: Report | None = None,
) -> Any:
    """Return the answer of a game's search.

    A `Spare` that it finds damaged is left aside; what is left of the budget is for the others.

    Args:
        search: of the game, as in its `Descriptor`.
        question, sources, report: as for `ask`.
    """
    begun, spent, asked = clock.monotonic(), 0, question
    while True:
        searching = None
        try:
            searching = search(asked, sound(sources))
            found = searching.narrow(report)
            return replace(found, nodes=found.nodes + spent) if spent else found
        except KulamiError as fault:
            if not any(isinstance(one, Spare) and one.leave_aside(fault) for one in sources):
                raise
            spent += 0 if searching is None else searching.nodes
            given, passed = question.budget, clock.monotonic() - begun
            left = replace(
                given,
                seconds=None if given.seconds is None else max(given.seconds - passed, 1e-3),
                nodes=None if given.nodes is None else max(given.nodes - spent, 1),
            )
            asked = replace(question, budget=left)


def ask(question: Question, sources: Sequence[Source] = (), report: Report | None = None) -> Answer:
    """Return the answer of the first source that has it; else that of the game's own search.

    Args:
        question: what is asked.
        sources: asked in this order. Those that can do so help the search: a database of Kulami.
        report: called about every 50 ms of a search, in games whose search tells.

    Raises:
        KulamiError: if a source is damaged and no `Spare`, or a budget makes no sense.
        Interrupted: Ctrl-C; its `found` is the answer so far.

    Examples:
        >>> start = load_game("malawi", board="2x3").start()
        >>> ask(Question(start)).plies
        4
    """
    state = checked_question(question).state
    for found in known(question, sources):
        if found.settles(question):
            return found
    search = descriptor(state.game.name).search
    answer: Answer
    if search is None:
        answer = state.evaluate(question.budget, every_move=question.every_move)
    else:
        answer = searched(search, question, sources, report)
    return answer


class State(Protocol):
    """A position and all that decides how the game ends. Equal states are interchangeable."""

    def __hash__(self) -> int: ...

    @property
    def game(self) -> Game:
        """The game it belongs to, with its options."""
        ...

    @property
    def position(self) -> Any:
        """The game's own object for the position, which bots written for the game get."""
        ...

    @property
    def to_move(self) -> int:
        """The seat to move, `CHANCE`, or `NOBODY`."""
        ...

    @property
    def moves(self) -> tuple[str, ...]:
        """Every legal move, or every outcome of chance; none once the game is over."""
        ...

    def chances(self) -> tuple[Fraction, ...]:
        """The probability of each of `moves` if `CHANCE` is to move; their sum is 1."""
        ...

    def play(self, move: str) -> State:
        """Return the state after a move.

        Raises:
            KulamiError: if the move is not legal.
        """
        ...

    def returns(self) -> tuple[Number, ...]:
        """Return the result of each seat.

        Raises:
            KulamiError: if the game is not over.
        """
        ...

    def scores(self) -> tuple[Number, ...]:
        """Return what each seat has by now; nothing if that is known only at the end."""
        ...

    def notation(self) -> str:
        """Return the state as one line that `Game.read` reads."""
        ...

    def known_to(self, seat: int) -> str:
        """Return as text all that a player can know: the notation, if nothing is hidden."""
        ...

    def for_bots(self) -> tuple[Any, Mapping[str, Any]]:
        """Return the arguments of the bot of the seat to move, which it may know.

        Returns:
            The game's own position, without anything hidden from that seat; and further arguments
            by name, for a bot whose `choose` takes an argument of that name.
        """
        ...

    def move_of(self, answer: object) -> str:
        """Return the move that a bot's answer stands for, as it is in `moves`.

        Raises:
            TypeError: if the answer's type cannot stand for a move.
            KulamiError: if the answer is no move, or an illegal one.
        """
        ...

    def drawn(self, *, ascii_only: bool = False) -> str:
        """Return a picture in plain text, several lines; in ASCII alone if `ascii_only`."""
        ...

    def svg(self) -> str | None:
        """Return a picture as an SVG document, None if the game has none."""
        ...

    def evaluate(self, budget: Budget, *, every_move: bool = False) -> Answer:
        """Find the value within a budget; the bounds are proved in any case.

        Args:
            budget: when to end; a game that is solved at once may ignore it.
            every_move: value every legal move, too; otherwise `Answer.moves` may be empty.

        Raises:
            KulamiError: if the game is over, or chance is to move.
        """
        ...


def in_turn(state: State) -> State:
    """Return a state, or the first after it in which chance is not to move."""
    while state.to_move == CHANCE:
        state = state.play(state.moves[0])
    return state


class OpenState:
    """The common part of most states: nothing is hidden, and nothing left to chance.

    A `State` that derives from it has `chances`, `scores`, `known_to` and `for_bots`, and
    `evaluate` if its game's descriptor has a `search`. It also has `drawn` and `svg` if its
    `position` draws itself by `text(ascii_only=...)` and `svg()`; otherwise it needs its own.
    """

    def chances(self) -> tuple[Fraction, ...]:
        """Return nothing: `CHANCE` is never to move."""
        return ()

    def scores(self: State) -> tuple[Number, ...]:
        """Return the result of each seat once the game is over, and nothing before."""
        return self.returns() if self.to_move == NOBODY else ()

    def known_to(self: State, seat: int) -> str:
        """Return the notation."""
        return self.notation()

    def for_bots(self: State) -> tuple[Any, Mapping[str, Any]]:
        """Return the position without further arguments: nothing else decides a move's value."""
        return self.position, {}

    def drawn(self: State, *, ascii_only: bool = False) -> str:
        """Return the position as text."""
        drawing: str = self.position.text(ascii_only=ascii_only)
        return drawing

    def svg(self: State) -> str | None:
        """Return the position as an SVG document."""
        picture: str = self.position.svg()
        return picture

    def evaluate(self: State, budget: Budget, *, every_move: bool = False) -> Answer:
        """Find the value by the game's search."""
        if self.to_move == NOBODY:
            raise PositionError("nothing_to_search")
        return ask(Question(self, every_move, budget=budget))


class Game(Protocol):
    """A game with its options: board, scoring, number of players."""

    @property
    def name(self) -> str:
        """One of `GAMES`."""
        ...

    @property
    def seats(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        ...

    @property
    def has_chance(self) -> bool:
        """Whether cards or dice decide anything."""
        ...

    @property
    def has_hidden(self) -> bool:
        """Whether players know less than `State.notation` says."""
        ...

    @property
    def may_repeat(self) -> bool:
        """Whether a position can come up again.

        The states of such a game must count repetitions and end the game themselves.
        """
        ...

    def start(self) -> State:
        """Return the state in which the game begins."""
        ...

    def read(self, notation: str) -> State:
        """Return the state that a text stands for.

        Raises:
            KulamiError: if it stands for no state of this game.
        """
        ...


_SAID_BESIDES: Final = {"bot", "bot_seed", "draws", "format", "games", "moves", "see", "time"}
"""Further keys of a page's question, besides a game's options and the notation's name."""


def _usual_table(_state: Any) -> int:
    return 28


@dataclass(frozen=True)
class Descriptor:
    """The facts about a game that all its options share; its module has it as `GAME`.

    Attributes:
        name: as in `GAMES`.
        title: the game's name for people.
        make: returns the game with some options; raises a `KulamiError` if one makes no sense.
        options: all options, in the order in which `make` takes them. An option `seed` is the seed
            of chance, and needs no word of its own.
        notation: the name of the notation of a position, "KFN"; no option has this name.
        seats: the possible names of players.
        written: the options that the notation says: they go without it.
        samples: options of small games, which can be evaluated at once.
        large: whether the usual start is too large to be solved: `solve` then takes the first of
            `samples` unless it is told what to solve.
        read: from a notation, and by name the options that it does not say, its state; None if
            `Game.read` needs no option that the notation says.
        database: opens a file of solved positions; None if this game has none.
        table_plies: from a state, the argument `plies` of `core.memory.default_table_size` for a
            search of it.
        proof: opens a proof of a position's value; None if this game has none.
        search: from a question and the sources that may help, the game's search for the answer: a
            `core.background.Searching`; None for a game whose states evaluate themselves.
    """

    name: str
    title: str
    make: Callable[..., Game]
    options: tuple[Option, ...]
    notation: str
    seats: tuple[str, ...]
    samples: tuple[Mapping[str, Any], ...] = ()
    written: tuple[str, ...] = ()
    large: bool = False
    read: Callable[..., State] | None = None
    database: Callable[[str], Any] | None = None
    table_plies: Callable[[Any], int] = _usual_table
    proof: Callable[[str], Any] | None = None
    search: Callable[[Question, Sequence[Source]], Any] | None = None

    @property
    def command(self) -> str:
        """The words before the names of its commands; the first game needs no name."""
        return "kulami" if self.name == next(iter(GAMES)) else f"kulami {self.name}"

    def state(self, notation: str | None = None, **options: Any) -> State:
        """Return the state of a notation, or the start of a game.

        Args:
            notation: of a position; None for the start.
            options: of the game, by name. Those that the notation says may be left out with it.

        Raises:
            KulamiError: if the notation stands for no state, or an option makes no sense.

        Examples:
            >>> descriptor("malawi").state("b2b2/../r2r2 r").game.board
            Board(columns=2, rows=3, beads=2)
        """
        if notation is None or self.read is None:
            game = self.make(**options)
            return game.start() if notation is None else game.read(notation)
        return self.read(notation, **options)

    def __post_init__(self) -> None:
        for option in checked_kind(self.options, Iterable, "options are a tuple of Options"):
            checked_kind(option, Option, "an option of a game is an Option")
            if option.name in {self.notation.lower(), *_SAID_BESIDES}:
                raise KulamiError(
                    f"{self.name}: no option can be called {quoted(option.name)}: the page says "
                    "the position or something else by this name; give the option or the notation "
                    "another"
                )


def descriptor(name: str) -> Descriptor:
    """Return the descriptor of a game.

    Args:
        name: one of `GAMES`, or of the entry points of installed packages.

    Raises:
        KulamiError: if there is no such game.

    Examples:
        >>> found = descriptor("malawi")
        >>> found.title, found.notation, [option.name for option in found.options]
        ('Malawi', 'MFN', ['board', 'beads'])
    """
    module = module_of(name)
    if module is None:
        raise KulamiError("no_game", name=name, games=sorted(GAMES))
    # A module that is there already is found in half the time, and each late position asks.
    found: Descriptor = getattr(sys.modules.get(module), "GAME", None) or (
        importlib.import_module(module).GAME
    )
    return found


def load_game(name: str, **options: Any) -> Game:
    """Return a game by name, with its options.

    Args:
        name: one of `GAMES`.
        options: the options in its `Descriptor`. Kulami's are `layout`, `scoring`, `first`
            and those of an `Edition`; Malawi's are `board` and `beads`; Just 4 Fun's `board`,
            `players`, `stones`, `line`, `hand`, `seed` of the deal, `dummy` and `hidden`.

    Raises:
        KulamiError: if there is no such game, or an option makes no sense.

    Examples:
        >>> game = load_game("kulami", layout="AAB/CCB")
        >>> state = game.start().play("a1")
        >>> game.seats[state.to_move], state.moves, state.evaluate(Budget()).words()
        ('black', ('c1', 'a2'), 'draw')
        >>> load_game("chess")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: there is no game 'chess': just4fun, kulami and malawi \
are there
    """
    found = descriptor(name)
    for option in found.options:
        if option.kind == "switch":
            given = options.get(option.name, False)
            checked_kind(given, bool, f"{name}: {option.name} is True or False")
    try:
        return found.make(**options)
    except TypeError as error:
        reason = str(error).partition("() ")[2] or str(error)
        raise KulamiError(f"{name}: {reason}") from None


def options_of(game: Game) -> dict[str, bool | int | str]:
    """Return the options of a game by name, for JSON.

    Examples:
        >>> options_of(load_game("malawi", board="2x3"))
        {'board': '2x3', 'beads': 2}
        >>> options_of(load_game("kulami", scoring="chains"))["scoring"]
        'chains'
    """
    names = (option.name for option in descriptor(game.name).options)
    values = {name: getattr(game, name) for name in names if hasattr(game, name)}
    return {
        name: value if isinstance(value, (bool, int)) else str(getattr(value, "value", value))
        for name, value in values.items()
    }
