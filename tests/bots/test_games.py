"""What bots of every game do alike: matches, forfeits, files of results, and UGI."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from command_line import good, kulami

from kulami_solver.bots import just4fun, make_player
from kulami_solver.bots.case import Case, draw_cases
from kulami_solver.bots.check import check
from kulami_solver.bots.match import GameTerms
from kulami_solver.game import NOBODY, Budget, load_game

# For each game, a small board on which a bot that looks ahead beats random.
BOARDS = {
    "kulami": ("--layout", "square"),
    "malawi": ("--board", "3x4"),
    "just4fun": ("--board", "3x3", "--stones", "3", "--line", "3", "--hand", "2"),
}
BOTS = """\
import os, time

print("loaded")
NAMES = "legal_moves", "legal_fields", "turns"


class First:
    def choose(self, position):
        print("thinking")
        return next(getattr(position, name) for name in NAMES if hasattr(position, name))[0]


class Turn:
    def choose(self, position):
        return "a1-a1"


class Cards:
    def choose(self, position):
        return "1=1+1"


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


@pytest.fixture(autouse=True)
def _my_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder to work in, with a module of bots."""
    (tmp_path / "my_bots.py").write_text(BOTS, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def command(game: str, *words: str) -> list[str]:
    """A command of a game."""
    return [*([] if game == "kulami" else [game]), *words]


def match(game: str, *bots: str) -> list[str]:
    """A match on the game's board."""
    return command(game, "match", *bots, *BOARDS[game], "--json")


def records(file: str) -> list[dict[str, Any]]:
    """The games of a file of results, in the order of their numbers."""
    lines = [json.loads(line) for line in Path(file).read_text().splitlines() if line[0] != "#"]
    return sorted(lines, key=lambda record: int(record["game"]))


@pytest.mark.parametrize("game", BOARDS)
def test_a_match_is_the_same_from_its_file_and_by_two_processes(game: str) -> None:
    words = [*match(game, "greedy", "random"), "--games", "10"]
    report = good(*words, "--save", "games.jsonl").answer
    assert report["games"] == 10 == report["wins"] + report["draws"] + report["losses"]
    assert report["wins"] > report["losses"]
    assert ("mean_margin" in report) == (game == "kulami")
    assert report["interval"][0] < report["score"] <= report["interval"][1]
    again = good(*words, "--save", "games.jsonl").answer
    assert (again.pop("from_file"), again.pop("new")) == (10, 0)
    assert again.items() <= report.items()
    assert good(*words, "--workers", "2").answer == report
    if game != "malawi":  # which has no replay
        replayed = good(*command(game, "replay", "games.jsonl", "--json")).answer
        assert (replayed["games"], replayed["disagree"]) == (10, 0)
    if game != "just4fun":  # where luck goes on after the deal
        played = records("games.jsonl")
        for there, back in zip(played[::2], played[1::2], strict=True):
            assert there["board"] == back["board"]
            opening = there.get("opening", 4)
            assert there["moves"][:opening] == back["moves"][:opening]
            assert (there["red"], back["red"]) == ("greedy", "random")
    Path("games.jsonl").write_text(Path("games.jsonl").read_text().replace('"moves"', '"move"', 1))
    assert "line 2 is damaged" in kulami(*words, "--save", "games.jsonl").err


@pytest.mark.parametrize(
    ("game", "bot", "fault", "message"),
    [
        ("malawi", "Turn", "illegal", "answers 'a1-a1': red cannot play"),
        ("just4fun", "Cards", "illegal", "answers '1=1+1'"),
        ("malawi", "Nothing", "illegal", "which is no turn"),
        ("kulami", "Late", "timeout", "my_bots:Late: no move in"),
        ("just4fun", "Crash", "crash", "my_bots:Crash raises LookupError: nothing there"),
        ("malawi", "Gone", "crash", "my_bots:Gone ends with code 3"),
    ],
)
def test_what_is_no_move_in_time_loses(game: str, bot: str, fault: str, message: str) -> None:
    limit = ["--movetime", "0.2"] if bot == "Late" else []
    words = [*match(game, f"my_bots:{bot}", "random"), "--games", "2", *limit, "--save", "games"]
    ran = kulami(*words)
    assert ran.code == 1
    assert f"my_bots:{bot} has lost every one of 2 games by forfeit" in ran.err
    report = ran.answer
    assert (report["wins"], report["losses"]) == (0, 2)
    assert [found["fault"] for found in report["faults"]] == [fault, fault]
    assert message in report["faults"][0]["message"]
    if bot == "Crash":
        assert report["faults"][0]["details"][-1] == "LookupError: nothing there"
        assert good("just4fun", "replay", "games", "--json").answer["games"] == 2
    assert "forfeit" in kulami(*[word for word in words if word != "--json"]).out


