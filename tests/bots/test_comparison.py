"""Several bots compared in the same positions by `kulami check`."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from command_line import good, kulami
from unruly import engine as unruly

from kulami_solver import Position
from kulami_solver.bots import Player
from kulami_solver.bots.naming import titles_of
from kulami_solver.bots.report import Difference

THREE = ("check", "random", "greedy", "alphabeta:2", "--positions", "60", "--workers", "1")


def test_it_is_what_each_bot_does_alone() -> None:
    found = good(*THREE, "--json").answer
    assert found["bots"] == ["random", "greedy", "alphabeta:2"]
    for report in found["reports"]:
        alone = good("check", report["bot"], *THREE[4:], "--json").answer
        for key in ("seconds", "worst_seconds", "blunders"):
            del alone[key], report[key]
        assert report == alone
    rates = {report["bot"]: report["optimal_rate"] for report in found["reports"]}
    losses = {report["bot"]: report["mean_loss"] for report in found["reports"]}
    assert len(found["differences"]) == 3
    for difference in found["differences"]:
        one, two = difference["bots"]
        assert difference["positions"] == 60
        assert rates[one] >= rates[two]
        assert difference["optimal_rate"] == pytest.approx(rates[one] - rates[two])
        assert difference["mean_loss"] == pytest.approx(losses[one] - losses[two])
        share = (difference["only_first"] - difference["only_second"]) / 60
        assert difference["optimal_rate"] == pytest.approx(share)
        assert difference["interval"][0] < share < difference["interval"][1]
        low, high = difference["loss_interval"]
        assert low < difference["mean_loss"] < high


def test_tables_of_several_bots(tmp_path: Path) -> None:
    """A program is called there as it calls itself, if no other does so."""
    table, page = tmp_path / "table.csv", tmp_path / "page.html"
    bots = [unruly("first"), unruly("twice"), "greedy"]
    words = ["check", *bots, "--positions", "6", "--scoring", "0", "--workers", "1"]
    said = good(*words, "--csv", str(table), "--html", str(page)).out
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    titles = ["Unruly first", "Unruly twice", "greedy"]
    assert [row["bot"] for row in rows] == [title for title in titles for _ in range(6)]
    assert len({row["kfn"] for row in rows}) == 6
    html = page.read_text("utf-8")
    assert html.count("<h1>") == 4
    assert "<h1>Unruly first, Unruly twice, greedy compared</h1>" in html
    for title in ("\nUnruly first ", "\nUnruly twice ", "\ngreedy ", "Unruly first - Unruly twice"):
        assert title in said
        assert title in html
    words = ["match", *bots, "--games", "2", "--plies", "30"]
    said = good(*words).out
    assert said.count("  Unruly first ") == said.count("  Unruly twice ") == 2
    twins = [unruly("first"), unruly("first") + " "]
    assert titles_of([Player(First(), name) for name in twins]) == {}


class First:
    """A bot that two programs may be."""

    title = "Unruly first"

    def choose(self, position: Position) -> str:
        """Return the first legal field."""
        return position.legal_fields[0]


def test_intervals_hold_the_truth() -> None:
    """Bots of which one is right in 70 % and the other in 60 %, mostly in the same positions."""
    draw = random.Random(1)
    inside = inside_loss = 0
    for _ in range(1000):
        kinds = draw.choices(("both", "first", "second", "none"), (0.55, 0.15, 0.05, 0.25), k=150)
        losses = {"both": 0.0, "first": -2.0, "second": 4.0, "none": 1.0}
        found = Difference(
            "one",
            "two",
            kinds.count("first"),
            kinds.count("second"),
            tuple(losses[kind] for kind in kinds),
        )
        low, high = found.interval
        inside += low <= 0.1 <= high
        bounds = found.loss_interval
        assert bounds is not None
        inside_loss += bounds[0] <= 0.15 * -2 + 0.05 * 4 + 0.25 <= bounds[1]
    assert 0.935 < inside / 1000 < 0.97
    assert 0.93 < inside_loss / 1000 < 0.97


def test_of_few_positions_little_is_said() -> None:
    none = Difference("one", "two", 0, 0, ())
    assert (none.optimal_rate, none.mean_loss, none.loss_interval) == (0, 0, None)
    assert none.interval[0] < -0.5 < 0.5 < none.interval[1]
    assert Difference("one", "two", 1, 0, (2.0,)).to_json()["loss_interval"] is None


def test_of_no_position_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kulami_solver.bots.check.choices_of", interrupted)
    for bots in (["greedy"], ["greedy", "random"]):
        ran = kulami("check", *bots, "--positions", "9", "--workers", "1")
        assert ran.err == "kulami: interrupted: Ctrl-C; there is no answer\n"
        assert " %" not in ran.out.partition("95 %")[2].replace("95 %", "")
