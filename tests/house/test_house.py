"""Imports go one way, in Python and in compiled code."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.sources

ROOMS = {
    "core": {"core"},
    "kulami": {"core", "kulami"},
    "malawi": {"core", "malawi"},
    "just4fun": {"core", "just4fun"},
}


def test_layers_and_circles(repository: Path) -> None:
    """The contracts in pyproject.toml: layers, and no circle anywhere."""
    if importlib.util.find_spec("importlinter") is None:
        pytest.skip("import-linter is not installed: pip install -e '.[test]'")
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", program, "--no-cache"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
    assert "0 broken" in done.stdout


def test_what_judges_any_game_imports_none(repository: Path) -> None:
    """Bots and UGI find what is a game's own by its name, in one folder a game."""
    package = repository / "kulami_solver"
    sources = [*(package / "bots").glob("*.py"), package / "adapters" / "ugi.py"]
    assert len(sources) > 20
    for source in sources:
        if source.name == "__init__.py":
            continue  # which has the names of Kulami's bots, as the package has those of Kulami
        text = source.read_text(encoding="utf-8")
        code = re.sub(r'""".*?"""', "", text, flags=re.S)
        assert not re.search(r"^ *(?:from|import) [\w.]*\b(?:kulami|malawi)\b", code, re.M), source


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_compiled_code_imports_one_way(repository: Path, room: str) -> None:
    sources = [*repository.glob(f"ext/kulami_solver/{room}/*.p[yx][xd]")]
    assert sources
    for source in sources:
        text = source.read_text(encoding="utf-8")
        found = re.findall(r"^ *(?:from|cimport|import) kulami_solver\.(\w+)\.?", text, re.M)
        assert set(found) - {"errors"} <= ROOMS[room], source


def test_every_room_of_compiled_code_is_known(repository: Path) -> None:
    rooms = {path.name for path in (repository / "ext" / "kulami_solver").iterdir()}
    assert {room for room in rooms if "." not in room and room != "__pycache__"} == set(ROOMS)