@pytest.mark.parametrize("game", BOARDS)
def test_a_bot_of_a_module_plays_and_is_checked(game: str) -> None:
    words = [*match(game, "my_bots:First", "random"), "--games", "2"]
    report = good(*words, "--workers", "2").answer
    assert (report["games"], report["faults"]) == (2, [])
    board = ["--board", "2x4"] if game == "malawi" else [*BOARDS[game]][: -8 * (game == "kulami")]
    asked = command(game, "check", "my_bots:First", *board, "--positions", "4", "--results", "kept")
    good(*asked)
    again = good(*asked, "--json").answer
    assert (again["from_file"], again["new"]) == (4, 0)


SMALL: dict[str, tuple[dict[str, Any], Callable[..., Iterable[Case]]]] = {
    "malawi": ({"board": "2x4"}, draw_cases),
    "just4fun": (
        {"board": "3x3", "stones": 4, "line": 3, "hand": 3, "dummy": True},
        just4fun.draw_cases,
    ),
}


@pytest.mark.parametrize("game", SMALL)
def test_a_check_by_hand(game: str) -> None:
    """The rates are what a search says of the moves that a bot chooses."""
    options, draw = SMALL[game]
    cases = list(draw(load_game(game, **options), 1, 25))
    for case in cases:
        worth = {move: case.state.play(move) for move in case.state.moves}
        assert set(case.values) == set(worth)
        assert len(set(case.values.values())) > 1
        for move, after in worth.items():
            over = after.to_move == NOBODY
            value = (
                after.returns()[1 - case.state.to_move] if over else after.evaluate(Budget()).lower
            )
            assert case.values[move] == -value
    assert len({case.position for case in cases}) == 25

    class First:
        def choose(self, position: Any) -> object:
            return next(iter(getattr(position, "legal_moves", ()) or position.turns))

    report = check(First(), cases)
    lost = [case.best - case.values[case.state.moves[0]] for case in cases]
    assert report.optimal == sum(loss == 0 for loss in lost)
    assert report.mean_loss == sum(lost) / 25


@pytest.mark.parametrize("game", BOARDS)
def test_a_seed_is_a_bot_and_an_opening_of_its_own(game: str) -> None:
    start = load_game(game).start()
    chosen = [make_player("random", seed, game=game).choose(start) for seed in (1, *range(20))]
    assert chosen[0] == chosen[2]
    assert len(set(chosen)) > 3
    terms = GameTerms(load_game(game), plies=4)
    openings = [terms.opening(number) for number in (3, *range(20))]
    assert openings[0] == openings[4]
    assert len({opening.moves for opening in openings}) > 10 or game == "just4fun"


@pytest.mark.parametrize(("game", "best"), [("malawi", "perfect"), ("just4fun", "advised")])
def test_the_siblings_have_tournaments(game: str, best: str) -> None:
    words = [*match(game, "random", "greedy", best), "--games", "2", "--save", "games.jsonl"]
    found = good(*words).answer
    assert found["games"] == 6 == found["new"]
    assert len(found["ratings"]) == len(found["table"]) == 3
    assert "mean_margin" not in found["pairings"][0]
    assert good(*words).answer["from_file"] == 6


@pytest.mark.parametrize(("game", "plays"), [("malawi", "perfect"), ("just4fun", "advised")])
def test_bots_of_the_siblings_are_programs(game: str, plays: str) -> None:
    """A program plays as the bot that it is; tests/transcripts.txt has what else it answers."""
    told = good(game, "engine", stdin=b"ugi\nquit\n").out
    assert told.startswith(f"id name kulami {game} {plays} ")
    assert told.endswith("ugiok\n")
    program = f"exec {sys.executable} -m kulami_solver {game} engine --bot"
    here = good(*match(game, "greedy", "random"), "--games", "4").answer
    there = good(*match(game, f"{program} greedy", "random"), "--games", "4").answer
    assert (there["wins"], there["losses"], there["faults"]) == (here["wins"], here["losses"], [])
    wrong = "Turn" if game == "malawi" else "Cards"
    report = kulami(*match(game, f"{program} my_bots:{wrong}", "random"), "--games", "2").answer
    assert {found["fault"] for found in report["faults"]} == {"illegal"}


@pytest.mark.parametrize(
    "words",
    [
        "malawi check greedy --board 2x3 --positions 99",
        "just4fun check greedy --board 1x1 --line 2",
    ],
)
def test_a_board_may_have_too_few_positions(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kulami_solver.bots.case._TRIES", 100)
    ran = kulami(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert "ask for no more" in ran.err
