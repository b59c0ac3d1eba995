"""One line on stderr that tells how far something is."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["PATIENCE", "ProgressLine"]

PATIENCE: Final = 2.0
"""Seconds after which something lasts long enough for a progress line."""


class ProgressLine:
    """A line that is drawn from two seconds on and goes when it is closed.

    Args:
        unit: of what is counted, with a blank before it.
        always: draw it also where stderr is no terminal, for who has asked for it.

    Examples:
        >>> with ProgressLine(" positions") as line:
        ...     for number in range(3):
        ...         line.show(number + 1, 3)
    """

    def __init__(self, unit: str, *, always: bool = False) -> None:
        self._bar: tqdm[NoReturn] | None = None
        self._unit = unit
        self._drawn: Final = always or _is_terminal()

    def show(self, done: int, total: int | None = None, said: str = "") -> None:
        """Say how far it is, not more often than a person can read.

        Args:
            done: how much is done.
            total: of how much; None where nobody knows.
            said: what is being done, in words.
        """
        if not self._drawn:
            return
        if self._bar is None:
            from tqdm import tqdm  # only imported where it is shown

            self._bar = tqdm(
                unit=self._unit,
                unit_scale=True,
                delay=PATIENCE,
                leave=False,
                file=sys.stderr,
                initial=done,
                total=total,
            )
        if self._bar.total != total or done < self._bar.n:
            self._bar.total, self._bar.n = total, 0
        if said:
            self._bar.set_description_str(said, refresh=False)
        self._bar.update(done - self._bar.n)

    def hide(self) -> None:
        """Make room on the terminal for something else; the next `show` draws it again."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        """Remove it."""
        if self._bar is not None:
            self._bar.close()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _is_terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
