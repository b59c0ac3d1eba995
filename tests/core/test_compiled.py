"""The compiled modules: their stubs say what is there, and the examples in them are right."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "ext"
MODULES = [
    ".".join(path.relative_to(SOURCES).with_suffix("").parts)
    for path in sorted(SOURCES.rglob("*.pyx"))
]
WRITTEN_BY_CYTHON = ["__reduce_cython__", "__setstate_cython__", "__test__", "__pyx_capi__"]


def stub(name: str) -> Path:
    """Where the stub of a compiled module belongs."""
    return ROOT.joinpath(*name.split(".")).with_suffix(".pyi")


@pytest.mark.long
def test_stubs_match(tmp_path: Path) -> None:
    pytest.importorskip("mypy.stubtest")
    allowed = tmp_path / "allowed"
    allowed.write_text(r".*\.__init__", encoding="ascii")  # __cinit__ shows no signature.
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy.stubtest",
            "--concise",
            "--ignore-disjoint-bases",
            "--ignore-missing-stub",
            "--ignore-unused-allowlist",
            f"--allowlist={allowed}",
            *(name for name in MODULES if stub(name).exists()),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", MODULES)
def test_what_can_be_called_has_a_stub(name: str) -> None:
    if not stub(name).exists():
        contents = vars(importlib.import_module(name)).items()
        own = [key for key, value in contents if getattr(value, "__module__", "") == name]
        assert [key for key in own if key not in WRITTEN_BY_CYTHON] == []


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(
        importlib.import_module(name),
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE,
    )
    assert result.failed == 0
