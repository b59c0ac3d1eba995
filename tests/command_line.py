"""Running `kulami` inside the test process, and as a process of its own."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any
from unittest import mock

from kulami_solver.cli import main

SQUARE = "AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ"
RULEBOOK = (
    "...AABB../.CCAADDD./.CCEEFFGG/HCCEEFFGG/HIIIJJJGG/HIIIKKKL./.MMMKKKL./.NNOOPPQQ/...OOPP.."
)
FINISHED = (
    f"{RULEBOOK} 3rbb3/2brbbbr1/2bbbrrbr/rrbbbrrrb/2bbrbrr1/rbbrrrbb1/1brrrrb2/1rrbrrbrb/3b2r2 b f8"
)
SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"


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
    with reading, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(args))
    return Ran(code, out.getvalue(), err.getvalue())


def good(*args: str, stdin: bytes = b"") -> Ran:
    """Run the command in this process; it must succeed."""
    ran = kulami(*args, stdin=stdin)
    assert ran.code == 0, ran.err
    return ran


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
