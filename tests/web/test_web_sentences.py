"""Refusals with a code: each code is reached by what the package really says, in five languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from translated import sentence, templates
from web_server import Server

import kulami_solver as ks
from kulami_solver.errors import KulamiError

LANGUAGES = ("de", "fr", "es", "nl")

KFN = "AAB/AAC 2r/3 b c1"
JFN = "3x3 5:b2 r2b2 r r1.4,b2.3 - -"
MFN = "b2b2/../r2r2 r"
LARGE = "b2b2b2/.../.../r2r2r2 r"
TO_AND_FRO = ["a5-a4", "a1-a2", "a4-a5", "a2-a1"] * 2
BOTH = ["red", "blue"]
HAGEN = ks.Position(ks.Layout.square()).play("d4").hagen()
EMPTY = {"layout": "AABB/AABB", "red": [], "black": [], "turn": "red", "last": []}

# What somebody may write into a field of the page, or a program into a request.
# Records that are one but for what is put in, as JSON and as text.
START = '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": %s}'
WHOLE = START % '["a1"], %s'
DEEP = '"variations": {"1": [{"moves": ["c1"], ' * 40 + '"comments": {}' + "}]}" * 40
HEAD = '[Layout "AAB/AAC"]\n\n'

BAD: list[tuple[str, dict[str, Any]]] = [
    *(("position", {"kfn": text}) for text in (
        "", "x", "AAB/AAC  2r/3 b c1", "AAB/AAC 2r/3 b c1 more", "AAB/AAC 2r/3 w c1",
        "AAB/AAC 2x/3 b c1", "AAB/AAC 4r/3 b c1", "AAB/AAC 2r/3/3 b c1", "AA./AAC 2r/3 b c1",
        "AAB/AAC 2r/3 b d9", "AAB/AAC 2r/3 b zz", "AAB/AAC 2r/3 b c1,c2,a1", "AAB/AAC 2r/3 b -",
        "AAB/AAC 3/3 r c1", "AAB/AAC 2r/3 r c1", "AAB/AAC rrr/3 b c1", "AAB/AAC 2r/3 b a1",
        "AAB/AAC 2r/2b r c2,a1", "A!B/AAC 2r/3 b c1", "AB/AA 2/2 r -", "... - r -",
    )),
    *(("position", {"layout": text}) for text in (
        "squre", "A" * 17, "A/" * 17, "/".join(["A" * 9] * 9),
    )),
    *(("position", {"layout": "AAB/AAC", **more}) for more in (
        {"moves": "c1 c1"}, {"moves": "zz"}, {"moves": "a9"}, {"moves": "c1 b1 a1 a2 a1"},
        {"moves": 7}, {"first": "white"}, {"scoring": "3"}, {"scoring": 3}, {"scoring": -1},
        {"marbles": 65}, {"short_end": "yes"}, {"kfn": KFN},
        {"marbles": 1, "moves": "a1 c1 b1"}, {"marbles": 1, "short_end": True, "moves": "a1 c1"},
        {"nonsense": 1},
    )),
    *(("position", {"layout": "rulebook", "moves": moves}) for moves in (
        "d6 d5", "d6 d3 d5", "a1",
    )),
    ("position", {"layout": "square", "moves": "d6 a1"}),
    ("analyse", {"kfn": KFN, "time": 0}),
    ("move", {"kfn": KFN, "bot": "nobody"}),
    ("layout", {}),
    ("board", {}),
    *(("arrange", {**EMPTY, **more}) for more in (
        {"red": ["a9"]}, {"red": ["a1"], "black": ["a1"], "last": ["a1"]},
        {"red": ["a1"], "black": ["c1"], "last": ["c1", "a1", "b1"]},
        {"red": ["a1", "b1"], "black": ["c1"], "turn": "black", "last": ["a1"], "marbles": 1},
    )),
    *(("import", {"text": text}) for text in (
        " ", "{", "[" * 9999, '{"board": 7}', '{"board": [7]}', '{"board": "AAB/AAC"}',
        '{"board": "AAB/AAC", "level": 9}',
        '{"board": "AAB/AAC", "level": 0, "first": "white"}',
        *(START % more for more in (
            '["c1", "c1"]', "7", '["a1", "c1", "c2", "a2"], "score": {"red": 1}',
            '["a1", "c1", "c2", "a2"], "score": {"red": 5, "black": 1}',
            '[], "marbles": "x"', '[], "marbles": 99', '[], "short_end": 7',
        )),
        *(WHOLE % more for more in (
            '"headers": 7', '"headers": {"Layout": "x"}', '"headers": {"9": "x"}',
            '"headers": {"Red": 7}', '"comments": 7', '"comments": {"9": "x"}',
            '"comments": {"0": 7}', '"comments": {"1": 7}', '"comments": {"1": "\\ud800"}',
            '"variations": 7', '"variations": {"1": 7}', '"variations": {"1": [7]}',
            '"variations": {"1": [{"moves": []}]}', '"variations": {"1": [{"moves": ["z9"]}]}',
            '"variations": {"1": [{"moves": ["c1"], "comments": {"0": "x"}}]}', DEEP,
        )),
        *(HEAD + text for text in (
            "1. a1 {x", "1. a1 (c1", "1. a1 ) *", "1. a1 () *", "1. a1 ({x} c1) *", "(a1) *",
            "1. zz *", "[9 \"x\"] *", "1. a1 3-1", "1. a1 " + "(c1 " * 40 + ")" * 40 + " *",
        )),
        '[Scoring "0"] *', '[Layout "AAB/AAC"] [Layout "AAB/AAC"] *',
        '[Layout "AAB/AAC"] [Marbles "x"] *', '[Layout "AAB/AAC"] [ShortEnd "x"] *',
        '[Start "AAB/AAC - r -"] [Layout "AAB/AAC"] *',
        '{"start": 7}', "a0" * 100, "z9" * 100, "b1" * 100, "a1" * 100,
    )),
    ("import", {"text": KFN, "game": 2}),
    ("import", {"text": '{"board": "AAB/AAC"}', "game": 2}),
    ("import", {"text": HAGEN}),
    ("import", {"text": HAGEN, "turn": "black"}),
    *(("malawi/position", {"mfn": text}) for text in (
        "", "x", "b2b2/../r2r2 x", "b2b2/../r2r2  r", "b2b2/../r2r2 r r", "b2b2/./r2r2 r",
        "b2b2//r2r2 r", "b2x2/../r2r2 r", "b2b/../r2r2 r", "b2b02/../r2r2 r", "b2b9999/../r2r2 r",
        "b2./../r2r2 r", "b0b0/../r2r2 r", "." * 17 + "/../.. r", "b2/.. r", "/" * 17 + " r",
    )),
    *(("malawi/position", {"board": text}) for text in ("", "1x3", "2x2", "9x8", "9x7")),
    *(("malawi/position", {"mfn": MFN, "moves": text}) for text in (
        "x", "a3-z9", "a3-d3", "a1-a2", "a2-a3", "a3-a2", "a3-a1", "a3:b3,b3", "a3:a2", "a3xb1",
        "a3xa2",
    )),
    *(("malawi/position", {"mfn": mfn, "moves": moves}) for mfn, moves in (
        ("b0b0/r1./.r0 b", "a2-a1"), ("b0b2b2/.../.../r2r2r0 r", "c4-c3"), (LARGE, "a4:b4"),
        ("b0b2/../r2r2 r", "a3xa1"), (LARGE, "a4xa1"), ("b2b2b2/r2../.../r3r2. r", "a4xa1"),
    )),
    ("malawi/position", {"board": "2x5", "beads": 1, "moves": [*TO_AND_FRO, "a5-a4"]}),
    ("malawi/position", {"moves": "x " * 5000}),
    *(("just4fun/position", {"jfn": text}) for text in (
        "", "x", JFN + " -", JFN.replace("3x3", "x"), JFN.replace("3x3", "99x99"),
        JFN.replace("3x3", "1,2/4"), JFN.replace("3x3", "1,1/2,3"),
        JFN.replace("3x3", "1,9/2,3"), JFN.replace("3x3", "1,x/2,3"), JFN.replace("5:b2", "x"),
        JFN.replace("5:b2", "99:b2"), JFN.replace("5:b2", "5:b2,4:b2"), JFN.replace("5:b2", "5:g2"),
        JFN.replace("5:b2", "5:b0"), JFN.replace("5:b2", "5:b1r1"), JFN.replace("5:b2", "5:b02"),
        JFN.replace("5:b2", "5:b2b1"), JFN.replace("5:b2", "5:x2"),
        JFN.replace("r2b2 r", "r2 r"), JFN.replace("r2b2 r", "x r"),
        JFN.replace("r2b2 r", "r2b2 g"),
        JFN.replace("r2b2", "r99b2"), JFN.replace("r2b2", "r0b2"), JFN.replace("r1.4", "1.4"),
        JFN.replace("r1.4", "r"), JFN.replace("r1.4", "r4.1"), JFN.replace("r1.4", "r1.x"),
        JFN.replace("r1.4", "r1.99"), JFN.replace("r1.4", "r1.2.3.4.5"), JFN.replace("- -", "- x"),
        JFN.replace("- -", "{} -"), JFN.replace("- -", "19.19 -"), JFN.replace("- -", "5 -"),
        JFN.replace("r1.4", "r?").replace("- -", "5.6 -"), JFN.replace("r1.4", "r" + ".1" * 70),
    )),
    *(("just4fun/position", {"jfn": JFN, "moves": text, "see": BOTH}) for text in (
        "x", "5", "6=1+4", "9=4+5", "99=1", "5=1+4", "discard=1", "discard=1+4", "=1", "10=99",
    )),
    *(("just4fun/position", {"jfn": jfn, "moves": text, "see": BOTH}) for jfn, text in (
        ("1x2 1:b2 r1b1 r r1.5,b1 - -", "discard=1"), ("1x3 - r2b2 r r1.4,b2.3 - -", "5=1+4"),
        ("1x3 1:r2,2:r1b1,3:b2 r0b0 r r2,b3 - -", "2=2"),
    )),
    *(("just4fun/position", more) for more in (
        {"players": "x"}, {"board": "x"}, {"board": "1,1"}, {"see": "red"},
        {"seed": 7, "moves": "1=1"},
        {"jfn": "3x3 - r2b2 r r1.2,b? - -", "hand": 2},
    )),
    ("just4fun/move", {"bot": "perfect"}),
]  # fmt: skip

# Answers that say with codes what is unusual, or what is left out.
TOLD: list[tuple[str, dict[str, Any]]] = [
    ("layout", {"layout": "A.B"}),
    ("export", {"layout": "square", "moves": "d4", "first": "black"}),
    ("export", {"layout": "square", "marbles": 32, "short_end": True}),
    ("export", {"layout": "rulebook"}),
    ("export", {"layout": "AAB/AAC"}),
    ("export", {"layout": ".........../..........A"}),
    ("export", {"kfn": KFN}),
]

# What is reached by some of them.
CODES = """
    taken panel_last panel_before not_in_line over_no_field over_all_placed over_one_placed
    no_such_field no_field_name layout_empty layout_too_many layout_rows layout_wide layout_letter
    not_rectangle differ other_turn too_many_marbles no_last last_of_empty wrong_last wrong_before
    nothing_to_read kfn_form mfn_form jfn_form hagen_turn hagen_last so_many_games
    so_many_positions record_begins_later hagen_letters grid_size no_turn no_such_square
    others_figure no_figure no_bead own_receive receivers not_empty none_to_hit no_bead_to_take
    not_in_row goes_exactly hits_exactly in_between malawi_over repeated no_move other_sum
    not_in_hand hidden_hand put_away_whole put_away_only no_such_number two_behind just4fun_over
    sees_all too_many_columns too_many_moves not_standard not_one_piece loses_marbles loses_end
    loses_turn loses_last loses_size loses_first
