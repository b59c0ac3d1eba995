"""`kulami check`: how often a bot is right, and what it costs when it is not."""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import pytest
from command_line import good, kulami

from kulami_solver import Position, Scoring
from kulami_solver.bots.check import CheckReport, Choice
from kulami_solver.bots.kulami.suite import Case, read_suite
from kulami_solver.bots.report import text
from kulami_solver.kulami.game import state_of

KEYS = [
    *("bot", "positions", "optimal_rate", "interval", "mean_loss", "worst_loss", "flips"),
    *("only_move_rate", "by_free", "by_scoring", "blunders", "seconds"),
]

CHOOSY = """
import sys

import kulami_solver as ks


class Bot:
    def choose(self, position):
        if len(position.legal_fields) < 5:
            raise NotImplementedError("a small choice")
        return position.legal_fields[0]


class Never:
    def choose(self, position, scoring):
        raise NotImplementedError


if __name__ == "__main__":
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                print("id name Choosy", "ugiok", sep="\\n", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", "fen", *kfn]:
                position = ks.Position.from_kfn(" ".join(kfn))
            case ["go", *_]:
                try:
                    print("bestmove", Bot().choose(position), flush=True)
                except NotImplementedError as error:
                    print(f"info string error: {error}", "bestmove none", sep="\\n", flush=True)
"""

ALONE = ("--workers", "1", "--json")  # what is asked costs less than processes to ask it in


def test_a_position_that_a_bot_refuses_is_counted_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not judged there, and those asking are told where the bot cannot know the rules."""
    (tmp_path / "choosy.py").write_text(CHOOSY, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    few = [len(case.position.legal_fields) < 5 for case in read_suite(count=20)]
    others = sum(case.scoring is not Scoring.LEVEL0 for case in read_suite(count=20))
    count = sum(few)
    for bot in (
        "choosy:Bot",
        f"exec {sys.executable} choosy.py",
    ):
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
    ran = kulami("check", "choosy:Never", "--positions", "4")
    assert ran.code == 1
    assert "choosy:Never refuses 4 positions" in ran.err
    assert "not told" not in ran.out
    assert ran.out.splitlines()[1:] == [
        "refused       4 positions, not judged; the first: "
        + ran.err.partition("first: ")[2].strip()
    ]
    ran = kulami("match", "choosy:Never", "choosy:Bot", "--games", "2", "--scoring", "1", "--json")
    assert {fault["fault"] for fault in ran.answer["faults"]} == {"crash"}
    assert "choosy:Bot cannot be told scoring, which these games need" in ran.err


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


@pytest.mark.nightly
def test_a_thousand_positions_in_a_minute() -> None:
    begun = time.monotonic()
    assert good("check", "greedy", "--positions", "1000", "--json").answer["positions"] == 1000
    assert time.monotonic() - begun < 60


def test_flips_and_only_moves() -> None:
    def case(**values: int) -> Case:
        position = Position.from_kfn("AAB/CCB r b a1")
        return Case(state_of(position), values)

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


def test_positions_drawn_live() -> None:
    words = ["--live", "--positions", "8", "--free", "10-12", *ALONE]
    report = good("check", "perfect", *words).answer
    assert (report["positions"], report["optimal_rate"]) == (8, 1)
    assert set(report["by_free"]) <= {"10", "11", "12"}


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The beginning of the suite as a suite of its own: reading all of it takes a second."""
    path = tmp_path_factory.mktemp("suite") / "few.jsonl"
    path.write_text("".join(f"{case.line}\n" for case in read_suite(count=300)), encoding="ascii")
    return str(path)


def test_chosen_positions(few: str) -> None:
    words = ["--suite", few, "--free", "20", "--scoring", "chains"]
    report = good("check", "greedy", *words, *ALONE).answer
    assert list(report["by_free"]) == ["20"]
    assert list(report["by_scoring"]) == ["chains"]
