"""`kulami play`: a game against any bot, at the terminal or by lines from a pipe."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, seconds
from kulami_solver.cli.bots import BOTS, add_seed_option
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.kulami.drawn import board_text
from kulami_solver.cli.kulami.positions import (
    add_position_options,
    add_scoring_option,
    one_position,
)
from kulami_solver.cli.kulami.solving import guess_words, is_open, move_lines
from kulami_solver.cli.kulami.typed import fields_as_typed
from kulami_solver.cli.playing import Answer, PlayedGame, play_at_terminal
from kulami_solver.kulami.words import margin_words, range_words

if TYPE_CHECKING:
    from kulami_solver.bots.protocol import Player
    from kulami_solver.kulami.game import KulamiState
    from kulami_solver.kulami.solve import Solution


#: What can be typed, for `help`.
WORDS = """\
Type a field, or one of
  values  what every legal field is worth    undo    take your last marble back
  best    play the best field for me         kfn     the position as one line
  board   draw the board again               score   the score as it is now
  help    this list                          quit    leave (or end the input)"""

DETAILS = f"""\
{WORDS}
Leaving says with which options the game goes on. Where values cannot be proved
in the time, best plays a guess, and says so.

{BOTS}
examples
  kulami play
  kulami play --layout rulebook --side black --bot mcts:20000
  kulami play --bot "exec ./my-bot" --time 0.5 --scoring 2
"""

_SIDES = {"red": ("red",), "black": ("black",), "both": ("red", "black")}


def add_commands(commands: Commands) -> None:
    """Add `play`."""
    parser = add_command(commands, "play", run, "play against a bot", DETAILS)
    add_position_options(parser, many=False)
    add_scoring_option(parser)
    parser.add_argument(
        "--side",
        choices=tuple(_SIDES),
        default="red",
        help="yours (red); with both nobody answers",
    )
    parser.add_argument("--bot", metavar="BOT", default="perfect", help="see below (perfect)")
    parser.add_argument(
        "--time",
        metavar="SECONDS",
        type=seconds,
        default=2.0,
        help="most that the bot, best and values may take (2)",
    )
    add_seed_option(parser)


def run(args: argparse.Namespace) -> int:
    """Play a game at the terminal, or by lines from a pipe."""
    from kulami_solver.bots.naming import make_player
    from kulami_solver.bots.overheard import tell_exceptions
    from kulami_solver.kulami.game import state_of

    start = state_of(one_position(args), args.scoring)
    with contextlib.ExitStack() as stack:
        stack.enter_context(tell_exceptions(sys.stderr))
        bot = make_player(args.bot, args.seed, isolated=True)
        stack.callback(bot.close)
        bot.new_game()
        return play_at_terminal(args, _Played(args, start, bot))


class _Played(PlayedGame):
    """A game of Kulami."""

    words = WORDS
    move_word = "field"
    notation_word = "kfn"

    def __init__(self, args: argparse.Namespace, start: KulamiState, bot: Player) -> None:
        super().__init__(_SIDES[args.side])
        self._args = args
        self._states = [start]
        self._bot = bot
        self._known: Solution | None = None
        self._remark = ""
        self.questions = {"values": self._values, "score": self._score}

    @property
    def _state(self) -> KulamiState:
        return self._states[-1]

    @property
    def turn(self) -> str:
        return self._state.position.turn

    @property
    def is_over(self) -> bool:
        from kulami_solver.game import NOBODY

        return self._state.to_move == NOBODY

    @property
    def moves(self) -> int:
        return len(self._states) - 1

    def play(self, move: str) -> str:
        field = fields_as_typed(move)
        self._states.append(self._state.play(field))
        self._remark = ""
        return field

    def answer(self) -> str:
        from kulami_solver.bots.protocol import Clock

        return self.play(self._bot.choose(self._state, Clock(seconds=self._args.time)))

    def best(self) -> str:
        solution = self._solution()
        if solution.best is not None and not is_open(solution):
            return self.play(solution.best)
        guess = guess_words(self._state.position, self._args.scoring)
        field = self.play(guess.partition(" ")[0])
        self._remark = f"a guess: {guess}"
        return field

    def take_back(self, moves: int) -> None:
        del self._states[-moves:]
        self._remark = ""

    def notation(self) -> str:
        return self._state.notation()

    def options(self) -> str:
        args = self._args
        position = self._state.position
        words = ["--kfn", self.notation()]
        told = {
            "--marbles": (position.marbles, 28),
            "--scoring": (args.scoring.value, "0"),
            "--side": (args.side, "red"),
            "--bot": (args.bot, "perfect"),
            "--time": (f"{args.time:g}", "2"),
            "--seed": (args.seed, 0),
        }
        for option, (given, usual) in told.items():
            if given != usual:
                words += [option, str(given)]
        if position.short_end:
            words.append("--short-end")
        return shlex.join(words)

    def drawn(self) -> str:
        lines = [board_text(self._state.position, output.wants_color("auto"))]
        if self._remark:
            lines.append(self._remark)
        if self.is_over:
            lines.append(self._score()[0])
        return "\n".join(lines)

    def told(self) -> dict[str, Any]:
        margin = self._state.returns()[0] if self.is_over else None
        winner = None if not margin else "red" if margin > 0 else "black"
        return {"winner": winner, "margin": margin, "guess": bool(self._remark)}

    def _solution(self) -> Solution:
        """What every legal field is worth, as far as the time allows; found out once."""
        from kulami_solver.kulami.solve import solve

        position = self._state.position
        if self._known is None or self._known.position != position:
            time = self._args.time
            self._known = solve(position, self._args.scoring, time=time, every_move=True)
        return self._known

    def _values(self) -> Answer:
        from kulami_solver.bots.kulami.advice import out_of_reach

        if self.is_over:
            raise CommandError("the game is over: no field is left to be valued")
        solution = self._solution()
        position = solution.position
        known = range_words(solution.lower, solution.upper, position.turn)
        lines = [board_text(position, output.wants_color("auto"), solution.values)]
        lines.append(f"value     {known}")
        if is_open(solution):
            lines.append(f"guess     {guess_words(position, self._args.scoring)}")
            reach = out_of_reach(position, self._args.scoring)
            if reach is not None:
                lines.append(f"          {reach}")
        return "\n".join((*lines, *move_lines(solution))), solution.to_json()

    def _score(self) -> Answer:
        score = self._state.position.score(self._args.scoring)
        words = f"red {score.red}, black {score.black}"
        if self.is_over:
            words += f": {margin_words(score.margin, 'red')}"
        return words, {"red": score.red, "black": score.black, "margin": score.margin}