"""


# What is left of a template whose value is missing.
HOLE = re.compile(r"\{[a-z_]+[}!:|]")

# What stands in sentences of English, and of none of the others.
ENGLISH = re.compile(r"\b(the|with|has|have|cannot|give|write|which|from|should|none|must)\b")


def test_the_move_that_is_meant_is_counted() -> None:
    position = ks.Position(ks.Layout.rulebook())
    with pytest.raises(KulamiError) as refused:
        position.play_all("d6 d3 d6")
    assert refused.value.told()["move"] == 3
    with pytest.raises(KulamiError, match=r"^number 2 of the list: ") as refused:
        position.play_all("d6 zz")
    told = refused.value.told()
    assert (told["move"], told["sentence"].startswith("'zz' is not a field")) == (2, True)


def codes_in(said: Any) -> Iterator[str]:
    """The codes in an answer, and in its values."""
    if isinstance(said, dict):
        yield from [said["code"]] if "code" in said else []
        for value in said.values():
            yield from codes_in(value)
    elif isinstance(said, list):
        for value in said:
            yield from codes_in(value)


def test_what_is_refused_is_said_in_every_language(server: Server) -> None:
    reached: set[str] = set()
    wrong = [
        (place.replace("position", other), json.dumps(body).encode())
        for place, body in BAD
        for other in (("position", "analyse", "move", "picture") if "position" in place else ("",))
    ]
    wrong += [("position", text) for text in (b"", b"x", b"[]", b"7", b"\xff", b"[" * 5000)]
    for place, body in wrong:
        status, answer = server.ask(f"/api/{place}", body, {"prefer": "codes"})
        said = json.loads(answer)
        assert (status, "code" in said) == (400, True), (place, body, said)
        reached |= set(codes_in(said))
        for language in LANGUAGES:
            assert set(codes_in(said)) <= set(templates(language)), said
            translated = sentence(said, language)
            assert not HOLE.search(translated), translated
            assert not ENGLISH.search(translated), (language, translated)
    for place, asked in TOLD:
        reached |= set(codes_in(server.good(f"/api/{place}", asked)))
    assert set(CODES.split()) <= reached, {*CODES.split()} - reached
    for language in LANGUAGES:
        assert {*reached, "busy", "no_memory", "ended_early"} <= set(templates(language))
