"""`kulami malawi play`: a game against perfect play."""

from __future__ import annotations

import argparse
import contextlib
from typing import TYPE_CHECKING, Any, ClassVar

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Parser
from kulami_solver.cli.databases import sound_source
from kulami_solver.cli.malawi import GAME, board_text
from kulami_solver.cli.malawi.solving import turn_lines
from kulami_solver.cli.output import CommandError
from kulami_solver.cli.play import PlayedGame, Reply, Valued

if TYPE_CHECKING:
    from kulami_solver.malawi.game import MalawiState


def add_play_options(command: Parser) -> None:
    """Add the options for the side that is played, and for the other side's player."""
    command.choice("--side", ("red", "black"), "yours (red)", "red")
    command.file("--database", "play perfectly by this file", "DB")
    command.seconds("--time", "without a database, search so long for an answer (2)", 2.0)
    command.number("--seed", 0, 10**18, "of the choice between turns that are equally good (0)", 0)


def game_played(args: argparse.Namespace, stack: contextlib.ExitStack) -> PlayedGame:
    """Return the game."""
    start = GAME.state(args)
    return _Played(args, start, _solver(args, stack, start))


def _solver(args: argparse.Namespace, stack: contextlib.ExitStack, state: MalawiState) -> Valued:
    """Return the source of the values of a position's turns."""
    start = state.position
    database = None
    if args.database is not None:
        database = sound_source(stack, args.database, "database", "malawi")
    if database is not None:
        if (start.columns, start.rows) != (database.board.columns, database.board.rows):
            raise CommandError(
                f"--database: {args.database} is of a board of {database.board}, the game is on "
                f"{start.columns}x{start.rows}; name a database of that board, or none"
            )
        known = database.answer(ks.game.Question(state))
        if known is None and database.fault is None:
            output.message(
                "note",
                f"{args.database} does not hold {start.mfn()}; where it holds nothing, turns are "
                f"searched for {args.time:g} s",
            )

    return Valued(() if database is None else (database,), args.time)


class _Played(PlayedGame):
    """A game of Malawi."""

    move_word: ClassVar = "turn"
    notation_word: ClassVar = "mfn"
    covered: ClassVar = ("board", "beads", "mfn", "turns")

    def __init__(self, args: argparse.Namespace, start: MalawiState, valued: Valued) -> None:
        from kulami_solver.bots.malawi.builtin import Perfect

        bot = Perfect((valued,), seed=args.seed)
        super().__init__(args, start, (args.side,), lambda state: bot.choose(state.position))
        self.opponent = "perfect"
        self._valued = valued
        self.questions = dict.fromkeys(("turns", "moves", "values"), self._values)

    @property
    def _before(self) -> tuple[ks.malawi.Position, ...]:
        """The earlier positions of the game, including those before the first state."""
        before: tuple[ks.malawi.Position, ...] = self.state.before  # type: ignore[attr-defined]
        return before

    def typed(self, text: str) -> str:
        return GAME.as_typed(text)

    @property
    def played(self) -> list[str]:
        return [*GAME.played_before(self.args), *(turn for turn, _ in self.turns)]

    def position_words(self) -> list[str]:
        # From the beginning on: earlier positions decide whether the game is a draw by repetition.
        first, *later = *self._before, self.state.position
        return ["--mfn", first.mfn(), *(["--turns", " ".join(self.played)] if later else [])]

    def record(self) -> dict[str, Any]:
        from kulami_solver.malawi.replay import record_of

        first, *_ = *self._before, self.state.position
        board = self.state.game.board  # type: ignore[attr-defined]
        return {**record_of(board, first, self.played), **self.ended, **self.players}

    def drawn(self) -> str:
        board = board_text(self.state.position, output.wants_color("auto"))
        if self.is_over and not self.state.position.is_over:
            third = "this has come up three times: the game is a draw"
            return f"{board}\n{third}"
        return board

    def told(self, player: str | None) -> dict[str, Any]:
        return {"winner": self.winner, "repetitions": self._before.count(self.state.position) + 1}

    def _values(self) -> Reply:
        solution = self._valued.answer(ks.game.Question(self.state))
        return "\n".join(turn_lines(solution)), solution.to_json()
