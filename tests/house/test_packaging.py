"""Building and setting up: what an sdist carries, and what is said when something is missing.

Nothing here needs a network: packages are built with the setuptools and Cython that the tests
were installed with.
"""

from __future__ import annotations

import email
import os
import re
import runpy
import shutil
import stat
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from command_line import completed

pytestmark = pytest.mark.sources

FOLDERS = ("data", "docs", "ext", "kulami_solver", "scripts", "tests")
COPIED = [*FOLDERS, "LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"]
BUILD = "import sys, setuptools.build_meta as b; print(getattr(b, sys.argv[1])(sys.argv[2]))"


def copied(repository: Path, folder: Path) -> Path:
    """The sources as a fresh checkout has them, in a folder with a space in its name."""
    copy = folder / "fresh checkout"
    copy.mkdir()
    unwanted = shutil.ignore_patterns("*.so", "*.pyd", "*.pyc", "__pycache__", ".*")
    for name in COPIED:
        source = repository / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=unwanted)
        else:
            shutil.copy2(source, copy / name)
    return copy


@pytest.fixture
def tree(repository: Path, tmp_path: Path) -> Path:
    """A copy of the sources, to be changed."""
    return copied(repository, tmp_path)


@pytest.fixture(scope="module")
def checkout(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources in which nothing comes to be built."""
    return copied(repository, tmp_path_factory.mktemp("checkout"))


def run(
    *command: str | Path, cwd: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with these variables on top of the environment."""
    return completed([str(word) for word in command], cwd=cwd, env=os.environ | (environment or {}))


def executable(path: Path, *lines: str) -> Path:
    """A shell script of these lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="ascii")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def built(tree: Path, hook: str, target: Path) -> Path:
    """What a hook of the build backend (build_sdist, build_wheel) makes of a source tree."""
    target.mkdir()
    done = run(sys.executable, "-c", BUILD, hook, target, cwd=tree)
    assert done.returncode == 0, done.stderr
    return target / done.stdout.splitlines()[-1]


def unpacked(sdist: Path, target: Path) -> Path:
    """The source tree in an sdist."""
    with tarfile.open(sdist) as archive:
        # Pythons before 3.10.12 and 3.11.4 have no filters; later ones warn without one.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        archive.extractall(target)
    return target / sdist.name.removesuffix(".tar.gz")


@pytest.mark.landing
def test_sdist_carries_all_sources_and_nothing_built(tree: Path, tmp_path: Path) -> None:
    sources = unpacked(built(tree, "build_sdist", tmp_path / "dist"), tmp_path)
    carried = {str(path.relative_to(sources)) for path in sources.rglob("*") if path.is_file()}
    found = (path for folder in FOLDERS for path in (tree / folder).rglob("*") if path.is_file())
    wanted = {str(path.relative_to(tree)) for path in found}
    wanted |= {"LICENSE", "README.md", "pyproject.toml", "setup.py"}
    assert wanted <= carried
    assert not [name for name in carried if name.endswith((".c", ".so", ".pyc"))]


def test_a_wheel_says_which_pythons_and_systems_it_is_for(checkout: Path, tmp_path: Path) -> None:
    info = built(checkout, "prepare_metadata_for_build_wheel", tmp_path / "metadata")
    said = email.message_from_string((info / "METADATA").read_text(encoding="utf-8"))
    assert said["Requires-Python"] == ">=3.10"
    assert said["License-Expression"] == "MIT"
    classifiers = said.get_all("Classifier")
    assert classifiers is not None
    assert sorted(classifiers) == sorted(set(classifiers))
    python = "Programming Language :: Python :: "
    minors = {text for text in classifiers if text.startswith(python + "3.")}
    assert minors == {f"{python}3.{minor}" for minor in range(10, 15)}
    settings = (checkout / "pyproject.toml").read_text(encoding="utf-8")
    made = re.search(r'^\[tool.cibuildwheel\]\n(?:#.*\n)*build = "(.*)"$', settings, re.MULTILINE)
    assert made is not None
    assert made[1].split() == [*(f"cp3{minor}-*" for minor in range(10, 15)), "cp314t-*"]
    assert {
        python + "3 :: Only",
        python + "Implementation :: CPython",
        "Operating System :: POSIX :: Linux",
        "Typing :: Typed",
    } <= set(classifiers)


@pytest.mark.nightly
def test_wheel_from_an_sdist_works(tree: Path, tmp_path: Path) -> None:
    sources = unpacked(built(tree, "build_sdist", tmp_path / "dist"), tmp_path)
    wheel = built(sources, "build_wheel", tmp_path / "wheels")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    stubs = {path.relative_to(tree) for path in (tree / "kulami_solver").rglob("*.pyi")}
    assert {path.relative_to(installed) for path in installed.rglob("*.pyi")} == stubs
    assert (installed / "kulami_solver" / "py.typed").exists()
    assert [path.name for path in installed.glob("*.py")] == []
    for name in ("suite.jsonl", "puzzles.jsonl", "small-boards.csv"):
        assert (installed / "kulami_solver" / "data" / name).exists()
    assert (installed / "kulami_solver" / "bots" / "templates" / "page.html").exists()
    page = Path("kulami_solver", "web", "static")
    wanted = {path.relative_to(tree) for path in (tree / page).rglob("*.*")}
    assert {path.relative_to(installed) for path in (installed / page).rglob("*.*")} == wanted
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import kulami_solver as ks; "
        "print(ks.__file__); "
        "print(ks.solve(ks.Position(ks.Layout.parse('AAB/CCB'))).exact)"
    )
    done = run(sys.executable, "-c", program, installed, cwd=tmp_path)
    expected = [str(installed / "kulami_solver" / "__init__.py"), "True"]
    assert done.stdout.splitlines() == expected, done.stderr
    modules = {path.name for path in installed.rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}")}
    sources_of_them = {path.stem for path in (tree / "ext").rglob("*.pyx")}
    # Cython writes the one that other modules have their memoryviews from.
    assert {name.partition(".")[0] for name in modules} == sources_of_them | {"memoryviews"}


def keep_two_modules(tree: Path) -> set[str]:
    """Remove all that is to be compiled but two modules, whose names are returned."""
    kept = {"file_length", "processor"}
    for source in (tree / "ext").rglob("*.pyx"):
        if source.stem not in kept:
            source.unlink()
    return kept


@pytest.mark.nightly
def test_a_build_in_place_goes_on_where_the_installation_ended(tree: Path, tmp_path: Path) -> None:
    """After scripts/quickstart.sh an edit compiles what is edited, other options all of it."""
    kept = keep_two_modules(tree)
    installed = run(sys.executable, "-c", BUILD, "build_editable", tmp_path, cwd=tree)
    begun = objects(tree)
    assert len(begun) == len(kept) + 1, installed.stderr
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    again = run(*command, cwd=tree)
    assert (again.returncode, objects(tree)) == (0, begun), again.stdout
    os.utime(tree / "ext" / "kulami_solver" / "core" / "file_length.pyx")
    assert run(*command, cwd=tree).returncode == 0
    assert [path.stem for path, _ in objects(tree).items() - begun.items()] == ["file_length"]
    assert run(*command, cwd=tree, environment={"KULAMI_DEBUG": "1"}).returncode == 0
    assert begun.keys() == objects(tree).keys()
    assert not begun.items() & objects(tree).items()


def objects(tree: Path) -> dict[Path, int]:
    """What has been compiled, and when."""
    return {path: path.stat().st_mtime_ns for path in (tree / "build").rglob("*.o")}


@pytest.mark.nightly
def test_the_checked_build_finds_nothing(tree: Path) -> None:
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    assert run(*command, cwd=tree, environment={"KULAMI_DEBUG": "1"}).returncode == 0
    program = """
import sys
sys.path.insert(0, "")
import kulami_solver as ks

for scoring in ks.Scoring:
    for seed in range(5):
        position = ks.Position(ks.Layout.random(seed, irregular=True))
        while not position.is_over and position.free_count > 18:
            position = position.play(position.legal_fields[seed % len(position.legal_fields)])
        assert ks.solve(position, scoring=scoring, every_move=True).exact
print(ks.Position(ks.Layout.square()).perft(3), ks.__file__)
"""
    done = run(sys.executable, "-c", program, cwd=tree)
    assert done.stdout.startswith("[64, 752, 7320] "), done.stderr
    assert done.stdout.strip().endswith(str(Path("kulami_solver", "__init__.py")))


SETUP = (sys.executable, "setup.py", "-q", "build_ext")
SCRIPTS = (("bash", "scripts/quickstart.sh"), ("bash", "scripts/test.sh"))


def lay_programs(folder: Path) -> None:
    """Lay a compiler that finds no Python.h, old Pythons, one without venv, and old setuptools."""
    compiler, include = sysconfig.get_config_var("CC") or "cc", sysconfig.get_path("include")
    others = f'for word; do shift; [ "$word" = "-I{include}" ] || set -- "$@" "$word"; done'
    executable(folder / "cc", others, f'exec {compiler} "$@"')
    without = 'case "$2" in *ensurepip*) exit 1;; esac'
    executable(folder / "python", without, f'exec "{sys.executable}" "$@"')
    for name in ("python", "python3", *(f"python3.{minor}" for minor in range(10, 15))):
        said = '[ "$1" != --version ] || { echo Python 3.9.2; exit 0; }'
        executable(folder / "old" / name, said, "exit 1")
    for name, text in {  # as `python -m venv` of Python 3.11 brings it
        "__init__": "__version__ = '65.5.0'\nExtension = setup = object",
        "errors": "PlatformError = Exception",
        "command/__init__": "",
        "command/build_ext": "build_ext = object",
        "command/build_py": "build_py = object",
    }.items():
        path = folder / "setuptools" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


#: What is said of a variable of the environment; a folder with the programs stands for {tmp}.
MISSING = {
    "CC=no-such-compiler": "no C compiler works (tried: no-such-compiler): install one",
    "KULAMI_MARCH=pdp-11": "KULAMI_MARCH=pdp-11: the C compiler refuses -march=pdp-11",
    "KULAMI_SANITIZE=rust": "KULAMI_SANITIZE=rust: the C compiler refuses -fsanitize=rust",
    "PYTHONPATH={tmp}": "-m pip install 'setuptools>=77' 'Cython>=3.2' and start again.",
    "CC='{tmp}/cc'": "Python.h",
    "PATH={tmp}/old:{path}": "\nkulami_solver needs Python 3.10 or newer, and Python 3.9.2 was "
    "found: install one",
    "PYTHON=old": "PYTHON=old is not a Python 3.10 or newer",
    "PYTHON={tmp}/python": "has no venv module: install it (Debian, Ubuntu: apt install "
    "python3-venv)",
}
BY_SETUP = [*MISSING][:4]


@pytest.mark.parametrize("variable", MISSING)
def test_what_is_missing_is_one_sentence(variable: str, checkout: Path, tmp_path: Path) -> None:
    """Before anything is made; the scripts say first what setup.py would."""
    lay_programs(tmp_path)
    name, _, value = variable.partition("=")
    found = value.format(tmp=tmp_path, path=os.environ["PATH"])
    environment = {"PYTHON": "" if name == "PATH" else sys.executable, name: found}
    for program in [*[SETUP] * (variable in BY_SETUP), *SCRIPTS * (variable not in BY_SETUP[1:])]:
        done = run(*program, cwd=checkout, environment=environment)
        assert (done.returncode, done.stdout) == (1, ""), program
        (line,) = done.stderr.splitlines()
        assert MISSING[variable] in f"\n{line}", program
        assert not (checkout / ".venv").exists()


def test_old_python_is_one_sentence(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18, "final", 0))
    with pytest.raises(SystemExit, match=r"needs Python 3\.10 or newer, and .* is 3\.9"):
        runpy.run_path(str(repository / "setup.py"))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["address", "thread"])
def test_sanitizers_find_nothing(repository: Path, kind: str) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed: its sanitizers are what is run here")
    script = repository / "scripts" / "release" / "sanitize.sh"
    done = run("bash", script, kind, cwd=repository, environment={"PYTHON": sys.executable})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing found in" in done.stdout.splitlines()[-1]


def test_the_version_is_said_once() -> None:
    import kulami_solver

    number, _, commit = metadata.version("kulami_solver").partition(".dev")
    assert number == kulami_solver.__version__
    assert re.fullmatch(r"(\d+\+g\w+)?", commit)
