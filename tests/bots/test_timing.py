"""Clocks for whole games, by bots that say themselves how long they took."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
import unruly
from command_line import good, kulami
from toy_game import Dice

from kulami_solver import Layout, Position
from kulami_solver.bots import Clock, Greedy, Perfect, Player
from kulami_solver.bots.arena import FinishedGame, Opening, part_of, play_game
from kulami_solver.bots.engine import Engine
from kulami_solver.game import State
from kulami_solver.kulami.game import state_of

START = state_of(Position(Layout.parse("AABBCC/DDDEEE/FFGGHH")))


class Timed(Player):
    """Greedy, with so many seconds for each of its moves, as it says."""

    def __init__(self, *seconds: float) -> None:
        super().__init__(Greedy())
        self.seconds = seconds
        self.clocks: list[Clock] = []

    def timed(self, state: State, clock: Clock | None = None) -> tuple[str, float]:
        assert clock is not None
        self.clocks.append(clock)
        took = self.seconds[min(len(self.clocks), len(self.seconds)) - 1]
        return self.choose(state, Clock(depth=1)), took


def played(clock: Clock, *players: Timed) -> FinishedGame:
    return play_game(players, Opening(START), clock)


def lefts(player: Timed) -> list[tuple[float, ...]]:
    return [tuple(round(seconds, 6) for seconds in clock.left) for clock in player.clocks]


def test_time_runs_for_whose_move_it_is() -> None:
    one, two = Timed(3.0), Timed(1.0)
    game = played(Clock(game=60.0, increment=0.5), one, two)
    assert game.forfeit is None
    assert lefts(one)[:3] == [(60, 60), (57.5, 59.5), (55, 59)]
    assert lefts(two)[:3] == [(57.5, 60), (55, 59.5), (52.5, 59)]
    assert {clock.seat for clock in one.clocks} == {0}
    assert {clock.seat for clock in two.clocks} == {1}
    assert game.seconds == (3.0 * len(one.clocks), 1.0 * len(two.clocks))
    assert all(
        clock.seconds is not None and clock.latest is not None and 0 < clock.seconds < clock.latest
        for clock in (*one.clocks, *two.clocks)
    )


@pytest.mark.parametrize(
    ("seconds", "moves", "said"),
    [
        ([11.0], 1, "greedy: 11.00 s for a move of 10 s"),
        ([4.0], 3, "greedy: 4.00 s for a move of 2 s"),
        ([9.0, 1.3, 0.3], 3, "greedy: 0.30 s for a move of -0.3 s"),  # the grace comes once a game
    ],
)
def test_who_has_no_time_left_has_lost(seconds: Sequence[float], moves: int, said: str) -> None:
    one = Timed(*seconds)
    game = played(Clock(game=10.0), one, Timed(0.1))
    assert (game.forfeit, game.fault, game.winner) == (0, "timeout", 1)
    assert (len(one.clocks), game.message) == (moves, said)


def test_a_clock_for_each_move_is_as_it_was() -> None:
    one = Timed(0.9)
    assert played(Clock(seconds=0.5), one, Timed(0.1)).forfeit is None
    assert {clock.left for clock in one.clocks} == {()}
    assert played(Clock(seconds=0.5), Timed(1.1), Timed(0.1)).forfeit == 0


def test_the_part_of_a_move() -> None:
    late = START
    for _ in range(5):
        late = late.play(late.moves[0])
    assert part_of(60, 0, START, None) < part_of(60, 0, late, None) <= 30
    assert part_of(60, 0, START, Perfect()) == 30  # it solves the rest at once
    assert part_of(1, 100, START, None) == 0.75
    assert part_of(42, 0, Dice().start(), None) == 2  # a game that does not say how long it lasts


def test_a_program_is_told_all_clocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "told.txt"
    monkeypatch.setenv("KULAMI_ENGINE_LOG", str(told))
    with closing(Engine(unruly.command("first"))) as engine:
        for clock in (
            Clock(seconds=2.0, game=60.0, left=(59.5, -0.2), nodes=7),
            Clock(seconds=2.0, left=(3.0, 4.0), increment=0.25, seat=1),
            Clock(seconds=2.0),
        ):
            engine.choose(START.position, clock=clock)
    assert re.findall(r" > (go .*)", told.read_text()) == [
        "go p1time 59500 p2time 1 nodes 7",
        "go p1time 3000 p2time 4000 p1inc 250 p2inc 250",
        "go movetime 2000",
    ]


def test_a_match_by_the_clock(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    engine = f"exec {shlex.quote(sys.executable)} -m kulami_solver engine --bot greedy"
    words = ["match", "greedy", engine, "--layout", "AABBCC/DDDEEE/FFGGHH", "--games", "2"]
    found = good(*words, "--clock", "600+1", "--save", str(path), "--json").answer
    assert (found["games"], found["faults"]) == (2, [])
    assert json.loads(path.read_text().splitlines()[0])["movetime"] == "600+1 a game"
    ran = kulami(*words, "--save", str(path))
    assert ran.code == 2
    assert "holds results with movetime '600+1 a game', not none" in ran.err
