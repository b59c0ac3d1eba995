"""Files that are written completely or not at all, those of a folder, and files mapped into memory.

Files are mapped without a descriptor for each, since a build maps thousands. Python's own `mmap`
keeps a file open as long as it is mapped, until version 3.13, and a process may have some 1,000
files open. How many it may map is another limit, of Linux 65,530 by default.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import shutil
import stat
import sys
import weakref
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from ..errors import KulamiError, quoted
from .locks import FileLock, beside

_CHUNK: Final = 1 << 20
# The file in a passing folder that is locked while somebody needs it.
_LOCK: Final = "lock"
# Seconds to wait for those who look whether a new file is left of a killed process.
_PATIENCE: Final = 10.0
# Has the number of files that a process may map.
_MAPPINGS: Final = Path("/proc/sys/vm/max_map_count")


def named_file(path: object, kind: str, error: type[KulamiError] = KulamiError) -> str:
    """Return the name of a file; refuse anything else, also the number of an open one.

    Args:
        path: a text or a path.
        kind: the kind of file, for the message.
        error: the kind of error.
    """
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or not name or "\0" in name:
        raise error(f"{quoted(path)} is no name of a file; give that of {kind}")
    return name


def files_in(folder: str | os.PathLike[str], endings: str | tuple[str, ...]) -> list[str]:
    """Return the paths of a folder's files with some endings, sorted by name.

    Hidden files are left aside (other systems put some beside each file), and so is whatever else
    is no file: folders, links that lead nowhere, pipes.

    Args:
        folder: the folder.
        endings: of the names.

    Raises:
        OSError: if the folder cannot be read.

    Examples:
        >>> [os.path.basename(path) for path in files_in("data", ".kdb")]
        ['3x4-level2.kdb', '4x4-level0.kdb', '4x5-level0.kdb']
    """
    return [
        path
        for name in sorted(os.listdir(folder))
        if name.endswith(endings) and not name.startswith(".")
        if os.path.isfile(path := os.path.join(folder, name))
    ]


@contextlib.contextmanager
def replacement(path: str | os.PathLike[str], *, sync: bool = True) -> Iterator[Path]:
    """Yield the path of a file to write, which replaces `path` once it is complete.

    If anything fails, `path` stays unchanged and no other file is left. What a killed process has
    left of the same file is removed. The new file gets the permissions of the old one, a link is
    followed, and a pipe or a device is written to directly.

    Args:
        path: the file. Two writers at once leave one whole file.
        sync: wait until the file is on the disk, so that a power cut leaves the old or the new one.
            Files of a folder of unfinished work, which has a lock of its own, need no such care,
            and their remains are removed with that folder.

    Raises:
        OSError: if the file cannot be put there.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     target = Path(folder, "numbers")
        ...     with replacement(target) as writing:
        ...         _ = writing.write_text("1 2 3")
        ...         target.exists()
        ...     target.read_text(), len(os.listdir(folder))
        False
        ('1 2 3', 1)
    """
    target = Path(os.path.realpath(path))
    try:
        mode = os.stat(path).st_mode  # `target` names no file if /dev/stdout is a pipe.
    except FileNotFoundError:
        mode = stat.S_IFREG
    if not stat.S_ISREG(mode):
        yield Path(path)
        return
    writing = _passing(target)
    try:
        with contextlib.ExitStack() as stack:
            if sync:
                _remove_remains(target)
                stack.enter_context(FileLock(writing, _PATIENCE))
            yield writing
            if stat.S_IMODE(mode):
                with contextlib.suppress(PermissionError):  # CIFS and FUSE may have no such thing
                    os.chmod(writing, stat.S_IMODE(mode))
            if sync:
                _sync(writing)
            os.replace(writing, target)
    except BaseException as fault:
        with contextlib.suppress(OSError):
            os.unlink(writing)
        if isinstance(fault, OSError) and fault.filename in (writing, str(writing)):
            fault.filename = os.fspath(path)  # the name that the caller knows
        raise
    if sync:
        sync_folder(target.parent)


@contextlib.contextmanager
def passing_folder(beside: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a new folder beside a file, which is removed at the end, or by the next of its kind.

    Args:
        beside: the file.

    Raises:
        OSError: if the folder cannot be made.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with passing_folder(folder + "/a") as passing:
        ...         passing.is_dir()
        ...     os.listdir(folder)
        True
        []
    """
    target = Path(os.path.abspath(beside))  # under this name other machines may see it
    _remove_remains(target)
    lock = None
    while lock is None:
        folder = _passing(target)
        folder.mkdir()
        with contextlib.suppress(FileNotFoundError):  # Somebody has taken it for remains.
            lock = FileLock(folder / _LOCK, _PATIENCE)
    try:
        with lock:
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _passing(target: Path) -> Path:
    """A name of what is written in place of a file, or beside it."""
    return target.with_name("." + beside(target.name, f"-{os.urandom(8).hex()}.tmp"))


