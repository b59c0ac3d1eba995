"""Positions of Malawi to judge bots by, each with the exact value of every turn, from a database.

A turn is worth 1 if it wins, 0 if it keeps a draw, and -1 if it loses; how fast is not asked.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...core.sides import BLACK, RED
from ...errors import KulamiError
from ...game import NOBODY, Number, State
from ...malawi import Database, Position
from ...malawi.game import MalawiGame, MalawiState
from ..case import Case, outcome

__all__ = ["MalawiCase", "case_of", "draw_cases", "turn_worth"]

_WORTH: Mapping[str | None, int] = {"win": 1, "draw": 0, "loss": -1}
_LONGEST = 200  # turns of a random game
_TRIES = 1000  # games that bring no further position, before there are none left


@dataclass(frozen=True)
class MalawiCase(Case):
    """A position of Malawi, and what each legal turn is worth."""

    game: MalawiGame
    position: Position
    values: Mapping[str, int]
    origin: str = ""

    game_called: ClassVar = "Malawi"
    move_word: ClassVar = "turn"
    unit: ClassVar = "points"
    named_by: ClassVar = ("mfn",)
    grouped_by: ClassVar = ("outcome", "origin")
    tabled_by: ClassVar = ("outcome",)
    called: ClassVar = {"outcome": "value of the position", "origin": "origin of the position"}

    @property
    def state(self) -> MalawiState:
        """The position, as if nothing had come before it."""
        return MalawiState(self.game, self.position)

    @property
    def line(self) -> str:
        """The case as a line of text."""
        record = {"mfn": self.position.mfn(), "values": dict(self.values), "origin": self.origin}
        return json.dumps(record)

    def column(self, name: str) -> object:
        """Return its MFN, what it is for the side to move, or its origin."""
        if name == "mfn":
            return self.position.mfn()
        return outcome(self.best) if name == "outcome" else self.origin

    @classmethod
    def rules_json(cls, state: State) -> dict[str, object]:
        """Return the board and the beads that figures have at the start."""
        assert isinstance(state, MalawiState)
        return {"board": str(state.game.board), "beads": state.game.board.beads}

    @classmethod
    def standing(cls, state: State) -> str:
        """Return who has won, or how many beads there are."""
        assert isinstance(state, MalawiState)
        if state.to_move == NOBODY:
            winner = state.position.winner
            return "a draw" if winner is None else f"{winner} has won"
        beads = state.position.beads
        return f"beads red {beads[RED]}, black {beads[BLACK]}"

    @property
    def about(self) -> tuple[str, ...]:
        """The size of the board."""
        return (f"{self.position.columns}x{self.position.rows}",)


def case_of(state: State, values: Mapping[str, Number], origin: str = "") -> MalawiCase:
    """Return a state of Malawi as a case."""
    assert isinstance(state, MalawiState)
    worth = {turn: int(value) for turn, value in values.items()}
    return MalawiCase(state.game, state.position, worth, origin)


def turn_worth(database: Database, position: Position) -> dict[str, int]:
    """Return what each turn is worth by a database: 1 if it wins, 0 for a draw, -1 if it loses.

    Raises:
        KulamiError: if the database does not hold the position, or is damaged.
    """
    return {
        str(found.turn): _WORTH[found.value.outcome] for found in database.turn_values(position)
    }


def draw_cases(database: Database, seed: int, count: int) -> Iterator[MalawiCase]:
    """Yield positions of random games, each once, in which a turn can spoil something.

    Args:
        database: of the board, with the values.
        seed: 0 or more; the same positions for a seed on every machine.
        count: how many.

    Raises:
        KulamiError: if there are not so many, or the database is damaged.
    """
    draw = random.Random(seed)
    game = MalawiGame(database.board)
    seen: set[Position] = set()
    tries = 0
    while len(seen) < count:
        state: State = game.start()
        games: list[Position] = []
        while state.to_move != NOBODY and len(games) < _LONGEST:
            games.append(state.position)
            state = state.play(draw.choice(state.moves))
        position = draw.choice(games)
        turns = turn_worth(database, position)
        if position in seen or len(set(turns.values())) < 2:
            tries += 1
            if tries == _TRIES:
                raise KulamiError(
                    f"random games on a board of {database.board} came to {len(seen)} positions in "
                    f"which a turn can spoil something: ask for no more (not {count})"
                )
            continue
        tries = 0
        seen.add(position)
        values = {turn: turns[turn] for turn in map(str, position.turns)}
        yield MalawiCase(game, position, values, "random")
