"""Locks between processes, with and without those of the file system, and locks in forks."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import kulami_solver as ks
from kulami_solver.cli.kulami.games import GAME
from kulami_solver.cli.results import add_game
from kulami_solver.core.files import passing_folder, write_atomically
from kulami_solver.core.locks import FileLock, free_in_forks
from kulami_solver.errors import KulamiError
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.prove import prove
from kulami_solver.storage import container
from kulami_solver.storage.kept_work import ResultFile

if not hasattr(os, "fork"):
    pytest.skip("locks and forks", allow_module_level=True)

ROOT = ks.Position(ks.Layout.parse("AAB/CCB"))
RECORD = {"level": 0, "moves": ["a1"]}


@pytest.fixture(params=[None, errno.ENOLCK, errno.ENOSYS, errno.EPERM])
def file_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int | None:
    """One with locks, and such as refuse them in each way, by the number of the error."""
    if request.param is not None:

        def refuse(*_: object) -> None:
            raise OSError(request.param, os.strerror(request.param))

        monkeypatch.setattr(fcntl, "flock", refuse)
    found: int | None = request.param
    return found


def ended_process() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    return ended.pid


@pytest.mark.usefixtures("file_system")
def test_one_process_has_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with FileLock(path), pytest.raises((BlockingIOError, KulamiError)):
        FileLock(path)
    FileLock(path).close()
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("anew", [False, True])
def test_a_lock_on_a_file_that_was_removed_is_none(
    anew: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever had it removed it, and somebody made it anew, while this one opened and locked it."""
    path, locked = tmp_path / "a", fcntl.flock
    tried: list[int] = []

    def lock(opened: int, how: int) -> None:
        if not tried:
            path.unlink()
            if anew:
                path.write_bytes(b"")
        tried.append(opened)
        locked(opened, how)

    monkeypatch.setattr(fcntl, "flock", lock)
    with FileLock(path) as mine:
        assert len(tried) == 2
        assert os.path.samestat(os.fstat(mine._file), path.stat())
        with pytest.raises(BlockingIOError):
            FileLock(path)


@pytest.mark.usefixtures("file_system")
@pytest.mark.parametrize("name", ["a", "\N{CJK UNIFIED IDEOGRAPH-65E5}" * 80, "a" * 247])
def test_whatever_locks_works(tmp_path: Path, name: str) -> None:
    """A build, a proof, a journal, a game that is added; and nothing is left but the files.

    Whatever lies beside a file meanwhile, however long the file's own name.
    """
    build(tmp_path / f"{name}.kdb", ROOT)
    prove(tmp_path / f"{name}.kpf", ROOT)
    for _ in range(2):
        with ResultFile(tmp_path / f"{name}.jsonl", {"journal": "test"}) as results:
            with pytest.raises(KulamiError):
                ResultFile(tmp_path / f"{name}.jsonl", {"journal": "test"})
            results.add({"result": 1})
    for number in (1, 2):
        assert add_game(str(tmp_path / f"{name}.games"), GAME, RECORD) == number
    found = sorted(Path(file).suffix for file in os.listdir(tmp_path))
    assert found == [".games", ".jsonl", ".kdb", ".kpf"]


def test_where_there_are_neither_locks_nor_links_nobody_is_kept_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(os, "symlink", refuse)
    with FileLock(tmp_path / "a") as lock, FileLock(tmp_path / "a"):
        assert not lock.held
    write_atomically(tmp_path / "a", [b"whole"])
    assert os.listdir(tmp_path) == ["a"]


def test_a_link_of_a_process_that_ended_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    path, link = tmp_path / "a", tmp_path / "a.lock"
    here = os.uname().nodename
    link.symlink_to(f"{here}:{ended_process()}:0123456789abcdef")
    with FileLock(path):
        assert os.readlink(link).startswith(f"{here}:{os.getpid()}:")
    assert os.listdir(tmp_path) == ["a"]
    # One of a living process, of another machine, and what is no such link at all.
    ended = ended_process()
    for made in (f"{here}:{os.getpid()}:0", f"not-{socket.gethostname()}:{ended}:0", None):
        if made is None:
            link.write_text("mine", encoding="ascii")
        else:
            link.symlink_to(made)
        with pytest.raises(KulamiError, match="if it has ended, remove the link") as raised:
            FileLock(path)
        assert str(link) in str(raised.value)
        link.unlink()


def test_games_are_added_by_several_processes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    children = []
    for child in range(3):
        process = os.fork()
        if not process:
            for number in range(8):
                add_game(str(path), GAME, RECORD | {"child": child, "number": number})
            os._exit(0)
        children.append(process)
    assert [os.waitpid(process, 0)[1] for process in children] == [0, 0, 0]
    assert len(path.read_bytes().splitlines()) == 24


def test_a_file_that_is_missing_stays_so_if_a_game_cannot_be_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kulami_solver.cli.output.write_file", fail)
    with pytest.raises(KeyboardInterrupt):
        add_game(str(tmp_path / "games.jsonl"), GAME, RECORD)
    assert os.listdir(tmp_path) == []


def test_what_killed_processes_left_is_removed_by_the_next(
    tmp_path: Path, file_system: int | None
) -> None:
    """Files and folders of the same target that no living process holds, and nothing else."""
    program = (
        "import fcntl, os, sys\n"
        "def refuse(*_): raise OSError(int(sys.argv[2]), 'no locks')\n"
        "if int(sys.argv[2]): fcntl.flock = refuse\n"
        "from kulami_solver.core.files import passing_folder, replacement\n"
        "with replacement(sys.argv[1]) as file, passing_folder(sys.argv[1]) as folder:\n"
        "    file.write_text('half'); (folder / 'part').write_text('half'); print('there')\n"
        "    sys.stdout.flush(); sys.stdin.read() or os._exit(9)\n"
    )
    target = tmp_path / "a"
    for other in (".a-note.tmp", f".b-{'0f' * 8}.tmp", "a.tmp"):
        (tmp_path / other).write_text("mine", encoding="ascii")
    others = set(os.listdir(tmp_path))
    words = [sys.executable, "-c", program, str(target), str(file_system or 0)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as living:
        assert living.stdin is not None
        assert living.stdout is not None
        living.stdout.readline()
        held = set(os.listdir(tmp_path)) - others
        assert sum(name.endswith(".tmp") for name in held) == 2
        assert subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode == 9
        assert len(os.listdir(tmp_path)) == len(others) + 2 * len(held)
        write_atomically(target, [b"whole"])
        assert set(os.listdir(tmp_path)) == others | held | {"a"}
        living.stdin.close()
    with passing_folder(target):
        pass
    assert set(os.listdir(tmp_path)) == others | {"a"}


def test_a_lock_that_another_thread_has_is_free_in_a_fork(tmp_path: Path) -> None:
    """Among them those of the package, whether a module or an open database has them."""
    build(tmp_path / "a.kdb", ROOT)
    database = ks.open_database(tmp_path / "a.kdb")
    kept = [free_in_forks(threading.Lock()), free_in_forks(threading.RLock())]
    locks = [container._CONVERTING, database._parts._lock, *kept]
    taken, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        for lock in locks:
            lock.acquire()
        taken.set()
        go_on.wait()
        for lock in locks:
            lock.release()

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    child = os.fork()
    if not child:
        os._exit(0 if all(lock.acquire(timeout=5) for lock in locks) else 1)
    go_on.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    database.close()
