"""Kulami's own part of `replay`, `engine`, `check`, `match` and `grade`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import kulami_solver as ks
from kulami_solver.cli import bots, games, output, records
from kulami_solver.cli.arguments import Commands, Parser, clock_of
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.kulami.positions import (
    add_layouts_options,
    add_position_options,
    add_scoring_option,
    board_text,
    edition,
    layout,
    layouts_or_random,
    one_game,
    openings,
)
from kulami_solver.cli.output import CommandError
from kulami_solver.core.notation import so_many
from kulami_solver.errors import KulamiError, quoted
from kulami_solver.kulami.position.edition import OPTIONS

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case as AnyCase
    from kulami_solver.bots.grade import Estimating, MoveEstimate
    from kulami_solver.bots.match import MatchTerms
    from kulami_solver.cli.game import ReadGame


def add_commands(commands: Commands) -> None:
    """Add the commands."""
    records.add_replay(commands, GAME)
    bots.add_engine(commands, GAME)
    bots.add_check(commands, GAME)
    games.add_match(commands, GAME)
    records.add_grade(commands, GAME)


class KulamiCommands(GameCommands):
    """The parts of Kulami that the commands need."""

    margins: ClassVar = True
    tells_lines: ClassVar = True
    board_text: ClassVar = staticmethod(board_text)
    fills: ClassVar = "layout"

    def add_position_options(self, parser: Parser) -> None:
        add_position_options(parser, many=False)
        add_scoring_option(parser)

    def add_match_options(self, parser: Parser) -> None:
        add_layouts_options(parser, "of an opening (random)")
        parser.number("--plies", 0, 40, "marbles an opening places (6)")
        words = "random, balanced, or FILE, one KFN a line (random)"
        parser.value("--openings", "WHICH", words, default="random")
        parser.switch("--repeat", "begin FILE again once it is played")
        parser.of_game(*OPTIONS)
        add_scoring_option(parser)
        words = "end a game by best play once so few are free"
        parser.number("--adjudicate", 1, 30, words, 0, "FREE")

    def terms(self, args: argparse.Namespace) -> MatchTerms:
        from kulami_solver.bots.kulami.match import KulamiTerms

        given = openings(args)
        if not isinstance(given, str) and (args.layout, args.plies) != (None, None):
            useless = "--plies" if args.layout is None else "--layout"
            raise CommandError(f"the positions of --openings are whole: leave out {useless}")
        if isinstance(given, str):
            if args.repeat:
                raise CommandError("--repeat goes with a file of --openings; leave it out here")
        elif args.games > 2 * len(given) and not args.repeat:
            output.message(
                "note",
                f"--openings has {so_many(len(given), 'opening')}, so {2 * len(given)} games are "
                f"played and not {args.games}; --repeat plays them again",
            )
            args.games = 2 * len(given)
        boards = layouts_or_random(args)
        return KulamiTerms(
            layout=boards[0] if len(boards) == 1 else boards or "random",
            plies=6 if args.plies is None else args.plies,
            clock=clock_of(args),
            free=args.adjudicate,
            scoring=args.scoring,
            seed=args.seed,
            edition=edition(args),
            openings=given,
            recover=args.recover or "",
        )

    def add_check_options(self, parser: Parser) -> None:
        group = parser.group("positions")
        group.number("--positions", 1, 10**7, "only the first N")
        group.file("--suite", "another suite")
        group.switch("--live", "from random games, 100 if not said")
        add_layouts_options(group, "as --live, on this board")
        group.value("--free", "N-M", "with so many free fields (--live: 10-20)", span)
        add_scoring_option(group, "with this scoring")
        group.of_game(*OPTIONS)

    def cases(self, args: argparse.Namespace) -> tuple[type[AnyCase], Sequence[AnyCase]]:
        from kulami_solver.bots.kulami.case import Case
        from kulami_solver.bots.kulami.suite import SCORINGS, draw_cases, read_suite

        boards = layouts_or_random(args)
        if args.live or args.layout is not None:
            if args.suite is not None:
                raise CommandError(
                    "--live and --layout draw positions of their own: leave out --suite"
                )
            low, high = args.free or (10, 20)
            count = args.positions or 100
            scorings = SCORINGS if args.scoring is None else (args.scoring,)
            drawn = draw_cases(args.seed, count, scorings, low, high, edition(args), boards)
            return Case, self.solved(drawn, count)
        chosen = args.free is not None or args.scoring is not None
        for name, value in edition(args).unusual.items():
            option = next(one for one in self.options if one.name == name)
            raise CommandError(
                f"{option.typed(value)}: a suite says itself how it is played; draw with --live"
            )
        cases = read_suite(args.suite, None if chosen else args.positions)
        if args.free is not None:
            low, high = args.free
            cases = [case for case in cases if low <= case.position.free_count <= high]
        if args.scoring is not None:
            cases = [case for case in cases if case.scoring is args.scoring]
        if not cases or len(cases) < (args.positions or 0):
            raise CommandError(
                f"the suite has {len(cases)} such positions; ask for others, or draw some with "
                "--live"
            )
        return Case, cases[: args.positions]

    @property
    def typed_by(self) -> tuple[str, ...]:
        position = "moves", "kfn", "layout", "hagen", "kbn", "first", "turn", "last"
        from kulami_solver.kulami.position.edition import OPTIONS

        return (*position, *(option.name for option in OPTIONS), "scoring")

    def add_grade_options(self, parser: Parser) -> None:
        self.add_position_options(parser)
        parser.set_defaults(scoring=None)
        parser.switch("--estimate", "estimate the moves before the solved ones")

    def estimating(self, args: argparse.Namespace) -> Estimating | None:
        return estimated_moves if args.estimate else None

    def typed_record(self, args: argparse.Namespace) -> Mapping[str, Any]:
        start, moves = one_game(args)
        return ks.GameRecord.played(start, moves, args.scoring or "0").to_json()

    def records(
        self, lines: Iterable[str], args: argparse.Namespace | None = None
    ) -> Iterator[tuple[int, int, object]]:
        from kulami_solver.kulami.game_record import records

        own = str(layout(args)) if args is not None and args.layout else ""
        return records(lines, own, partly=args is not None)

    def has_record(self, record: Mapping[str, Any]) -> bool:
        return "level" in record

    def checked(self, record: object, number: int, place: int) -> Any:
        from kulami_solver.kulami.game_record import check_record

        return check_record(record, number, place)

    def read_record(self, record: object, number: int, place: int) -> ReadGame:
        from kulami_solver.kulami.game_record import read_game

        return read_game(record, number, place)[:2]


def estimated_moves(state: ks.game.State) -> Mapping[str, MoveEstimate]:
    """Estimates of every field; the same on every machine."""
    scoring = state.game.scoring  # type: ignore[attr-defined]
    return ks.estimate_value(state.position, scoring, every_move=True).moves


def span(text: str) -> tuple[int, int]:
    """A range of numbers of free fields, for argparse.

    >>> span("10-24"), span("16")
    ((10, 24), (16, 16))
    """
    from kulami_solver.bots.kulami.suite import MOST_FREE

    match = re.fullmatch(r"([0-9]{1,2})(?:-([0-9]{1,2}))?", text, re.ASCII)
    low = int(match[1]) if match else 0
    high = int(match[2] or match[1]) if match else 0
    if not 1 <= low <= high <= MOST_FREE:
        raise KulamiError(
            f"expected numbers of free fields from 1 to {MOST_FREE}, like 10-24, not {quoted(text)}"
        )
    return low, high


GAME = KulamiCommands("kulami", "Kulami")
