"""Games of bots: `match`, of any game."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import (
    Commands,
    add_command,
    file_name,
    game_clock,
    whole_number,
    workers_asked_for,
)
from kulami_solver.cli.bots import asked_for, started, untold
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.output import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_OK, CommandError
from kulami_solver.cli.records import each_record, files_of
from kulami_solver.cli.results import RECORD_LIMIT, named, result_file, taken_from_file, text_lines
from kulami_solver.core.interruption import pauses_noticed
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine
from kulami_solver.core.whole_numbers import whole
from kulami_solver.errors import KulamiError, quoted

if TYPE_CHECKING:
    from kulami_solver.bots.arena import FinishedGame
    from kulami_solver.bots.description import BotDescription
    from kulami_solver.bots.match import MatchTerms, Result
    from kulami_solver.bots.tournament import Tournament


def add_match(commands: Commands, game: GameCommands) -> None:
    """Add `match`."""
    summary = "let two bots play each other, or several a tournament"
    parser = add_command(commands, "match", run_match, summary, game)
    parser.bots("two, or more for a tournament")
    formats = ("round-robin", "gauntlet")
    words = "round-robin, or gauntlet: the first meets the others"
    parser.choice("--format", formats, words, "round-robin", "FORMAT")
    parser.number("--games", 2, 10**6, "for each two bots, an even number (100)", 100)
    game.add_match_options(parser)
    parser.clock()
    parser.value("--clock", "SECONDS[+MORE]", "for a game, and more for each move", game_clock)
    parser.seed()
    words = "end when sure: more than ELO0, or less than ELO1"
    elos: Any = ("ELO0", "ELO1")
    parser.value("--sprt", elos, words, whole_number(-2000, 2000), nargs=2)
    parser.value("--alpha", "SHARE", "how often the first may be wrong (0.05)", _share)
    parser.value("--beta", "SHARE", "how often the second may be wrong (0.05)", _share)
    parser.choice("--recover", ("move", "game"), "what a bot that crashes may try again (none)")
    parser.file("--save", "keep the games in FILE, and go on")
    words = "rate the players of saved games; no bot plays"
    parser.value("--ratings", "FILE", words, file_name, nargs="+")
    parser.output("--plot", "draw ratings and crosstable, as SVG, PDF or PNG")
    parser.processes("play", "1", 1)


def run_match(game: GameCommands, args: argparse.Namespace) -> int:
    """Play the match and say how it ended."""
    from kulami_solver.bots.statistics import Sprt
    from kulami_solver.bots.tournament import Tournament

    if args.ratings is not None:
        return _rate(game, args)
    if args.games % 2:
        raise CommandError(f"--games {args.games}: give an even number, openings are played twice")
    sprt = None
    if args.sprt is not None:
        if args.sprt[0] >= args.sprt[1]:
            raise CommandError("--sprt ELO0 ELO1: give the smaller one first")
        errors = {name: vars(args)[name] for name in ("alpha", "beta")}
        sprt = Sprt(*args.sprt, **{name: one for name, one in errors.items() if one is not None})
    elif (args.alpha, args.beta) != (None, None):
        raise CommandError("--alpha and --beta go with --sprt; leave them out here")
    kind = "" if args.plot is None else _plot_kind(args.plot)
    args.bots = asked_for(args)
    report = Tournament([bot.name for bot in args.bots], args.format, sprt, game.margins)
    kept = _Kept()
    try:
        _play(game, args, report, kept)
        complete = True
    except KeyboardInterrupt:
        complete = False
    _plot(args, report, kind)
    # An interrupted pair has only one game, which is not in the report.
    counts = {"from_file": kept.games, "new": report.games - kept.games}
    words = report.text()
    if kept.games:
        words += f"\n{taken_from_file(args.save, kept.games, report.games, 'games')}"
        wanted = args.games * len(report.pairings)
        if report.games > wanted:
            words += f"; all of them count, though {wanted:,} were asked for"
    output.answer(args, report.to_json() | counts, words)
    if not complete:
        remedy = f"; go on with --save {args.save}" if args.save else ""
        said = f"this is what {report.games} games say" if report.games else "no game is over"
        return output.interrupted(said + remedy)
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


def _share(text: str) -> float:
    """A share of matches, for argparse.

    >>> _share("0.1")
    0.1
    """
    with contextlib.suppress(ValueError):
        if 0 < float(text) < 0.5:
            return float(text)
    raise KulamiError(f"expected a share, more than 0 and less than 0.5, not {quoted(text)}")


def _rate(game: GameCommands, args: argparse.Namespace) -> int:
    """Rate the players of saved games."""
    from dataclasses import replace  # slow to import

    from kulami_solver.bots.accuracy import players_of
    from kulami_solver.bots.arena import FinishedGame
    from kulami_solver.bots.tournament import rated
    from kulami_solver.game import NOBODY

    if args.bots or args.engines or args.save:
        raise CommandError("--ratings is for games that are saved: name neither bots nor --save")
    kind = "" if args.plot is None else _plot_kind(args.plot)
    games: list[FinishedGame] = []
    left = copies = refused = 0
    first_in: dict[str, int] = {}  # the number of the first file with a record

    def take(nth: int, number: int, place: int, record: Any) -> None:
        nonlocal left, copies
        if first_in.setdefault(json.dumps(record, sort_keys=True, default=str), nth) < nth:
            copies += 1
            return
        start, moves = game.read_record(record, number, place)
        seats = start.game.seats
        names = tuple(players_of(record, seats).values())
        found = FinishedGame(start, moves, names, whole(record.get("opening")) or 0)
        lost, won = record.get("forfeit"), record.get("winner")
        if found.end.to_move != NOBODY and lost is None and won in seats:
            lost = seats[seats.index(won) - 1]  # who has given up
        known = found.end.to_move == NOBODY or lost in seats
        two = names == names[:2] * (len(seats) // 2) and len({*names}) == 2
        if known and two and not {*names} & {*seats}:
            games.append(replace(found, forfeit=None if lost is None else seats.index(lost)))
        else:
            left += 1

    for nth, file in enumerate(files_of(args.ratings)):
        lines = text_lines("--ratings", file, RECORD_LIMIT)
        records = game.records(lines, argparse.Namespace(layout=None))
        refused += each_record(records, functools.partial(take, nth), named(file))
    if left:
        said = f"{so_many(left, 'game')} without an end, or without two players with names"
        output.message("note", f"{said}, left out")
    if copies:
        output.message("note", f"{so_many(copies, 'game')} that an earlier file has, too, left out")
    report = rated(games)
    _plot(args, report, kind)
    output.answer(args, report.to_json(), report.text())
    return EXIT_BAD_INPUT if refused else EXIT_OK


def _plot(args: argparse.Namespace, report: Tournament, kind: str) -> None:
    if args.plot is not None:
        from kulami_solver.bots.plot import tournament_figure

        output.write_file("--plot", args.plot, tournament_figure(report, kind))


def _plot_kind(path: str) -> str:
    """Return the kind of a figure by its file's name, before any game is played.

    Raises:
        CommandError: there is no such kind.
        KulamiError: matplotlib is not installed.
    """
    from kulami_solver.bots.plot import KINDS, new_figure

    ending = os.path.splitext(path)[1].lower()
    if ending[1:] not in KINDS:
        raise CommandError(
            f"--plot: {path} ends in {ending or '-'}, but SVG, PDF or PNG is what --plot writes; "
            "name a file that ends in .svg"
        )
    new_figure(1, 1)
    return ending[1:]


def _play(game: GameCommands, args: argparse.Namespace, report: Tournament, kept: _Kept) -> None:
    """Play the games that are missing, until all are there or the test has an answer."""
    from kulami_solver.bots.fingerprint import bot_fingerprint
    from kulami_solver.bots.match import pairs_in_parallel, play_numbered
    from kulami_solver.bots.naming import titles_of
    from kulami_solver.core.tasks import Needs, check_workers

    terms = game.terms(args)
    bots: Sequence[BotDescription] = args.bots
    names, pairings = report.bots, report.pairings
    wanted = args.games * len(pairings)
    with ExitStack() as stack:
        stack.enter_context(pauses_noticed())
        # Two bots of the same name have different seeds.
        players = started(stack, bots, lambda bot, place: terms.player(bot, args.seed + place))
        report.titles = titles_of(players)
        for bot, player in zip(bots, players, strict=True):
            lacks = untold(game, bot, player, [terms.opening(0).start])
            output.warn(
                f"{bot.name} cannot be told {rule}, which these games need: it does not know what "
                f"counts; play with the usual {rule}, or teach it"
                for rule in lacks
            )
        results = None
        if args.save is not None:
            header = {"journal": "match", "bots": list(names), **terms.to_json()}
            if len(names) > 2:
                header["format"] = report.kind
            fingerprints = {bot.name: bot_fingerprint(bot, game.name) for bot in bots}
            results = stack.enter_context(result_file("--save", args.save, header, fingerprints))
            kept.take_up(report, terms, results.known, wanted)
        left = [number for number in range(wanted // 2) if number not in report]
        line = stack.enter_context(ProgressLine(" games"))
        played = wanted - 2 * len(left)
        line.show(played, wanted, report.points_so_far() if played else "playing")
        cluster = stack.enter_context(workers_asked_for(args))
        if cluster is not None:
            for name, bot in {bot.name: bot for bot in bots}.items():
                alike = functools.partial(bot_fingerprint, bot, game.name)
                check_workers(cluster, Needs(alike=(alike, f"bot {name}")))
        workers = cluster or min(args.workers, len(left))
        playing: Iterator[tuple[int, Iterable[FinishedGame]]]
        if workers != 1 and left:
            places = {number: kept.missing(number) for number in left}
            playing = pairs_in_parallel(bots, args.seed, places, terms, workers, pairings)
            stack.callback(playing.close)  # type: ignore[attr-defined]
        else:

            def one_by_one(number: int) -> Iterator[FinishedGame]:
                """Play a pair game by game: Ctrl-C in the second game does not lose the first."""
                for place in kept.missing(number):
                    yield from play_numbered(players, pairings, number, terms, (place,))

            playing = ((number, one_by_one(number)) for number in left)
        if report.verdict is not None:
            return
        for number, games in playing:
            pair = dict(kept.halves.get(number, {}))
            for place, ended in zip(kept.missing(number), games, strict=True):
                pair[place] = terms.record(ended)
                if results is not None:
                    results.add(pair[place] | {"game": 2 * number + place + 1})
            kept.games += len(kept.halves.get(number, {}))
            report.add(number, _judged(terms, pair))
            played += 2
            line.show(played, wanted, report.points_so_far())
            if report.verdict is not None:
                return


class _Kept:
    """The games of an earlier run, from a file of games.

    Attributes:
        games: the number of its games in the report.
        halves: the single game of each incomplete pair, by its place, 0 or 1.
    """

    def __init__(self) -> None:
        self.games = 0
        self.halves: dict[int, dict[int, dict[str, Any]]] = {}

    def take_up(
        self, report: Tournament, terms: MatchTerms, known: list[dict[str, Any]], wanted: int
    ) -> None:
        """Put complete pairs into the report, and keep the games of incomplete pairs.

        A file may hold more games than are wanted; complete pairs among them are reported as well.
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

    def missing(self, number: int) -> tuple[int, ...]:
        """Return the places of the games that a pair lacks."""
        return tuple(place for place in (0, 1) if place not in self.halves.get(number, ()))


def _is_game(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number > 0


def _judged(terms: MatchTerms, pair: Mapping[int, Mapping[str, Any]]) -> list[Result]:
    """Return the results of the games of a pair, in the order of their places."""
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
