"""Bots: `engine` and `check`, of any game."""

from __future__ import annotations

import argparse
import contextlib
import functools
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, BinaryIO

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, clock_of, workers_asked_for
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.output import EXIT_FAILED, EXIT_OK, CommandError, refused_at
from kulami_solver.cli.results import RECORD_LIMIT, result_file, taken_from_file, text_lines
from kulami_solver.core.interruption import interrupts_deferred, pauses_noticed
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, quoted

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case
    from kulami_solver.bots.check import CheckReport, Choice
    from kulami_solver.bots.description import BotDescription
    from kulami_solver.bots.protocol import Player
    from kulami_solver.cluster import Cluster


#: Longest line an engine reads.
LINE_LIMIT = 1 << 16

#: The least number of positions that makes another process worth its start.
WORTH_A_PROCESS = 16


def add_engine(commands: Commands, game: GameCommands) -> None:
    """Add `engine`."""
    summary = "answer UGI on stdin and stdout with a bot"
    parser = add_command(commands, "engine", run_engine, summary, game)
    parser.value("--bot", "BOT", f"which bot ({game.usual_engine})")
    parser.value("--check", '"exec PROGRAM"', "say which promises of UGI an engine keeps")
    parser.seed()


def add_check(commands: Commands, game: GameCommands) -> None:
    """Add `check`."""
    summary = f"judge a bot by the exact values of its {game.moves_word}"
    parser = add_command(commands, "check", run_check, summary, game)
    parser.bots("several are compared")
    game.add_check_options(parser)
    parser.clock()
    parser.seed()
    parser.processes("ask")
    parser.file("--results", "keep the answers in FILE, and go on")
    parser.output("--csv", "write the answers as CSV", ".csv")
    parser.output("--html", "write a page with boards", ".html")
    parser.number("--blunders", 0, 1000, "worst answers shown (3; in JSON and on a page 12)")


def asked_for(args: argparse.Namespace) -> list[BotDescription]:
    """Return the bots that the words and the file of a command name.

    Raises:
        CommandError: two of them have one name, or the file cannot be read.
    """
    from kulami_solver.bots.description import bots_in, described

    bots = [described(word) for word in args.bots]
    if args.engines is not None:
        text = "\n".join(text_lines("--engines", args.engines, RECORD_LIMIT, "one bot"))
        with refused_at(f"--engines: {args.engines}"):
            bots += bots_in(text, args.engines.endswith(".toml"))
    for place, bot in enumerate(bots):
        if any(one.name == bot.name and one != bot for one in bots[:place]):
            raise CommandError(f"two bots are called {quoted(bot.name)}: give each a name=NAME")
    return bots


def started(
    stack: ExitStack, bots: Sequence[BotDescription], make: Callable[[BotDescription, int], Player]
) -> list[Player]:
    """Return bots that `stack` closes; say so if a program starts slowly, or does not answer.

    Args:
        stack: closes them.
        bots: the bots.
        make: makes a bot, by its place among them, too.
    """
    programs = " and ".join(bot.name for bot in bots if bot.command)
    waiting = f"for {programs} to answer ugiok and readyok: it has 10 seconds"
    players = []
    with output.told_if_late(waiting) if programs else contextlib.nullcontext():
        for place, bot in enumerate(bots):
            players.append(make(bot, place))
            stack.callback(players[-1].close)
    for player in players:
        for option in getattr(player.bot, "untold", ()):
            output.warn([f"{player.name} cannot be told {option}"])
    return players


def untold(
    game: GameCommands, bot: BotDescription, player: Player, states: Iterable[ks.game.State]
) -> dict[str, int]:
    """Return the rules that somebody's own bot cannot be told, and how many states need each.

    Args:
        game: the game that is played.
        bot: its description.
        player: the bot.
        states: those that it is asked about.
    """
    from kulami_solver.bots.naming import bots_of

    if not bot.command and bot.name in bots_of(game.name):  # it does without on purpose
        return {}
    return dict(Counter(name for state in states for name in player.untold(state)))


