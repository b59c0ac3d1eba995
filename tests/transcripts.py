"""What commands say, word for word: tests/transcripts.txt is the record of it.

    python tests/transcripts.py    write the record anew; `git diff` shows what has changed

A section begins with `# ` and a title, and is done in a folder of its own. Its lines are

    @ NAME TEXT                     a file that is there, bars between its lines
    $ kulami WORDS <<< TYPED        a command, and what is typed, bars between the lines
    | what it prints on stdout
    ! what it says on stderr
    = 2                             how it ends, if not well

What differs from one machine to another, seconds and the sizes of packed files, is N, and the
folder is FOLDER.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from command_line import kulami

RECORD = Path(__file__).with_suffix(".txt")


def recorded() -> dict[str, str]:
    """The sections by their titles."""
    sections = re.split(r"^(?=# )", RECORD.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {one.partition("\n")[0].removeprefix("# "): one.strip() for one in sections if one}


def anew(section: str) -> str:
    """A section as it comes out now, in the folder that is worked in."""
    return "\n".join(_lines(section))


def commands(section: str) -> list[str]:
    """The commands of a section, as they are typed."""
    return re.findall(r"^\$ kulami ?(.*)", section, flags=re.MULTILINE)


def files(section: str) -> dict[str, str]:
    """The files that are there, and what they hold."""
    found = re.findall(r"^@ (\S+) (.*)", section, flags=re.MULTILINE)
    return {name: text.replace("|", "\n") + "\n" for name, text in found}


def _lines(section: str) -> Iterator[str]:
    """The lines of a section, done anew."""
    for name, text in files(section).items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    for line in section.splitlines():
        kind, _, rest = line.partition(" ")
        if kind in ("#", "@", "$"):
            yield line
        if kind == "$":
            words, _, typed = rest.partition(" <<< ")
            ran = kulami(*shlex.split(words)[1:], stdin=typed.replace("|", "\n").encode())
            yield from (f"| {said}".rstrip() for said in _told(ran.out))
            yield from (f"! {said}".rstrip() for said in _told(ran.err))
            if ran.code:
                yield f"= {ran.code}"


def _told(text: str) -> list[str]:
    """The lines of an answer, without what differs from one run, folder or Python to another."""
    text = text.replace(os.getcwd(), "FOLDER")
    units = "s|ms a move|M leaves/s|bytes|a position|bytes a position"
    text = re.sub(rf"\b\d[\d,.]* ({units})\b", r"N \1", text)
    text = re.sub(r"\btime \d+", "time N", text)
    text = re.sub(r" \([\d.,]+ M/s\)", "", text)
    text = re.sub(r'("(?:bytes|(?:worst_|solve_)?seconds)\w*": )[^,}]+', r"\1N", text)
    text = re.sub(r"(^bytes +)[\d,]+", r"\1N", text, flags=re.MULTILINE)
    return re.sub(r"\(choose from .*\)", lambda found: found[0].replace("'", ""), text).splitlines()


def main() -> None:
    """Write the record anew."""
    sections = []
    for section in recorded().values():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            sections.append(anew(section))
    RECORD.write_text("\n\n".join(sections) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
