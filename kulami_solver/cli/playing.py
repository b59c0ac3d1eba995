"""A game against a bot at the terminal, or by lines from a pipe: what all games share.

    a move             play it; the other side answers
    best               have the best move played
    undo               take back the last move of one's own, and the answer
    board, NOTATION    show where the game stands; the position as one line
    help, quit         and what a game can be asked besides, such as `values`

With --json every line that comes out is an object; `by` says who has moved, or what was asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kulami_solver.cli import output
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.cli.reading import LINE_LIMIT, text_lines
from kulami_solver.core.sides import other_side
from kulami_solver.errors import KulamiError

__all__ = ["PlayedGame", "play_at_terminal"]

#: A question's answer, as text and as JSON.
Answer = tuple[str, Mapping[str, Any]]


class PlayedGame(ABC):
    """A game between red and black as it goes on.

    Attributes:
        sides: those that whoever types plays.
        words: what can be typed, for `help`.
        move_word: what the game calls a move.
        notation_word: what it calls a position written as one line.
        questions: what can be asked about the position besides; by name, what answers.
    """

    words: str
    move_word: str
    notation_word: str
    questions: Mapping[str, Callable[[], Answer]]

    def __init__(self, sides: tuple[str, ...]) -> None:
        self.sides = sides

    @property
    @abstractmethod
    def turn(self) -> str:
        """The side to move, or that could not move at the end."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the game is over."""

    @property
    @abstractmethod
    def moves(self) -> int:
        """How many moves have been played."""

    @abstractmethod
    def play(self, move: str) -> str:
        """Play what was typed, and return it as the game writes it.

        Raises:
            KulamiError: if it is no legal move.
        """

    @abstractmethod
    def answer(self) -> str:
        """Play a move for the side to move, and return it."""

    @abstractmethod
    def best(self) -> str:
        """Play the best move that can be found, and return it."""

    @abstractmethod
    def take_back(self, moves: int) -> None:
        """Take back so many moves; there are as many."""

    @abstractmethod
    def notation(self) -> str:
        """Return the position as one line."""

    @abstractmethod
    def options(self) -> str:
        """Return the options of the command that begin where the game stands."""

    @abstractmethod
    def drawn(self) -> str:
        """Return the board, and below it what else is to be said."""

    @abstractmethod
    def told(self) -> dict[str, Any]:
        """Return what JSON says of the position, besides its notation."""


def play_at_terminal(args: argparse.Namespace, game: PlayedGame) -> int:
    """Play until somebody leaves, and say how to go on from there.

    Args:
        args: whether to answer in `json`.
        game: at its beginning.

    Returns:
        The exit code.

    Raises:
        KulamiError: if the bot cannot go on; how to go on without it has been said.
    """
    table = _Table(args.json, game)
    try:
        table.play()
    except KeyboardInterrupt:
        output.message("interrupted", f"go on with {game.options()}")
        return EXIT_INTERRUPTED
    except KulamiError:
        if game.moves and not game.is_over:
            output.message("note", f"go on with {game.options()}")
        raise
    return EXIT_OK


class _Table:
    """Where a game is played: it takes what is typed and says what happens."""

    def __init__(self, json: bool, game: PlayedGame) -> None:
        self._json = json
        self._game = game

    def play(self) -> None:
        """Play until somebody leaves."""
        game = self._game
        if self._json:
            self._tell(None, "start")
        else:
            output.line(game.drawn())
        entered = _entered(lambda: f"{game.turn}> ")
        while True:
            if not game.is_over and game.turn not in game.sides:
                self._tell(game.answer(), "computer")
                continue
            text = next(entered, "quit")
            try:
                if not self._obey(text):
                    return
            except (CommandError, KulamiError) as error:
                output.error(str(error))

    def _obey(self, text: str) -> bool:
        """Do what was entered; False to leave."""
        game = self._game
        asked = text.lower()
        if asked in ("quit", "exit", "q"):
            if not self._json and not game.is_over:
                output.line(f"to go on: {game.options()}")
            return False
        if asked in ("help", "?"):
            self._say(game.words, {"help": game.words})
        elif asked in ("board", game.notation_word) and self._json:
            self._tell(None, asked)
        elif asked == "board":
            output.line(game.drawn())
        elif asked == game.notation_word:
            output.line(game.notation())
        elif asked in game.questions:
            self._say(*game.questions[asked]())
        elif asked == "undo":
            self._undo()
        elif asked == "best" and not game.is_over:
            self._tell(game.best(), "best")
        elif asked and asked != "best":
            self._tell(game.play(text), "you")
        return True

    def _undo(self) -> None:
        """Take moves back until it was the turn of whoever types."""
        game = self._game
        back = 2 if game.turn in game.sides and len(game.sides) == 1 else 1
        if game.moves < back:
            raise CommandError(f"there is no {game.move_word} of yours to take back")
        game.take_back(back)
        self._tell(None, "undo")

    def _say(self, text: str, answer: Mapping[str, Any]) -> None:
        if self._json:
            output.json_line(answer)
        else:
            output.line(text)

    def _tell(self, move: str | None, by: str) -> None:
        """Say what has happened, and what has become of the position."""
        game = self._game
        if self._json:
            named = {game.move_word: move, game.notation_word: game.notation()}
            output.json_line({"by": by, **named, "over": game.is_over, **game.told()})
            return
        if by in ("computer", "best"):
            output.line(f"{other_side(game.turn)}: {move}")
        output.line(game.drawn())


def _entered(prompt: Callable[[], str]) -> Iterator[str]:
    """What a person types, or the lines of a pipe."""
    if output.is_terminal(sys.stdin) and output.is_terminal(sys.stdout):
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (input() has a history with it)
        with contextlib.suppress(EOFError):
            while True:
                yield input(prompt()).strip()
        return
    yield from text_lines("standard input", "-", LINE_LIMIT)
