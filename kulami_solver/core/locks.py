"""Locks between processes, which hold a file, and locks between threads, which outlive a fork.

A process that ends, however it ends, leaves no `FileLock` behind where the file system has locks.
Lustre and NFS may have none. There a link beside the file, NAME.lock, names the process; a link of
a process of this machine that has ended is replaced.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import time as clock
import weakref
import zlib
from collections.abc import Callable
from typing import Any, Final, TypeVar

from ..errors import KulamiError
from .closing import Closing

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

# What systems and file systems say that lack locks or links, or forbid them.
_LACKING: Final = {
    *(errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP),
    *(errno.EPERM, errno.EINVAL, errno.ENOTTY),
}
_PAUSE: Final = 0.01
# Bytes of a file's name: what every file system takes, and what is left of a longer name.
_LONGEST_NAME: Final = 143
_KEPT_OF_NAME: Final = 100


def beside(path: str | os.PathLike[str], ending: str) -> str:
    """Return the path of a file's companion: its name with an ending, a long name cut short.

    Examples:
        >>> beside("work/a.kdb", ".building")
        'work/a.kdb.building'
        >>> beside("\N{SNOWMAN}" * 80, ".lock") == "\N{SNOWMAN}" * 33 + "-59eb0de9.lock"
        True
    """
    folder, name = os.path.split(os.fspath(path))
    whole = os.fsencode(name)
    if len(whole) + len(ending) > _LONGEST_NAME:
        cut = whole[:_KEPT_OF_NAME].decode("utf-8", "ignore")
        name = f"{cut}-{zlib.crc32(whole):08x}"
    return os.path.join(folder, name + ending)


class FileLock(Closing):
    """Keeps other processes out of a file until it is closed, or this process ends.

    The file may be replaced or removed meanwhile by whoever holds the lock.

    Args:
        path: the file itself, no link; it is made if it is missing, and stays.
        patience: seconds to wait for another process.

    Attributes:
        held: False where there are neither such locks nor links: nobody is kept out.

    Raises:
        BlockingIOError: if another process has it.
        KulamiError: if another process has it by a link beside the file.
        OSError: if the file cannot be opened for writing.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with FileLock(folder + "/a"):
        ...         try:
        ...             FileLock(folder + "/a")
        ...         except BlockingIOError:
        ...             print("held")
        ...     FileLock(folder + "/a").close()
        held
    """

    def __init__(self, path: str | os.PathLike[str], patience: float = 0.0) -> None:
        self._path: Final = os.fspath(path)
        self._link: str | None = None
        self.held = fcntl is not None
        self._file = -1
        if not self.held:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666))
        until = clock.monotonic() + patience
        while fcntl is not None and self._file < 0:
            try:
                self._file = self._opened()
            except (BlockingIOError, KulamiError):
                if clock.monotonic() >= until:
                    raise
                clock.sleep(_PAUSE)

    def _opened(self) -> int:
        """Open and lock the file; -1 if it was replaced or removed meanwhile."""
        opened = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            self._lock(opened)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(opened), os.stat(self._path)):
                    return opened
        except BaseException:
            os.close(opened)
            raise
        self._unlock(opened)
        return -1

    def _lock(self, opened: int) -> None:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            if fault.errno == errno.EACCES:  # what some versions of CIFS say if another has it
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from None
            if fault.errno not in _LACKING:
                raise
            try:
                self._link = _linked(self._path)
            except OSError as lacking:
                if lacking.errno not in _LACKING:
                    raise
                self.held = False

    def _unlock(self, opened: int) -> None:
        if self._link is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._link)
            self._link = None
        os.close(opened)

    def close(self) -> None:
        """Let others have the file."""
        opened, self._file = self._file, -1  # not closed twice, whenever Ctrl-C comes
        if opened >= 0:
            self._unlock(opened)


def _linked(path: str) -> str:
    """Make the link that locks a file where flock does not; return its path.

    Raises:
        KulamiError: if there is one, and its process may be at work.
    """
    link = beside(path, ".lock")
    ours = f"{os.uname().nodename}:{os.getpid()}:{os.urandom(8).hex()}"
    while True:
        try:
            os.symlink(ours, link)
            return link
        except FileExistsError:
            theirs = _name_in(link)
            if theirs is None:
                continue
        if not _has_ended(theirs):
            raise _kept_by(path, link, theirs)
        # Of all who see this end, the one with the second link removes the first.
        claim = beside(path, f".{theirs.rpartition(':')[2]}.lock")
        try:
            os.symlink(ours, claim)
        except FileExistsError:
            raise _kept_by(path, claim, _name_in(claim) or theirs) from None
        if _name_in(link) == theirs:
            os.unlink(link)
        os.unlink(claim)


def _kept_by(path: str, link: str, holder: str) -> KulamiError:
    """Return the error that a link keeps a file for a process."""
    return KulamiError(
        f"{path}: {link} keeps it for another process ({holder}), since this file system has no "
        "locks; wait for the end of that process or, if it has ended, remove the link"
    )


def _name_in(link: str) -> str | None:
    """Return the process that a link names, "?" for something else; None if nothing is there."""
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return None
    except OSError:
        return "?"


def _has_ended(name: str) -> bool:
    """Whether a link names a process of this machine that has ended."""
    host, _, rest = name.partition(":")
    process = rest.partition(":")[0]
    if host != os.uname().nodename or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # of another user
        return False
    return False


_Lock = TypeVar("_Lock")
_Value = TypeVar("_Value")
_forked: Final[set[weakref.ref[object]]] = set()


def free_in_forks(lock: _Lock) -> _Lock:
    """Return a lock between threads that is free in a process made by `os.fork`.

    The thread that held it at that time is not in the new process, and would never release it.

    Examples:
        >>> import threading
        >>> lock = free_in_forks(threading.Lock())
        >>> with lock:
        ...     pass
    """
    _forked.add(weakref.ref(lock, _forked.discard))
    return lock


class cached_over_forks(functools.cached_property[_Value]):  # noqa: N801  (as its base is named)
    """A cached property whose lock, which Python 3.10 and 3.11 have, is free in forks.

    Examples:
        >>> class Doubled:
        ...     @cached_over_forks
        ...     def value(self):
        ...         return 2
        >>> Doubled().value
        2
    """

    def __init__(self, function: Callable[[Any], _Value]) -> None:
        super().__init__(function)
        lock = getattr(self, "lock", None)
        if lock is not None:
            free_in_forks(lock)


def _free_all() -> None:
    for known in tuple(_forked):
        lock = known()
        if lock is not None:
            lock._at_fork_reinit()  # type: ignore[attr-defined]  # as `threading` does it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
