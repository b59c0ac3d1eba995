"""Bots: `kulami engine` and `kulami check`."""

from __future__ import annotations

import argparse
import functools
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, redirect_stdout
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import (
    Commands,
    Parser,
    add_command,
    file_name,
    scoring,
    seconds,
    whole_number,
)
from kulami_solver.cli.clusters import workers_asked_for, workers_or_address
from kulami_solver.cli.ending import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.core.progress import ProgressLine

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case as AnyCase
    from kulami_solver.bots.check import Answer, Report
    from kulami_solver.bots.kulami.suite import Case
    from kulami_solver.bots.protocol import Clock, Player
    from kulami_solver.storage.journal import ResultFile


#: Longest line an engine reads.
LINE_LIMIT = 1 << 16

#: As many positions as make another process worth its start.
WORTH_A_PROCESS = 16

BOTS = """\
a bot is one of
  random  greedy  alphabeta:4  mcts  mcts:5000  perfect
  perfect:FILE          likewise, but first looks positions up in a database
  module:name           a class or an instance in a Python module; it has
                        choose(position)
  "exec ./bot --fast"   a program that speaks UGI
"""

ENGINE = (
    BOTS
    + """
UGI: ugi, isready, setoption name scoring|marbles|shortend|move overhead|bot
value ..., uginewgame, position startpos|fen KFN [moves ...], go [movetime MS]
[nodes N] [depth N] [infinite] [p1time MS p2time MS p1inc MS p2inc MS], stop,
query gameover|p1turn|result, quit. Player 1 is red. Of the time for a move,
"move overhead" milliseconds (50) are kept in reserve. What a bot prints goes
to stderr, each line after its name, and the traceback of its exceptions too.
"""
)

CHECK = (
    BOTS
    + """
Positions come from the suite shipped with the package, which has every field's
exact value, or with --live from random games, and are solved then. An answer
is optimal if no field is worth more; a bot that gives no legal field in time
is judged as if it had played the worst one.
In JSON, interval is the 95 % interval of optimal_rate, seconds the mean time
of a move, and losses are points of margin; flips counts spoilt outcomes,
only_move_rate the only right fields found, from_file the answers that FILE of
--results had already, and new those given now. The exit code is 1 if the bot
has given no legal field at all.
FILE notes what the bot is: its files, and the versions of kulami_solver and
Python. It is not taken up by a bot whose module, or what that imports from its
own folder, has changed, or whose program, or a file that its words name; data
that a bot opens by itself is not looked at.
What a Python bot prints goes to stderr, and so does the traceback of its
exceptions.

examples
  kulami check greedy
  kulami check mcts --nodes 5000 --html mcts.html
  kulami check "exec ./my-bot" --movetime 0.5 --results my-bot.jsonl
"""
)


def add_commands(commands: Commands) -> None:
    """Add `engine` and `check`."""
    parser = add_command(
        commands, "engine", run_engine, "answer UGI on stdin and stdout with a bot", ENGINE
    )
    add_engine_options(parser)

    parser = add_command(
        commands, "check", run_check, "judge a bot by the exact values of its moves", CHECK
    )
    parser.add_argument("bot", metavar="BOT", help="see below")
    group = parser.add_argument_group("positions")
    group.add_argument(
        "--positions", metavar="N", type=whole_number(1, 10**7), help="only the first N"
    )
    group.add_argument("--suite", metavar="FILE", type=file_name, help="another suite")
    group.add_argument("--live", action="store_true", help="from random games, 100 if not said")
    group.add_argument(
        "--free", metavar="N-M", type=span, help="with so many free fields (--live: 10-20)"
    )
    group.add_argument("--scoring", metavar="0|1|2|chains", type=scoring, help="with this scoring")
    add_check_options(parser)


def add_engine_options(parser: Parser) -> None:
    """Add which bot answers."""
    parser.add_argument("--bot", metavar="BOT", default="perfect", help="which bot (perfect)")
    add_seed_option(parser)


def add_check_options(parser: Parser) -> None:
    """Add how a bot is asked, and where its answers go."""
    add_clock_options(parser)
    add_seed_option(parser)
    parser.add_argument(
        "--workers",
        metavar="N|tcp://HOST:PORT",
        type=workers_or_address(1, 256),
        help="processes that ask (as many as there are processors), or a dask scheduler whose "
        "workers do (see docs/cluster.md)",
    )
    parser.add_argument(
        "--results",
        metavar="FILE",
        type=file_name,
        help="keep every answer in FILE; what it holds already is not asked again",
    )
    parser.add_argument("--csv", metavar="FILE", type=file_name, help="write the answers as CSV")
    parser.add_argument("--html", metavar="FILE", type=file_name, help="write a page with boards")
    parser.add_argument(
        "--blunders",
        metavar="N",
        type=whole_number(0, 1000),
        help="how many of the worst are shown (3; in JSON and on a page 12)",
    )


