"""Answers on stdout, warnings and errors on stderr, files that are whole or absent, exit codes."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from kulami_solver.core.compressed import is_compressed, packed
from kulami_solver.core.interruption import told_to_end
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, harmless, reason

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
"""The command did its work, and its check failed."""
EXIT_BAD_INPUT: Final = 2
EXIT_INTERRUPTED: Final = 130
"""Ctrl-C, as shells report it, or another signal, for which `cli.main` has its own."""

#: File endings of pictures, by which programs recognise their kinds.
_PICTURES = {
    *(".svg", ".svgz", ".png", ".apng", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp"),
    *(".tif", ".tiff", ".ico", ".heic", ".pdf", ".ps", ".eps"),
}

#: File endings of other kinds of files.
_OTHER_KINDS = {
    *(".txt", ".md", ".html", ".htm", ".json", ".jsonl", ".csv", ".tsv", ".parquet", ".kfn"),
    *(".kdb", ".py", ".zip"),
}

#: How files of some kinds begin, by the endings of their names.
_BEGINNINGS = {
    ".svg": rb"(\xef\xbb\xbf)?\s*<(\?xml|!--|!doctype|svg)",
    ".png": rb"\x89PNG",
    ".html": rb"(\xef\xbb\xbf)?\s*<(!doctype html|!--|html)",
    ".csv": rb"(\xef\xbb\xbf)?\"?\w+\"?([,;]\"?\w+\"?)+\s",
    ".jsonl": rb"\s*\{",
    ".parquet": rb"PAR1",
    ".gz": rb"\x1f\x8b",
}

#: Errors of a disk without room; the second is of a user who has used up a share of it.
DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT)

#: Longest message; a longer one is cut in its middle, since the remedy stands at the end.
MESSAGE_LIMIT = 600


class CommandError(Exception):
    """Input the command cannot use: one line naming the thing, the place and the remedy.

    It is no `KulamiError`, so that nobody takes it for the refusal of a record or a line of a file.
    """


class CommandInterrupted(KeyboardInterrupt):
    """Ctrl-C, SIGTERM or SIGHUP, with words for what is left of the unfinished work."""


@contextlib.contextmanager
def refused_at(place: str) -> Iterator[None]:
    """Raise a refusal of the input as a `CommandError` that names an option, or another place."""
    try:
        yield
    except KulamiError as error:
        raise CommandError(f"{place}: {error}") from None


@contextlib.contextmanager
def written_to(option: str, path: str) -> Iterator[None]:
    """Raise a `CommandError` that names an option and its file if that cannot be written."""
    try:
        yield
    except (OSError, ValueError) as fault:
        why = f"{option}: cannot write {path}: {reason(fault)}; name another file"
        raise CommandError(why) from None


def prepare() -> None:
    """Make stdout able to take any text, whatever the locale.

    Raises:
        CommandError: stdout is closed, so that no answer could be given.
    """
    if sys.stdout is None:
        raise CommandError("standard output is closed; send it to a file or a terminal")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def line(text: str = "") -> None:
    """Print one line or several, and flush, so that a reader gets each answer at once.

    What a bot has said may be among them: its control characters are written out, but for colours.

    Raises:
        OSError: stdout cannot take it, as on a full disk; `filename` says that it is stdout.
        BrokenPipeError: its reader is gone.
    """
    with _told_of_stdout():
        print(harmless(text), flush=True)


def draws_boards() -> bool:
    """Whether stdout has the characters that boards are drawn with."""
    try:
        "\u2502\u2500\u253c\u2580\u2584\u25cf\u00b7\u2264\u2265".encode(
            getattr(sys.stdout, "encoding", None) or "utf-8"
        )
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def headed(head: str, rows: Iterable[str]) -> list[str]:
    """Return rows below each other, with a head before the first."""
    return [f"{'' if number else head:<10}{row}" for number, row in enumerate(rows)]


def listed(head: str, moves: Iterable[tuple[object, object]]) -> list[str]:
    """Return moves with their values, below each other, with a head before the first.

    >>> listed("moves", [("a1", "draw"), ("b10", "loss")])
    ['moves     a1   draw', '          b10  loss']
    """
    rows = [(str(move), str(worth)) for move, worth in moves]
    wide = max((len(move) for move, _ in rows), default=0)
    return headed(head, (f"{move:<{wide}}  {worth}" for move, worth in rows))


def board_text(module: str, shown: object, color: bool = False, **more: object) -> str:
    """Return a board as text, in characters that stdout has.

    Args:
        module: the name of the module that draws; it is imported only for that.
        shown: the position that is drawn.
        color: whether to use a terminal's colours, if stdout has the characters for that.
        more: the game's own options.
    """
    render: Any = import_module(module)
    drawable = draws_boards()
    if color and drawable:
        return str(render.board_ansi(shown, **more))
    return str(render.board_text(shown, ascii_only=not drawable, **more))


def json_line(answer: Mapping[str, object]) -> None:
    """Print an answer as one line of JSON."""
    line(json.dumps(answer, allow_nan=False))


def in_json(args: argparse.Namespace) -> bool:
    """Whether a command answers in JSON: with --json, and the lines of --input."""
    return args.json or getattr(args, "input", None) is not None


def answer(args: argparse.Namespace, told: Mapping[str, object], words: str) -> int:
    """Print an answer, in JSON or in words; return the exit code of a command that has done so."""
    if in_json(args):
        json_line(told)
    else:
        line(words)
    return EXIT_OK


def finish() -> None:
    """Flush stdout while an error can still be told."""
    if sys.stdout is not None:
        with _told_of_stdout():
            sys.stdout.flush()


@contextlib.contextmanager
def _told_of_stdout() -> Iterator[None]:
    """Name stdout in its errors: the errors of other files have the same words."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as fault:
        # Otherwise Python would try to write the rest of the buffer when it ends.
        discard()
        raise OSError(fault.errno, fault.strerror, "standard output") from None


