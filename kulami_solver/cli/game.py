"""The parts of a game that the commands need, and the commands `show`, `moves` and `score`.

`GameCommands` fits any game of `kulami_solver.registry`, by the game's `Descriptor` and `State`. A
game's part, the module `cli/GAME/__init__.py`, overrides methods in its `GAME` where the game has
options or words of its own. The modules `solving` and `databases` of its folder have commands that
no other game has, or that other games have in another way; `play` has its own way of playing.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
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
    from kulami_solver.bots.grade import Estimating
    from kulami_solver.bots.match import MatchTerms

    #: The start of a game that was read, and its moves.
    ReadGame = tuple[ks.game.State, tuple[str, ...]]

Drawn = TypeVar("Drawn")


class GameCommands:
    """The parts of a game that its commands need.

    Attributes:
        name, title: the game's name and title.
        summary: the help of the group of its commands.
        moves_word: the game's word for moves: a command, an option and a key in JSON.
        move_code: the code of the place of a move in an error.
        notation_word: its word for a position as one line: an option and a key in JSON.
        margins: whether games are won by margins.
        fills: the option that also stands for what the games of a file do not say.
        shared: the commands that it has in common with other games.
        usual_engine: the bot of `engine` if none is named.
        opening: the usual `match --plies`; None if it has no such option.
        board_text: draws a position, if the game has its own drawing.
        tells_lines: whether `replay` tells games and lines of a file apart.
    """

    moves_word: ClassVar[str] = "moves"
    move_code: ClassVar[str] = "move"
    notation_word: ClassVar[str] = "position"
    margins: ClassVar[bool] = False
    fills: ClassVar[str] = ""
    usual_engine: ClassVar[str] = "perfect"
    opening: ClassVar[int | None] = 0
    board_text: ClassVar[Callable[..., str] | None] = None
    tells_lines: ClassVar[bool] = False
    shared: ClassVar[tuple[str, ...]] = (
        *("show", "moves", "solve", "score", "play", "match", "check", "grade", "engine"),
    )

    def __init__(self, name: str, title: str = "", summary: str = "") -> None:
        self.name = name
        self.title = title or self.described.title
        self.summary = summary or f"{self.title}: play, match ..."

    @functools.cached_property
    def described(self) -> ks.game.Descriptor:
        """The descriptor of the game."""
        return ks.game.descriptor(self.name)

    def module(self, name: str) -> Any:
        """Return a module of the game's folder, which is imported only now; None if it has none."""
        own: Any = part(self.name, "cli")
        if own is None or find_spec(f"{own.__name__}.{name}") is None:
            return None
        return import_module(f"{own.__name__}.{name}")

    @property
    def options(self) -> list[ks.game.Option]:
        """The options of the game on the command line, where the seed has an option of its own."""
        return [option for option in self.described.options if option.name != "seed"]

    # Positions

    def add_position_options(self, parser: Parser) -> None:
        """Add the options that give a position: those of the game, its notation, and moves."""
        group = parser.group("the position")
        # A notation goes without what it says; the first option of that kind need not be looked at.
        source = group.one_of()
        source.value(f"--{self.notation_word}", "TEXT", "as one line; the start if not given")
        for option in self.options:
            (source if option.name in self.described.written[:1] else group).of_game(option)
        group.value(f"--{self.moves_word}", "MOVES", "played from there")

    def given(self, args: argparse.Namespace) -> dict[str, Any]:
        """Return the options of the game that were given, by name."""
        said = ((option.name, vars(args).get(option.name)) for option in self.described.options)
        return {name: value for name, value in said if value is not None and value is not False}

    def take_small(self, args: argparse.Namespace, *more: str) -> None:
        """Take a small game where no option gives a position and the usual start is too large.

        Args:
            args: of the command.
            more: names of further options that give a position.
        """
        names = (self.notation_word, self.moves_word, *more)
        begun = self.given(args) or any(vars(args)[one] is not None for one in names)
        if begun or not self.described.large:
            return
        small = self.described.samples[0]
        vars(args).update(small)
        said = " ".join(f"--{name} {small[name]}" for name in small if small[name] is not True)
        output.message(
            "note", f"the usual start is too large to be solved, so this is {said}; give another"
        )

    def game(self, args: argparse.Namespace) -> Any:
        """Return the game with the options given."""
        with self._board_refused(args):
            return self.described.make(**self.given(args))

    @contextlib.contextmanager
    def _board_refused(self, args: argparse.Namespace) -> Iterator[None]:
        """Let the error of a board name its option."""
        try:
            yield
        except BoardError as error:
            if "board" not in self.given(args):
                raise
            raise CommandError(f"--board: {error}") from None

    def state(self, args: argparse.Namespace) -> Any:
        """Return the state of the game that the options give.

        Raises:
            CommandError: if an option is wrong, or goes without the notation, which says it.
        """
        text, given = vars(args)[self.notation_word], self.given(args)
        written = self.described.written
        if text is None:
            with self._board_refused(args):
                state = self.described.state(**given)
        else:
            for name in filter(given.__contains__, written):
                raise CommandError(f"--{name} goes with --{written[0]}; a position has its own")
            with refused_at(f"--{self.notation_word}"):
                state = self.described.state(self.as_typed(text), **given)
        with refused_at(f"--{self.moves_word}"):
            return positions_after(state, self.played_before(args), self.move_code)[-1]

    def as_typed(self, text: str) -> str:
        """Return a typed notation, or typed moves, as the game writes them."""
        return text

    def played_before(self, args: argparse.Namespace) -> list[str]:
        """Return the moves that the options name."""
        return self.as_typed(vars(args)[self.moves_word] or "").split()

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
        own = getattr(state.position, "standing", None)
        return "the game is over" if own is None else str(own())

    # Play

    def add_play_options(self, parser: Parser) -> None:
        """Add the options for the players and for the time of an answer."""
        if (own := self.module("play")) is not None:
            own.add_play_options(parser)
            return
        parser.choice("--side", self.described.seats, "yours (the first to move)")
        parser.value("--bot", "BOT", "who answers (random)", default="random")
        parser.seconds("--time", "most that an answer may take (2)", 2.0)
        parser.number("--seed", 0, 2**31, "of chance (0)", 0)

    # Bots

    def add_match_options(self, parser: Parser) -> None:
        """Add the options for the terms of a match."""
        parser.group("the game").of_game(*self.options)
        if self.opening is not None:
            words = f"{self.moves_word} at random before the bots play ({self.opening})"
            parser.number("--plies", 0, 100, words, self.opening)

    def terms(self, args: argparse.Namespace) -> MatchTerms:
        """Return the terms of a match."""
        from kulami_solver.bots.match import GameTerms

        return GameTerms(self.game(args), args.plies, clock_of(args), args.seed, args.recover or "")

    def add_check_options(self, parser: Parser) -> None:
        """Add the options that choose the positions for a bot."""
        parser.group("the game").of_game(*self.options)
        parser.number("--positions", 1, 10**6, "how many (100)", 100)
        self._add_database(parser)

    def _add_database(self, parser: Parser) -> None:
        if self.described.database is not None:
            parser.file("--database", "values, by build", "DB")

    def cases(self, args: argparse.Namespace) -> tuple[type[Case], Sequence[Case]]:
        """Return positions with the value of every move, and their class."""
        from kulami_solver.bots.case import draw_cases

        game = self.game(args)
        with ExitStack() as stack:
            sources = self.sources(args, stack)(game.start())
            cases = draw_cases(game, args.seed, args.positions, sources)
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

    @property
    def typed_by(self) -> tuple[str, ...]:
        """The options by which `grade` takes a game on the command line."""
        return (self.moves_word, *(option.name for option in self.options), self.notation_word)

    def add_grade_options(self, parser: Parser) -> None:
        """Add the game's own options for grading."""
        self._add_database(parser)
        self.add_position_options(parser)

    def typed_record(self, args: argparse.Namespace) -> Mapping[str, Any]:
        """Return the game that the options `typed_by` of `grade` give, as a record."""
        self.state(args)  # its errors name the option
        start = vars(args)[self.notation_word]
        begun = {} if start is None else {"start": self.as_typed(start)}
        return {**self.given(args), **begun, "moves": self.played_before(args)}

    def sources(
        self, args: argparse.Namespace, stack: ExitStack
    ) -> Callable[[ks.game.State], Sequence[ks.game.Source]]:
        """Return the function that finds the sources of the values in a game from its start."""
        return lambda _start: ()

    def estimating(self, args: argparse.Namespace) -> Estimating | None:
        """Return the function that estimates every move of a state; None if not asked for."""
        return None

    def records(
        self, lines: Iterable[str], args: argparse.Namespace | None = None
    ) -> Iterator[tuple[int, int, object]]:
        """Yield the games of a file as records, or errors, with the numbers of line and game."""
        from kulami_solver.core.game_records import parsed_records

        return parsed_records(lines)

    def has_record(self, record: Mapping[str, Any]) -> bool:
        """Whether a record in a file is one of this game."""
        try:
            positions_after(*self.read_record(record, 1, 1))
        except Exception:  # a foreign game may raise anything at another's options
            return False
        return True

    def checked(self, record: object, number: int, place: int) -> Any:
        """Return the verdict on a record: `number`, `agrees` and `reason`."""
        raise NotImplementedError  # `shared` says whether a game has records to check

    def read_record(self, record: Any, number: int, place: int) -> ReadGame:
        """Return the start and the moves of a record, by the numbers of its line and of the game.

        Raises:
            KulamiError: if it is none of this game.
        """
        moves = record.get("moves") if isinstance(record, dict) else None
        if not isinstance(moves, list):
            raise NotationError(f"game {place}: a record is an object with a list of moves")
        names = [option.name for option in self.described.options]
        given = {name: record[name] for name in names if name in record}
        return self.described.state(record.get("start"), **given), tuple(map(str, moves))


