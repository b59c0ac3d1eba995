"""Games of bots and games judged: `kulami match` and `kulami grade`."""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import (
    CommandError,
    Commands,
    add_command,
    file_name,
    seconds,
    whole_number,
)
from kulami_solver.cli.bots import (
    BOTS,
    add_clock_options,
    add_seed_option,
    clock_of,
    progress_bar,
)
from kulami_solver.cli.positions import add_scoring_option, layout, named, text_lines
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.bots.grade import Grade
    from kulami_solver.bots.match import MatchReport

EXIT_OK = 0
EXIT_INTERRUPTED = 130

#: Longest game record read, in bytes.
RECORD_LIMIT = 1 << 20

MATCH = (
    BOTS
    + """
Each opening, some marbles placed at random, is played twice with colours
swapped. A bot that answers with no legal field, too late, or not at all loses
that game. Elo, interval and SPRT are from pairs of games, for the first bot.

examples
  kulami match mcts alphabeta:4 --games 200 --save games.jsonl
  kulami match "exec ./new" "exec ./old" --movetime 0.2 --sprt 0 20
"""
)

GRADE = """\
GAME is a file of records as 'kulami replay' reads them. A game is solved from
its end backwards as far as --time allows for one position; from there on every
move is judged by the exact values of all fields.

columns
  ply      the move's number in the game, and who moved
  field    what was played
  margin   what it leaves with best play, for the side that moved
  cost     how much less that is than the best field's margin; - for nothing
  best     where it cost something: the fields that cost nothing, and, where it
           changed who wins, what became of what: 'a win becomes a loss'
below them, of each player: how many moves cost nothing, of those that had a
choice, and what all of them cost. In JSON, best are the best fields always,
best_margin is their margin, and outcome is that before and after the move.
"""


def add_commands(commands: Commands) -> None:
    """Add `match` and `grade`."""
    parser = add_command(commands, "match", run_match, "let two bots play each other", MATCH)
    parser.add_argument("one", metavar="BOT", help="see below")
    parser.add_argument("two", metavar="BOT", help="its opponent")
    parser.add_argument(
        "--games",
        metavar="N",
        type=whole_number(2, 10**6),
        default=100,
        help="how many, an even number (100)",
    )
    parser.add_argument(
        "--layout",
        metavar="TEXT",
        default="random",
        help="rows separated by /, square, rulebook, or random: another for each opening (random)",
    )
    parser.add_argument(
        "--plies",
        metavar="N",
        type=whole_number(0, 40),
        default=6,
        help="marbles an opening places (6)",
    )
    parser.add_argument(
        "--marbles", metavar="N", type=whole_number(1, 64), default=28, help="of each colour (28)"
    )
    add_scoring_option(parser)
    add_clock_options(parser)
    add_seed_option(parser)
    parser.add_argument(
        "--adjudicate",
        metavar="FREE",
        type=whole_number(1, 30),
        default=0,
        help="solve a game once so few fields are free, and add best play",
    )
    parser.add_argument(
        "--sprt",
        metavar=("ELO0", "ELO1"),
        nargs=2,
        type=whole_number(-2000, 2000),
        help="stop once it is clear that the first bot is worth at most ELO0, or at least ELO1",
    )
    parser.add_argument(
        "--save",
        metavar="FILE",
        type=file_name,
        help="keep the games in FILE; those it holds already are not played again",
    )
    parser.add_argument(
        "--workers",
        metavar="N",
        type=whole_number(1, 256),
        default=1,
        help="processes that play (1; more of them take time from each other)",
    )

    parser = add_command(commands, "grade", run_grade, "judge the moves of finished games", GRADE)
    parser.add_argument(
        "file", metavar="GAME", type=file_name, help="one record a line (- for standard input)"
    )
    parser.add_argument("--game", metavar="N", type=whole_number(1, 10**9), help="only the Nth")
    parser.add_argument(
        "--time",
        metavar="SECONDS",
        type=seconds,
        default=10.0,
        help="most that one position may take (10)",
    )


# kulami match


def run_match(args: argparse.Namespace) -> int:
    """Play the match and say how it ended."""
    from kulami_solver.bots.match import MatchReport, Terms
    from kulami_solver.bots.statistics import Sprt

    if args.games % 2:
        raise CommandError(f"--games {args.games}: give an even number, openings are played twice")
    sprt = None
    if args.sprt is not None:
        if args.sprt[0] >= args.sprt[1]:
            raise CommandError("--sprt ELO0 ELO1: give the smaller one first")
        sprt = Sprt(*args.sprt)
    terms = Terms(
        layout=args.layout if args.layout == "random" else layout("--layout", args.layout),
        plies=args.plies,
        scoring=args.scoring,
        clock=clock_of(args),
        adjudicate=args.adjudicate,
        seed=args.seed,
        marbles=args.marbles,
    )
    report = MatchReport(args.one, args.two, sprt)
    try:
        _play(args, terms, report)
        complete = True
    except KeyboardInterrupt:
        complete = False
    if args.json:
        output.json_line(report.to_json())
    else:
        output.line(report.text())
    if not complete:
        kept = f"; go on with --save {args.save}" if args.save else ""
        output.message("interrupted", f"Ctrl-C; this is what {report.games} games say{kept}")
        return EXIT_INTERRUPTED
    return EXIT_OK


