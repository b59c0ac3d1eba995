"""`kulami just4fun ...`: Just 4 Fun's part of the commands of all games.

solving     solve, expect, advise
play        a game at the terminal
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Parser, clock_of
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.output import CommandError, refused_at
from kulami_solver.cli.results import input_lines
from kulami_solver.errors import NotationError

if TYPE_CHECKING:
    from kulami_solver.bots.case import Case
    from kulami_solver.bots.match import MatchTerms
    from kulami_solver.cli.game import ReadGame

_OPTIONS = ("board", "stones", "line", "hand")  # the options of a game for two

#: A position as text.
board_text = partial(output.board_text, "kulami_solver.just4fun.render")


class Just4FunCommands(GameCommands):
    """The parts of Just 4 Fun that the commands need."""

    usual_engine: ClassVar = "advised"
    opening: ClassVar = None
    board_text: ClassVar = staticmethod(board_text)
    shared: ClassVar = (
        *("show", "moves", "solve", "score", "replay", "play", "match", "check", "engine"),
    )

    @property
    def options(self) -> list[ks.game.Option]:
        return [option for option in self.described.options if option.name in _OPTIONS]

    def add_position_options(
        self, parser: Parser, *, many: bool = False, required: bool = False
    ) -> None:
        group = parser.group("the position")
        source = group.one_of(required=required)
        source.value("--position", "TEXT", "'BOARD STONES LEFT TURN HANDS STOCK DISCARDS'")
        words = "the start of a game, dealt from the whole deck"
        source.number("--deal", 0, 10**18, words, metavar="SEED")
        if many:
            source.input("position")
        group.value("--board", "TEXT", "with --deal: 2006 (default), 3x3, 1,2/4,3")
        group.value("--players", "LETTERS", "with --deal: two to four of rbgy, in order (rb)")
        group.number("--stones", 1, 20, "with --deal: of each player (20)")
        group.number("--line", 1, 64, "fields in a row that win (4)")
        group.number("--hand", 1, 12, "cards of a hand (4)")
        group.value("--moves", "MOVES", "played from there: '12=5+7 4=4'")

    def position(self, args: argparse.Namespace) -> ks.just4fun.Position:
        """Return the position of --position or --deal, after --moves."""
        if args.position is None and args.deal is None:
            args.deal = 0
        _refuse_contradictions(args)
        with refused_at("--position" if args.deal is None else "--deal"):
            start = _read(args, args.position) if args.deal is None else _dealt(args)
        with refused_at("--moves"):
            return start.play_all(args.moves or "")

    def positions(self, args: argparse.Namespace) -> Iterator[ks.just4fun.Position]:
        """Yield the position that the options give, or the positions of --input as they are read.

        Raises:
            CommandError: the options contradict each other or do not give a valid position.
        """
        if args.input is None:
            yield self.position(args)
            return
        _refuse_contradictions(args)

        def read(line: str) -> ks.just4fun.Position:
            return _read(args, line).play_all(args.moves or "")

        yield from filter(None, input_lines(args, read, output.json_line))

    def state(self, args: argparse.Namespace) -> ks.game.State:
        from kulami_solver.just4fun.game import state_of

        return state_of(self.position(args))

    def told(self, state: ks.game.State) -> dict[str, Any]:
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

    def terms(self, args: argparse.Namespace) -> MatchTerms:
        from kulami_solver.bots.description import described
        from kulami_solver.bots.just4fun.match import Just4FunTerms

        if described("perfect") in args.bots:
            raise CommandError(
                "perfect has to see all cards and plays no match; let advised play, or ask for a "
                "check"
            )
        return Just4FunTerms(self.game(args), clock=clock_of(args), seed=args.seed)

    def add_check_options(self, parser: Parser) -> None:
        super().add_check_options(parser)
        parser.number("--left", 1, 8, "stones each player may have left at most (3)", 3)
        parser.switch("--hidden", "show the bot no more than a player sees")

    def cases(self, args: argparse.Namespace) -> tuple[type[Case], Sequence[Case]]:
        from kulami_solver.bots.description import described
        from kulami_solver.bots.just4fun import Case, draw_cases

        if args.hidden and described("perfect") in args.bots:
            raise CommandError("perfect has to see all cards: leave out --hidden")
        args.dummy = True
        cases = draw_cases(self.game(args), args.seed, args.positions, args.left)
        return Case, self.solved(cases, args.positions)

    def has_record(self, record: Mapping[str, Any]) -> bool:
        return "draws" in record

    def read_record(self, record: Any, number: int, place: int) -> ReadGame:
        """As for every game; the cards that are drawn after a move are moves of chance."""
        verdict = self.checked(record, number, place)
        if not verdict.agrees:
            raise NotationError(f"game {place}: {verdict.reason}")
        drawn = zip(record["moves"], record["draws"], strict=True)
        moves = [word for move, cards in drawn for word in (move, *map(str, cards))]
        board = record["start"].split()[0]
        return super().read_record({**record, "board": board, "moves": moves}, number, place)

    def checked(self, record: object, number: int, place: int) -> Any:
        from kulami_solver.just4fun.replay import check_record

        return check_record(record, number)


def _refuse_contradictions(args: argparse.Namespace) -> None:
    if args.deal is None:
        for option in ("board", "players", "stones"):
            if getattr(args, option) is not None:
                raise CommandError(f"--{option} goes with --deal; a position has its own")


def _read(args: argparse.Namespace, text: str) -> ks.just4fun.Position:
    return ks.just4fun.Position.from_jfn(text, line=args.line or 4, hand=args.hand or 4)


def _dealt(args: argparse.Namespace) -> ks.just4fun.Position:
    names = ("players", "stones", "line", "hand")
    given = {name: vars(args)[name] for name in names if vars(args)[name] is not None}
    with refused_at("--board"):
        board = ks.just4fun.Board.parse("2006" if args.board is None else args.board)
    return ks.just4fun.deal(board, args.deal, **given)


GAME = Just4FunCommands("just4fun", "Just 4 Fun", "the sibling with cards: solve, advise ...")