def add_seed_option(parser: Parser) -> None:
    """Add --seed."""
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole_number(0, 2**31),
        default=0,
        help="of whatever is left to chance (0)",
    )


def add_clock_options(parser: Parser) -> None:
    """Add the limits of a bot's thinking."""
    group = parser.add_argument_group("limits for each move")
    group.add_argument("--movetime", metavar="SECONDS", type=seconds, help="time")
    group.add_argument(
        "--nodes", metavar="N", type=whole_number(1, 10**15), help="positions, or playouts"
    )
    group.add_argument("--depth", metavar="N", type=whole_number(1, 64), help="plies")


def clock_of(args: argparse.Namespace) -> Clock:
    """The limits given."""
    from kulami_solver.bots.protocol import Clock

    return Clock(args.movetime, args.nodes, args.depth)


def span(text: str) -> tuple[int, int]:
    """Numbers of free fields, for argparse.

    >>> span("10-24"), span("16")
    ((10, 24), (16, 16))
    """
    match = re.fullmatch(r"([0-9]{1,2})(?:-([0-9]{1,2}))?", text, re.ASCII)
    low = int(match[1]) if match else 0
    high = int(match[2] or match[1]) if match else 0
    if not 1 <= low <= high <= 40:
        raise argparse.ArgumentTypeError(
            f"expected numbers of free fields from 1 to 40, like 10-24, not {text!a:.40}"
        )
    return low, high


# kulami engine


def run_engine(args: argparse.Namespace) -> int:
    """Answer UGI until `quit` or the end of stdin."""
    return serve_bot(args, "kulami")


def serve_bot(args: argparse.Namespace, game: str) -> int:
    """Answer UGI with a bot of any game.

    Args:
        args: with what `add_engine_options` adds.
        game: what it plays.
    """
    from kulami_solver.adapters.ugi import Server
    from kulami_solver.bots.overheard import NamedLines, set_apart, tell_exceptions
    from kulami_solver.core.version import __version__

    if sys.stdin is None:
        raise CommandError("standard input is closed; an engine is told there what to do")
    lock = threading.Lock()
    # Stdout is for UGI: what a bot prints itself goes to stderr.
    with (
        set_apart(sys.stdout) as answers,
        NamedLines(args.bot, sys.stderr) as said,
        redirect_stdout(said),
        tell_exceptions(said),
    ):

        def say(line: str) -> None:
            with lock:
                print(output.one_line(line), file=answers, flush=True)

        server = Server(args.bot, say, args.seed, f" {__version__}", game)
        server.serve(_stdin_lines())
    return EXIT_FAILED if server.failed else EXIT_OK


def _stdin_lines() -> Iterator[str]:
    while raw := sys.stdin.buffer.readline(LINE_LIMIT):
        yield raw.decode("utf-8", "replace")


# kulami check


def run_check(args: argparse.Namespace) -> int:
    """Ask a bot in positions of Kulami and say how good its answers are."""
    from kulami_solver.bots.fingerprint import bot_fingerprint
    from kulami_solver.bots.kulami.suite import Case
    from kulami_solver.bots.naming import make_player

    return check_bot(args, lambda: _cases(args), Case, make_player, bot_fingerprint, args.html)


def check_bot(
    args: argparse.Namespace,
    cases: Callable[[], Sequence[AnyCase]],
    kind: type[AnyCase],
    make: Callable[[str, int, bool], Player],
    fingerprint: Callable[[str], Mapping[str, Any]],
    html: str | None = None,
) -> int:
    """Ask a bot of any game and say how good its answers are.

    Args:
        args: with what `add_check_options` adds.
        cases: what it is asked, and is only looked for once there is such a bot.
        kind: of the cases.
        make: makes a bot of a name, a seed, and whether it has a process of its own.
        fingerprint: says what the bot of a name is now.
        html: the file a page is written to.
    """
    from kulami_solver.bots import report as reporting
    from kulami_solver.bots.check import SHOWN
    from kulami_solver.bots.overheard import tell_exceptions

    with tell_exceptions(sys.stderr):
        report, complete = _checked(args, cases, kind, make, fingerprint)
    if args.csv is not None:
        output.write_file("--csv", args.csv, reporting.csv_text(report).encode())
    if html is not None:
        from kulami_solver.bots.page import html_page

        page = html_page(report, SHOWN if args.blunders is None else args.blunders)
        output.write_file("--html", html, page.encode())
    if args.json:
        shown = SHOWN if args.blunders is None else args.blunders
        output.json_line(report.to_json(shown))
    else:
        output.line(reporting.text(report, 3 if args.blunders is None else args.blunders))
        if report.from_file:
            output.line()
            output.line(taken_from_file(args.results, report.from_file, len(report), "answers"))
    if not complete:
        kept = f"; go on with --results {args.results}" if args.results else ""
        output.message("interrupted", f"Ctrl-C; this is what {len(report)} answers say{kept}")
        return EXIT_INTERRUPTED
    faults = {kind: count for kind, count in report.faults.items() if count}
    if report.answers and sum(faults.values()) == len(report):
        said = ", ".join(f"{kind} {count}" for kind, count in faults.items())
        output.message(
            "failed",
            f"{report.bot} has given no legal {report.kind.move_word} in any of {len(report)} "
            f"positions ({said}); the first: " + report.answers[0].message,
        )
        return EXIT_FAILED
    return EXIT_OK


