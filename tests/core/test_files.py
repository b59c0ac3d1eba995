"""Files that are there whole or not at all, and tasks that leave none behind."""

from __future__ import annotations

import os
import signal
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kulami_solver.core.file_length import FileLength
from kulami_solver.core.files import file_crc32, replacement, write_atomically
from kulami_solver.core.tasks import run_tasks


def test_the_length_of_an_open_file(tmp_path: Path) -> None:
    """Whatever becomes of the path: it is the length of the file that was opened."""
    path = tmp_path / "a"
    path.write_bytes(b"some")
    with open(path, "rb") as file:
        descriptor = file.fileno()
        length = FileLength(descriptor)
    with pytest.raises(OSError):  # noqa: PT011  (what a closed descriptor raises)
        FileLength(descriptor)
    assert length.now() == 4
    with open(path, "ab") as file:
        file.write(b" more")
    assert length.now() == 9
    path.unlink()
    assert length.now() == 9
    length.close()
    assert length.now() == -1
    length.close()


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")

    def fail(passing: Path) -> None:
        passing.write_bytes(b"new")
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError), replacement(target) as passing:
        fail(passing)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    target.chmod(0o640)
    (tmp_path / "link").symlink_to(target)
    write_atomically(tmp_path / "link", [b"ne", memoryview(b"w")])
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert (tmp_path / "link").is_symlink()
    assert file_crc32(target) == 0x6BE34445


def test_a_device_is_written_to_directly() -> None:
    write_atomically("/dev/null", [b"gone"])
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_two_writers_leave_one_whole_file(tmp_path: Path) -> None:
    target = tmp_path / "a"
    contents = [bytes([number]) * 100_000 for number in range(8)]
    with ThreadPoolExecutor(8) as executor:
        run_tasks(executor, [(write_atomically, target, [content]) for content in contents])
    assert target.read_bytes() in contents
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_the_order_of_tasks(threads: int) -> None:
    said: list[int] = []
    with ThreadPoolExecutor(threads) as executor:
        tasks = [(_slow_square, number) for number in range(20)]
        assert run_tasks(executor, tasks, range(20), said.append) == [n * n for n in range(20)]
        assert run_tasks(executor, []) == []
    assert said == sorted(said)
    assert said[-1] == sum(range(20))


def test_a_failing_task_leaves_none_at_work() -> None:
    at_work: list[int] = []
    begun: list[int] = []
    lock = threading.Lock()

    def work(number: int) -> None:
        with lock:
            begun.append(number)
            at_work.append(number)
        try:
            time.sleep(0.01)
            if number == 3:
                raise ValueError("the third")
        finally:
            with lock:
                at_work.remove(number)

    with ThreadPoolExecutor(2) as executor:
        with pytest.raises(ValueError, match="the third"):
            run_tasks(executor, [(work, number) for number in range(500)])
        assert at_work == []
        assert len(begun) < 500


def _slow_square(number: int) -> int:
    time.sleep(0.002 * (number % 3))
    return number * number


def test_ctrl_c_comes_between_steps() -> None:
    """Within one it could leave a lock of Python's taken, and the executor waiting for ever."""
    reported: list[int] = []

    def report(done: int) -> None:
        signal.raise_signal(signal.SIGINT)
        reported.append(done)

    before = signal.getsignal(signal.SIGINT)
    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        run_tasks(executor, [(time.sleep, 0.01)] * 50, report=report)
    assert len(reported) == 1
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        write_atomically(tmp_path / "none" / "a", [b"1"])
    assert raised.value.filename == str(tmp_path / "none" / "a")
