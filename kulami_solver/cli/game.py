"""The parts of a game that the commands need, and the commands `show` and `moves`.

`GameCommands` fits any game of `kulami_solver.registry`, by the game's `Descriptor` and `State`. A
game's part, the module `cli/GAME/__init__.py`, overrides methods in its `GAME` where the game has
options or words of its own, and lists commands that no other game has.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser, add_command, clock_of
from kulami_solver.cli.output import EXIT_OK, CommandError, refused_at
from kulami_solver.core.game_records import positions_after
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import BoardError, NotationError
from kulami_solver.registry import part

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case
    from kulami_solver.bots.grade import MoveEstimate
    from kulami_solver.bots.match import MatchTerms

    #: A game that was read: its start, its moves, and the sources of the values of moves.
    ReadGame = tuple[ks.game.State, tuple[str, ...], tuple[ks.game.Source, ...]]

Drawn = TypeVar("Drawn")


class GameCommands:
    """The parts of a game that its commands need.

    Attributes:
        name, title: the game's name and title.
        summary: the help of the group of its commands.
        move_word: the game's word for a move.
        notation_word: its word for a position as one line: a key in JSON.
        margins: whether games are won by margins.
        remedy: advice if nothing of a game can be graded.
        typed_by: the options by which `grade` takes a game on the command line.
        fills: the one of them that also stands for what the games of a file do not say.
        shared: the commands that it has in common with other games.
        usual_engine: the bot of `engine` if none is named.
        has_pictures: whether its positions have `svg` and `png`.
        opening: the help and the default of `match --plies`; None if it has no such option.
        board_text: draws a position, if the game has its own drawing.
        own_commands: the modules of its folder with commands that no other game has.
        own_play: whether its folder has a module `play`, with `add_play_options` and `played`.
        tells_lines: whether `replay` tells games and lines of a file apart.
    """

    move_word: ClassVar[str] = "move"
    notation_word: ClassVar[str] = "position"
    margins: ClassVar[bool] = False
    moves_word: ClassVar[str] = "moves"
    remedy: ClassVar[str] = "give more with --time"
    play_summary: ClassVar[str] = "play against a bot"
    has_pictures: ClassVar[bool] = False
    usual_engine: ClassVar[str] = "perfect"
    typed_by: ClassVar[tuple[str, ...]] = ()
    fills: ClassVar[str] = ""
    opening: ClassVar[tuple[str, int] | None] = ("moves at random before the bots play (0)", 0)
    board_text: ClassVar[Callable[..., str] | None] = None
    own_commands: ClassVar[tuple[str, ...]] = ()
    own_play: ClassVar[bool] = False
    tells_lines: ClassVar[bool] = False
    shared: ClassVar[tuple[str, ...]] = ("show", "moves", "play", "match", "check", "grade")

    def __init__(self, name: str, title: str = "", summary: str = "") -> None:
        self.name = name
        self.title = title or self.described.title
        self.summary = summary or f"{self.title}: play, match ..."

    @functools.cached_property
    def described(self) -> ks.game.Descriptor:
        """The descriptor of the game."""
        return ks.game.descriptor(self.name)

    def _module(self, name: str) -> Any:
        """A module of the game's folder, which is imported only now."""
        own: Any = part(self.name, "cli")
        return import_module(f"{own.__name__}.{name}")

    def add_own_commands(self, group: Commands) -> None:
        """Add the commands that no other game has."""
        for name in self.own_commands:
            self._module(name).add_commands(group)

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
            raise CommandError(f"--board: {error}") from None

    def state(self, args: argparse.Namespace) -> ks.game.State:
        """Return the state that the options give."""
        game = self.game(args)
        with refused_at("--position"):
            state: ks.game.State = (
                game.start() if args.position is None else game.read(args.position)
            )
        with refused_at("--moves"):
            return positions_after(state, (args.moves or "").split())[-1]

    def drawn(self, state: ks.game.State, color: bool = False) -> str:
        """Return a state as text, in characters that stdout has."""
        if self.board_text is not None:
            return self.board_text(state.position, color)
        return state.drawn(ascii_only=not output.draws_boards())

    def told(self, state: ks.game.State) -> dict[str, Any]:
        """Return the further keys of `show` about a state in JSON."""
        turn = state.game.seats[state.to_move] if state.to_move >= 0 else None
        over = state.to_move == ks.game.NOBODY
        returns = [str(points) for points in state.returns()] if over else None
        return {"turn": turn, "over": over, "returns": returns}

    def standing(self, state: ks.game.State) -> str:
        """Return the words for a state without moves."""
        return "the game is over"

    # Play

    def add_play_options(self, parser: Parser) -> None:
        """Add the options for the players and for the time of an answer."""
        if self.own_play:
            self._module("play").add_play_options(parser)
            return
        parser.choice("--side", self.described.seats, "yours (the first to move)")
        parser.value("--bot", "BOT", "who answers (random)", default="random")
        parser.seconds("--time", "most that an answer may take (2)", 2.0)
        parser.number("--seed", 0, 2**31, "of chance (0)", 0)

    def played(self, args: argparse.Namespace, stack: ExitStack) -> Any:
        """Return a `cli.play.PlayedGame` for the terminal; None for the usual one.

        Args:
            args: the arguments of the command.
            stack: closes the resources that the game needs.
        """
        return self._module("play").played(args, stack) if self.own_play else None

    # Bots

    def add_match_options(self, parser: Parser) -> None:
        """Add the options for the terms of a match."""
        self.add_game_options(parser)
        if self.opening is not None:
            parser.number("--plies", 0, 100, *self.opening)

    def terms(self, args: argparse.Namespace) -> MatchTerms:
        """Return the terms of a match."""
        from kulami_solver.bots.match import GameTerms

        return GameTerms(self.game(args), args.plies, clock_of(args), args.seed, args.recover or "")

    def add_check_options(self, parser: Parser) -> None:
        """Add the options that choose the positions for a bot."""
        self.add_game_options(parser)
        parser.number("--positions", 1, 10**6, "how many (100)", 100)

    def cases(self, args: argparse.Namespace) -> tuple[type[Case], Sequence[Case]]:
        """Return positions with the value of every move, and their class."""
        from kulami_solver.bots.case import draw_cases

        cases = draw_cases(self.game(args), args.seed, args.positions)
        found = self.solved(cases, args.positions)
        return type(found[0]), found

    def solved(self, cases: Iterable[Drawn], count: int) -> list[Drawn]:
        """Return cases that are drawn and solved now, with their number on the progress line."""
        found: list[Drawn] = []
        with ProgressLine(" positions") as line:
            line.show(0, count, "solving")
            for case in cases:
                found.append(case)
                line.show(len(found), count)
        return found

    # Records

    def add_grade_options(self, parser: Parser) -> None:
        """Add the game's own options for grading."""

    def typed_record(self, args: argparse.Namespace) -> Mapping[str, Any]:
        """Return the game that the options `typed_by` of `grade` give, as a record."""
        raise NotImplementedError  # `typed_by` says whether a game has such options

    def estimating(
        self, args: argparse.Namespace
    ) -> Callable[[ks.game.State], Mapping[str, MoveEstimate]] | None:
        """Return the function that estimates every move of a state; None if not asked for."""
        return None

    def records(
        self, lines: Iterable[str], args: argparse.Namespace | None = None
    ) -> Iterator[tuple[int, int, object]]:
        """Yield the games of a file as records, or errors, with the numbers of line and game."""
        from kulami_solver.core.game_records import parsed_records

        return parsed_records(lines)

    def has_record(self, record: Mapping[str, Any]) -> bool:
        """Whether a record in a file is one of this game, as far as its keys tell."""
        return True

    def checked(self, record: object, number: int, place: int) -> Any:
        """Return the verdict on a record: `number`, `agrees` and `reason`."""
        raise NotImplementedError  # `shared` says whether a game has records to check

    def reader(
        self, args: argparse.Namespace, stack: ExitStack
    ) -> Callable[[object, int, int], ReadGame]:
        """Return a function that reads a record, given the numbers of its line and of the game."""

        def read(record: Any, number: int, place: int) -> ReadGame:
            moves = record.get("moves") if isinstance(record, dict) else None
            if not isinstance(moves, list):
                raise NotationError(f"game {place}: a record is an object with a list of moves")
            names = [option.name for option in self.described.options]
            game = self.described.make(**{name: record[name] for name in names if name in record})
            start = game.read(record["start"]) if "start" in record else game.start()
            return start, tuple(map(str, moves)), ()

        return read


