"""Whatever the public functions are given, they answer it, or refuse it by their own errors."""

from __future__ import annotations

import importlib
import inspect
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from public_modules import MODULES, is_here

import kulami_solver as ks
from kulami_solver import game, just4fun, malawi
from kulami_solver.bots import Greedy, Player, make_player
from kulami_solver.bots.arena import Opening

DATA = Path(__file__).parents[2] / "data"
START = ks.Position(ks.Layout.parse("AAB/CCB"))
STATE = game.load_game("kulami", layout="AAB/CCB").start()
GOOD: dict[str, Any] = {
    **dict.fromkeys(("position", "root", "start"), START),
    "layout": START.layout,
    "positions": [START],
    "scoring": ks.Scoring.LEVEL0,
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
    "board": malawi.Board(2, 4),
    "command": ["x"],
    "state": STATE,
    "field": "a1",
    "length": 2,
    **dict.fromkeys(("ply", "part", "seat", "square"), 0),
}
OBJECTS = (
    *(START, START.layout, STATE, ks.solve(START), ks.open_database(DATA / "4x4-level0.kdb")),
    *(malawi.Board(2, 4), just4fun.Board.parse("2006"), Player(Greedy())),
    *(game.load_game(name) for name in game.GAMES),
    *(game.load_game(name).start() for name in game.GAMES),
    *(
        make_player(name).bot
        for name in ("random", "alphabeta:2", "mcts:50", "perfect", "master:50")
    ),
)
NONSENSE: Any = (True, 7, -1, 10**40, float("nan"), None, "", "x\0", b"x", (), ["x"], {}, object())


def public_functions() -> dict[str, Callable[..., Any]]:
    """The public functions, classes and methods whose arguments `GOOD` has."""
    modules = [importlib.import_module(name) for name in MODULES if is_here(name)]
    found = {name: getattr(one, name) for one in modules for name in getattr(one, "__all__", ())}
    for one in OBJECTS:
        kind = type(one)
        called = f"{kind.__module__.removeprefix('kulami_solver.')}.{kind.__name__}"
        found |= {
            f"{called}.{name}": getattr(one, name)
            for name in dir(kind)
            # A state's `move_of` raises a TypeError.
            if not name.startswith("_") and name not in ("close", "move_of")
        }
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
