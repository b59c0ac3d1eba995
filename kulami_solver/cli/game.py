"""What the commands need of a game.

`GameCommands` fits any game of `kulami_solver.registry`: what it needs it takes from the game's
`Descriptor` and `State`. A game's part, the module `cli/GAME/__init__.py`, overrides in its `GAME`
what the game has options or words of its own for, and lists commands that no other game has.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser
from kulami_solver.cli.ending import CommandError
from kulami_solver.errors import BoardError, KulamiError
from kulami_solver.registry import part

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case
    from kulami_solver.bots.graded import Estimate
    from kulami_solver.bots.match import Terms
    from kulami_solver.game import Descriptor, Number, State

    #: A game that was read: where it began, its moves, and what knows what moves are worth.
    ReadGame = tuple[State, tuple[str, ...], Callable[[State], Mapping[str, Number] | None] | None]

_BOTS = """\
a bot is one of
  random  greedy  perfect, as far as the game has them
  module:name           a class or an instance in a Python module; it has
                        choose(position)
"""


class GameCommands:
    """What the commands about a game need of it.

    Attributes:
        name, title: of the game.
        summary, details: of the group of its commands.
        move_word: what it calls a move.
        notation_word: what it calls a position as one line: a key in JSON.
        margins: whether games are won by margins.
        remedy: what to do if nothing of a game can be graded: a code, or words.
        typed_by: the options by which `grade` takes a game on the command line.
        shared: the commands that it has in common with others.
        usual_engine: the bot that `engine` is if none is named.
        has_pictures: whether its positions have `svg` and `png`.
    """

    move_word: ClassVar[str] = "move"
    notation_word: ClassVar[str] = "position"
    margins: ClassVar[bool] = False
    moves_word: ClassVar[str] = "moves"
    remedy: ClassVar[str] = "more_time"
    play_summary: ClassVar[str] = "play against a bot"
    has_pictures: ClassVar[bool] = False
    usual_engine: ClassVar[str] = "perfect"
    typed_by: ClassVar[tuple[str, ...]] = ()
    shared: ClassVar[tuple[str, ...]] = ("show", "moves", "play", "match", "check", "grade")

    def __init__(self, name: str, title: str = "", summary: str = "", details: str = "") -> None:
        self.name = name
        self.title = title or self.described.title
        self.summary = summary or f"{self.title}: play, match ..."
        self.details = details

    @functools.cached_property
    def described(self) -> Descriptor:
        """What there is to know of the game."""
        from kulami_solver.game import descriptor

        return descriptor(self.name)

    def page(self, command: str) -> str:
        """Return what the help page of a command says below its options."""
        own = part(self.name, "cli")
        if own is not None:
            words: Mapping[str, str] = import_module(f"{own.__name__}.words").WORDS
            if command in words:
                return words[command]
        return _BOTS if command in ("match", "check", "play") else ""

    def add_own_commands(self, group: Commands) -> None:
        """Add the commands that no other game has."""

    # Positions

    def add_game_options(self, parser: Parser) -> None:
        """Add the options of the game."""
        group = parser.group("the game")
        for option in self.described.options:
            if option.name != "seed":
                group.of_game(option)

    def add_position_options(self, parser: Parser) -> None:
        """Add the options that give a position."""
        self.add_game_options(parser)
        group = parser.group("the position")
        group.value("--position", "TEXT", "as one line; the start if not given")
        group.value("--moves", "MOVES", "played from there")

    def game(self, args: argparse.Namespace) -> Any:
        """Return the game with the options given."""
        names = [option.name for option in self.described.options]
        given = {name: vars(args)[name] for name in names if vars(args).get(name) is not None}
        try:
            return self.described.make(**given)
        except BoardError as error:
            if "board" not in given:
                raise
            raise CommandError(error.at("option_place", name="board")) from None

    def state(self, args: argparse.Namespace) -> State:
        """Return the state that the options give."""
        game = self.game(args)
        option = "position"
        try:
            state: State = game.start() if args.position is None else game.read(args.position)
            option = "moves"
            for move in (args.moves or "").split():
                state = state.play(move)
        except KulamiError as error:
            raise CommandError(error.at("option_place", name=option)) from None
        return state

    def drawn(self, state: State, color: bool = False, language: str = "en") -> str:
        """Return a state as text, in characters that stdout has; in a language if it has one."""
        return state.drawn(ascii_only=not output.draws_boards())

    def told(self, state: State) -> dict[str, Any]:
        """Return what `show` says of a state in JSON, besides its notation and picture."""
        from kulami_solver.game import NOBODY

        turn = state.game.seats[state.to_move] if state.to_move >= 0 else None
        over = state.to_move == NOBODY
        returns = [str(points) for points in state.returns()] if over else None
        return {"turn": turn, "over": over, "returns": returns}

    def standing(self, state: State) -> str:
        """Return what is said where there is no move."""
        return "the game is over"

    # Play

    def add_play_options(self, parser: Parser) -> None:
        """Add who plays, and how long an answer may take."""
        parser.choice("--side", self.described.seats, "yours (the first to move)")
        parser.value("--bot", "BOT", "who answers (random)", default="random")
        parser.seconds("--time", "most that an answer may take (2)", 2.0)
        parser.number("--seed", 0, 2**31, "of chance (0)", 0)

    def played(self, args: argparse.Namespace, stack: ExitStack) -> Any:
        """Return a `cli.play.PlayedGame` for the terminal, None for one as any game has it.

        Args:
            args: of the command.
            stack: ends what it needs.
        """
        return None

    # Bots

    def add_match_options(self, parser: Parser) -> None:
        """Add what a match is played on."""
        self.add_game_options(parser)
        parser.number("--plies", 0, 100, "moves at random before the bots play (0)", 0)

    def terms(self, args: argparse.Namespace) -> Terms:
        """Return what a match is played on."""
        from kulami_solver.bots.match import GameTerms
        from kulami_solver.cli.clocks import clock_of

        return GameTerms(self.game(args), args.plies, clock_of(args), args.seed)

    def add_check_options(self, parser: Parser) -> None:
        """Add which positions a bot is asked."""
        self.add_game_options(parser)
        parser.number("--positions", 1, 10**6, "how many (100)", 100)

    def cases(self, args: argparse.Namespace) -> tuple[type[Case], Sequence[Case]]:
        """Return positions with the value of every move, and their class."""
        from kulami_solver.bots.suite import draw_cases

        cases = list(draw_cases(self.game(args), args.seed, args.positions))
        return type(cases[0]), cases

    # Records

    def add_grade_options(self, parser: Parser) -> None:
        """Add what says how games are graded, besides what all games have."""

    def typed_record(self, args: argparse.Namespace) -> Mapping[str, Any]:
        """Return the game that the options `typed_by` of `grade` give, as a record."""
        raise NotImplementedError  # a game says by `typed_by` whether it has such options

    def estimating(
        self, args: argparse.Namespace
    ) -> Callable[[State], Mapping[str, Estimate]] | None:
        """Return what estimates every move of a state, None if that was not asked for."""
        return None

    def records(self, lines: Iterable[str]) -> Iterable[str]:
        """Return lines of JSON of the lines of a file of games."""
        return lines

    def replay(self, lines: Iterable[str]) -> Iterable[Any]:
        """Return what comes of each record of a file: `number`, `agrees` and `reason`."""
        raise NotImplementedError  # a game says by `shared` whether it has records to check

    def where(self, verdict: Any) -> tuple[dict[str, object], str]:
        """Return what else says which record it is: keys of JSON, and words after its number."""
        return {}, ""

    def reader(
        self, args: argparse.Namespace, stack: ExitStack
    ) -> Callable[[object, int, int], ReadGame]:
        """Return what makes a game of a record, the number of its line, and its own number."""

        def read(record: Any, number: int, place: int) -> ReadGame:
            moves = record.get("moves") if isinstance(record, dict) else None
            if not isinstance(moves, list):
                raise CommandError("record_no_moves_list", place=place)
            names = [option.name for option in self.described.options]
            game = self.described.make(**{name: record[name] for name in names if name in record})
            start = game.read(record["start"]) if "start" in record else game.start()
            return start, tuple(map(str, moves)), None

        return read
