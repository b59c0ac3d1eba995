"""The documents and the blocks of code in them.

What a block is stands behind its fence:

    pycon           a Python session
    python          a program, run with the names of the blocks before it
    python NAME.py  a file that the reader saves, for later blocks
    console         a shell session: commands begin with `$ `, answers stand below
    console NAME    one for readers who have the program NAME
    sh              commands to look at: they take too long, or more than a test may have
    text, json, bibtex
                    no code; `text NAME` is a file, too
    {name}          a directive of the site

In the answers of sessions `...` stands for anything. Whatever a command says on stderr is not
shown. The blocks of a document are run in its order, in one folder. A program that serves, such as
`kulami serve`, goes on while the rest is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "data" / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
LANGUAGES = ("pycon", "python", "console", "sh", "text", "json", "bibtex")

_FENCE = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a document."""

    line: int
    """The number of its first line."""

    language: str
    name: str
    text: str


def named(document: Path) -> str:
    """What a document is called in tests."""
    return document.relative_to(ROOT).as_posix()


def blocks(document: Path) -> Iterator[Block]:
    """The fenced blocks of a document."""
    text = document.read_text(encoding="utf-8")
    for fence in _FENCE.finditer(text):
        language, _, name = fence[3].partition(" ")
        inner = re.sub(f"^{fence[1]}", "", fence[4], flags=re.MULTILINE)
        yield Block(text.count("\n", 0, fence.start(4)) + 1, language, name.strip(), inner)


def without_fences(document: Path) -> str:
    """The text of a document, its blocks left out."""
    return _FENCE.sub("", document.read_text(encoding="utf-8"))


def commands(session: str) -> Iterator[tuple[str, str]]:
    """The commands of a shell session, each with the answer shown below it."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, answer = part.partition("\n")
        while command.endswith("\\"):
            line, _, answer = answer.partition("\n")
            command = f"{command[:-1]} {line.strip()}"
        yield command, answer
