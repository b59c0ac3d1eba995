"""The documents: what they show is run, and what they point at is there."""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import completed
from documents import DOCUMENTS, LANGUAGES, ROOT, Block, blocks, commands, named, without_fences

from kulami_solver.cli import build_parser
from kulami_solver.cli.output import CommandError

_LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
_DOWNLOAD = re.compile(r"\{download\}`[^<`]*<([^>`]+)>`")
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# Programs that serve until they are ended, and the ports that documents give them.
_SERVERS = ("kulami serve", "dask scheduler", "dask worker")
_PORTS = ("8765", "8786")

# What takes seconds, and is left out by day.
_SLOW = (
    "kulami check corner:Corner",
    "kulami check random greedy",
    "kulami grade games.jsonl",
    "kulami malawi check",
    "kulami malawi match perfect",
)

# They start a scheduler and workers, or take long.
_NIGHTLY = {"docs/cluster.md", "docs/estimates.md"}

# They take two to eight seconds each.
_LANDING = {
    *("docs/malawi.md", "docs/training.md", "docs/tutorial/bot.md", "docs/tutorial/database.md"),
    "docs/tutorial/own-bot.md",
}

# The languages of blocks that are run.
_RUN = ("pycon", "python", "console")

# Of what is not run, programs that have no parser here.
_PROGRAMS = {
    *("bash", "curl", "dask", "docker", "export", "git", "pip", "python", "python3.14t", "sbatch"),
    *("shtab", "source"),
}


class Reader:
    """Somebody who does what a document shows, in a folder with what it offers for download."""

    def __init__(self, document: Path, folder: Path) -> None:
        self.document = document
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.ports = {port: str(_free_port()) for port in _PORTS}
        self.served: list[subprocess.Popen[str]] = []
        for offered in _DOWNLOAD.findall(without_fences(document)):
            shutil.copy(document.parent / offered, folder)
        self.environment = os.environ | {
            "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]),
            "PYTHONIOENCODING": "utf-8",
        }

    def do(self, block: Block, in_full: bool) -> None:
        """Do what a block says, slow commands `in_full` alone; compare what comes of it."""
        text = re.sub("|".join(_PORTS), lambda port: self.ports[port[0]], block.text)
        if block.language == "pycon":
            self._converse(text, block.line)
        elif block.language in ("python", "text") and block.name:
            (self.folder / block.name).write_text(text, encoding="utf-8")
        elif block.language == "python":
            place = f"{named(self.document)}:{block.line}"
            exec(compile("\n" * (block.line - 1) + text, place, "exec"), self.names)
        elif block.language == "console" and (not block.name or shutil.which(block.name)):
            for command, answer in commands(text):
                if command.startswith(_SLOW) and not in_full:
                    continue
                (self._serve if command.startswith(_SERVERS) else self._run)(command, answer)

    def _converse(self, session: str, line: int) -> None:
        name = named(self.document)
        test = doctest.DocTestParser().get_doctest(session, self.names, name, name, line - 1)
        said: list[str] = []
        doctest.DocTestRunner(optionflags=_OPTIONS).run(test, out=said.append, clear_globs=False)
        self.names = test.globs
        assert said == [], "".join(said)

    def _run(self, command: str, answer: str) -> None:
        done = completed(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, encoding="utf-8"
        )
        _compare(command, answer, done.stdout, done.stderr)

    def _serve(self, command: str, answer: str) -> None:
        """Start what goes on by itself, and wait until it answers."""
        port = self.ports["8765" if command.startswith("kulami") else "8786"]
        words = shlex.split(command + ("" if "worker" in command else f" --port {port}"))
        words[0] = str(Path(sysconfig.get_path("scripts")) / words[0])
        running = subprocess.Popen(
            words,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self.served.append(running)
        assert running.stdout is not None
        said = "".join(running.stdout.readline() for _ in answer.splitlines())
        _compare(command, answer, said, "")
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(port))):
                return
            assert running.poll() is None, f"{command} has ended"
            assert time.monotonic() < deadline, f"{command} does not answer"
            time.sleep(0.05)

    def leave(self) -> None:
        """End what was started."""
        for running in reversed(self.served):
            running.send_signal(signal.SIGINT)
            try:
                running.wait(timeout=20)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
            assert running.stdout is not None
            running.stdout.close()


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def _compare(command: str, answer: str, said: str, complaint: str) -> None:
    checker = doctest.OutputChecker()
    assert checker.check_output(answer, said, _OPTIONS), (
        f"$ {command}\n"
        + checker.output_difference(doctest.Example(command, answer), said, doctest.REPORT_NDIFF)
        + complaint
    )


