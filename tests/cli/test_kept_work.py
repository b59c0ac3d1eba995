"""Work in a file of results goes on: cut off, damaged, interrupted or killed, by any command."""

from __future__ import annotations

import functools
import json
import os
import random
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command_line import Ran, as_results, good, kulami, process, results_in, until

from kulami_solver import GameRecord, Layout, Position
from kulami_solver.storage.kept_work import ResultFile

BOARD = ("--layout", "AABBCC/DDDEEE/FFGGHH")
START = Position(Layout.parse("AABBCC/DDDEEE/FFGGHH"))
ASKED = Position(Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"))


@dataclass(frozen=True)
class Command:
    """A command that keeps its answers.

    Attributes:
        words: of the command, less the file.
        count: how many answers it keeps.
        others: other terms, and what is said of a file that has these.
        more: words by which two processes or threads do it.
    """

    words: str
    count: int
    others: Mapping[str, str]
    more: str = "--workers 2"

    def run(self, file: object, more: str = "", run: Callable[..., Ran] = good) -> Ran:
        """Run it with a file."""
        option = "--save" if " match" in f" {self.words}" else "--results"
        if "--input" in self.words:
            # The first position is asked for twice.
            children = [ASKED.play(field).kfn() for field in ASKED.legal_fields[:9]]
            Path("asked.kfn").write_text("".join(f"{one}\n" for one in [*children, children[0]]))
        if self.words.startswith("grade"):
            records = (GameRecord.played(START, moves).to_json() for moves in games(self.count))
            Path("games.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
        old, changed, new = more.partition(">")  # of a word
        words = self.words.replace(old, new) if changed else f"{self.words} {more}"
        return run(*words.split(), option, str(file))


def games(count: int) -> Iterator[list[str]]:
    """The moves of random games."""
    draw = random.Random(count)
    for _ in range(count):
        position, moves = START, list[str]()
        while not position.is_over:
            moves.append(draw.choice(position.legal_fields))
            position = position.play(moves[-1])
        yield moves


MATCH = f"match greedy mcts:20 {' '.join(BOARD)} --json --games 8"
COMMANDS = {
    "match": Command(
        MATCH,
        8,
        {
            "--seed 3": "seed 0, not 3",
            "--openings balanced": "openings none, not 'balanced'",
            "--recover move": "recover none, not 'move'",
            "--clock 600+1": "movetime none, not '600+1 a game'",
            "mcts:20>mcts:5": 'bots ["greedy", "mcts:20"], not ["greedy", "mcts:5"]',
        },
    ),
    "tournament": Command(
        f"match random greedy alphabeta:2 {' '.join(BOARD)} --json --games 4",
        12,
        {"--format gauntlet": "format 'round-robin', not 'gauntlet'", "random >": "bots ["},
    ),
    "malawi": Command(
        "malawi match greedy random --board 2x4 --json --games 6",
        6,
        {"--plies 2": "plies 4, not 2"},
    ),
    "cards": Command(
        "just4fun match greedy random --board 3x3 --stones 3 --line 3 --hand 2 --json --games 6",
        6,
        {"--line 2": "line 3, not 2"},
    ),
    "check": Command(
        "check mcts:50 --positions 12 --json",
        12,
        {"mcts:50>greedy": "bot 'mcts:50', not 'greedy'", "--movetime 9": "movetime none, not 9"},
    ),
    "several": Command(
        "check random greedy alphabeta:2 --positions 5 --json", 15, {"greedy >": "bots ["}
    ),
    "solve": Command(
        "solve --input asked.kfn", 9, {"--scoring 1": "scoring '0', not '1'"}, "--threads 2"
    ),
    "grade": Command(
        "grade games.jsonl --workers 1 --json", 6, {"--time 3": "time none, not 3.0"}
    ),
}  # fmt: skip
EACH = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
ONE = pytest.mark.parametrize(
    "command",
    [COMMANDS[name] for name in ("match", "malawi", "check", "several", "solve", "grade")],
)
DIFFER = {"from_file", "new", "seconds", "worst_seconds", "nodes"}
"""What an answer says that may differ from one run to another."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(found: Any) -> Any:
    """An answer, less what may differ."""
    if isinstance(found, dict):
        return {name: told(value) for name, value in found.items() if name not in DIFFER}
    return [told(one) for one in found] if isinstance(found, list) else found


def taken(ran: Ran, command: Command) -> tuple[int, int]:
    """How many answers came from the file, and how many are new."""
    if "--input" not in command.words:
        last = ran.answers[-1]  # `grade` has a line for each game before it
        return last["from_file"], last["new"]
    found = re.search(r"(\d+) of the 10 answers were in", ran.err)
    known = int(found[1]) if found else 0
    return known, command.count - known


def answers(path: Path) -> set[str]:
    """What a file says, whatever the order of its lines and their checksums."""
    return {json.dumps(told(record)) for record in results_in(path)[1:]}


@EACH
def test_what_was_cut_off_goes_on_in_the_same_file(command: Command) -> None:
    """Anywhere: between two lines, within one, in a pair of games; by one process or by two."""
    whole, broken = Path("whole"), Path("broken")
    expected = command.run(whole)
    assert taken(expected, command) == (0, command.count)
    header, *lines = whole.read_bytes().splitlines(keepends=True)
    assert len(lines) == command.count
    draw = random.Random(command.count)
    for more in ("", command.more):
        some = draw.sample(lines, draw.randrange(1, len(lines)))
        rest = next(line for line in lines if line not in some)
        kept = [header, *some]
        broken.write_bytes(b"".join(kept) + rest[: draw.randrange(1, len(rest))])
        found = command.run(broken, more)
        if (
            "match" in command.words or "--input" not in command.words
        ):  # a game whose other game is missing counts, too
            assert taken(found, command) == (len(some), command.count - len(some))
        assert told(found.answers) == told(expected.answers)
        assert answers(broken) == answers(whole)
        now = broken.read_bytes()
        assert now.splitlines(keepends=True)[: len(kept)] == kept
        assert len(now.splitlines()) == command.count + 1
        again = command.run(broken, more)
        assert taken(again, command)[1] <= 0
        assert told(again.answers) == told(expected.answers)
        assert broken.read_bytes() == now
    plain = good(*[word for word in command.words.split() if word != "--json"])
    if "--json" in command.words:
        option = "--save" if "match" in command.words else "--results"
        words = [word for word in command.words.split() if word != "--json"]
        said = good(*words, option, "broken").out
        assert f"{command.count} of the {command.count} " in said
        assert "were in broken already, 0 are new" in said
        assert plain.out.splitlines()[0] == said.splitlines()[0]


@EACH
def test_what_is_damaged_or_of_others_is_left_alone(command: Command) -> None:
    """One sentence names the line, or the term that is another; so does a file that is in use."""
    path = Path("kept")
    command.run(path)
    whole = path.read_bytes()

    def refused(said: str, more: str = "") -> None:
        before = path.read_bytes()
        ran = command.run(path, more, kulami)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert said in ran.err
        assert path.read_bytes() == before

    for more, said in command.others.items():
        refused(f"kept holds results with {said}", more)
    header, *lines = whole.splitlines(keepends=True)
    for damage in (
        b"?" + lines[1],
        b"\n",
        b"[1]\n",
        lines[1].replace(b'"check":', b'"chekc":'),
        re.sub(rb"\d", lambda found: b"%d" % (9 - int(found[0])), lines[1], count=1),
    ):
        path.write_bytes(b"".join([header, lines[0], damage, *lines[2:]]))
        refused("line 3 is damaged")
        refused(": delete that line to go on without it")
    path.write_bytes(b"".join([header.replace(b'"check":', b'"chekc":'), *lines]))
    refused("line 1 is damaged")
    path.write_bytes(b"".join([header, lines[0], *lines[2:]]))
    assert taken(command.run(path), command)[1] <= 1
    path.unlink()
    fcntl = pytest.importorskip("fcntl")
    assert fcntl
    with ResultFile(path, {"journal": "match"}):
        refused("kept is in use by another run: ")


@ONE
def test_no_value_in_a_file_of_results_ends_in_a_traceback(command: Command) -> None:
    """Each key of a result that has the right checksum, and each that it could have, with each."""
    path = Path("kept")
    command.run(path)
    header, first, *others = results_in(path)
    keys = {*first, "fault", "message", "details", "forfeit", "crashes", "played", "opening"}
    lost: dict[str, Any] = {"fault": "crash", "played": None, "forfeit": "red"}
    codes = set()
    values: list[Any] = [None, [], [[]], {}, {"red": []}, "x", -1, 0.5, True, 10**400, [{}]]
    draw = random.Random(3)
    for result in (first, first | lost):
        for key in sorted(keys):
            for value in draw.sample(values, 5):
                path.write_text(as_results(header, result | {key: value}, *others))
                ran = command.run(path, run=kulami)
                assert ran.code in (0, 1, 2), (key, value)
                assert "Traceback" not in ran.err
                assert ran.code < 2 or len(ran.err.splitlines()) == 1
                codes.add(ran.code)
    assert 0 in codes
    if command.words == MATCH:
        for change in ({"score": None}, {"moves": 3}, {"forfeit": "green"}, {"score": {"red": 1}}):
            path.write_text(as_results(header, first | change, *others))
            ran = command.run(path, run=kulami)
            said = f"game {first['game']} in the file has no moves and score; name another file"
            assert (ran.code, said in ran.err) == (2, True)


@EACH
@pytest.mark.parametrize("at", [1, 3])
def test_ctrl_c_loses_no_answer(command: Command, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even one between an answer and its line; in a pair of games the first is kept."""
    add, added = ResultFile.add, 0

    def pressed(results: ResultFile, record: Mapping[str, object]) -> None:
        nonlocal added
        added += 1
        if added == at and at_once:
            signal.raise_signal(signal.SIGINT)
        add(results, record)
        if added == at and not at_once:
            signal.raise_signal(signal.SIGINT)

    path, at_once = Path("kept"), command.words.startswith("check")
    with monkeypatch.context() as patched:
        patched.setattr(ResultFile, "add", pressed)
        ran = command.run(path, run=kulami)
    assert ran.code == 130
    lines = len(path.read_bytes().splitlines()) - 1
    assert lines == at
    assert "Traceback" not in ran.err
    if "match" in command.words:
        said = at // 2 * 2
        assert ran.answer["games"] == said
        assert (
            f"{f'this is what {said} games say' if said else 'no game is over'}; go on" in ran.err
        )
        assert "%" not in ran.out or said
    elif "--input" not in command.words:
        assert "go on with --results kept" in ran.err
    if command.words.startswith("grade"):
        assert ("this is after 2 games" if at == 3 else "no game is graded") in ran.err
        assert [one["games"] for one in ran.answers if "players" in one] == [2] * (at == 3)
    found = command.run(path)
    if "--input" not in command.words:
        assert taken(found, command) == (lines, command.count - lines)
    assert answers(path) == answers_of(command)


def answers_of(command: Command) -> set[str]:
    """What a file of an undisturbed run says."""
    command.run("undisturbed")
    return answers(Path("undisturbed"))


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize(
    "name", ["match", *(pytest.param(name, marks=pytest.mark.nightly) for name in COMMANDS)]
)
def test_what_was_killed_goes_on(name: str) -> None:
    """Again and again, and by two processes: the file is that of one whole run."""
    command, path = COMMANDS[name], Path("kept")
    start = functools.partial(process, start_new_session=True)
    for least in (1, command.count // 2):
        with suppress(AssertionError):  # it may have come to its end
            running: Any = command.run(path, command.more, start)  # type: ignore[arg-type]
            until(lambda: path.exists() and path.read_bytes().count(b"\n") > least, running)  # noqa: B023
        os.killpg(running.pid, signal.SIGKILL) if running.poll() is None else None
        running.communicate(timeout=60)
    command.run(path)
    assert answers(path) == answers_of(command)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_at_a_terminal_keeps_what_is_known() -> None:
    """It reaches the processes that ask, too."""
    words = ("check", "mcts:20000", "--workers", "2", "--results", "kept", "--json")
    path = Path("kept")
    with process(*words, start_new_session=True) as running:
        until(lambda: path.exists() and path.read_bytes().count(b"\n") > 3, running)
        os.killpg(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert json.loads(out)["positions"] == len(path.read_bytes().splitlines()) - 1
    assert "go on with --results" in err


def test_a_file_may_hold_more_games_than_are_asked_for() -> None:
    words = ("match", "greedy", "random", *BOARD, "--save", "kept", "--games")
    good(*words, "4")
    said = good(*words, "2").out
    assert said.rstrip().endswith("0 are new; all of them count, though 2 were asked for")
    more = good(*words, "6", "--json").answer
    assert (more["games"], more["from_file"], more["new"]) == (6, 4, 2)
