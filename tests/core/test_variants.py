"""The compiled variants of the package: which one runs, and how setup.py makes them."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import kulami_solver
from kulami_solver.core import processor, variants

BASE = "x86-64-v2"
LEVELS = (BASE, "x86-64-v3", "x86-64-v4")
ROOMS = ["core", "kulami", "malawi", "just4fun"]
ASKED = (
    "from kulami_solver.core import table, variants; from kulami_solver.kulami import search; "
    "from kulami_solver.malawi import index; from kulami_solver.just4fun import duel; "
    "print(variants.CHOSEN, *(one.__file__ for one in (table, search, index, duel)), sep='\\n')"
)
# Tells what it was compiled for.
TINY = '''
cdef extern from *:
    """
    #ifdef __AVX2__
      #define KULAMI_TINY 3
    #else
      #define KULAMI_TINY 2
    #endif
    """
    int KULAMI_TINY
LEVEL = KULAMI_TINY
'''

on_x86_64 = pytest.mark.skipif(
    not processor.features(), reason="variants are for x86-64, and this is another processor"
)


def can_only(monkeypatch: pytest.MonkeyPatch, *features: str) -> None:
    """Have the processor say that it can do no more than this."""
    monkeypatch.setattr(processor, "features", lambda: features)


class TestChoice:
    """What of that which is installed runs on which processor."""

    @pytest.mark.parametrize("level", LEVELS)
    def test_the_highest_that_the_processor_can(
        self, level: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        can_only(monkeypatch, *variants.LEVELS[level])
        assert variants.chosen_from(LEVELS, None) == level
        assert variants.chosen_from(LEVELS, "") == level

    @pytest.mark.parametrize("lacking", sorted(variants.LEVELS["x86-64-v3"]))
    def test_a_level_needs_all_its_features(
        self, lacking: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        can_only(monkeypatch, *(variants.LEVELS["x86-64-v4"] - {lacking}))
        assert variants.refusal("x86-64-v3") == f"this processor does not offer {lacking}"
        with pytest.raises(ImportError, match=rf"VARIANT=x86-64-v3: this .* not offer {lacking};"):
            variants.chosen_from(LEVELS, "x86-64-v3")

    def test_a_lower_one_can_be_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        can_only(monkeypatch, *variants.LEVELS["x86-64-v4"])
        assert variants.chosen_from(LEVELS, BASE) == BASE

    @pytest.mark.parametrize("wanted", ["x86-64-v5", "X86-64-V3", "3", " ", "x86_64_v3"])
    def test_others_are_refused(self, wanted: str) -> None:
        with pytest.raises(ImportError, match="name x86-64-v2 or x86-64-v3 or unset it") as caught:
            variants.chosen_from(LEVELS[:2], wanted)
        assert caught.value.name == "kulami_solver"

    def test_a_package_for_another_processor_is_refused(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As when a folder compiled with KULAMI_MARCH=native is taken to an older machine."""
        can_only(monkeypatch, *variants.LEVELS[BASE])
        monkeypatch.setattr(processor, "MARCH", "native")
        monkeypatch.setattr(processor, "NEEDED", ("popcnt", "avx2", "avx512f", "bmi2"))
        expected = r"compiled for native here, and this processor does not offer avx2, bmi2: inst"
        with pytest.raises(ImportError, match=expected):
            variants.chosen_from(("native",), None)

    @pytest.mark.sources
    def test_setup_makes_what_can_be_chosen(self, repository: Path) -> None:
        said = re.search(r"^LEVELS = (.*)$", (repository / "setup.py").read_text("utf-8"), re.M)
        assert said is not None
        assert ast.literal_eval(said[1]) == tuple(variants.LEVELS)

    def test_what_runs_here_is_what_is_needed(self) -> None:
        assert set(processor.NEEDED) - set(processor.features()) <= variants.LEVELS["x86-64-v4"]
        assert variants.CHOSEN in variants.available()


@pytest.fixture
def two_variants(tmp_path: Path) -> Path:
    """A folder with the package as it is here, and the same modules as x86-64-v3 once more."""
    here = Path(kulami_solver.__file__).parent
    package = tmp_path / "kulami_solver"
    package.mkdir()
    for child in here.iterdir():
        if child.name not in ("__pycache__", "x86_64_v3", "x86_64_v4"):
            (package / child.name).symlink_to(child)
    for room in ROOMS:
        folder = package / "x86_64_v3" / room
        folder.mkdir(parents=True)
        for module in (here / room).iterdir():
            if module.name.endswith(tuple(EXTENSION_SUFFIXES)) and "processor" not in module.name:
                (folder / module.name).symlink_to(module)
    return tmp_path


