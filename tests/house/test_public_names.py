"""What the packages show of themselves: to a person at the prompt, and to a type checker."""

from __future__ import annotations

import importlib
import inspect
import sys
import typing

import pytest
from command_line import completed
from public_modules import MODULES, is_here

import kulami_solver as ks

PROGRAM = """
import importlib, pydoc, sys
package = importlib.import_module(sys.argv[1])
names = dir(package)
assert names == sorted({*names})
assert {*package.__all__} <= {*names}
assert "numpy" not in sys.modules
assert not hasattr(package, "no_such_name")
if sys.argv[1] == "kulami_solver":  # whose modules need no import of their own
    assert "cluster" in names and "kulami_solver.cluster" not in sys.modules
    for name in ("adapters", "bots", "cluster", "game", "just4fun", "malawi"):
        assert getattr(package, name).__name__ == f"kulami_solver.{name}"
    assert callable(package.cluster.connect) and "distributed" not in sys.modules
text = pydoc.plain(pydoc.render_doc(package))
for name in package.__all__:
    if callable(getattr(package, name)):
        assert f"class {name}" in text or f"\\n    {name}(" in text or f" {name} = " in text, name
"""


@pytest.mark.parametrize("package", ["kulami_solver", "kulami_solver.malawi"])
def test_a_package_shows_all_its_names_before_any_is_used(package: str) -> None:
    """In the directory and in its help; what is used later is not loaded for it."""
    done = completed([sys.executable, "-c", PROGRAM, package])
    assert done.returncode == 0, done.stderr


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
