"""micropip installs the wheel for Pyodide: in a plain page, and in a notebook of JupyterLite.

Everything comes from registries and is served from loopback. NumPy for Pyodide is in none of them,
and stands here as installed, without any content; nothing that runs here needs it.
"""

from __future__ import annotations

import email
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import make_pyodide_wheel
import pytest
import webassembly
from command_line import SQUARE
from static_page import hosted

pytestmark = [pytest.mark.sources, pytest.mark.nightly]

LATE = f"{SQUARE} 1b2rrbr/rrrrrbbb/brr5/2b1b3/r1b1rb1b/bb1r2b1/1rbbrbr1/2r3rb r f7,b7"
#: What the package needs, and what JupyterLite's kernel needs.
NEEDED = ["micropip", "msgspec", "tqdm"]
KERNEL = [
    *("asttokens", "comm", "decorator", "executing", "ipython", "ipython-pygments-lexers", "jedi"),
    *("matplotlib-inline", "packaging", "parso", "prompt_toolkit", "pure-eval", "pygments", "six"),
    *("stack-data", "traitlets", "wcwidth"),
]
WITHOUT_NUMPY = """
import micropip
micropip.add_mock_package("numpy", "2.4.6")
"""
RUN = """async (program) => {
    const { loadPyodide } = await import("./pyodide.mjs");
    const python = await loadPyodide();
    await python.loadPackage("micropip");
    return python.runPythonAsync(program);
}"""
ASK = f"""
import json
from importlib import metadata
import kulami_solver as ks
from kulami_solver import malawi
late = ks.Position.from_kfn({LATE!r})
found = [ks.solve(late, scoring=scoring, every_move=True) for scoring in ks.Scoring]
found.append(malawi.solve(malawi.Position.start(malawi.Board(2, 3))))
said = [metadata.version("kulami_solver")]
said += [json.dumps(one.to_json() | {{"seconds": 0}}) for one in found]
said = "\\n".join(said)
"""


def pip(python: str | Path, *words: str | Path) -> None:
    """Run pip; skips the test where it cannot reach what it looks for."""
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"pip cannot have what is needed here: {done.stderr[-500:]}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made now."""
    return make_pyodide_wheel.wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """All files of Pyodide's npm package, and wheels of other people beside them."""
    folder = tmp_path_factory.mktemp("packages")
    python, abi, platform = webassembly.TAG
    pip(
        sys.executable,
        "download",
        f"--dest={folder}",
        "--no-deps",
        "--only-binary=:all:",
        f"--python-version={webassembly.PYTHON}",
        f"--implementation={python[:2]}",
        f"--abi={abi}",
        f"--platform={platform}",
        *NEEDED,
        *KERNEL,
    )
    packages = {path.name: path.read_bytes() for path in folder.iterdir()}
    with tarfile.open(webassembly.RUNTIME.fetched()) as archive:
        found = {
            Path(member.name).name: file.read()
            for member in archive
            if (file := archive.extractfile(member)) is not None
        }
    lock = json.loads(found[webassembly.LOCK])
    lock["packages"] = dict(locked(folder / name) for name in packages)
    lock["packages"]["ipython"]["depends"] = [
        name for name in lock["packages"] if name not in ("ipython", *NEEDED)
    ]
    return {**found, **packages, webassembly.LOCK: json.dumps(lock).encode()}


def locked(wheel: Path) -> tuple[str, dict[str, Any]]:
    """What Pyodide's list of packages says of a wheel, by the package's name."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("-info/METADATA"))
        said = email.message_from_bytes(archive.read(metadata))
    name = re.sub("[-_.]+", "-", said["Name"]).lower()
    return name, {
        "name": name,
        "version": said["Version"],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "imports": [],
        "depends": [],
        "package_type": "package",
        "unvendored_tests": False,
    }


@pytest.fixture(scope="module")
def expected() -> str:
    """What the package says here."""
    said: dict[str, Any] = {}
    exec(ASK, said)
    return str(said["said"])


def test_micropip_installs_it_in_a_plain_page(
    wheel: Path, pyodide: Mapping[str, bytes], expected: str, browser: Any
) -> None:
    page = {"index.html": b"<!doctype html><title>plain</title>", wheel.name: wheel.read_bytes()}
    with hosted({**pyodide, **page}) as site:
        tab = browser.new_page()
        tab.goto(site.url)
        install = f"await micropip.install({site.url + wheel.name!r})"
        program = "\n".join([WITHOUT_NUMPY, install, ASK, "said"])
        said = tab.evaluate(RUN, program)
        tab.close()
    assert said == expected


def notebook(*cells: str) -> str:
    """A notebook with these programs."""
    made: list[dict[str, Any]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": one}
        for one in cells
    ]
    kernel = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
    return json.dumps(
        {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )


def test_a_notebook_of_jupyterlite_installs_it(
    wheel: Path, pyodide: Mapping[str, bytes], expected: str, browser: Any, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    words = ["jupyterlite-core", "jupyterlite-pyodide-kernel", "jupyter-server"]
    pip(programs / "python", "install", *words)
    sources, made = tmp_path / "lite", tmp_path / "site"
    runtime, contents = sources / "static" / "pyodide", sources / "files"
    runtime.mkdir(parents=True)
    contents.mkdir()
    for name, content in pyodide.items():
        (runtime / name).write_bytes(content)
    cells = (WITHOUT_NUMPY, "%pip install kulami_solver", ASK, "print(said)")
    (contents / "try.ipynb").write_text(notebook(*cells), encoding="utf-8")
    options = [
        "--contents",
        str(contents),
        "--piplite-wheels",
        str(wheel),
        "--output-dir",
        str(made),
    ]
    subprocess.run(
        [str(programs / "jupyter"), "lite", "build", *options],
        cwd=sources,
        env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        check=True,
    )
    files = {
        path.relative_to(made).as_posix(): path.read_bytes()
        for path in made.rglob("*")
        if path.is_file()
    }
    with hosted(files) as site:
        tab = browser.new_page()
        tab.goto(f"{site.url}notebooks/index.html?path=try.ipynb")
        tab.locator(".jp-CodeCell").nth(3).wait_for(timeout=120_000)
        tab.get_by_role("menuitem", name="Run", exact=True).click()
        tab.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        said = tab.locator(".jp-OutputArea-output").last
        said.wait_for(timeout=180_000)
        assert said.inner_text().strip() == expected
        tab.close()
