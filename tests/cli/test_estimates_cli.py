"""What commands say of positions of which nothing is proved yet."""

from __future__ import annotations

import math
from typing import Any

from command_line import good, kulami

OPEN = ["--layout", "square", "--moves", "d4,d7", "--nodes", "2000"]


def is_estimate(found: dict[str, Any]) -> bool:
    chances = [found[name] for name in ("win", "draw", "loss")]
    return list(found) == ["margin", "win", "draw", "loss"] and math.isclose(sum(chances), 1)


def test_an_open_position_has_an_estimate_if_asked_for() -> None:
    asked = good("solve", *OPEN, "--estimate", "--json").answer
    assert asked["margin"] is None
    assert is_estimate(asked["estimate"])
    assert asked["lower"] <= asked["estimate"]["margin"] <= asked["upper"]
    assert "estimate" not in good("solve", *OPEN, "--json").answer


def test_every_field_has_one() -> None:
    asked = good("solve", *OPEN, "--estimate", "--all", "--json").answer
    assert all(is_estimate(move["estimate"]) for move in asked["moves"])
    assert len(asked["moves"]) == 9


def test_what_is_proved_has_none() -> None:
    solved = ["--layout", "AAB/CCB", "--moves", "a1", "--all", "--estimate"]
    asked = good("solve", *solved, "--json").answer
    assert asked["estimate"] is None
    assert [move["estimate"] for move in asked["moves"]] == [None, None]
    assert "about" not in good("solve", *solved).out


def test_words_never_say_that_somebody_wins() -> None:
    said = good("solve", *OPEN, "--estimate", "--all").out
    lines = [line for line in said.splitlines() if "about" in line]
    assert len(lines) == 10
    for line in lines:
        assert "wins by" not in line
        assert "for red; win" in line
    assert "not proved" in lines[0]


def test_a_file_of_results_keeps_no_estimates(tmp_path: Any) -> None:
    ran = kulami("solve", "--input", "-", "--results", str(tmp_path / "r"), "--estimate")
    assert ran.code == 2
    assert "--estimate" in ran.err
