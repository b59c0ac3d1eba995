"""Files that are there whole or not at all, and tasks that leave none behind."""

from __future__ import annotations

import errno
import hashlib
import mmap
import os
import random
import signal
import stat
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import kulami_solver as ks
from kulami_solver.core import files
from kulami_solver.core.file_length import FileLength
from kulami_solver.core.files import (
    file_crc32,
    file_sha256,
    mapped_file,
    replacement,
    write_atomically,
)
from kulami_solver.core.tasks import run_tasks
from kulami_solver.errors import KulamiError
from kulami_solver.storage import kept_work
from kulami_solver.storage.kept_work import BuildFolder, ResultFile


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


def test_who_reads_a_file_reads_the_old_one_to_its_end(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old" * 1000)
    with open(target, "rb") as reading:
        write_atomically(target, [b"new"])
        assert reading.read() == b"old" * 1000
    assert target.read_bytes() == b"new"


def test_checksums_are_those_of_the_whole_file(tmp_path: Path) -> None:
    content = random.Random(1).randbytes((2 << 20) + 3)
    (tmp_path / "a").write_bytes(content)
    assert file_crc32(tmp_path / "a") == zlib.crc32(content)
    assert file_sha256(tmp_path / "a") == hashlib.sha256(content).hexdigest()


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


@pytest.mark.parametrize(
    ("asked", "number"), [("chmod", errno.EPERM), ("fsync", errno.EINVAL), ("fsync", errno.ENOSYS)]
)
def test_a_file_system_that_can_do_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    write_atomically(tmp_path / "a", [b"first"])
    monkeypatch.setattr(os, asked, refuse)
    write_atomically(tmp_path / "a", [b"second"])
    with ResultFile(tmp_path / "b", {"journal": "test"}) as results:
        results.add({"result": 1})
    assert (tmp_path / "a").read_bytes() == b"second"


@pytest.mark.parametrize("opening", [mapped_file, ks.open_database])
def test_a_file_system_that_maps_no_files(
    monkeypatch: pytest.MonkeyPatch, opening: Callable[[str], object]
) -> None:
    """The error names the file, and what to do."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENODEV, "No such device")

    monkeypatch.setattr(mmap, "mmap", refuse)
    monkeypatch.setattr(files, "_mapped", refuse)
    with pytest.raises(OSError, match="copy it to another") as raised:
        opening("data/3x4-level2.kdb")
    assert raised.value.filename == "data/3x4-level2.kdb"


def test_results_of_a_run_that_was_killed_become_one_frame(tmp_path: Path) -> None:
    """As in a run that was not; also if nothing is new, and what it left beside goes."""
    path, whole = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"
    for file in (path, whole):
        with ResultFile(file, {"journal": "test"}) as results:
            for number in range(9):
                results.add({"result": number})
            if file == path:
                frames = path.read_bytes()
    path.write_bytes(frames)
    (tmp_path / f".{path.name}-{'0f' * 8}.tmp").write_bytes(b"half")
    with ResultFile(path, {"journal": "test"}) as results:
        assert len(results.known) == 9
    assert len(frames) > 2 * len(path.read_bytes())
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.jsonl.gz", "b.jsonl.gz"]


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


def test_a_journal_whose_first_line_was_cut_short_is_begun_anew(tmp_path: Path) -> None:
    """But only what the same task would have written is taken for such a line."""
    path = tmp_path / "a.jsonl"
    with ResultFile(path, {"journal": "test", "number": 1}):
        whole = path.read_bytes()
    for size in (0, 1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with ResultFile(path, {"journal": "test", "number": 1}) as results:
            assert results.known == []
        assert path.read_bytes() == whole
    for others in (whole[:-1], b"#notes", b"notes"):
        path.write_bytes(others)
        with pytest.raises(KulamiError, match="is no file of results"):
            ResultFile(path, {"journal": "test", "number": 2})
        assert path.read_bytes() == others
    path.write_bytes(whole)
    with pytest.raises(KulamiError, match="with number 1, not none: name another"):
        ResultFile(path, {"journal": "test", "number": None})
    with pytest.raises(KulamiError, match="with bot none, not 'a': name another"):
        ResultFile(path, {"journal": "test", "bot": "a"})


def test_work_that_is_done_is_removed_also_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = BuildFolder(tmp_path / "a", {})
    folder.open(force=False)
    kept_work.write(folder.path / "layer-00", [b"work"])

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(kept_work, "write_atomically", fail)
    folder.clear()
    assert os.listdir(tmp_path) == []


def test_a_file_that_another_build_has_just_written_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "a"
    folder = BuildFolder(target, {})
    target.write_bytes(b"of another build")  # while this one estimates what it needs
    with pytest.raises(KulamiError, match="another process has written it meanwhile"):
        folder.open(force=False)
    assert os.listdir(tmp_path) == ["a"]
    folder.open(force=True)
    folder.clear()


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
