"""The reference itself, against the rulebook's examples and refereed games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import reference

FINISHED = """
...rbb-..
.-brbbbr.
.-bbbrrbr
rrbbbrrrb
--bbrbrr-
rbbrrrbb.
.brrrrb-.
.rrbrrbrb
...b--r..
"""


def sequence(*plies: str) -> tuple[reference.Rules, reference.State]:
    """The rulebook's layout after marbles given as colour and field: ``rd6`` is a red one."""
    rules, state = reference.start(reference.RULEBOOK_LAYOUT, plies[0][0])
    for ply in plies:
        field = reference.field_square(ply[1:])
        assert state.turn == ply[0]
        assert field in reference.legal_fields(rules, state)
        state = reference.play(state, field)
    return rules, state


def finished() -> tuple[reference.Rules, reference.State]:
    """The rulebook's finished game, black to move; of the last marbles only red's f8 is known."""
    panel = reference.parse_layout(reference.RULEBOOK_LAYOUT)
    found = {
        (column, row): square
        for row, line in enumerate(FINISHED.split())
        for column, square in enumerate(line)
        if square != "."
    }
    assert found.keys() == panel.keys()
    red = frozenset(square for square in found if found[square] == "r")
    black = frozenset(square for square in found if found[square] == "b")
    rules = reference.Rules(reference.layout_rows(reference.RULEBOOK_LAYOUT), panel)
    return rules, reference.State(red, black, "b", (reference.field_square("f8"),))


@pytest.mark.parametrize(
    ("plies", "fields"),
    [
        (["rd6"], "a6 e6 f6 g6 h6 d1 d2 d3 d4 d7 d8 d9"),
        (["rd6", "bd3"], "b3 c3 f3 g3 h3 i3 d1 d2 d7 d8 d9"),
        (["rd6", "bd3", "ri3"], "b3 c3 f3 g3 i8"),
    ],
)
def test_rulebook_legal_fields(plies: list[str], fields: str) -> None:
    rules, state = sequence(*plies)
    legal = [reference.field_name(square) for square in reference.legal_fields(rules, state)]
    assert sorted(legal) == sorted(fields.split())


def test_rulebook_first_marble_goes_anywhere() -> None:
    rules, state = reference.start(reference.RULEBOOK_LAYOUT)
    assert len(reference.legal_fields(rules, state)) == 64


def test_rulebook_finished_game() -> None:
    rules, state = finished()
    assert (len(state.red), len(state.black)) == (28, 27)
    assert reference.is_over(rules, state)
    assert reference.reachable_fields(rules, state) == []
    parts = reference.score_parts(rules, state)
    assert parts == reference.Parts(panels=(31, 27), area=(12, 17), chains=(12, 15))
    assert sorted(reference.chain_lengths(state.red)) == [5, 7]
    assert sorted(reference.chain_lengths(state.black)) == [5, 5, 5]
    margins = {name: -reference.margin(rules, state, name) for name in reference.SCORINGS}
    assert margins == {"0": 4, "1": -1, "2": -4, "chains": 1}


def test_rulebook_layouts_have_the_standard_panels() -> None:
    for text in (reference.SQUARE_LAYOUT, reference.RULEBOOK_LAYOUT):
        panel = reference.parse_layout(text)
        names = list(panel.values())
        assert (
            sorted(names.count(name) for name in set(names))
            == [2] * 4 + [3] * 4 + [4] * 5 + [6] * 4
        )


def test_marble_limits_end_the_game() -> None:
    """With two marbles each: four plies, or three when one player's last marble ends it."""
    for short_end, length in ((False, 4), (True, 3)):
        rules, state = reference.start("ABCD/EFGH/IJKL", "r", 2, short_end)
        plies = 0
        while not reference.is_over(rules, state):
            state = reference.play(state, reference.legal_fields(rules, state)[0])
            plies += 1
        assert plies == length


