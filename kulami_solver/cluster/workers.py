"""What is done on a worker: the tasks, and answers about itself.

Everything comes and goes as plain values, so that a worker of another version can answer, too.
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
    """Return where the package lies here: several copies may stand side by side."""
    return str(_PACKAGE)


def run_task(work: bytes, code: str) -> Any:
    """Do a task.

    Args:
        work: a function, its arguments, and those by name, pickled.
        code: `code_here` of who gives it.

    Raises:
        ClusterError: if this worker has other code: it has come after the others were looked at.
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
    if dropped:  # what it was told so has ended it early: that is no result
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
    """Return what a worker is, and sees, for `survey`.

    Args:
        folder: where it is to find the token; None if it needs no folder.
        token: what the file there says, and is called.
        writes: whether it is to write an answer beside it.
        files: the files that it is to find.
        alike: what it is to return the value of, or None.
        threads: how many the worker has, for the answer.
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
    """Read the token, write an answer, and say what room there is."""
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
