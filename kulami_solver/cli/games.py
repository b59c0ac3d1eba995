"""Games of bots and games judged: `match` and `grade`, of any game."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name, whole_number
from kulami_solver.cli.bots import add_seed_option, starting
from kulami_solver.cli.clocks import add_clock_options, game_clock
from kulami_solver.cli.clusters import workers_asked_for, workers_or_address
from kulami_solver.cli.ending import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.reading import RECORD_LIMIT, named, text_lines
from kulami_solver.cli.results import result_file, taken_from_file, warn_of_untold
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, quoted

if TYPE_CHECKING:
    from kulami_solver.bots.arena import Game
    from kulami_solver.bots.grade import Estimate, Grade
    from kulami_solver.bots.match import Result, Terms
    from kulami_solver.bots.tournament import Tournament
    from kulami_solver.cli.game import ReadGame
    from kulami_solver.game import State


def add_match(commands: Commands, game: GameCommands) -> None:
    """Add `match`."""
    run = functools.partial(run_match, game)
    summary = "let two bots play each other, or several a tournament"
    parser = add_command(commands, "match", run, summary, game.page("match"))
    parser.value("one", "BOT", "see below")
    parser.value("two", "BOT", "its opponent")
    parser.add_argument(
        "more", metavar="BOT", nargs="*", default=[], help="more of them, for a tournament"
    )
    parser.choice(
        "--format",
        ("round-robin", "gauntlet"),
        "of a tournament: each bot meets each, or the first meets each of the others (round-robin)",
        "round-robin",
    )
    parser.number("--games", 2, 10**6, "how many for each two bots, an even number (100)", 100)
    game.add_match_options(parser)
    add_clock_options(parser)
    parser.value(
        "--clock",
        "SECONDS[+MORE]",
        "time of each bot for a whole game, and what each of its moves adds",
        game_clock,
    )
    add_seed_option(parser)
    parser.add_argument(
        "--sprt",
        metavar=("ELO0", "ELO1"),
        nargs=2,
        type=whole_number(-2000, 2000),
        help="stop once it is clear that the first bot is worth at most ELO0, or at least ELO1",
    )
    parser.file("--save", "keep the games in FILE; those it holds already are not played again")
    parser.file("--html", "write a page with ratings and a crosstable")
    parser.value(
        "--workers",
        "N|tcp://HOST:PORT",
        "processes that play (1; more of them take time from each other), or a dask scheduler "
        "whose workers do (see docs/cluster.md)",
        workers_or_address(1, 256),
        1,
    )


def add_grade(commands: Commands, game: GameCommands) -> None:
    """Add `grade`."""
    run = functools.partial(run_grade, game)
    summary = f"judge the {game.moves_word} of recorded games"
    parser = add_command(commands, "grade", run, summary, game.page("grade"))
    parser.add_argument(
        "file",
        metavar="GAME",
        type=file_name,
        nargs="?" if game.typed_by else None,
        help="one record a line (- for standard input)",
    )
    parser.number("--game", 1, 10**9, "only the Nth")
    parser.seconds(
        "--time",
        "most that one position may take (20 million positions are searched, whatever "
        "time that takes)",
    )
    parser.file("--html", "write a page with boards and curves")
    game.add_grade_options(parser)


def run_match(game: GameCommands, args: argparse.Namespace) -> int:
    """Play the match and say how it ended."""
    from kulami_solver.bots.overheard import tell_exceptions
    from kulami_solver.bots.statistics import Sprt
    from kulami_solver.bots.tournament import Tournament

    if args.games % 2:
        raise CommandError(f"--games {args.games}: give an even number, openings are played twice")
    sprt = None
    if args.sprt is not None:
        if args.sprt[0] >= args.sprt[1]:
            raise CommandError("--sprt ELO0 ELO1: give the smaller one first")
        sprt = Sprt(*args.sprt)
    report = Tournament((args.one, args.two, *args.more), args.format, sprt, game.margins)
    kept = _Kept()
    try:
        with tell_exceptions(sys.stderr):
            _play(args, game.terms(args), report, kept)
        complete = True
    except KeyboardInterrupt:
        complete = False
    if args.html is not None:
        from kulami_solver.bots.tournament_page import tournament_page

        output.write_file("--html", args.html, tournament_page(report).encode())
    # A pair that was broken off again has only one game, which is not in the report.
    if args.json:
        output.json_line(
            report.to_json() | {"from_file": kept.games, "new": report.games - kept.games}
        )
    else:
        output.line(report.text())
        if kept.games:
            output.line(taken_from_file(args.save, kept.games, report.games, "games"))
    if not complete:
        remedy = f"; go on with --save {args.save}" if args.save else ""
        output.message("interrupted", f"Ctrl-C; this is what {report.games} games say{remedy}")
        return EXIT_INTERRUPTED
    for bot in dict.fromkeys(report.bots):
        faults = [fault for fault in report.faults if fault["bot"] == bot]
        games = report.games_of(report.bots.index(bot))
        if faults and len(faults) == games:
            output.message(
                "failed",
                f"{bot} has lost every one of {games} games by forfeit; the first: "
                f"{faults[0]['message']}",
            )
            return EXIT_FAILED
    return EXIT_OK


def _play(args: argparse.Namespace, terms: Terms, report: Tournament, kept: _Kept) -> None:
    """Play the games that are missing, until all are there or the test has an answer."""
    from kulami_solver.bots.match import pairs_in_parallel, play_numbered
    from kulami_solver.core.tasks import Needs, check_workers

    names, pairings = report.bots, report.pairings
    wanted = args.games * len(pairings)
    with ExitStack() as stack:
        players = []
        with starting(*names):
            for place, name in enumerate(names):
                # Two bots of one name are to be two: each has its own luck.
                players.append(terms.player(name, args.seed + place))
                stack.callback(players[-1].close)
        results = None
        if args.save is not None:
            header = {"journal": "match", "bots": list(names), **terms.to_json()}
            if len(names) > 2:
                header["format"] = report.kind
            fingerprints = {name: terms.fingerprint(name) for name in names}
            results = stack.enter_context(result_file("--save", args.save, header, fingerprints))
            kept.take_up(report, terms, results.known, wanted)
            warn_of_untold(results)
        left = [number for number in range(wanted // 2) if number not in report]
        line = stack.enter_context(ProgressLine(" games"))
        played = wanted - 2 * len(left)
        line.show(played, wanted, "playing")
        cluster = stack.enter_context(workers_asked_for(args))
        if cluster is not None:
            for name in dict.fromkeys(names):
                alike = functools.partial(terms.fingerprint, name)
                check_workers(cluster, Needs(alike=(alike, f"bot {name}")))
        workers = cluster or min(args.workers, len(left))
        playing: Iterator[tuple[int, Iterable[Game]]]
        if workers != 1 and left:
            playing = pairs_in_parallel(
                names, args.seed, left, terms, workers, kept.missing, pairings
            )
            stack.callback(playing.close)  # type: ignore[attr-defined]
        else:

            def one_by_one(number: int) -> Iterator[Game]:
                """Ctrl-C in the second game does not lose the first."""
                for place in kept.missing.get(number, (0, 1)):
                    yield from play_numbered(players, pairings, number, terms, (place,))

            playing = ((number, one_by_one(number)) for number in left)
        if report.verdict is not None:
            return
        for number, games in playing:
            pair = dict(kept.halves.get(number, {}))
            for place, game in zip(kept.missing.get(number, (0, 1)), games, strict=True):
                pair[place] = terms.record(game)
                if results is not None:
                    results.add(pair[place] | {"game": 2 * number + place + 1})
            kept.games += len(kept.halves.get(number, {}))
            report.add(number, _judged(terms, pair))
            played += 2
            line.show(played, wanted)
            if report.verdict is not None:
                return


class _Kept:
    """What an earlier run has left in a file of games.

    Attributes:
        games: how many of its games are in the report.
        halves: of each pair of which one game is there, that game by its place, 0 or 1.
        missing: of each such pair, the place of the other.
    """

    def __init__(self) -> None:
        self.games = 0
        self.halves: dict[int, dict[int, dict[str, Any]]] = {}
        self.missing: dict[int, tuple[int, ...]] = {}

    def take_up(
        self, report: Tournament, terms: Terms, known: list[dict[str, Any]], wanted: int
    ) -> None:
        """Put the pairs that are whole into the report, and keep the games that are not in one.

        A file may hold more games than are wanted; those of other pairs are reported as well.
        """
        found = {record["game"]: record for record in known if _is_game(record.get("game"))}
        for number in sorted({(game - 1) // 2 for game in found}):
            places = [place for place in (0, 1) if 2 * number + place + 1 in found]
            pair = {place: found[2 * number + place + 1] for place in places}
            judged = _judged(terms, pair)
            if len(judged) == 2:
                report.add(number, judged)
                self.games += 2
            elif 2 * number < wanted:
                self.halves[number] = pair
                self.missing[number] = (1 - places[0],)


def _is_game(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number > 0


def _judged(terms: Terms, pair: Mapping[int, Mapping[str, Any]]) -> list[Result]:
    """Return how each game of a pair has ended, by their places."""
    results = []
    for place in sorted(pair):
        try:
            results.append(terms.result(pair[place]))
        except KulamiError:
            raise CommandError(
                f"--save: game {quoted(pair[place].get('game'))} in the file has no moves and "
                "score; name another file"
            ) from None
    return results


def run_grade(game: GameCommands, args: argparse.Namespace) -> int:
    """Grade each game of a file, or the one on the command line."""
    given = [name for name in game.typed_by if getattr(args, name)]
    if given and args.file is not None:
        option = given[0].replace("_", "-")
        raise CommandError(
            f"--{option} goes without GAME, whose records say it; leave one of them out"
        )
    if not given and args.file is None:
        raise CommandError(f"give GAME, a file of games, or one game by --{game.typed_by[0]}")
    place = 0
    games = []
    name = "the command line" if given else named(args.file)
    with ExitStack() as stack:
        read = game.reader(args, stack)
        records = [(1, 1, game.typed_record(args))] if given else _records(game, args.file)
        try:
            for number, place, record in records:
                if args.game not in (None, place):
                    continue
                found = graded(read(record, number, place), args.time, game.estimating(args))
                games.append((place, found))
                if args.json:
                    output.json_line({"game": place, "line": number, **found.to_json()})
                else:
                    at = "" if place == number else f" (line {number})"
                    output.line(f"game {place}{at}: {found.text(game.remedy)}\n")
        except KulamiError as error:
            raise CommandError(f"{name}: {error}") from None
    if place == 0:
        raise CommandError(f"{name} holds no games; name a file with a record a line")
    if args.game is not None and place < args.game:
        held = "1 game; ask for it" if place == 1 else f"{place} games; ask for one of them"
        raise CommandError(f"{name} holds {held}")
    if args.html is not None:
        from kulami_solver.bots.grade_page import grade_page

        page = grade_page(games, os.path.basename(name))
        output.write_file("--html", args.html, page.encode())
    return EXIT_OK


def _records(game: GameCommands, file: str) -> Iterator[tuple[int, int, object]]:
    """Yield the records of a file: the line's number, the game's, and what JSON makes of it."""
    from kulami_solver.core.game_records import numbered_records, parse_record

    lines = text_lines("GAME", file, RECORD_LIMIT)
    for number, place, line in numbered_records(game.records(lines)):
        yield number, place, parse_record(line, number, place)


def graded(
    read: ReadGame,
    time: float | None = None,
    estimate: Callable[[State], Mapping[str, Estimate]] | None = None,
) -> Grade:
    """Grade a game, with a line that says how far that is.

    Args:
        read: what `GameCommands.reader` has made of a record.
        time: most that one position may take, in seconds; None for so many nodes.
        estimate: what `GameCommands.estimating` has returned.
    """
    from kulami_solver.bots.grade import grade

    start, moves, known = read
    with ProgressLine(" moves") as drawn:
        judged: list[object] = []
        drawn.show(0, len(moves), "solving")

        def watch(move: object) -> None:
            judged.append(move)
            drawn.show(len(judged), len(moves))

        return grade(start, moves, time=time, known=known, estimate=estimate, progress=watch)
