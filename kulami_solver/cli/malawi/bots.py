"""Malawi's bots, and games judged: `kulami malawi match`, `check`, `grade` and `engine`."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from kulami_solver.cli.arguments import Commands, Parser, add_command, file_name, whole_number
from kulami_solver.cli.bots import (
    add_check_options,
    add_clock_options,
    add_engine_options,
    add_seed_option,
    check_bot,
    clock_of,
    serve_bot,
)
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.games import (
    add_grade_options,
    add_match_options,
    add_pairing,
    grade_games,
    play_match,
)
from kulami_solver.cli.malawi.positions import add_beads_option, board_of
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.malawi.suite import MalawiCase
    from kulami_solver.cli.games import ReadGame
    from kulami_solver.game import Number, State
    from kulami_solver.malawi import Board, Database


#: What a board that is solved for a check may take by the estimate, in seconds.
LONGEST = 60.0

BOTS = """\
a bot is one of
  random  greedy (most beads at once)  perfect (by search: --nodes, --movetime)
  perfect:FILE          likewise, but first looks positions up in a database
  module:name           a class or an instance in a Python module; it has
                        choose(position), and returns a turn or its text
  "exec ./bot --fast"   a program that speaks UGI, with positions as MFN
"""

MATCH = (
    BOTS
    + """
Each opening, some turns at random, is played twice with colours swapped. A bot
that answers with no legal turn, too late, or not at all loses that game, and
the exit code is 1 if one of them has lost every game so; a position that comes
up for the third time is a draw. The rest is as in 'kulami match'.

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


GRADE = """\
GAME is a file as 'kulami malawi match --save' writes it: a record of JSON on
each line, with board, beads, moves and winner; a game that is not over needs
no winner. From its end backwards a game is judged by the exact value of every
turn, a win 1, a draw 0, a loss -1, as far as they are known: by the --database
of its board; or, without one, by solving the board first if that takes no
minute; or else by a search of each position for --time, which proves wins and
losses, but no draws. How fast a turn wins is not asked. Games are counted from
1, without blank lines and lines that start with #.

columns
  ply      the turn's number in the game, and whose it was
  turn     what was played
  points   what it leaves with best play, for the side that moved: a win +1, a
           draw +0, a loss -1
  cost     how much less that is than the best turn's points; - for nothing
  best     where it cost something: the turns that cost nothing, and what
           became of what: 'a win becomes a loss'
below them, of each player: how many turns cost nothing, of those that had a
choice, and what all of them cost. In JSON, best are the best turns always,
best_points is their value, and outcome is that before and after the turn.

example
  kulami malawi match greedy perfect --board 3x4 --games 2 --save games.jsonl
  kulami malawi grade games.jsonl
"""

ENGINE = (
    BOTS
    + """
UGI as in 'kulami engine', with MFN for KFN and no options but move overhead
and bot; startpos is the start of a game on 6x6. Player 1 is red.
"""
)


def add_commands(group: Commands) -> None:
    """Add `match`, `check`, `grade` and `engine`."""
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

    parser = add_command(group, "grade", run_grade, "judge the turns of recorded games", GRADE)
    add_grade_options(parser)
    parser.add_argument(
        "--database", metavar="DB", type=file_name, help="the board solved, by malawi build"
    )

    parser = add_command(
        group, "engine", run_engine, "answer UGI on stdin and stdout with a bot", ENGINE
    )
    add_engine_options(parser)


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
    return check_bot(args, lambda: _cases(args), MalawiCase, make_player, fingerprint, args.html)


def run_grade(args: argparse.Namespace) -> int:
    """Judge each game of a file, by databases of its boards if there can be some."""
    from kulami_solver.malawi.replay import read_game

    with _Solved(args.database) as solved:

        def read(record: object, number: int, game: int) -> ReadGame:
            found = read_game(record, number, game)
            return found.start, found.moves, solved.known(found.start.game.board)

        return grade_games(args, read, "give a --database of the board, or more with --time")


def run_engine(args: argparse.Namespace) -> int:
    """Answer UGI until `quit` or the end of stdin."""
    return serve_bot(args, "malawi")


class _Solved:
    """Databases of the boards that games were played on: the one given, or made when first needed.

    Args:
        path: of the one given, None to make them of small boards.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._stack = ExitStack()
        self._open: dict[Board, Database | None] = {}

    def __enter__(self) -> _Solved:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def known(self, board: Board) -> Callable[[State], Mapping[str, Number] | None] | None:
        """Return what knows the value of every turn on a board; None if nothing does.

        Raises:
            CommandError: if the database given is of another board, or damaged; whoever asks what
                it knows may find that, too.
        """
        from kulami_solver.bots.malawi.suite import turn_worth

        if board not in self._open:
            with _of_the_database():
                self._open[board] = self._opened(board)
        database = self._open[board]
        if database is None:
            return None

        def worth(state: State) -> Mapping[str, Number] | None:
            position = state.position
            with _of_the_database():
                return turn_worth(database, position) if position in database else None

        return worth

    def _opened(self, board: Board) -> Database | None:
        from tempfile import TemporaryDirectory

        from kulami_solver.malawi import build, open_database

        path = self._path
        if path is None:
            if why_not_solved(board) is not None:
                return None
            folder = self._stack.enter_context(TemporaryDirectory())
            path = f"{folder}/{board}.kdb"
            build(path, board)
        database = self._stack.enter_context(open_database(path))
        check_board(database, board)
        return database


@contextmanager
def _of_the_database() -> Iterator[None]:
    """Let what is wrong with a database not be said of the record that it was asked about."""
    from kulami_solver.storage.container import DatabaseError

    try:
        yield
    except DatabaseError as error:
        raise CommandError(str(error)) from None


def check_board(database: Database, board: Board) -> None:
    """Refuse a database that was given if it is of another board.

    Raises:
        CommandError: then.
    """
    if database.board != board:
        raise CommandError(
            f"--database: {database.path} is of a board of {database.board} with "
            f"{database.board.beads} beads a figure, not {board} with {board.beads}; name "
            "another one"
        )


def why_not_solved(board: Board) -> str | None:
    """Why a board is not solved for a check or a grade, None if it is."""
    from kulami_solver.malawi.solving import check_budget, estimate
    from kulami_solver.storage.resources import duration

    try:
        expected = estimate(board)
        check_budget(board, None, 1, None, force=False)
    except KulamiError as error:
        return str(error)
    if expected.seconds > LONGEST:
        return f"solving {board} from its ends may take {duration(expected.seconds)}"
    return None


def _cases(args: argparse.Namespace) -> Sequence[MalawiCase]:
    """Positions of the board with their values, from its database or one made for this."""
    from tempfile import TemporaryDirectory

    from kulami_solver.malawi import build

    board = board_of(args)
    if args.database is not None:
        return _drawn(args, args.database)
    why_not = why_not_solved(board)
    if why_not is not None:
        raise CommandError(f"{why_not}; name a --database, or take a smaller --board")
    with TemporaryDirectory() as folder:
        path = f"{folder}/{board}.kdb"
        build(path, board)
        return _drawn(args, path)


def _drawn(args: argparse.Namespace, path: str) -> Sequence[MalawiCase]:
    from kulami_solver.bots.malawi.suite import draw_cases
    from kulami_solver.malawi import open_database

    board = board_of(args)
    with open_database(path) as database:
        check_board(database, board)
        return list(draw_cases(database, args.seed, args.positions))