def discard() -> None:
    """Discard the rest of stdout: its reader is gone or its disk is full."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def one_line(text: str) -> str:
    """`text` as one printable line of limited length."""
    shown = harmless(text, lines=False)
    if len(shown) <= MESSAGE_LIMIT:
        return shown
    half = MESSAGE_LIMIT // 2
    return f"{shown[:half]} ... {shown[-half:]}"


def message(kind: str, text: object) -> None:
    """Print `kulami: kind: text` on stderr."""
    if ProgressLine.newest is not None:
        ProgressLine.newest.hide()
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"kulami: {kind}: {one_line(str(text))}", file=sys.stderr, flush=True)


def interrupted(left: str = "") -> int:
    """Say what has ended the command, and what is left of its work; return the exit code."""
    told = told_to_end()
    by = "Ctrl-C" if told is None else told.name
    message("interrupted", f"{by}; {left}" if left else by)
    return EXIT_INTERRUPTED


@contextlib.contextmanager
def told_if_late(text: str, after: float = 2.0) -> Iterator[None]:
    """Print `text` if the wait takes more than `after` seconds."""
    import threading

    from kulami_solver.core.background import starting_threads

    timer = threading.Timer(after, message, ("waiting", text))
    timer.daemon = True
    with starting_threads():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # Python aborts if a thread still prints when it ends


def warn(warnings: Iterable[str]) -> None:
    """Print all warnings about the input in one line, if there are any."""
    said = "; ".join(warnings)
    if said:
        message("warning", said)


def wants_color(choice: str) -> bool:
    """Whether to colour stdout: `always`, `never`, or `auto` for terminals without NO_COLOR."""
    from kulami_solver.drawing.text import wants_colour

    return choice == "always" or (choice == "auto" and wants_colour(sys.stdout))


def check_picture_name(option: str, path: str, ending: str) -> None:
    """Refuse the ending of another kind of picture in a name; warn of that of other files.

    Args:
        option: the option that named the file, for the message.
        path: the name.
        ending: the ending of the option's pictures, `.svg` or `.png`.

    Raises:
        CommandError: the name is that of another kind of picture.
    """
    given = os.path.splitext(path)[1].lower()
    if given in _PICTURES and given != ending:
        other = f", or give --{given[1:]}" if given in (".svg", ".png") else ""
        raise CommandError(
            f"{option}: {path} ends in {given}, but {ending[1:].upper()} is what {option} writes; "
            f"name a file that ends in {ending}{other}"
        )
    if given in _OTHER_KINDS:
        warn([f"{option}: {path} ends in {given}, but {ending[1:].upper()} is written into it"])


def check_writable(option: str, path: str) -> None:
    """Refuse a file that cannot be written, before any work is done for it.

    Raises:
        CommandError: it is a folder, its folder does not exist, it may not be written, or its name
            is the one of standard output.
    """
    if path == "-":
        raise CommandError(f"{option}: this goes to a file; name one instead of -")
    exists = os.path.exists(path)
    try:
        folder = os.path.dirname(os.path.realpath(path))
    except FileNotFoundError:
        folder = ""  # the working folder is gone
    if os.path.isdir(path) or os.path.basename(path) == "":
        fault = errno.EISDIR
    elif not exists and not os.path.isdir(folder):
        fault = errno.ENOENT
    elif not os.access(path if exists else folder, os.W_OK):
        fault = errno.EACCES
    else:
        return
    why = reason(OSError(fault, os.strerror(fault)))
    raise CommandError(f"{option}: cannot write {path}: {why}; name another file")


def check_kind(path: str, ending: str | None) -> None:
    """Refuse to replace a file that is plainly of another kind than the one to be written.

    Args:
        path: the file, if there is one.
        ending: of the names of files of the kind; None for that of `path`.

    Raises:
        CommandError: it begins like no such file.
    """
    given = os.path.splitext(path)[1]
    kind = (given if is_compressed(path) else ending or given).lower()
    if kind in _BEGINNINGS and os.path.isfile(path):
        with contextlib.suppress(OSError), open(path, "rb") as file:  # some may only be written
            begin = file.read(1000)
            if begin and not re.match(_BEGINNINGS[kind], begin, re.IGNORECASE):
                raise CommandError(
                    f"{path}: a file that is no {kind[1:].upper()} is in the way; name another"
                )


def write_file(option: str, path: str, content: bytes) -> None:
    """Write a file completely or, if anything fails, leave it as it was before.

    Args:
        option: the option that named the file, for messages.
        path: where to write; a link is followed, a pipe or device is written to directly. A file
            whose name ends in `.gz` is compressed.
        content: all of it.

    Raises:
        CommandError: the file cannot be written.
    """
    from kulami_solver.core.files import write_atomically

    with written_to(option, path), _told_of_reader(path):
        write_atomically(path, [packed(path, content)])


def _told_of_reader(path: str) -> contextlib.AbstractContextManager[None]:
    """Say so if a pipe waits for a program that reads it."""
    if Path(path).is_fifo():
        return told_if_late(f"for a program that reads {path}")
    return contextlib.nullcontext()


def wants_picture(args: argparse.Namespace) -> bool:
    """Whether a picture is asked for; pictures of many positions are refused."""
    wanted = [kind for kind in ("svg", "png", "sheet") if getattr(args, kind, None)]
    if wanted and getattr(args, "input", None) is not None:
        raise CommandError(f"--{wanted[0]} draws one position; give it by --kfn instead of --input")
    return bool(wanted)


def write_pictures(args: argparse.Namespace, drawn: Any) -> dict[str, object]:
    """Write the pictures asked for; return their file names by kind.

    Args:
        args: of the command.
        drawn: a position, or a solution with values: it has `svg` and `png`, which return None
            if there is no picture of the kind.

    Raises:
        CommandError: a picture cannot be drawn or written.
    """
    written: dict[str, object] = {}
    for kind in ("svg", "png"):
        path = getattr(args, kind)
        if not path:
            continue
        with refused_at(f"--{kind}"):
            picture = getattr(drawn, kind)()
        if picture is None:
            raise CommandError(f"--{kind}: this game has no such picture; leave it out")
        write_file(f"--{kind}", path, picture.encode() if kind == "svg" else picture)
        written[kind] = path
    return written
