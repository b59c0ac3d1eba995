"""Refusals with a code: each code is reached by what the package really says, in five languages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kulami_solver as ks
from kulami_solver import just4fun, malawi
from kulami_solver.errors import KulamiError
from kulami_solver.kulami.notation import hagen_loses, kbn_loses
from kulami_solver.web.just4fun import PAGE as JUST4FUN
from kulami_solver.web.just4fun import Just4Fun
from kulami_solver.web.kulami import exchange, requests
from kulami_solver.web.malawi import Malawi
from kulami_solver.web.replays import MOST_MOVES, Replays
from kulami_solver.web.searches import Limits
from kulami_solver.web.sentences import CODES, recognized, told, with_code

TEXTS = Path(ks.__file__).parent / "web" / "static" / "texts"
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
    return lambda: exchange.take_in(requests.Import(text, **more))


def turn(text: str, mfn: str = "b2b2b2/.../.../r2r2r2 r") -> Callable[[], object]:
    return lambda: malawi.Position.from_mfn(mfn).play(text)


def card_move(text: str, jfn: str = "3x3 5:b2 r2b2 r r1.4,b2.3 - -") -> Callable[[], object]:
    return lambda: just4fun.Position.from_jfn(jfn).play(text)


def error_of(text: dict[str, Any]) -> Callable[[], object]:
    def fails() -> None:
        raise KulamiError(text["error"])

    return fails


def written(name: str, **game: Any) -> Callable[[], object]:
    return lambda: error_of(exchange.written(requests.Kulami(**game))[name])()


def perfect() -> None:
    asked = JUST4FUN.kinds["move"](bot="perfect")
    JUST4FUN.choosing(asked, asked.start(), Limits(), ())


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
    "too_many_columns": lambda: Malawi(board="9x7").start(),
    "too_many_moves": lambda: Malawi(moves="x " * (MOST_MOVES + 1)).played(),
}

REMARKS: dict[str, Callable[[], tuple[str, ...]]] = {
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


@pytest.mark.parametrize("code", sorted(REFUSED))
def test_what_the_package_says_has_the_code(code: str) -> None:
    with pytest.raises(KulamiError) as refused:
        REFUSED[code]()
    found = told(refused.value)
    assert found.get("code") == code, str(refused.value)
    assert all(value not in (None, "") for value in found["values"].values())


@pytest.mark.parametrize("code", sorted(REMARKS))
def test_remarks_have_codes(code: str) -> None:
    assert code in {with_code(said).get("code") for said in REMARKS[code]()}


def test_every_code_is_reached() -> None:
    assert {recognized(said)["code"] for said in SERVER.values()} == set(SERVER)
    assert set(REFUSED) | set(REMARKS) | set(SERVER) == set(CODES)


def test_the_move_that_is_meant_is_counted() -> None:
    with pytest.raises(KulamiError) as refused:
        played("d6 d3 d6")()
    assert told(refused.value)["move"] == 3
    assert recognized("something else") == {}


@pytest.mark.parametrize("language", ["de", "fr", "es", "nl"])
def test_every_sentence_is_there_with_its_values(language: str) -> None:
    said = json.loads((TEXTS / f"{language}-said.json").read_text(encoding="utf-8"))
    assert set(said) == {f"said_{code}" for code in CODES}
    for code, call in REFUSED.items():
        with pytest.raises(KulamiError) as refused:
            call()
        values = told(refused.value)["values"]
        holes = set(re.findall(r"\{(\w+)\}", said[f"said_{code}"]))
        assert holes <= set(values), (language, code)
