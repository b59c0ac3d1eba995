"""Positions of Just 4 Fun with known values, which lie beside the repository with other projects'.

Where they are not, there are none, and tests that have one each as a parameter are skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

_FILE: Final = Path(__file__).resolve().parents[2] / "shared" / "testdata" / "just4fun.jsonl"

KNOWN: Final[list[dict[str, Any]]] = (
    [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]
    if _FILE.exists()
    else []
)
"""Each with its position, line and hand, and an outcome or an expected score."""