def _checked(
    args: argparse.Namespace,
    cases: Callable[[], Sequence[AnyCase]],
    kind: type[AnyCase],
    make: Callable[[str, int, bool], Player],
    fingerprint: Callable[[str], Mapping[str, Any]],
) -> tuple[Report, bool]:
    """Ask the bot; return the report and whether all positions are in it."""
    from kulami_solver.bots.case import case_key
    from kulami_solver.bots.check import Answer, Report, ask, ask_in_parallel
    from kulami_solver.core.budgets import workers_of
    from kulami_solver.core.tasks import Needs, check_workers
    from kulami_solver.storage.journal import ResultFile

    clock = clock_of(args)
    player = make(args.bot, args.seed, True)
    keyed = {case_key(case): case for case in cases()}
    answers: dict[str, Answer] = {}
    results = None
    if args.results is not None:
        asked = {
            "journal": "check",
            "bot": player.name,
            "seed": args.seed,
            "movetime": args.movetime,
            "nodes": args.nodes,
            "depth": args.depth,
        }
        fingerprints = {player.name: fingerprint(args.bot)}
        results = ResultFile(args.results, asked, fingerprints)
        warn_of_untold(results)
        known = {str(record.get("case")): record for record in results.known}
        for key, case in keyed.items():
            answer = Answer.from_json(case, known[key]) if key in known else None
            if answer is not None:
                answers[key] = answer
    kept = len(answers)
    left = [case for key, case in keyed.items() if key not in answers]
    complete = True
    try:
        with ExitStack() as stack:
            asking = ask(player, left, clock)
            workers = stack.enter_context(workers_asked_for(args)) or min(
                workers_of(args.workers), 1 + len(left) // WORTH_A_PROCESS
            )
            if workers != 1:
                player.close()
                if not isinstance(workers, int):
                    alike = functools.partial(fingerprint, args.bot)
                    check_workers(workers, Needs(alike=(alike, f"bot {player.name}")))
                apart = ask_in_parallel(args.bot, args.seed, left, clock, workers, make)
                asking = stack.enter_context(closing(apart))
            line = stack.enter_context(ProgressLine(" positions"))
            line.show(len(answers), len(keyed), "asking")
            for answer in asking:
                answers[case_key(answer.case)] = answer
                if results is not None:
                    results.add(answer.to_json())
                line.show(len(answers), len(keyed))
    except KeyboardInterrupt:
        complete = False
    finally:
        player.close()
        if results is not None:
            results.close()
    found = (answers[key] for key in keyed if key in answers)
    return Report(player.name, found, kept, kind), complete


def _cases(args: argparse.Namespace) -> list[Case]:
    """The positions meant."""
    from kulami_solver.bots.kulami.suite import SCORINGS, draw_cases, read_suite

    if args.live:
        if args.suite is not None:
            raise CommandError("--live draws positions of its own: leave out --suite")
        low, high = args.free or (10, 20)
        count = args.positions or 100
        scorings = SCORINGS if args.scoring is None else (args.scoring,)
        with ProgressLine(" positions") as line:
            drawn: list[Case] = []
            line.show(0, count, "solving")
            for case in draw_cases(args.seed, count, scorings, low, high):
                drawn.append(case)
                line.show(len(drawn), count)
            return drawn
    chosen = args.free is not None or args.scoring is not None
    cases = read_suite(args.suite, None if chosen else args.positions)
    if args.free is not None:
        low, high = args.free
        cases = [case for case in cases if low <= case.position.free_count <= high]
    if args.scoring is not None:
        cases = [case for case in cases if case.scoring is args.scoring]
    if not cases or len(cases) < (args.positions or 0):
        raise CommandError(
            f"the suite has {len(cases)} such positions; ask for others, or draw some with --live"
        )
    return cases[: args.positions]


def taken_from_file(path: str, kept: int, number: int, what: str) -> str:
    """Say how many of the results have been taken from a file, and how many are new."""
    return f"{kept:,} of the {number:,} {what} were in {path} already, {number - kept:,} are new"


def warn_of_untold(results: ResultFile) -> None:
    """Say so if a file does not say what the bots were whose results are taken from it."""
    if not results.told and results.known:
        output.warn(
            [
                f"{results.path} was begun by a version that did not note what a bot was: its "
                f"{len(results.known)} results are taken, whether or not the bot has changed "
                "since then; name another file to have everything anew"
            ]
        )
