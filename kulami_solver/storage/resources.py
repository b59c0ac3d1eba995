"""The refusal of a build that does not fit into memory or on the disk."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import NamedTuple

from ..core.files import room_in
from ..core.memory import MIB
from ..errors import BudgetError


class Need(NamedTuple):
    """The number of bytes needed, the reason, and the remedy if there are fewer."""

    bytes: float
    how: str
    remedy: str


def refuse_what_does_not_fit(
    said: str, target: Path, memory: Need, disk: Need, allowed: int
) -> None:
    """Refuse a build that does not fit, by its estimate.

    Raises:
        BudgetError: if it does not fit; the message gives its needs.
    """
    if memory.bytes > allowed:
        how = f" {memory.how}" if memory.how else ""
        raise BudgetError(
            f"{said}: that needs {size_in_words(memory.bytes)} of memory{how}, and "
            f"{size_in_words(allowed)} may be used; {memory.remedy}, or --force (force=True)"
        )
    folder = target.parent if str(target.parent) else Path(os.curdir)
    if folder.is_dir():
        room = room_in(folder)
        if room is not None and disk.bytes > room:
            free = size_in_words(room) if room else "no room for files"
            raise BudgetError(
                f"{said}: that needs {size_in_words(disk.bytes)} of disk, and {folder} has {free}; "
                f"{disk.remedy}, or --force (force=True)"
            )


def size_in_words(count: float) -> str:
    """Bytes as people say it, rounded up where they are few.

    >>> size_in_words(3 << 30), size_in_words(1000)
    ('3.0 GiB', '1 KiB')
    """
    if count <= MIB - 1024:
        return f"{math.ceil(count / 1024)} KiB"
    if count < 1 << 30:
        return f"{math.ceil(count / MIB)} MiB"
    return f"{count / (1 << 30):,.1f} GiB"


def duration(seconds: float) -> str:
    """A time as people say it.

    Examples:
        >>> duration(1), duration(7200), duration(3e6), duration(3e9)
        ('1 second', '2 hours', '35 days', '95 years')
    """
    if seconds < 120:
        whole = round(seconds)
        return f"{whole} second{'s' * (whole != 1)}"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    days = seconds / 86400
    if days < 3:
        return f"{seconds / 3600:.0f} hours"
    return f"{days:,.0f} days" if days < 1000 else f"{days / 365.25:,.0f} years"
