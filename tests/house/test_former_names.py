"""Modules are found by the names they had before."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import kulami_solver as ks
from kulami_solver.former_names import FORMER_NAMES


@pytest.mark.parametrize("former", sorted(FORMER_NAMES))
def test_a_former_name_gives_what_the_present_one_does(former: str) -> None:
    sys.modules.pop(former, None)
    with pytest.warns(DeprecationWarning, match=f"{former} is {FORMER_NAMES[former]} now"):
        found = importlib.import_module(former)
    present = importlib.import_module(FORMER_NAMES[former])
    for name in present.__all__:
        assert getattr(found, name) is getattr(present, name)


def test_as_programs_wrote_it() -> None:
    program = (
        "from kulami_solver.notation import kfn_loses\n"
        "from kulami_solver.layout import Layout\n"
        "from kulami_solver.database import ABSENT, build, open_database, verify\n"
        "from kulami_solver.database.format import DatabaseError\n"
        "import kulami_solver as ks\n"
        "assert Layout is ks.Layout and build is ks.build and callable(ks.solve)\n"
        "assert issubclass(DatabaseError, ks.KulamiError)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_names_of_bots_as_programs_wrote_them() -> None:
    program = (
        "import warnings\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    warnings.simplefilter('always')\n"
        "    from kulami_solver.bots.builtin import Perfect\n"
        "    from kulami_solver.bots.suite import Case, read_suite\n"
        "    from kulami_solver.bots.naming import BUILT_IN, make_player\n"
        "assert len({str(one.message) for one in said}) == 3, said\n"
        "assert {one.category for one in said} == {DeprecationWarning}\n"
        "from kulami_solver import bots\n"
        "assert Perfect is bots.Perfect and make_player is bots.make_player\n"
        "assert BUILT_IN == ('random', 'greedy', 'alphabeta:4', 'mcts', 'perfect')\n"
        "assert type(read_suite(count=1)[0]) is Case\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_never_was_is_not_found() -> None:
    with pytest.raises(ImportError):
        importlib.import_module("kulami_solver.nonsense")
    sys.modules.pop("kulami_solver.sides", None)
    with pytest.warns(DeprecationWarning, match=r"core\.sides now"):
        found = importlib.import_module("kulami_solver.sides")
    assert not hasattr(found, "nonsense")
    assert callable(ks.solve)
