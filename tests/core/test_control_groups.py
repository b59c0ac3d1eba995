"""Budgets keep to what the control groups leave this process, and to the processors it is bound to.

Each machine is a folder with the files of /proc and /sys that count.
"""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest
from command_line import completed

import kulami_solver as ks
from kulami_solver.core import budgets, control_groups, memory
from kulami_solver.core.budgets import available_processors, workers_of
from kulami_solver.core.control_groups import memory_left, processor_quota
from kulami_solver.core.files import room_in
from kulami_solver.core.memory import available_memory, default_table_size, table_size

MIB = 1 << 20
NO_LIMIT = "9223372036854771712\n"  # as version 1 says it
MOUNT = "41 31 0:38 {root} {point} rw,relatime shared:7 - {kind} {kind} rw{options}"
MEMORY_1 = MOUNT.format(root="/", point="/sys/fs/cgroup/memory", kind="cgroup", options=",memory")
CPU_1 = MOUNT.format(
    root="/", point="/sys/fs/cgroup/cpu,cpuacct", kind="cgroup", options=",cpu,cpuacct"
)
VERSION_2 = MOUNT.format(root="/", point="/sys/fs/cgroup", kind="cgroup2", options="")
HYBRID_2 = MOUNT.format(root="/", point="/sys/fs/cgroup/unified", kind="cgroup2", options="")


