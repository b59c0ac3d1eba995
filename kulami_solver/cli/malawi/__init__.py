"""`kulami malawi ...`: Malawi's part of the commands of all games.

solving     solve, probe
databases   build, info, verify, and boards that are solved for a check or a grade
play        a game at the terminal
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Options, Parser
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.output import CommandError, refused_at
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case
    from kulami_solver.cli.game import ReadGame
    from kulami_solver.malawi.game import MalawiState

_DATABASE = "the board solved, by malawi build"

#: A position as text.
board_text = partial(output.board_text, "kulami_solver.malawi.render")


class MalawiCommands(GameCommands):
    """The parts of Malawi that the commands need."""

    moves_word: ClassVar = "turns"
    typed_by: ClassVar = ("turns", "board", "mfn", "beads")
    notation_word: ClassVar = "mfn"
    remedy: ClassVar = "give a --database of the board, or more with --time"
    play_summary: ClassVar = "play against it"
    opening: ClassVar = ("turns of an opening (4)", 4)
    board_text: ClassVar = staticmethod(board_text)
    own_commands: ClassVar = ("solving", "databases")
    own_play: ClassVar = True
    shared: ClassVar = (*GameCommands.shared, "engine")

    def add_game_options(self, parser: Options) -> None:
        parser.add_argument("--board", metavar="3x4", help="columns x rows", required=True)
        self._add_beads_option(parser)

    def _add_beads_option(self, parser: Options) -> None:
        parser.number("--beads", 1, 15, "on each figure at the start, with --board (2)")

    def add_position_options(self, parser: Parser, *, required: bool = True) -> None:
        group = parser.group("the position")
        source = group.one_of(required=required)
        source.value("--board", "3x4", "columns x rows: the start of a game")
        source.value("--mfn", "TEXT", "'ROWS TURN', like 'b2b2/../r2r2 r'")
        self._add_beads_option(group)
        group.value("--turns", "TURNS", "played from there: 'a4-a2 a1xa2'")

    def board(self, args: argparse.Namespace) -> ks.malawi.Board:
        """Return the board of --board and --beads."""
        with refused_at("--board"):
            return ks.malawi.Board.parse(args.board, 2 if args.beads is None else args.beads)

    def state(self, args: argparse.Namespace) -> MalawiState:
        """Return the state of --board or --mfn, after --turns, with all earlier positions."""
        from kulami_solver.malawi.game import MalawiGame, MalawiState

        if args.board is None and args.mfn is None:
            args.board = "6x6"
        if args.board is not None:
            board = self.board(args)
            position = ks.malawi.Position.start(board)
        elif args.beads is not None:
            raise CommandError("--beads goes with --board; an MFN has the beads of each figure")
        else:
            with refused_at("--mfn"):
                position = ks.malawi.Position.from_mfn(args.mfn.lower())
                board = ks.malawi.Board(position.columns, position.rows)
        turns = (args.turns or "").lower().split()
        with refused_at("--turns"):
            position.play_all(turns)  # its error names the illegal turn
        before = []
        for turn in turns:
            before.append(position)
            position = position.play(turn)
        return MalawiState(MalawiGame(board), position, tuple(before))

    def told(self, state: Any) -> dict[str, Any]:
        position = state.position
        return {"beads": position.beads, "over": position.is_over, "winner": position.winner}

    def standing(self, state: Any) -> str:
        standing: str = state.position.standing()
        return standing

    def add_check_options(self, parser: Parser) -> None:
        super().add_check_options(parser)
        parser.file("--database", _DATABASE, "DB")

    def cases(self, args: argparse.Namespace) -> tuple[type[Case], Sequence[Case]]:
        from kulami_solver.bots.case import draw_cases
        from kulami_solver.bots.malawi import Case
        from kulami_solver.cli.malawi.databases import LONGEST, SolvedBoards
        from kulami_solver.cli.malawi.solving import why_not_from_the_ends
        from kulami_solver.malawi.game import MalawiGame

        board = self.board(args)
        with ExitStack() as stack:
            solved = SolvedBoards(args.database, stack)
            if solved.database(board) is None:
                why = why_not_from_the_ends(board, LONGEST)
                raise CommandError(f"{why}; name a --database, or take a smaller --board")
            cases = draw_cases(MalawiGame(board), args.seed, args.positions, (solved,))
            return Case, self.solved(cases, args.positions)

    def add_grade_options(self, parser: Parser) -> None:
        parser.file("--database", _DATABASE, "DB")
        self.add_position_options(parser, required=False)

    def typed_record(self, args: argparse.Namespace) -> Mapping[str, Any]:
        from kulami_solver.malawi.replay import record_of

        if args.board is None and args.mfn is None:
            raise CommandError("--turns goes with --board or --mfn: say where the game begins")
        state = self.state(args)
        start, *_ = *state.before, state.position
        return record_of(state.game.board, start, (args.turns or "").lower().split())

    def has_record(self, record: Mapping[str, Any]) -> bool:
        from kulami_solver.malawi.replay import read_game

        try:
            read_game({**record, "moves": []})
        except KulamiError:
            return False
        return True

    def reader(
        self, args: argparse.Namespace, stack: ExitStack
    ) -> Callable[[object, int, int], ReadGame]:
        from kulami_solver.cli.malawi.databases import SolvedBoards
        from kulami_solver.malawi.replay import read_game

        solved = SolvedBoards(args.database, stack)

        def read(record: object, number: int, game: int) -> ReadGame:
            found = read_game(record, number, game)
            database = solved.database(found.start.game.board)
            return found.start, found.moves, () if database is None else (solved,)

        return read


GAME = MalawiCommands("malawi", "Malawi", "the sibling game: solve, play ...")
