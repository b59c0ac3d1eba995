"""Imports go one way: in Python, in compiled code and in the page's JavaScript."""

from __future__ import annotations

import ast
import graphlib
import importlib.util
import posixpath
import re
import sys
from pathlib import Path

import pytest
from command_line import completed
from mutants import listed, rooms

pytestmark = pytest.mark.sources

ROOMS = {
    "core": {"core"},
    "kulami": {"core", "kulami"},
    "malawi": {"core", "malawi"},
    "just4fun": {"core", "just4fun"},
}


GAMES = {"kulami", "malawi", "just4fun"}

# Packages that have the public names of their games' parts.
PUBLIC = {"bots/__init__.py": {"kulami"}, "cluster/__init__.py": {"kulami"}}

# What trains on Kulami, or plays it elsewhere; docs/stability.md promises these names.
OF_KULAMI = {"adapters/labels"} | {
    f"adapters/{name}.py"
    for name in ("batch", "exact", "hagen", "openspiel", "pettingzoo", "planes")
}


def test_layers_and_circles(repository: Path) -> None:
    """The contracts in pyproject.toml: layers, and no circle anywhere."""
    if importlib.util.find_spec("importlinter") is None:
        pytest.skip("import-linter is not installed: pip install -e '.[test]'")
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = completed([sys.executable, "-c", program, "--no-cache"], cwd=repository)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
    assert "0 broken" in done.stdout


def named_in(source: Path) -> set[str]:
    """The games whose modules a file imports, `import_module` of a name included."""
    names = []
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module or ''}.{one.name}" for one in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            names += [ast.unparse(one).strip("'f\"") for one in node.args[:1]]
    return GAMES & {part for name in names for part in name.split(".")}


@pytest.mark.parametrize("room", ["bots", "adapters", "cluster", "web", "cli"])
def test_a_game_is_imported_in_its_own_part_of_a_room_alone(repository: Path, room: str) -> None:
    """A part is a game's folder, or a file with its name; all else finds games in the registry."""
    folder = repository / "kulami_solver" / room
    sources = [path.relative_to(folder) for path in folder.rglob("*.py")]
    assert len(sources) > 2
    for source in sources:
        parts = {part.partition("_")[0] for part in source.with_suffix("").parts}
        if not GAMES & parts and f"{room}/{source.parts[0]}" not in OF_KULAMI:
            assert named_in(folder / source) <= PUBLIC.get(f"{room}/{source}", set()), source


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_compiled_code_imports_one_way(repository: Path, room: str) -> None:
    sources = [*repository.glob(f"ext/kulami_solver/{room}/*.p[yx][xd]")]
    assert sources
    for source in sources:
        text = source.read_text(encoding="utf-8")
        found = re.findall(r"^ *(?:from|cimport|import) kulami_solver\.(\w+)\.?", text, re.M)
        assert set(found) - {"errors"} <= ROOMS[room], source


def imported(script: Path) -> set[str]:
    """The modules that a module of the page loads, at once or later, by their addresses."""
    said = re.findall(r'(?:from |import\()"(\.[^"]+)"', script.read_text(encoding="utf-8"))
    return {posixpath.normpath(f"{address(script).rpartition('/')[0]}/{name}") for name in said}


def address(script: Path) -> str:
    """Where the page has a module: those of a game are in a folder with its name."""
    owner, _, name = script.as_posix().rpartition("/web/")[2].partition("static/")
    return f"/{owner}{name}"


def test_the_modules_of_the_page_import_one_way(repository: Path) -> None:
    """No module imports itself by a way round, and only its own modules name a game's."""
    scripts = (repository / "kulami_solver" / "web").rglob("static/**/*.js")
    graph = {address(script): imported(script) for script in scripts}
    assert graph["/values.js"] >= {"/dom.js", "/server.js"}
    assert set().union(*graph.values()) <= graph.keys()
    graphlib.TopologicalSorter(graph).prepare()  # names the modules of a circle
    for name, others in graph.items():
        own = GAMES & {name.split("/")[1]}
        assert {other.split("/")[1] for other in others} & GAMES <= own, name
        assert not others & {"/main.js", "/table.js"} or name == "/main.js", name


def test_the_guide_names_tests_for_every_room(repository: Path) -> None:
    package = repository / "kulami_solver"
    assert set(rooms()) == {
        path.parent.relative_to(package).as_posix() for path in package.rglob("*.py")
    }
    for room, tests in rooms().items():
        assert tests, room
        for path in tests:
            assert (repository / path.partition("::")[0]).exists(), f"{room}: {path}"


def test_every_mistake_of_the_list_can_be_made() -> None:
    """`python scripts/mutants.py --list` names those whose place has changed."""
    assert [(one.phrase, one.fault) for one in listed() if one.fault] == []
