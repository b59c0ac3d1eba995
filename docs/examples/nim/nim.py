"""Nim: two players take stones from one heap at a time; who takes the last one wins."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from kulami_solver.errors import IllegalMoveError, KulamiError, NotationError
from kulami_solver.game import (
    NOBODY,
    Answer,
    Budget,
    Descriptor,
    MoveAnswer,
    OpenState,
    Option,
)


@dataclass(frozen=True)
class Nim:
    """The game with its option: the heaps that it begins with, as `3,4,5`."""

    heaps: str = "3,4,5"

    name = "nim"
    seats = ("first", "second")
    has_chance = has_hidden = may_repeat = False

    def start(self) -> NimState:
        return self.read(f"{self.heaps} first")

    def read(self, notation: str) -> NimState:
        heaps, _, seat = notation.partition(" ")
        sizes = heaps.split(",")
        if seat not in self.seats or not all(size.isdecimal() for size in sizes):
            raise NotationError(f"{notation!r} is no position of Nim: write it as 3,4,5 first")
        return NimState(self, tuple(map(int, sizes)), self.seats.index(seat))


@dataclass(frozen=True)
class NimState(OpenState):
    """What lies there, and whose turn it is (0 or 1)."""

    game: Nim
    heaps: tuple[int, ...]
    turn: int

    @property
    def position(self) -> str:
        return self.notation()

    @property
    def to_move(self) -> int:
        return self.turn if any(self.heaps) else NOBODY

    @property
    def moves(self) -> tuple[str, ...]:
        """All of `a1` (one stone of the first heap), `a2`, ..., `b1`, ..."""
        return tuple(
            f"{chr(97 + heap)}{stones}"
            for heap, size in enumerate(self.heaps)
            for stones in range(1, size + 1)
        )

    def play(self, move: str) -> NimState:
        if move not in self.moves:
            can = ", ".join(self.moves) or "nothing"
            raise IllegalMoveError(f"{move} cannot be played: {can} can")
        heaps = list(self.heaps)
        heaps[ord(move[0]) - 97] -= int(move[1:])
        return NimState(self.game, tuple(heaps), 1 - self.turn)

    def move_of(self, answer: object) -> str:
        self.play(str(answer))
        return str(answer)

    def returns(self) -> tuple[int, int]:
        """Who has just taken the last stone has won."""
        if self.to_move != NOBODY:
            raise KulamiError("nobody has won: the game is not over")
        return (-1, 1) if self.turn == 0 else (1, -1)

    def notation(self) -> str:
        return f"{','.join(map(str, self.heaps))} {self.game.seats[self.turn]}"

    def drawn(self, *, ascii_only: bool = False) -> str:
        stone = "o" if ascii_only else "●"
        return "\n".join(f"{chr(97 + n)} {stone * size}" for n, size in enumerate(self.heaps))

    def svg(self) -> None:
        return None

    def evaluate(self, budget: Budget, *, every_move: bool = False) -> Answer:
        """Solve it: 1 for a win of the side to move, -1 for a loss."""
        if self.to_move == NOBODY:
            raise KulamiError("nothing is left to be found: the game is over")
        worth = {move: -value(self.play(move)) for move in self.moves}
        best, *others = (
            MoveAnswer(move, worth[move], worth[move])
            for move in sorted(worth, key=worth.__getitem__, reverse=True)
        )
        return NimAnswer(
            self, best.lower, best.upper, best.move, (best.move,), (best, *others), nodes=1
        )


class NimAnswer(Answer):
    """What a position is worth, in words of its own."""

    def words(self, move: MoveAnswer | None = None) -> str:
        return "a win" if (move or self).lower > 0 else "a loss"


@functools.cache
def value(state: NimState) -> int:
    """What a position is worth for the side to move, by trying every move."""
    if state.to_move == NOBODY:
        return state.returns()[state.turn]
    return max(-value(state.play(move)) for move in state.moves)


def make(heaps: str = "3,4,5") -> Nim:
    game = Nim(heaps)
    if not any(game.start().heaps) or len(game.start().heaps) > 26:
        raise KulamiError(f"heaps are {heaps!r}: give one to 26, with a stone at least")
    return game


GAME = Descriptor(
    name="nim",
    title="Nim",
    make=make,
    options=(Option("heaps", "text", "3,4,5", "stones of each heap"),),
    notation="NFN",
    seats=Nim.seats,
    samples=({"heaps": "1,2"},),
)
