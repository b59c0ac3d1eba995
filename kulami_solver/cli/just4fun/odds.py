"""`kulami just4fun odds`: the number of hands that can make each field."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.ending import EXIT_OK, CommandError
from kulami_solver.cli.just4fun.positions import add_position_options, position_of
from kulami_solver.errors import KulamiError, Phrase

if TYPE_CHECKING:
    from kulami_solver.just4fun import Odds, Position

DETAILS = """\
Without a position the hands are those of the whole deck, less the --seen
cards. With one they are those that its unseen cards allow: a hidden hand is
any of them. With --kept they are the hands of the player to move after the
draw, when these cards of the hand stay and the others are played. Every hand
is counted, none is sampled.

examples
  kulami just4fun odds
  kulami just4fun odds --seen 1.4.7.12
  kulami just4fun odds --position "2006 - r20b20 r r1.4.7.12,b? - -" --kept 4.7
"""


def add_commands(group: Commands) -> None:
    """Add `odds`."""
    command = add_command(group, "odds", run, "count the hands that make each field", DETAILS)
    add_position_options(command, required=False)
    command.value("--kept", "CARDS", "of the hand of who is to move: 4.7, or - for none")
    command.value("--seen", "CARDS", "without a position: not in the deck any more, 1.4.12")
    command.number("--fields", 1, 64, "without a position: of the board (36)")


def run(args: argparse.Namespace) -> int:
    """Count hands and print how many make each field."""
    position = None
    if args.position is None and args.deal is None:
        found = _of_the_deck(args)
    else:
        for option in ("seen", "fields"):
            if getattr(args, option) is not None:
                raise CommandError("goes_without_position", option=option)
        position = position_of(args)
        found = _of_a_position(args, position)
    if args.json:
        answer: dict[str, object] = {} if position is None else {"position": position.jfn()}
        output.json_line(answer | found.to_json())
    else:
        output.line(table(found))
    return EXIT_OK


def _of_the_deck(args: argparse.Namespace) -> Odds:
    from kulami_solver.just4fun import DECK, hand_odds
    from kulami_solver.just4fun.cards import taken

    for option in ("kept", "moves", "board", "players", "stones"):
        if getattr(args, option) is not None:
            raise CommandError("goes_with_position", option=option)
    seen = _cards("seen", args.seen)
    try:
        left = taken(DECK, seen)
    except KulamiError as error:
        raise CommandError(error.at("option_place", name="seen")) from None
    return hand_odds(left, hand=args.hand, fields=36 if args.fields is None else args.fields)


def _of_a_position(args: argparse.Namespace, position: Position) -> Odds:
    from kulami_solver.just4fun import odds

    kept = None if args.kept is None else _cards("kept", args.kept)
    try:
        return odds(position, kept=kept)
    except KulamiError as error:
        option = "position" if kept is None else "kept"
        raise CommandError(error.at("option_place", name=option)) from None


def _cards(option: str, text: str | None) -> tuple[int, ...]:
    from kulami_solver.just4fun.cards import read_cards

    if text in (None, "-"):
        return ()
    assert text is not None
    try:
        return read_cards(text, "the list", rising=False)
    except KulamiError as error:
        raise CommandError(error.at("option_place", name=option)) from None


def table(found: Odds, language: str = "en") -> str:
    """Odds as text: the best fields, and all fields by number."""
    head = Phrase("so_many_hands", hands=found.hands)
    if found.kept:
        head = Phrase("hands_with", hands=found.hands, cards=" ".join(map(str, found.kept)))
    lines = [head.said(language)]
    wide = len(f"{found.hands:,}")
    for field in found.fields:
        makeable, chance = f"{field.makeable:>{wide},}", f"{100 * float(field.chance):5.1f}"
        said = Phrase("odds_of_field", makeable=makeable, chance=chance).said(language)
        lines.append(f"{field.field:>5}  {said}")
    return "\n".join(lines)
