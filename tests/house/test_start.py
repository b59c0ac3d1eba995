"""How soon the package and the command are there: what they import, and what that costs."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Iterable

import pytest
from command_line import completed

from kulami_solver.cli import build_parser
from kulami_solver.cli.kulami import COMMANDS
from kulami_solver.registry import GAMES

# What no answer about a position needs, or not before it is asked.
HEAVY = {"asyncio", "concurrent", "importlib.resources", "logging", "msgspec", "multiprocessing"}
HEAVY |= {"numpy", "PIL", "psutil", "socket", "subprocess", "tempfile", "tqdm", "uuid"}

# What the package has no use for before the first name of it is used.
LATER = {"argparse", "ctypes", "dataclasses", "html", "inspect", "json", "pathlib", "random"}
LATER |= {"hashlib", "secrets", "threading"}

PACKAGE = "import kulami_solver"
HELP = "from kulami_solver.cli import main; main(['--help'])"
SOLVE = "from kulami_solver.cli import main; main(['solve', '--layout', 'AAB/CCB'])"


def loaded_by(program: str) -> set[str]:
    """The modules that a program imports, beyond those the interpreter begins with."""
    program = f"import sys\nbefore = {{*sys.modules}}\n{program}\nprint(*{{*sys.modules}} - before)"
    done = completed([sys.executable, "-c", program])
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def unwanted(names: Iterable[str], unwanted: set[str]) -> set[str]:
    """Those of some modules that are unwanted, or belong to a package that is."""
    return {
        name for name in names if any(name == one or name.startswith(f"{one}.") for one in unwanted)
    }


def test_the_package_imports_little() -> None:
    names = loaded_by(PACKAGE)
    assert unwanted(names, HEAVY | LATER) == set()
    own = {name for name in names if name.startswith("kulami_solver.")}
    assert own == {f"kulami_solver.core{name}" for name in ("", ".forking", ".version")}


def test_an_answer_imports_nothing_heavy() -> None:
    assert unwanted(loaded_by(SOLVE), HEAVY) == set()


def test_the_help_page_imports_nothing_heavy() -> None:
    # It lists the games of other packages, which importlib.metadata finds.
    assert unwanted(loaded_by(HELP) - loaded_by("import importlib.metadata"), HEAVY) == set()


def test_the_help_page_imports_no_more_of_the_games_than_words() -> None:
    # From Python 3.13 on, importlib.metadata loads some of it by itself, and argparse from 3.14 on.
    by_python = loaded_by(
        "import argparse, importlib.metadata; argparse.ArgumentParser().format_help()"
    )
    names = loaded_by(HELP) - by_python
    assert unwanted(names, {"dataclasses", "inspect", "kulami_solver.game"}) == set()


def test_a_command_imports_no_other() -> None:
    names = loaded_by(SOLVE)
    assert "kulami_solver.cli.kulami.solving" in names
    for other in ("games", "kulami.play", "malawi", "just4fun", "serving"):
        assert f"kulami_solver.cli.{other}" not in names


def test_the_page_within_a_browser_needs_no_processes() -> None:
    """Pyodide has none: `multiprocessing.connection` cannot be imported there."""
    pages = ", ".join(f"kulami_solver.web.{one}" for one in ("inside", *GAMES))
    names = loaded_by(f"import {pages}")
    assert unwanted(names, {"_multiprocessing", "concurrent.futures.process", "jinja2"}) == set()


def test_the_first_answer_within_a_browser_loads_one_game() -> None:
    asked = """'/api/kulami/position', '{"layout": "square"}', print, bool"""
    names = loaded_by(f"from kulami_solver.web.inside import Inside; Inside().answer({asked})")
    assert "kulami_solver.web.kulami" in names
    others = GAMES.keys() - {"kulami"}
    rooms = ("", "web.", "bots.")
    assert (
        unwanted(names, {f"kulami_solver.{room}{one}" for room in rooms for one in others}) == set()
    )


def commands_of(parser: argparse.ArgumentParser) -> set[str]:
    """The commands that a parser knows."""
    (action,) = (one for one in parser._actions if one.dest == "command")
    assert action.choices is not None
    return set(action.choices)


def test_each_command_is_where_the_table_says() -> None:
    modules = {name: module for its in COMMANDS.values() for name, module in its.items()}
    for command, module in modules.items():
        beside = {name for name, its in modules.items() if its == module}
        assert commands_of(build_parser(command)) == beside
    others = GAMES.keys() - {"kulami"}
    for game in others:
        assert commands_of(build_parser(game)) == {game}
    for word in (None, "--help", "nonsense"):
        assert commands_of(build_parser(word)) == modules.keys() | others


def processor_time(program: str) -> float:
    """The seconds of the processor that a program takes in a fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_the_package_and_the_help_page_are_there_at_once() -> None:
    """Against NumPy, in the same moments: a second is another on another, busy machine."""
    programs = {"nothing": "pass", "numpy": "import numpy", "package": PACKAGE, "help": HELP}
    best = dict.fromkeys(programs, float("inf"))
    cost: dict[str, float] = {}
    for _ in range(10):
        for name, program in programs.items():
            best[name] = min(best[name], processor_time(program))
        cost = {name: best[name] - best["nothing"] for name in programs}
        if cost["package"] < 0.5 * cost["numpy"] and cost["help"] < 1.1 * cost["numpy"]:
            return
    pytest.fail(f"seconds of the processor, beyond those of an empty program: {cost}")
