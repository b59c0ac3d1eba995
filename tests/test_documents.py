"""The documents: what they show is run, and what they point at is there.

A fence marked ``pycon`` is a Python session, one marked ``console`` a shell session whose commands
begin with ``$ ``. In both, ``...`` in an answer stands for anything. Whatever a command says on
stderr is not shown.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]

# What takes seconds.
SLOW = ("kulami malawi check", "kulami malawi match perfect")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def fences(document: Path, language: str) -> Iterator[tuple[int, str]]:
    """The fences of a document in one language, each with the number of its first line."""
    text = document.read_text(encoding="utf-8")
    for fence in _FENCE.finditer(text):
        if fence[1] == language:
            yield text.count("\n", 0, fence.start(2)) + 1, fence[2]


def commands(session: str) -> Iterator[tuple[str, str]]:
    """The commands of a shell session, each with the answer shown below it."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, answer = part.partition("\n")
        while command.endswith("\\"):
            line, _, answer = answer.partition("\n")
            command = f"{command[:-1]} {line.strip()}"
        yield command, answer


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_sessions(document: Path) -> None:
    names: dict[str, object] = {}
    parser = doctest.DocTestParser()
    for line, session in fences(document, "pycon"):
        test = parser.get_doctest(session, names, document.name, str(document), line - 1)
        said: list[str] = []
        doctest.DocTestRunner(optionflags=_OPTIONS).run(test, out=said.append, clear_globs=False)
        names = test.globs
        assert said == [], "".join(said)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        pytest.param(
            command,
            answer,
            id=f"{document.name}:{line} {command[:40]}",
            marks=pytest.mark.nightly if command.startswith(SLOW) else (),
        )
        for document in DOCUMENTS
        for line, session in fences(document, "console")
        for command, answer in commands(session)
    ],
)
def test_shell_sessions(command: str, answer: str, tmp_path: Path) -> None:
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    checker = doctest.OutputChecker()
    example = doctest.Example(command, answer)
    assert checker.check_output(answer, done.stdout, _OPTIONS), (
        checker.output_difference(example, done.stdout, doctest.REPORT_NDIFF) + done.stderr
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_inside_the_repository(document: Path) -> None:
    for target in _LINK.findall(document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def test_every_document_is_named_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in DOCUMENTS[1:] if f"docs/{path.name}" not in readme] == []


def test_the_readme_shows_both_languages() -> None:
    readme = ROOT / "README.md"
    assert list(fences(readme, "pycon"))
    assert list(fences(readme, "console"))
