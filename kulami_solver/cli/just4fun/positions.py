"""The options that give a position of Just 4 Fun, and its text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Parser
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.reading import LINE_LIMIT, arriving_lines, refused_line
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.just4fun import Position

#: A position as text.
drawn = partial(output.board_text, "kulami_solver.just4fun.render")


def add_position_options(parser: Parser, *, required: bool = True, many: bool = False) -> None:
    """Add the options that give a position, or many of a file."""
    group = parser.group("the position")
    source = group.one_of(required=required)
    source.value("--position", "TEXT", "'BOARD STONES LEFT TURN HANDS STOCK DISCARDS'")
    source.number(
        "--deal", 0, 10**18, "the start of a game, dealt from the whole deck", metavar="SEED"
    )
    if many:
        source.file(
            "--input",
            "one position a line (- for standard input; blank lines and # comments are "
            "skipped); answers each line with one line of JSON, a bad one with an error",
        )
    group.value("--board", "TEXT", "with --deal: 2006 (default), 3x3, 1,2/4,3")
    group.value("--players", "LETTERS", "with --deal: two to four of rbgy, in order (rb)")
    group.number("--stones", 1, 20, "with --deal: of each player (20)")
    group.number("--line", 1, 64, "fields in a row that win (4)", 4)
    group.number("--hand", 1, 12, "cards of a hand (4)", 4)
    group.value("--moves", "MOVES", "played from there: '12=5+7 4=4'")


def position_of(args: argparse.Namespace) -> Position:
    """The position of --position or --deal, after --moves."""
    _refuse_contradictions(args)
    option = "position"
    try:
        if args.deal is not None:
            option = "deal"
            position = _dealt(args)
        else:
            position = _read(args, args.position)
        option = "moves"
        return position.play_all(args.moves or "")
    except KulamiError as error:
        raise CommandError(error.at("option_place", name=option)) from None


def positions(args: argparse.Namespace) -> Iterator[Position]:
    """The position that the options give, or the positions of --input as they are read.

    Raises:
        CommandError: the options contradict each other or do not give a valid position.
    """
    if args.input is None:
        yield position_of(args)
        return
    _refuse_contradictions(args)
    lines = arriving_lines("--input", args.input, LINE_LIMIT, None, "one position")
    for number, line in enumerate(lines, 1):
        if isinstance(line, KulamiError):
            output.json_line(refused_line(args, number, "", line))
            continue
        if not line or line.startswith("#"):
            continue
        args.at = number, line
        try:
            yield _read(args, line).play_all(args.moves or "")
        except KulamiError as error:
            output.json_line(refused_line(args, number, line, error))


def _refuse_contradictions(args: argparse.Namespace) -> None:
    if args.deal is None:
        for option in ("board", "players", "stones"):
            if getattr(args, option) is not None:
                raise CommandError("goes_with_deal", option=option)


def _read(args: argparse.Namespace, text: str) -> Position:
    from kulami_solver.just4fun import Position

    return Position.from_jfn(text, line=args.line, hand=args.hand)


def _dealt(args: argparse.Namespace) -> Position:
    from kulami_solver.just4fun import Board, deal

    try:
        board = Board.parse("2006" if args.board is None else args.board)
    except KulamiError as error:
        raise CommandError(error.at("option_place", name="board")) from None
    return deal(
        board,
        args.deal,
        players="rb" if args.players is None else args.players,
        stones=20 if args.stones is None else args.stones,
        line=args.line,
        hand=args.hand,
    )
