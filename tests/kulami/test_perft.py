"""The package against the pinned leaf counts of tests/perft, and those against the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kulami_solver as ks

FILES = sorted((Path(__file__).parents[1] / "perft").glob("*.jsonl"))
RECORDS: list[dict[str, Any]] = [
    json.loads(line) | {"file": path.stem, "number": number}
    for path in FILES
    for number, line in enumerate(path.read_text(encoding="ascii").splitlines(), start=1)
]

each_record = pytest.mark.parametrize(
    "record", RECORDS, ids=[f"{record['file']}-{record['number']}" for record in RECORDS]
)


@each_record
def test_package(record: dict[str, Any]) -> None:
    position = ks.Position.from_kfn(
        record["kfn"], marbles=record["marbles"], short_end=record["short_end"]
    )
    assert position.perft(len(record["counts"])) == record["counts"]