def test_minimax_by_hand() -> None:
    """``AAB`` lasts two plies, because then both panels are barred.

    Red on a1 or b1 takes panel A and leaves B to black: 2 to 1.  Red on c1 takes B and leaves
    black either field of A: 1 to 2.
    """
    rules, state = reference.start("AAB")
    assert reference.field_values(rules, state, "0") == {"a1": 1, "b1": 1, "c1": -1}
    assert reference.minimax(rules, state, "0") == 1
    assert reference.perft(rules, state, 4) == [3, 4, 4, 4]


@pytest.mark.parametrize("layout", ["AAB/CCB", "AB/CD", "A.B/.C./DDE", "AABBC/DDEEC"])
@pytest.mark.parametrize("scoring", reference.SCORINGS)
def test_memo_changes_nothing(layout: str, scoring: str) -> None:
    rules, state = reference.start(layout)
    plain = reference.field_values(rules, state, scoring)
    assert plain == reference.field_values(rules, state, scoring, {})


@pytest.mark.parametrize("scoring", reference.SCORINGS)
def test_colours_change_nothing(scoring: str) -> None:
    """The mover's value is the same whichever colour the mover has."""
    red = reference.start("AABB/CCDD/CCEE", "r")
    black = reference.start("AABB/CCDD/CCEE", "b")
    assert reference.field_values(*red, scoring, {}) == reference.field_values(*black, scoring, {})


def test_kfn() -> None:
    text = f"{reference.SQUARE_LAYOUT} - r -"
    rules, state = reference.parse_kfn(text)
    assert reference.format_kfn(rules, state) == text
    assert state == reference.start(reference.SQUARE_LAYOUT)[1]
    played = sequence("rd6", "bd3", "ri3")
    text = f"{reference.RULEBOOK_LAYOUT} 9/9/3b4r/9/9/3r5/9/9/9 b i3,d3"
    assert reference.format_kfn(*played) == text
    assert reference.parse_kfn(text) == played
    assert reference.parse_kfn(text.replace("9/9/3b4r/9/9/3r5/9/9/9", "//3b4r///3r")) == played


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("AB/BA - r -", "panel [AB] is not a rectangle"),
        ("AB 1r r b1", "the counts do not fit the turn"),
        ("AB 1r b a1", "the last marble is not the other player's"),
        ("AB br r a1,a1", "the marble before the last is not the mover's"),
        ("AB br r b1", "the last marble is not the other player's"),
        ("AB 1r b -", "LAST names too many or too few"),
        ("A.B 1r b b1", "no field at"),
        ("AB 1x b b1", "is no marble"),
        ("AB 1r1 b b1", "more squares than the layout has"),
        ("AB - x -", "turn 'x'"),
        ("... - r -", "0 fields"),
    ],
)
def test_kfn_refuses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        reference.parse_kfn(text)


def test_refereed_games(shared_testdata: Path) -> None:
    """Every move legal, over exactly at the end, and the same score."""
    lines = (shared_testdata / "referee-games.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) == 150
    for record in records:
        rules, state = reference.start("/".join(record["board"]), record["first"][0])
        for name in record["moves"]:
            square = reference.field_square(name)
            assert square in reference.legal_fields(rules, state)
            state = reference.play(state, square)
        assert reference.is_over(rules, state)
        red, black = reference.totals(rules, state, str(record["level"]))
        assert {"red": red, "black": black} == record["score"]


def test_exact_values_of_another_solver(shared_testdata: Path) -> None:
    """Every field's margin, as far back as plain minimax gets in a moment."""
    names = {"0": "0", "1": "1", "2": "2", "c": "chains"}
    for line in (shared_testdata / "exact.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["empties"] > 16:
            continue
        rules, state = reference.parse_kfn(record["kfn"])
        assert reference.format_kfn(rules, state) == record["kfn"]
        values = reference.field_values(rules, state, names[record["scoring"]], {})
        assert values == record["values"]
        assert max(values.values()) == record["margin"]
