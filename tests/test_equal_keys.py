"""What the search takes for one position has one value: small games, enumerated to the end.

The table is keyed by what the future depends on. Every position that a small board, or the end of a
game on a large one, can come to is valued by plain minimax on `Position`, and all that share a key
must have the same margin less what is settled. Positions too close to the end for the table have
no key.
"""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.panels import PanelBounds
from kulami_solver.kulami.search import Crew, Search
from kulami_solver.layout import Layout
from kulami_solver.position import Position
from kulami_solver.scoring import Scoring

# Plies from which every position has a key.
TABLED = 4


class Enumeration:
    """All positions that can come after one: their margins and how long their games can last."""

    def __init__(self, start: Position, scoring: Scoring) -> None:
        self.scoring = scoring
        self.known: dict[Position, tuple[int, int]] = {}
        self.value(start)

    def value(self, position: Position) -> tuple[int, int]:
        """The margin under best play, and the plies of the longest continuation."""
        if position not in self.known:
            after = [self.value(position.play(field)) for field in position.legal_fields]
            self.known[position] = (
                max((-margin for margin, _ in after), default=position.margin(self.scoring)),
                max((1 + plies for _, plies in after), default=0),
            )
        return self.known[position]


def late(seed: int, free: int) -> Position:
    """A random 8x8 position with so many free fields."""
    chance = random.Random(seed)
    position = Position(Layout.random(seed))
    while position.free_count > free:
        legal = position.legal_fields
        position = position.play(legal[int(chance.random() * len(legal))])
    return position


@pytest.mark.parametrize("scoring", list(Scoring), ids=lambda scoring: scoring.value)
@pytest.mark.parametrize(
    "start",
    [
        pytest.param(Position(Layout.parse("AABB/CCDD/EEFF")), id="3x4"),
        pytest.param(Position(Layout.parse("AAB/AAB/CDD/CEE")), id="4x3"),
        pytest.param(Position(Layout.parse("ABBC/ADDC/EE.F")), id="with a gap"),
        pytest.param(Position(Layout.parse("ABCDE/ABFGE")), id="2x5"),
        pytest.param(Position(Layout.parse("AABCDE/FFBCDE"), marbles=4), id="marbles run out"),
        pytest.param(late(3, 18), id="8x8, 18 free"),
        pytest.param(late(5, 20), id="8x8, 20 free"),
    ],
)
def test_equal_keys_have_equal_values(start: Position, scoring: Scoring) -> None:
    layout = start.layout
    found = Enumeration(start, scoring).known
    search = Search(
        PanelBounds(layout.geometry), TranspositionTable(64), Crew(1), scoring.area, scoring.chains
    )
    values: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    keyed = 0
    for position, (margin, plies) in found.items():
        own, other = position.red, position.black
        if position.turn == "black":
            own, other = other, own
        lower, upper = search.set_position(
            own, other, position.last_field, position.barred_field, position.supply
        )
        assert lower <= margin <= upper, position.kfn()
        if plies >= TABLED:
            keyed += 1
            index, signature, base = search.identity()
            values[index, signature].add(margin - base)
    assert [key for key, margins in values.items() if len(margins) > 1] == []
    assert len(values) < keyed
