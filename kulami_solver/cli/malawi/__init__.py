"""`kulami malawi ...`: Malawi's part of the commands of all games, and its own commands.

words       words for help pages
positions   the options that give a position
play        a game at the terminal
solved      boards that are solved for a check or a grade
solving     solve
databases   build, probe, info, verify
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar

from kulami_solver.cli.arguments import Commands, Parser
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.game import GameCommands

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case
    from kulami_solver.cli.game import ReadGame
    from kulami_solver.cli.play import PlayedGame
    from kulami_solver.game import State

DETAILS = """\
a position is one of
  --board 3x4 [--beads 2]      columns x rows, beads on each figure: the start
                               of a game
  --mfn "b2b2/../r2r2 r"       rows from the top, then the side to move
and --turns plays on from there: a4-a2 is a move, a4xa1 a hit, a4:b4,c4 a
redistribution
examples
  kulami malawi solve --board 3x4
  kulami malawi play --board 6x6
  kulami malawi COMMAND --help
"""


_DATABASE = "the board solved, by malawi build"


class MalawiCommands(GameCommands):
    """The parts of Malawi that the commands need."""

    moves_word: ClassVar = "turns"
    typed_by: ClassVar = ("turns", "board", "mfn", "beads")
    notation_word: ClassVar = "mfn"
    remedy: ClassVar = "more_time_or_database"
    play_summary: ClassVar = "play against it"

    shared: ClassVar = (*GameCommands.shared, "engine")

    def add_own_commands(self, group: Commands) -> None:
        from kulami_solver.cli.malawi import databases, solving

        solving.add_commands(group)
        databases.add_commands(group)

    def add_game_options(self, parser: Parser) -> None:
        from kulami_solver.cli.malawi.positions import add_beads_option

        parser.add_argument("--board", metavar="3x4", help="columns x rows", required=True)
        add_beads_option(parser)

    def add_position_options(self, parser: Parser) -> None:
        from kulami_solver.cli.malawi.positions import add_position_options

        add_position_options(parser)

    def state(self, args: argparse.Namespace) -> State:
        from kulami_solver.cli.malawi.positions import state_of

        return state_of(args)

    def drawn(self, state: State, color: bool = False, language: str = "en") -> str:
        from kulami_solver.cli.malawi.positions import drawn

        return drawn(state.position, color, language)

    def told(self, state: State) -> dict[str, Any]:
        position = state.position
        return {"beads": position.beads, "over": position.is_over, "winner": position.winner}

    def standing(self, state: State) -> str:
        standing: str = state.position.standing()
        return standing

    def add_play_options(self, parser: Parser) -> None:
        from kulami_solver.cli.malawi.play import add_play_options

        add_play_options(parser)

    def played(self, args: argparse.Namespace, stack: ExitStack) -> PlayedGame:
        from kulami_solver.cli.malawi.play import played

        return played(args, stack)

    def add_match_options(self, parser: Parser) -> None:
        self.add_game_options(parser)
        parser.number("--plies", 0, 100, "turns of an opening (4)", 4)

    def add_check_options(self, parser: Parser) -> None:
        super().add_check_options(parser)
        parser.file("--database", _DATABASE, "DB")

    def cases(self, args: argparse.Namespace) -> tuple[type[Case], Sequence[Case]]:
        from kulami_solver.bots.malawi import Case
        from kulami_solver.bots.suite import draw_cases
        from kulami_solver.cli.asking import drawn
        from kulami_solver.cli.malawi.positions import board_of
        from kulami_solver.cli.malawi.solved import Solved, why_not_solved
        from kulami_solver.malawi.game import MalawiGame

        board = board_of(args)
        with ExitStack() as stack:
            database = Solved(args.database, stack).database(board)
            if database is None:
                raise CommandError("board_not_solved", why=why_not_solved(board))
            cases = draw_cases(MalawiGame(board), args.seed, args.positions, (database,))
            return Case, drawn(cases, args.positions)

    def add_grade_options(self, parser: Parser) -> None:
        from kulami_solver.cli.malawi.positions import add_position_options

        parser.file("--database", _DATABASE, "DB")
        add_position_options(parser, required=False)

    def typed_record(self, args: argparse.Namespace) -> Mapping[str, Any]:
        from kulami_solver.cli.malawi.positions import state_of
        from kulami_solver.malawi.replay import record_of

        if args.board is None and args.mfn is None:
            raise CommandError("turns_alone")
        state = state_of(args)
        start, *_ = *state.before, state.position
        return record_of(state.game.board, start, (args.turns or "").lower().split())

    def reader(
        self, args: argparse.Namespace, stack: ExitStack
    ) -> Callable[[object, int, int], ReadGame]:
        from kulami_solver.cli.malawi.solved import Solved
        from kulami_solver.malawi.replay import read_game

        solved = Solved(args.database, stack)

        def read(record: object, number: int, game: int) -> ReadGame:
            found = read_game(record, number, game)
            return found.start, found.moves, solved.sources(found.start.game.board)

        return read


GAME = MalawiCommands("malawi", "Malawi", "the sibling game: solve, play ...", DETAILS)
