"""Bots and programs that misbehave: each question has its own answer, or the one right fault."""

from __future__ import annotations

import io
import json
import re
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import unruly
from command_line import Ran, good, kulami, process
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kulami_solver import Layout, Position
from kulami_solver.adapters import ugi
from kulami_solver.bots import (
    BotCrashed,
    BotError,
    BotTimedOut,
    Clock,
    Greedy,
    IllegalAnswer,
    Player,
    make_player,
)
from kulami_solver.bots.arena import Opening, play_game
from kulami_solver.bots.check import check
from kulami_solver.bots.engine import Engine
from kulami_solver.bots.kulami.suite import read_suite
from kulami_solver.bots.match import Result
from kulami_solver.bots.overheard import NamedLines, exception_lines
from kulami_solver.bots.protocol import BotRefused
from kulami_solver.bots.tournament import Tournament
from kulami_solver.kulami.game import state_of

SMALL = ("--layout", "AABBCC/DDDEEE/FFGGHH")
TRACE = "Traceback (most recent call last):"
MOVES_CURSOR = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

# What comes of an answer, and what is said of it: of an object and of a process, of a program.
Outcome = tuple[type[BotError], str] | None
BANANA: Outcome = (IllegalAnswer, "answers 'banana': ")
ENDS: Outcome = (BotCrashed, "ends with code 3")
LATE: Outcome = (BotTimedOut, "no move in 0.12 s")
SAYS = "ends with code 1, saying '"
FAULTS: dict[str, tuple[Outcome, Outcome]] = {
    "first": (None, None),
    "last": (None, None),
    "number": (None, (IllegalAnswer, "answers '")),
    "nonsense": (BANANA, BANANA),
    "taken": ((IllegalAnswer, "answers '"), (IllegalAnswer, "answers '")),
    "nothing": ((IllegalAnswer, "answers None, which is no field"), (IllegalAnswer, "'None': ")),
    "raises": ((BotCrashed, "raises ValueError: boo "), (BotCrashed, f"{SAYS}ValueError: boo ")),
    "leaves": ((BotCrashed, "raises SystemExit: 3"), ENDS),
    "refuses": ((BotRefused, "a small choice"), (BotRefused, "a small choice")),
    "crash": (
        (BotCrashed, "raises SystemExit: out of cheese"),
        (BotCrashed, f"{SAYS}out of cheese'"),
    ),
}
FAULTS_OF_PROGRAMS = {
    **dict.fromkeys(("slow", "twice", "stray")),
    **dict.fromkeys(("helper", "daemon"), ENDS),
    **dict.fromkeys(("soon", "chatter"), LATE),
}


def line_of_play() -> list[Position]:
    """The start, and what comes after the first field, again and again."""
    line = [Position(Layout.rulebook())]
    while len(line) < 30:
        line.append(line[-1].play(line[-1].legal_fields[0]))
    return line


LINE = line_of_play()


@pytest.mark.parametrize("kind", ["object", "process", "program"])
def test_each_question_has_its_own_answer(kind: str) -> None:
    """Whatever a bot did before: what it says late, twice, or unasked is no answer to another."""
    expected = {how: outcomes[kind == "program"] for how, outcomes in FAULTS.items()}
    if kind != "object":
        expected |= {"gone": ENDS, "hang": LATE}
    if kind == "program":
        expected |= FAULTS_OF_PROGRAMS
    hows, script = [*expected], "_".join(expected)
    name = unruly.engine(script) if kind == "program" else f"unruly:{script}"
    player = make_player(name, isolated=kind == "process")
    if isinstance(player.bot, Engine):
        player.bot.grace = 0.1

    def ask(how: str) -> None:
        position, outcome = LINE[hows.index(how)], expected[how]
        late = outcome is not None and outcome[0] is BotTimedOut
        begun = time.monotonic()
        if outcome is None:
            chosen = player.choose(state_of(position), Clock(seconds=5))
            assert chosen == position.legal_fields[-1 if how == "last" else 0]
        else:
            with pytest.raises(BotError) as caught:
                player.choose(state_of(position), Clock(seconds=0.02 if late else 5))
            assert type(caught.value) is outcome[0], how
            assert str(caught.value).startswith((f"{player.name}: ", f"{player.name} "))
            assert outcome[1] in str(caught.value)
        assert time.monotonic() - begun < 5

    @given(st.permutations(hows), st.sampled_from(("slow", "last")))
    @settings(max_examples=20 if kind == "object" else 2, phases=[Phase.generate])
    def run(order: list[str], after: str) -> None:
        for how in order:
            ask(how)
            if how == "soon":  # its answer comes while another one is waited for
                ask(after)
                ask("slow")

    with closing(player):
        run()