def _play(args: argparse.Namespace, terms: Any, report: MatchReport) -> None:
    """Play the pairs that are missing, until all are there or the test has an answer."""
    from kulami_solver.bots.journal import Journal
    from kulami_solver.bots.match import pairs_in_parallel, play_pair
    from kulami_solver.bots.naming import make_player

    names = (args.one, args.two)
    with ExitStack() as stack:
        # Two bots of one name are to be two: each has its own luck.
        one = make_player(args.one, args.seed, isolated=True)
        stack.callback(one.close)
        two = make_player(args.two, args.seed + 1, isolated=True)
        stack.callback(two.close)
        journal = None
        if args.save is not None:
            header = {"journal": "match", "bots": list(names), **terms.to_json()}
            journal = stack.enter_context(Journal(args.save, header))
            _take_up(report, journal.known)
        left = [number for number in range(args.games // 2) if number not in report]
        bar = stack.enter_context(
            progress_bar(args.games, args.games - 2 * len(left), "playing", " games")
        )
        workers = min(args.workers, len(left))
        if workers > 1:
            playing = pairs_in_parallel(names, args.seed, left, terms, workers)
            stack.callback(playing.close)  # type: ignore[attr-defined]
        else:
            playing = ((number, play_pair(one, two, number, terms)) for number in left)
        if report.verdict is not None:
            return
        for number, games in playing:
            for place, game in enumerate(games):
                if journal is not None:
                    journal.add(game.record() | {"game": 2 * number + place + 1})
            report.add(number, [(game.winner, game.record()) for game in games])
            bar.update(2)
            if report.verdict is not None:
                return


def _take_up(report: MatchReport, known: list[dict[str, Any]]) -> None:
    """Take in the games of an earlier run, as far as they are in pairs."""
    games = {record.get("game"): record for record in known}
    for number in {(game - 1) // 2 for game in games if isinstance(game, int)}:
        pair = [games.get(2 * number + place) for place in (1, 2)]
        if all(record is not None for record in pair):
            report.add(number, [(_winner(record), record) for record in pair if record])


def _winner(record: dict[str, Any]) -> str | None:
    try:
        if record.get("forfeit") is not None:
            return "black" if record["forfeit"] == "red" else "red"
        margin = record["score"]["red"] - record["score"]["black"]
    except (KeyError, TypeError):
        raise CommandError("--save: a game in the file has no score; name another file") from None
    return "red" if margin > 0 else "black" if margin < 0 else None


# kulami grade


def run_grade(args: argparse.Namespace) -> int:
    """Grade each game of a file."""
    number = 0
    for line in text_lines("GAME", args.file, RECORD_LIMIT):
        if not line or line.startswith("#"):
            continue
        number += 1
        if args.game is not None and number != args.game:
            continue
        try:
            found = _graded(line, number, args.time)
        except KulamiError as error:
            raise CommandError(f"{named(args.file)}: {error}") from None
        if args.json:
            output.json_line({"game": number, **found.to_json()})
        else:
            output.line(f"game {number}: {found.text()}\n")
    if number == 0:
        raise CommandError(f"{named(args.file)} holds no games; name a file with a record a line")
    if args.game is not None and number < args.game:
        held = "1 game; ask for it" if number == 1 else f"{number} games; ask for one of them"
        raise CommandError(f"{named(args.file)} holds {held}")
    return EXIT_OK


def _graded(line: str, number: int, time: float) -> Grade:
    from kulami_solver.bots.grade import grade
    from kulami_solver.core.fields import parse_fields
    from kulami_solver.errors import NotationError
    from kulami_solver.kulami.layout import Layout
    from kulami_solver.kulami.position import MARBLES, Position
    from kulami_solver.kulami.replay import check_record
    from kulami_solver.kulami.scoring import Scoring

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise NotationError(f"game record {number} is not JSON: write one object a line") from None
    # What replay accepts is well formed, and every move legal.
    verdict = check_record(record, number)
    if not verdict.agrees:
        raise NotationError(f"game record {number}: {verdict.reason}")
    board = record["board"]
    played = parse_fields(record["moves"])
    start = Position(
        Layout.parse(board) if isinstance(board, str) else Layout.from_rows(board),
        record["first"],
        record.get("marbles", MARBLES),
        record.get("short_end", False),
    )
    with progress_bar(len(played), 0, "solving", " moves") as bar:

        def watch(_: object) -> None:
            bar.update()

        scoring = Scoring.parse(record["level"])
        return grade(start, played, scoring, time=time, progress=watch)
