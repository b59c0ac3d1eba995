"""Positions as values, and in each notation; how they are played is in core/refusals.txt."""

from __future__ import annotations

import copy
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from command_line import good

import kulami_solver as ks
from kulami_solver import GameRecord
from kulami_solver.adapters.batch import Batch
from kulami_solver.adapters.labels import LabelPlan
from kulami_solver.bots.kulami import DIALECT
from kulami_solver.bots.kulami.case import Case
from kulami_solver.bots.kulami.match import KulamiTerms
from kulami_solver.game import Option, load_game
from kulami_solver.kulami.position.edition import OPTIONS, Edition
from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.notation import kfn_loses
from kulami_solver.kulami.position.position import Position
from kulami_solver.kulami.position.scoring import Scoring
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.prove import prove
from kulami_solver.kulami.state import state_of
from kulami_solver.web.kulami.requests import Kulami


def test_a_position_is_a_value() -> None:
    position = Position(Layout.square(), marbles=30).play_all("d4 d7")
    same = Position(Layout.square(), marbles=30).play("d4").play("d7")
    assert position == same
    assert hash(position) == hash(same)
    assert position is not same
    assert copy.copy(position) is position
    assert copy.deepcopy(position) is position
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(position, protocol)) == position
    assert eval(repr(position)) == position
    assert position != position.kfn()
    with pytest.raises(AttributeError):
        position.red = 0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        position.comment = "good"  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(20))
def test_positions_of_a_game_survive_each_notation(seed: int) -> None:
    draw = random.Random(seed)
    first = "red" if seed % 3 else "black"
    position = Position(Layout.random(seed, irregular=seed % 2 == 1), first)
    while not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
        assert Position.from_kfn(position.kfn()) == position
        turn, last = position.turn, position.last
        for again in (
            Position.from_hagen(position.hagen(), turn, last),
            Position.from_kbn(position.kbn(), first),
        ):
            assert (again.red, again.black) == (position.red, position.black)
            assert (again.turn, again.last, again.first) == (turn, last, first)
            assert again.legal_fields == position.legal_fields
            assert again.score(Scoring.LEVEL2) == position.score(Scoring.LEVEL2)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_an_option_of_an_edition_reaches_every_file_and_face(
    option: Option, tmp_path: Path
) -> None:
    """One that is declared in `edition` passes here without a word of its own."""
    value = option.least if option.kind == "number" else option.kind == "switch"
    options: dict[str, Any] = {option.name: value}
    edition, layout = Edition(**options), Layout.parse("AAB/CCB")
    assert Edition() != edition == pickle.loads(pickle.dumps(edition)) == eval(repr(edition))
    with pytest.raises(AttributeError):
        edition.marbles = 3
    start = Position(layout, **edition)
    assert start.supply == edition.in_all != Position(layout).supply
    game, state = GameRecord.played(start, ""), state_of(start)
    database, proof = str(tmp_path / "a.kdb"), str(tmp_path / "a.kpf")
    ks.build(database, start)
    prove(proof, start)
    dialect = DIALECT.text(*state.for_bots())
    with ks.open_database(database) as solved, open_proof(proof) as proved:
        found = [
            *(solved.root, proved.root, game.end),
            GameRecord.from_text(game.text()).start,
            GameRecord.from_json(json.loads(json.dumps(game.to_json()))).start,
            load_game("kulami", layout=layout, **options).start().position,
            DIALECT.state(*dialect).position,
            KulamiTerms(layout, plies=0, edition=edition).opening(0).start.position,
            Case.parse(Case.of(start, Scoring.LEVEL0).line).position,
            Batch(1, layout, **options).position(0),
            LabelPlan(1, layout=layout, edition=edition).start(0),
            Kulami(layout="AAB/CCB", **options).start().position,
        ]
    assert {one.edition for one in found} == {edition}
    assert start in {*found}
    words = "solve", "--layout", "AAB/CCB", *option.typed(value).split()
    assert good(*words, "--json").answer["margin"] == ks.solve(start).margin
    assert game.to_json().items() >= options.items()
    assert [*kfn_loses(start)]
