"""The memory of a search: sizes as people write them, and the memory of the machine."""

from __future__ import annotations

import re
from typing import Final

from ..errors import BudgetError, Phrase, quoted
from .control_groups import memory_left
from .whole_numbers import real

MIB: Final = 1 << 20
_UNITS: Final = {"": MIB, "K": 1 << 10, "M": MIB, "G": 1 << 30, "T": 1 << 40}
_SIZE: Final = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([KMGT]?)(?:i?B)?", re.ASCII | re.IGNORECASE)

# A larger table pays for its pages only in searches of minutes, so it is no default.
_LARGEST_DEFAULT: Final = 1 << 30

# One core searches some ten million positions a second, few of which are kept, 16 bytes each.
# Touching a page for the first time costs far more: the kernel clears 2 MiB of memory for it.
_FILLED_A_SECOND: Final = 64 * MIB
_FILLED_BY_A_NODE: Final = 32

# The smallest useful table, and the largest one that is made without asking the machine for its
# free memory: asking takes longer than solving a late position.
_LEAST: Final = 1 << 16
_UNASKED: Final = 16 * MIB

# The assumed memory of a machine that does not report it, such as a browser.
_UNKNOWN: Final = 1 << 30


def parse_memory(size: int | float | str) -> int:
    """Return a memory size in bytes.

    Args:
        size: MiB as a number, or a text such as "64M", "1.5G" or "512" (MiB), at least 64 KiB.

    Raises:
        BudgetError: if it is no size, or too small to be of use.

    Examples:
        >>> parse_memory("1G") == parse_memory(1024) == 2**30
        True
        >>> parse_memory("lots")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.BudgetError: 'lots' is no memory size: \
give MiB or a size like 64M or 2G
    """
    match = None
    text = size if isinstance(size, str) else real(size)
    if text is not None:
        match = _SIZE.fullmatch(str(text).strip()[:40])
    if match is None:
        raise BudgetError(f"{quoted(size)} is no memory size: give MiB or a size like 64M or 2G")
    size_in_bytes = int(float(match[1]) * _UNITS[match[2].upper()])
    if size_in_bytes < _LEAST:
        raise BudgetError("table_too_small", size=size)
    return size_in_bytes


def available_memory() -> int:
    """Return how many bytes are free now without making the machine swap.

    A limit of the control group counts like the machine's: beyond it the kernel ends the process.

    Examples:
        >>> available_memory() > 0
        True
    """
    try:
        import psutil  # most commands never ask, and it takes its time to import

        available = int(psutil.virtual_memory().available)
    except Exception:  # it is missing, or finds no /proc, or nonsense there
        available = 0
    if available <= 0:
        available = _UNKNOWN
    left = memory_left()
    return available if left is None else min(available, left)


def default_table_size(
    plies: int, time: float | None = None, nodes: int | None = None, tables: int = 1
) -> int:
    """Return the table size, in bytes, that suits a search over at most `plies` plies.

    64 KiB up to 24 plies, twice as much for each further one, at most 1 GiB and a quarter of the
    memory that is available. A new table costs time for each page it touches, so a small search
    is faster in a small one, and a search that is to end soon gets no more than it can fill.

    Args:
        plies: how long the game can still last.
        time: seconds after which the search ends, None for no limit.
        nodes: positions after which the search ends, None for no limit.
        tables: how many such tables there are at the same time.

    Examples:
        >>> default_table_size(28) == 2**20
        True
        >>> default_table_size(64, time=0.5) == 32 * 2**20
        True
    """
    wanted = min(MIB * 2.0 ** (plies - 28), _LARGEST_DEFAULT)
    if time is not None:
        wanted = min(wanted, _FILLED_A_SECOND * time)
    if nodes is not None:
        wanted = min(wanted, _FILLED_BY_A_NODE * nodes)
    if wanted * tables > _UNASKED:
        wanted = min(wanted, available_memory() / (4 * tables))
    return max(int(wanted), _LEAST)


def table_size(
    memory: int | float | str | None,
    plies: int,
    time: float | None = None,
    nodes: int | None = None,
    tables: int = 1,
) -> int:
    """Return the size of the table in bytes: the size asked for, if the machine has that much.

    Args:
        memory: as for `parse_memory`; None for the default.
        plies, time, nodes, tables: as for `default_table_size`.

    Raises:
        BudgetError: if the machine does not have that much; nothing is allocated before.

    Examples:
        >>> table_size("1M", 20) == 2**20
        True
    """
    if memory is None:
        return default_table_size(plies, time, nodes, tables)
    size = parse_memory(memory)
    if size * tables <= _UNASKED:
        return size
    available = available_memory()
    if size * tables > available:
        raise BudgetError(
            "tables_too_large",
            tables=Phrase("one_table") if tables == 1 else Phrase("several_tables", count=tables),
            size=size // MIB,
            available=available // MIB,
            most=available * 9 // 10 // tables // MIB,
        )
    return size
