"""A dask scheduler and its workers as processes of this machine, on loopback, and their ends."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent

# How long a process may take to be there, in seconds: a busy machine takes its time.
_START = 60.0


class Processes:
    """A scheduler and workers, which end with the block.

    Args:
        folder: for what they note, and their own files.
        port: of the scheduler, 0 for a free one.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = ""
        self._began = 0
        self.scheduler = self._start_scheduler(port)

    def _start_scheduler(self, port: int) -> subprocess.Popen[bytes]:
        note = self.folder / f"scheduler-{time.monotonic_ns()}.json"
        started = self._start(
            "scheduler", "--port", str(port), "--scheduler-file", str(note), "--host", "127.0.0.1"
        )
        deadline = time.monotonic() + _START
        while not note.exists():
            assert started.poll() is None, "the scheduler has ended"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self.address = json.loads(note.read_text())["address"]
        return started

    def add_workers(self, number: int, threads: int = 1, **environment: str) -> None:
        """Start workers, without nannies: they are not started again by themselves."""
        for _ in range(number):
            self._began += 1
            self.workers.append(
                self._start(
                    "worker", self.address, "--nthreads", str(threads), "--memory-limit", "0",
                    "--no-nanny", "--name", f"worker-{self._began}",
                    "--local-directory", str(self.folder), "--host", "127.0.0.1",
                    **environment,
                )
            )  # fmt: skip

    def _start(self, kind: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + kind, "--no-dashboard", *options],
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(TESTS), **environment},
        )

    def kill_worker(self, number: int) -> None:
        """End a worker by SIGKILL."""
        killed = self.workers.pop(number)
        killed.kill()
        killed.wait()

    def kill_scheduler(self) -> int:
        """End the scheduler by SIGKILL; its port."""
        self.scheduler.kill()
        self.scheduler.wait()
        return int(self.address.rpartition(":")[2])

    def start_scheduler_again(self) -> None:
        """Start another one at the same address."""
        port = int(self.address.rpartition(":")[2])
        self.scheduler = self._start_scheduler(port)

    def end(self) -> None:
        """End them all."""
        for process in (*self.workers, self.scheduler):
            process.kill()
        for process in (*self.workers, self.scheduler):
            process.wait()


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
