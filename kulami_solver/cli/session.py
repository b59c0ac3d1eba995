"""A person at the terminal, or a program at a pipe: the language, typed lines, and questions."""

from __future__ import annotations

import contextlib
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from kulami_solver.cli import output
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK
from kulami_solver.cli.reading import LINE_LIMIT, text_lines
from kulami_solver.errors import Phrase, catalogue, said

_LANGUAGES: Final = ("en", "de", "fr", "es", "nl")
_PLAIN: Final = ("C", "POSIX")


def as_command(text: str, language: str) -> str:
    """Return the command that a typed word of a language stands for; any other text unchanged.

    Examples:
        >>> as_command("Hilfe", "de"), as_command("help", "de"), as_command("q", "en")
        ('help', 'help', 'quit')
    """
    pairs = " ".join(catalogue(name)["typed_words"] for name in ("en", language)).split()
    return dict(pair.split("=") for pair in pairs).get(text.strip().lower(), text)


def of_messages(json: bool) -> str:
    """Return the language of a command's messages to people: English with --json."""
    return "en" if json else spoken()


def spoken(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language asked for, English if it is none of ours.

    LANGUAGE names several languages, of which the first known one counts. Next comes the first of
    LC_ALL, LC_MESSAGES and LANG that is set. If that is the locale C, as in scripts, the language
    is English.

    Examples:
        >>> spoken({"LANG": "de_AT.UTF-8"}), spoken({"LANGUAGE": "pt:fr_CA:de", "LANG": "es_ES"})
        ('de', 'fr')
        >>> spoken({"LC_ALL": "C", "LANGUAGE": "de"}), spoken({"LANG": "pt_BR"}), spoken({})
        ('en', 'en', 'en')
    """
    set_ones = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, set_ones), "")
    if locale in _PLAIN:
        return "en"
    asked = (environment.get("LANGUAGE") or locale).split(":")
    names = (name.partition(".")[0].partition("_")[0].lower() for name in asked)
    return next((name for name in names if name in _LANGUAGES), "en")


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
        language: the language of all messages.
        commands: what can be typed besides answers, and `quit`.
    """

    help_code: ClassVar[str]

    def __init__(self, json: bool, questions: Sequence[Any], place: int = 0) -> None:
        self.json: Final = json
        self.language: Final = of_messages(json)
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
            typed = entered(lambda: f"{Phrase(self.side).said(self.language)}> ")
            while self.left:
                text = as_command(next(typed, "quit"), self.language)
                command = text.lower()
                if command == "quit":
                    break
                if command in self.commands:
                    self.commands[command]()
                elif text:
                    self.answered(text)
        except KeyboardInterrupt:
            self.end()
            self.message("interrupted", self.remaining())
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

    def message(self, kind: str, text: object) -> None:
        """Say something on stderr; `kind` has a word in every language."""
        output.message(kind, text, self.language)

    def say(self, by: str, lines: Sequence[str], told: Mapping[str, Any]) -> None:
        """Print something on stdout: `lines` for people, or `told` in JSON."""
        if self.json:
            output.json_line({"by": by, **told})
        else:
            output.line("\n".join(said(line, self.language) for line in lines))
