"""`kulami play`: a game against any bot."""

from __future__ import annotations

import argparse
import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, Parser
from kulami_solver.cli.kulami.games import GAME
from kulami_solver.cli.kulami.positions import board_text, fields_as_typed, one_game
from kulami_solver.cli.kulami.solving import guess_words, is_open, move_lines
from kulami_solver.cli.output import CommandError
from kulami_solver.cli.play import PlayedGame, Reply, Valued, add_play, seated

if TYPE_CHECKING:
    from kulami_solver.bots.protocol import Player
    from kulami_solver.kulami.drawing.render import Values
    from kulami_solver.kulami.game import KulamiState


_SIDES = {"red": ("red",), "black": ("black",), "both": ("red", "black")}


def add_commands(commands: Commands) -> None:
    """Add `play`."""
    add_play(commands, GAME)


def add_play_options(parser: Parser) -> None:
    """Add the options for the side that is played, and for the bot."""
    parser.choice("--side", tuple(_SIDES), "yours (red); with both nobody answers", "red")
    who = parser.one_of()
    who.value("--bot", "BOT", "see below (master)", default="master")
    who.number("--level", 1, 8, "how well it plays: 1, a beginner, to 8, master")
    parser.seconds("--time", "most that the bot, best and values may take (2)", 2.0)
    parser.seed()


def game_played(args: argparse.Namespace, stack: contextlib.ExitStack) -> PlayedGame:
    """Return the game."""
    from kulami_solver.kulami.game import state_of

    start, opening = one_game(args)
    name = args.bot if args.level is None else f"level:{args.level}"
    bot = seated(GAME, name, args.seed, stack)
    return _Played(args, state_of(start.play_all(opening), args.scoring), bot, start)


class _Played(PlayedGame):
    """A game of Kulami."""

    move_word: ClassVar = "field"
    notation_word: ClassVar = "kfn"
    covered: ClassVar = ("kfn", "layout", "hagen", "kbn", "moves", "first", "turn", "last")

    def __init__(
        self, args: argparse.Namespace, start: KulamiState, bot: Player, begun: ks.Position
    ) -> None:
        from kulami_solver.bots.protocol import Clock

        clock = Clock(seconds=args.time)
        super().__init__(args, start, _SIDES[args.side], partial(bot.choose, clock=clock))
        self.opponent = bot.name
        self._begun = begun  # before --moves
        self._valued = Valued((), args.time)
        self._guess = ""
        self.questions = {"values": self._values, "score": self._score}

    typed = staticmethod(fields_as_typed)

    def play(self, text: str) -> str:
        self._guess = ""
        return super().play(text)

    def take_back(self, moves: int) -> None:
        self._guess = ""
        super().take_back(moves)

    def best(self) -> str:
        solution = self._solution()
        if solution.best is not None and not is_open(solution):
            return self.play(solution.best)
        guess = guess_words(self.state.position, self.args.scoring)
        field = self.play(guess.partition(" ")[0])
        self._guess = f"a guess: {guess}"
        return field

    def position_words(self) -> list[str]:
        return ["--kfn", self.notation()]

    def record(self) -> dict[str, Any]:
        fields = fields_as_typed(" ".join(self.played))
        return ks.GameRecord.played(self._begun, fields, self.args.scoring).to_json() | self.players

    def drawn(self) -> str:
        lines = [self._board_text()]
        if self._guess:
            lines.append(self._guess)
        if self.is_over:
            lines.append(self._score()[0])
        return "\n".join(lines)

    def _board_text(self, values: Values | None = None) -> str:
        color = output.wants_color("auto")
        return board_text(self.state.position, color, values=values)

    def told(self, player: str | None) -> dict[str, Any]:
        margin = self.state.returns()[0] if self.is_over else None
        return {"winner": self.winner, "margin": margin, "guess": bool(self._guess)}

    def _solution(self) -> ks.Solution:
        """The values of all legal fields, as far as the time allows."""
        solution: ks.Solution = self._valued.answer(ks.game.Question(self.state))
        return solution

    def _values(self) -> Reply:
        from kulami_solver.bots.kulami.builtin import out_of_reach

        if self.is_over:
            raise CommandError("the game is over: no field is left to be valued")
        solution = self._solution()
        position = solution.position
        known = f"value     {solution.words()}"
        lines = [self._board_text(solution.values), known]
        if is_open(solution):
            guess = guess_words(position, self.args.scoring)
            lines.append(f"guess     {guess}")
            reach = out_of_reach(position, self.args.scoring)
            if reach is not None:
                lines.append(f"{'':<10}{reach}")
        lines += move_lines(solution)
        return "\n".join(lines), solution.to_json()

    def _score(self) -> Reply:
        from kulami_solver.kulami.position.scoring import margin_words

        score = self.state.position.score(self.args.scoring)
        points = {"red": score.red, "black": score.black}
        words = f"red {score.red}, black {score.black}"
        if self.is_over:
            words += f": {margin_words(score.margin, 'red')}"
        return words, {**points, "margin": score.margin}
