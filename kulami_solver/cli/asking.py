"""A question that may take long: a line that says how far it is, and an answer also at Ctrl-C."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import TypeVar

from kulami_solver.cli import output
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK, CommandInterrupted
from kulami_solver.core.interruption import Interrupted
from kulami_solver.core.progress import ProgressLine

Found = TypeVar("Found")


def answered(
    unit: str,
    ask: Callable[[ProgressLine], Found],
    interruption: type[Interrupted[Found]],
    answer: Callable[[Found], None],
    left: str = "this is what was proved by then",
) -> int:
    """Ask, print what is found, and say so where Ctrl-C has cut it short.

    Args:
        unit: of what the line counts, with a blank before it.
        ask: finds it, and tells the line how far it is.
        interruption: what `ask` raises at Ctrl-C.
        answer: prints what was found.
        left: what that is after Ctrl-C, in words.

    Returns:
        The exit code.
    """
    with ProgressLine(unit) as line:
        try:
            found = ask(line)
        except interruption as stopped:
            line.close()
            answer(stopped.found)
            output.message("interrupted", f"Ctrl-C; {left}")
            return EXIT_INTERRUPTED
    answer(found)
    return EXIT_OK


@contextlib.contextmanager
def building(unit: str, file: str | os.PathLike[str]) -> Iterator[ProgressLine]:
    """Return a line that says how far the work for a file is; Ctrl-C says where that work lies.

    Args:
        unit: of what the line counts, with a blank before it.
        file: what is made; work to go on with lies beside it, with `.building` behind its name.
    """
    with ProgressLine(unit) as line:
        try:
            yield line
        except KeyboardInterrupt:
            work, left = f"{os.fspath(file)}.building", "nothing was kept"
            if os.path.exists(work):
                left = f"the work so far is in {work}; the same command goes on with it"
            raise CommandInterrupted(f"Ctrl-C; {left}") from None
