"""The game in one file of docs/examples/nim, as pip would leave it in a folder."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path


def install(source: Path, folder: Path) -> dict[str, str]:
    """Put the game of `source` into `folder`; the environment of programs that find it there."""
    (folder / "nim.py").write_bytes((source / "nim.py").read_bytes())
    project = (source / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'\[project\.entry-points\."(.+)"\]\n(\w+) = "(\w+)"', project)
    assert found
    metadata = folder / "nim_for_kulami_solver-0.1.dist-info"
    metadata.mkdir(exist_ok=True)
    named = "Metadata-Version: 2.1\nName: nim-for-kulami-solver\nVersion: 0.1\n"
    (metadata / "METADATA").write_text(named, encoding="utf-8")
    group, name, module = found.groups()
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n", encoding="utf-8")
    # The package itself is found where it is for this process.
    paths = os.pathsep.join([str(folder), *(path for path in sys.path if path)])
    return {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
