"""Guess the move: going through a recorded game from one side, `grade GAME --guess SIDE`.

a move             the guess; the answer is its value, and the move of the game
next               the next position, without a guess
board              draw it again
help, quit

The questions begin with the first position whose exact values are known, and skip positions without
a choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kulami_solver.cli import output
from kulami_solver.cli.ending import CommandError
from kulami_solver.cli.game import GameCommands
from kulami_solver.cli.session import Session
from kulami_solver.errors import KulamiError, Phrase

if TYPE_CHECKING:
    from kulami_solver.bots.grade import Grade, GradedMove


def guess_moves(game: GameCommands, found: Grade, side: str, json: bool) -> int:
    """Ask for the moves of a side until somebody leaves or none is left.

    Args:
        game: the game that is played.
        found: the graded game.
        side: the seat whose moves are guessed.
        json: whether to answer in JSON.

    Returns:
        The exit code.

    Raises:
        CommandError: if nobody has such a seat, or the side has no move to guess.
    """
    seats = found.begun.game.seats
    if side not in seats:
        raise CommandError("guess_nobody", side=side, players=seats)
    asked = [move for move in found.moves if move.colour == side and len(move.case.values) > 1]
    if not asked:
        raise CommandError("guess_nothing", side=side)
    return _Guesses(game, asked, len(found.played), json).run()


class _Guesses(Session):
    """The moves that somebody guesses, with the score.

    Args:
        game: the game that is played.
        asked: the moves.
        plies: the plies of the whole game.
        json: whether to answer in JSON.
    """

    def __init__(self, game: GameCommands, asked: list[GradedMove], plies: int, json: bool) -> None:
        super().__init__(json)
        self._game = game
        self._moves = asked
        self._plies = plies
        self._left = len(asked)
        self._told = dict.fromkeys(("guessed", "best", "lost", "game_best", "game_lost"), 0)

    @property
    def _move(self) -> GradedMove:
        return self._moves[-self._left]

    @property
    def left(self) -> int:
        return self._left

    @property
    def side(self) -> str:
        return self._move.colour

    def remaining(self) -> str:
        return Phrase("moves_left", count=self._left)

    def end(self) -> None:
        from kulami_solver.bots.case import json_number

        told = {key: json_number(number) for key, number in self._told.items()}
        self.say("end", [Phrase("guesses_ended", **told)], told)

    def ask(self) -> None:
        if not self._left:
            return
        move = self._move
        words = Phrase("guess_asked", ply=move.ply, count=self._plies, side=move.colour)
        told = {"ply": move.ply, "colour": move.colour, "position": move.case.state.notation()}
        self.say("position", [self._board(), words], told)

    def _board(self) -> str:
        state, color = self._move.case.state, output.wants_color("auto")
        return self._game.drawn(state, color, self.language)

    def obey(self, text: str) -> bool:
        asked = text.lower()
        if asked == "quit":
            return False
        if asked == "help":
            words = Phrase("typed_guesses")
            self.say("help", [words], {"help": words})
        elif asked == "board":
            self.say("board", [self._board()], {"position": self._move.case.state.notation()})
        elif asked == "next":
            self._go_on()
        elif asked:
            self._guess(asked)
        return True

    def _guess(self, text: str) -> None:
        from kulami_solver.bots.case import json_number

        move = self._move
        values = move.case.values
        try:
            guess = move.case.state.move_of(text)
        except KulamiError as error:
            self.message("error", error)
            return
        cost = move.case.best - values[guess]
        for key, more in {
            "guessed": 1,
            "best": cost == 0,
            "lost": cost,
            "game_best": move.cost == 0,
            "game_lost": move.cost,
        }.items():
            self._told[key] += more  # type: ignore[assignment]
        best = " ".join(move.case.best_moves)
        lines = [
            Phrase("guess_wrong" if cost else "guess_right", worth=self._worth(guess)),
            Phrase("guess_same")
            if guess == move.played
            else Phrase("guess_game", worth=self._worth(move.played)),
        ]
        if cost and move.cost:
            lines.append(Phrase("guess_best", moves=best))
        unit = move.case.unit
        told = {"guess": guess, f"guess_{unit}": json_number(values[guess])}
        self.say("you", lines, {**told, "guess_cost": json_number(cost), **move.to_json()})
        self._go_on()

    def _worth(self, move: str) -> Phrase:
        """A move and its value for the side that makes it."""
        from kulami_solver.bots.case import outcome, signed

        value = self._move.case.values[move]
        ends = Phrase(outcome(value))
        if self._game.margins:
            return Phrase("move_by", move=move, outcome=ends, margin=signed(value))
        return Phrase("move_outcome", move=move, outcome=ends)

    def _go_on(self) -> None:
        self._left -= 1
        self.ask()