def run_engine(game: GameCommands, args: argparse.Namespace) -> int:
    """Speak UGI with a bot until `quit` or the end of stdin."""
    if args.check is not None:
        return _tried(game, args)
    if args.json:
        raise CommandError("--json goes with --check; leave it out here")
    bot = args.bot or game.usual_engine
    from kulami_solver.adapters.ugi import Server
    from kulami_solver.bots.overheard import NamedLines, set_apart, traceback_of
    from kulami_solver.core.version import __version__

    if sys.stdin is None:
        raise CommandError("standard input is closed; an engine is told there what to do")
    lock = threading.Lock()
    # Stdin and stdout are for UGI: the prints of a bot go to stderr, which may be a terminal.
    with (
        set_apart(sys.stdin, sys.stdout) as (requests, answers),
        NamedLines(bot, sys.stderr) as said,
        redirect_stdout(said),
        redirect_stderr(said),
    ):

        def say(line: str) -> None:
            with lock:
                try:
                    print(output.one_line(line), file=answers, flush=True)
                except OSError as fault:
                    fault.filename = "standard output"  # other files have the same words
                    raise

        complain = functools.partial(print, file=said)
        try:
            server = Server(bot, say, args.seed, f" {__version__}", game.name, complain)
        except KulamiError as error:
            if lines := traceback_of(error):
                complain("\n".join(lines))
            raise
        server.serve(_lines(requests))
    return EXIT_FAILED if server.failed else EXIT_OK


def _tried(game: GameCommands, args: argparse.Namespace) -> int:
    """Say which promises of UGI an engine keeps."""
    from kulami_solver.bots.compliance import promises_of
    from kulami_solver.bots.description import described

    tried = described(args.check)
    if not tried.command:
        program = tried.name or "PROGRAM"
        raise CommandError(
            f"--check tries a program: give --check {shlex.quote(f'exec {program}')}"
        )
    if args.bot is not None:
        raise CommandError("--check tries a program: leave out --bot")
    kept = True
    for promise in promises_of(tried, game.name, args.seed):
        told = {"promise": promise.says, "broken": promise.broken or None}
        output.answer(args, told, output.one_line(str(promise)))
        kept = kept and not promise.broken
    return EXIT_OK if kept else EXIT_FAILED


def _lines(stream: BinaryIO) -> Iterator[str]:
    while raw := stream.readline(LINE_LIMIT):
        yield raw.decode("utf-8", "replace")


def run_check(game: GameCommands, args: argparse.Namespace) -> int:
    """Ask one or several bots, and say how good their answers are."""
    from kulami_solver.bots.report import refused_words

    reports, complete = _checked(game, args)
    _tell_check(args, reports)
    asked = sum(len(report) + len(report.refused) for report in reports)
    if not complete:
        kept = f"; go on with --results {args.results}" if args.results else ""
        said = f"this is what {asked} answers say" if asked else "there is no answer"
        return output.interrupted(said + kept)
    for report in reports:
        if report.refused and not report.answers:
            output.message("failed", f"{report.bot} refuses {refused_words(report)}")
            return EXIT_FAILED
        if report.answers and sum(report.faults.values()) == len(report):
            output.message(
                "failed",
                f"{report.bot} has given no legal {report.kind.move_word} in any of {len(report)} "
                f"positions ({report.fault_words}); the first: " + report.answers[0].message,
            )
            return EXIT_FAILED
    return EXIT_OK


def _tell_check(args: argparse.Namespace, reports: list[CheckReport]) -> None:
    """Print and write the reports."""
    from kulami_solver.bots import report as reporting
    from kulami_solver.bots.check import SHOWN

    report = reports[0]
    shown = SHOWN if args.blunders is None else args.blunders
    if args.csv is not None:
        output.write_file("--csv", args.csv, reporting.csv_text(*reports).encode())
    if args.html is not None:
        from kulami_solver.bots.page import check_page

        output.write_file("--html", args.html, check_page(*reports, shown=shown).encode())
    if len(reports) > 1:
        told = reporting.comparison_json(reports, shown)
        words = reporting.comparison_text(reports)
    else:
        few = 3 if args.blunders is None else args.blunders
        told, words = report.to_json(shown), reporting.text(report, few)
    kept = sum(report.from_file for report in reports)
    if kept:
        asked = sum(len(report) + len(report.refused) for report in reports)
        words += f"\n\n{taken_from_file(args.results, kept, asked, 'answers')}"
    output.answer(args, told, words)


