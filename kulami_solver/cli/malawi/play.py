"""`kulami malawi play`: a game against perfect play, at the terminal or by lines from a pipe."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name, seconds, whole_number
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.cli.malawi.positions import add_position_options, drawn, position_of
from kulami_solver.cli.malawi.solving import turn_lines
from kulami_solver.cli.positions import LINE_LIMIT, text_lines
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.malawi import Position, Solution
    from kulami_solver.malawi.playing import Game


DETAILS = """\
Type a turn, or one of
  turns   what every legal turn is worth     undo    take your last turn back
  best    play the best turn for me          mfn     the position as one line
  board   draw the board again               quit    leave (or end the input)

examples
  kulami malawi play --board 3x4
  kulami malawi play --board 6x6 --side black --time 10
"""


def add_commands(group: Commands) -> None:
    """Add `play`."""
    command = add_command(group, "play", run, "play against it", DETAILS)
    add_position_options(command)
    command.add_argument("--side", choices=("red", "black"), default="red", help="yours (red)")
    command.add_argument(
        "--database", metavar="DB", type=file_name, help="play perfectly by this file"
    )
    command.add_argument(
        "--time",
        metavar="SECONDS",
        type=seconds,
        default=2.0,
        help="without a database, search so long for an answer (2)",
    )
    command.add_argument(
        "--seed",
        metavar="N",
        type=whole_number(0, 10**18),
        default=0,
        help="of the choice between turns that are equally good (0)",
    )


def run(args: argparse.Namespace) -> int:
    """Play a game at the terminal, or by lines from a pipe."""
    from kulami_solver.malawi.playing import Game

    with contextlib.ExitStack() as stack:
        start = position_of(args)
        game = Game(start, _solver(args, stack, start), args.seed)
        try:
            _play(args, game)
        except KeyboardInterrupt:
            output.message("interrupted", f"go on with --mfn '{game.position.mfn()}'")
            return EXIT_INTERRUPTED
    return EXIT_OK


def _solver(
    args: argparse.Namespace, stack: contextlib.ExitStack, start: Position
) -> Callable[[Position], Solution]:
    """What values the turns of a position."""
    from kulami_solver.malawi import open_database, search

    database = None
    if args.database is not None:
        database = stack.enter_context(open_database(args.database))
        if (start.columns, start.rows) != (database.board.columns, database.board.rows):
            raise CommandError(
                f"--database: {args.database} is of a board of {database.board}, the game is on "
                f"{start.columns}x{start.rows}; name a database of that board, or none"
            )
        if start not in database:
            output.message(
                "note",
                f"{args.database} does not hold {start.mfn()}; where it holds nothing, turns are "
                f"searched for {args.time:g} s",
            )

    def valued(position: Position) -> Solution:
        if database is not None and position in database:
            return database.probe(position, every_move=True)
        return search(position, time=args.time, every_move=True)

    return valued


def _play(args: argparse.Namespace, game: Game) -> None:
    if args.json:
        _tell(args, game, None, "start")
    else:
        output.line(drawn(game.position, output.wants_color("auto")))
    entered = _entered(lambda: f"{game.position.turn}> ")
    while True:
        if not game.position.is_over and game.position.turn != args.side:
            _tell(args, game, str(game.answer()), "computer")
            continue
        text = next(entered, "quit")
        try:
            if not _obey(args, game, text):
                return
        except (CommandError, KulamiError) as error:
            output.error(str(error))


def _obey(args: argparse.Namespace, game: Game, text: str) -> bool:
    """Do what was entered; False to leave."""
    if text in ("quit", "exit", "q"):
        if not args.json and not game.position.is_over:
            output.line(f"to go on: --mfn '{game.position.mfn()}'")
        return False
    if text in ("help", "?"):
        words = DETAILS.partition("\n\n")[0]
        if args.json:
            output.json_line({"help": words})
        else:
            output.line(words)
    elif text in ("board", "mfn") and args.json:
        _tell(args, game, None, text)
    elif text == "board":
        output.line(drawn(game.position, output.wants_color("auto")))
    elif text == "mfn":
        output.line(game.position.mfn())
    elif text == "turns":
        if args.json:
            output.json_line(game.solution().to_json())
        else:
            output.line("\n".join(turn_lines(game.solution())))
    elif text == "undo":
        back = 2 if game.position.turn == args.side else 1
        if len(game.turns) < back:
            raise CommandError("there is no turn of yours to take back")
        game.take_back(back)
        _tell(args, game, None, "undo")
    elif text == "best" and not game.position.is_over:
        _tell(args, game, str(game.answer()), "best")
    elif text and text != "best":
        game.play(text)
        _tell(args, game, text, "you")
    return True


def _tell(args: argparse.Namespace, game: Game, turn: str | None, by: str) -> None:
    """Say what has happened, and what has become of the position."""
    position = game.position
    if args.json:
        output.json_line(
            {
                "by": by,
                "turn": turn,
                "mfn": position.mfn(),
                "over": position.is_over,
                "winner": position.winner,
                "repetitions": game.repetitions,
            }
        )
        return
    if by == "computer":
        output.line(f"{'black' if position.turn == 'red' else 'red'}: {turn}")
    output.line(drawn(position, output.wants_color("auto")))
    if game.repetitions > 2:
        output.line(f"this has come up {game.repetitions} times: to go on like that is a draw")


def _entered(prompt: Callable[[], str]) -> Iterator[str]:
    """What a person types, or the lines of a pipe."""
    if output.is_terminal(sys.stdin) and output.is_terminal(sys.stdout):
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (input() has a history with it)
        with contextlib.suppress(EOFError):
            while True:
                yield input(prompt()).strip()
        return
    yield from text_lines("standard input", "-", LINE_LIMIT)
