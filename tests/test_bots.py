"""The protocol, and the built-in bots."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kulami_solver import Layout, Position, Scoring, build, open_database, solve
from kulami_solver.adapters.ugi import Server
from kulami_solver.bots import (
    AlphaBeta,
    BotCrashed,
    BotError,
    Clock,
    Greedy,
    IllegalAnswer,
    MonteCarlo,
    Perfect,
    Player,
    Random,
    make_player,
)
from kulami_solver.bots.arena import Opening, draw_opening, play_game
from kulami_solver.bots.suite import read_suite

START = Position(Layout.rulebook()).play_all("d6 d3 i3")
NAMES = ("random", "greedy", "alphabeta:2", "alphabeta", "mcts:50", "mcts", "perfect")


@pytest.mark.parametrize("name", NAMES)
def test_built_in_bots_depend_on_the_position_alone(name: str) -> None:
    one, two = make_player(name), make_player(name)
    cases = read_suite(count=30)
    backwards = [two.choose(case.position, case.scoring) for case in reversed(cases)]
    assert [one.choose(case.position, case.scoring) for case in cases] == backwards[::-1]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "clock", [Clock(), Clock(seconds=0.02), Clock(nodes=40), Clock(depth=1), Clock(nodes=1)]
)
@pytest.mark.parametrize("scoring", Scoring)
def test_built_in_bots_answer_under_every_clock(name: str, clock: Clock, scoring: Scoring) -> None:
    player = make_player(name)
    begun = time.monotonic()
    for position in (Position(Layout.square()), START, Position(Layout.parse("AB"))):
        assert player.choose(position, scoring, clock) in position.legal_fields
    if clock.seconds is not None:
        assert time.monotonic() - begun < 3


@pytest.mark.parametrize("scoring", Scoring)
@pytest.mark.parametrize("text", ["AABBCC/DDDEEE/FFGGHH", "A", "ABCDE", "AAA.BB/AAA.BB"])
def test_deep_alpha_beta_is_perfect_on_small_boards(scoring: Scoring, text: str) -> None:
    position = Position(Layout.parse(text), marbles=5)
    player = Player(AlphaBeta(64))
    while not position.is_over:
        chosen = player.choose(position, scoring)
        assert solve(position.play(chosen), scoring).margin == -_margin(position, scoring)
        position = position.play(chosen)


def _margin(position: Position, scoring: Scoring) -> int:
    margin = solve(position, scoring).margin
    assert margin is not None
    return margin


def test_greedy_takes_what_is_there() -> None:
    position = Position(Layout.parse("AAAB/CCDD"))
    chosen = Greedy().choose(position)
    assert chosen[0] in "abc"
    assert chosen[1] == "1"


def test_seeds_differ() -> None:
    cases = read_suite(count=40)
    one, two = (
        [Random(seed).choose(case.position, scoring=case.scoring) for case in cases]
        for seed in (1, 2)
    )
    assert one != two


def test_perfect_asks_its_sources_first() -> None:
    asked: list[Position] = []

    def source(position: Position, scoring: Scoring) -> str | None:
        asked.append(position)
        return position.legal_fields[-1]

    assert Perfect((source,)).choose(START) == START.legal_fields[-1]
    assert asked == [START]


def test_perfect_looks_positions_up_in_a_database(tmp_path: Path) -> None:
    start = Position(Layout.parse("AABB/CCBB/CCDE"))
    path = tmp_path / "small.kdb"
    build(path, start)
    player = make_player(f"perfect:{path}")
    with open_database(path) as database:
        position = start
        while not position.is_over:
            field = player.choose(position, Scoring.LEVEL0, Clock())
            assert field == database.probe(position).best
            position = position.play(field)
    # Nothing is known of another scoring: the search answers.
    after = start.play(player.choose(start, Scoring.CHAINS, Clock()))
    assert solve(after, Scoring.CHAINS).margin == -(solve(start, Scoring.CHAINS).margin or 0)


def test_perfect_needs_a_database_that_is_one(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"perfect:\S+ is no bot"):
        make_player(f"perfect:{tmp_path / 'none.kdb'}")


def test_perfect_stops_when_told_to() -> None:
    stop = threading.Event()
    clock = Clock(seconds=60, stop=stop)
    position = draw_opening(1, plies=33).start.play_all(draw_opening(1, plies=33).moves)
    threading.Timer(0.2, stop.set).start()
    begun = time.monotonic()
    assert Perfect().choose(position, clock=clock) in position.legal_fields
    assert time.monotonic() - begun < 10


def test_monte_carlo_finds_a_win() -> None:
    better = 0
    for case in read_suite(count=60):
        chosen = MonteCarlo(3000).choose(case.position, scoring=case.scoring)
        better += chosen in case.best_fields
    assert better > 48


@pytest.mark.parametrize("answer", [None, 3.5, "banana", "d6", 99, -1, True, b"d4", ["d4"]])
def test_answers_that_are_no_legal_field(answer: Any) -> None:
    class Strange:
        def choose(self, position: Position) -> Any:
            return answer

    with pytest.raises(IllegalAnswer, match="Strange answers"):
        Player(Strange()).choose(START)


def test_a_number_is_a_field_too() -> None:
    class ByNumber:
        def choose(self, position: Position) -> int:
            return position.layout.index(position.legal_fields[0])

    assert Player(ByNumber()).choose(START) == START.legal_fields[0]


def test_what_a_bot_raises() -> None:
    class Broken:
        name = "broken one"

        def choose(self, position: Position) -> str:
            raise ZeroDivisionError("oh\nno")

    with pytest.raises(BotCrashed, match="broken one raises ZeroDivisionError: oh no"):
        Player(Broken()).choose(START)


def test_a_bot_that_wants_to_end_the_program() -> None:
    class Ends:
        def new_game(self) -> None:
            sys.exit(3)

        def choose(self, position: Position) -> str:
            sys.exit(3)

    with pytest.raises(BotCrashed, match="Ends raises SystemExit: 3"):
        Player(Ends()).choose(START)
    with pytest.raises(BotCrashed, match=r"Ends: new_game\(\) raises SystemExit: 3"):
        Player(Ends()).new_game()


@pytest.mark.parametrize("error", ["SystemExit", "KeyboardInterrupt"])
def test_the_engine_answers_though_its_bot_wants_to_end_it(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = f"ending_{error.lower()}"
    (tmp_path / f"{module}.py").write_text(
        f"class Bot:\n    def choose(self, position):\n        raise {error}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    said: list[str] = []
    server = Server(f"{module}:Bot", said.append)
    server.serve(["position startpos", "go", "quit"])
    assert server.failed
    assert said[-1] == "bestmove none"
    assert f"raises {error}" in said[-2]


def test_arguments_by_name() -> None:
    seen: list[dict[str, object]] = []

    class Everything:
        def choose(self, position: Position, **about: object) -> str:
            seen.append(about)
            return position.legal_fields[0]

    class OnlyScoring:
        def choose(self, position: Position, scoring: Scoring) -> str:
            seen.append({"scoring": scoring})
            return position.legal_fields[0]

    clock = Clock(nodes=5)
    for bot in (Everything(), OnlyScoring()):
        Player(bot).choose(START, Scoring.CHAINS, clock)
    assert seen == [
        {"scoring": Scoring.CHAINS, "clock": clock},
        {"scoring": Scoring.CHAINS},
    ]


def test_no_bot() -> None:
    with pytest.raises(BotError, match="has no method choose"):
        Player(object())


class TestNames:
    """Bots by name."""

    @pytest.mark.parametrize(
        "name",
        ["", "alphabeta:0", "alphabeta:65", "alphabeta:x", "mcts:", "greedy:2x", "random:"],
    )
    def test_bad_names(self, name: str) -> None:
        with pytest.raises(BotError):
            make_player(name)

    def test_python_bots(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "my_bots.py").write_text(
            "class First:\n"
            "    def choose(self, position):\n"
            "        return position.legal_fields[0]\n\n\n"
            "class Needy(First):\n"
            "    def __init__(self, much):\n"
            "        pass\n\n\n"
            "ready = First()\n"
            "five = 5\n",
            encoding="ascii",
        )
        (tmp_path / "broken_bots.py").write_text("1 / 0\n", encoding="ascii")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        for name in ("my_bots:First", "my_bots:ready"):
            for isolated in (False, True):
                player = make_player(name, isolated=isolated)
                assert player.name == name
                assert player.choose(START) == START.legal_fields[0]
                player.close()
        for name, message in (
            ("my_bots:Needy", "is made without arguments"),
            ("my_bots:Last", "has no 'Last'"),
            ("broken_bots:First", "raises ZeroDivisionError"),
            ("my_bots:__name__", "is no bot"),
            ("my_bots:five", r"^5 is no bot: it has no method choose\(position\)$"),
        ):
            with pytest.raises(BotError, match=message):
                make_player(name, isolated=True)


def test_games_end() -> None:
    for seed in range(6):
        game = play_game(Player(Greedy(seed)), Player(Random(seed)), draw_opening(seed))
        assert game.forfeit is None
        assert game.start.play_all(game.moves).is_over


def test_an_opening_never_ends_the_game() -> None:
    for seed in range(30):
        opening = draw_opening(seed, Layout.parse("AAB/CCB"), plies=20)
        assert not opening.start.play_all(opening.moves).is_over
    assert Opening(opening.start).moves == ()