def is_passing(name: str, target: str | None = None) -> bool:
    """Whether a file's name is one that `replacement` makes, for any target or for this one.

    Examples:
        >>> is_passing(".a-0123456789abcdef.tmp"), is_passing("a.tmp")
        (True, False)
    """
    found = re.fullmatch(r"\..*(-[0-9a-f]{16}\.tmp)", name, re.DOTALL)
    return found is not None and (target is None or name == "." + beside(target, found[1]))


def _remove_remains(target: Path) -> None:
    """Remove what killed processes have left in place of a file or beside it."""
    with contextlib.suppress(OSError):
        remains = [left for left in os.scandir(target.parent) if is_passing(left.name, target.name)]
        for left in remains:
            folder = left.is_dir(follow_symlinks=False)
            lock = os.path.join(left.path, _LOCK) if folder else left.path
            with contextlib.suppress(OSError, KulamiError), FileLock(lock) as mine:
                if mine.held and folder:
                    shutil.rmtree(left.path)
                elif mine.held:
                    os.unlink(left.path)


def sync_folder(folder: Path) -> None:
    """Wait until the names of a folder's files are on the disk, where the system can do that."""
    with contextlib.suppress(OSError):
        _sync(folder)


def _sync(path: Path) -> None:
    try:
        opened = os.open(path, os.O_RDWR)  # Windows syncs only what may be written.
    except OSError:
        opened = os.open(path, os.O_RDONLY)  # It is a folder, or nobody may write it.
    try:
        synced(opened)
    finally:
        os.close(opened)


def synced(opened: int) -> None:
    """Wait until an open file is on the disk, where its file system can tell."""
    try:
        os.fsync(opened)
    except OSError as fault:
        if fault.errno not in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
            raise


def room_in(folder: str | os.PathLike[str]) -> int | None:
    """Return how many bytes are free on a folder's disk; None if the system does not say.

    Examples:
        >>> room_in(".") > 0
        True
    """
    try:
        usage = shutil.disk_usage(folder)
    except (OSError, ValueError):
        return None
    known = any(usage)  # some network file systems say 0 of everything
    return usage.free if known and usage.free >= 0 else None


def write_atomically(
    path: str | os.PathLike[str],
    chunks: Iterable[bytes | bytearray | memoryview],
    *,
    sync: bool = True,
) -> None:
    """Write a file completely or, if anything fails, leave it unchanged.

    Args:
        path, sync: as for `replacement`.
        chunks: its content, piece by piece.

    Raises:
        OSError: if it cannot be written.
    """
    with replacement(path, sync=sync) as writing, open(writing, "wb") as file:
        for chunk in chunks:
            file.write(chunk)


def holds(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> bool:
    """Return whether a file has this content, given piece by piece."""
    try:
        with open(path, "rb") as file:
            return all(file.read(len(chunk)) == chunk for chunk in chunks) and not file.read(1)
    except FileNotFoundError:
        return False


def file_sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    import hashlib  # slow

    digest = hashlib.sha256()
    for chunk in _chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def file_crc32(path: str | os.PathLike[str]) -> int:
    """Return the CRC-32 of a file."""
    crc = 0
    for chunk in _chunks(path):
        crc = zlib.crc32(chunk, crc)
    return crc


def _chunks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


@contextlib.contextmanager
def mapping(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file, and the remedy, in the error of a file system that maps none."""
    try:
        yield
    except OSError as fault:
        if fault.errno not in (errno.ENODEV, errno.EINVAL, errno.EACCES, errno.EPERM):
            fault.filename = os.fspath(path)
            raise
        why = f"its file system maps no files into memory ({fault.strerror}); copy it to another"
        raise OSError(fault.errno, why, os.fspath(path)) from None


def mapped_file(path: str | os.PathLike[str]) -> Any:
    """Map a file; returns its bytes, as an object with a buffer that `numpy.frombuffer` takes.

    Args:
        path: of the file, which is not empty.

    Raises:
        OSError: if it cannot be read, or no more can be mapped.

    Examples:
        >>> bytes(mapped_file("README.md"))[:15].decode()
        '# kulami_solver'
    """
    import mmap

    opened = os.open(path, os.O_RDONLY)
    try:
        with mapping(path):
            if not hasattr(mmap, "MAP_SHARED"):  # Windows, which counts no descriptors
                return mmap.mmap(opened, 0, access=mmap.ACCESS_READ)
            if sys.version_info >= (3, 13):
                return mmap.mmap(opened, 0, access=mmap.ACCESS_READ, trackfd=False)
            return _mapped(opened, os.fstat(opened).st_size)
    finally:
        os.close(opened)


def _mapped(opened: int, size: int) -> Any:
    """The system's own mmap; the mapping is released when nobody uses it any more."""
    import ctypes
    import mmap

    system = _system()
    address = system.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, opened, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
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
        return int(_MAPPINGS.read_text()) or None
    except (OSError, ValueError):
        return None
