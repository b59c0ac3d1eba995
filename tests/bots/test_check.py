"""`kulami check`: how often a bot is right, and what it costs when it is not."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from command_line import good, kulami
from unruly import engine as unruly

from kulami_solver import Position, Scoring
from kulami_solver.bots import Player
from kulami_solver.bots.check import CheckReport, Choice
from kulami_solver.bots.kulami.suite import Case, read_suite
from kulami_solver.bots.naming import titles_of
from kulami_solver.bots.report import Difference, text
from kulami_solver.kulami.game import state_of

KEYS = [
    *("bot", "positions", "optimal_rate", "interval", "mean_loss", "worst_loss", "flips"),
    *("only_move_rate", "by_free", "by_scoring", "blunders", "seconds"),
]

ALONE = ("--workers", "1", "--json")  # what is asked costs less than processes to ask it in


def test_a_position_that_a_bot_refuses_is_counted_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not judged there, and those asking are told where the bot cannot know the rules."""
    monkeypatch.chdir(tmp_path)
    few = [len(case.position.legal_fields) < 5 for case in read_suite(count=20)]
    others = sum(case.scoring is not Scoring.LEVEL0 for case in read_suite(count=20))
    count = sum(few)
    for bot in ("unruly:picky", unruly("picky")):
        words = ["check", bot, "--positions", "20", "--results", "kept.jsonl", "--workers", "1"]
        ran = good(*words, "--json", "--csv", "all.csv", "--html", "all.html")
        assert (ran.answer["refused"], ran.answer["positions"]) == (count, 20 - count)
        assert (ran.answer["new"], set(ran.answer["faults"].values())) == (20, {0})
        assert ran.answer["untold"] == {"scoring": others}
        assert f"<b>{others}</b><span>positions need scoring" in Path("all.html").read_text("utf-8")
        rows = list(csv.DictReader(Path("all.csv").read_text("utf-8").splitlines()))
        assert len(rows) == 20
        refused = {(row["loss"], row["optimal"]) for row in rows if row["fault"] == "refused"}
        assert refused == {("", "")}
        assert f"<b>{count}</b><span>positions refused" in Path("all.html").read_text("utf-8")
        ran = good(*words)  # from the file
        assert f"refused       {count} positions, not judged; the first: {bot}" in ran.out
        assert f"not told      scoring, which {others} positions need" in ran.out
        assert "20 of the 20 answers were in kept.jsonl already" in ran.out
        Path("kept.jsonl").unlink()
    ran = kulami("check", "unruly:refuses", "--positions", "4")
    assert ran.code == 1
    assert "unruly:refuses refuses 4 positions" in ran.err
    said = ran.err.partition("first: ")[2].strip()
    assert f"refused       4 positions, not judged; the first: {said}" in ran.out.splitlines()
    words = ["match", "unruly:refuses", "unruly:picky", "--games", "2", "--scoring", "1", "--json"]
    ran = kulami(*words)
    assert {fault["fault"] for fault in ran.answer["faults"]} == {"crash"}
    assert "unruly:picky cannot be told scoring, which these games need" in ran.err


def test_the_order_of_the_built_in_bots() -> None:
    """Perfect is at 100 % and loses nothing; the others come as anyone would expect."""
    reports = [
        good("check", bot, "--positions", "100", "--workers", "1", "--json").answer
        for bot in ("random", "greedy", "alphabeta:2", "mcts:10000", "perfect")
    ]
    assert all(set(KEYS) <= report.keys() for report in reports)
    rates = [report["optimal_rate"] for report in reports]
    assert rates == sorted(rates)
    assert len(set(rates)) == len(rates)
    losses = [report["mean_loss"] for report in reports]
    assert losses == sorted(losses, reverse=True)
    assert (rates[-1], losses[-1], reports[-1]["blunders"]) == (1, 0, [])


def test_flips_and_only_moves() -> None:
    def case(**values: int) -> Case:
        return Case(state_of(Position.from_kfn("AAB/CCB r b a1")), values)

    answers = [
        Choice(case(c1=2, a2=0), "a2", 0.1),
        Choice(case(c1=2, a2=-1), "a2", 0.2),
        Choice(case(c1=0, a2=-1), "a2", 0.3),
        Choice(case(c1=3, a2=1), "a2", 0.4),
        Choice(case(c1=3, a2=3), "a2", 0.5),
        Choice(case(c1=5, a2=-4), None, 0.6, "crash", "gone"),
        Choice(case(c1=-2, a2=-4), "c1", 0.7),
    ]
    report = CheckReport("x", answers)
    assert report.flips == {"win_draw": 1, "win_loss": 2, "draw_loss": 1}
    assert report.worst_loss == 9
    assert len(report.only_moves) == 6
    assert report.only_move_rate == 1 / 6
    assert report.faults == {"illegal": 0, "timeout": 0, "crash": 1}
    assert report.seconds == pytest.approx(0.4)
    assert report.worst_seconds == 0.7
    assert report.blunders[0].fault == "crash"
    assert "no field      crash 1" in text(report)


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
        right = kinds.count("first"), kinds.count("second")
        found = Difference("one", "two", *right, tuple(losses[kind] for kind in kinds))
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
