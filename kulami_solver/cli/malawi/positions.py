"""The options that give a position of Malawi, and its text."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Options, Parser
from kulami_solver.cli.ending import CommandError
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.malawi import Board, Position
    from kulami_solver.malawi.game import MalawiState

#: A position as text.
drawn = partial(output.board_text, "kulami_solver.malawi.render")


def add_beads_option(parser: Options) -> None:
    """Add --beads to a parser or a group of its options."""
    parser.number("--beads", 1, 15, "on each figure at the start, with --board (2)")


def add_position_options(parser: Parser, *, required: bool = True) -> None:
    """Add the options that give a position."""
    group = parser.group("the position")
    source = group.one_of(required=required)
    source.value("--board", "3x4", "columns x rows: the start of a game")
    source.value("--mfn", "TEXT", "'ROWS TURN', like 'b2b2/../r2r2 r'")
    add_beads_option(group)
    group.value("--turns", "TURNS", "played from there: 'a4-a2 a1xa2'")


def board_of(args: argparse.Namespace) -> Board:
    """The board of --board and --beads."""
    from kulami_solver.malawi import Board

    try:
        return Board.parse(args.board, 2 if args.beads is None else args.beads)
    except KulamiError as error:
        raise CommandError(error.at("option_place", name="board")) from None


def state_of(args: argparse.Namespace) -> MalawiState:
    """The state of --board or --mfn, after --turns, with all earlier positions."""
    from kulami_solver.malawi import Board, Position
    from kulami_solver.malawi.game import MalawiGame, MalawiState

    if args.board is None and args.beads is not None:
        raise CommandError("beads_without_board")
    option = "mfn"
    try:
        if args.board is not None:
            board = board_of(args)
            position = Position.start(board)
        else:
            position = Position.from_mfn(args.mfn.lower())
            board = Board(position.columns, position.rows)
        option = "turns"
        turns = (args.turns or "").lower().split()
        position.play_all(turns)  # its error names the illegal turn
    except KulamiError as error:
        raise CommandError(error.at("option_place", name=option)) from None
    before = []
    for turn in turns:
        before.append(position)
        position = position.play(turn)
    return MalawiState(MalawiGame(board), position, tuple(before))


def position_of(args: argparse.Namespace) -> Position:
    """The position of --board or --mfn, after --turns."""
    return state_of(args).position
