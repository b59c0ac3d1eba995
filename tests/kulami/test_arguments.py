"""What `solve` and its kin are given is checked where it comes in, and refused in one sentence."""

from __future__ import annotations

import importlib
import inspect
import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from public_modules import MODULES, is_here

import kulami_solver as ks
from kulami_solver import game, malawi
from kulami_solver.bots import Greedy, Player
from kulami_solver.bots.arena import Opening
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


STATE = game.load_game("kulami", layout="AAB/CCB").start()
GOOD: dict[str, Any] = {
    **dict.fromkeys(("position", "root", "start"), START),
    "layout": START.layout,
    "positions": [START],
    "scoring": "0",
    "layouts": ["AAB/CCB"],
    "moves": "a1",
    "played": "a1",
    "game": "kulami",
    "name": "kulami",
    "text": "AAB/CCB",
    "question": game.Question(STATE),
    "bot": Greedy(),
    "players": (Player(Greedy()),) * 2,
    "opening": Opening(STATE),
    "cases": (),
    "path": "o.kdb",
    "board": BOARD,
    "command": ["x"],
}
NONSENSE: Any = (True, -1, 10**40, float("nan"), None, "", "x\0", b"x", (), ["x"], {}, object())


def public_functions() -> dict[str, Callable[..., Any]]:
    """The public functions and classes whose arguments `GOOD` has."""
    modules = [importlib.import_module(name) for name in MODULES if is_here(name)]
    found = {name: getattr(one, name) for one in modules for name in getattr(one, "__all__", ())}
    return {name: one for name, one in found.items() if callable(one) and needed(one) <= {*GOOD}}


def needed(function: Callable[..., Any]) -> set[str]:
    """The arguments without a default; one that nobody can give where there is no signature."""
    try:
        given = inspect.signature(function).parameters.values()
    except ValueError:
        return {""}
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {one.name for one in given if one.default is one.empty and one.kind not in kinds}


@pytest.mark.parametrize("name", public_functions())
def test_nonsense_is_refused_by_the_errors_of_the_package(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = public_functions()[name]
    parameters = inspect.signature(function).parameters
    good = {one: GOOD[one] for one in parameters if one in GOOD}
    for argument, nonsense in itertools.product(parameters, NONSENSE):
        if parameters[argument].kind in (2, 4):
            continue
        try:
            found = function(**{**good, argument: nonsense})
            next(found, None) if inspect.isgenerator(found) else None
        except (ks.KulamiError, OSError):
            pass
        except Exception as error:
            pytest.fail(f"{argument}={nonsense!r}: {error!r}")