def add_show(commands: Commands, game: GameCommands) -> None:
    """Add `show`."""
    run = functools.partial(run_show, game)
    parser = add_command(commands, "show", run, "draw a position")
    game.add_position_options(parser)
    parser.choice("--color", ("auto", "always", "never"), "colours (auto)", "auto")
    if game.has_pictures:
        parser.pictures()


def run_show(game: GameCommands, args: argparse.Namespace) -> int:
    """Draw a position."""
    if game.has_pictures:
        output.check_picture_options(args)
    state = game.state(args)
    written = output.write_pictures(args, state.position) if game.has_pictures else {}
    if args.json:
        told = game.told(state)
        text = {} if "text" in told else {"text": state.drawn()}
        named = {game.notation_word: state.notation(), **text}
        output.json_line({**named, **told, **written})
    elif written:
        output.line("\n".join(f"wrote {name}" for name in written.values()))
    else:
        output.line(game.drawn(state, output.wants_color(args.color)))
        output.line(state.notation())
    return EXIT_OK


def add_moves(commands: Commands, game: GameCommands) -> None:
    """Add `moves`, under the game's word for them."""
    run = functools.partial(run_moves, game)
    parser = add_command(commands, game.moves_word, run, f"print the legal {game.moves_word}")
    game.add_position_options(parser)


def run_moves(game: GameCommands, args: argparse.Namespace) -> int:
    """Print the legal moves."""
    state = game.state(args)
    turn = state.game.seats[state.to_move] if state.to_move >= 0 else None
    named = {game.notation_word: state.notation(), "turn": turn}
    told = {**named, game.moves_word: list(state.moves)}
    return output.answer(args, told, " ".join(state.moves) or game.standing(state))
