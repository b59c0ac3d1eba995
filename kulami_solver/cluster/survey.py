"""The check, before work begins, that every worker can do it.

This side leaves a file with a token in a passing folder in the shared one. Each worker reads the
token, and writes an answer that is read here. Each worker also tells its code, its available
memory, and the room on its disk. The first unfit worker is named.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from ..core.files import passing_folder
from ..core.tasks import Needs
from ..core.version import __version__
from ..errors import ClusterError
from ..storage.resources import size_in_words
from .workers import about_worker, place_here


class Workers(Protocol):
    """The part of a cluster that is needed here: a digest of its code, and its workers' answers."""

    @property
    def code(self) -> str: ...

    def wait_for_worker(self) -> None: ...

    def run_on_workers(
        self, function: Callable[..., Any], arguments_of: Callable[[int], tuple[Any, ...]]
    ) -> Mapping[str, Any]: ...


def check(cluster: Workers, needs: Needs) -> None:
    """Check that every worker can do some work.

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
        answers: Mapping[str, Any] = {}
        while not answers:  # all workers may have ended while they were asked
            cluster.wait_for_worker()
            answers = cluster.run_on_workers(
                about_worker, lambda threads: (place, token, needs.writes, files, alike, threads)
            )
        for worker, answer in answers.items():
            if answer is None:
                raise ClusterError("worker_no_answer", worker=worker)
            if isinstance(answer, Exception):
                reason = " ".join(f"{type(answer).__name__}: {answer}".split())[:200]
                raise ClusterError(
                    "worker_cannot_run", worker=worker, version=__version__, reason=reason
                )
            _check_code(worker, answer, cluster.code)
            _check_files(worker, answer, files)
            if answer["alike"] != wanted:
                raise ClusterError("worker_other_file", worker=worker, thing=thing)
            if place is not None:
                _check_folder(worker, answer, Path(place), token, needs)
        _check_memory(answers, needs)


def _check_code(worker: str, answer: Mapping[str, Any], code: str) -> None:
    if answer.get("version") != __version__:
        raise ClusterError(
            "worker_other_version", worker=worker, found=answer.get("version"), version=__version__
        )
    if answer.get("code") != code:
        raise ClusterError(
            "other_code",
            worker=worker,
            version=__version__,
            there=answer.get("place", "?"),
            here=place_here(),
        )


def _check_files(worker: str, answer: Mapping[str, Any], files: list[str]) -> None:
    for path, size in zip(files, answer["sizes"], strict=True):
        if size != os.stat(path).st_size:
            raise ClusterError("worker_does_not_see", worker=worker, path=path)


def _check_folder(
    worker: str, answer: Mapping[str, Any], place: Path, token: str, needs: Needs
) -> None:
    folder = place.parent
    shared = "the folder has to be the same one, under the same name, on all machines"
    if answer["reads"] != token:
        fault = answer.get("fault", "another folder of that name")
        raise ClusterError(
            "worker_no_folder", worker=worker, folder=folder, fault=fault, remedy=shared
        )
    if not needs.writes:
        return
    written = answer["writes"]
    if written is None:
        raise ClusterError(
            "worker_cannot_write", worker=worker, folder=folder, fault=answer["fault"]
        )
    try:
        seen = (place / written).read_text(encoding="ascii")
    except OSError:
        seen = ""
    if seen != token:
        raise ClusterError("worker_not_seen", worker=worker, folder=folder, remedy=shared)
    if answer["free"] < needs.disk:
        raise ClusterError(
            "worker_little_disk",
            what=needs.said,
            needed=size_in_words(needs.disk),
            worker=worker,
            room=size_in_words(answer["free"]),
            folder=folder,
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
                "workers_little_memory",
                what=needs.said,
                worker=workers[0],
                others=others,
                threads=threads,
                needed=size_in_words(wanted),
                allowed=size_in_words(allowed),
            )