def machine(folder: Path, groups: list[str], mounts: list[str], files: dict[str, str]) -> Path:
    """A machine: the lines of /proc/self/cgroup and mountinfo, and files below /sys/fs/cgroup."""
    disk = "23 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"
    texts = {
        "proc/self/cgroup": "\n".join(groups) + "\n",
        "proc/self/mountinfo": "\n".join([disk, *mounts]) + "\n",
    }
    texts |= {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


LIMIT, USAGE = "memory.limit_in_bytes", "memory.usage_in_bytes"
QUOTA, PERIOD = "cpu.cfs_quota_us", "cpu.cfs_period_us"
POD = MEMORY_1.replace(" / ", " /pod ", 1)

#: Lines of /proc/self/cgroup and of mountinfo; files, each a name and its content; and the
#: processors and bytes that are left.
MACHINES: dict[str, tuple[list[str], list[str], str, float | None, int | None]] = {
    "version 2": (["0::/job"], [VERSION_2],
        "job/cpu.max 150000 100000|job/memory.max 500|job/memory.high max|job/memory.current 300"
        "|job/memory.stat anon 1\nactive_file 20\ninactive_file 30\nfile 99", 1.5, 250),
    "version 1": (["7:cpu,cpuacct:/job", "4:memory:/job", "1:name=systemd:/", "0::/"],
        [CPU_1, MEMORY_1, HYBRID_2],
        f"cpu,cpuacct/job/{QUOTA} 200000|cpu,cpuacct/job/{PERIOD} 50000|memory/job/{LIMIT} 400"
        f"|memory/job/{USAGE} 390|memory/job/memory.stat active_file 0\ninactive_file 0\n"
        "total_active_file 40\ntotal_inactive_file 50", 4.0, 100),
    "no limit": (["7:cpu,cpuacct:/", "4:memory:/", "0::/"], [CPU_1, MEMORY_1, VERSION_2],
        f"cpu.max max 100000|memory.max max|memory.current 5|cpu,cpuacct/{QUOTA} -1"
        f"|cpu,cpuacct/{PERIOD} 100000|memory/{LIMIT} {NO_LIMIT}|memory/{USAGE} 5", None, None),
    "no control groups": ([], [], "", None, None),
    # The first file is of the root itself: a container's outermost group.
    "the narrowest group on the way up": (["0::/batch/job"], [VERSION_2],
        "cpu.max 100000 100000|batch/cpu.max 300000 100000|batch/job/cpu.max max 100000"
        "|batch/memory.max 90|batch/memory.current 80|batch/job/memory.max 50"
        "|batch/job/memory.current 10|other/memory.max 1|other/memory.current 0", 1.0, 10),
    "a slowed down group": (["0::/"], [VERSION_2],
        "memory.max 90|memory.high 20|memory.current 30", None, 0),
    "a group below a mounted one": (["4:memory:/pod/job"], [POD],
        f"memory/job/{LIMIT} 4096|memory/job/{USAGE} 96|memory/pod/job/{LIMIT} 1"
        f"|memory/pod/job/{USAGE} 1", None, 4000),
}  # fmt: skip
# Paths and mounts as from outside; nothing known of the group but where it is mounted; a group
# beside the one that is seen as the root; names of a mount, whose backslashes are escaped.
for group, root in (
    *(("/docker/3f1a", "/docker/3f1a"), ("/docker/3f1a", "/"), ("/../other", "/")),
    ("/system\\x2djob", "/system\\134x2djob"),
):
    mount = MEMORY_1.replace(" / ", f" {root} ", 1)
    files = f"memory/{LIMIT} 4096|memory/{USAGE} 96"
    MACHINES[f"{group} in {root}"] = ([f"4:memory:{group}"], [mount], files, None, 4000)


@pytest.mark.parametrize("name", MACHINES)
def test_what_a_machine_leaves(name: str, tmp_path: Path) -> None:
    groups, mounts, text, quota, left = MACHINES[name]
    files = dict(one.split(" ", 1) for one in text.split("|") if one)
    there = machine(tmp_path, groups, mounts, files)
    assert (processor_quota(there), memory_left(there)) == (quota, left)


@pytest.mark.parametrize(
    ("bound", "quota", "expected"),
    [(8, None, 8), (8, 3.0, 3), (8, 2.1, 3), (8, 0.2, 1), (2, 6.0, 2), (300, None, 300)],
)
def test_processors_are_those_bound_to_and_paid_for(
    monkeypatch: pytest.MonkeyPatch, bound: int, quota: float | None, expected: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(bound)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 512)
    monkeypatch.setattr(budgets, "processor_quota", lambda: quota)
    assert available_processors() == expected
    assert workers_of(None) == min(expected, 256)
    assert workers_of(7) == 7
    assert workers_of(None, threads=2) == min(max(1, expected // 2), 256)
    with ThreadPoolExecutor(3) as executor:
        assert workers_of(None, executor=executor, threads=2) == 3
    assert workers_of(None, executor=Executor()) == min(expected, 256)


def test_without_affinity_all_processors_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    monkeypatch.setattr(budgets, "processor_quota", lambda: None)
    assert available_processors() == 12


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors cannot be bound here")
def test_a_process_bound_to_one_processor_works_with_one_thread(tmp_path: Path) -> None:
    program = """
import concurrent.futures, os, sys
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
import kulami_solver as ks
pools = []
class Watched(concurrent.futures.ThreadPoolExecutor):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        pools.append(self._max_workers)
concurrent.futures.ThreadPoolExecutor = Watched
ks.build(sys.argv[1], ks.Position(ks.Layout.parse("AAB/CCB")))
with ks.open_database(sys.argv[1]) as database:
    assert ks.verify(database).problems == ()
print(*pools)
"""
    done = completed([sys.executable, "-c", program, str(tmp_path / "small.kdb")])
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"1"}


def test_memory_is_what_machine_and_group_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "memory_left", lambda: 64 * MIB)
    assert available_memory() == 64 * MIB
    assert default_table_size(40) == 16 * MIB
    with pytest.raises(ks.BudgetError, match="100 MiB asked for and 64 MiB of memory available"):
        table_size("100M", 40)
    monkeypatch.setattr(memory, "memory_left", lambda: 1 << 61)
    assert available_memory() < 1 << 61
    monkeypatch.setattr(memory, "memory_left", lambda: None)
    assert available_memory() > 0


def test_builds_of_both_games_keep_to_the_groups_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from kulami_solver import malawi

    monkeypatch.setattr(memory, "memory_left", lambda: 4096)
    with pytest.raises(ks.BudgetError, match="memory"):
        ks.build(tmp_path / "a.kdb", ks.Position(ks.Layout.parse("AAB/CCB")))
    with pytest.raises(ks.BudgetError, match="memory"):
        malawi.build(tmp_path / "b.kdb", malawi.Board(3, 4))


NONSENSE = ("", "\0", "0", "-7", "1" * 5000, "max max", "unlimited", "\xff 1\n1", "/" * 9, "- - -")


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_files_of_the_system_that_say_nonsense(tmp_path: Path, nonsense: str) -> None:
    names = ("cpu.max", "memory.max", "memory.high", "memory.current", "memory.stat")
    there = machine(tmp_path, ["0::/"], [VERSION_2], dict.fromkeys(names, "5 5"))
    for file in (path for path in tmp_path.rglob("*") if path.is_file()):
        content = file.read_bytes()
        file.write_text(nonsense, encoding="latin-1")
        control_groups._found.cache_clear()
        assert (processor_quota(there) or 1) > 0, file
        assert (memory_left(there) or 0) >= 0, file
        file.write_bytes(content)


def test_a_fault_that_passes_is_not_kept(tmp_path: Path) -> None:
    there = machine(tmp_path, ["0::/"], [VERSION_2], {"cpu.max": "150000 100000"})
    groups = there / "proc/self/cgroup"
    groups.rename(there / "away")
    assert processor_quota(there) is None
    (there / "away").rename(groups)
    assert processor_quota(there) == 1.5


@pytest.mark.parametrize("fault", [OSError(1, "no"), ValueError("nonsense"), RuntimeError("none")])
def test_a_machine_that_cannot_be_asked(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, tmp_path: Path
) -> None:
    def refuse(*_: object) -> None:
        raise fault

    monkeypatch.setattr("psutil.virtual_memory", refuse)
    monkeypatch.setattr(memory, "memory_left", lambda: None)
    assert memory.available_memory() == 1 << 30
    if isinstance(fault, OSError):
        monkeypatch.setattr(os, "sched_getaffinity", refuse, raising=False)
        assert available_processors() >= 1
    if not isinstance(fault, RuntimeError):
        monkeypatch.setattr(shutil, "disk_usage", refuse)
        assert room_in(tmp_path) is None
    monkeypatch.setattr(shutil, "disk_usage", lambda _: (0, 0, 0))
    assert room_in(tmp_path) is None
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert memory.available_memory() == 1 << 30
    assert memory.default_table_size(64) <= 1 << 28
