"""The package against the pinned leaf counts of tests/perft, and those against the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import reference

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


def test_the_suite_is_there() -> None:
    """At least eight layouts, each checked to depth four and counted at least as deep."""
    layouts = {record["kfn"].split(" ")[0] for record in RECORDS}
    assert len(layouts) >= 8
    for record in RECORDS:
        assert 4 <= record["checked"] <= len(record["counts"])


@each_record
def test_package(record: dict[str, Any]) -> None:
    position = ks.Position.from_kfn(
        record["kfn"], marbles=record["marbles"], short_end=record["short_end"]
    )
    assert position.perft(len(record["counts"])) == record["counts"]


@pytest.mark.parametrize("depth", [2, pytest.param(99, marks=pytest.mark.nightly)])
@each_record
def test_reference(record: dict[str, Any], depth: int) -> None:
    """The reference counts the same, to this depth at most."""
    rules, state = reference.parse_kfn(record["kfn"], record["marbles"], record["short_end"])
    checked = min(depth, record["checked"])
    assert reference.perft(rules, state, checked) == record["counts"][:checked]
