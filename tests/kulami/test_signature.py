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


@each_game
def test_a_change_is_told_in_words(kept: signature.Signature) -> None:
    old = kept.written()
    new = [*({**record} for record in old)]
    new[0]["nodes"] += 1
    new[1]["value"] = "surprise"
    value, count, total = kept.differences(old, new)
    assert value.startswith("WRONG VALUE surprise, was ")
    assert count.startswith(f"{new[0]['nodes']} nodes, were {old[0]['nodes']}: ")
    assert " nodes in all, were " in total
    assert len(kept.differences(old[1:], new)) == 1


def test_malawi_has_ends_that_are_found_and_depths_without_one() -> None:
    values = [record["value"] for record in signature.MALAWI.written()]
    assert any("wins in" in value for value in values)
    assert any("within" in value for value in values)
