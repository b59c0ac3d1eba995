"""A child of `os.fork` can use what another thread used for the first time at that moment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import completed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

PROGRAM = """
import faulthandler, os, sys, threading, time
import kulami_solver as ks
import logging  # its hooks come after ours
position = ks.Position(ks.Layout.parse("AAB/CCB"))

def work():
    {work}

thread = threading.Thread(target=work)
thread.start()
time.sleep({wait})
child = os.fork()
if not child:
    faulthandler.dump_traceback_later(20, exit=True)
    work()
    os._exit(0)
thread.join()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize(
    "work",
    [
        "ks.solve(position, threads=2)",
        "list(ks.solve_many([position], workers=2))",
        "position.svg()",
        "import email.mime.multipart, xml.dom.minidom",
        "ks.bots.make_player('mcts:10')",
    ],
)
def test_a_fork_waits_for_imports(work: str, tmp_path: Path) -> None:
    for wait in (0, 0.001, 0.004):
        command = [sys.executable, "-c", PROGRAM.format(work=work, wait=wait)]
        done = completed(command, timeout=60)
        assert done.returncode == 0, done.stderr


def test_an_import_that_waits_for_the_fork_is_begun_anew(tmp_path: Path) -> None:
    """`logging` takes its lock for a fork, and a module may want it while it is imported."""
    tmp_path.joinpath("slow.py").write_text(
        "import logging, time\ntime.sleep(0.3)\nlog = logging.getLogger('slow')\n"
    )
    command = [sys.executable, "-c", PROGRAM.format(work="import slow; assert slow.log", wait=0.1)]
    done = completed(command, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_module_may_fork_while_it_is_imported(tmp_path: Path) -> None:
    tmp_path.joinpath("forks.py").write_text(
        "import os\nchild = os.fork()\nif not child:\n    os._exit(0)\nos.waitpid(child, 0)\n"
    )
    program = "import faulthandler, kulami_solver; faulthandler.dump_traceback_later(20, exit=True)"
    done = subprocess.run([sys.executable, "-c", f"{program}; import forks"], cwd=tmp_path)
    assert done.returncode == 0
