"""The refusal of a build that does not fit into memory or on the disk."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..core.budgets import workers_of
from ..core.memory import MIB, available_memory, parse_memory
from ..core.tasks import Needs, check_workers, knows_workers
from ..errors import BudgetError

if TYPE_CHECKING:
    import concurrent.futures


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
        raise BudgetError(
            "too_little_memory",
            what=said,
            needed=" ".join(
                [f"{size_in_words(memory.bytes)} of memory", *filter(None, [memory.how])]
            ),
            allowed=size_in_words(allowed),
            remedy=memory.remedy,
        )
    folder = target.parent if str(target.parent) else Path(os.curdir)
    if folder.is_dir():
        room = shutil.disk_usage(folder).free
        if disk.bytes > room:
            raise BudgetError(
                "too_little_disk",
                what=said,
                needed=size_in_words(disk.bytes),
                folder=folder,
                room=size_in_words(room) if room else "no room for files",
                remedy=disk.remedy,
            )


class Cost(NamedTuple):
    """What some work takes.

    Attributes:
        said: its size, in words.
        program: bytes of memory, besides those of the threads.
        thread: bytes that each thread takes.
        disk: bytes on the disk.
    """

    said: str
    program: float
    thread: float
    disk: float

    def in_threads(self, threads: int) -> float:
        """The bytes of memory that it takes in a number of threads."""
        return self.program + threads * self.thread


def check_cost(
    cost: Callable[[int], Cost],
    target: Path,
    executor: concurrent.futures.Executor | None,
    threads: int,
    memory: int | float | str | None,
    force: bool,
    *,
    room: str,
    files: tuple[str, ...] = (),
) -> int | None:
    """Refuse work that does not fit into this process, or into the workers of an executor.

    Args:
        cost: what it takes, given how many work.
        target: the file that is made.
        executor, threads, memory: what may be used.
        force: do not ask for the cost.
        room: the remedy if the disk is too small.
        files: those that workers have to share.

    Returns:
        Bytes of memory that this process may use; None if workers do the work.

    Raises:
        BudgetError: it does not fit, or `memory` makes no sense.
        KulamiError: a worker cannot do the work.
    """
    allowed = None if memory is None else parse_memory(memory)
    if knows_workers(executor):
        needs = Needs(str(target.parent), files=files)
        if not force:
            said, program, thread, disk = cost(workers_of(None, executor=executor))
            needs = replace(
                needs, said=said, memory=program, thread=thread, allowed=allowed, disk=disk
            )
        check_workers(executor, needs)
        return None
    allowed = available_memory() if allowed is None else allowed
    if not force:
        found = cost(threads)
        refuse_what_does_not_fit(
            found.said,
            target,
            Need(
                found.in_threads(threads),
                f"with {threads} threads",
                "give fewer --threads (threads=) or more --memory (memory=)",
            ),
            Need(found.disk, "", room),
            allowed,
        )
    return allowed


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
