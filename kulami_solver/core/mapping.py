"""Files mapped into memory to be read, without a descriptor for each: a build maps thousands.

Python's own `mmap` keeps a file open as long as it is mapped, until version 3.13, and a process may
have some 1,000 files open. How many it may map is another limit, of Linux 65,530 by default.
"""

from __future__ import annotations

import functools
import mmap
import os
import sys
import weakref
from pathlib import Path
from typing import Any, Final

_LIMIT: Final = Path("/proc/sys/vm/max_map_count")


def read_only(file: str | os.PathLike[str] | int) -> Any:
    """Map a file; returns its bytes, as an object with a buffer that `numpy.frombuffer` takes.

    Args:
        file: its path, or a descriptor, which may be closed afterwards. It is not empty.

    Raises:
        OSError: if it cannot be read, or no more can be mapped.

    Examples:
        >>> bytes(read_only("README.md"))[:15].decode()
        '# kulami_solver'
    """
    opened = os.open(file, os.O_RDONLY) if not isinstance(file, int) else file
    try:
        if not hasattr(mmap, "MAP_SHARED"):  # Windows, which counts no descriptors
            return mmap.mmap(opened, 0, access=mmap.ACCESS_READ)
        if sys.version_info >= (3, 13):
            return mmap.mmap(opened, 0, access=mmap.ACCESS_READ, trackfd=False)
        return _mapped(opened, os.fstat(opened).st_size)
    finally:
        if not isinstance(file, int):
            os.close(opened)


def _mapped(opened: int, size: int) -> Any:
    """The system's own mmap; the mapping is released when nobody uses it any more."""
    import ctypes

    system = _system()
    address = system.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, opened, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        number = ctypes.get_errno()
        raise OSError(number, f"a file of {size} bytes cannot be mapped: {os.strerror(number)}")
    content = (ctypes.c_char * size).from_address(address)
    weakref.finalize(content, system.munmap, address, size).atexit = False
    return memoryview(content).toreadonly()


@functools.cache
def _system() -> Any:
    """The system's library, with the argument types of mmap and munmap."""
    import ctypes

    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype = ctypes.c_void_p
    whole = ctypes.c_int
    system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, whole, whole, whole, ctypes.c_long]
    system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return system


def most_mappings() -> int | None:
    """The number of files a process may map, None if it is unknown."""
    try:
        return int(_LIMIT.read_text())
    except (OSError, ValueError):
        return None
