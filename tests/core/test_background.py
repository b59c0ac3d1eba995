"""Work that is watched where there are no threads: a browser's. With threads, test_progress.py."""

from __future__ import annotations

import threading

import pytest

import kulami_solver as ks
from kulami_solver.core import background
from kulami_solver.core.background import run_watched
from kulami_solver.core.watch import watched_by

LATE = (
    "AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ "
    "1b2rrbr/rrrrrbbb/brr5/2b1b3/r1b1rb1b/bb1r2b1/1rbbrbr1/2r3rb r f7,b7"
)


def looked() -> None:
    """As a search in a browser does now and then."""
    watcher = watched_by(None)
    assert watcher is not None
    watcher()
    watched_by(watcher)


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(background, "HAS_THREADS", False)
    monkeypatch.setattr(threading, "Thread", no_thread)


@pytest.mark.usefixtures("_alone")
def test_the_work_itself_calls_what_watches_it() -> None:
    event = threading.Event()
    told: list[str] = []
    seconds: list[float] = []

    def work() -> None:
        looked()
        assert told == []
        event.set()
        for _ in range(10**6):
            looked()
            if told:
                return

    run_watched(work, lambda: told.append("stop"), event=event, report=seconds.append)
    assert told
    assert sorted(seconds) == seconds
    assert len(seconds) > 1
    assert watched_by(None) is None


@pytest.mark.usefixtures("_alone")
def test_it_is_stopped_when_its_time_is_up() -> None:
    told: list[str] = []

    def work() -> None:
        while not told:
            looked()

    run_watched(work, lambda: told.append("stop"), time=0.001)


@pytest.mark.usefixtures("_alone")
def test_what_is_raised_is_raised_again() -> None:
    told: list[str] = []

    def report(_seconds: float) -> None:
        raise OSError("the pipe is closed")

    with pytest.raises(OSError, match="the pipe is closed"):
        run_watched(lambda: None, lambda: told.append("stop"), report=report)
    assert told
    with pytest.raises(OSError, match="the pipe is closed"):
        run_watched(lambda: report(0), lambda: None)
    assert watched_by(None) is None


@pytest.mark.usefixtures("_alone")
def test_a_search_without_threads_finds_the_same() -> None:
    position = ks.Position.from_kfn(LATE)
    solution = ks.solve(position, every_move=True)
    assert (solution.margin, solution.nodes) == (-4, 149864)