class Delayed:
    """Answers once it is let go, and for a while not even when it is told to stop."""

    def choose(self, position: Position, clock: Clock) -> str:
        """Play the field of the plan, of those that are legal, when the plan says so."""
        assert clock.stop is not None
        number, heeds, delay = PLAN[len(ASKED)]
        ASKED.append(len(SAID))
        if heeds:
            clock.stop.wait(10)
        time.sleep(delay)
        return position.legal_fields[number % len(position.legal_fields)]


PLAN: list[tuple[int, bool, float]] = []
ASKED: list[int] = []
SAID: list[str] = []


QUESTION = st.tuples(
    *(st.integers(0, 20), st.booleans(), st.sampled_from((0.0, 0.03))),
    st.sampled_from(("", "stop", "stop stop", "stop isready", "setoption")),
    st.sampled_from(("go", "go infinite", "go movetime 10")),
)


@given(st.lists(QUESTION, min_size=2, max_size=6))
@settings(max_examples=15)
def test_a_late_answer_belongs_to_its_own_question(
    asked: list[tuple[int, bool, float, str, str]],
) -> None:
    """After its time, or after `stop`: it comes before the next question, once."""
    PLAN[:] = [
        (number, heeds and ("stop" in more or "infinite" in go), delay)
        for number, heeds, delay, more, go in asked
    ]
    ASKED.clear()
    SAID.clear()
    lines: list[str] = []
    for place, (_, _, _, more, go) in enumerate(asked):
        lines += ["uginewgame"] * (place % 2) + [f"position fen {LINE[place].kfn()}", go]
        lines += ["setoption name marbles value 28"] * (more == "setoption")
        lines += more.split() if "stop" in more else []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ugi, "_LAST_WORD", 0.01)
        ugi.Server("test_unruly:Delayed", SAID.append).serve([*lines, "isready"])
    fields = [position.legal_fields for position in LINE]
    right = [f"bestmove {fields[at][plan[0] % len(fields[at])]}" for at, plan in enumerate(PLAN)]
    assert [line for line in SAID if line.startswith("bestmove")] == right
    # When a question comes to the bot, those before it have been answered.
    for place, heard in enumerate(ASKED):
        assert sum(line.startswith("bestmove") for line in SAID[:heard]) == place


# What it costs in a match and in a check


