"""What benchmarks have in common: options, work in a process apart, how busy the machine is."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from kulami_solver.core.files import write_atomically


def parser_of(about: str | None, **options: Any) -> argparse.ArgumentParser:
    """A parser whose help is the script's docstring, as it is written."""
    formatter = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(description=about, formatter_class=formatter, **options)


def load() -> str:
    """How busy the machine is, in words."""
    processors = os.cpu_count() or 1
    if not hasattr(os, "getloadavg"):
        return f"{processors} processors, load unknown"
    return f"load {os.getloadavg()[0]:.2f} on {processors} processors"


def write(path: Path, report: dict[str, Any]) -> None:
    """Put a JSON file in place, whole or not at all."""
    write_atomically(path, [json.dumps(report, indent=1).encode("ascii"), b"\n"])


def apart(work: str, before: str = "") -> dict[str, float]:
    """Run a piece of Python in a process of its own: seconds, processor time, and memory in MiB.

    Memory is the largest that the process had; `grown` is by how much that is more than `before`.
    """
    program = (
        "import json, resource, time\n"
        "import kulami_solver as ks\n"
        "def most():\n"
        "    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        f"{before}\n"
        "least, begun, processor = most(), time.perf_counter(), time.process_time()\n"
        f"{work}\n"
        "seconds, worked = time.perf_counter() - begun, time.process_time() - processor\n"
        "print(json.dumps({'seconds': seconds, 'processor': worked, 'memory': most(), "
        "'grown': most() - least}))"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def at_least(least: int) -> Any:
    """A reader of whole numbers from `least` on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}: give a whole number from {least} on")
        return int(text)

    return read
