"""What functions say of an argument, wrong or right, word for word: refusals.txt has it.

    python tests/core/test_refusals.py    write the record anew; `git diff` shows what has changed

A section begins with `# ` and a title, and is done in a folder of its own. Its lines are

    @ STATEMENT         what is made before
    > EXPRESSION        a question
    ! ERROR: WORDS      what it is refused with; ... in them stands for anything
    | VALUE             or what comes of it, if it is not refused

Every refusal is one short line that can be printed, and leaves nothing on the disk.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kulami_solver.errors import KulamiError

RECORD = Path(__file__).with_name("refusals.txt")


def recorded() -> dict[str, list[str]]:
    """The lines of each section, by its title."""
    sections = re.split(r"^# ", RECORD.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {one.partition("\n")[0]: one.strip().split("\n")[1:] for one in sections}


def answers(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    """Each question of a section, what the record has of it, and what is answered now."""
    names: dict[str, Any] = {}
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        kind, _, text = line.partition(" ")
        if kind == "@":
            exec(text, names)
        elif kind == ">":
            there = sorted(os.listdir())
            try:
                yield text, after, f"| {eval(text, names)!r}"
            except (KulamiError, ValueError, MemoryError) as error:
                said = str(error)
                assert said.isprintable(), text
                assert len(said) < 400, text
                yield text, after, f"! {type(error).__name__}: {said}".rstrip()
            assert sorted(os.listdir()) == there, text


def suits(said: str, record: str) -> bool:
    """Whether an answer is the one on record."""
    return re.fullmatch(re.escape(record).replace(re.escape("..."), ".*"), said) is not None


@pytest.mark.parametrize("section", recorded())
def test_refusals_are_those_on_record(
    section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(answers(recorded()[section]))
    assert [(text, now) for text, record, now in found if not suits(now, record)] == []
    assert found


def main() -> None:
    """Write the record anew, but for what the new answers suit."""
    text = ""
    for title, lines in recorded().items():
        text += f"# {title}\n"
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            answered = answers(lines)
            for line in lines:
                if line[:1] in ("@", ">"):
                    text += f"{line}\n"
                if line[:1] == ">":
                    _, record, now = next(answered)
                    text += f"{record if suits(now, record) else now}\n"
        text += "\n"
    RECORD.write_text(text.strip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
