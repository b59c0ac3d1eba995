"""The search's signature: a change of its node counts shows, and its values never change."""

from __future__ import annotations

import signature


def test_values_and_node_counts_are_those_on_record() -> None:
    found = signature.differences(signature.written(), signature.measured())
    assert not found, "\n".join(["the search has changed:", *found, signature.REWRITE])


def test_the_file_is_as_the_script_writes_it() -> None:
    assert signature.FILE.read_text(encoding="ascii") == signature.text(signature.written())


def test_a_change_is_told_in_words() -> None:
    old = signature.written()
    new = [*({**record} for record in old)]
    new[0]["nodes"] += 1
    new[1]["value"] = "surprise"
    value, count, total = signature.differences(old, new)
    assert value.startswith("WRONG VALUE surprise, was ")
    assert count.startswith(f"{new[0]['nodes']} nodes, were {old[0]['nodes']}: ")
    assert " nodes in all, were " in total
    assert len(signature.differences(old[1:], new)) == 1
