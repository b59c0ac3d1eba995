"""Compiled modules that are missing, or are for another processor: one sentence says so."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import completed

import kulami_solver
from kulami_solver.core import compiled, processor

PACKAGE = Path(kulami_solver.__file__).parent
SCRIPT = "import sys; from kulami_solver.__main__ import main; sys.exit(main())"


def test_what_runs_here_is_not_refused() -> None:
    compiled.check()
    assert {*processor.NEEDED} <= {*processor.features()}


def test_modules_for_another_processor_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a folder that was compiled in place is taken to an older machine."""
    monkeypatch.setattr(processor, "NEEDED", ("popcnt", "bmi2", "avx2"))
    monkeypatch.setattr(processor, "features", lambda: ("popcnt", "sse4_2"))
    with pytest.raises(
        ImportError, match="this processor does not offer avx2, bmi2: install"
    ) as no:
        compiled.check()
    assert no.value.name == "kulami_solver"


@pytest.mark.parametrize(
    ("program", "code", "line"),
    [
        (SCRIPT, 2, "kulami: error: kulami_solver is not built here: run 'pip install -e .'"),
        (
            "import kulami_solver as ks; ks.Layout",
            1,
            "ImportError: kulami_solver is not built here",
        ),
        ("from kulami_solver import solve", 1, "ImportError: kulami_solver is not built here"),
        ("from kulami_solver import malawi", 1, "ImportError: kulami_solver is not built here"),
        ("from kulami_solver import just4fun", 1, "ImportError: kulami_solver is not built here"),
    ],
)
def test_without_a_build(program: str, code: int, line: str, tmp_path: Path) -> None:
    (tmp_path / "kulami_solver").mkdir()
    for path in PACKAGE.iterdir():
        (tmp_path / "kulami_solver" / path.name).symlink_to(path)
    (tmp_path / "kulami_solver" / "core").unlink()
    (tmp_path / "kulami_solver" / "core").mkdir()
    for path in (PACKAGE / "core").glob("*.py"):
        (tmp_path / "kulami_solver" / "core" / path.name).symlink_to(path)
    done = completed(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, ''); {program}"], cwd=tmp_path
    )
    assert done.returncode == code
    assert done.stderr.splitlines()[-1].startswith(line)
    assert code == 1 or len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "code",
    [
        "from kulami_solver.kulami.solve.bounds import PanelBounds; PanelBounds(None)",
        "from kulami_solver.kulami.solve.search import *; Search(*[None] * 4, False, False)",
        "from kulami_solver.malawi.search import Search; Search(None, None)",
        "from kulami_solver.kulami.database.classes import Classes\n"
        "Classes(None, 0, 0, False, False, 6, [], 1, None, None, [])",
    ],
)
def test_none_is_refused_not_followed(code: str) -> None:
    """In a process of its own: what follows None ends it."""
    done = completed([sys.executable, "-c", code])
    assert done.returncode == 1, done
    assert "TypeError: Argument" in done.stderr
