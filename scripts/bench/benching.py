"""What benchmarks have in common: how busy the machine is, what is written, numbers asked for."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def load() -> str:
    """How busy the machine is, in words."""
    processors = os.cpu_count() or 1
    if not hasattr(os, "getloadavg"):
        return f"{processors} processors, load unknown"
    return f"load {os.getloadavg()[0]:.2f} on {processors} processors"


def write(path: Path, report: dict[str, Any]) -> None:
    """Put a JSON file in place, whole or not at all."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def at_least(least: int) -> Any:
    """A reader of whole numbers from `least` on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}: give a whole number from {least} on")
        return int(text)

    return read
