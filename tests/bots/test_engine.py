"""UGI: programs as bots, and bots as programs."""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
import unruly
from command_line import RULEBOOK, good, kulami

from kulami_solver import Layout, Position, Scoring
from kulami_solver.bots import BotCrashed, BotError, BotTimedOut, Clock
from kulami_solver.bots.dialect import option_of, read_value, ugi_line
from kulami_solver.bots.engine import Engine
from kulami_solver.bots.naming import make_player
from kulami_solver.cli.arguments import Parser
from kulami_solver.cli.output import CommandError
from kulami_solver.errors import KulamiError
from kulami_solver.game import Option
from kulami_solver.kulami.game import state_of
from kulami_solver.malawi.game import GAME
from kulami_solver.web.replays import asked_about

START = Position(Layout.rulebook()).play_all("d6 d3 i3")


class TestClient:
    """Programs as bots."""

    def test_what_was_said_is_logged(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "said.txt"
        monkeypatch.setenv("KULAMI_ENGINE_LOG", str(path))
        for how, clock in (("first", Clock(nodes=1)), ("hang", Clock(seconds=0.1))):
            engine = Engine(unruly.command(how), how, grace=0.2)
            with contextlib.suppress(BotTimedOut):
                engine.choose(START, clock=clock)
            engine.close()
        said = [line.split(" ", 3) for line in path.read_text(encoding="utf-8").splitlines()]
        by_name = {how: [words for words in said if words[2] == how] for how in ("first", "hang")}
        assert all(re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3}", time) for time, *_ in said)
        first = [line for *_, line in by_name["first"]]
        assert first[0] == f"* {shlex.join(unruly.command('first'))}"
        assert first[1] == "> ugi"
        assert "< ugiok" in first
        assert "> go nodes 1" in first
        assert first[-2:] == [f"< bestmove {START.legal_fields[0]}", "> quit"]
        assert by_name["hang"][-1][3] == "* no move in 0.3 s"
        assert all(len({process for _, process, *_ in part}) == 1 for part in by_name.values())


# An engine that names options, and then waits, dies, or answers without the end of a line.
OFFERS = """
import sys
how, *options = sys.argv[1:]
def die():
    sys.exit("\\x1b[2Jweights.json: no such file\\n  at main\\nRuntime v20")
if how == "start":
    die()
for line in sys.stdin:
    words = line.split()
    if words == ["ugi"]:
        print(*options, "ugiok", sep="\\n", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["go"]:
        if how == "go":
            die()
        print("bestmove d4", end="" if how == "unended" else "\\n", flush=True)
    elif words == ["quit"]:
        break
"""


def offering(*options: str, how: str = "") -> list[str]:
    return [sys.executable, "-c", OFFERS, how, *options]


@pytest.mark.parametrize("usual", ["0", "1", "chains"])
@pytest.mark.parametrize("named", [("0", "1"), ("1", "chains"), ("0", "1", "2", "chains"), ()])
def test_no_value_is_sent_that_an_engine_has_not_named(
    usual: str, named: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "said.txt"
    monkeypatch.setenv("KULAMI_ENGINE_LOG", str(path))
    choices = "".join(f" var {one}" for one in named)
    engine = Engine(
        offering(
            f"option name Scoring type combo default {usual}{choices}",
            "option name marbles type spin default 28 min 20 max 28",
            "option name shortend type button",
        )
    )
    counts = usual  # what the engine counts, as far as it knows
    for scoring in (*Scoring, *reversed(Scoring)):
        for marbles, short_end in ((28, False), (20, False), (19, True)):
            position = Position(Layout.rulebook(), "red", marbles, short_end)
            before = len(path.read_text("utf-8").splitlines()) if path.exists() else 0
            engine.choose(position, scoring=scoring)
            sent = path.read_text("utf-8").splitlines()[before:]
            told = dict(re.findall(r"> setoption name (\w+) value (\w+)", "\n".join(sent)))
            counts = told.get("Scoring", counts)  # spelled as the engine does
            assert counts == (scoring.value if scoring.value in named else usual)
            assert told.get("marbles", "20") in ("20", "28")
            assert "shortend" not in told
            lacks = engine.lacking(position, {"scoring": scoring})
            assert ("scoring" in lacks) == (scoring.value not in (*named, usual))
            assert ("marbles" in lacks) == (marbles == 19)
            assert ("shortend" in lacks) == short_end
    engine.close()


@pytest.mark.parametrize("how", ["start", "go"])
@pytest.mark.parametrize("command", ["check", "match", "play"])
def test_all_that_an_engine_says_at_its_end_is_shown(how: str, command: str) -> None:
    name = f"exec {shlex.join(offering(how=how))}"
    words = {
        "check": ("check", name, "--positions", "2"),
        "match": ("match", name, "greedy", "--games", "2"),
        "play": ("play", "--bot", name, "--side", "black"),
    }
    ran = kulami(*words[command], stdin=b"")
    for line in ("weights.json: no such file", "at main", "Runtime v20"):
        assert line in ran.out + ran.err
    assert "\x1b[2J" not in ran.out + ran.err


def test_programs_that_cannot_be_used_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what was meant, and what came of the answer."""
    engine = Engine(offering(how="unended"), "mine", grace=0.2)
    with pytest.raises(BotTimedOut, match="'bestmove d4' has no line end"):
        engine.choose(START, clock=Clock(seconds=0.1))
    with pytest.raises(BotError, match="does not speak UGI"):
        make_player(f"exec {shlex.quote(sys.executable)} -c pass")
    monkeypatch.chdir(tmp_path)
    Path("C++ bot").mkdir()
    for file in ("C++ bot/mine", "my bot", "mine"):
        Path(file).touch()
    for words, meant in (
        ("C++ bot/mine --fast", "\"exec 'C++ bot/mine' --fast\""),
        ("my bot", "\"exec './my bot'\""),
        ("mine", '"exec ./mine"'),
        ("no such bot", "\"exec 'no such bot'\""),
    ):
        with pytest.raises(BotError, match=re.escape(meant)):
            make_player(f"exec {words}")
    monkeypatch.setenv("KULAMI_ENGINE_LOG", "/nowhere/said.txt")
    ran = kulami("match", "greedy", unruly.engine("first"), "--games", "2")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert "KULAMI_ENGINE_LOG: cannot write /nowhere/said.txt (No such file" in ran.err


@pytest.mark.parametrize("least", [None, -5, 0, 3])
@pytest.mark.parametrize("most", [None, 3, 10**12])
def test_a_bound_that_an_option_lacks_is_none_anywhere(least: int | None, most: int | None) -> None:
    option = Option("beads", "number", 3, "of each", least, most)
    read_there = option_of(ugi_line(option))
    assert read_there is not None
    assert (read_there.least, read_there.most) == (least, most)
    typed = Parser(prog="x")
    typed.of_game(option)
    asked = asked_about(replace(GAME, options=(option,)))
    for value in (-(10**9) - 1, -6, -5, -1, 0, 2, 3, 4, 10**9 + 1, 10**12 + 1):
        fits = (least is None or value >= least) and (most is None or value <= most)
        with contextlib.nullcontext() if fits else pytest.raises(KulamiError):
            assert read_value(option, str(value)) == str(value)
        with contextlib.nullcontext() if fits else pytest.raises(CommandError):
            assert typed.parse_args([f"--beads={value}"]).beads == value
        with contextlib.nullcontext() if fits else pytest.raises(msgspec.ValidationError):
            assert msgspec.convert({"beads": value, "moves": []}, asked).beads == value


class TestServer:
    """Bots as programs: `kulami engine`."""

    def answers(self, *lines: str, bot: str = "perfect") -> list[str]:
        said = "".join(f"{line}\n" for line in lines)
        return good("engine", "--bot", bot, stdin=said.encode()).out.splitlines()

    @pytest.mark.parametrize("go", ["go movetime soon", "go nodes depth", "go movetime --5"])
    def test_a_limit_that_cannot_be_read_is_the_least(self, go: str) -> None:
        said = self.answers(go, "isready", bot="mcts")
        assert said[0].startswith("info string error: go: after ")
        assert any(re.fullmatch(r"bestmove [a-h][1-8]", line) for line in said)

    @pytest.mark.parametrize("bot", ["perfect", "mcts", "alphabeta:3", "master", "random"])
    def test_what_it_thinks(self, bot: str) -> None:
        """Chances of a bot that estimates them add up, and far from the end nothing is sure."""
        said = self.answers(
            f"position fen {RULEBOOK} - r - moves d6 d3 i3", "go nodes 500", bot=bot
        )
        if bot == "random":
            assert [line.split()[0] for line in said] == ["bestmove"]
            return
        words = next(line for line in said if " cp " in line).split()
        if bot == "master":
            place = words.index("wdl")
            chances = [int(word) for word in words[place + 1 : place + 4]]
            assert (sum(chances), min(chances) > 20) == (1000, True)
        told = dict(pairwise(words))
        assert words[0] == "info"
        assert -5000 < int(told["cp"]) < 5000
        assert int(told["nodes"]) > 0
        assert int(told["time"]) >= 0
        assert said[-1].split()[1] in START.legal_fields
        assert said[-1] == f"bestmove {told['pv']}" or bot == "master"

    @pytest.mark.parametrize(
        ("go", "seconds"),
        [
            ("go movetime 1000", 0.9),
            ("go movetime 120", 0.06),
            ("go p1time 1000 p1inc 600000 p2time 5", 0.75),
            ("go p1time 120", 0.04),
            ("go p2time 100", None),
        ],
    )
    def test_time_is_kept_in_reserve(
        self, go: str, seconds: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "timed_bots.py").write_text(
            "class Timed:\n"
            "    def choose(self, position, clock):\n"
            "        print(clock.seconds)\n"
            "        return position.legal_fields[0]\n",
            encoding="ascii",
        )
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        said = f"setoption name Move Overhead value 100\nposition fen AAB/CCB - r -\n{go}\n"
        ran = good("engine", "--bot", "timed_bots:Timed", stdin=said.encode())
        told = ran.err.splitlines()[0].removeprefix("timed_bots:Timed| ")
        if seconds is None:
            assert told == "None"
        else:
            # What it waits for its thread is taken off, too.
            assert 0.001 <= float(told) <= seconds

    def test_engine_against_engine(self) -> None:
        name = "exec " + shlex.join(
            [sys.executable, "-m", "kulami_solver", "engine", "--bot", "greedy"]
        )
        player = make_player(name)
        try:
            for scoring in Scoring:
                expected = make_player("greedy").choose(state_of(START, scoring))
                assert player.choose(state_of(START, scoring)) == expected
        finally:
            player.close()


TOLD = """\
class Clocked:
    def choose(self, position, clock, **others):
        left = [round(seconds) for seconds in clock.left]
        raise LookupError(f"{round(clock.seconds)} {left} {clock.increment} {clock.seat} {others}")


class Unready:
    def new_game(self):
        raise LookupError("no new game")

    def choose(self, position):
        return position.legal_fields[0]
"""


def test_what_a_python_bot_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time whole and the rules that it takes; and what it fails at before its move is told."""
    (tmp_path / "told.py").write_text(TOLD, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    states = state_of(START), state_of(START, Scoring.CHAINS)
    clock = Clock(seconds=2.0, left=(6.0, 9.0), increment=0.5, seat=states[0].to_move)
    for bot, message, untold in (
        ("Clocked", f"1 [6, 9] 0.5 {clock.seat} {{'scoring': <Scoring.LEVEL0: '0'>}}", ()),
        ("Unready", "no new game", ("scoring",)),
    ):
        with contextlib.closing(make_player(f"told.py:{bot}", isolated=True)) as player:
            with pytest.raises(BotCrashed, match=re.escape(f"raises LookupError: {message}")):
                player.choose(states[0], clock)
            assert [player.untold(state) for state in states] == [(), untold]
