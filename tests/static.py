"""What the search knows of a position without searching: its bounds, and its key in the table."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

import reference

import kulami_solver as ks
from kulami_solver.core.table import TranspositionTable
from kulami_solver.kulami.solve.bounds import PanelBounds
from kulami_solver.kulami.solve.evaluation import learned_evaluation
from kulami_solver.kulami.solve.search import Search, SharedSearch

Key = tuple[int, int]


class Static:
    """The search of one layout and scoring, asked about positions of the reference.

    Marble limits may differ from one position to the next.
    """

    def __init__(self, rows: tuple[str, ...], name: str) -> None:
        layout = ks.Layout.parse("/".join(rows))
        area, chains = reference.SCORINGS[name]
        table = TranspositionTable(1 << 16)
        evaluation = learned_evaluation(layout.geometry, ks.Scoring.parse(name))
        panels = PanelBounds(layout.geometry)
        self._search = Search(panels, evaluation, table, SharedSearch(1), area, chains)
        squares = sorted(reference.parse_layout("/".join(rows)), key=reference.reading_order)
        self._number = {square: number for number, square in enumerate(squares)}
        self._square = squares

    def mask(self, squares: frozenset[reference.Square]) -> int:
        """A set of fields as bits."""
        return sum(1 << self._number[square] for square in squares)

    def bounds(self, rules: reference.Rules, state: reference.State) -> tuple[int, int]:
        """The bounds of the margin that hold without search."""
        own, other = self.mask(state.red), self.mask(state.black)
        if state.turn == "b":
            own, other = other, own
        last, before = [*(self._number[square] for square in state.last), -1, -1][:2]
        supply = 2 * rules.marbles - rules.short_end - len(state.red) - len(state.black)
        return self.of_place(own, other, last, before, max(supply, 0))

    def of_place(
        self, own: int, other: int, last: int, before: int, supply: int
    ) -> tuple[int, int]:
        """`bounds` of a position in the numbers of the compiled search."""
        return self._search.set_position(own, other, last, before, supply)

    def key(self, rules: reference.Rules, state: reference.State) -> tuple[Key, int] | None:
        """What the table calls the position, and the settled part of its margin, its base.

        None for positions that have none: their bounds meet, or the game is all but over.
        """
        lower, upper = self.bounds(rules, state)
        identity = self._search.identity()
        if lower == upper or identity is None:
            return None
        index, signature, base = identity
        return (index, signature), base

    def move_bounds(
        self, rules: reference.Rules, state: reference.State
    ) -> dict[reference.Square, tuple[int, int]]:
        """The bounds of the worth of each legal field that follow from the position alone."""
        lower, upper = self.bounds(rules, state)
        found = self._search.move_bounds() if lower < upper else {}
        return {self._square[number]: bounds for number, bounds in found.items()}


def every_value(
    rules: reference.Rules, state: reference.State, name: str
) -> dict[reference.State, int]:
    """The margins of the position and of all that can follow it."""
    values: dict[reference.State, int] = {}
    reference.minimax(rules, state, name, values)
    return values


@functools.lru_cache(maxsize=40)
def values_of_board(
    board: str, name: str, marbles: int = 28, short_end: bool = False
) -> tuple[reference.Rules, Mapping[reference.State, int]]:
    """The rules on a board, and the margins of all its positions; several tests ask for them."""
    rules, state = reference.start(board, marbles=marbles, short_end=short_end)
    return rules, MappingProxyType(every_value(rules, state, name))
