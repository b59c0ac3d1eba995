"""Running `kulami` inside the test process, and as a process of its own."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import resource
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import psutil

from kulami_solver import cli
from kulami_solver.bots.kulami.suite import read_suite

SQUARE = "AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ"
RULEBOOK = (
    "...AABB../.CCAADDD./.CCEEFFGG/HCCEEFFGG/HIIIJJJGG/HIIIKKKL./.MMMKKKL./.NNOOPPQQ/...OOPP.."
)
FINISHED = (
    f"{RULEBOOK} 3rbb3/2brbbbr1/2bbbrrbr/rrbbbrrrb/2bbrbrr1/rbbrrrbb1/1brrrrb2/1rrbrrbrb/3b2r2 b f8"
)
SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"


# Building the parser is most of what a short command does, and it is the same each time.
PARSER = functools.cache(cli.build_parser)
# So is reading the ten thousand positions that bots are judged by, which takes a second.
SUITE = functools.cache(read_suite)


@dataclass
class Ran:
    """What a run of the command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        """The one line of JSON printed."""
        (line,) = self.out.splitlines()
        return json.loads(line)

    @property
    def answers(self) -> list[Any]:
        """The lines of JSON printed."""
        return [json.loads(line) for line in self.out.splitlines()]


def kulami(*args: str, stdin: bytes = b"") -> Ran:
    """Run the command in this process."""
    out, err = io.StringIO(), io.StringIO()
    reading = mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    building = mock.patch.object(cli, "build_parser", PARSER)
    telling = contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
    with reading, building, telling[0], telling[1]:
        code = cli.main(list(args))
    return Ran(code, out.getvalue(), err.getvalue())


def good(*args: str, stdin: bytes = b"") -> Ran:
    """Run the command in this process; it must succeed."""
    ran = kulami(*args, stdin=stdin)
    assert ran.code == 0, ran.err
    return ran


def completed(command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with what it says; options are those of `subprocess.run`."""
    return subprocess.run(
        command, **{"capture_output": True, "text": True, "check": False, **options}
    )


def process(*args: str, **options: Any) -> subprocess.Popen[str]:
    """Start the command as a process with pipes."""
    settings: dict[str, Any] = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        **options,
    }
    return subprocess.Popen([sys.executable, "-m", "kulami_solver", *args], **settings)


def until(
    holds: Callable[[], Any], running: subprocess.Popen[Any] | None = None, seconds: float = 60.0
) -> Any:
    """Wait until something holds, while a process is `running`; returns what it is."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert running is None or running.poll() is None, "the process has ended"
        assert time.monotonic() < deadline, "it has not come about"
        time.sleep(0.01)
    return found


def interrupted(
    *args: str, waits: bool = False, by: signal.Signals = signal.SIGINT
) -> tuple[int, str, str, float]:
    """Start a long command, press Ctrl-C once it works, and say how it ended and how soon.

    That is in seconds of the processor, which other processes of a busy machine do not add to.
    `waits` says that it waits for input: then it is interrupted once it sleeps. `by` is sent in
    place of Ctrl-C.
    """
    before_it = _spent_by_children()
    running = process(*args, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    watched = psutil.Process(running.pid)
    spent, quiet = 0.0, 0
    while quiet < 6 if waits else spent < 0.45:  # it starts in less than half of that
        assert running.poll() is None
        time.sleep(0.05)
        before, spent = spent, watched.cpu_times().user
        asleep = watched.status() == psutil.STATUS_SLEEPING
        quiet = quiet + 1 if asleep and before == spent > 0 else 0
    before_it += sum(watched.cpu_times()[:2])
    running.send_signal(by)
    out, err = running.communicate(timeout=60)
    return running.returncode, out, err, _spent_by_children() - before_it


def _spent_by_children() -> float:
    """The seconds of the processor of all processes that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def results_in(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of results, without their checksums."""
    records = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    return [{key: record[key] for key in record if key != "check"} for record in records]


def as_results(*records: dict[str, Any]) -> str:
    """The text of a file of results, each line with the checksum that it should have."""
    text, bound = "", 0
    for record in records:
        check = zlib.crc32(json.dumps(record).encode(), bound)
        text += json.dumps({**record, "check": check}) + "\n"
        bound = bound or check
    return text
