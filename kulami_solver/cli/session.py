"""A series of questions to a person at the terminal, or to a program at a pipe."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kulami_solver.cli import output
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK
from kulami_solver.cli.language import as_command, of_messages
from kulami_solver.cli.reading import entered
from kulami_solver.errors import Phrase, said


class Session(ABC):
    """A series of questions, and the quality of the answers.

    Attributes:
        json: whether it answers in JSON.
        language: the language of all messages; JSON is never translated.
    """

    def __init__(self, json: bool) -> None:
        self.json: Final = json
        self.language: Final = of_messages(json)

    @property
    @abstractmethod
    def left(self) -> int:
        """The number of questions that are left."""

    @property
    @abstractmethod
    def side(self) -> str:
        """The side to move in the question, for the prompt."""

    @abstractmethod
    def ask(self) -> None:
        """Ask the next question, if there is one."""

    @abstractmethod
    def obey(self, text: str) -> bool:
        """Carry out a typed line, a command in English; return False to leave."""

    @abstractmethod
    def end(self) -> None:
        """Tell the final score."""

    @abstractmethod
    def remaining(self) -> str:
        """Return the words after Ctrl-C."""

    def run(self) -> int:
        """Ask until the person leaves or no question is left; return the exit code."""
        try:
            self.ask()
            typed = entered(lambda: f"{Phrase(self.side).said(self.language)}> ")
            while self.left and self.obey(as_command(next(typed, "quit"), self.language)):
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
        """Print something on stdout: `lines` for people, or `told` in JSON."""
        if self.json:
            output.json_line({"by": by, **told})
        else:
            output.line("\n".join(said(line, self.language) for line in lines))
