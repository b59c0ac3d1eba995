"""`kulami check`: how often a bot is right, and what it costs when it is not."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from command_line import SUITE, good, kulami, process, until
from test_engine import unruly

from kulami_solver import Position, Scoring
from kulami_solver.bots.case import case_key
from kulami_solver.bots.check import CheckReport, Choice, check
from kulami_solver.bots.kulami.suite import Case, read_suite
from kulami_solver.bots.report import text
from kulami_solver.core.intervals import wilson
from kulami_solver.kulami.game import state_of
from kulami_solver.storage.journal import ResultFile

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


def test_figures_add_up() -> None:
    """By hand, from the values: a bot that always plays the first field."""

    class First:
        def choose(self, position: Position) -> str:
            return position.legal_fields[0]

    cases = read_suite(count=200)
    report = check(First(), cases).to_json()
    lost = [
        max(case.values.values()) - case.values[case.position.legal_fields[0]] for case in cases
    ]
    right = sum(loss == 0 for loss in lost)
    assert report["positions"] == 200
    assert report["optimal_rate"] == right / 200
    assert report["interval"] == list(wilson(right, 200))
    assert report["mean_loss"] == sum(lost) / 200
    assert report["worst_loss"] == max(lost)
    for parts in (report["by_free"], report["by_scoring"], report["by_origin"]):
        assert sum(part["positions"] for part in parts.values()) == 200
        total = sum(part["positions"] * part["mean_loss"] for part in parts.values())
        assert total == pytest.approx(sum(lost))
    losses = [blunder["loss"] for blunder in report["blunders"]]
    assert losses == sorted(lost, reverse=True)[: len(losses)]


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


def test_in_parallel_it_is_the_same() -> None:
    reports = []
    for workers in ("1", "2"):
        words = ["--positions", "40", "--workers", workers, "--json"]
        report = good("check", "mcts:50", *words).answer
        reports.append({key: value for key, value in report.items() if "seconds" not in key})
        for blunder in reports[-1]["blunders"]:
            del blunder["seconds"]
    assert reports[0] == reports[1]


def test_answers_kept_are_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    words = ["check", "greedy", "--workers", "1", "--json", "--results", str(path)]
    good(*words, "--positions", "20")
    kept = path.read_bytes()
    path.write_bytes(kept[:-10])  # as if the power had gone
    assert good(*words, "--positions", "30").answer["positions"] == 30
    lines = path.read_bytes().splitlines()
    assert len(lines) == 31
    assert lines[:20] == kept.splitlines()[:20]
    ran = kulami(*words[:1], "random", *words[2:])
    assert ran.code == 2
    assert "holds results with bot 'greedy', not 'random'" in ran.err
    assert path.read_bytes().splitlines() == lines


def test_whatever_has_befallen_a_line_the_others_can_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    words = ["check", "greedy", "--workers", "1", "--json", "--results", str(path)]
    good(*words, "--positions", "3")
    lines = path.read_bytes().splitlines(keepends=True)
    for damage in (b"?" + lines[2], b"\n", b"[1]\n", lines[2].replace(b'"check"', b'"chekc"')):
        path.write_bytes(b"".join([*lines[:2], damage, *lines[3:]]))
        ran = kulami(*words, "--positions", "3")
        assert ran.code == 2
        assert "results.jsonl line 3 is damaged" in ran.err
        assert ": delete that line to go on without it" in ran.err
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    assert good(*words, "--positions", "3").answer["positions"] == 3
    assert len(path.read_bytes().splitlines()) == 4


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    report = good("check", "greedy", "--positions", "50", "--csv", str(path), *ALONE).answer
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="ascii"))))
    assert len(rows) == 50
    assert sum(int(row["optimal"]) for row in rows) / 50 == report["optimal_rate"]
    assert sum(int(row["loss"]) for row in rows) / 50 == report["mean_loss"]


def test_a_program_that_crashes() -> None:
    ran = kulami("check", unruly("crash"), "--positions", "3", *ALONE)
    assert ran.code == 1
    assert (ran.answer["faults"]["crash"], ran.answer["optimal_rate"]) == (3, 0)
    (said,) = ran.err.splitlines()
    assert "has given no legal field in any of 3 positions (crash 3); the first: " in said


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_keeps_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    words = ["check", "mcts:20000", "--workers", "2", "--results", str(path), "--json"]
    running = process(*words, start_new_session=True)
    try:
        until(lambda: path.exists() and path.read_bytes().count(b"\n") > 3, running)
        os.killpg(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=30)
    finally:
        running.kill()
    assert running.returncode == 130, err
    assert "Traceback" not in err
    answers = len(path.read_bytes().splitlines()) - 1
    assert json.loads(out)["positions"] == answers
    assert "go on with --results" in err


def test_ctrl_c_between_an_answer_and_its_line_loses_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = ResultFile.add

    def pressed(results: ResultFile, record: Mapping[str, object]) -> None:
        signal.raise_signal(signal.SIGINT)
        add(results, record)

    monkeypatch.setattr(ResultFile, "add", pressed)
    path = tmp_path / "results.jsonl"
    ran = kulami("check", "greedy", *ALONE, "--results", str(path))
    assert ran.code == 130
    assert json.loads(ran.out)["positions"] == len(path.read_bytes().splitlines()) - 1 == 1


def test_keys_of_cases_differ() -> None:
    cases = SUITE()
    assert len({case_key(case) for case in cases}) == len(cases)
