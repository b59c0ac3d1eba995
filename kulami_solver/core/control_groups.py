"""The limits that control groups of Linux set for this process: processors and memory.

Containers, batch systems and service managers limit their programs by control groups; the machine's
own figures do not show these limits. Version 2 has one tree of groups, version 1 a tree for each
controller, and both may be mounted at the same time:

    /proc/self/cgroup       the group of this process in each tree
                                4:memory:/batch/job7        version 1: of the memory controller
                                0::/batch/job7              version 2
    /proc/self/mountinfo    where each tree is seen, and from which group on
                                35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
                                41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw

The limits of a group bind all groups below it, so the narrowest of those on the way up counts.
Other systems have none of these files, and no limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final

_MACHINE: Final = Path("/")
_UNLIMITED: Final = 1 << 62  # version 1 gives this or a larger number if there is no limit
_DIGITS: Final = 21  # a 64-bit number has fewer
_ESCAPE: Final = re.compile(r"\\([0-7]{3})")  # for a blank, a tab, a line feed or a backslash


def processor_quota(machine: Path = _MACHINE) -> float | None:
    """Return how many processors' time this process may use, None if there is no limit.

    Args:
        machine: the folder that holds /proc and /sys.

    Examples:
        >>> quota = processor_quota()
        >>> quota is None or quota > 0
        True
    """
    quotas = []
    for group in _groups("cpu", machine):
        numbers = _numbers_in(group, "cpu", "max", "cfs_quota_us", "cfs_period_us")
        if len(numbers) == 2 and all(numbers):  # no limit is "max" in version 2, -1 in version 1
            quotas.append(numbers[0] / numbers[1])
    return min(quotas, default=None)


def memory_left(machine: Path = _MACHINE) -> int | None:
    """Return how many bytes this process may still take, None if there is no limit.

    Cached pages of files do not count as taken: they are given back when memory runs short.

    Args:
        machine: the folder that holds /proc and /sys.

    Examples:
        >>> left = memory_left()
        >>> left is None or left >= 0
        True
    """
    left = []
    for group in _groups("memory", machine):
        # Above memory.high a process is slowed down so much that it is useless.
        bounds = _numbers_in(group, "memory", "max", "high", "limit_in_bytes")
        if min(bounds, default=_UNLIMITED) < _UNLIMITED:
            words = _words(group / "memory.stat")
            kinds = dict(zip(words[::2], words[1::2], strict=False))
            names = ("active_file", "inactive_file")  # version 1 has totals with the groups below
            cached = sum(_numbers(kinds.get(f"total_{one}", kinds.get(one, "")) for one in names))
            used = sum(_numbers_in(group, "memory", "current", "usage_in_bytes"))
            left.append(max(0, min(bounds) - max(0, used - cached)))
    return min(left, default=None)


def _groups(controller: str, machine: Path) -> list[Path]:
    """As `_found`; none where the system does not let its files be read."""
    try:
        return _found(controller, machine)
    except (OSError, ValueError):
        return []


@lru_cache(maxsize=8)  # a process stays in its groups, and a search asks for each position
def _found(controller: str, machine: Path) -> list[Path]:
    """The folders of the groups this process is in, from its own upwards.

    Raises:
        OSError, ValueError: if the system's files cannot be read now, or are not as described.
    """
    folders = []
    paths: dict[str, str] = {}
    for line in _read(machine / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        paths.update(dict.fromkeys(controllers.split(","), path))  # version 2 names none
    for line in _read(machine / "proc/self/mountinfo").splitlines():
        mount, _, system = line.partition(" - ")
        kind, _, options = system.partition(" ")
        group = paths.get("") if kind == "cgroup2" else None
        if kind == "cgroup" and controller in options.rpartition(" ")[2].split(","):
            group = paths.get(controller)
        if group is not None:
            root, point = (
                _ESCAPE.sub(lambda match: chr(int(match[1], 8)), field)
                for field in mount.split(" ")[3:5]
            )
            below = _below(PurePosixPath(group), PurePosixPath(root))
            place = machine / point.lstrip("/")
            folders += [place.joinpath(*below[:depth]) for depth in range(len(below), -1, -1)]
    return folders


def _below(group: PurePosixPath, root: PurePosixPath) -> tuple[str, ...]:
    """The names on the way from a mounted group to one below it.

    There are none in a container that sees its own group as the root, but the paths from outside.
    """
    if not group.is_relative_to(root) or ".." in group.parts:
        return ()
    return group.relative_to(root).parts


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def _words(path: Path) -> list[str]:
    """The words of a file; none if it is missing or may not be read."""
    try:
        return _read(path).split()
    except (OSError, ValueError):
        return []


def _numbers_in(group: Path, controller: str, *names: str) -> list[int]:
    """The whole numbers in some files of a group: each version has some of them."""
    return _numbers(word for name in names for word in _words(group / f"{controller}.{name}"))


def _numbers(words: Iterable[str]) -> list[int]:
    """The whole numbers among some words."""
    return [int(word) for word in words if word.isdecimal() and len(word) < _DIGITS]
