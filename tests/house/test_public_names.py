"""What the packages show of themselves: to a person at the prompt, and to a type checker."""

from __future__ import annotations

import importlib
import inspect
import pydoc
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from public_modules import MODULES, is_here

import kulami_solver as ks

LAZY = {
    "kulami_solver": [
        "Database",
        "DatabaseError",
        "NotInDatabaseError",
        "build",
        "open_database",
        "verify",
    ],
    "kulami_solver.malawi": [
        "Database",
        "build",
        "open_database",
        "solve_board",
        "verify",
    ],
}
each_package = pytest.mark.parametrize("package", LAZY)


def printed(program: str, *arguments: str) -> str:
    """What a program of its own, in a fresh process, prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@each_package
def test_the_directory_has_all_public_names_before_any_is_used(package: str) -> None:
    program = (
        "import importlib, sys; package = importlib.import_module(sys.argv[1]); "
        "print(*dir(package)); print('numpy' in sys.modules)"
    )
    names, numpy = printed(program, package).splitlines()
    public = importlib.import_module(package).__all__
    assert set(LAZY[package]) <= set(public) <= set(names.split())
    assert names.split() == sorted(set(names.split()))
    assert numpy == "False"


@each_package
def test_help_shows_all_public_names(package: str) -> None:
    text = pydoc.plain(pydoc.render_doc(importlib.import_module(package)))
    for name in LAZY[package]:
        assert f"class {name}(" in text or f"\n    {name}(" in text, name


@each_package
def test_a_name_that_does_not_exist_is_an_attribute_error(package: str) -> None:
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'solv'"):
        module.solv  # noqa: B018


def test_modules_need_no_import_of_their_own() -> None:
    program = """
import sys, kulami_solver as ks
print("numpy" in sys.modules, "cluster" in dir(ks), "kulami_solver.cluster" in sys.modules)
print(*(getattr(ks, name).__name__ for name in ks._MODULES))
print(callable(ks.cluster.connect), hasattr(ks, "no_such_module"), "distributed" in sys.modules)
"""
    first, names, last = printed(program).splitlines()
    assert first == "False True False"
    modules = ("adapters", "bots", "cluster", "game", "just4fun", "malawi")
    assert names.split() == [f"kulami_solver.{name}" for name in modules]
    assert last == "True False False"


@pytest.mark.parametrize("name", [name for name in MODULES if is_here(name)])
def test_hints_can_be_read(name: str) -> None:
    """`typing.get_type_hints` finds every name in the hints of functions, classes and methods."""
    module = importlib.import_module(name)
    nouns = {"Position": ks.Position}  # which imports its notations
    for public in module.__all__:
        value = getattr(module, public)
        if not isinstance(value, type):
            if inspect.isfunction(value):
                typing.get_type_hints(value, localns=nouns)
            continue
        typing.get_type_hints(value)
        for member in vars(value).values():
            function = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if inspect.isfunction(function) and function.__module__.startswith("kulami_solver"):
                is_made = function.__code__.co_filename.startswith("<")  # by dataclasses
                assert is_made or typing.get_type_hints(function) is not None


@pytest.mark.sources
def test_documents_import_from_these_modules_alone(repository: Path) -> None:
    documents = [repository / "README.md", *(repository / "docs").rglob("*.md")]
    texts = [path.read_text(encoding="utf-8") for path in documents]
    imports = re.compile(r"from (kulami_solver[\w.]*) import")
    shown = {name for text in texts for name in imports.findall(text)}
    assert len(shown) > 5
    assert shown <= {*MODULES}
    page = (repository / "docs" / "stability.md").read_text(encoding="utf-8")
    for module in MODULES:
        assert f"`{module}`" in page or f"`{module.split('.', 2)[2]}`" in page, module
