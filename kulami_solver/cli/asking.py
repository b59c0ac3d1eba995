"""Work that may take long: a progress line, and an answer also at Ctrl-C."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from kulami_solver.cli import output
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK, CommandInterrupted
from kulami_solver.core.interruption import SolveInterrupted
from kulami_solver.core.progress import ProgressLine

Found = TypeVar("Found")
Drawn = TypeVar("Drawn")


def answered(
    unit: str,
    ask: Callable[[ProgressLine], Found],
    answer: Callable[[Found], None],
    left: str = "this is what was proved by then",
) -> int:
    """Do the work, print the result, and say so if Ctrl-C has cut the work short.

    Args:
        unit: the unit that the progress line counts, with a blank before it.
        ask: does the work, and updates the progress line; at Ctrl-C a `SolveInterrupted`.
        answer: prints the result.
        left: the words for an interrupted result.

    Returns:
        The exit code.
    """
    with ProgressLine(unit) as line:
        try:
            found = ask(line)
        except SolveInterrupted as stopped:
            line.close()
            answer(stopped.solution)
            output.message("interrupted", f"Ctrl-C; {left}")
            return EXIT_INTERRUPTED
    answer(found)
    return EXIT_OK


@contextlib.contextmanager
def building(unit: str, file: str | os.PathLike[str]) -> Iterator[ProgressLine]:
    """Return the progress line of the work on a file; Ctrl-C says where the unfinished work is.

    Args:
        unit: the unit that the progress line counts, with a blank before it.
        file: the file that is made; unfinished work lies beside it, with `.building` after its
            name.
    """
    with ProgressLine(unit) as line:
        try:
            yield line
        except KeyboardInterrupt:
            work, left = f"{os.fspath(file)}.building", "nothing was kept"
            if os.path.exists(work):
                left = f"the work so far is in {work}; the same command goes on with it"
            raise CommandInterrupted(f"Ctrl-C; {left}") from None


def drawn(cases: Iterable[Drawn], count: int) -> list[Drawn]:
    """Positions that are drawn and solved for a check, with their number on the progress line."""
    found: list[Drawn] = []
    with ProgressLine(" positions") as line:
        line.show(0, count, "solving")
        for case in cases:
            found.append(case)
            line.show(len(found), count)
    return found
