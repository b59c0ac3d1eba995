"""A progress line on stderr; if stderr is no terminal, a line a minute."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final, NoReturn

from ..errors import harmless
from .closing import Closing

if TYPE_CHECKING:
    from tqdm import tqdm

DRAWN_AFTER: Final = 2.0
"""Seconds after which work gets a progress line."""

TOLD_EVERY: Final = 60.0
"""Seconds between two lines where stderr is no terminal."""

# Larger counts are written like 1.25M.
_WRITTEN_OUT: Final = 100_000


class ProgressLine(Closing):
    """A line that appears after two seconds and disappears when it is closed.

    It is drawn at most about ten times a second, however often `show` is called. If stderr is a
    file or a pipe instead of a terminal, it is written there once a minute. Without a stderr that
    can be written to, nothing is shown, and the work goes on.

    Args:
        unit: of the count, with a blank before it.
        always: draw it even if stderr is no terminal, because the user asked for it.

    Examples:
        >>> with ProgressLine(" positions") as line:
        ...     for number in range(3):
        ...         line.show(number + 1, 3, "solving")
    """

    newest: ClassVar[ProgressLine | None] = None
    """The one that was drawn last, which a message hides."""

    def __init__(self, unit: str, *, always: bool = False) -> None:
        self._bar: tqdm[NoReturn] | None = None
        self._unit: Final = unit
        self._wanted = always or is_terminal(sys.stderr)
        self._on_screen = False
        self._closed = False
        self._begun = time.monotonic()
        self._told = self._begun

    def show(self, done: int, total: int | None = None, said: str = "") -> None:
        """Show the progress.

        Args:
            done: how much is done. The rate counts the work after the first call; a smaller number
                than before means that another step has begun.
            total: the whole amount; None if it is unknown.
            said: the present step, in words.
        """
        said = harmless(said, lines=False)
        with self._given_up_if_it_fails():
            if self._wanted and sys.stderr is not None:
                self._draw(done, total, said)
            else:
                self._tell(done, total, said)

    @contextlib.contextmanager
    def _given_up_if_it_fails(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, AttributeError):  # what stderr is may be no file at all
            if self._bar is not None:
                self._bar.disable = True  # it would write when it is removed
            self._bar = None
            self._wanted, self._closed = False, True

    def _draw(self, done: int, total: int | None, said: str) -> None:
        if self._bar is None:
            self._bar = _bars()(
                unit=self._unit,
                delay=DRAWN_AFTER,
                miniters=0,  # new words are drawn even if the count has not changed
                leave=False,
                file=sys.stderr,
                initial=done,
                total=total,
            )
        if done < self._bar.n:
            self._bar.initial = self._bar.n = self._bar.last_print_n = 0
        self._bar.total = total
        self._bar.unit_scale = max(done, total or 0) >= _WRITTEN_OUT
        if said:
            self._bar.set_description_str(said, refresh=False)
        if self._bar.update(done - self._bar.n):
            self._on_screen = True
            ProgressLine.newest = self

    def _tell(self, done: int, total: int | None, said: str) -> None:
        """Write a line if the last one is a minute old."""
        now = time.monotonic()
        if self._closed or sys.stderr is None or now - self._told < TOLD_EVERY:
            return
        self._told = now
        of = "" if total is None else f" of {total:,}"
        minutes = round((now - self._begun) / 60)
        print(
            f"{said or 'working'}: {done:,}{of}{self._unit}, {minutes} min",
            file=sys.stderr,
            flush=True,
        )

    def hide(self) -> None:
        """Make room on the terminal for something else; the next `show` draws it again."""
        if self._bar is not None and self._on_screen:
            self._on_screen = False
            with self._given_up_if_it_fails():
                self._bar.clear()

    def close(self) -> None:
        """Remove it for good."""
        self._wanted = False
        self._closed = True
        if self._bar is not None:
            with self._given_up_if_it_fails():
                self._bar.close()
            self._bar = None


def _bars() -> type[tqdm[NoReturn]]:
    """Import tqdm, where a line is shown, without the settings that it takes from TQDM_...

    A wrong one would end the work, and they are meant for other programs.
    """
    settings = {name: value for name, value in os.environ.items() if name.startswith("TQDM_")}
    try:
        for name in settings:
            del os.environ[name]
        from tqdm import tqdm
    finally:
        os.environ.update(settings)
    return tqdm


def is_terminal(stream: object) -> bool:
    """Return whether a person reads or types a stream."""
    try:
        return stream is not None and bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return False
