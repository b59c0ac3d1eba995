"""The version, the changelog, the citation and the supported Pythons say the same everywhere."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from command_line import completed

from kulami_solver import __version__

pytestmark = pytest.mark.sources

HEADING = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d\d-\d\d)$", re.MULTILINE)


def read(repository: Path, name: str) -> str:
    return repository.joinpath(name).read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere(repository: Path) -> None:
    (version, date), *older = HEADING.findall(read(repository, "CHANGELOG.md"))
    citation = read(repository, "CITATION.cff")
    assert re.findall(r"^ *version: (.*)$", citation, re.MULTILINE) == [__version__] * 2
    released = re.findall(r"^date-released: (.*)$", citation, re.MULTILINE)
    assert (version, released) == (__version__, [date] if date != "unreleased" else [])
    numbers = [tuple(map(int, one.split("."))) for one in (version, *(one for one, _ in older))]
    assert numbers == sorted(set(numbers), reverse=True)
    assert "unreleased" not in [date for _, date in older]
    # What cannot be installed yet is not said to be there.
    installing = read(repository, "docs/installing.md")
    assert ("There is no release yet" in installing) == (date == "unreleased")
    for name in ("README.md", "data/README.md"):
        (entry,) = re.findall(r"^```bibtex\n(.*?)^```", read(repository, name), re.M | re.S)
        assert __version__ in entry


def test_the_oldest_versions_are_those_of_the_project_file(repository: Path) -> None:
    project, stability = read(repository, "pyproject.toml"), read(repository, "docs/stability.md")
    for name, pattern in (
        ("Python", r'requires-python = ">=([\d.]+)"'),
        ("NumPy", r"numpy>=([\d.]+)"),
    ):
        (oldest,) = re.findall(pattern, project)
        (said,) = re.findall(
            rf"^\| {name} ([\d.]+) .*\| yes, the oldest \|$", stability, re.MULTILINE
        )
        assert said == oldest
    classified = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    assert re.findall(r"^\| Python ([\d.]+) .*\| yes", stability, re.MULTILINE) == classified


@pytest.mark.landing
def test_two_commits_have_different_versions(repository: Path, tmp_path: Path) -> None:
    """Or pip would say of a newer wheel that it is installed already."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    tree, shallow = tmp_path / "tree", tmp_path / "shallow"
    for name in ("setup.py", "pyproject.toml", "README.md", "kulami_solver/core/version.py"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(repository / name, tree / name)

    def run(*words: str, where: Path = tree) -> str:
        done = completed(words, cwd=where, check=True)
        return done.stdout.strip()

    def version(where: Path = tree) -> str:
        return run(sys.executable, "setup.py", "--version", where=where).splitlines()[-1]

    def commit() -> str:
        told = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        run("git", *told, "commit", "--quiet", "--allow-empty", "-m", "more")
        return run("git", "rev-parse", "--short", "HEAD")

    assert version() == __version__
    run("git", "init", "--quiet")
    run("git", "add", ".")
    first, second = commit(), commit()
    assert first != second
    assert version() == f"{__version__}.dev2+g{second}"
    run("git", "clone", "--quiet", "--depth=1", tree.as_uri(), str(shallow), where=tmp_path)
    assert version(shallow) == version().replace("dev2", "dev1")
    run("git", "tag", f"v{__version__}")
    assert version() == __version__
    newest = commit()
    assert version() == f"{__version__}.dev1+g{newest}"
    (tree / "PKG-INFO").write_text("Name: kulami_solver\nVersion: 7.dev1+gabc\n\nWords.\n", "utf-8")
    assert version() == "7.dev1+gabc"  # as an sdist says
