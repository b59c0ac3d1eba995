"""The part that runs on a worker: its tasks, and its answers about itself; the check of these.

All arguments and answers of a worker are plain values, so that one of another version can answer,
too.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import secrets
import shutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ..core.files import passing_folder
from ..core.memory import available_memory
from ..core.tasks import Needs, watched_by
from ..core.version import __version__
from ..errors import ClusterError
from ..storage.resources import size_in_words

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
        raise ClusterError(
            f"worker {worker.address}, which has come later, has other code of kulami_solver than "
            "there is here: install the same there, and start it again"
        )
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
        raise ClusterError(f"worker {worker.address} was told that a task was not wanted any more")
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
        "place": str(_PACKAGE),
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


def survey(
    ask: Callable[[Callable[..., Any], Callable[[int], tuple[Any, ...]]], Mapping[str, Any]],
    code: str,
    needs: Needs,
) -> None:
    """Check that every worker can do some work.

    This side leaves a file with a token in a passing folder in the shared one. Each worker reads
    the token, and writes an answer that is read here. Each worker also tells its code, its
    available memory, and the room on its disk. The first unfit worker is named.

    Args:
        ask: has every worker call a function, with arguments that depend on its number of threads;
            returns their answers.
        code: `code_here` of this process.
        needs: the requirements.

    Raises:
        ClusterError: if one cannot, or the folder cannot be written here.
    """
    token = f"token-{secrets.token_hex(8)}"
    folder = None if needs.folder is None else Path(os.path.abspath(needs.folder))
    files = [os.path.abspath(path) for path in needs.files]
    alike, thing = needs.alike or (None, "")
    wanted = None if alike is None else alike()
    with contextlib.ExitStack() as stack:
        place = None
        if folder is not None:
            place = str(stack.enter_context(passing_folder(folder / "kulami-token")))
            Path(place, token).write_text(token, encoding="ascii")
        answers = ask(
            about_worker, lambda threads: (place, token, needs.writes, files, alike, threads)
        )
        for worker, answer in answers.items():
            if answer is None:
                raise ClusterError(f"worker {worker} does not answer: end it, or wait for it")
            if isinstance(answer, Exception):
                reason = " ".join(f"{type(answer).__name__}: {answer}".split())[:200]
                raise ClusterError(
                    f"worker {worker} cannot run kulami_solver {__version__} ({reason}): install "
                    "the same there as here, and start it again"
                )
            _check_code(worker, answer, code)
            _check_files(worker, answer, files)
            if answer["alike"] != wanted:
                raise ClusterError(
                    f"worker {worker} has another {thing} than there is here: start it in a folder "
                    "where it finds the same files"
                )
            if place is not None:
                _check_folder(worker, answer, Path(place), token, needs)
        _check_memory(answers, needs)


def _check_code(worker: str, answer: Mapping[str, Any], code: str) -> None:
    if answer.get("version") != __version__:
        raise ClusterError(
            f"worker {worker} has kulami_solver {answer.get('version')}, and here is "
            f"{__version__}: install the same there, and start it again"
        )
    if answer.get("code") != code:
        raise ClusterError(
            f"worker {worker} has other code of kulami_solver {__version__} than there is here "
            f"({answer.get('place', '?')} there, {_PACKAGE} here): install the same there, "
            "compiled alike, a source tree by pip install -e, and start it again"
        )


def _check_files(worker: str, answer: Mapping[str, Any], files: list[str]) -> None:
    for path, size in zip(files, answer["sizes"], strict=True):
        if size != os.stat(path).st_size:
            raise ClusterError(
                f"worker {worker} does not see {path} as it is here: put it where all machines "
                "have it under the same name"
            )


def _check_folder(
    worker: str, answer: Mapping[str, Any], place: Path, token: str, needs: Needs
) -> None:
    folder = place.parent
    shared = "the folder has to be the same one, under the same name, on all machines"
    if answer["reads"] != token:
        fault = answer.get("fault", "another folder of that name")
        raise ClusterError(f"worker {worker} does not see {folder} ({fault}): {shared}")
    if not needs.writes:
        return
    written = answer["writes"]
    if written is None:
        raise ClusterError(
            f"worker {worker} cannot write in {folder} ({answer['fault']}): let it, or name "
            "another folder"
        )
    try:
        seen = (place / written).read_text(encoding="ascii")
    except OSError:
        seen = ""
    if seen != token:
        raise ClusterError(f"what worker {worker} writes in {folder} is not seen here: {shared}")
    if answer["free"] < needs.disk:
        raise ClusterError(
            f"{needs.said}: that needs {size_in_words(needs.disk)} of disk, and worker {worker} "
            f"has {size_in_words(answer['free'])} in {folder}; name another folder, "
            "or --force (force=True)"
        )


def _check_memory(answers: Mapping[str, Mapping[str, Any]], needs: Needs) -> None:
    """Check that each machine has the memory that its workers take together."""
    machines: dict[str, list[str]] = {}
    for worker, answer in answers.items():
        machines.setdefault(answer["host"], []).append(worker)
    for workers in machines.values():
        threads = sum(answers[worker]["threads"] for worker in workers)
        wanted = len(workers) * needs.memory + threads * needs.thread
        allowed = min(answers[worker]["memory"] for worker in workers)
        if needs.allowed is not None:
            allowed = needs.allowed
        if wanted > allowed:
            others = f" and {len(workers) - 1} more on its machine" if len(workers) > 1 else ""
            raise ClusterError(
                f"{needs.said}: worker {workers[0]}{others}, with {threads} threads, needs "
                f"{size_in_words(wanted)} of memory, and {size_in_words(allowed)} may be used; "
                "start fewer workers there, give more --memory (memory=), or --force (force=True)"
            )
