"""The work on a proof: it goes on where it was ended, and the work of others is left alone."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import good
from random_play import positions
from test_proof import agree, proved

import kulami_solver as ks
from kulami_solver.kulami import prove as prove_module
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.prove import prove
from kulami_solver.storage.build_folder import BuildFolder


def position_of(free: int, seed: int = 1) -> ks.Position:
    """A position of a random game on a 5x5 board with at most so many free fields."""
    draw = random.Random(seed)
    position = ks.Position(ks.Layout.parse("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"))
    while position.free_count > free and not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
    return position


def test_the_work_of_others_stays(tmp_path: Path) -> None:
    """A folder of somebody, a build's work and another proof's are refused, and not touched."""
    position = position_of(14)

    def end_late(state: Any) -> None:
        if state.step == "pack":
            raise KeyboardInterrupt

    others = {name: tmp_path / f"{name}.kpf.building" for name in ("mine", "built", "proved")}
    others["mine"].mkdir()
    (others["mine"] / "lock").write_text("precious", encoding="ascii")
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "built.kpf", position, progress=end_late)
    begun = BuildFolder(tmp_path / "proved.kpf", {"proof": ["another"]})
    begun.open(force=None)
    begun.keep("choices", (b"hours of work", 8))
    begun.close()
    for name, folder in others.items():
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert before
        with pytest.raises(ks.DatabaseError, match="other work is in the way"):
            prove(tmp_path / f"{name}.kpf", position)
        after = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert {**before, "lock": b""} == {**after, "lock": b""}
    assert (others["mine"] / "lock").read_text(encoding="ascii") == "precious"
    # A file, and one that the program once wrote the whole file to.
    for name in ("file.kpf.building", "c.kdb.tmp"):
        (tmp_path / name).write_text("mine", encoding="ascii")
    with pytest.raises(ks.DatabaseError, match="a file is in the way"):
        prove(tmp_path / "file.kpf", position)
    build(tmp_path / "c.kdb", position)
    for name in ("file.kpf.building", "c.kdb.tmp"):
        assert (tmp_path / name).read_text(encoding="ascii") == "mine"


def test_one_file_is_proved_by_one_process(tmp_path: Path) -> None:
    position = position_of(25)
    said: list[str] = []

    def prove_too(_: object) -> None:
        with pytest.raises(ks.DatabaseError) as raised:
            prove(tmp_path / "it.kpf", position)
        said.append(str(raised.value))

    prove(tmp_path / "it.kpf", position, progress=prove_too)
    assert said
    assert f"another process ({os.getpid()}) is building it now" in said[0]


def test_work_on_another_kind_of_proof_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found for one value does not answer for the values after mistakes."""
    monkeypatch.setattr(prove_module, "_KEPT_EVERY", 0.0)
    monkeypatch.setattr(prove_module, "_AT_A_TIME", 499)
    keep = BuildFolder.keep

    def keep_and_end(self: BuildFolder, name: str, what: object) -> None:
        keep(self, name, what)
        raise KeyboardInterrupt

    path, root = tmp_path / "it.kpf", position_of(25)
    with monkeypatch.context() as ended:
        ended.setattr(BuildFolder, "keep", keep_and_end)
        with pytest.raises(KeyboardInterrupt):
            prove(path, root)
    begun = tmp_path / "it.kpf.building" / "choices"
    before = begun.read_bytes()
    with pytest.raises(ks.DatabaseError, match="other work is in the way"):
        prove(path, root, semi_strong=True)
    assert begun.read_bytes() == before


def test_a_chain_that_grows_is_counted_once(tmp_path: Path) -> None:
    """Both sides have five in a row, and one more of each is to come: the checker plays it out."""
    start = ks.Position(ks.Layout.parse("ABCDEFGHIJKL"))
    root = start.play_all("a1 g1 b1 h1 c1 i1 d1 j1 e1 k1")
    for position in (root, root.play("l1")):
        margin = ks.solve(position, "chains").margin
        assert margin is not None
        agree(proved(tmp_path, position, "chains", 6), margin)


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
def test_ended_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    """By SIGKILL or Ctrl-C, and every second time a file of the work is damaged afterwards."""
    draw = random.Random(20)
    position = next(positions(32))
    margin = ks.solve(position).margin
    path = tmp_path / "it.kpf"
    words = [sys.executable, "-c", _COMMAND, "prove", str(path), "--kfn", position.kfn()]
    words += ["--threads", "2"]
    ended, said = 0, []

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
        if code == 2 and done.startswith("plan.json"):
            # It says what is damaged, and the remedy; nothing is taken for true.
            assert f"{path}.building" in said[-1]
            shutil.rmtree(f"{path}.building")
            code = run(None)
        assert code == 0, (done, said[-1])
        verified = good("verify", str(path), "--json").answer
        assert (verified["ok"], verified["value"]) == (True, margin)
        assert not os.path.exists(f"{path}.building")