def ran(folder: Path, *words: str, variant: str = "") -> subprocess.CompletedProcess[str]:
    """Run Python with the package of this folder."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "KULAMI_VARIANT": variant},
        capture_output=True,
        text=True,
        check=False,
    )


@on_x86_64
class TestProcess:
    """A process runs all compiled modules in one variant."""

    def places(self, folder: Path, variant: str) -> tuple[str, list[str]]:
        done = ran(folder, "-c", ASKED, variant=variant)
        assert done.returncode == 0, done.stderr
        chosen, *files = done.stdout.split("\n")[:-1]
        return chosen, [str(Path(file).parent.relative_to(folder)) for file in files]

    def test_the_fastest(self, two_variants: Path) -> None:
        if variants.refusal("x86-64-v3"):
            pytest.skip(f"x86-64-v3: {variants.refusal('x86-64-v3')}")
        expected = [str(Path("kulami_solver", "x86_64_v3", room)) for room in ROOMS]
        assert self.places(two_variants, "") == ("x86-64-v3", expected)

    def test_the_base(self, two_variants: Path) -> None:
        expected = [str(Path("kulami_solver", room)) for room in ROOMS]
        assert self.places(two_variants, variants.base()) == (variants.base(), expected)

    @pytest.mark.parametrize("module", ["kulami_solver", "kulami_solver.about"])
    def test_no_such_variant_is_one_line(self, two_variants: Path, module: str) -> None:
        done = ran(two_variants, "-m", module, variant="x86-64-v9")
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert "KULAMI_VARIANT=x86-64-v9: there is no such variant; name" in line

    def test_nor_is_it_more_for_the_command(self, two_variants: Path) -> None:
        command = "import sys; sys.argv[0] = 'kulami'; import kulami_solver"
        done = ran(two_variants, "-c", command, variant="x86-64-v9")
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith("kulami: error: KULAMI_VARIANT=x86-64-v9: there is no such variant")


@pytest.fixture
def small_tree(repository: Path, tmp_path: Path) -> Path:
    """Sources of a package with one small compiled module."""
    for name in ("setup.py", "pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(repository / name, tmp_path)
    for name in ("__init__.py", "core/__init__.py", "core/version.py", "data"):
        path = tmp_path / "kulami_solver" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix:
            path.write_text('__version__ = "0.1.0"\n', encoding="ascii")
    core, kulami = (tmp_path / "ext" / "kulami_solver" / room for room in ("core", "kulami"))
    core.mkdir(parents=True)
    kulami.mkdir()
    shutil.copy(repository / "ext" / "kulami_solver" / "kulami" / "switches.pxd", kulami)
    (core / "tiny.pyx").write_text(TINY, encoding="ascii")
    (tmp_path / "data").mkdir()
    for name in ("suite.jsonl", "puzzles.jsonl", "small-boards.csv"):
        (tmp_path / "data" / name).touch()
    return tmp_path


def build(tree: Path, *words: str, march: str | None) -> subprocess.CompletedProcess[str]:
    """Run setup.py with this KULAMI_MARCH; None for none. The compiler optimises nothing."""
    unset = ("KULAMI_MARCH", "KULAMI_DEBUG", "KULAMI_SANITIZE", "KULAMI_DEFINES", "CFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    compiler = tree / "cc"
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    compiler.write_text(f'#!/bin/sh\nexec {command} "$@" -O0\n', encoding="utf-8")
    compiler.chmod(0o755)
    environment |= {"CC": shlex.quote(str(compiler)), "KULAMI_JOBS": "1"}
    if march is not None:
        environment["KULAMI_MARCH"] = march
    return subprocess.run(
        [sys.executable, "setup.py", "-q", *words],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def built(tree: Path) -> dict[str, int]:
    """The compiled modules that lie among the sources, and the level each was compiled for."""
    found = {}
    for path in sorted(
        (tree / "kulami_solver").rglob("*" + sysconfig.get_config_var("EXT_SUFFIX"))
    ):
        program = "import sys; sys.path.insert(0, sys.argv[1]); import tiny; print(tiny.LEVEL)"
        done = ran(tree, "-c", program, str(path.parent))
        found[str(path.parent.relative_to(tree / "kulami_solver"))] = int(done.stdout)
    return found


@pytest.mark.sources
@on_x86_64
class TestSetup:
    """setup.py compiles what KULAMI_MARCH names, and nothing of an earlier build is left over."""

    @pytest.mark.nightly
    def test_in_place(self, small_tree: Path) -> None:
        words = ("build_ext", "--inplace")
        assert build(small_tree, *words, march="x86-64-v2 x86-64-v3").returncode == 0
        assert built(small_tree) == {"core": 2, os.path.join("x86_64_v3", "core"): 3}
        modules = list((small_tree / "kulami_solver").rglob("*.so"))
        before = {path: path.stat().st_mtime_ns for path in modules}
        assert build(small_tree, *words, march="x86-64-v2 x86-64-v3").returncode == 0
        assert {path: path.stat().st_mtime_ns for path in modules} == before
        assert build(small_tree, *words, march=None).returncode == 0
        assert built(small_tree) == {"core": 2}
        assert not (small_tree / "kulami_solver" / "x86_64_v3").exists()

    @pytest.mark.nightly
    def test_a_wheel_has_both_unless_one_is_named(self, small_tree: Path) -> None:
        expected = {None: ["core", "x86_64_v3/core"], "x86-64-v3": ["core"], "": ["core"]}
        for number, (march, places) in enumerate(expected.items()):
            folder = small_tree / f"dist{number}"
            done = build(small_tree, "bdist_wheel", f"--dist-dir={folder}", march=march)
            assert done.returncode == 0, done.stderr
            (wheel,) = folder.iterdir()
            with zipfile.ZipFile(wheel) as archive:
                modules = [name for name in archive.namelist() if "tiny" in name]
            assert sorted(Path(name).parent.as_posix() for name in modules) == [
                f"kulami_solver/{place}" for place in places
            ]

    @pytest.mark.parametrize(
        "march", ["x86-64-v3 x86-64-v2", "native x86-64-v3", "x86-64-v2 x86-64-v2", "a b"]
    )
    def test_other_lists_are_refused(self, small_tree: Path, march: str) -> None:
        done = build(small_tree, "build_ext", march=march)
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"error: KULAMI_MARCH={march}: several processors have to be of ")
