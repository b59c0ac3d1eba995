"""A file that somebody has chosen in a browser: it is read in slices, never as a whole."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

_PAGE: Final = 1 << 16
_PAGES: Final = 64  # kept in memory: 4 MiB
_LONGEST: Final = 1 << 25  # slice, in bytes; files of hundreds of GiB have shorter headers

Read = Callable[[int, int], Any]
"""Returns the bytes of a file from one place to another, or a buffer of JavaScript with them."""


class ChosenFile:
    """A file, read as an `mmap.mmap` is.

    Small slices come from pages; the last pages read are kept.

    Args:
        size: in bytes.
        read: see `Read`; may raise anything.

    Examples:
        >>> file = ChosenFile(5, lambda begin, end: b"12345"[begin:end])
        >>> file[1:3], file[3:9], file.size()
        (b'23', b'45', 5)
    """

    def __init__(self, size: int, read: Read) -> None:
        self._size: Final = size
        self._read: Final = read
        self._page: Final = functools.lru_cache(_PAGES)(self._read_page)
        self.closed = False

    def size(self) -> int:
        """Return the size of the file in bytes when it was chosen."""
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        """Return the bytes of a slice.

        Raises:
            MemoryError: if the slice is longer than what is read at once.
            OSError: if the file cannot be read any more.
        """
        begin, end, _ = part.indices(self._size)
        if end - begin > _LONGEST:
            raise MemoryError
        if end - begin > _PAGE:
            return self._bytes(begin, end)
        first, last = begin // _PAGE, max(begin, end - 1) // _PAGE
        pages = b"".join(self._page(number) for number in range(first, last + 1))
        return pages[begin - first * _PAGE : end - first * _PAGE]

    def close(self) -> None:
        """Drop the pages in memory."""
        self.closed = True
        self._page.cache_clear()

    def _read_page(self, number: int) -> bytes:
        return self._bytes(number * _PAGE, min(number * _PAGE + _PAGE, self._size))

    def _bytes(self, begin: int, end: int) -> bytes:
        try:
            found = self._read(begin, end)
            found = found if isinstance(found, bytes) else found.to_bytes()
        except Exception as error:  # JavaScript's
            raise OSError("the file cannot be read any more") from error
        if len(found) != end - begin:
            raise OSError("the file has become shorter")
        return bytes(found)