@pytest.fixture
def reader(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Reader]:
    """Somebody who reads the document that the test is about, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    modules = set(sys.modules)
    found = Reader(request.getfixturevalue("document"), tmp_path)
    yield found
    found.leave()
    for name in set(sys.modules) - modules:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).parent == tmp_path:
            del sys.modules[name]


def readings() -> Iterator[Any]:
    """Every document in which something is run, and whether that is all that it shows."""
    for document in DOCUMENTS:
        found = [block for block in blocks(document) if block.language in _RUN]
        if not found:
            continue
        slow = any(f"$ {command}" in block.text for block in found for command in _SLOW)
        later = [pytest.mark.nightly] if named(document) in _NIGHTLY else []
        if named(document) in _LANDING:
            later = [pytest.mark.landing]
        yield pytest.param(document, not slow, id=named(document), marks=later)
        if slow:
            name = f"{named(document)} in full"
            yield pytest.param(document, True, id=name, marks=pytest.mark.nightly)


@pytest.mark.parametrize(("document", "in_full"), [*readings()])
def test_what_is_shown_is_so(document: Path, in_full: bool, reader: Reader) -> None:
    if any("pyspiel" in block.text for block in blocks(document)):
        pytest.importorskip("pyspiel", reason="OpenSpiel is not for this Python")
    for block in blocks(document):
        reader.do(block, in_full)


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_block_says_what_it_is(document: Path) -> None:
    """Blocks that are merely indented could be anything."""
    for block in blocks(document):
        assert block.language in LANGUAGES or re.fullmatch(r"\{[\w-]+\}", block.language), block
    indented = re.search(r"(?:^|[^:\n]\n)\n {4}(?! *(?:[-*]|\d+\.) ).*", without_fences(document))
    assert indented is None, f"{named(document)}: fence {indented[0]!r} in"


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_commands_that_are_not_run_would_be_understood(document: Path) -> None:
    parser = build_parser()
    for block in blocks(document):
        if block.language != "sh":
            continue
        subprocess.run(["bash", "-n", "-c", block.text], check=True)
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            while words and re.match(r"[A-Z_]+=", words[0]):
                del words[0]  # a variable of the environment, for what follows
            if not words or words[0] in ("for", "done"):
                continue
            if words[0] == "kulami":
                try:
                    parser.parse_args(_before_redirection(words[1:]))
                except CommandError as error:
                    pytest.fail(f"{named(document)}: {line}: {error}")
            else:
                program = re.sub(r"^python3[.\d]*t?$", "python", words[0])
                assert program in _PROGRAMS, f"{named(document)}: {line}"
                for word in words[1:]:
                    if word.startswith("scripts/"):
                        assert (ROOT / word).exists(), f"{named(document)}: {line}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_commands_in_the_text_are_there(document: Path) -> None:
    """Those of a sentence or a table, which may be cut short: the command, and its options."""
    text = " ".join(without_fences(document).split())
    whole = build_parser()
    for span in re.findall(r"`(kulami [^`]+|\.\.\. [^`]+)`", text):
        words = re.findall(r"[^\s\[\]|,()=]+", span)
        if words[:2] == ["kulami", "nim"]:  # the game that a document adds
            continue
        parser = whole
        if words[0] == "...":  # a row of a sibling's table of commands
            words = ["kulami", document.stem, *words[1:]]
        for word in words[1:]:
            subparsers = (one for one in parser._actions if isinstance(one.choices, dict))
            commands = next(subparsers, None)
            if word.startswith("--"):
                assert word in parser._option_string_actions, f"{named(document)}: {span}"
            elif commands is not None and re.fullmatch(r"[a-z0-9]+", word):
                found = commands.choices
                assert isinstance(found, dict)
                assert word in found, f"{named(document)}: {span}"
                parser = found[word]


def _before_redirection(words: list[str]) -> list[str]:
    for place, word in enumerate(words):
        if word in (">", "|", "<", "&"):
            return words[:place]
    return words


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_inside_the_repository(document: Path) -> None:
    for target in _LINK.findall(without_fences(document)):
        if "://" not in target:
            assert (document.parent / target).exists(), target
