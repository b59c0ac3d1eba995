"""What `solve` and its kin are given is checked where it comes in, and refused in one sentence."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.errors import BoardError, PositionError
from kulami_solver.kulami.database.classes import Classes
from kulami_solver.kulami.prove import prove
from kulami_solver.kulami.solve.search import Search
from kulami_solver.kulami.solve.shared_search import SharedSearch
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.malawi.values import Solution

START = ks.Position(ks.Layout.parse("AAB/CCB"))

# What is of no type that is asked for, as far as the type checker knows.
WRONG: dict[Any, Any] = {
    0: 0,
    True: True,
    3: 3,
    "a1": "a1",
    "function": print,
    "view": ("a", "b", b""),
}

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
    built = ks.build(tmp_path / "small.kdb", START, "1")
    with ks.open_database(built.path) as database:
        assert database.scoring is ks.Scoring.LEVEL1
        assert ks.solve(START, 1, database=database).hits
        assert database.oracle(START, "level1") is database.oracle(START, ks.Scoring.LEVEL1)


@each_asked
@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (("a1",), {}, PositionError, "positions to solve are Positions, not 'a1'"),
        ((7,), {}, PositionError, "positions to solve are Positions, not 7"),
        ((START, 3), {}, ks.NotationError, "3 is not a scoring"),
        ((START, None), {}, ks.NotationError, "None is not a scoring"),
        ((START,), {"goal": []}, ks.KulamiError, "a list is no goal"),
        ((START,), {"goal": np.arange(2)}, ks.KulamiError, "a ndarray is no goal"),
        ((START, np.arange(2)), {}, ks.NotationError, "a ndarray is not a scoring"),
        ((START,), {"threads": 10_000}, ks.BudgetError, "threads is 10000: give 1 to 256"),
        ((START,), {"database": ks.Database}, ks.DatabaseError, "database is a ABCMeta: give one"),
        ((START,), {"database": "a.kdb"}, ks.DatabaseError, "database is 'a.kdb': give one that"),
        ((START,), {"nodes": 1 << 70}, ks.BudgetError, "give less than 2"),
    ],
)
def test_what_is_wrong_is_named(
    asked: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    error: type[ks.KulamiError],
    words: str,
) -> None:
    with pytest.raises(error) as caught:
        asked(*arguments, **options)
    assert type(caught.value) is error
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"stop": True}, ks.BudgetError, "stop is True: give a threading.Event"),
        ({"progress": "yes"}, ks.KulamiError, "progress is 'yes': give True, False or a function"),
    ],
)
def test_company_of_a_search(
    options: dict[str, Any], error: type[ks.KulamiError], words: str
) -> None:
    assert ks.solve(START, stop=threading.Event(), progress=False).exact
    with pytest.raises(error) as caught:
        ks.solve(START, **options)
    assert words in str(caught.value)


BOARD = malawi.Board(2, 4)
MALAWI = malawi.Position.start(BOARD)
NO_FUNCTION = "progress is True: give a function, or None"
DATABASE = "database is 3: give one that malawi.open_database has opened"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ks.solve_many(WRONG[3]), PositionError, "are an iterable of Positions, not 3"),
        (lambda: ks.solve_many([], executor=WRONG[3]), ks.KulamiError, "executor is 3: give a"),
        (lambda: ks.build("x.kdb", WRONG["a1"]), PositionError, "not 'a1'"),
        (lambda: ks.build("x.kdb", START, 7), ks.NotationError, "7 is not a scoring"),
        (lambda: malawi.search(WRONG["a1"]), PositionError, "not 'a1'"),
        (lambda: malawi.solve(WRONG["a1"]), PositionError, "not 'a1'"),
        (lambda: malawi.solve(MALAWI, database=WRONG[3]), ks.DatabaseError, DATABASE),
        (lambda: malawi.search(MALAWI, stop=WRONG[3]), ks.BudgetError, "stop is 3: give a thr"),
        (lambda: malawi.search(MALAWI, progress=WRONG[3]), ks.KulamiError, "progress is 3: give"),
        (lambda: malawi.solve_board(WRONG["a1"]), BoardError, "'a1' is no Board"),
        (lambda: malawi.build("x.kdb", WRONG["a1"]), BoardError, "'a1' is no Board"),
        (
            lambda: malawi.build("x.kdb", BOARD, checkpoint_seconds=-1),
            ks.BudgetError,
            "checkpoint_seconds is -1: give 0 or more",
        ),
        (lambda: malawi.build(WRONG[3], BOARD), ks.DatabaseError, "3 is no name of a file"),
        (lambda: ks.build(WRONG[3], START), ks.DatabaseError, "3 is no name of a file"),
        (lambda: ks.build("", START), ks.DatabaseError, "'' is no name of a file"),
        (lambda: malawi.verify(WRONG[3]), ks.DatabaseError, DATABASE),
        (lambda: ks.build("x.kdb", START, progress=WRONG[True]), ks.KulamiError, NO_FUNCTION),
        (lambda: ks.verify("x.kdb", progress=WRONG[True]), ks.KulamiError, NO_FUNCTION),
        (lambda: prove("x.kpf", START, progress=WRONG[True]), ks.KulamiError, NO_FUNCTION),
        (
            lambda: malawi.build("x.kdb", BOARD, progress=WRONG[True]),
            ks.KulamiError,
            NO_FUNCTION,
        ),
        (lambda: malawi.solve_board(BOARD, progress=WRONG[True]), ks.KulamiError, NO_FUNCTION),
        (lambda: malawi.verify("x.kdb", progress=WRONG[True]), ks.KulamiError, NO_FUNCTION),
        (
            lambda: ks.solve_many([START], progress=WRONG["function"]),
            ks.KulamiError,
            "progress is a builtin_function_or_method: give True or False",
        ),
        (lambda: ks.solve_many([START], progress=WRONG[0]), ks.KulamiError, "progress is 0: give"),
        (
            lambda: ks.solve_many([START], in_order=WRONG["a1"]),
            ks.KulamiError,
            "in_order is 'a1': give True or False",
        ),
        (lambda: malawi.Position(WRONG[3]), PositionError, "made of a Placement, not 3"),
        (lambda: malawi.Position.seen(WRONG[3], "red", MALAWI.view), PositionError, "not 3"),
        (lambda: malawi.Position.seen(BOARD, "red", WRONG[3]), PositionError, "not 3"),
        (
            lambda: malawi.Position.seen(BOARD, "red", WRONG["view"]),
            PositionError,
            "red is 'a': give a mask",
        ),
        (lambda: MALAWI.play_all(WRONG[3]), ks.NotationError, "not 3"),
        (lambda: MALAWI.play(WRONG[3]), ks.NotationError, "3 is no turn"),
    ],
)
def test_the_same_words_elsewhere(
    call: Callable[[], object],
    error: type[ks.KulamiError],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_databases_are_asked_for_positions_of_their_game(tmp_path: Path) -> None:
    ks.build(tmp_path / "k.kdb", START)
    malawi.build(tmp_path / "m.kdb", BOARD)
    for path, others in (("k.kdb", [MALAWI, "a1", None]), ("m.kdb", [START, "a1", None])):
        with ks.open_database(tmp_path / path) as database:
            values = getattr(database, "move_values" if path == "k.kdb" else "turn_values")
            for ask in (database.get, database.probe, values):
                for other in others:
                    with pytest.raises(PositionError):
                        ask(other)
    with ks.open_database(tmp_path / "m.kdb") as database:
        for refused in (
            lambda: ks.solve(START, database=database),
            lambda: ks.verify(database),
        ):
            with pytest.raises(ks.DatabaseError, match=r"m.kdb: a database of Malawi, not of Kul"):
                refused()
    with ks.open_database(tmp_path / "k.kdb") as database:
        calls: tuple[Callable[[], Any], ...] = (
            lambda: malawi.solve(MALAWI, database=database),
            lambda: malawi.verify(database),
        )
        for call in calls:
            with pytest.raises(ks.DatabaseError, match=r"k.kdb: a database of Kulami, not of Mal"):
                call()


def test_every_move_is_the_word_of_both_games(tmp_path: Path) -> None:
    malawi.build(tmp_path / "m.kdb", BOARD)
    with malawi.open_database(tmp_path / "m.kdb") as database:
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
    with malawi.open_database(tmp_path / "m.kdb") as database:
        found = malawi.solve(MALAWI, database=database)
        assert (found.source, found.value) == ("database", searched.value)
        elsewhere = malawi.Position.start(malawi.Board(2, 3))
        assert malawi.solve(elsewhere, database=database).source == "search"
        database.close()
        with pytest.raises(ks.DatabaseError, match="closed"):
            malawi.solve(MALAWI, database=database)


def a_search() -> Search:
    return Solver(START, ks.Scoring.LEVEL0, 1 << 16).search


def some_classes() -> Classes:
    geometry = START.layout.geometry
    return Classes(
        geometry, 0, 0, False, False, 6, range(6), 1, np.array([63], np.uint64),
        np.array([64], np.uint8), [],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ((1, 2, 6, 0), "no field 6: the layout has 6 fields"),
        ((1, 2, 1, 64), "no field 64"),
        ((1, 2, 1 << 20, 0), "no field 1048576"),
        ((1, 2, 1, -2), "no field -2"),
        ((1, 2, -5, -1), "no field -5"),
        ((1 << 6, 0, -1, -1), "use bits 0 to 5"),
        ((3, 2, 1, 0), "marbles of both sides"),
    ],
)
def test_compiled_entries_check_positions(position: tuple[int, int, int, int], words: str) -> None:
    searched = a_search()
    with pytest.raises(ValueError, match=words):
        searched.set_position(*position, 4)
    # What went before is as it was.
    assert searched.set_position(0, 0, -1, -1, 6) == a_search().set_position(0, 0, -1, -1, 6)


def test_compiled_entries_check_the_rest() -> None:
    with pytest.raises(ValueError, match="-1 plies to come: give 0 or more"):
        a_search().set_position(0, 0, -1, -1, -1)
    with pytest.raises(ValueError, match="a shared search of 0: give 1 or more"):
        SharedSearch(0)
    words = [np.zeros(2, np.uint64) for _ in range(4)]
    small = [np.zeros(2, np.int8) for _ in range(2)]
    plies, bases = np.zeros(2, np.int16), np.zeros(1, np.int16)
    locate_many: Any = some_classes().locate_many
    with pytest.raises(ValueError, match="arrays that are not all of the length of the first, 2"):
        locate_many(*words[:2], *small, plies, *words[2:], bases)


@pytest.mark.parametrize(
    "code",
    [
        "from kulami_solver.kulami.solve.panels import PanelBounds; PanelBounds(None)",
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
