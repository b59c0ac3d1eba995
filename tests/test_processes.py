"""Processes that ask bots: what they let go of when they are ended, and that they do end."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from kulami_solver.bots.processes import close_at_end, set_up, workers_at
from kulami_solver.bots.protocol import BotCrashed
from kulami_solver.core.tasks import first_completed

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends a signal")


def begin(folder: str) -> Callable[[], None]:
    with set_up():
        closed = Path(folder, "closed")
    close_at_end(closed.touch)
    return lambda: None


def end_this_process(times: int) -> int:
    """What a task sees of it if its worker is told to end while it is at work."""
    try:
        signal.raise_signal(signal.SIGTERM)
    finally:
        if times > 1:
            signal.raise_signal(signal.SIGTERM)
    return 1


@pytest.mark.parametrize("times", [1, 2])
def test_a_worker_ends_in_the_midst_of_a_task(times: int, tmp_path: Path) -> None:
    """An executor would have taken the exit for the task's failure, and the worker waited on."""
    begun = time.monotonic()
    with (
        pytest.raises(BotCrashed, match="it has ended"),
        workers_at(1, "test", begin, (str(tmp_path),), "it has ended") as workers,
    ):
        workers.submit(end_this_process, times).result(timeout=60)
    assert time.monotonic() - begun < 60
    # Told twice, it is gone at once.
    assert (tmp_path / "closed").exists() == (times == 1)


def test_an_exit_of_a_bot_is_its_own_failure(tmp_path: Path) -> None:
    with workers_at(1, "test", begin, (str(tmp_path),), "it has ended") as workers:
        with pytest.raises(SystemExit):
            workers.submit(exit, 3).result(timeout=60)
        assert workers.submit(abs, -1).result(timeout=60) == 1
    assert (tmp_path / "closed").exists()


def test_ctrl_c_while_waiting_comes_after_a_tenth_of_a_second() -> None:
    """Within `concurrent.futures.wait` it could come while a lock was about to be let go of."""
    pid, late = os.getpid(), threading.Timer(0.3, lambda: os.kill(pid, signal.SIGINT))
    waiting: Future[int] = Future()
    late.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        first_completed([waiting])
    assert 0.2 < time.monotonic() - begun < 10
    late.join()


def test_what_is_done_by_then_is_returned() -> None:
    done: Future[int] = Future()
    done.set_result(1)
    waiting: Future[int] = Future()
    assert first_completed([done, waiting]) == {done}
    assert first_completed([waiting], 0.0) == set()
    assert first_completed([]) == set()
