"""Cases for judging bots: states of any game, each with the exact value of every move.

They are drawn from random games, or read from a file of JSON lines, a suite, as `Case.line` writes
them. Empty lines, and those that begin with #, are passed over.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from ..core.budgets import number_or_none
from ..core.compressed import open_text
from ..core.files import named_file
from ..core.whole_numbers import seeded
from ..errors import KulamiError, NotationError
from ..game import CHANCE, NOBODY, Budget, Game, Number, Question, Source, State, ask, part

C = TypeVar("C")

_OUTCOMES = ("loss", "draw", "win")
_LONGEST = 200  # moves of a random game
_NO_LIMIT = Budget()
_NODES = 10**5  # of a search for the values of a state: some tenths of a second
_TRIES = 1000  # games without a new position, after which there are taken to be no more


def outcome(value: Number) -> str:
    """Return a value as win, draw or loss.

    Examples:
        >>> outcome(3), outcome(0)
        ('win', 'draw')
    """
    return _OUTCOMES[(value > 0) - (value < 0) + 1]


def json_number(value: Number) -> int | str:
    """Return a value for JSON: a fraction that is not whole becomes a text.

    Examples:
        >>> from fractions import Fraction
        >>> json_number(Fraction(4, 2)), json_number(Fraction(-2, 3))
        (2, '-2/3')
    """
    return int(value) if value == int(value) else str(value)


def signed(value: Number) -> str:
    """Return a value with its sign; 0 gets one as well.

    Examples:
        >>> from fractions import Fraction
        >>> signed(3), signed(Fraction(-2, 3)), signed(0)
        ('+3', '-2/3', '+0')
    """
    return f"{'-' if value < 0 else '+'}{abs(value)}"


def signed_briefly(value: Number) -> str:
    """Return a value with its sign, for a page; 0 gets none.

    Examples:
        >>> signed_briefly(2), signed_briefly(0)
        ('+2', '0')
    """
    return f"+{value}" if value > 0 else "\u2212" + str(-value) if value else "0"


@dataclass(frozen=True)
class Case:
    """A state with the value of each move for the seat to move, in words that fit every game.

    A game that has words of its own derives its `Case` from this one, in its part of the bots.

    Attributes:
        state: the state.
        values: of every legal move, in the unit of `State.returns`.
        origin: the source of the case.
        game_called: the game's name for people.
        move_word: the game's word for a move.
        unit: the game's word for the unit of its values.
        named_by: the columns that identify the case.
        grouped_by: the columns by which reports are divided.
        tabled_by: the columns of `grouped_by` that have a table in a report as text.
        called: the heading of a column, if it differs from the column's name.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> state = load_game("malawi", board="2x3").start()
        >>> case = Case(state, {"a3xa1": -1, "a3:b3": -1, "a3-a2": -1})
        >>> case.best, case.column("notation")
        (-1, 'b2b2/../r2r2 r')
    """

    state: State
    values: Mapping[str, Number]
    origin: str = ""

    game_called: ClassVar[str] = "a game"
    move_word: ClassVar[str] = "move"
    unit: ClassVar[str] = "value"
    named_by: ClassVar[tuple[str, ...]] = ("notation",)
    grouped_by: ClassVar[tuple[str, ...]] = ("origin",)
    tabled_by: ClassVar[tuple[str, ...]] = ()
    called: ClassVar[Mapping[str, str]] = {}

    @property
    def position(self) -> Any:
        """The game's own noun for the state."""
        return self.state.position

    @property
    def line(self) -> str:
        """The whole case as a line of a suite."""
        values = {move: json_number(value) for move, value in self.values.items()}
        notation = self.state.notation()
        return json.dumps({self.named_by[0]: notation, "values": values, "origin": self.origin})

    def column(self, name: str) -> object:
        """Return the case's value in one of the columns named above."""
        if name == "outcome":
            return outcome(self.best)
        return self.origin if name == "origin" else self.state.notation()

    @classmethod
    def words(cls, column: str, value: str) -> str:
        """Return a value of a column in words."""
        return value

    @classmethod
    def rules_json(cls, state: State) -> dict[str, object]:
        """Return the rules of a game as the JSON of a grade states them."""
        return {}

    @classmethod
    def standing(cls, state: State) -> str:
        """Return the standing of a game in a few words; an empty text if it has none yet."""
        if state.to_move != NOBODY:
            return ""
        won = zip(state.game.seats, state.returns(), strict=True)
        return ", ".join(f"{seat} {returns}" for seat, returns in won)

    @property
    def rules_words(self) -> str:
        """The name of the rules in use, if the game has several; else an empty text."""
        return ""

    @property
    def about(self) -> tuple[str, ...]:
        """Further facts about the case for a page, each in a few words."""
        return (self.rules_words,) if self.rules_words else ()

    def picture(self, played: str | None) -> str | None:
        """Return an SVG with every move's value in it; None if that cannot be drawn.

        Args:
            played: the move to be marked, None if there is none.
        """
        return None

    def refutation(self, played: str) -> Any:
        """Return why a move is a mistake: what has `words` and `to_json`; None if unknown."""
        return None

    @cached_property
    def best(self) -> Number:
        """The value of the state."""
        return max(self.values.values())

    @property
    def best_moves(self) -> tuple[str, ...]:
        """The moves that keep the value of the state."""
        best = self.best
        return tuple(move for move, value in self.values.items() if value == best)


