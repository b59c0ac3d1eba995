"""The searches' signatures: a change of node counts shows, and values never change."""

from __future__ import annotations

import pytest
import signature

each_game = pytest.mark.parametrize(
    "kept",
    [signature.KULAMI, signature.MALAWI, signature.JUST4FUN],
    ids=["kulami", "malawi", "just4fun"],
)


@each_game
def test_values_and_node_counts_are_those_on_record(kept: signature.Signature) -> None:
    found = kept.differences(kept.written(), kept.measured())
    assert not found, "\n".join(["the search has changed:", *found, signature.REWRITE])


@each_game
def test_the_file_is_as_the_script_writes_it(kept: signature.Signature) -> None:
    assert kept.file.read_text(encoding="ascii") == signature.text(kept.written())


def test_malawi_has_ends_that_are_found_and_depths_without_one() -> None:
    values = [record["value"] for record in signature.MALAWI.written()]
    assert any("wins in" in value for value in values)
    assert any("within" in value for value in values)
