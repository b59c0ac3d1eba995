"""Proofs on a cluster whose workers die."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cluster_processes import Processes, cluster_of, killing
from command_line import good, kulami
from random_play import positions

import kulami_solver as ks
from kulami_solver import cluster
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.prove import prove


def test_command_on_a_cluster(processes: Processes, tmp_path: Path) -> None:
    position = next(positions(26))
    path = tmp_path / "it.kpf"
    words = ("prove", str(path), "--kfn", position.kfn(), "--workers", processes.address)
    found = good(*words, "--json").answer
    assert found["value"] == ks.solve(position).margin
    refused = kulami(*words, "--semi-strong")
    assert refused.code == 2
    assert "found on this machine" in refused.err
    assert not os.path.exists(f"{path}.building")
    with open_proof(path) as proof:
        assert proof.verify().ok
        assert proof.steps == found["steps"]


@pytest.mark.nightly
def test_workers_that_die_lose_nothing(tmp_path: Path) -> None:
    position = next(positions(36))
    with (
        cluster_of(tmp_path, 2) as processes,
        cluster.connect(processes.address) as executor,
        killing(processes, 3, (1.0, 3.0), 5) as moments,
    ):
        prove(tmp_path / "it.kpf", position, executor=executor)
        assert moments
    with open_proof(tmp_path / "it.kpf") as proof:
        assert proof.verify().ok


# The command, which keeps its work more often than it does for people.
_COMMAND = """
import signal, sys
kept = signal.signal(signal.SIGINT, signal.SIG_DFL)
from kulami_solver.cli import main
from kulami_solver.kulami import prove
prove._KEPT_EVERY = 0.05
signal.signal(signal.SIGINT, kept)
sys.exit(main())
"""


def _damage(folder: Path, draw: random.Random) -> str:
    """Change, cut or remove a file of a proof's unfinished work, if there is any; say which."""
    files = sorted(path for path in folder.glob("*") if path.name != "lock")
    if not files:
        return "nothing"
    path = draw.choice(files)
    content = bytearray(path.read_bytes())
    how = draw.choice(("flipped", "cut", "removed"))
    if how == "removed" or not content:
        path.unlink()
    elif how == "cut":
        path.write_bytes(content[: draw.randrange(len(content))])
    else:
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(content)
    return f"{path.name} {how}"


@pytest.mark.nightly
@pytest.mark.parametrize("on_workers", [False, True])
def test_ended_at_any_moment_it_goes_on(tmp_path: Path, on_workers: bool) -> None:
    """By SIGKILL or Ctrl-C, and every second time a file of the work is damaged afterwards."""
    draw = random.Random(20 + on_workers)
    position = next(positions(32))
    margin = ks.solve(position).margin
    path = tmp_path / "it.kpf"
    words = [sys.executable, "-c", _COMMAND, "prove", str(path), "--kfn", position.kfn()]
    ended, said = 0, []
    with cluster_of(tmp_path, 2 * on_workers) as processes:
        words += ["--workers", processes.address] if on_workers else ["--threads", "2"]

        def run(seconds: float | None, by: signal.Signals = signal.SIGKILL) -> int:
            with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as one:
                if seconds is not None:
                    time.sleep(seconds)
                    one.send_signal(by)
                _, err = one.communicate()
            assert b"Traceback" not in err
            said.append(err.decode())
            return one.returncode

        begun = time.monotonic()
        assert run(None) == 0
        most = time.monotonic() - begun
        while ended < 25:
            path.unlink(missing_ok=True)
            by = draw.choice((signal.SIGKILL, signal.SIGINT))
            if run(draw.uniform(0.3, most), by) == 0:
                continue
            ended += 1
            done = _damage(Path(f"{path}.building"), draw) if draw.random() < 0.5 else ""
            code = run(None)
            if code == 2 and done.startswith(("plan.json", "answers.jsonl")):
                # It says what is damaged, and the remedy; nothing is taken for true.
                assert f"{path}.building" in said[-1]
                shutil.rmtree(f"{path}.building")
                code = run(None)
            assert code == 0, (done, said[-1])
            verified = good("verify", str(path), "--json").answer
            assert (verified["ok"], verified["value"]) == (True, margin)
            assert not os.path.exists(f"{path}.building")
