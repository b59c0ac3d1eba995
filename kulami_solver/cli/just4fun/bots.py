"""Just 4 Fun's bots: `kulami just4fun match` and `kulami just4fun check`."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kulami_solver.cli.arguments import Commands, Parser, add_command, whole_number
from kulami_solver.cli.bots import (
    add_check_options,
    add_clock_options,
    add_seed_option,
    check_bot,
    clock_of,
)
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.games import add_match_options, add_pairing, play_match
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.just4fun.suite import Just4FunCase
    from kulami_solver.just4fun import Board

BOTS = """\
a bot is one of
  random  greedy (most points at once)
  advised (best estimate over deals of what is hidden: --nodes are deals)
  perfect (double-dummy: it has to see all cards, so it plays no match)
  module:name           a class or an instance in a Python module; it has
                        choose(position), and returns a move or its text
"""

MATCH = (
    BOTS
    + """
Two players. Each deal is played twice with colours swapped. Bots are shown
what a player sees. A bot that answers with no legal move, too late, or not at
all loses that game; after sixty turns in a row without a stone a game is
counted as it stands. A file of --save is one that 'kulami just4fun replay'
reads. The rest is as in 'kulami match'.

example
  kulami just4fun match greedy random --games 20
"""
)

CHECK = (
    BOTS
    + """
Positions are late ones of random games; in each of them a move can spoil
something. What every move is worth, a win 1, a draw 0, a loss -1, is solved
double-dummy: all cards and their order are known. Bots are shown all that,
too, or with --hidden only what a player sees: then nobody can be right always.
The rest is as in 'kulami check'.

example
  kulami just4fun check greedy --positions 50
"""
)


def add_commands(group: Commands) -> None:
    """Add `match` and `check`."""
    parser = add_command(group, "match", run_match, "let two bots play each other", MATCH)
    add_pairing(parser)
    _add_game(parser)
    add_clock_options(parser)
    add_seed_option(parser)
    add_match_options(parser)

    parser = add_command(
        group, "check", run_check, "judge a bot by the exact values of its moves", CHECK
    )
    parser.add_argument("bot", metavar="BOT", help="see below")
    _add_game(parser)
    parser.add_argument(
        "--positions", metavar="N", type=whole_number(1, 10**6), default=100, help="how many (100)"
    )
    parser.add_argument(
        "--left",
        metavar="N",
        type=whole_number(1, 8),
        default=3,
        help="stones each player may have left at most (3)",
    )
    parser.add_argument(
        "--hidden", action="store_true", help="show the bot no more than a player sees"
    )
    add_check_options(parser)


def _add_game(parser: Parser) -> None:
    parser.add_argument(
        "--board", metavar="TEXT", default="2006", help="2006 (default), 3x3, 1,2/4,3"
    )
    parser.add_argument(
        "--stones", metavar="N", type=whole_number(1, 20), default=20, help="of each player (20)"
    )
    parser.add_argument(
        "--line",
        metavar="N",
        type=whole_number(1, 64),
        default=4,
        help="fields in a row that win (4)",
    )
    parser.add_argument(
        "--hand", metavar="N", type=whole_number(1, 12), default=4, help="cards of a hand (4)"
    )


def _board(args: argparse.Namespace) -> Board:
    from kulami_solver.just4fun import Board

    try:
        return Board.parse(args.board)
    except KulamiError as error:
        raise CommandError(f"--board: {error}") from None


def run_match(args: argparse.Namespace) -> int:
    """Play the match and say how it ended."""
    from kulami_solver.bots.just4fun.match import Just4FunTerms

    if "perfect" in (args.one, args.two):
        raise CommandError(
            "perfect has to see all cards and plays no match; let advised play, or ask for a check"
        )
    terms = Just4FunTerms(
        _board(args), args.stones, args.line, args.hand, clock_of(args), args.seed
    )
    return play_match(args, terms, margins=False)


def run_check(args: argparse.Namespace) -> int:
    """Ask a bot in positions of Just 4 Fun and say how good its answers are."""
    from kulami_solver.bots.fingerprint import bot_fingerprint
    from kulami_solver.bots.just4fun.naming import make_player
    from kulami_solver.bots.just4fun.suite import Just4FunCase

    if args.hidden and args.bot == "perfect":
        raise CommandError("perfect has to see all cards: leave out --hidden")
    fingerprint = functools.partial(bot_fingerprint, game="just4fun")
    return check_bot(args, lambda: _cases(args), Just4FunCase, make_player, fingerprint)


def _cases(args: argparse.Namespace) -> Sequence[Just4FunCase]:
    """Late positions with the value of every move."""
    from kulami_solver.bots.just4fun.suite import draw_cases
    from kulami_solver.just4fun.game import make_game

    game = make_game(
        _board(args),
        stones=args.stones,
        line=args.line,
        hand=args.hand,
        dummy=True,
        hidden=args.hidden,
    )
    return list(draw_cases(game, args.seed, args.positions, args.left))
