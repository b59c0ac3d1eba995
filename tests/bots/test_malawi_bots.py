"""Bots of Malawi: matches, checks, forfeits, and files of results."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import good, kulami

from kulami_solver.bots import BotError, Clock, Player, make_player
from kulami_solver.bots.arena import FinishedGame, Opening, play_game
from kulami_solver.bots.case import draw_cases
from kulami_solver.bots.check import check
from kulami_solver.bots.malawi.builtin import Greedy, Perfect
from kulami_solver.bots.match import GameTerms, random_opening
from kulami_solver.bots.naming import bots_of
from kulami_solver.game import NOBODY, load_game
from kulami_solver.malawi import Board, Position, Turn, build, open_database
from kulami_solver.malawi.game import MalawiGame

BOARD = Board(2, 6)
BOTS = """\
import os, time

print("loaded")


class First:
    def choose(self, position):
        print("thinking")
        return position.turns[0]


class Illegal:
    def choose(self, position):
        return "a1-a1"


class Nothing:
    def choose(self, position):
        return {"no": lambda: 1}


class Late:
    def choose(self, position):
        time.sleep(60)


class Crash:
    def choose(self, position):
        raise LookupError("nothing there")


class Gone:
    def choose(self, position):
        os._exit(3)
"""


@pytest.fixture
def my_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a module of bots."""
    (tmp_path / "malawi_bots.py").write_text(BOTS, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The board of most tests, solved."""
    path = str(tmp_path_factory.mktemp("malawi") / "2x6.kdb")
    build(path, BOARD)
    return path


def played(bot: object, other: object, clock: Clock | None = None) -> FinishedGame:
    """A game between two objects."""
    start = load_game("malawi", board=BOARD).start()
    players = [one if isinstance(one, Player) else Player(one) for one in (bot, other)]
    return play_game(players, Opening(start), clock)


def random_player(seed: int = 0) -> Player:
    return make_player("random", seed, game="malawi")


def test_games_end_and_perfect_does_not_lose_a_draw(database: str) -> None:
    perfect = bots_of("malawi").make(f"perfect:{database}")
    for seed in range(8):
        for opponent in (random_player(seed), Greedy(seed)):
            game = played(perfect.bot, opponent)
            assert game.forfeit is None
            assert game.end.to_move == NOBODY
            assert game.end.returns()[0] >= 0  # the board is a draw


def test_perfect_by_search_takes_a_win_it_can_see() -> None:
    """On 2x3 black wins in 4 plies, whatever red does."""
    start = load_game("malawi", board="2x3").start()
    for seed in range(5):
        game = play_game((random_player(seed), Player(Perfect(seed=seed))), Opening(start))
        assert (game.winner, len(game.moves) <= 4) == (1, True)


def damaged_database(folder: Path) -> Path:
    """A database of 2x3 of which all but the header is damaged."""
    path = folder / "2x3.kdb"
    build(path, Board(2, 3))
    data = bytearray(path.read_bytes())
    with open_database(path) as database:
        end = len(data)
        sections = sum(int(section["bytes"]) for section in database.header["sections"])
    data[end - sections :] = bytes(byte ^ 0xFF for byte in data[end - sections :])
    path.write_bytes(data)
    return path


def test_a_damaged_database_is_done_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It searches instead, and says so once: on 2x3 black wins in 4 plies."""
    path = damaged_database(tmp_path)
    player = bots_of("malawi").make(f"perfect:{path}")
    state = load_game("malawi", board="2x3").start().play("a3:b3")
    assert [player.choose(state) for _ in range(2)] == ["b1xb3", "b1xb3"]
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(f"perfect:{path}: {path}: damaged, ")
    assert told.endswith("; it searches instead")


def test_greedy_by_hand() -> None:
    position = Position.from_mfn("b1b2/../r2r0 r")
    worth = {}
    for turn in position.turns:
        beads = position.play(turn).beads
        worth[str(turn)] = beads["red"] - beads["black"]
    assert worth[Greedy().choose(position)] == max(worth.values())
    assert worth["a3xa1"] == max(worth.values())


class Answering:
    """Gives the first turn in some form."""

    def __init__(self, form: type) -> None:
        self.form = form

    def choose(self, position: Position) -> object:
        return self.form(position.turns[0])


def test_a_turn_may_be_answered_as_text_or_as_an_object() -> None:
    state = load_game("malawi", board=BOARD).start()
    text = state.moves[0]
    assert Player(Answering(str)).choose(state) == text
    assert state.move_of(Turn.parse(text)) == text
    game = played(Answering(int_of), random_player())
    assert (game.forfeit, game.fault, game.winner) == (0, "illegal", 1)
    assert game.message.endswith("answers 7, which is no turn")


class int_of(int):  # noqa: N801
    """A number, whatever it is made of."""

    def __new__(cls, _: object) -> int_of:
        return super().__new__(cls, 7)


@pytest.mark.parametrize(
    ("bot", "fault", "message"),
    [
        ("Illegal", "illegal", "answers 'a1-a1': red cannot play"),
        ("Nothing", "illegal", "which is no move"),
        ("Late", "timeout", "malawi_bots:Late: no move in"),
        ("Crash", "crash", "malawi_bots:Crash raises LookupError: nothing there"),
        ("Gone", "crash", "malawi_bots:Gone ends with code 3"),
    ],
)
def test_what_is_no_turn_in_time_loses(my_bots: Path, bot: str, fault: str, message: str) -> None:
    words = ["--board", "2x6", "--games", "2", "--plies", "0", "--movetime", "0.2"]
    ran = kulami("malawi", "match", f"malawi_bots:{bot}", "random", *words, "--json")
    assert ran.code == 1
    assert f"malawi_bots:{bot} has lost every one of 2 games by forfeit" in ran.err
    report = ran.answer
    assert (report["wins"], report["losses"]) == (0, 2)
    assert [found["fault"] for found in report["faults"]] == [fault, fault]
    assert message in report["faults"][0]["message"]
    if bot == "Crash":
        assert report["faults"][0]["details"][-1] == "LookupError: nothing there"
    assert "forfeit" in kulami("malawi", "match", f"malawi_bots:{bot}", "random", *words).out


def test_ctrl_c_is_for_the_match_and_not_for_its_bots(my_bots: Path) -> None:
    """The process of a bot says nothing about it, and is gone afterwards."""
    (my_bots / "slow_bots.py").write_text(
        "import os, time\n\n\nclass Slow:\n    def choose(self, position):\n"
        "        open(f'asked-{os.getpid()}', 'w').close()\n        time.sleep(0.5)\n"
        "        return position.turns[0]\n",
        encoding="ascii",
    )
    words = ["malawi", "match", "slow_bots:Slow", "random", "--board", "2x6", "--workers", "2"]
    running = subprocess.Popen(
        [sys.executable, "-m", "kulami_solver", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (asked := list(my_bots.glob("asked-*"))):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.decode().startswith("kulami: interrupted: Ctrl-C; ")
    assert len(said.splitlines()) == 1
    bots = {int(file.name.partition("-")[2]) for file in asked}
    while any(Path(f"/proc/{bot}/cmdline").is_file() for bot in bots):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_bot_of_a_module_plays_and_what_it_prints_is_kept_apart(my_bots: Path) -> None:
    words = ["malawi", "match", "malawi_bots:First", "random", "--board", "2x6", "--games", "4"]
    report = good(*words, "--json").answer
    assert (report["games"], report["faults"]) == (4, [])
    ran = kulami("malawi", "check", "malawi_bots:Crash", "--board", "2x4", "--positions", "3")
    assert ran.code == 1
    assert "no legal turn in any of 3 positions (crash 3)" in ran.err


def test_openings_are_played_from_both_sides_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ["malawi", "match", "greedy", "random", "--board", "3x4", "--games", "10", "--json"]
    report = good(*words, "--save", str(path)).answer
    assert report["games"] == 10 == report["wins"] + report["draws"] + report["losses"]
    assert report["wins"] > report["losses"]
    assert "mean_margin" not in report
    games = [json.loads(line) for line in path.read_text().splitlines() if line[0] != "#"]
    for there, back in zip(games[::2], games[1::2], strict=True):
        assert there["moves"][:4] == back["moves"][:4]
        assert (there["red"], back["red"]) == ("greedy", "random")
    for game in games:
        end = Position.start(Board.parse(game["board"], game["beads"])).play_all(game["moves"])
        assert end.winner == game["winner"]
    again = good(*words, "--save", str(path)).answer
    assert (again.pop("from_file"), again.pop("new")) == (10, 0)
    assert again.items() <= report.items()
    assert good(*words, "--workers", "2").answer == report
    assert "margin" not in good(*words[:-1]).out
    path.write_text(path.read_text().replace('"winner"', '"loser"'), encoding="ascii")
    assert "line 2 is damaged" in kulami(*words, "--save", str(path)).err
    bare = re.sub(', "check(": [0-9]+|s": true)', "", path.read_text())  # an older version's
    path.write_text(bare, encoding="ascii")
    assert "game 1 in the file has no moves" in kulami(*words, "--save", str(path)).err


def test_openings_belong_to_their_seed() -> None:
    game = MalawiGame(BOARD)
    terms = GameTerms(game, plies=4)
    drawn = random_opening(game.start(), 4, random.Random(3))
    assert terms.opening(3) == terms.opening(3) == drawn
    assert len({terms.opening(number).moves for number in range(20)}) > 10


def test_check_by_hand(database: str) -> None:
    """The rates are what the database says of the turns a bot chooses."""
    with open_database(database) as opened:
        cases = list(draw_cases(MalawiGame(BOARD), 1, 60, (opened,)))
        worth = {"win": 1, "draw": 0, "loss": -1}
        for case in cases:
            for turn, value in case.values.items():
                after = opened.get(case.position.play(turn))
                assert after is not None
                assert value == -worth[str(after.outcome)]
            assert set(case.values) == set(case.state.moves)
            assert len(set(case.values.values())) > 1
    assert len({case.position for case in cases}) == 60
    report = check(Answering(str), cases)
    lost = [max(c.values.values()) - c.values[str(c.position.turns[0])] for c in cases]
    assert report.optimal == sum(loss == 0 for loss in lost)
    assert report.mean_loss == sum(lost) / 60


def test_check_command(database: str, tmp_path: Path) -> None:
    words = ["--board", "2x6", "--positions", "40", "--workers", "1"]
    reports = [
        good("malawi", "check", bot, *words, "--database", database, "--json").answer
        for bot in ("random", "greedy", "perfect", f"perfect:{database}")
    ]
    rates = [report["optimal_rate"] for report in reports]
    assert rates[0] < rates[1] < rates[3] == 1
    assert rates[2] > rates[1]
    assert set(reports[0]["by_outcome"]) <= {"win", "draw"}
    blunder = reports[0]["blunders"][0]
    assert blunder["values"][blunder["best"][0]] - blunder["values"][blunder["played"]] == 2
    assert blunder["points"] == 1
    # Without a database the board is solved for it.
    file, sheet = tmp_path / "answers.jsonl", tmp_path / "answers.csv"
    kept = ["--results", str(file), "--csv", str(sheet)]
    first = good("malawi", "check", "greedy", *words, *kept, "--json").answer
    assert first["optimal_rate"] == rates[1]
    assert sheet.read_text().startswith("mfn,outcome,origin,played,best,points,value,loss,")
    again = good("malawi", "check", "greedy", *words, *kept, "--json").answer
    assert (again["from_file"], again["new"]) == (40, 0)
    said = good("malawi", "check", "random", *words, "--workers", "2").out
    assert "points lost" in said
    assert "right is" in said
    assert " turns; beads red " in said


def test_check_page(database: str, tmp_path: Path) -> None:
    """The values of turns stand below the pictures: they belong to no square."""
    path = tmp_path / "report.html"
    words = ["--board", "2x6", "--positions", "40", "--database", database, "--blunders", "3"]
    good("malawi", "check", "random", *words, "--html", str(path))
    page = path.read_text(encoding="utf-8")
    assert "positions of Malawi whose every turn has a known value" in page
    assert page.count("<svg xmlns") == page.count('<p class="values">') == 3
    assert page.count("<article") == 3
    assert '<span class="bad">' in page
    assert "Optimal moves by value of the position" in page


def test_grade_is_what_the_database_says(database: str, tmp_path: Path) -> None:
    """Along the turns the value changes by what they cost, and ends as the game did."""
    path = tmp_path / "games.jsonl"
    words = ["--board", "2x6", "--games", "6", "--save", str(path)]
    good("malawi", "match", "greedy", "random", *words)
    graded = good("malawi", "grade", str(path), "--database", database, "--json").answers
    assert graded == good("malawi", "grade", str(path), "--json").answers  # solved for it
    records = [json.loads(line) for line in path.read_text().splitlines() if line[0] != "#"]
    assert [found["game"] for found in graded] == list(range(1, 7))
    straight = 0
    for found, record in zip(graded, records, strict=True):
        assert (found["board"], found["beads"], found["from_ply"]) == ("2x6", 2, 1)
        assert [move["turn"] for move in found["moves"]] == record["moves"]
        positions = [Position.start(BOARD)]
        for move in record["moves"]:
            positions.append(positions[-1].play(move))
        if len(set(positions)) < len(positions):
            continue  # what has come up before may end the game another time
        straight += 1
        won = {record["winner"]: 1, None: 0}
        value = won.get(found["moves"][-1]["colour"], -1)
        for move in reversed(found["moves"]):
            assert move["points"] == value
            assert move["best_points"] == value + move["cost"]
            value = -move["best_points"]
        assert value == 0  # the board is a draw
    assert straight > 2
    said = good("malawi", "grade", str(path), "--game", "2").out
    assert "points  cost  best" in said
    assert "solved from move 1 on" in said


def test_the_third_time_is_a_draw_when_it_is_graded(tmp_path: Path) -> None:
    """Whatever the position is worth by itself, the turn that makes it one is worth a draw."""
    state = load_game("malawi", board="2x6").start()
    circle = 2 * ["a6-a4", "a1-a3", "a4-a6", "a3-a1"]
    for move in circle:
        state = state.play(move)
    assert state.to_move == NOBODY
    record = {"board": "2x6", "beads": 2, "moves": circle, "winner": None}
    found = good("malawi", "grade", "-", "--json", stdin=json.dumps(record).encode()).answer
    assert found["finished"] is True
    assert found["moves"][-1]["points"] == 0


def test_grade_of_records_that_are_none(database: str, tmp_path: Path) -> None:
    record = {"board": "2x3", "beads": 2, "moves": ["a3:b3"]}
    over = {"board": "2x3", "moves": ["a3xa1", "b1xb3", "a3:b3", "b1xb3"], "winner": "red"}
    path = tmp_path / "games.jsonl"
    for bad, message in (
        ("[]", "write an object with board, beads, moves and winner"),
        ("{", "game record 1 is not JSON"),
        (json.dumps(record | {"board": "1x1"}), "a board with 1 column"),
        (json.dumps(record | {"beads": "2"}), "a board with '2' beads"),
        (json.dumps({"board": "2x3"}), "'moves' is missing: give a list of turns"),
        (json.dumps(record | {"moves": "a3:b3"}), "write a list of turns"),
        (json.dumps(record | {"moves": ["a3-a9"]}), "move 1: "),
        (json.dumps(over), "the record's winner is 'red'; by the rules it is black"),
        ("", "holds no games"),
    ):
        path.write_text(f"{bad}\n", encoding="ascii")
        ran = kulami("malawi", "grade", str(path))
        assert (ran.code, ran.out) == (2, ""), bad
        assert message in ran.err
        assert len(ran.err.splitlines()) == 1
    path.write_text(json.dumps(record) + "\n", encoding="ascii")
    ran = kulami("malawi", "grade", str(path), "--database", database)
    assert "is of a board of 2x6" in ran.err


def test_a_bad_database_is_not_said_to_be_a_bad_game(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    games.write_text(json.dumps({"board": "2x3", "moves": ["a3:b3"]}) + "\n", encoding="ascii")
    damaged = damaged_database(tmp_path)
    cut = tmp_path / "cut.kdb"
    cut.write_bytes(damaged.read_bytes()[:1000])
    for path, message in (
        (damaged, "damaged, "),
        (cut, "truncated, "),
        (games, "37 bytes are no "),
    ):
        ran = kulami("malawi", "grade", str(games), "--database", str(path))
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"kulami: error: {path}: {message}")
        assert len(ran.err.splitlines()) == 1


def test_a_large_board_is_graded_as_far_as_a_search_proves_it(tmp_path: Path) -> None:
    record = {"board": "6x6", "moves": ["a6-a4", "a1-a3"]}
    ran = good("malawi", "grade", "-", "--time", "0.05", stdin=json.dumps(record).encode())
    assert "no position could be solved in the time: give a --database" in ran.out


def test_ugi(my_bots: Path) -> None:
    """A bot of Malawi as a program, and a program as a bot of Malawi."""
    said = (
        "ugi\nposition startpos moves a6-a4\nquery p1turn\nsetoption name scoring value 1\n"
        "position fen b2b2/../r2r2 r moves a3:b3\nquery gameover\ngo\n"
        "position fen nonsense\ngo\nposition fen b0b0/r1./.r0 b\nquery result\nquit\n"
    )
    told = good("malawi", "engine", stdin=said.encode()).out.splitlines()
    assert told[0].startswith("id name kulami malawi perfect ")
    assert told[-9:-4] == [
        "ugiok",
        "response false",
        "info string error: there is no option 'scoring'",
        "response false",
        "bestmove b1xb3",
    ]
    assert told[-4].startswith("info string error: ")
    assert told[-3].endswith("give one with position fen MFN")
    assert told[-2:] == ["bestmove none", "response p1win"]
    program = f"exec {sys.executable} -m kulami_solver malawi engine --bot"
    words = ["--board", "2x4", "--games", "4", "--json"]
    here = good("malawi", "match", "greedy", "random", *words).answer
    there = good("malawi", "match", f"{program} greedy", "random", *words).answer
    assert (there["wins"], there["losses"]) == (here["wins"], here["losses"])
    assert there["faults"] == []
    report = kulami("malawi", "match", f"{program} malawi_bots:Illegal", "random", *words).answer
    assert {found["fault"] for found in report["faults"]} == {"illegal"}


def test_bad_input(database: str, my_bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kulami_solver.bots.case._TRIES", 100)
    for words, message in (
        (["match", "greedy", "mcts", "--board", "2x4"], "'mcts' is no bot of Malawi"),
        (["match", "greedy", "exec ./bot", "--board", "2x4"], "cannot be started"),
        (["match", "greedy", "perfect:none.kdb", "--board", "2x4"], "perfect:none.kdb is no bot"),
        (["match", "greedy", "malawi_bots:Last", "--board", "2x4"], "has no 'Last'"),
        (["match", "greedy", "random", "--board", "1x1"], "--board"),
        (["match", "greedy", "random", "--board", "2x4", "--games", "3"], "even number"),
        (["check", "greedy", "--board", "6x6"], "name a --database, or take a smaller --board"),
        (["check", "greedy", "--board", "2x4", "--database", database], "is of a board of 2x6"),
        (["check", "greedy", "--board", "2x3", "--positions", "99"], "ask for no more (not 99)"),
    ):
        ran = kulami("malawi", *words)
        assert (ran.code, ran.out) == (2, ""), words
        assert message in ran.err, (words, ran.err)
    with pytest.raises(BotError):
        bots_of("malawi").make("")


def test_the_first_process_of_a_program_is_deaf_to_ctrl_c_too(tmp_path: Path) -> None:
    program = tmp_path / "first.py"
    program.write_text(
        "import multiprocessing, signal\n"
        "from kulami_solver.bots.processes import interrupts_blocked\n\n\n"
        "def tell():\n"
        "    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))\n\n\n"
        "if __name__ == '__main__':\n"
        "    child = multiprocessing.get_context('spawn').Process(target=tell)\n"
        "    with interrupts_blocked():\n"
        "        child.start()\n"
        "    child.join()\n",
        encoding="ascii",
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, check=True)
    assert done.stdout == b"True\n"
