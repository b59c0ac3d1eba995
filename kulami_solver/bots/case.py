"""What bots are judged by: a state of any game, with the exact value of every move."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from ..game import Number, State

__all__ = ["Case", "case_key", "outcome"]

_OUTCOMES = ("loss", "draw", "win")


def outcome(value: Number) -> str:
    """Return a value as win, draw or loss.

    Examples:
        >>> outcome(3), outcome(0)
        ('win', 'draw')
    """
    return _OUTCOMES[(value > 0) - (value < 0) + 1]


class Case(ABC):
    """A state with what each of its moves is worth to the seat to move; each game has its own.

    Attributes:
        position: the game's own noun for the state.
        values: of every legal move, in the unit of `State.returns`.
        origin: where it comes from.
        move_word: what the game calls a move.
        unit: what the game calls the unit of its values.
        named_by: the columns that say which case it is.
        grouped_by: the columns that reports are divided by.
        tabled_by: those of them that a report has tables of when it is written as text.
    """

    position: Any
    values: Mapping[str, int]
    origin: str
    move_word: ClassVar[str] = "move"
    unit: ClassVar[str] = "value"
    named_by: ClassVar[tuple[str, ...]] = ()
    grouped_by: ClassVar[tuple[str, ...]] = ()
    tabled_by: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def state(self) -> State:
        """The state."""

    @property
    @abstractmethod
    def line(self) -> str:
        """The case as a line of text, which has all that is in it."""

    @abstractmethod
    def column(self, name: str) -> object:
        """Return what it says in one of the columns named above."""

    @classmethod
    def words(cls, column: str, value: str) -> str:
        """Return what people call a value of a column."""
        return value

    @property
    def rules_words(self) -> str:
        """What people call the rules it is played by, where a game has several; else nothing."""
        return ""

    @property
    def best(self) -> int:
        """The value of the state."""
        return max(self.values.values())

    @property
    def best_moves(self) -> tuple[str, ...]:
        """The moves that keep it."""
        best = self.best
        return tuple(move for move, value in self.values.items() if value == best)


def case_key(case: Case) -> str:
    """Return a short text that stands for a case in a file of results.

    Examples:
        >>> from kulami_solver.bots.suite import read_suite
        >>> len(case_key(read_suite(count=1)[0]))
        16
    """
    return hashlib.sha256(case.line.encode()).hexdigest()[:16]
