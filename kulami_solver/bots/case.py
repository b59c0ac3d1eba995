"""What bots are judged by: a state of any game, with the exact value of every move."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ..game import NOBODY, Number, State, part

__all__ = [
    "Case",
    "GameCase",
    "StateCase",
    "case_key",
    "case_of",
    "json_number",
    "outcome",
    "signed",
]

_OUTCOMES = ("loss", "draw", "win")


def outcome(value: Number) -> str:
    """Return a value as win, draw or loss.

    Examples:
        >>> outcome(3), outcome(0)
        ('win', 'draw')
    """
    return _OUTCOMES[(value > 0) - (value < 0) + 1]


def json_number(value: Number) -> int | str:
    """Return a value as JSON has it: a fraction that is not whole is a text.

    Examples:
        >>> from fractions import Fraction
        >>> json_number(Fraction(4, 2)), json_number(Fraction(-2, 3))
        (2, '-2/3')
    """
    return int(value) if value == int(value) else str(value)


def signed(value: Number) -> str:
    """Return a value with its sign, which 0 has as well.

    Examples:
        >>> from fractions import Fraction
        >>> signed(3), signed(Fraction(-2, 3)), signed(0)
        ('+3', '-2/3', '+0')
    """
    return f"{'-' if value < 0 else '+'}{abs(value)}"


class Refutation(Protocol):
    """Why a move spoils a game."""

    @property
    def words(self) -> str:
        """It in a few words."""

    def to_json(self) -> dict[str, Any]:
        """Return it as the command line prints it."""


class Case(ABC):
    """A state with what each of its moves is worth to the seat to move; each game has its own.

    Attributes:
        position: the game's own noun for the state.
        values: of every legal move, in the unit of `State.returns`.
        origin: where it comes from.
        game_called: what people call the game.
        move_word: what the game calls a move.
        unit: what the game calls the unit of its values.
        named_by: the columns that say which case it is.
        grouped_by: the columns that reports are divided by.
        tabled_by: those of them that a report has tables of when it is written as text.
        called: what people call a column, if it is not its name.
    """

    position: Any
    values: Mapping[str, Number]
    origin: str
    game_called: ClassVar[str] = "a game"
    move_word: ClassVar[str] = "move"
    unit: ClassVar[str] = "value"
    named_by: ClassVar[tuple[str, ...]] = ()
    grouped_by: ClassVar[tuple[str, ...]] = ()
    tabled_by: ClassVar[tuple[str, ...]] = ()
    called: ClassVar[Mapping[str, str]] = {}

    @property
    @abstractmethod
    def state(self) -> State:
        """The state."""

    @property
    def line(self) -> str:
        """The case as a line of a suite, which has all that is in it."""
        values = {move: json_number(value) for move, value in self.values.items()}
        notation = self.state.notation()
        return json.dumps({self.named_by[0]: notation, "values": values, "origin": self.origin})

    def column(self, name: str) -> object:
        """Return what it says in one of the columns named above."""
        if name == "outcome":
            return outcome(self.best)
        return self.origin if name == "origin" else self.state.notation()

    @classmethod
    def words(cls, column: str, value: str) -> str:
        """Return what people call a value of a column."""
        return value

    @classmethod
    def rules_json(cls, state: State) -> dict[str, object]:
        """Return what a grade says in JSON of the rules that a game is played by."""
        return {}

    @classmethod
    def standing(cls, state: State) -> str:
        """Return how a game stands, in a few words; nothing if there is nothing to say yet."""
        if state.to_move != NOBODY:
            return ""
        won = zip(state.game.seats, state.returns(), strict=True)
        return ", ".join(f"{seat} {returns}" for seat, returns in won)

    @property
    def rules_words(self) -> str:
        """What people call the rules it is played by, where a game has several; else nothing."""
        return ""

    @property
    def about(self) -> tuple[str, ...]:
        """What a page says of it besides, each thing in a few words."""
        return (self.rules_words,) if self.rules_words else ()

    def picture(self, played: str | None) -> str | None:
        """Return an SVG with every move's value in it; None if that cannot be drawn.

        Args:
            played: the move to be marked, None if there is none.
        """
        return None

    def picture_in(self, language: str, played: str | None) -> str | None:
        """Return what `picture` does with its words in a language, if the game has them there."""
        return self.picture(played)

    def state_picture(self, language: str) -> str | None:
        """Return an SVG of the state alone, likewise; None if that cannot be drawn."""
        return self.state.svg()

    def refutation(self, played: str) -> Refutation | None:
        """Return why a move spoils what the best one keeps, None if the game does not say that."""
        return None

    @classmethod
    def estimate(cls, state: State) -> float | None:
        """Return what the value may be for the seat to move: a bot's opinion, and no more.

        None if no bot of the game has one, or the game is over.
        """
        return None

    @property
    def best(self) -> Number:
        """The value of the state."""
        return max(self.values.values())

    @property
    def best_moves(self) -> tuple[str, ...]:
        """The moves that keep it."""
        best = self.best
        return tuple(move for move, value in self.values.items() if value == best)


@dataclass(frozen=True)
class StateCase(Case):
    """A state of any game, in words that fit all of them.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> state = load_game("malawi", board="2x3").start()
        >>> case = StateCase(state, {"a3xa1": -1, "a3:b3": -1, "a3-a2": -1})
        >>> case.best, case.column("notation")
        (-1, 'b2b2/../r2r2 r')
    """

    given: State
    values: Mapping[str, Number]
    origin: str = ""

    named_by: ClassVar = ("notation",)
    grouped_by: ClassVar = ("origin",)

    @property
    def state(self) -> State:
        return self.given

    @property
    def position(self) -> Any:
        return self.state.position


@dataclass(frozen=True)
class GameCase(Case):
    """A position of a game whose `state` makes a state of it."""

    game: Any
    position: Any
    values: Mapping[str, Number]
    origin: str = ""

    unit: ClassVar = "points"
    grouped_by: ClassVar = ("outcome", "origin")

    @property
    def state(self) -> State:
        """The position, as if nothing had come before it."""
        state: State = self.game.state(self.position)
        return state

    def state_picture(self, language: str) -> str:
        svg: str = self.position.svg(language=language)
        return svg


def case_of(state: State, values: Mapping[str, Number], origin: str = "") -> Case:
    """Return a state with its moves' values, in the words of its game if that has some.

    Args:
        state: of any game.
        values: of every legal move, for the seat to move.
        origin: where it comes from.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> state = load_game("kulami", layout="AAB/CCB").start().play("a1")
        >>> case = case_of(state, {"c1": 0, "a2": -2})
        >>> case.move_word, case.unit, case.best_moves
        ('field', 'margin', ('c1',))
    """
    own = getattr(part(state.game.name, "bots"), "case_of", StateCase)
    case: Case = own(state, values, origin)
    return case


def case_key(case: Case) -> str:
    """Return a short text that stands for a case in a file of results.

    Examples:
        >>> from kulami_solver.bots.kulami.suite import read_suite
        >>> len(case_key(read_suite(count=1)[0]))
        16
    """
    return hashlib.sha256(case.line.encode()).hexdigest()[:16]
