"""Work that takes long is kept on the disk: whatever ends it, the same command goes on to its end.

One machine for all that builds or proves. A power cut comes before or after any file gets its name;
whatever was not waited for on its way to the disk may then be cut short.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from command_line import kulami, until

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.core.files import write_atomically
from kulami_solver.kulami import prove as prove_module
from kulami_solver.kulami.database import build_tasks
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.prove import prove
from kulami_solver.storage import kept_work
from kulami_solver.storage.kept_work import BuildFolder, ResultFile

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals, inodes and locks")

ROOT = ks.Position(ks.Layout.parse("AABC/AABC/DDEE")).play("b1")
START = ks.Position(ks.Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))
LATE = START.play_all("d3 b3")
BOARD = malawi.Board(2, 5)
WORDS = {
    "kulami": ["build", "--kfn", ROOT.kfn()],
    "malawi": ["malawi", "build", "--board", "3x3", "--beads", "1"],
    "proof": ["prove", "--kfn", START.kfn(), "--threads", "1"],
    "semi-strong": ["prove", "--kfn", LATE.kfn(), "--threads", "1", "--semi-strong"],
}
KINDS: dict[str, Callable[..., Any]] = {
    "kulami": lambda path, **more: ks.build(path, ROOT, **{"shard": 40, **more}),
    "malawi": lambda path, board=BOARD, **more: malawi.build(
        path, board, threads=1, checkpoint_seconds=0, **more
    ),
    "proof": lambda path, **more: prove(path, START, threads=1, **more),
    "semi-strong": lambda path, **more: prove(path, LATE, threads=1, semi_strong=True, **more),
}
#: What makes other work of the same root.
OPTIONS: dict[str, dict[str, object]] = {
    "kulami": {"scoring": "1"},
    "malawi": {"board": malawi.Board(2, 5, 1)},
    "proof": {"semi_strong": True},
    "semi-strong": {"depth_left": 5},
}
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(autouse=True)
def _kept_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many files, and many of them."""
    monkeypatch.setattr(build_tasks, "_LEAST", 80)
    monkeypatch.setattr(prove_module, "_KEPT_EVERY", 0.0)
    monkeypatch.setattr(prove_module, "_AT_A_TIME", 499)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What each makes at one go."""
    folder = tmp_path_factory.mktemp("whole")
    for kind, make in KINDS.items():
        make(folder / kind)
    return {kind: (folder / kind).read_bytes() for kind in KINDS}


def assert_made(path: Path, whole: bytes) -> None:
    """A database has the same bytes; a proof may be another one of the same value."""
    if path.read_bytes() != whole:
        path.with_suffix(".whole").write_bytes(whole)
        with open_proof(path) as proof, open_proof(path.with_suffix(".whole")) as before:
            assert proof.verify().value == before.value
            assert proof.root == before.root
    assert not path.with_name(f"{path.name}.building").exists()


class CutError(BaseException):
    """The power is gone."""


class Disk:
    """Notes what is synced and what gets its name; the power is cut at one of the names."""

    def __init__(self, patch: pytest.MonkeyPatch, cut: int = -1, after: bool = True) -> None:
        self.events: list[tuple[str, int, int | str]] = []
        self.names: list[str] = []
        self.cut, self.after = cut, after
        self._fsync, self._replace = os.fsync, os.replace
        patch.setattr(os, "fsync", self.fsync)
        patch.setattr(os, "replace", self.replace)

    def fsync(self, opened: int) -> None:
        self._fsync(opened)
        found = os.fstat(opened)
        self.events.append(("sync", found.st_ino, found.st_size))

    def replace(self, source: Path, target: Path) -> None:
        here = len(self.names) == self.cut
        self.names.append(str(target))
        if here and not self.after:
            raise CutError
        self.events.append(("name", os.stat(source).st_ino, str(target)))
        self._replace(source, target)
        if here:
            raise CutError

    def lose(self, draw: random.Random) -> int:
        """Cut short some of the files that were not on the disk yet; returns how many."""
        lost, share = 0, draw.choice([0.0, 0.5])
        synced = {inode for kind, inode, _ in self.events if kind == "sync"}
        for name in {*self.names}:
            with contextlib.suppress(FileNotFoundError):
                if os.stat(name).st_ino not in synced and draw.random() < share:
                    os.truncate(name, draw.randrange(os.stat(name).st_size))
                    lost += 1
        return lost


@each_kind
@pytest.mark.parametrize("times", [9, pytest.param(200, marks=pytest.mark.nightly)])
def test_after_a_power_cut_it_goes_on(
    kind: str, times: int, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    """Twice in a row sometimes; and there is never a file under the name that is not whole."""
    draw = random.Random(kind)
    path = tmp_path / "it.kdb"
    with pytest.MonkeyPatch.context() as patch:
        counted = Disk(patch)
        first = KINDS[kind](path)
    cuts = 0
    for _ in range(times):
        path.unlink()
        rounds = draw.choice([1, 1, 2])
        for _ in range(rounds):
            with pytest.MonkeyPatch.context() as patch:
                disk = Disk(patch, draw.randrange(len(counted.names)), draw.random() < 0.5)
                with contextlib.suppress(CutError):
                    KINDS[kind](path)
                cuts += len(disk.names) == disk.cut + 1
            lost = disk.lose(draw)
            if path.exists():
                break
        if path.exists():
            assert path.read_bytes()[:8] == whole[kind][:8]
        with pytest.MonkeyPatch.context() as patch:
            again = Disk(patch)
            made = KINDS[kind](path)
        assert_made(path, whole[kind])
        # What was done is not done again.
        if not lost and rounds == 1 and "build" in WORDS[kind]:
            assert len(again.names) <= len(counted.names) - disk.cut // 2 + 1
        elif not lost and rounds == 1:
            assert made.nodes <= first.nodes - (disk.cut > len(counted.names) / 2)
    assert cuts > times / 2


def kept(folder: Path) -> Iterator[tuple[Path, Callable[[], Any]]]:
    """Whatever is kept: the file, and what writes it."""
    yield folder / "file", lambda: write_atomically(folder / "file", [b"some", b"more"])
    for kind, make in KINDS.items():
        yield folder / kind, functools.partial(make, folder / kind)
    work = BuildFolder(folder / "work", {})
    work.open(force=False)
    yield work.path / "choices", lambda: kept_work.save(work.path / "choices", [1, 2], sync=True)

    def journal(path: Path) -> None:
        with ResultFile(path, {"journal": "test"}) as results:
            results.add({"result": 1})

    yield folder / "a.jsonl.gz", lambda: journal(folder / "a.jsonl.gz")


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, write in kept(tmp_path):
        with pytest.MonkeyPatch.context() as patch:
            events = Disk(patch)
            write()
        places = [number for number, one in enumerate(events.events) if one[2] == str(path)]
        name, inode = places[-1], events.events[places[-1]][1]
        assert ("sync", inode, path.stat().st_size) in events.events[:name], path
        folder = path.parent.stat()
        assert stat.S_ISDIR(folder.st_mode)
        assert folder.st_ino in [one[1] for one in events.events[name:] if one[0] == "sync"], path
    with pytest.MonkeyPatch.context() as patch:
        events = Disk(patch)
        with ResultFile(tmp_path / "a.jsonl", {"journal": "test"}) as results:
            results.add({"result": 1})
    found = (tmp_path / "a.jsonl").stat()
    assert events.events[-1] == ("sync", found.st_ino, found.st_size)


class Step(NamedTuple):
    """Raises Ctrl-C at a step."""

    at: int
    seen: list[object]

    def __call__(self, state: object) -> None:
        self.seen.append(state)
        if len(self.seen) == self.at:
            raise KeyboardInterrupt


@each_kind
def test_interrupted_and_damaged_it_goes_on(
    kind: str, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    """A file of the work is taken away, cut, changed, or one is there that a killed task left."""
    draw = random.Random(kind)
    path, folder = tmp_path / "it.kdb", tmp_path / "it.kdb.building"
    counted = Step(-1, [])
    KINDS[kind](path, progress=counted)
    hows = set()
    for _ in range(12):
        path.unlink()
        with contextlib.suppress(KeyboardInterrupt):
            KINDS[kind](path, progress=Step(draw.randint(1, len(counted.seen)), []))
        files = sorted(one for one in folder.glob("*") if one.name != "lock")
        if files and not path.exists():
            lost, how = draw.choice(files), draw.choice(["none", "gone", "cut", "changed", "left"])
            content = bytearray(lost.read_bytes())
            if how == "gone":
                lost.unlink()
            elif how == "cut":
                lost.write_bytes(content[: draw.randrange(len(content))])
            elif how == "changed":
                content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
                lost.write_bytes(content)
            elif how == "left":
                (folder / f".{lost.name}-{'0f' * 8}.tmp").write_bytes(b"half")
            hows.add(how)
            if how in ("cut", "changed") and lost.name == "plan.json":
                with contextlib.suppress(ks.DatabaseError):  # it may look like somebody else's
                    KINDS[kind](path)
                if not path.exists():
                    assert folder.exists()
                    for one in folder.iterdir():
                        one.unlink()
        if not path.exists():
            KINDS[kind](path)
        assert_made(path, whole[kind])
    assert len(hows) > 2


@each_kind
@pytest.mark.parametrize("failing", ["read_bytes", "file_crc32"])
def test_a_fault_that_passes_costs_no_work(kind: str, failing: str, tmp_path: Path) -> None:
    """Such as no descriptor that is free: what cannot be read now is not taken for damaged."""
    path, folder = tmp_path / "it.kdb", tmp_path / "it.kdb.building"
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(CutError):
        Disk(patch, 5)
        KINDS[kind](path)
    before = {one: one.read_bytes() for one in folder.iterdir() if one.name != "lock"}

    def fail(*_: object) -> bytes:
        raise OSError(errno.EMFILE, "Too many open files")

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(OSError):
        patch.setattr(Path if failing == "read_bytes" else kept_work, failing, fail)
        KINDS[kind](path)
    if not path.exists():
        assert before == {one: one.read_bytes() for one in folder.iterdir() if one.name != "lock"}


def is_at_work(folder: Path, run: subprocess.Popen[bytes]) -> bool:
    """Whether a process has taken the folder, or has ended."""
    with contextlib.suppress(FileNotFoundError):
        if (folder / "lock").read_text(encoding="ascii") == str(run.pid):
            return True
    return run.poll() is not None


@pytest.mark.parametrize("kind", ["kulami", "malawi", "proof"])
@pytest.mark.parametrize("times", [2, pytest.param(25, marks=pytest.mark.nightly)])
def test_killed_commands_go_on(kind: str, times: int, tmp_path: Path) -> None:
    """By SIGKILL, or by Ctrl-C, which says that the same command goes on; at any moment."""
    draw = random.Random(kind)
    begin = 2 if kind == "malawi" else 1
    path, at_once = tmp_path / "it.kdb", tmp_path / "whole.kdb"
    command = [*WORDS[kind][:begin], str(path), *WORDS[kind][begin:]]
    assert kulami(*command[:begin], str(at_once), *command[begin + 1 :]).code == 0
    folder = path.with_name("it.kdb.building")
    program = [sys.executable, "-m", "kulami_solver", *command]
    ended = 0
    while ended < times:
        by = draw.choice([signal.SIGKILL, signal.SIGINT])
        with subprocess.Popen(program, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            until(lambda run=run: is_at_work(folder, run))  # type: ignore[misc]
            time.sleep(draw.uniform(0, 0.1))
            run.send_signal(by)
            err = run.communicate(timeout=60)[1]
        assert b"Traceback" not in err
        if run.returncode == 0:
            path.unlink()
            continue
        ended += 1
        said = {True: b"the same command goes on with it", False: b"nothing was kept"}
        # Unless the file itself was there a moment before.
        assert run.returncode != 130 or path.exists() or said[folder.exists()] in err
        assert run.returncode in (-signal.SIGKILL, -signal.SIGINT, 130), err
    assert kulami(*command).code == 0
    assert_made(path, at_once.read_bytes())


@each_kind
def test_the_work_of_others_stays(kind: str, tmp_path: Path) -> None:
    """A folder of somebody, a file, and all other work are refused, and not touched.

    Other work is of another kind, or of the same root with other options.
    """
    make, others = KINDS[kind], {}
    mine = tmp_path / "mine.kdb.building"
    mine.mkdir()
    (mine / "notes").write_text("mine", encoding="ascii")
    others["mine"] = mine
    works = {other: (other, dict[str, object]()) for other in KINDS if other != kind}
    works["options"] = (kind, OPTIONS[kind])
    for name, (other, options) in works.items():
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(CutError):
            Disk(patch, 3)
            KINDS[other](tmp_path / f"{name}.kdb", **options)
        others[name] = tmp_path / f"{name}.kdb.building"
    for name, folder in others.items():
        before = {one.name: one.read_bytes() for one in folder.iterdir() if one.name != "lock"}
        assert before
        with pytest.raises(ks.DatabaseError, match=r"(another build|other work) is in the way"):
            make(tmp_path / f"{name}.kdb")
        assert before == {
            one.name: one.read_bytes() for one in folder.iterdir() if one.name != "lock"
        }
    (tmp_path / "file.kdb.building").write_text("mine", encoding="ascii")
    with pytest.raises(ks.DatabaseError, match="a file is in the way"):
        make(tmp_path / "file.kdb")
    assert (tmp_path / "file.kdb.building").read_text(encoding="ascii") == "mine"


@each_kind
def test_one_file_is_made_by_one_process(kind: str, tmp_path: Path) -> None:
    path, said = tmp_path / "it.kdb", set()

    def too(_: object) -> None:
        with pytest.raises(ks.DatabaseError) as raised:
            KINDS[kind](path)
        said.add(str(raised.value))

    KINDS[kind](path, progress=too)
    assert len(said) == 1
    assert f"{path}: another process ({os.getpid()}) is building it now" in said.pop()


@pytest.mark.parametrize("kind", ["kulami", "malawi"])
@pytest.mark.parametrize(("file", "content"), [("plan.json", '{"plan": "removed"}'), ("lock", "1")])
def test_a_folder_without_a_sound_plan_is_taken_over(
    kind: str, file: str, content: str, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    """As of a build that was killed when it removed its folder; force takes over any."""
    folder = tmp_path / "it.kdb.building"
    folder.mkdir()
    (folder / file).write_text(content, encoding="ascii")
    (folder / "solved-03.kept").write_text("{}", encoding="ascii")
    KINDS[kind](tmp_path / "it.kdb")
    assert_made(tmp_path / "it.kdb", whole[kind])
    folder.mkdir()
    (folder / "notes").write_text("mine", encoding="ascii")
    KINDS[kind](tmp_path / "it.kdb", force=True)
    assert [one.name for one in folder.iterdir()] == ["notes"]


@pytest.mark.parametrize("lost", ["layer-00", "layer-04", "solved-06", "packed-06"])
def test_with_a_checkpoint_and_values_lost(
    lost: str, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    """What checkpoints beyond a gap name was once taken for sound, and never looked at."""
    path, folder = tmp_path / "it.kdb", tmp_path / "it.kdb.building"

    def stop(state: Any) -> None:
        if (state.step, state.ply) == ("solve", 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KINDS["kulami"](path, progress=stop)
    (folder / f"{lost}.kept").unlink()
    for changed in folder.glob("values-04-*"):
        changed.write_bytes(bytes(changed.stat().st_size))
    KINDS["kulami"](path)
    assert_made(path, whole["kulami"])


class Full:
    """A file on a disk that has room for a few bytes more."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.room = 5

    def write(self, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "no room")
        written: int = self.file.write(data[: self.room])
        self.room -= written
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def test_a_result_that_the_disk_has_no_room_for_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with ResultFile(path, {"journal": "test"}) as results:
        results.add({"result": 1})
        before = path.read_bytes()
        file, results._file = results._file, Full(results._file)  # type: ignore[assignment]
        with pytest.raises(OSError, match="no room"):
            results.add({"result": 2})
        assert path.read_bytes() == before
        results._file = file
        results.add({"result": 3})
    with ResultFile(path, {"journal": "test"}) as results:
        assert results.known == [{"result": 1}, {"result": 3}]


def test_a_task_of_an_ended_build_writes_nothing_into_the_next_one(tmp_path: Path) -> None:
    with BuildFolder(tmp_path / "a.kdb", {"board": 1}) as folder:
        folder.open(None)
        kept_work.write(folder.path / "run-1", [b"x"], {"board": 1})
        with pytest.raises(ks.DatabaseError, match="another build's"):
            kept_work.write(folder.path / "run-2", [b"x"], {"board": 2})
        assert not (folder.path / "run-2").exists()
