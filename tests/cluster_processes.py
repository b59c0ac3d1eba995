"""A dask scheduler and its workers as processes of this machine, on loopback, and their ends.

Each does what `dask scheduler` or `dask worker` does, and is forked from a process that has
imported all of it: that takes a second of a processor, and some tests start a dozen of them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from kulami_solver import Database, DatabaseError
from kulami_solver.core.tasks import is_wanted
from kulami_solver.errors import NotationError

# How long a process may take to be there, in seconds: a busy machine takes its time.
_START = 60.0

_FORKED = multiprocessing.get_context("forkserver")
_IMPORTED = [
    *("distributed.scheduler", "distributed.worker", "distributed.http.scheduler.info"),
    *("distributed.cli.dask_scheduler", "distributed.cli.dask_worker"),
    *("kulami_solver", "kulami_solver.cluster.workers"),
]


def _serve(kind: str, folder: Path, words: list[str], environment: dict[str, str]) -> None:
    """Be a scheduler or a worker; runs in a process of its own."""
    import dask

    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.environ.update(environment)
    dask.config.refresh()
    importlib.import_module(f"distributed.cli.dask_{kind}").main(words)


class Processes:
    """A scheduler and workers, which end with the block.

    Args:
        folder: for what they note, and their own files.
        port: of the scheduler, 0 for a free one.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder = folder
        self.workers: list[BaseProcess | subprocess.Popen[bytes]] = []
        self.address = ""
        self._began = 0
        self.scheduler = self._start_scheduler(port)

    def _start_scheduler(self, port: int) -> BaseProcess:
        note = self.folder / f"scheduler-{time.monotonic_ns()}.json"
        words = ["--port", str(port), "--scheduler-file", str(note), "--host", "127.0.0.1"]
        words += ["--no-dashboard"]
        started = self._fork("scheduler", words)
        deadline = time.monotonic() + _START
        while not note.exists() or not note.read_text():  # it is written after it is there
            assert started.is_alive(), "the scheduler has ended"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self.address = json.loads(note.read_text())["address"]
        return started

    def add_workers(self, number: int, threads: int = 1, path: Path | None = None) -> None:
        """Start workers, without nannies: they are not started again by themselves.

        Args:
            number: how many.
            threads: of each of them.
            path: where they look for packages first; such ones begin with Python.
        """
        for _ in range(number):
            self._began += 1
            words = [
                *(self.address, "--nthreads", str(threads), "--memory-limit", "0", "--no-nanny"),
                *("--name", f"worker-{self._began}", "--local-directory", str(self.folder)),
                *("--host", "127.0.0.1", "--no-dashboard"),
            ]
            if path is None:
                self.workers.append(self._fork("worker", words))
            else:
                self.workers.append(
                    subprocess.Popen(
                        [sys.executable, "-m", "distributed.cli.dask_worker", *words],
                        stderr=subprocess.DEVNULL,
                        cwd=self.folder,
                        env={**os.environ, "PYTHONPATH": str(path)},
                    )
                )

    def _fork(self, kind: str, words: list[str]) -> BaseProcess:
        _FORKED.set_forkserver_preload(_IMPORTED)
        started = _FORKED.Process(target=_serve, args=(kind, self.folder, words, {**os.environ}))
        started.start()
        return started

    def kill_worker(self, number: int) -> None:
        """End a worker by SIGKILL."""
        _end(self.workers.pop(number))

    def kill_scheduler(self) -> int:
        """End the scheduler by SIGKILL; its port."""
        _end(self.scheduler)
        return int(self.address.rpartition(":")[2])

    def start_scheduler_again(self) -> None:
        """Start another one at the same address."""
        self.scheduler = self._start_scheduler(int(self.address.rpartition(":")[2]))

    def end(self) -> None:
        """End them all."""
        for process in (*self.workers, self.scheduler):
            _end(process)


def _end(process: BaseProcess | subprocess.Popen[bytes]) -> None:
    """End a process by SIGKILL, and wait until it is gone."""
    process.kill()
    if isinstance(process, subprocess.Popen):
        process.wait()
    else:
        process.join()


@contextlib.contextmanager
def cluster_of(folder: Path, workers: int, threads: int = 1) -> Iterator[Processes]:
    """A scheduler and so many workers."""
    processes = Processes(folder)
    try:
        processes.add_workers(workers, threads)
        yield processes
    finally:
        processes.end()


@contextlib.contextmanager
def killing(
    processes: Processes, number: int, pause: tuple[float, float], seed: int
) -> Iterator[list[float]]:
    """Kill so many workers within the block, at random moments, and start another one for each.

    Args:
        processes: whose workers.
        number: how many.
        pause: seconds between two of them, from and to.
        seed: of the moments, and of who is killed.

    Yields:
        The moments, as they come.
    """
    draw = random.Random(seed)
    moments: list[float] = []
    over = threading.Event()

    def kill() -> None:
        while len(moments) < number and not over.wait(draw.uniform(*pause)):
            processes.kill_worker(draw.randrange(len(processes.workers)))
            moments.append(time.monotonic())
            processes.add_workers(1)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield moments
    finally:
        over.set()
        killer.join()


# What tests have workers do: they import it from here


def told(*arguments: Any, **named: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What it was given."""
    return arguments, named


def fail() -> None:
    """Fail as the package does."""
    raise NotationError("no such thing")


def end() -> None:
    """End the worker."""
    os._exit(1)


def wait_until_unwanted(folder: str) -> None:
    """Say that it has begun, and that nobody wants it any more."""
    Path(folder, "begun").touch()
    deadline = time.monotonic() + 60
    while is_wanted():
        if time.monotonic() > deadline:
            return
        time.sleep(0.02)
    Path(folder, "dropped").touch()


def code_of_worker() -> str:
    """The digest of a worker's code."""
    from kulami_solver.cluster.workers import code_here

    return code_here()


def damaged(database: Database) -> bool:
    """Whether the file as it is there is damaged."""
    try:
        list(database.check_sections())
    except DatabaseError:
        return True
    return False
