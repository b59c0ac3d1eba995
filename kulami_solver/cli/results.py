"""Text files, pipes and typed lines, read line by line, and files to which commands add.

`check --results`, `solve --results` and `match --save` go on from a file of results; `play --save`
adds a game to any file of games.
"""

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
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

from kulami_solver.cli import output
from kulami_solver.cli.output import EXIT_INTERRUPTED, EXIT_OK, CommandError, refused_at
from kulami_solver.core.compressed import open_text
from kulami_solver.core.game_records import is_record
from kulami_solver.core.locks import FileLock
from kulami_solver.errors import KulamiError, reason

if TYPE_CHECKING:
    from kulami_solver.cli.game import GameCommands
    from kulami_solver.storage.kept_work import ResultFile


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


# Seconds to wait for another command that adds a game.
_PATIENCE: Final = 10.0


def result_file(
    option: str,
    path: str,
    header: Mapping[str, object],
    fingerprints: Mapping[str, Mapping[str, Any]] | None = None,
) -> ResultFile:
    """Open a file of results; the other arguments are those of `ResultFile`.

    Raises:
        CommandError: it cannot be written, or holds something else; the message names the option.
    """
    from kulami_solver.storage.kept_work import ResultFile

    output.check_writable(option, path)
    with output.written_to(option, path), refused_at(option):
        return ResultFile(path, header, fingerprints)


def taken_from_file(path: str, kept: int, number: int, what: str) -> str:
    """Say how many results have been taken from a file, and how many are new."""
    was, new = "was" if kept == 1 else "were", number - kept
    are = "is" if new == 1 else "are"
    return f"{kept:,} of the {number:,} {what} {was} in {path} already, {new:,} {are} new"


def check_saved(path: str, game: GameCommands) -> None:
    """Refuse a file to which no record of a game can be added, before any work is done for it.

    Raises:
        CommandError: it holds something else, or cannot be written.
    """
    output.check_writable("--save", path)
    _lines_kept(path, game)


def add_game(path: str, game: GameCommands, record: Mapping[str, Any]) -> int:
    """Add a record as the last line of a file, and return its number in the file, from 1.

    A missing file is made; an existing file keeps its content. Several commands can add games to
    one file at the same time.

    Raises:
        CommandError: as `check_saved`, or another process keeps the file; it is then unchanged.
    """
    target = os.path.realpath(path)
    missing = not os.path.exists(target)
    with output.written_to("--save", path), refused_at("--save"):
        try:
            lock = FileLock(target, _PATIENCE)
        except BlockingIOError:
            raise _refused(path, "another command is writing it") from None
    with lock:
        try:
            lines = [*_lines_kept(path, game), json.dumps(record)]
            output.write_file("--save", path, "".join(f"{line}\n" for line in lines).encode())
        except BaseException:
            if missing and not os.path.getsize(target):
                os.unlink(target)
            raise
    return sum(map(is_record, lines))


def _lines_kept(path: str, game: GameCommands) -> list[str]:
    if not os.path.exists(path):
        return []
    if not os.path.isfile(path):
        raise _refused(path, "it is no file")
    lines = []
    for number, line in enumerate(text_lines("--save", path, RECORD_LIMIT), 1):
        lines.append(line)
        if line.startswith('{"journal":'):
            raise _refused(path, "a match or a check goes on with it")
        if not is_record(line):
            continue
        record = _parsed(line)
        if record is None:
            raise _refused(path, f"line {number} is no game")
        if not game.has_record(record):
            raise _refused(path, f"line {number} is no game of {game.title}")
    return lines


def _refused(path: str, why: str) -> CommandError:
    return CommandError(f"--save: no game can be added to {path}: {why}; name another file")


def _parsed(line: str) -> dict[str, Any] | None:
    """The record in a line, None if it is none of a game."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("moves"), list) else None
