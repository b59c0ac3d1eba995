#!/usr/bin/env python3
"""Make a wheel that micropip installs in a browser, in Pyodide or in JupyterLite.

    python scripts/make_pyodide_wheel.py [FOLDER]

The modules are those of the page without a server, compiled by zig: see scripts/webassembly.py. The
wheel lies in FOLDER at the end, which is build/wheel if it is not named. Releases have a wheel by
Pyodide's own compiler: .github/workflows/wheels.yml makes it.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import webassembly
from downloads import MissingError

ROOT: Final = Path(__file__).resolve().parents[1]
TARGET: Final = ROOT / "build" / "wheel"
#: What setuptools needs to make the wheel, but for the modules.
SOURCES: Final = ("LICENSE", "README.md", "data", "kulami_solver", "pyproject.toml", "setup.py")
#: The modules lie where setuptools would have built them.
SETTINGS: Final = "[build]\nbuild_lib = built\n[bdist_wheel]\nskip_build = 1\n"
#: setuptools writes the wheel for another Python and another system than its own.
PROGRAM: Final = """
import runpy
from setuptools.command.bdist_wheel import bdist_wheel
bdist_wheel.get_tag = lambda _: {tag}
runpy.run_path("setup.py", run_name="__main__")
"""


def wheel(folder: Path) -> Path:
    """Make the wheel in a folder, and return where it is.

    Raises:
        MissingError: if something that is needed cannot be had, or does not compile.
    """
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work)
        for name in SOURCES:
            if (ROOT / name).is_dir():
                unwanted = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
                shutil.copytree(ROOT / name, tree / name, ignore=unwanted)
            else:
                shutil.copy(ROOT / name, tree)
        (tree / "ext").symlink_to(ROOT / "ext")
        (tree / "setup.cfg").write_text(SETTINGS, encoding="ascii")
        for name, content in webassembly.modules().items():
            path = tree / "built" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        program = PROGRAM.format(tag=webassembly.TAG)
        words = ["-q", "build_py", "bdist_wheel"]
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            cwd=tree,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise MissingError(f"setuptools makes no wheel:\n{done.stdout}{done.stderr}"[-4000:])
        (made,) = (tree / "dist").iterdir()
        folder.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(made, folder))


def main() -> int:
    """Make the wheel."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=TARGET)
    try:
        made = wheel(parser.parse_args().folder)
    except (MissingError, OSError) as error:
        print(f"make_pyodide_wheel.py: {error}", file=sys.stderr)
        return 1
    print(f"{made}: {made.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
