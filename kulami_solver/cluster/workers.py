"""The part that runs on a worker: its tasks, and its answers about itself.

All arguments and answers are plain values, so that a worker of another version can answer, too.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ..core.memory import available_memory
from ..core.tasks import watched_by
from ..core.version import __version__
from ..errors import ClusterError

_PACKAGE: Final = Path(os.path.abspath(__file__)).parent.parent
_CODE: Final = (".py", ".so", ".pyd")


@functools.cache
def code_here() -> str:
    """Return a digest of the package's code, Python and compiled, as it is installed here."""
    digest = hashlib.sha256()
    for path in sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _CODE):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def place_here() -> str:
    """Return the folder of the package here: a machine may have several copies."""
    return str(_PACKAGE)


def run_task(work: bytes, code: str) -> Any:
    """Do a task.

    Args:
        work: a function, its arguments and its keyword arguments, pickled.
        code: `code_here` of the process that gives the task.

    Raises:
        ClusterError: if this worker has other code: it has come after the survey.
    """
    from distributed import get_worker

    worker = get_worker()
    if code_here() != code:
        raise ClusterError("late_worker_other_code", worker=worker.address)
    key = worker.get_current_task()
    dropped = False

    def wanted() -> bool:
        nonlocal dropped
        task = worker.state.tasks.get(key)
        dropped = dropped or task is None or task.state not in ("executing", "long-running")
        return not dropped

    function, arguments, named = pickle.loads(work)
    with watched_by(wanted):
        result = function(*arguments, **named)
    if dropped:  # the function may have ended early: that is no result
        raise ClusterError("worker_told_to_stop", worker=worker.address)
    return result


def about_worker(
    folder: str | None,
    token: str,
    writes: bool,
    files: list[str],
    alike: Callable[[], object] | None,
    threads: int,
) -> dict[str, Any]:
    """Return a worker's description of itself and of what it sees, for `survey`.

    Args:
        folder: the folder with the token; None if the worker needs no folder.
        token: the content and the name of the file with the token.
        writes: whether to write an answer beside it.
        files: the files that the worker must find.
        alike: a function whose value goes into the answer, or None.
        threads: the worker's number of threads, for the answer.
    """
    answer: dict[str, Any] = {
        "version": __version__,
        "code": code_here(),
        "place": place_here(),
        "host": socket.gethostname(),
        "process": os.getpid(),
        "threads": threads,
        "memory": available_memory(),
        "sizes": [_size_of(path) for path in files],
        "alike": None if alike is None else alike(),
    }
    if folder is not None:
        answer |= _about_folder(Path(folder), token, writes)
    return answer


def _about_folder(folder: Path, token: str, writes: bool) -> dict[str, Any]:
    """Read the token, write an answer, and tell the room on the disk."""
    try:
        read = (folder / token).read_text(encoding="ascii")
        free = shutil.disk_usage(folder).free
    except (OSError, ValueError) as error:
        return {"reads": None, "fault": _said(error)}
    answered = None
    if writes:
        answered = f"{token}-{socket.gethostname()}-{os.getpid()}"
        try:
            (folder / answered).write_text(token, encoding="ascii")
        except OSError as error:
            return {"reads": read, "writes": None, "fault": _said(error)}
    return {"reads": read, "writes": answered, "free": free}


def _said(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _size_of(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None
