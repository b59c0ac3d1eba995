"""A cluster that is silent says so, and what to do, within the time that is nothing unusual."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster_processes import Processes, cluster_of

import kulami_solver as ks
from kulami_solver.cluster import connect

pytestmark = pytest.mark.long

PATIENCE = 3.0


class Heard:
    """What was said, which may be waited for."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self._come = threading.Event()

    def __call__(self, sentence: str) -> None:
        self.sentences.append(sentence)
        self._come.set()

    def wait(self) -> str:
        """The first thing that is said."""
        assert self._come.wait(10 * PATIENCE), "nothing was said"
        return self.sentences[0]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """One of its own: its processes are stopped for a while."""
    with cluster_of(tmp_path_factory.mktemp("silent"), 1) as processes:
        yield processes


def stopped(process: object) -> int:
    """Stop a process, which keeps its connections; returns its number."""
    number = process.pid  # type: ignore[attr-defined]
    os.kill(number, signal.SIGSTOP)
    return int(number)


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("worker", "the worker at {worker} hangs, it was last heard of at "),
        ("scheduler", "the scheduler at {scheduler} has not answered for 3 seconds"),
    ],
)
def test_who_hangs_is_named(who: str, said: str, cluster: Processes) -> None:
    heard = Heard()
    with connect(cluster.address) as executor, executor.watched(heard, PATIENCE):
        (address,) = executor.workers()
        assert executor.submit(pow, 2, 3).result() == 8
        number = stopped(cluster.workers[0] if who == "worker" else cluster.scheduler)
        try:
            task = executor.submit(pow, 2, 4)
            assert said.format(worker=address, scheduler=cluster.address) in heard.wait()
        finally:
            os.kill(number, signal.SIGCONT)
        assert task.result(60) == 16
    assert who == "scheduler" or len(heard.sentences) == 1


def test_a_worker_that_is_busy_is_not_said_to_hang(cluster: Processes) -> None:
    heard = Heard()
    with connect(cluster.address) as executor, executor.watched(heard, PATIENCE):
        (address,) = executor.workers()
        task = executor.submit(time.sleep, 2.2 * PATIENCE)
        said = heard.wait()
        assert f"1 of the workers work, among them the one at {address}, and all of them" in said
        task.result(60)
        assert len(heard.sentences) == 1
        time.sleep(1.3 * PATIENCE)  # there is nothing to wait for
        assert len(heard.sentences) == 1


@pytest.mark.nightly
def test_a_build_goes_on_without_a_worker_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler ends it after the time that scripts/cluster.sh sets, here three seconds."""
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "3s")
    root = ks.Position(ks.Layout.parse("AABBE/CCDDE/CCDDE"))
    ks.build(tmp_path / "a.kdb", root, shard=500)
    with cluster_of(tmp_path, 2) as processes, connect(processes.address) as executor:
        number = stopped(processes.workers[0])
        try:
            begun = time.monotonic()
            ks.build(tmp_path / "b.kdb", root, shard=500, force=True, executor=executor)
            assert time.monotonic() - begun < 60
        finally:
            os.kill(number, signal.SIGCONT)
    assert (tmp_path / "a.kdb").read_bytes() == (tmp_path / "b.kdb").read_bytes()
