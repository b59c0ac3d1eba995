"""The rulebook's own examples: three figures of legal moves, and a finished game."""

from __future__ import annotations

import pytest

from kulami_solver.kulami.position.layout import Layout
from kulami_solver.kulami.position.position import Position
from kulami_solver.kulami.position.scoring import Part, Scoring

FINISHED = (
    "...AABB../.CCAADDD./.CCEEFFGG/HCCEEFFGG/HIIIJJJGG/HIIIKKKL./.MMMKKKL./.NNOOPPQQ/...OOPP.. "
    "3rbb3/2brbbbr1/2bbbrrbr/rrbbbrrrb/2bbrbrr1/rbbrrrbb1/1brrrrb2/1rrbrrbrb/3b2r2 b f8"
)


@pytest.mark.parametrize(
    ("played", "legal"),
    [
        ("d6", "a6 e6 f6 g6 h6 d1 d2 d3 d4 d7 d8 d9"),
        ("d6 d3", "b3 c3 f3 g3 h3 i3 d1 d2 d7 d8 d9"),
        ("d6 d3 i3", "b3 c3 f3 g3 i8"),  # i8 lies beyond a gap
    ],
)
def test_figures_of_legal_moves(played: str, legal: str) -> None:
    position = Position(Layout.rulebook(), first="red").play_all(played)
    assert sorted(position.legal_fields) == sorted(legal.split())


def test_first_marble_goes_anywhere() -> None:
    assert Position(Layout.rulebook()).legal_fields == Layout.rulebook().fields


def test_finished_game_is_over() -> None:
    position = Position.from_kfn(FINISHED)
    assert position.kfn() == FINISHED
    assert position.is_over
    assert position.supply == 1  # black still has a marble, but no field for it
    assert position.red.bit_count() == 28
    assert position.black.bit_count() == 27


@pytest.mark.parametrize(
    ("scoring", "red", "black"),
    [
        (Scoring.LEVEL0, 31, 27),
        (Scoring.LEVEL1, 31, 27 + 5),
        (Scoring.LEVEL2, 31, 27 + 5 + 3),
        (Scoring.CHAINS, 31, 27 + 3),
    ],
)
def test_finished_game_at_four_scorings(scoring: Scoring, red: int, black: int) -> None:
    position = Position.from_kfn(FINISHED)
    score = position.score(scoring)
    assert (score.red, score.black, score.margin) == (red, black, red - black)
    assert score.panels == Part(31, 27)
    assert score.area == Part(12, 17)
    assert score.chains == Part(12, 15)
    assert score.scoring is scoring
    assert position.margin(scoring) == black - red  # black is to move