def of_game(game: str, command: str, *words: str) -> list[str]:
    boards = {
        "kulami": SMALL if command == "match" else (),
        "malawi": ("--board", "2x4"),
        "just4fun": ("--board", "3x3", "--stones", "3", "--line", "3", "--hand", "2"),
    }
    return [*([] if game == "kulami" else [game]), command, *words, *boards[game]]


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Callable[..., Ran]:
    """Runs a command in an empty folder; the processes of its bots are heard, too."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Ran:
        done = kulami(*words)
        return replace(done, err=capfd.readouterr().err + done.err)

    return run


@pytest.mark.parametrize(
    ("game", "bot", "fault", "said", "details"),
    [
        ("kulami", "unruly:raises", "crash", "raises ValueError: boo", "ValueError: boo"),
        ("kulami", "unruly:interrupts", "crash", "raises KeyboardInterrupt", "KeyboardInterrupt"),
        ("kulami", unruly.engine("crash"), "crash", "saying 'out of cheese'", "out of cheese"),
        ("kulami", unruly.engine("hang"), "timeout", "no move in ", None),
        ("kulami", unruly.engine("nonsense"), "illegal", "answers 'banana'", None),
        ("malawi", "unruly:nothing", "illegal", "answers None, which is no turn", None),
        ("malawi", "unruly:gone", "crash", "ends with code 3", None),
        ("just4fun", "unruly:nonsense", "illegal", "answers 'banana'", None),
        ("just4fun", "unruly:hang", "timeout", "no move in ", None),
    ],
)
def test_who_gives_no_move_has_lost(
    game: str, bot: str, fault: str, said: str, details: str | None, ran: Callable[..., Ran]
) -> None:
    limit = ["--movetime", "0.1"] if fault == "timeout" else []
    words = of_game(game, "match", "random", bot, "--games", "2", "--save", "games", *limit)
    found = ran(*words, "--json")
    assert found.code == 1
    failed = [line for line in found.err.splitlines() if line.startswith("kulami: ")]
    first = f"kulami: failed: {bot} has lost every one of 2 games by forfeit; the first: "
    assert [line[: len(first)] for line in failed] == [first]
    assert said in failed[0]
    report = found.answer
    assert [report[key] for key in ("wins", "draws", "losses", "games")] == [2, 0, 0, 2]
    assert report["crashes"] == [0, 2 if fault == "crash" else 0]
    assert [one["game"] for one in report["faults"]] == [1, 2]
    for one in report["faults"]:
        assert (one["bot"], one["fault"]) == (bot, fault)
        assert said in one["message"]
        if details:
            assert one["details"][-1].startswith(details)
            assert (one["details"][0] == TRACE) == bot.startswith("unruly")
        else:
            assert one["details"] == []
    assert found.err.count(TRACE) <= (TRACE in report["faults"][0]["details"])
    again = ran(*words)
    word = {"crash": "a crash", "timeout": "time", "illegal": "an illegal move"}[fault]
    assert f"forfeit  {bot} loses 2 by {word}\n  game 1, ply " in again.out
    assert again.out.count(f"    {TRACE}\n      File ") == (TRACE in report["faults"][0]["details"])
    assert "2 of the 2 games were in games already, 0 are new" in again.out
    assert not MOVES_CURSOR.search(found.err + again.out + again.err)
    again = ran(*words, "--json")
    assert again.answer["faults"] == report["faults"]
    if game != "malawi":  # which has no replay
        replayed = good(*([] if game == "kulami" else [game]), "replay", "games", "--json").answer
        assert (replayed["games"], replayed["disagree"]) == (2, 0)
    # And in a check
    words = of_game(game, "check", bot, "--positions", "2", "--workers", "1", *limit)
    found = ran(*words, "--json")
    assert (found.code, found.answer["faults"][fault], found.answer["optimal_rate"]) == (1, 2, 0)
    assert f"({fault} 2); the first: " in found.err
    assert len([line for line in found.err.splitlines() if line.startswith("kulami: ")]) == 1
    if details:
        assert found.answer["blunders"][0]["details"][-1].startswith(details)


def test_what_a_bot_prints(ran: Callable[..., Ran]) -> None:
    """On stderr, a line for a line, and no cursor moves; stdout has the answer alone."""
    done = ran("check", "unruly:talks", "--positions", "4", "--workers", "1", "--json")
    assert (done.code, [*done.answer["faults"].values()]) == (0, [0, 0, 0])
    said = done.err.splitlines()
    for case in read_suite(count=4):
        assert f"unruly:talks|   indented {case.position.legal_fields[0]}" in said
    assert done.err.count("to stderr") == said.count(r"past python \x1b[8m") == 4
    assert not MOVES_CURSOR.search(done.err)
    assert said.count("unruly:talks| good bye") == 1
    # By hand as well
    done = kulami("engine", "--bot", "unruly:talks", stdin=b"go")
    assert done.out == "bestmove a1\n"
    assert r"unruly:talks| to stderr \x1b[2J" in done.err


def test_where_a_bot_fails(ran: Callable[..., Ran]) -> None:
    """The traceback comes once as it happens, and stands in the report and in the file."""
    words = ["check", "unruly:raises", "--positions", "3", "--workers", "1"]
    done = ran(*words, "--results", "kept.jsonl")
    assert done.code == 1
    assert done.err.count(TRACE) == 1
    assert done.err.count("unruly:raises| before") == 3
    assert all(part in done.err for part in ("in choose", "in deeper", "raise ValueError(f"))
    assert "_choose" not in done.err  # the arena's own frames
    assert "\n3 times crash: unruly:raises raises ValueError: boo " in done.out
    assert f"\n  {TRACE}\n    File " in done.out
    assert not MOVES_CURSOR.search(done.out + done.err)
    found = ran(*words, "--results", "kept.jsonl", "--json").answer["blunders"]
    for blunder in found:
        assert blunder["details"][0] == TRACE
        assert blunder["details"][-1] == blunder["message"].partition(" raises ")[2]
        assert any("in deeper" in line for line in blunder["details"])
    assert len(found) == 3
    # As an object in this process.
    bot = Player(unruly.Unruly("raises"))
    (blunder,) = check(bot, read_suite(count=1)).blunders
    assert blunder.details[0] == TRACE
    assert "in choose" in blunder.details[1]
    assert blunder.details[-1].startswith("ValueError: boo ")
    opening = Opening(read_suite(count=1)[0].state)
    assert play_game((bot, bot), opening).details == blunder.details
    greedy = Player(Greedy())
    assert play_game((greedy, greedy), opening).details == ()


def test_the_last_words_of_a_program() -> None:
    """Those of the move at which it failed, and of no other."""
    bot = unruly.engine("first_first_first_first_first_first_wordy")
    for fault in kulami("match", "greedy", bot, "--games", "2", "--json").answer["faults"]:
        assert fault["details"][-2:] == ["thought 49", "out of thoughts"]
        assert len(fault["details"]) == 30


def test_lines_are_whole_and_not_too_many() -> None:
    def again(number: int) -> int:
        return again(number + 1) + again(number - 1)

    with pytest.raises(RecursionError) as caught:
        again(0)
    assert len(exception_lines(caught.value)) < 40
    out = io.StringIO()
    with NamedLines("me", out) as said:
        print("a", end="", file=said)
        assert out.getvalue() == ""
        print("b\n\n c", end="", file=said)
        assert out.getvalue() == "me| ab\nme| \n"
    assert out.getvalue() == "me| ab\nme| \nme|  c\n"
    with NamedLines("me", None) as said:
        print("nowhere", file=said)


@pytest.mark.parametrize(
    ("source", "printed", "raised"),
    [
        ('print("so far")\n1 / 0\n', "so far", "ZeroDivisionError: division by zero"),
        ("class Bot:\n    def __init__(self):\n        print('being made')\n        exit(3)\n",
         "being made", "SystemExit: 3"),
        ("raise SystemExit(3)", "", "SystemExit: 3"),
    ],
)  # fmt: skip
def test_a_bot_that_cannot_be_made(
    source: str, printed: str, raised: str, tmp_path: Path, ran: Callable[..., Ran],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Where, and then in a line what; no frames but the bot's."""
    module = f"unmade_{len(source)}"
    (tmp_path / f"{module}.py").write_text(source, encoding="ascii")
    monkeypatch.syspath_prepend(tmp_path)
    for words in (["check", f"{module}:Bot", "--json"], ["match", f"{module}:Bot", "greedy"]):
        done = ran(*words)
        assert (done.code, done.out) == (2, "")
        *trace, last = done.err.splitlines()
        assert not printed or f"{module}:Bot| {printed}" in trace
        assert f"{module}:Bot| {raised}" in trace
        assert f"{tmp_path}/{module}.py" in done.err
        assert "importlib" not in done.err
        assert "naming.py" not in done.err
        assert last.startswith("kulami: error: ")
    with pytest.raises(BotError, match=f"raises {raised.partition(':')[0]}"):
        make_player(f"{module}:Bot")
    said: list[str] = []
    ugi.Server("greedy", said.append).serve([f"setoption name bot value {module}:Bot", "isready"])
    assert f"raises {raised.partition(':')[0]}" in said[0]
    assert said[1:] == ["readyok"]


