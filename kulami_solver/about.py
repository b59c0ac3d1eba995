"""Facts about the installation, its build and the machine, for bug reports.

    python -m kulami_solver.about           as text
    python -m kulami_solver.about --json    as one line of JSON
    kulami about                            the same

Nothing is searched and nothing optional is imported, so it takes no longer than any other command.
An unknown fact is null, which the text shows as "unknown".
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from types import ModuleType
from typing import Final

from .core.budgets import workers_of
from .core.memory import available_memory, total_memory
from .core.version import __version__

_PACKAGE: Final = "kulami_solver"
#: A requirement in the package's metadata: `pillow>=9; extra == "png"`
_REQUIREMENT: Final = re.compile(
    r"([\w.-]+)[^;]*(?:;.*\bextra\s*==\s*[\"']([\w-]+)[\"'])?", re.ASCII
)
#: Extras for those who change the package
_NOT_FOR_USERS: Final = {"test", "dev"}
_EXIT_LOST: Final = 2


def facts() -> dict[str, object]:
    """Return all facts, under the names that --json uses.

    Sizes are in bytes. `packages` has the version of each required package and `extras`, for each
    extra, those of the packages it installs; None stands for a missing package. `processors` and
    `memory_available` are the amounts that this process may use, which may be less than the machine
    has.

    Example:
        >>> found = facts()
        >>> found["kulami_solver"], found["processors"] >= 1
        ('0.1.0', True)
    """
    asked: dict[str, Callable[[], object]] = {
        _PACKAGE: lambda: __version__,
        "folder": lambda: os.path.dirname(os.path.abspath(__file__)),
        "python": platform.python_version,
        "implementation": platform.python_implementation,
        "abi": lambda: sysconfig.get_config_var("SOABI") or sysconfig.get_config_var("EXT_SUFFIX"),
        "free_threaded": lambda: bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "gil": lambda: getattr(sys, "_is_gil_enabled", lambda: True)(),
        "packages": lambda: _required().get("", {}),
        "extras": lambda: {name: found for name, found in _required().items() if name},
        "compiler": lambda: _compiled().COMPILER,
        "cython": lambda: _compiled().CYTHON,
        "command": lambda: _compiled().COMMAND,
        "processor": lambda: _compiled().name() or platform.processor() or platform.machine(),
        "features": lambda: list(_compiled().features()),
        "processors": lambda: workers_of(None),
        "memory": total_memory,
        "memory_available": available_memory,
        "platform": platform.platform,
        "libc": lambda: " ".join(platform.libc_ver()).strip() or None,
        "environment": _environment,
    }
    return {name: _answer(ask) for name, ask in asked.items()}


def _compiled() -> ModuleType:
    """The module that knows the compilation and the processor; it may be missing."""
    from .core import processor

    return processor


def _answer(ask: Callable[[], object]) -> object:
    """The answer of a function; None if it raises, so that all other facts are still shown."""
    try:
        return ask()
    except Exception:
        return None


def _required() -> dict[str, dict[str, str | None]]:
    """The versions of required packages: of the package under "", and of each extra."""
    found: dict[str, dict[str, str | None]] = {"": {}}
    for requirement in metadata.requires(_PACKAGE) or ():
        match = _REQUIREMENT.match(requirement)
        if match is None or match[2] in _NOT_FOR_USERS:
            continue
        try:
            version: str | None = metadata.version(match[1])
        except metadata.PackageNotFoundError:
            version = None
        found.setdefault(match[2] or "", {})[match[1]] = version
    return found


def _environment() -> dict[str, str]:
    """The environment variables that affect the package, or a build of it here."""
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith("KULAMI_")}


def shown(found: Mapping[str, object]) -> str:
    """Return `facts` as lines of text.

    Example:
        >>> print(shown({"python": "3.12.1", "packages": {"numpy": None}, "memory": 3 << 30}))
        python                  3.12.1
        packages                numpy missing
        memory                  3.0 GiB
    """
    lines: list[tuple[str, str]] = []
    for name, value in found.items():
        label = name.replace("_", " ") if name != _PACKAGE else name
        if name == "extras" and isinstance(value, Mapping):
            lines += [(f"extra {extra}", _text(packages)) for extra, packages in value.items()]
        elif name == "environment" and isinstance(value, Mapping):
            given = (f"{variable}={content}" for variable, content in value.items())
            lines.append((label, ", ".join(given) or "none"))
        elif name.startswith("memory") and isinstance(value, int):
            lines.append((label, f"{value / (1 << 30):.1f} GiB"))
        else:
            lines.append((label, _text(value)))
    return "\n".join(f"{label:<22}  {text}" for label, text in lines)


def _text(value: object) -> str:
    """A value as one line of text for people."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one or 'missing'}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return str(value)


def main(argv: Sequence[str] | None = None) -> int:
    """Print what is installed here and return 0, or 2 if it cannot be printed.

    Args:
        argv: `--json` or nothing; the words of the process when None.
    """
    parser = argparse.ArgumentParser(
        prog="python -m kulami_solver.about",
        description="Versions, build flags, processor and memory: for bug reports.",
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON, one line")
    found = facts() if not parser.parse_args(argv).json else None
    text = shown(found) if found is not None else json.dumps(facts())
    try:
        print(text.encode("ascii", "backslashreplace").decode(), flush=True)
    except OSError:
        # The reader is gone or the disk is full, so no message can be printed either.
        os._exit(_EXIT_LOST)
    return 0


if __name__ == "__main__":
    sys.exit(main())
