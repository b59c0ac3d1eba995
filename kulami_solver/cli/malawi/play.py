"""`kulami malawi play`: a game against perfect play, at the terminal or by lines from a pipe."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name, seconds, whole_number
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.malawi.positions import add_position_options, drawn, position_of
from kulami_solver.cli.malawi.solving import turn_lines
from kulami_solver.cli.playing import Answer, PlayedGame, play_at_terminal

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
        return play_at_terminal(args, _Played(game, args.side))


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


class _Played(PlayedGame):
    """A game of Malawi."""

    words = DETAILS.partition("\n\n")[0]
    move_word = "turn"
    notation_word = "mfn"

    def __init__(self, game: Game, side: str) -> None:
        super().__init__((side,))
        self._game = game
        self.questions = {"turns": self._values, "values": self._values}

    @property
    def turn(self) -> str:
        return self._game.position.turn

    @property
    def is_over(self) -> bool:
        return self._game.position.is_over

    @property
    def moves(self) -> int:
        return len(self._game.turns)

    def play(self, move: str) -> str:
        self._game.play(move.lower())
        return str(self._game.turns[-1])

    def answer(self) -> str:
        return str(self._game.answer())

    def best(self) -> str:
        return self.answer()

    def take_back(self, moves: int) -> None:
        self._game.take_back(moves)

    def notation(self) -> str:
        return self._game.position.mfn()

    def options(self) -> str:
        return f"--mfn '{self.notation()}'"

    def drawn(self) -> str:
        board = drawn(self._game.position, output.wants_color("auto"))
        times = self._game.repetitions
        if times > 2:
            return f"{board}\nthis has come up {times} times: to go on like that is a draw"
        return board

    def told(self) -> dict[str, Any]:
        return {
            "winner": self._game.position.winner,
            "repetitions": self._game.repetitions,
        }

    def _values(self) -> Answer:
        solution = self._game.solution()
        return "\n".join(turn_lines(solution)), solution.to_json()
