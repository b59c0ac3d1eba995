"""The benchmark of games in threads: what it prints, and that it refuses what is no number."""

from __future__ import annotations

import re

import bench_threads
import pytest


def test_rounds_and_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    bench_threads.main(["--bot", "mcts:5", "--games", "1", "--rounds", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert re.match(r"\d+\.\d+\.\S+ with(out)? Python's lock: mcts:5 at kulami, 1 games", lines[0])
    pairs = [[float(number) for number in re.findall(r"\d+\.\d\d", line)] for line in lines[2:4]]
    for one, several, ratio, own in pairs:
        assert one > 0 < own
        assert ratio == pytest.approx(several / one, rel=0.2)
    assert [line.split()[0] for line in lines[4:]] == ["best", "middle"]
    assert float(lines[4].split()[1]) >= float(lines[5].split()[1])


def test_games_in_more_threads_are_more_games() -> None:
    assert bench_threads.rates("kulami", "random", 1, 3).wall > 0


@pytest.mark.parametrize("option", ["--games", "--rounds", "--threads"])
def test_no_number(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench_threads.main([option, "0"])
    assert "'0': give a whole number from 1 on" in capsys.readouterr().err
