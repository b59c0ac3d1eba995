"""`kulami just4fun ...`: Just 4 Fun's part of the commands of all games, and its own commands.

words       words for help pages
positions   the options that give a position
play        a game at the terminal
odds        odds
solving     solve, expect
advising    advise
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar

from kulami_solver.cli.arguments import Commands, Parser
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.game import GameCommands

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case
    from kulami_solver.bots.match import MatchTerms
    from kulami_solver.cli.play import PlayedGame
    from kulami_solver.game import State

DETAILS = """\
a position is one of
  --position "BOARD STONES LEFT TURN HANDS STOCK DISCARDS"
        3x3 1:r1,6:r1b1 r2b1 b r1.3.3.9,b2.4.4.7 3.5.12 {2}
        BOARD is 2006 (the printed one), HEIGHTxWIDTH, or rows like 1,2/4,3;
        LEFT has the players in order of play and their stones still to place;
        a hand is r1.3.3.9, r- without a card, r? hidden; the stock is 3.5.12
        in the order of drawing, {3.5.12} where that is unknown, - for none
  --deal SEED [--board 2006] [--players rb] [--stones 20]
        the start of a game, with cards dealt from the whole deck
with --line 4, the fields in a row that win, and --hand 4, the cards of a hand;
--moves plays on from there: 12=5+7 plays the cards 5 and 7 and places a stone
on field 12, discard=3+4 puts away a hand that makes no field
examples
  kulami just4fun odds
  kulami just4fun play --deal 7
  kulami just4fun COMMAND --help
"""

_OPTIONS = ("board", "stones", "line", "hand")  # the options of a game for two


class Just4FunCommands(GameCommands):
    """The parts of Just 4 Fun that the commands need."""

    has_pictures: ClassVar = True
    play_summary: ClassVar = "play against the advice"
    usual_engine: ClassVar = "advised"

    shared: ClassVar = ("show", "replay", "play", "match", "check", "engine")

    def add_own_commands(self, group: Commands) -> None:
        from kulami_solver.cli.just4fun import advising, odds, solving

        solving.add_commands(group)
        advising.add_commands(group)
        odds.add_commands(group)

    def add_game_options(self, parser: Parser) -> None:
        for option in self.described.options:
            if option.name in _OPTIONS:
                parser.of_game(option)

    def add_position_options(self, parser: Parser) -> None:
        from kulami_solver.cli.just4fun.positions import add_position_options

        add_position_options(parser)

    def state(self, args: argparse.Namespace) -> State:
        from kulami_solver.cli.just4fun.positions import position_of
        from kulami_solver.just4fun.game import Just4FunGame, Just4FunState

        position = position_of(args)
        # The position is kept as given: a hand may be hidden, and the order of the stock known.
        return Just4FunState(Just4FunGame(position.board, position.colours), position)

    def drawn(self, state: State, color: bool = False, language: str = "en") -> str:
        from kulami_solver.cli.just4fun.positions import drawn

        return drawn(state.position, color, language)

    def told(self, state: State) -> dict[str, Any]:
        position = state.position
        hidden = position.hands[position.seat] is None
        return {
            "line": position.line,
            "hand": position.hand,
            "text": state.drawn(),
            "turn": position.turn,
            "left": dict(zip(position.players, position.left, strict=True)),
            "settled": {str(field): name for field, name in position.settled.items()},
            "scores": position.scores,
            "over": position.is_over,
            "winner": position.winner,
            "moves": None if hidden else [move.to_json() for move in position.legal_moves],
        }

    def add_play_options(self, parser: Parser) -> None:
        from kulami_solver.cli.just4fun.play import add_play_options

        add_play_options(parser)

    def played(self, args: argparse.Namespace, stack: ExitStack) -> PlayedGame:
        from kulami_solver.cli.just4fun.play import played

        return played(args)

    def add_match_options(self, parser: Parser) -> None:
        self.add_game_options(parser)

    def terms(self, args: argparse.Namespace) -> MatchTerms:
        from kulami_solver.bots.just4fun.match import Just4FunTerms
        from kulami_solver.cli.clocks import clock_of

        if "perfect" in (args.one, args.two, *args.more):
            raise CommandError("perfect_no_match")
        return Just4FunTerms(self.game(args), clock=clock_of(args), seed=args.seed)

    def add_check_options(self, parser: Parser) -> None:
        super().add_check_options(parser)
        parser.number("--left", 1, 8, "stones each player may have left at most (3)", 3)
        parser.switch("--hidden", "show the bot no more than a player sees")

    def cases(self, args: argparse.Namespace) -> tuple[type[Case], Sequence[Case]]:
        from kulami_solver.bots.just4fun import Case, draw_cases
        from kulami_solver.cli.asking import drawn

        if args.hidden and "perfect" in (args.bot, *args.more):
            raise CommandError("perfect_not_hidden")
        args.dummy = True
        game = self.game(args)
        cases = draw_cases(game, args.seed, args.positions, args.left)
        return Case, drawn(cases, args.positions)

    def checked(self, record: object, number: int, place: int) -> Any:
        from kulami_solver.just4fun.replay import check_record

        return check_record(record, number)


GAME = Just4FunCommands(
    "just4fun", "Just 4 Fun", "the sibling with cards: solve, odds ...", DETAILS
)
