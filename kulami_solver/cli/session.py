"""Somebody at the terminal, or a program at a pipe, who is asked one thing after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kulami_solver.cli import output
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK
from kulami_solver.cli.language import of_messages
from kulami_solver.cli.reading import entered
from kulami_solver.errors import Phrase, said


class Session(ABC):
    """What is asked, and how well it is answered.

    Attributes:
        json: whether it answers in JSON.
        language: in which all is said; JSON is never translated.
    """

    def __init__(self, json: bool) -> None:
        self.json: Final = json
        self.language: Final = of_messages(json)

    @property
    @abstractmethod
    def left(self) -> int:
        """How much is still to be asked."""

    @property
    @abstractmethod
    def side(self) -> str:
        """The side to move in what is asked, for the prompt."""

    @abstractmethod
    def ask(self) -> None:
        """Ask the next, if there is one."""

    @abstractmethod
    def obey(self, text: str) -> bool:
        """Do what was entered; False to leave."""

    @abstractmethod
    def end(self) -> None:
        """Say how it went."""

    @abstractmethod
    def remaining(self) -> str:
        """Return what is said after Ctrl-C."""

    def run(self) -> int:
        """Ask until somebody leaves or nothing is left; the exit code."""
        try:
            self.ask()
            typed = entered(lambda: f"{Phrase(self.side).said(self.language)}> ")
            while self.left and self.obey(next(typed, "quit")):
                pass
        except KeyboardInterrupt:
            self.end()
            self.message("interrupted", self.remaining())
            return EXIT_INTERRUPTED
        self.end()
        return EXIT_OK

    def message(self, kind: str, text: object) -> None:
        """Say something on stderr; `kind` has a word in every language."""
        output.message(kind, text, self.language)

    def say(self, by: str, lines: Sequence[str], told: Mapping[str, Any]) -> None:
        """Say something on stdout: lines to read, or what JSON has of it."""
        if self.json:
            output.json_line({"by": by, **told})
        else:
            output.line("\n".join(said(line, self.language) for line in lines))
