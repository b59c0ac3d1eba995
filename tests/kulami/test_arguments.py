"""What `solve` and its kin are given is checked where it comes in, and refused in one sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.bots.grade import grade
from kulami_solver.malawi.values import Solution

START = ks.Position(ks.Layout.parse("AAB/CCB"))

# Each takes a position and options.
ASKED: dict[str, Callable[..., Any]] = {
    "solve": ks.solve,
    "analyse": ks.analyse,
    "solve_many": lambda position, scoring=0, **options: list(
        ks.solve_many([position], scoring, **options)
    ),
}
each_asked = pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)


@each_asked
@pytest.mark.parametrize("scoring", [2, "2", "level2", ks.Scoring.LEVEL2])
def test_a_scoring_may_be_given_as_it_is_written(
    asked: Callable[..., Any], scoring: ks.Scoring | str | int
) -> None:
    answer = asked(START, scoring)
    first = answer[0] if isinstance(answer, list) else answer
    if isinstance(first, ks.Solution):
        assert first.scoring is ks.Scoring.LEVEL2
    else:
        assert first == ks.analyse(START, ks.Scoring.LEVEL2)


def test_the_others_take_scorings_as_written_too(tmp_path: Path) -> None:
    graded = [grade(START, ["a1"], scoring=written) for written in ("2", 2, ks.Scoring.LEVEL2)]
    assert graded[0].moves == graded[1].moves == graded[2].moves
    built = ks.build(tmp_path / "small.kdb", START, "1")
    with ks.open_database(built.path) as database:
        assert database.scoring is ks.Scoring.LEVEL1
        assert ks.solve(START, 1, database=database).hits
        assert database.oracle(START, "level1") is database.oracle(START, ks.Scoring.LEVEL1)


BOARD = malawi.Board(2, 4)
MALAWI = malawi.Position.start(BOARD)


def test_every_move_is_the_word_of_both_games(tmp_path: Path) -> None:
    malawi.build(tmp_path / "m.kdb", BOARD)
    with malawi.Database(tmp_path / "m.kdb") as database:
        for ask in (malawi.search, malawi.solve, database.probe):
            turns = ask(MALAWI, every_move=True).turns
            assert len(turns) == len(MALAWI.turns)
            assert not ask(MALAWI).turns
        turns = malawi.solve(MALAWI, database=database, every_move=True).turns
        assert turns == database.probe(MALAWI, every_move=True).turns


def test_solve_gives_solutions_in_both_games(tmp_path: Path) -> None:
    malawi.build(tmp_path / "m.kdb", BOARD)
    searched = malawi.solve(MALAWI)
    assert isinstance(searched, Solution)
    assert searched.source == "search"
    with malawi.Database(tmp_path / "m.kdb") as database:
        found = malawi.solve(MALAWI, database=database)
        assert (found.source, found.value) == ("database", searched.value)
        elsewhere = malawi.Position.start(malawi.Board(2, 3))
        assert malawi.solve(elsewhere, database=database).source == "search"
        database.close()
        with pytest.raises(ks.DatabaseError, match="closed"):
            malawi.solve(MALAWI, database=database)


@pytest.mark.parametrize(
    "code",
    [
        "from kulami_solver.kulami.solve.bounds import PanelBounds; PanelBounds(None)",
        "from kulami_solver.kulami.solve.search import *; Search(*[None] * 4, False, False)",
        "from kulami_solver.malawi.search import Search; Search(None, None)",
        "from kulami_solver.kulami.database.classes import Classes\n"
        "Classes(None, 0, 0, False, False, 6, [], 1, None, None, [])",
    ],
)
def test_none_is_refused_not_followed(code: str) -> None:
    """In a process of its own: what follows None ends it."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    assert "TypeError: Argument" in done.stderr