@pytest.mark.parametrize(
    "error", ["SystemExit", "KeyboardInterrupt", "GeneratorExit", "asyncio.CancelledError"]
)
def test_the_engine_answers_though_its_bot_wants_to_end_it(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = error.rpartition(".")[2]
    (tmp_path / f"ending_{kind}.py").write_text(
        f"import asyncio\nclass Bot:\n    def choose(self, position):\n        raise {error}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    said: list[str] = []
    server = ugi.Server(f"ending_{kind}:Bot", said.append)
    server.serve(["position startpos", "go", "quit"])
    assert server.failed
    assert said[-1] == "bestmove none"
    assert f"raises {kind}" in said[-2]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_not_the_bots_fault() -> None:
    with open("/dev/full", "w", encoding="ascii") as full:
        folder = Path(unruly.__file__).parent
        with process("engine", "--bot", "unruly:crash", cwd=folder, stderr=full) as running:
            out, _ = running.communicate("position fen AAB/CCB r/3 b a1\ngo\nquit\n", 60)
    said = "info string error: unruly:crash raises SystemExit: out of cheese"
    assert out.splitlines() == ["info string fault crash", said, "bestmove none"]


@pytest.mark.parametrize(
    ("how", "broken"),
    [
        ("first", []),
        ("crash", ["go movetime 200"]),
        ("nonsense", ["go movetime 200", "go nodes 100", "a clock", "skips words", "uginewgame"]),
        ("twice", ["answers once"]),
        ("few", []),
        # These wait for the patience of an arena again and again: some ten seconds each.
        *(
            pytest.param(how, ["go movetime 200"], marks=pytest.mark.nightly)
            for how in ("hang", "chatter", "late")
        ),
        pytest.param("silent", ["says ugiok"], marks=pytest.mark.nightly),
    ],
)
def test_broken_promises_are_told(how: str, broken: list[str]) -> None:
    """As `kulami engine --check` says."""
    done = kulami("engine", "--check", unruly.engine(how))
    lines = [line for line in done.out.splitlines() if line.startswith("BROKEN")]
    for words in broken:
        assert any(words in line for line in lines), done.out
    assert bool(lines) == bool(broken) == done.code, done.out


# Crashes that cost no game


@pytest.fixture
def unlucky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bot that crashes at its first move of all, and at no other."""
    (tmp_path / "unlucky.py").write_text(
        "import os\nclass Unlucky:\n    def choose(self, position):\n"
        "        if not os.path.exists('crashed'):\n"
        "            open('crashed', 'w').close()\n            os._exit(3)\n"
        "        return position.legal_fields[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    return "unlucky.py"


SHORT = (*SMALL, "--plies", "10", "--games", "2")


@pytest.mark.parametrize("how", ["", "move", "game"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_crash_costs_nothing(how: str, workers: str, unlucky: str) -> None:
    words = ["match", unlucky, "greedy", *SHORT, "--workers", workers, "--save", "games.jsonl"]
    words += ["--recover", how] if how else []
    said = good(*words).out
    assert ("crashes  unlucky.py: 1 time in all, 0 of its games lost" in said) == bool(how)
    records = [json.loads(line) for line in Path("games.jsonl").read_text().splitlines()[1:]]
    crashed = [record for record in records if "crashes" in record]
    assert len(crashed) == bool(how)
    for record in crashed:
        seat = "red" if record["red"] == unlucky else "black"
        assert record["crashes"] == {"red": 0, "black": 0} | {seat: 1}
    assert good("replay", "games.jsonl", "--json").answer["disagree"] == 0
    again = good(*words, "--json").answer
    assert (again["from_file"], again["crashes"], len(again["faults"])) == (2, [1, 0], not how)


def test_a_program_goes_on_after_each_crash() -> None:
    """One crashes at every second move, one at once again."""
    words = ["match", "greedy", unruly.engine("second"), *SHORT, "--json"]
    found = good(*words, "--recover", "move").answer
    assert (found["faults"], found["crashes"][1] >= 2) == ([], True)
    found = kulami(*words, "--recover", "game").answer
    assert [fault["fault"] for fault in found["faults"]] == ["crash", "crash"]
    assert found["crashes"] == [0, 4]  # each game was tried twice
    words[2] = unruly.engine("crash")
    done = kulami(*words, "--recover", "move")
    assert (done.code, [fault["fault"] for fault in done.answer["faults"]]) == (1, ["crash"] * 2)


def test_a_tournament_counts_crashes_by_bot() -> None:
    """It calls bots by their titles wherever it names them."""
    tournament = Tournament(["exec a", "b", "c"])
    tournament.titles = {"exec a": "rabbit"}
    tournament.add(0, [Result(0, 9, 1, crashes=(2, 2)), Result(0, 9, 1, crashes=(1, 0))])
    tournament.add(2, [Result(0, 9, 1), Result(1, 9, 1, forfeit=0, fault="crash", crashes=(0, 3))])
    assert tournament.crashes == tournament.to_json()["crashes"] == [2, 6, 1]
    told = tournament.text()
    assert "crashes  b: 6 times in all, 0 of its games lost by them" in told
    assert "crashes  rabbit: 2 times in all" in told
    assert "forfeit  c loses 1 by a crash" in told
    assert "crashes  c" not in told
    assert "exec a" not in told


def test_the_program_is_started_again() -> None:
    with closing(Player(Engine(unruly.command("once")))) as player:
        for _ in range(2):
            assert player.choose(state_of(LINE[3])) == LINE[3].legal_fields[0]
            assert isinstance(player.bot, Engine)
            assert player.bot._program is not None
            player.bot._program.process.wait(10)


@pytest.mark.parametrize(
    "command",
    [
        "match greedy",
        pytest.param("just4fun check", marks=pytest.mark.nightly),
        pytest.param("play --layout AAB/AAC --side black --bot", marks=pytest.mark.nightly),
        pytest.param("hagen 127.0.0.1 1 --bot", marks=pytest.mark.nightly),
    ],
)
def test_a_program_that_does_not_speak_is_told_of_after_two_seconds(command: str) -> None:
    begun = time.monotonic()
    silent = unruly.engine("silent")
    with process(*command.split(), silent, stdin=subprocess.DEVNULL, stdout=None) as running:
        assert running.stderr is not None
        said = running.stderr.readline()
        spent = time.monotonic() - begun
        running.kill()
    waited = f"for {silent} to answer ugiok and readyok: it has 10 seconds"
    assert said == f"kulami: waiting: {waited}\n"
    assert 2 <= spent < 10
