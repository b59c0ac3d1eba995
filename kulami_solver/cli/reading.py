"""Text files, pipes and typed lines, as a command reads them line by line."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import itertools
import json
import os
import re
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import BinaryIO, TypeVar

from kulami_solver.cli import output
from kulami_solver.cli.output import EXIT_INTERRUPTED, EXIT_OK, CommandError
from kulami_solver.core.compressed import open_text
from kulami_solver.errors import KulamiError, reason

Position = TypeVar("Position")

#: Longest line read from a file of positions; the longest is well below 1000.
LINE_LIMIT = 4096

#: Longest game record read, in bytes; a whole game takes less than 2,000.
RECORD_LIMIT = 1 << 20


#: SGF names the encoding of what is no UTF-8.
_CHARSET = re.compile(rb"CA\[([A-Za-z0-9_.:-]{1,40})\]")


class _UnreadableLineError(KulamiError):
    """A line that is too long, or no text; the message names it."""


def named(path: str) -> str:
    """The name for messages of a file that was given as `path`."""
    return "standard input" if path == "-" else path


def text_lines(option: str, path: str, limit: int, one: str = "one record") -> Iterator[str]:
    """The lines of a text file, without the white space around them.

    Args:
        option: the option that named the file, for messages.
        path: the file, or `-` for standard input. It may be a pipe: each line is yielded as
            soon as it is there. A file whose name ends in `.gz` is compressed.
        limit: longest line accepted, in bytes.
        one: the content expected on a line, for messages.

    Raises:
        CommandError: the file cannot be read or unpacked, is neither UTF-8 nor UTF-16 with its
            mark, or has too long a line.
    """
    for line in arriving_lines(option, path, limit, None, one):
        if isinstance(line, KulamiError):
            raise CommandError(line)
        assert line is not None
        yield line


def arriving_lines(
    option: str, path: str, limit: int, wait: float | None, one: str = "one record"
) -> Iterator[str | KulamiError | None]:
    """`text_lines`, but None for each `wait` seconds in which no line has arrived.

    In place of a line that is too long, or no text, comes the error that says so.
    """
    try:
        if path != "-":
            with open_text(path) as file:
                yield from _decoded(path, _raw_lines(file, limit, wait), limit, one)
        elif sys.stdin is None:
            raise CommandError(f"{option}: standard input is closed; name a file")
        else:
            lines = _raw_lines(sys.stdin.buffer, limit, wait)
            yield from _decoded(named(path), lines, limit, one)
    except KulamiError as error:
        raise CommandError(f"{option}: {error}") from None
    except (OSError, ValueError) as fault:
        raise CommandError(
            f"{option}: cannot read {named(path)}: {reason(fault)}; name a text file"
        ) from None


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
            rest = b""
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
) -> Iterator[str | KulamiError | None]:
    number = 0
    charset = "utf-8"
    cut = False  # the rest of a line that is too long is skipped
    for raw in lines:
        if raw is None:
            yield None
            continue
        if number == 0 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            lines = _from_utf16(name, itertools.chain([raw], lines), limit)
            yield from _decoded(name, lines, limit, one)
            return
        skipped, cut = cut, len(raw) > limit and not raw.endswith(b"\n")
        if skipped:
            cut = not raw.endswith(b"\n")
            continue
        number += 1
        if len(raw) > limit:
            yield _UnreadableLineError(
                f"{name} line {number} is longer than {limit} bytes; give {one} a line"
            )
            continue
        if stated := _CHARSET.search(raw):
            charset = stated[1].decode()
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            with contextlib.suppress(LookupError, UnicodeDecodeError):
                yield raw.decode(charset).strip()
                continue
            yield _UnreadableLineError(_no_utf8(name, number, error))


def _no_utf8(name: str, number: int, error: UnicodeDecodeError) -> str:
    place = f"{name} line {number}"
    return f"{place} is not UTF-8 text at byte {error.start + 1}; give a text file, saved as UTF-8"


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
            raise CommandError(_no_utf8(name, number, error)) from None
        if len(rest) > limit or (rest and not piece):
            whole, rest = [*whole, rest], ""
        number += len(whole)
        yield from (line.encode() for line in whole)


def refused_line(
    args: argparse.Namespace, number: int, line: str, error: KulamiError
) -> dict[str, object]:
    """Return the answer in JSON to a line of --input that cannot be used.

    The command goes on; it ends with an error that names the first such line.

    Args:
        args: of the command.
        number: of the line.
        line: the line; if it is JSON and has as `id` a text or a whole number, so has the answer.
        error: why it cannot be used.
    """
    first, count = getattr(args, "refused", (None, 0))
    if first is None:
        named_itself = isinstance(error, _UnreadableLineError)
        first = str(error) if named_itself else f"{named(args.input)} line {number}: {error}"
    args.refused = first, count + 1
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        given = None
    name = given.get("id") if isinstance(given, dict) else None
    asked = {"id": name} if isinstance(name, (str, int)) else {}
    return {**asked, "input_line": number, "error": str(error)}


def input_lines(
    args: argparse.Namespace,
    read: Callable[[str], Position],
    refuse: Callable[[Mapping[str, object]], None],
    wait: float | None = None,
) -> Iterator[Position | None]:
    """The positions of --input; `args.at` is the number of the line, and the line.

    Args:
        args: of the command.
        read: returns the position of a line; raises a `KulamiError` if it is none.
        refuse: takes the answer to such a line, when it is read.
        wait: yield None for each so many seconds in which a pipe or terminal has no line.
    """
    number = 0
    for line in arriving_lines("--input", args.input, LINE_LIMIT, wait, "one position"):
        if line is None:
            yield None
            continue
        number += 1
        try:
            if isinstance(line, KulamiError):
                args.at = number, ""
                raise line
            if line and not line.startswith("#"):
                args.at = number, line
                yield read(line)
        except KulamiError as error:
            number, line = args.at
            refuse(refused_line(args, number, line, error))


def answer_each(
    args: argparse.Namespace, positions: Iterable[Position], answer: Callable[[Position], int]
) -> int:
    """Answer each position; with --input, one that cannot be answered does not end the command.

    Args:
        args: of the command; `args.at` is the number of the line that was read last, and the line.
        positions: those of `args`.
        answer: prints the answer and returns an exit code, or raises a `KulamiError`.

    Returns:
        The greatest exit code; after Ctrl-C no more positions are asked about.
    """
    code = EXIT_OK
    for position in positions:
        try:
            code = max(code, answer(position))
        except KulamiError as error:
            if args.input is None:
                raise
            number, line = args.at
            output.json_line(refused_line(args, number, line, error))
        if code == EXIT_INTERRUPTED:
            break
    return code