def _checked(game: GameCommands, args: argparse.Namespace) -> tuple[list[CheckReport], bool]:
    """Ask each bot; return the reports and whether all positions are in them."""
    from kulami_solver.bots.case import case_key
    from kulami_solver.bots.check import CheckReport, Choice
    from kulami_solver.bots.fingerprint import bot_fingerprint
    from kulami_solver.bots.naming import make_player, titles_of

    bots = args.bots = asked_for(args)
    if not bots:
        raise CommandError("give BOT, or --engines FILE, which names some")
    answers: list[dict[str, Choice]] = []
    complete = True
    with ExitStack() as stack:
        stack.enter_context(pauses_noticed())
        make = functools.partial(make_player, seed=args.seed, isolated=True, game=game.name)
        players = started(stack, bots, lambda bot, _: make(bot))
        names = [player.name for player in players]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise KulamiError(
                    f"{quoted(name)} is to be compared with itself: name each bot once"
                )
        several = len(names) > 1
        kind, cases = game.cases(args)
        keyed = {case_key(case): case for case in cases}
        results = None
        known: list[dict[str, Any]] = []
        if args.results is not None:
            asked = {
                "journal": "check",
                **({"bots": names} if several else {"bot": names[0]}),
                **{name: getattr(args, name) for name in ("seed", "movetime", "nodes", "depth")},
            }
            made = (bot_fingerprint(bot, game.name) for bot in bots)
            fingerprints = dict(zip(names, made, strict=True))
            file = result_file("--results", args.results, asked, fingerprints)
            results = stack.enter_context(file)
            known = results.known
        for name in names:
            # The file of a single bot does not name it.
            own = [record for record in known if record.get("bot", name) == name]
            found = {str(record.get("case")): record for record in own}
            taken = (
                (key, Choice.from_json(keyed[key], found[key])) for key in keyed if key in found
            )
            answers.append({key: answer for key, answer in taken if answer is not None})
        kept = [len(given) for given in answers]
        try:
            line = stack.enter_context(ProgressLine(" positions"))
            line.show(sum(kept), len(keyed) * len(names), "asking")
            cluster = stack.enter_context(workers_asked_for(args))
            for bot, player, given in zip(bots, players, answers, strict=True):
                left = [case for key, case in keyed.items() if key not in given]
                with _asking(game, args, bot, player, left, cluster) as asking:
                    for answer in asking:
                        with interrupts_deferred():  # each reported answer is in the file
                            given[case_key(answer.case)] = answer
                            if results is not None:
                                whose = {"bot": player.name} if several else {}
                                results.add(answer.to_json() | whose)
                        line.show(sum(map(len, answers)), len(keyed) * len(names))
        except KeyboardInterrupt:
            complete = False
    reports = [
        CheckReport(name, (given[key] for key in keyed if key in given), count, kind)
        for name, given, count in zip(names, answers, kept, strict=True)
    ]
    titles = titles_of(players)
    for report, bot, player in zip(reports, bots, players, strict=True):
        report.title = titles.get(report.bot, report.bot)
        report.untold = untold(game, bot, player, (case.state for case in cases))
    return reports, complete


@contextlib.contextmanager
def _asking(
    game: GameCommands,
    args: argparse.Namespace,
    bot: BotDescription,
    player: Player,
    left: list[Case],
    cluster: Cluster | None,
) -> Iterator[Iterator[Choice]]:
    """The answers of a bot in the positions that are left, from this or from several processes.

    Args:
        game: the game that is played.
        args: the arguments of the command.
        bot: its description.
        player: the bot.
        left: the positions.
        cluster: the cluster whose workers ask it; None for processes of this machine.
    """
    from kulami_solver.bots.check import choices_in_parallel, choices_of
    from kulami_solver.bots.fingerprint import bot_fingerprint
    from kulami_solver.bots.naming import make_player
    from kulami_solver.core.budgets import workers_of
    from kulami_solver.core.tasks import Needs, check_workers

    clock = clock_of(args)
    workers = cluster or min(workers_of(args.workers), 1 + len(left) // WORTH_A_PROCESS)
    if workers == 1:
        yield choices_of(player, left, clock)
        return
    player.close()
    if not isinstance(workers, int):
        alike = functools.partial(bot_fingerprint, bot, game.name)
        check_workers(workers, Needs(alike=(alike, f"bot {player.name}")))
    make = functools.partial(make_player, game=game.name)
    with closing(choices_in_parallel(bot, args.seed, left, clock, workers, make)) as asking:
        yield asking
