"""Text files, pipes and typed lines, as a command reads them line by line."""

from __future__ import annotations

import codecs
import contextlib
import itertools
import os
import select
import stat
import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO

from kulami_solver.cli import output
from kulami_solver.cli.ending import CommandError
from kulami_solver.errors import Phrase, reason

#: Longest line read from a file of positions; the longest is well below 1000.
LINE_LIMIT = 4096

#: Longest game record read, in bytes; a whole game takes less than 2,000.
RECORD_LIMIT = 1 << 20


def named(path: str) -> str:
    """The name for messages of a file that was given as `path`."""
    return Phrase("standard_input") if path == "-" else path


def text_lines(option: str, path: str, limit: int, one: str = "one record") -> Iterator[str]:
    """The lines of a text file, without the white space around them.

    Args:
        option: the option that named the file, for messages.
        path: the file, or `-` for standard input. It may be a pipe: each line is yielded as
            soon as it is there.
        limit: longest line accepted, in bytes.
        one: the content expected on a line, for messages.

    Raises:
        CommandError: the file cannot be read, is neither UTF-8 nor UTF-16 with its mark, or has
            too long a line.
    """
    for line in arriving_lines(option, path, limit, None, one):
        assert line is not None
        yield line


def arriving_lines(
    option: str, path: str, limit: int, wait: float | None, one: str = "one record"
) -> Iterator[str | None]:
    """`text_lines`, but None for each `wait` seconds in which no line has arrived."""
    try:
        if path != "-":
            with open(path, "rb") as file:
                yield from _decoded(path, _raw_lines(file, limit, wait), limit, one)
        elif sys.stdin is None:
            raise CommandError("stdin_closed", option=option)
        else:
            lines = _raw_lines(sys.stdin.buffer, limit, wait)
            yield from _decoded(named(path), lines, limit, one)
    except (OSError, ValueError) as fault:
        said = {"option": option, "path": named(path), "why": reason(fault)}
        raise CommandError("cannot_read_text", **said) from None


def _raw_lines(file: BinaryIO, limit: int, wait: float | None) -> Iterator[bytes | None]:
    """The lines of a file from its start; of a longer line only the first `limit` + 1 bytes."""
    descriptor = None if wait is None else _pipe(file)
    if descriptor is None:
        while line := file.readline(limit + 1):
            yield line
        return
    # This bypasses the file's own buffer: select() does not see what lies in the buffer.
    rest = b""
    while True:
        if not select.select([descriptor], [], [], wait)[0]:
            yield None
            continue
        arrived = os.read(descriptor, 1 << 16)
        *lines, rest = (rest + arrived).split(b"\n")
        for line in lines:
            yield line + b"\n"
        if len(rest) > limit or (rest and not arrived):
            yield rest
        if not arrived:
            return


def _pipe(file: BinaryIO) -> int | None:
    """The descriptor of a pipe or terminal; None for a file that can be read without a wait.

    Windows can only wait for sockets, so there it is always None.
    """
    if os.name == "nt":
        return None
    with contextlib.suppress(OSError, ValueError):
        descriptor = file.fileno()
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
    return None


def _decoded(
    name: str, lines: Iterator[bytes | None], limit: int, one: str
) -> Iterator[str | None]:
    number = 0
    for raw in lines:
        if raw is None:
            yield None
            continue
        if number == 0 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            yield from _decoded(
                name, _from_utf16(name, itertools.chain([raw], lines), limit), limit, one
            )
            return
        number += 1
        if len(raw) > limit:
            raise CommandError("line_too_long", name=name, number=number, limit=limit, one=one)
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise CommandError(
                "line_not_utf8", name=name, number=number, byte=error.start + 1
            ) from None


def _from_utf16(name: str, pieces: Iterator[bytes | None], limit: int) -> Iterator[bytes | None]:
    """The lines, in UTF-8, of a text in UTF-16, which Notepad calls "Unicode"."""
    decoder = codecs.getincrementaldecoder("utf-16")()
    rest = ""
    number = 1
    for piece in itertools.chain(pieces, [b""]):
        if piece is None:
            yield None
            continue
        try:
            *whole, rest = (rest + decoder.decode(piece, final=not piece)).split("\n")
        except UnicodeDecodeError as error:
            said = {"name": name, "number": number, "byte": error.start + 1}
            raise CommandError("line_not_utf8", **said) from None
        if len(rest) > limit or (rest and not piece):
            whole, rest = [*whole, rest], ""
        number += len(whole)
        yield from (line.encode() for line in whole)


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
