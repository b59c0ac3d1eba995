"""Bots of Malawi: matches, checks, forfeits, and files of results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import good, kulami

from kulami_solver.bots import Clock, Player, make_player
from kulami_solver.bots.arena import FinishedGame, Opening, play_game
from kulami_solver.bots.malawi.builtin import Greedy, Perfect
from kulami_solver.bots.naming import bots_of
from kulami_solver.game import NOBODY, load_game
from kulami_solver.malawi import Board, Position, Turn, build

BOARD = Board(2, 6)


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


def test_check_command(database: str, tmp_path: Path) -> None:
    words = ["--board", "2x6", "--positions", "25", "--workers", "1"]
    reports = [
        good("malawi", "check", bot, *words, "--database", database, "--json").answer
        for bot in ("random", "greedy", f"perfect:{database}")
    ]
    rates = [report["optimal_rate"] for report in reports]
    assert rates[0] < rates[1] < rates[2] == 1
    assert set(reports[0]["by_outcome"]) <= {"win", "draw"}
    blunder = reports[0]["blunders"][0]
    assert blunder["values"][blunder["best"][0]] - blunder["values"][blunder["played"]] == 2
    assert blunder["points"] == 1
    # Without a database the board is solved for it.
    file, sheet = tmp_path / "answers.jsonl", tmp_path / "answers.csv"
    kept = ["--results", str(file), "--csv", str(sheet)]
    first = good("malawi", "check", "greedy", *words, *kept, "--json").answer
    assert (first["optimal_rate"], first["new"]) == (rates[1], 25)
    assert sheet.read_text().startswith("mfn,outcome,origin,played,best,points,value,loss,")
    said = good("malawi", "check", "greedy", *words, *kept).out
    for part in ("points lost", "right is", " turns; beads red ", "25 of the 25 answers were in "):
        assert part in said


def test_check_page(database: str, tmp_path: Path) -> None:
    """The values of turns stand below the pictures: they belong to no square."""
    path = tmp_path / "report.html"
    words = ["--board", "2x6", "--positions", "20", "--database", database, "--blunders", "3"]
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


def test_a_bad_database_is_not_said_to_be_a_bad_game(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    games.write_text(json.dumps({"board": "2x3", "moves": ["a3:b3"]}) + "\n", encoding="ascii")
    damaged, cut = tmp_path / "damaged.kdb", tmp_path / "cut.kdb"
    build(damaged, Board(2, 3))
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 0xFF
    damaged.write_bytes(content)
    cut.write_bytes(content[:1000])
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
