"""A person at the terminal, or a program at a pipe: the language, typed lines, and questions."""

from __future__ import annotations

import contextlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from kulami_solver.cli import output
from kulami_solver.cli.output import EXIT_INTERRUPTED, EXIT_OK
from kulami_solver.cli.reading import LINE_LIMIT, text_lines
from kulami_solver.errors import Phrase, catalogue, said, spoken


def as_command(text: str) -> str:
    """Return the command that a word of the spoken language stands for; other texts unchanged.

    Examples:
        >>> from kulami_solver.errors import speaking
        >>> with speaking("de"):
        ...     as_command("Hilfe"), as_command("help"), as_command("q")
        ('help', 'help', 'quit')
    """
    pairs = " ".join(catalogue(name)["typed_words"] for name in ("en", spoken())).split()
    return dict(pair.split("=") for pair in pairs).get(text.strip().lower(), text)


def entered(prompt: Callable[[], str]) -> Iterator[str]:
    """The lines that a person types, or the lines of a pipe."""
    if output.is_terminal(sys.stdin) and output.is_terminal(sys.stdout):
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (gives input() a history)
        with contextlib.suppress(EOFError):
            while True:
                yield input(prompt()).strip()
        return
    yield from text_lines("standard input", "-", LINE_LIMIT, "one move or command")


class Session(ABC):
    """A series of questions, and the quality of the answers.

    Args:
        json: whether it answers in JSON, which is never translated.
        questions: all of them.
        place: the place of the first question to be asked.

    Attributes:
        help_code: the code of the answer to `help`.
        commands: what can be typed besides answers, and `quit`.
    """

    help_code: ClassVar[str]

    def __init__(self, json: bool, questions: Sequence[Any], place: int = 0) -> None:
        self.json: Final = json
        self.questions: Final = questions
        self.place = place
        self.commands: dict[str, Callable[[], object]] = {"help": self._help, "next": self.go_on}

    @property
    def left(self) -> int:
        """The number of questions that are left."""
        return len(self.questions) - self.place

    @property
    def question(self) -> Any:
        """The question that is asked now."""
        return self.questions[self.place]

    @property
    @abstractmethod
    def side(self) -> str:
        """The side to move in the question, for the prompt."""

    @abstractmethod
    def ask(self) -> None:
        """Ask the question."""

    @abstractmethod
    def answered(self, text: str) -> None:
        """Judge a typed answer."""

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
            typed = entered(lambda: f"{Phrase(self.side).said()}> ")
            while self.left:
                text = as_command(next(typed, "quit"))
                command = text.lower()
                if command == "quit":
                    break
                if command in self.commands:
                    self.commands[command]()
                elif text:
                    self.answered(text)
        except KeyboardInterrupt:
            self.end()
            output.message("interrupted", self.remaining())
            return EXIT_INTERRUPTED
        self.end()
        return EXIT_OK

    def go_on(self) -> None:
        """Ask the next question, if there is one."""
        self.place += 1
        if self.left:
            self.ask()

    def _help(self) -> None:
        words = Phrase(self.help_code)
        self.say("help", [words], {"help": words})

    def say(self, by: str, lines: Sequence[str], told: Mapping[str, Any]) -> None:
        """Print something on stdout: `lines` for people, or `told` in JSON."""
        if self.json:
            output.json_line({"by": by, **told})
        else:
            output.line("\n".join(map(said, lines)))
