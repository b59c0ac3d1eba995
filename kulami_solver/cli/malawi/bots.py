"""Malawi's bots: `kulami malawi match` and `kulami malawi check`."""

from __future__ import annotations

import argparse
import functools
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kulami_solver.cli.arguments import Commands, Parser, add_command, file_name, whole_number
from kulami_solver.cli.bots import (
    add_check_options,
    add_clock_options,
    add_seed_option,
    check_bot,
    clock_of,
)
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.games import add_match_options, add_pairing, play_match
from kulami_solver.cli.malawi.positions import add_beads_option, board_of
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.malawi.suite import MalawiCase


#: What a board that is solved for a check may take by the estimate, in seconds.
LONGEST = 60.0

BOTS = """\
a bot is one of
  random  greedy (most beads at once)  perfect (by search: --nodes, --movetime)
  perfect:FILE          likewise, but first looks positions up in a database
  module:name           a class or an instance in a Python module; it has
                        choose(position), and returns a turn or its text
"""

MATCH = (
    BOTS
    + """
Each opening, some turns at random, is played twice with colours swapped. A bot
that answers with no legal turn, too late, or not at all loses that game; a
position that comes up for the third time is a draw. The rest is as in
'kulami match'.

example
  kulami malawi match greedy perfect --board 3x4 --games 20
"""
)

CHECK = (
    BOTS
    + """
Positions come from random games; in each of them a turn can spoil something.
What every turn is worth, a win 1, a draw 0, a loss -1, is looked up in the
--database, or else the board is solved first if that takes no minute. An
answer is optimal if no turn is worth more, however fast it wins. The rest is
as in 'kulami check'.

example
  kulami malawi check greedy --board 3x4 --positions 200
"""
)


def add_commands(group: Commands) -> None:
    """Add `match` and `check`."""
    parser = add_command(group, "match", run_match, "let two bots play each other", MATCH)
    add_pairing(parser)
    _add_board(parser)
    parser.add_argument(
        "--plies",
        metavar="N",
        type=whole_number(0, 100),
        default=4,
        help="turns of an opening (4)",
    )
    add_clock_options(parser)
    add_seed_option(parser)
    add_match_options(parser)

    parser = add_command(
        group, "check", run_check, "judge a bot by the exact values of its turns", CHECK
    )
    parser.add_argument("bot", metavar="BOT", help="see below")
    _add_board(parser)
    parser.add_argument(
        "--positions", metavar="N", type=whole_number(1, 10**6), default=100, help="how many (100)"
    )
    parser.add_argument(
        "--database", metavar="DB", type=file_name, help="the board solved, by malawi build"
    )
    add_check_options(parser)


def _add_board(parser: Parser) -> None:
    parser.add_argument("--board", metavar="3x4", help="columns x rows", required=True)
    add_beads_option(parser)


def run_match(args: argparse.Namespace) -> int:
    """Play the match and say how it ended."""
    from kulami_solver.bots.malawi.match import MalawiTerms

    terms = MalawiTerms(board_of(args), args.plies, clock_of(args), args.seed)
    return play_match(args, terms, margins=False)


def run_check(args: argparse.Namespace) -> int:
    """Ask a bot in positions of Malawi and say how good its answers are."""
    from kulami_solver.bots.fingerprint import bot_fingerprint
    from kulami_solver.bots.malawi.naming import make_player
    from kulami_solver.bots.malawi.suite import MalawiCase

    fingerprint = functools.partial(bot_fingerprint, game="malawi")
    return check_bot(args, lambda: _cases(args), MalawiCase, make_player, fingerprint)


def _cases(args: argparse.Namespace) -> Sequence[MalawiCase]:
    """Positions of the board with their values, from its database or one made for this."""
    from kulami_solver.malawi import build
    from kulami_solver.malawi.solving import check_budget, estimate
    from kulami_solver.storage.resources import duration

    board = board_of(args)
    if args.database is not None:
        return _drawn(args, args.database)
    remedy = "name a --database, or take a smaller --board"
    try:
        expected = estimate(board)
        check_budget(board, None, 1, None, force=False)
    except KulamiError as error:
        raise CommandError(f"{error}; {remedy}") from None
    if expected.seconds > LONGEST:
        raise CommandError(
            f"solving {board} from its ends may take {duration(expected.seconds)}: {remedy}"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/{board}.kdb"
        build(path, board)
        return _drawn(args, path)


def _drawn(args: argparse.Namespace, path: str) -> Sequence[MalawiCase]:
    from kulami_solver.bots.malawi.suite import draw_cases
    from kulami_solver.malawi import open_database

    board = board_of(args)
    with open_database(path) as database:
        if database.board != board:
            raise CommandError(
                f"--database: {path} is of a board of {database.board} with "
                f"{database.board.beads} beads a figure, not {board} with {board.beads}; name "
                "another one"
            )
        return list(draw_cases(database, args.seed, args.positions))
