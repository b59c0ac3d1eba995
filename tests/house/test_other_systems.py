"""What is known here of systems and processors that are not here: Windows, macOS, MSVC, arm64 ...

Python's standard library is Linux's throughout, but what Windows does not have is taken away from
it; and the branch for MSVC of the C code is compiled with its intrinsics put in other words.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from command_line import completed

from kulami_solver.cli import results
from kulami_solver.core.files import write_atomically

# What the package and what it uses ask for by name where it is there.
WITHOUT = """
import asyncio, concurrent.futures.process, multiprocessing.connection, socket, subprocess
import importlib, importlib.util, mmap, os, pathlib, pkgutil, signal, sys, tempfile, time
import msgspec, numpy, psutil, tqdm
if importlib.util.find_spec("uvicorn"):
    import starlette.applications, uvicorn

for name in ("fcntl", "grp", "pwd", "readline", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
for module, names in {
    os: "fork getloadavg geteuid getuid killpg mkfifo O_CLOEXEC O_NOFOLLOW O_SYNC pread pwrite "
        "sched_getaffinity setsid sync sysconf uname",
    signal: "SIGALRM SIGCHLD SIGHUP SIGKILL SIGQUIT SIGUSR1 SIGUSR2 alarm pthread_kill "
            "pthread_sigmask setitimer",
    mmap: "MADV_HUGEPAGE MADV_WILLNEED MAP_ANONYMOUS MAP_PRIVATE MAP_SHARED",
    socket: "AF_UNIX", time: "tzset",
}.items():
    for name in names.split():
        vars(module).pop(name, None)
"""

IMPORTED = f"""{WITHOUT}
import kulami_solver
optional = {{"distributed", "gymnasium", "matplotlib", "open_spiel", "pettingzoo", "pyarrow"}}
optional |= {{"pyspiel", "starlette", "uvicorn"}}
count = 0
for module in pkgutil.walk_packages(kulami_solver.__path__, "kulami_solver."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            lacking = (error.__cause__ or error).name or ""
            if lacking.partition(".")[0] not in optional:
                raise
        count += 1
print(count)
"""

WORKED = f"""{WITHOUT}
import kulami_solver as ks
from kulami_solver import malawi
position = ks.Position(ks.Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE")).play("a1")
assert ks.solve(position, threads=2).margin == 0
assert ks.solve(position, threads=2, memory="64M").margin == 0
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "small.kdb")
    ks.build(path, ks.Position(ks.Layout.parse("AAB/CCB")))
    ks.verify(path)
    with ks.open_database(path) as database:
        assert database.positions > 1
    path = pathlib.Path(folder, "small.mdb")
    malawi.build(path, malawi.Board(2, 3))
    malawi.verify(path)
print("done")
"""


def ran(program: str) -> str:
    """What a program prints that a process of its own runs without trouble."""
    done = completed([sys.executable, "-c", program])
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_modules_can_be_imported_without_what_windows_lacks() -> None:
    assert int(ran(IMPORTED)) > 150


def test_a_search_and_databases_do_without_it() -> None:
    assert ran(WORKED) == "done\n"


def test_a_file_is_synced_by_a_descriptor_that_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Windows wants it, which refuses to sync what was opened for reading."""
    fcntl = pytest.importorskip("fcntl")
    synced = []

    def fsync(opened: int) -> None:
        if fcntl.fcntl(opened, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")
        synced.append(opened)

    monkeypatch.setattr(os, "fsync", fsync)
    write_atomically(tmp_path / "file", [b"content"])
    assert (tmp_path / "file").read_bytes() == b"content"
    assert len(synced) == 1


def test_nobody_waits_for_a_pipe_where_only_sockets_are_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readable, writing = os.pipe()
    with os.fdopen(readable, "rb") as pipe, os.fdopen(writing, "wb") as other:
        other.write(b"one\ntwo\n")
        other.flush()
        monkeypatch.setattr(os, "name", "nt")
        lines = results._raw_lines(pipe, 100, 0.01)
        assert [next(lines), next(lines)] == [b"one\n", b"two\n"]


# The branches of bits.pxd

SAID = r"""
#include <stdio.h>
static uint64_t state = 1;
static uint64_t draw(void) {
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return state;
}
int main(void) {
  for (int i = 0; i < 2000; i++) {
    uint64_t x = draw() >> (i % 64), y = draw(), z = draw();
    uint16_t small = (uint16_t)z;
    Eight sum, step, both;
    uint32_t out[4];
    if (!x) x = 1;
    printf("%d %d %d %d %llu ", kulami_popcount(x), kulami_lowest(x), kulami_highest(x),
           !!kulami_unlikely(x & 1), (unsigned long long)kulami_high_product(x, y));
    kulami_prefetch(&x);
    kulami_relaxed_store(&z, x + 1); printf("%llu ", (unsigned long long)kulami_relaxed_load(&z));
    kulami_release_store(&z, y); printf("%llu ", (unsigned long long)kulami_acquire_load(&z));
    printf("%llu ", (unsigned long long)kulami_fetch_or(&z, x));
    printf("%llu ", (unsigned long long)kulami_exchange(&z, x ^ y));
    printf("%llu ", (unsigned long long)z);
    printf("%d ", kulami_replace_16(&small, (uint16_t)(small + i % 2), 7));
    printf("%d ", kulami_relaxed_load_16(&small));
    int32_t word = 0; kulami_relaxed_store_32(&word, (int32_t)y);
    printf("%d ", kulami_relaxed_load_32(&word));
    for (int j = 0; j < 8; j++) {
      sum.at[j] = draw() % 5000; step.at[j] = draw() % 100; both.at[j] = 1 + j;
    }
    printf("%d ", kulami_eight_least(&sum, &step, i % 28));
    kulami_eight_add(&sum, &both); kulami_eight_sub(&sum, &step);
    for (int j = 0; j < 8; j++) printf("%d ", sum.at[j]);
    int16_t numbers[64];
    for (int j = 0; j < 64; j++) numbers[j] = draw() % 1000;
    printf("%d ", kulami_count_above(numbers, numbers[i % 64]));
    kulami_cpuid(7, 0, out); printf("%u %u ", out[1], out[2]);
    kulami_cpuid(0x80000001u, 0, out); printf("%u ", out[2]);
    kulami_cpuid(0x8fffffffu, 0, out); printf("%u %u\n", out[0], kulami_xgetbv() & 0xe6);
  }
  return 0;
}
"""

# MSVC's intrinsics, as its manual describes them, for gcc and clang.
INTRINSICS = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <x86intrin.h>
#include <cpuid.h>
static int said_popcnt(uint64_t x) { return __builtin_popcountll(x); }
static unsigned char said_forward(unsigned long *i, uint64_t x) {
  *i = __builtin_ctzll(x); return 1;
}
static unsigned char said_reverse(unsigned long *i, uint64_t x) {
  *i = 63 - __builtin_clzll(x); return 1;
}
static uint64_t said_umulh(uint64_t a, uint64_t b) { return ((unsigned __int128)a * b) >> 64; }
static int64_t said_or(volatile int64_t *p, int64_t v) {
  return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);
}
static int64_t said_exchange(volatile int64_t *p, int64_t v) {
  return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);
}
static short said_replace(volatile short *p, short new_, short old) {
  __atomic_compare_exchange_n(p, &old, new_, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return old;
}
static void said_cpuidex(int *out, int leaf, int part) {
  __asm__("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(part));
}
static uint64_t said_xgetbv(unsigned which) {
  uint32_t low, high; __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(which)); return low;
}
#undef __GNUC__
#undef __clang__
#undef __cpuid
#undef _xgetbv
#undef __cpuidex
#define _MSC_VER 1944
#define _M_X64 100
#define __int64 int64_t
#define __forceinline inline
#define __popcnt64 said_popcnt
#define _BitScanForward64 said_forward
#define _BitScanReverse64 said_reverse
#define __umulh said_umulh
#define _InterlockedOr64 said_or
#define _InterlockedExchange64 said_exchange
#define _InterlockedCompareExchange16 said_replace
#define __cpuid(out, leaf) said_cpuidex((out), (leaf), 0)
#define __cpuidex said_cpuidex
#define _xgetbv said_xgetbv
"""


@pytest.mark.sources
@pytest.mark.skipif(
    not re.search(r"x86_64|amd64", sysconfig.get_platform()), reason="its branches are for x86-64"
)
def test_all_branches_for_compilers_say_the_same(repository: Path, tmp_path: Path) -> None:
    bits = repository / "ext" / "kulami_solver" / "core" / "bits.pxd"
    block = bits.read_text(encoding="ascii").split('"""')[1]
    # The header that has MSVC's intrinsics is empty here.
    (tmp_path / "intrin.h").touch()
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    said = {}
    for name, before, options in (
        ("GNU C with SSE 4.1", "", ["-msse4.1"]),
        ("GNU C without", "", ["-mno-sse4.1"]),
        ("MSVC", INTRINSICS, ["-msse4.1"]),
    ):
        source, program = tmp_path / "program.c", tmp_path / "program"
        source.write_text(before + block + SAID, encoding="ascii")
        words = [*options, "-O1", f"-I{tmp_path}", str(source), "-o", str(program)]
        done = completed([*compiler, *words])
        assert done.returncode == 0, f"{name}: {done.stderr}"
        said[name] = subprocess.run([program], capture_output=True, check=True).stdout
    assert len(said["MSVC"].splitlines()) == 2000
    assert len(set(said.values())) == 1
