"""Refusals with a code: each code is reached by what the package really says, in five languages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from web_server import Server

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.bots.builtin import BestMover
from kulami_solver.errors import KulamiError, Phrase, catalogue
from kulami_solver.game import load_game
from kulami_solver.kulami.position.notation import hagen_loses, kbn_loses
from kulami_solver.web.games import Inquiry
from kulami_solver.web.just4fun import PAGE as JUST4FUN
from kulami_solver.web.just4fun import Just4Fun
from kulami_solver.web.kulami import requests
from kulami_solver.web.malawi import Malawi
from kulami_solver.web.replays import MOST_MOVES, Replays
from kulami_solver.web.searches import Limits

LANGUAGES = ("de", "fr", "es", "nl")
TOOK_LAST = "b0b0/r1./.r0 b"
RULEBOOK = ks.Layout.rulebook()


def played(moves: str, layout: ks.Layout = RULEBOOK) -> Callable[[], object]:
    return lambda: ks.Position(layout).play_all(moves)


def laid(text: str) -> Callable[[], object]:
    return lambda: ks.Layout.parse(text)


def arranged(
    red: int, black: int, turn: str, *last: str, marbles: int = 28
) -> Callable[[], object]:
    layout = ks.Layout.parse("AABB/AABB/CCDD")
    return lambda: ks.Position.arranged(layout, red, black, turn, last, marbles)


def taken_in(text: str, **more: Any) -> Callable[[], object]:
    return lambda: requests.take_in(requests.Import(text, **more))


def turn(text: str, mfn: str = "b2b2b2/.../.../r2r2r2 r") -> Callable[[], object]:
    return lambda: malawi.Position.from_mfn(mfn).play(text)


def card_move(text: str, jfn: str = "3x3 5:b2 r2b2 r r1.4,b2.3 - -") -> Callable[[], object]:
    return lambda: just4fun.Position.from_jfn(jfn).play(text)


def error_of(text: dict[str, Any]) -> Callable[[], object]:
    def fails() -> None:
        raise KulamiError(text["code"], **text["values"])

    return fails


def written(name: str, **game: Any) -> Callable[[], object]:
    return lambda: error_of(requests.written(requests.Kulami(**game))[name])()


def perfect() -> None:
    asked: Any = JUST4FUN.kinds["move"](bot="perfect")
    JUST4FUN.choosing(Inquiry(asked, Replays().game(asked), Limits(), ()))


TO_AND_FRO = ["a5-a4", "a1-a2", "a4-a5", "a2-a1"] * 2
SMALL_LAYOUT = ks.Layout.parse("AAB/AAC")
FEW = ks.Position(ks.Layout.parse("AABB/AABB/CCDD"), marbles=1)
SHORT = ks.Position(FEW.layout, marbles=1, short_end=True)

REFUSED: dict[str, Callable[[], object]] = {
    "taken": played("d6 d6"),
    "panel_last": played("d6 d5"),
    "panel_before": played("d6 d3 d5"),
    "not_in_line": played("d6 a1", ks.Layout.square()),
    "over_no_field": lambda: ks.Position(ks.Layout.parse("AA/AA")).play_all("a1 b1"),
    "over_all_placed": lambda: FEW.play_all("a1 d1 a2"),
    "over_one_placed": lambda: SHORT.play("a1").play("d1"),
    "no_such_field": played("a1"),
    "no_field_name": played("zz"),
    "layout_empty": laid("..."),
    "layout_too_many": laid("/".join(["A" * 9] * 9)),
    "layout_rows": laid("/".join(["A"] * 17)),
    "layout_wide": laid("A" * 17 + "/" + "A" * 17),
    "layout_letter": laid("A!/AB"),
    "not_rectangle": laid("AAB/ABB"),
    "differ": arranged(0b11, 0, "black", "a1", "b1"),
    "other_turn": arranged(0b1, 0, "red", "a1"),
    "too_many_marbles": arranged(0b101, 0b1010, "red", "d1", "c1", marbles=1),
    "no_last": arranged(0b1, 0, "black"),
    "last_of_empty": arranged(0, 0, "red", "a1"),
    "wrong_last": arranged(0b1, 0b10, "red", "a1"),
    "wrong_before": arranged(0b1, 0b10, "red", "b1", "c1"),
    "nothing_to_read": taken_in(" "),
    "kfn_form": taken_in("what is this"),
    "mfn_form": lambda: malawi.Position.from_mfn("x"),
    "jfn_form": lambda: just4fun.Position.from_jfn("x"),
    "hagen_turn": taken_in(ks.Position(ks.Layout.square()).play("d4").hagen()),
    "hagen_last": taken_in(ks.Position(ks.Layout.square()).play("d4").hagen(), turn="black"),
    "so_many_games": taken_in('{"board": "AAB/AAC"}', game=2),
    "so_many_positions": taken_in("AAB/AAC - r -", game=2),
    "record_begins_later": written("record", kfn="AAB/AAC 2r/3 b c1"),
    "hagen_letters": written("hagen", layout="AAB/AAC"),
    "grid_size": written("kbn", layout=".........../..........A"),
    "no_turn": turn("a4"),
    "no_such_square": turn("a4-a9"),
    "others_figure": turn("a1-a2"),
    "no_figure": turn("a2-a3"),
    "no_bead": turn("c4-c3", "b0b2b2/.../.../r2r2r0 r"),
    "own_receive": turn("a4:b4,b1"),
    "receivers": turn("a4:b4"),
    "not_empty": turn("a4-a1"),
    "none_to_hit": turn("a4xa2"),
    "no_bead_to_take": turn("a3xa1", "b0b2/../r2r2 r"),
    "not_in_row": turn("a4-b2"),
    "goes_exactly": turn("a4-a3"),
    "hits_exactly": turn("a4xa1"),
    "in_between": turn("a4xa1", "b2b2b2/r2../.../r3r2. r"),
    "malawi_over": turn("a2-a1", TOOK_LAST),
    "repeated": lambda: Replays().game(Malawi(board="2x5", beads=1, moves=[*TO_AND_FRO, "a5-a4"])),
    "no_move": card_move("x"),
    "other_sum": card_move("6=1+4"),
    "not_in_hand": card_move("9=4+5"),
    "hidden_hand": lambda: Replays().game(Just4Fun(seed=7, moves="1=1")),
    "put_away_whole": card_move("discard=1", "1x2 1:b2 r1b1 r r1.5,b1 - -"),
    "put_away_only": card_move("discard=1+4"),
    "no_such_number": card_move("5=1+4", "1x3 - r2b2 r r1.4,b2.3 - -"),
    "two_behind": card_move("5=1+4"),
    "just4fun_over": lambda: Replays().game(
        Just4Fun(jfn="1x3 1:r2,2:r1b1,3:b2 r0b0 r r2,b3 - -", hand=1, moves="2=2")
    ),
    "sees_all": perfect,
    "perfect_sees_all": lambda: BestMover().choose(load_game("just4fun").start()),
    "too_many_columns": lambda: Malawi(board="9x7").start(),
    "too_many_moves": lambda: Malawi(moves="x " * (MOST_MOVES + 1)).played(),
}

REMARKS: dict[str, Callable[[], tuple[Phrase, ...]]] = {
    "not_standard": lambda: tuple(SMALL_LAYOUT.warnings),
    "not_one_piece": lambda: tuple(ks.Layout.parse("A.B").warnings),
    "loses_marbles": lambda: kbn_loses(ks.Position(ks.Layout.square(), marbles=32)),
    "loses_end": lambda: kbn_loses(ks.Position(ks.Layout.square(), short_end=True)),
    "loses_turn": lambda: hagen_loses(ks.Position(ks.Layout.square())),
    "loses_last": lambda: hagen_loses(ks.Position(ks.Layout.square()).play("d4")),
    "loses_size": lambda: hagen_loses(ks.Position(RULEBOOK)),
    "loses_first": lambda: kbn_loses(ks.Position(ks.Layout.square(), "black")),
}

# Said by the server itself; tests/web/test_web_parts.py and test_web_server.py see it say them.
SERVER = {
    "busy": "10 searches work or wait already: ask again in a moment",
    "no_memory": "there is not enough memory for this search now: ask again in a moment",
    "ended_early": "the search was ended before it had an answer: ask again",
}

KFN = "AAB/AAC 2r/3 b c1"
JFN = "3x3 5:b2 r2b2 r r1.4,b2.3 - -"
MFN = "b2b2/../r2r2 r"
EMPTY = {"layout": "AABB/AABB", "red": [], "black": [], "turn": "red", "last": []}

# What somebody may write into a field of the page, or a program into a request.
# Records that are one but for what is put in, as JSON and as text.
WHOLE = '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": ["a1"], %s}'
DEEP = '"variations": {"1": [{"moves": ["c1"], ' * 40 + '"comments": {}' + "}]}" * 40
HEAD = '[Layout "AAB/AAC"]\n\n'

BAD: list[tuple[str, dict[str, Any]]] = [
    *(("position", {"kfn": text}) for text in (
        "", "x", "a b", "AAB/AAC  2r/3 b c1", "AAB/AAC 2r/3 b c1 more", "AAB/AAC 2r/3 w c1",
        "AAB/AAC 2x/3 b c1", "AAB/AAC 4r/3 b c1", "AAB/AAC 2r/3/3 b c1", "AA./AAC 2r/3 b c1",
        "AAB/AAC 2r/3 b d9", "AAB/AAC 2r/3 b zz", "AAB/AAC 2r/3 b c1,c2,a1", "AAB/AAC 2r/3 b -",
        "AAB/AAC 3/3 r c1", "AAB/AAC 2r/3 r c1", "AAB/AAC rrr/3 b c1", "AAB/AAC 2r/3 b a1",
        "AAB/AAC 2r/2b r c2,a1", "A!B/AAC 2r/3 b c1", "AB/AA 2/2 r -", "... - r -",
    )),
    *(("position", {"layout": text}) for text in (
        "", "squre", "A!", "A" * 17, "A/" * 17, "AAB/ABB", "/".join(["A" * 9] * 9),
    )),
    *(("position", {"layout": "AAB/AAC", **more}) for more in (
        {"moves": "c1 c1"}, {"moves": "c1 c2 c1"}, {"moves": "zz"}, {"moves": "a9"},
        {"moves": "c1 b1 a1 a2 a1"}, {"moves": ["c1", "x"]}, {"moves": 7}, {"moves": "a1 " * 400},
        {"moves": [7]}, {"first": "white"}, {"first": 7}, {"scoring": "3"}, {"scoring": 3},
        {"scoring": "x"}, {"scoring": -1}, {"marbles": 0}, {"marbles": 65}, {"marbles": "x"},
        {"marbles": 1.5}, {"short_end": "yes"}, {"kfn": KFN}, {"nonsense": 1}, {"moves": None},
    )),
    ("position", {}),
    ("analyse", {"kfn": KFN, "time": 0}),
    ("analyse", {"kfn": KFN, "time": "soon"}),
    ("analyse", {"kfn": KFN, "goal": "x"}),
    ("analyse", {"kfn": KFN, "threads": 0}),
    ("analyse", {"kfn": KFN, "all": 1}),
    ("move", {"kfn": KFN, "bot": "nobody"}),
    ("move", {"kfn": KFN, "bot": 7}),
    ("picture", {"kfn": KFN, "format": "gif"}),
    ("layout", {}),
    ("layout", {"layout": "A", "seed": 1}),
    ("layout", {"seed": -1}),
    ("board", {}),
    ("arrange", {"layout": "AAB/AAC"}),
    *(("arrange", {**EMPTY, **more}) for more in (
        {"red": ["a9"]}, {"red": ["a1"]}, {"red": ["a1"], "black": ["a1"], "last": ["a1"]},
        {"turn": "x"}, {"last": ["a1"]}, {"red": ["a1", "b1"], "last": ["a1"]},
        {"red": ["a1"], "last": ["a1"]}, {"red": ["a1"], "turn": "black", "last": ["b1"]},
        {"red": ["a1"], "black": ["c1"], "last": ["c1", "b1"]},
        {"red": ["a1"], "black": ["c1"], "last": ["c1", "a1", "b1"]},
        {"red": ["a1", "b1"], "black": ["c1"], "turn": "black", "last": ["a1"], "marbles": 1},
    )),
    *(("import", {"text": text}) for text in (
        " ", "{", "{}", "[" * 9999, '{"board": 7}', '{"board": [7]}', '{"board": "AAB/AAC"}',
        '{"board": "AAB/AAC", "level": 9}', '{"board": "AAB/AAC", "level": 0}',
        '{"board": "AAB/AAC", "level": 0, "first": "white"}',
        '{"board": "AAB/AAC", "level": 0, "first": "red"}',
        '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": ["c1", "c1"]}',
        '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": 7}',
        '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": ["a1", "c1", "c2", "a2"]}',
        '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": ["a1", "c1", "c2", "a2"],'
        ' "score": {"red": 1}}',
        '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": ["a1", "c1", "c2", "a2"],'
        ' "score": {"red": 5, "black": 1}}',
        '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": [], "marbles": "x"}',
        '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": [], "marbles": 99}',
        '{"board": "AAB/AAC", "level": 0, "first": "red", "moves": [], "short_end": 7}',
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
            "1. zz *", "[9 \"x\"] *", "1. a1 3-1", "(" * 40 + " *",
            "1. a1 " + "(c1 " * 40 + ")" * 40 + " *", "1. a1 c1 c2 a2 9-9",
        )),
        '[Scoring "0"] *', '[Layout "AAB/AAC"] [Layout "AAB/AAC"] *',
        '[Layout "AAB/AAC"] [Marbles "x"] *', '[Layout "AAB/AAC"] [ShortEnd "x"] *',
        '[Start "AAB/AAC - r -"] [Layout "AAB/AAC"] *',
        '{"start": 7}', "a0" * 100, "A0" * 100, "z9" * 100, "b1" * 100, "A7" * 100, "a1" * 100,
    )),
    ("import", {"text": KFN, "game": 2}),
    ("import", {"text": KFN, "game": 0}),
    ("import", {"text": KFN, "turn": 7}),
    ("import", {"text": 7}),
    *(("malawi/position", {"mfn": text}) for text in (
        "", "x", "b2b2/../r2r2 x", "b2b2/../r2r2  r", "b2b2/../r2r2 r r", "b2b2/./r2r2 r",
        "b2b2//r2r2 r", "b2x2/../r2r2 r", "b2b/../r2r2 r", "b2b02/../r2r2 r", "b2b9999/../r2r2 r",
        "b2./../r2r2 r", "b0b0/../r2r2 r", "." * 17 + "/../.. r", "b2/.. r", "/" * 17 + " r",
    )),
    *(("malawi/position", {"board": text}) for text in ("", "x", "1x3", "2x2", "99x99", "9x8")),
    *(("malawi/position", {"mfn": MFN, "moves": text}) for text in (
        "x", "a3", "a3-z9", "a3-d3", "a1-a2", "a2-a3", "a3-a2", "a3-a1", "a3:b3,b3", "a3:a2",
        "a3xb1", "a3xa2", "a3xb3",
    )),
    ("malawi/position", {"mfn": "b0b0/r1./.r0 b", "moves": "a2-a1"}),
    ("malawi/position", {"beads": 0}),
    ("malawi/position", {"beads": "x"}),
    ("malawi/position", {"mfn": MFN, "moves": 7}),
    ("malawi/move", {"mfn": MFN, "bot": "nobody"}),
    ("malawi/analyse", {"mfn": MFN, "time": -1}),
    ("malawi/position", {"moves": "x " * 5000}),
    *(("just4fun/position", {"jfn": text}) for text in (
        "", "x", "a b", JFN + " -", JFN.replace("3x3", "0x3"), JFN.replace("3x3", "x"),
        JFN.replace("3x3", "99x99"), JFN.replace("3x3", "1,2/4"), JFN.replace("3x3", "1,1/2,3"),
        JFN.replace("3x3", "1,9/2,3"), JFN.replace("3x3", "1,x/2,3"), JFN.replace("5:b2", "x"),
        JFN.replace("5:b2", "99:b2"), JFN.replace("5:b2", "5:b2,4:b2"), JFN.replace("5:b2", "5:g2"),
        JFN.replace("5:b2", "5:b0"), JFN.replace("5:b2", "5:b1r1"), JFN.replace("5:b2", "5:b02"),
        JFN.replace("5:b2", "5:b2b1"), JFN.replace("5:b2", "5:x2"), JFN.replace("5:b2", "5:b2r9"),
        JFN.replace("r2b2 r", "r2 r"), JFN.replace("r2b2 r", "x r"),
        JFN.replace("r2b2 r", "r2b2 g"),
        JFN.replace("r2b2", "r99b2"), JFN.replace("r2b2", "r0b2"), JFN.replace("r1.4", "1.4"),
        JFN.replace("r1.4", "r"), JFN.replace("r1.4", "r4.1"), JFN.replace("r1.4", "r1.x"),
        JFN.replace("r1.4", "r1.99"), JFN.replace("r1.4", "r1.2.3.4.5"), JFN.replace("- -", "- x"),
        JFN.replace("- -", "{} -"), JFN.replace("- -", "19.19 -"), JFN.replace("- -", "5 -"),
        JFN.replace("r1.4", "r?").replace("- -", "5.6 -"), JFN.replace("r1.4", "r" + ".1" * 70),
    )),
    *(("just4fun/position", {"jfn": JFN, "moves": text}) for text in (
        "x", "5", "6=1+4", "9=4+5", "99=1", "5=1+4", "discard=1", "discard=1+4", "=1", "10=99",
    )),
    *(("just4fun/position", more) for more in (
        {"players": "x"}, {"players": "r"}, {"players": "rr"}, {"board": "x"}, {"board": "1,1"},
        {"stones": 0}, {"stones": "x"}, {"line": 0}, {"hand": 0}, {"hand": 99}, {"hand": "x"},
        {"see": "red"}, {"dummy": 1}, {"moves": 7}, {"jfn": 7},
        {"seed": -1}, {"players": 7}, {"board": 7}, {"nonsense": 7},
    )),
    ("just4fun/move", {"jfn": JFN, "bot": "nobody"}),
    ("just4fun/analyse", {"jfn": JFN, "time": 0}),
]  # fmt: skip

# What is left of a template whose value is missing.
HOLE = re.compile(r"\{[a-z_]+[}!:|]")

# What stands in sentences of English, and of none of the others.
ENGLISH = re.compile(r"\b(the|with|has|have|cannot|give|write|which|from|should|none|must)\b")


@pytest.mark.parametrize("code", sorted(REFUSED))
def test_what_the_package_says_has_the_code(code: str) -> None:
    with pytest.raises(KulamiError) as refused:
        REFUSED[code]()
    assert refused.value.code == code, str(refused.value)
    values = refused.value.told()["values"]
    assert all(value not in (None, "") for value in values.values())


@pytest.mark.parametrize("code", sorted(REMARKS))
def test_remarks_have_codes(code: str) -> None:
    remark = next(said for said in REMARKS[code]() if said.code == code)
    assert remark.told()["sentence"] == remark


def test_what_the_server_says_has_codes() -> None:
    assert KulamiError("busy", count=10).said() == SERVER["busy"]
    assert {code: KulamiError(code).said() for code in ("no_memory", "ended_early")} == {
        code: SERVER[code] for code in ("no_memory", "ended_early")
    }


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en", "'9=1' is no move: the card 1 adds up to 1, not to field 9", "the cards 1+4 add"),
        ("de", "'9=1' ist kein Zug: Die Karte 1 ergibt 1, nicht 9", "Die Karten 1+4 ergeben"),
        ("fr", "coup\u00a0: la carte 1 fait 1, pas 9", "les cartes 1+4 font"),
        ("es", "'9=1' no es una jugada: la carta 1 suma 1, no 9", "las cartas 1+4 suman"),
        ("nl", "'9=1' is geen zet: de kaart 1 is 1, niet 9", "de kaarten 1+4 zijn"),
    ],
)
def test_one_card_is_no_cards(language: str, one: str, two: str) -> None:
    for move, expected in (("9=1", one), ("9=1+4", two)):
        with pytest.raises(KulamiError) as refused:
            card_move(move)()
        assert expected in refused.value.said(language)


def test_the_move_that_is_meant_is_counted() -> None:
    with pytest.raises(KulamiError) as refused:
        played("d6 d3 d6")()
    assert refused.value.told()["move"] == 3
    with pytest.raises(KulamiError, match=r"^number 2 of the list: ") as refused:
        played("d6 zz")()
    told = refused.value.told()
    assert told["move"] == 2
    assert told["sentence"].startswith("'zz' is not a field")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_there_in_every_language(language: str) -> None:
    assert {*REFUSED, *REMARKS, *SERVER} <= set(catalogue(language))


def codes_in(said: Any) -> Iterator[str]:
    """The codes in an answer, and in its values."""
    if isinstance(said, dict):
        yield from [said["code"]] if "code" in said else []
        for value in said.values():
            yield from codes_in(value)
    elif isinstance(said, list):
        for value in said:
            yield from codes_in(value)


def as_said(said: Any, language: str) -> str:
    """An answer in a language, as the page puts it together."""
    places = [KulamiError(one["code"], **taken(one["values"])) for one in said.get("places", ())]
    error = KulamiError(said["code"], **taken(said["values"]))
    return ": ".join(one.said(language) for one in [*places, error])


def taken(values: dict[str, Any]) -> dict[str, Any]:
    """Values of an answer, with its phrases."""
    return {name: phrase(value) for name, value in values.items()}


def phrase(value: Any) -> Any:
    if isinstance(value, dict):
        return Phrase(value["code"], **taken(value["values"]))
    return [phrase(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("place", "body"), BAD, ids=[f"{n}-{place}" for n, (place, _) in enumerate(BAD)]
)
def test_what_is_refused_is_said_in_every_language(
    server: Server, place: str, body: dict[str, Any]
) -> None:
    status, answer = server.ask(f"/api/{place}", body, {"prefer": "codes"})
    said = json.loads(answer)
    assert status == 400, said
    assert said.get("code"), said
    for language in LANGUAGES:
        assert set(codes_in(said)) <= set(catalogue(language)), said
        sentence = as_said(said, language)
        assert not HOLE.search(sentence), sentence
        assert not ENGLISH.search(sentence), (language, sentence)


@pytest.mark.parametrize("body", [b"", b"x", b"[]", b"7", b"\xff", b"[" * 5000])
def test_what_is_no_request_is_said_in_every_language(server: Server, body: bytes) -> None:
    status, answer = server.ask("/api/position", body, {"prefer": "codes"})
    said = json.loads(answer)
    assert (status, "code" in said) == (400, True), said
    assert all(said["code"] in catalogue(language) for language in LANGUAGES)