def add_show(commands: Commands, game: GameCommands) -> None:
    """Add `show`."""
    parser = add_command(commands, "show", run_show, "draw a position", game)
    game.add_position_options(parser)
    parser.choice("--color", ("auto", "always", "never"), "colours (auto)", "auto")
    parser.pictures()


def run_show(game: GameCommands, args: argparse.Namespace) -> int:
    """Draw a position."""
    output.wants_picture(args)
    state = game.state(args)
    png = getattr(state.position, "png", lambda: None)
    written = output.write_pictures(args, SimpleNamespace(svg=state.svg, png=png))
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
    words = f"print the legal {game.moves_word}"
    parser = add_command(commands, game.moves_word, run_moves, words, game)
    game.add_position_options(parser)


def run_moves(game: GameCommands, args: argparse.Namespace) -> int:
    """Print the legal moves."""
    state = game.state(args)
    told = {**_turn(game, state), game.moves_word: list(state.moves)}
    return output.answer(args, told, " ".join(state.moves) or game.standing(state))


def add_score(commands: Commands, game: GameCommands) -> None:
    """Add `score`."""
    parser = add_command(commands, "score", run_score, "print what each side has now", game)
    game.add_position_options(parser)


def run_score(game: GameCommands, args: argparse.Namespace) -> int:
    """Print what each seat has."""
    state = game.state(args)
    scores = dict(zip(state.game.seats, map(_number, state.scores()), strict=False))
    over = state.to_move == ks.game.NOBODY
    said = ", ".join(f"{seat} {points}" for seat, points in scores.items())
    turn = "the game is over" if over else f"{_turn(game, state)['turn'] or 'chance'} to move"
    told = {**_turn(game, state), "scores": scores or None, "over": over}
    return output.answer(args, told, "; ".join(filter(None, (said, turn))))


def _turn(game: GameCommands, state: ks.game.State) -> dict[str, Any]:
    """The keys of JSON that say which state it is, and whose turn."""
    turn = state.game.seats[state.to_move] if state.to_move >= 0 else None
    return {game.notation_word: state.notation(), "turn": turn}


def _number(points: ks.game.Number) -> int | str:
    return points if isinstance(points, int) else str(points)
