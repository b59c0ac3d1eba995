"""The output of a Python bot, and the place of its failure, for the bot's author.

In `kulami engine`, where UGI has stdout, the output of a Python bot goes to stderr, each line after
the bot's name and without cursor moves, and so does the traceback of an exception that it raises:

    mine:Bot| looking at d4
    mine:Bot| Traceback (most recent call last):
    mine:Bot|   File "mine.py", line 9, in choose
    mine:Bot|     return self.best[position]
    mine:Bot| KeyError: ...
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final, TextIO

from ..errors import KulamiError, harmless
from .protocol import BotError, Player

FRAMES: Final = 10
"""How many frames of a traceback are kept, the last ones."""

SHOWN: Final = 30
"""How many lines a fault brings with it, the last ones."""

_OWN: Final = ("kulami_solver.bots.naming", "kulami_solver.bots.protocol", "importlib")


def exception_lines(error: BaseException) -> tuple[str, ...]:
    """Return the traceback of a bot's exception, from the bot's own code on.

    Examples:
        >>> try:
        ...     [][1]
        ... except IndexError as error:
        ...     exception_lines(error)[-1]
        'IndexError: list index out of range'
    """
    trace = error.__traceback__
    while trace is not None:
        if not str(trace.tb_frame.f_globals.get("__name__")).startswith(_OWN):
            break
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace, limit=-FRAMES)
    return tuple("".join(lines).splitlines())


def places_of(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the lines of a traceback that name its places.

    Two with the same places show the same fault, even if the exceptions name different positions.
    """
    return tuple(line for line in lines if line.startswith("  File "))


def failure_lines(player: Player, error: Exception) -> tuple[str, ...]:
    """Return where a bot failed, if known: a traceback, or a program's last lines."""
    if isinstance(error, BotError) and error.details:
        lines = error.details
    elif error.__cause__ is not None:
        lines = exception_lines(error.__cause__)[-SHOWN:]
    else:
        lines = tuple(getattr(player.bot, "hear_out", tuple)())  # of an `Engine`
    return tuple(spoken(lines).splitlines())


def traceback_of(error: BaseException) -> tuple[str, ...]:
    """Return the traceback of what a bot has raised; none of a fault without an exception.

    Args:
        error: the exception, or the `BotError` that it has become.
    """
    cause = error.__cause__ if isinstance(error, KulamiError) else error
    return () if cause is None else exception_lines(cause)


def spoken(lines: Iterable[str], name: str = "") -> str:
    """Return a bot's words for a terminal, line by line, each after its name if that is given."""
    before = f"{name}| " if name else ""
    return "".join(f"{harmless(before + line.expandtabs(), lines=False)}\n" for line in lines)


def show(*lines: str, name: str = "") -> None:
    """Write a bot's words to stderr, if there is one, as `told` returns them."""
    # A full disk or a missing reader is not the bot's fault.
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(spoken(lines, name))
            sys.stderr.flush()


class NamedLines(io.TextIOBase):
    """A stream that writes each complete line, after a name, to another stream.

    Examples:
        >>> import sys
        >>> with NamedLines("bot", sys.stdout) as said:
        ...     print("one", "two", sep="\\n  ", file=said)
        bot| one
        bot|   two
    """

    def __init__(self, name: str, stream: TextIO | None) -> None:
        self._name = name
        self._stream = stream
        self._begun = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Write the complete lines, and keep the rest."""
        *lines, self._begun = (self._begun + text).split("\n")
        if lines and self._stream is not None:
            # In one piece, so that lines of several threads do not mix. A full disk or a missing
            # reader is not the bot's fault.
            with contextlib.suppress(OSError):
                self._stream.write(spoken(lines, self._name))
                self._stream.flush()
        return len(text)

    def fileno(self) -> int:
        """The file of the other stream, for programs that the bot starts."""
        if self._stream is None:
            raise io.UnsupportedOperation("there is no stderr")
        return self._stream.fileno()

    def close(self) -> None:
        """Write the last line even if it has no end."""
        if self._begun:
            self.write("\n")
        super().close()


@contextlib.contextmanager
def set_apart(stdin: TextIO, stdout: TextIO) -> Iterator[tuple[BinaryIO, TextIO]]:
    """Yield streams of the real stdin and stdout, which nobody else can use meanwhile.

    All other output to stdout goes to stderr, and whoever else reads stdin is at its end. This
    includes what bypasses `sys`: libraries in other languages, and programs that a bot starts.
    """
    try:
        numbers, other = (stdin.fileno(), stdout.fileno()), sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):  # no file, as in a test
        yield stdin.buffer, stdout
        return
    stdout.flush()
    kept = [os.dup(number) for number in numbers]
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, instead in zip(numbers, (nothing, other), strict=True):
        os.dup2(instead, number)
    os.close(nothing)
    try:
        # Never closed: a bot that was told to stop may still be answering.
        answers = open(kept[1], "w", encoding=stdout.encoding, errors="backslashreplace")  # noqa: SIM115
        yield open(kept[0], "rb"), answers  # noqa: SIM115
    finally:
        for number, real in zip(numbers, kept, strict=True):
            os.dup2(real, number)