def case_of(state: State, values: Mapping[str, Number], origin: str = "") -> Case:
    """Return a state with its moves' values, in the words of its game if it has its own.

    Args:
        state: of any game.
        values: of every legal move, for the seat to move.
        origin: the source of the case.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> state = load_game("kulami", layout="AAB/CCB").start().play("a1")
        >>> case = case_of(state, {"c1": 0, "a2": -2})
        >>> case.move_word, case.unit, case.best_moves
        ('field', 'margin', ('c1',))
    """
    own: type[Case] = getattr(part(state.game.name, "bots"), "Case", Case)
    return own(state, values, origin)


def case_key(case: Case) -> str:
    """Return a short text that identifies a case in a file of results.

    Examples:
        >>> from kulami_solver.bots.kulami.suite import read_suite
        >>> len(case_key(read_suite(count=1)[0]))
        16
    """
    return hashlib.sha256(case.line.encode()).hexdigest()[:16]


def read_cases(path: str | Path, parse: Callable[[str], C], count: int | None = None) -> list[C]:
    """Read a suite, or the first `count` cases of it.

    Args:
        path: the file.
        parse: reads a line.
        count: how many, at least 1; None for all.

    Raises:
        OSError: if the file cannot be read.
        KulamiError: if it is no suite, or has fewer cases; the message names the line.
    """
    count = number_or_none("count", count)
    cases: list[C] = []
    with open_text(named_file(path, "a suite")) as file:
        for number, raw in enumerate(file, 1):
            if count is not None and len(cases) == count:
                break
            try:
                line = raw.decode().strip()
                if line and not line.startswith("#"):
                    cases.append(parse(line))
            except UnicodeDecodeError:
                raise NotationError(f"{path} line {number} is not UTF-8 text") from None
            except KulamiError as error:
                raise error.at(f"{path} line {number}") from None
    if not cases:
        raise NotationError(f"{path} holds no position: give a suite of JSON lines")
    if count is not None and len(cases) < count:
        raise NotationError(f"{path} holds {len(cases)} positions: ask for no more (not {count})")
    return cases


def suite_record(line: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the object in a line of a suite.

    Raises:
        NotationError: if it is not an object, or one of the keys is missing.
    """
    try:
        record: Any = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        raise NotationError("it is not JSON: write one object a line") from None
    if not isinstance(record, dict) or not record.keys() >= {*keys}:
        raise NotationError(f"it is no object with {', '.join(keys)}")
    return record


def move_values(
    state: State, budget: Budget = _NO_LIMIT, sources: Sequence[Source] = ()
) -> dict[str, Number] | None:
    """Return the exact value of every move, best first; None if `ask` does not find it."""
    return ask(Question(state, every_move=True, budget=budget), sources).exact_moves


def random_state(game: Game, draw: random.Random) -> State | None:
    """Return a state of a random game in which a player is to move; None if there was none."""
    from .arena import draw_chance  # it brings processes, which a browser does not have

    state = game.start()
    met: list[State] = []
    while state.to_move != NOBODY and len(met) < _LONGEST:
        if state.to_move == CHANCE:
            state = state.play(draw_chance(state, draw))
            continue
        met.append(state)
        state = state.play(draw.choice(state.moves))
    return draw.choice(met) if met else None


def draw_cases(
    game: Game,
    seed: int,
    count: int,
    sources: Sequence[Source] = (),
    pick: Callable[[random.Random], State | None] | None = None,
) -> Iterator[Any]:
    """Yield states of random games, each once, in which a move can spoil something.

    Args:
        game: the game.
        seed: 0 or more; the same states for a seed on every machine.
        count: how many.
        sources: asked for the values first; a state that then needs a search of more than 100,000
            nodes is left out.
        pick: draws a state, None if it finds none; by default a state of a random game.

    Raises:
        KulamiError: if there are fewer than `count`.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> [case.best for case in draw_cases(load_game("kulami", layout="AABC/AABC"), 1, 3)]
        [0, 0, 0]
    """
    draw = seeded(seed)
    seen: set[str] = set()
    tries = 0
    while len(seen) < count:
        state = random_state(game, draw) if pick is None else pick(draw)
        if state is not None and state.notation() not in seen:
            found = move_values(state, Budget(nodes=_NODES), sources)
            if found is not None and len(set(found.values())) > 1:
                tries = 0
                seen.add(state.notation())
                yield case_of(state, {move: found[move] for move in state.moves}, "random")
                continue
        tries += 1
        if tries == _TRIES:
            board = getattr(game, "board", None)
            where = f" on a board of {board}" if board is not None else ""
            kind = type(case_of(game.start(), {}))
            raise KulamiError(
                f"random games{where} came to {len(seen)} positions in which a {kind.move_word} "
                f"can spoil something: ask for no more (not {count})"
            )
