"""A question that may take long: a line that says how far it is, and an answer also at Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kulami_solver.cli import output
from kulami_solver.cli.ending import EXIT_INTERRUPTED, EXIT_OK
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
