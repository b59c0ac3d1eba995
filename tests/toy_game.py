"""A toy game that no room of the package knows: dice, hidden coins and three seats."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from kulami_solver.errors import KulamiError
from kulami_solver.game import CHANCE, NOBODY, Answer, Budget, Descriptor, MoveAnswer


@dataclass(frozen=True)
class Dice:
    """Before each turn a die shows `1` (two times in three) or `2`; who is to move keeps it secret,
    by `take` or `pass`. Three players have two turns each; most points win."""

    name = "dice"
    seats = ("ann", "bob", "cid")
    has_chance = True
    has_hidden = True
    may_repeat = False

    def start(self) -> DiceState:
        return DiceState(self)

    def read(self, notation: str) -> DiceState:
        return DiceState(self, tuple(notation.split()))


@dataclass(frozen=True)
class DiceState:
    game: Dice
    played: tuple[str, ...] = ()

    @property
    def position(self) -> tuple[str, ...]:
        return self.played

    @property
    def to_move(self) -> int:
        turn, throw = divmod(len(self.played), 2)
        return NOBODY if turn == 6 else turn % 3 if throw else CHANCE

    @property
    def moves(self) -> tuple[str, ...]:
        return {NOBODY: (), CHANCE: ("1", "2")}.get(self.to_move, ("take", "pass"))

    def chances(self) -> tuple[Fraction, ...]:
        return (Fraction(2, 3), Fraction(1, 3)) if self.to_move == CHANCE else ()

    def play(self, move: str) -> DiceState:
        if move not in self.moves:
            raise KulamiError(f"{move} is not among {self.moves}")
        return replace(self, played=(*self.played, move))

    def held(self, seat: int) -> list[int]:
        turns = zip(self.played[::2], self.played[1::2], strict=False)
        return [
            int(eyes) for n, (eyes, move) in enumerate(turns) if n % 3 == seat and move == "take"
        ]

    def returns(self) -> tuple[int, ...]:
        return tuple(sum(self.held(seat)) for seat in range(3))

    def scores(self) -> tuple[int, ...]:
        return self.returns()

    def notation(self) -> str:
        return " ".join(self.played)

    def known_to(self, seat: int) -> str:
        return f"{self.held(seat)} {self.played[-1]}"

    def for_bots(self) -> tuple[Any, dict[str, Any]]:
        return self.known_to(self.to_move), {"seat": self.to_move}

    def move_of(self, answer: object) -> str:
        if not isinstance(answer, str):
            raise TypeError("no choice")
        self.play(answer)
        return answer

    def drawn(self, *, ascii_only: bool = False) -> str:
        return self.notation()

    def svg(self) -> None:
        return None

    def evaluate(self, budget: Budget, *, every_move: bool = False) -> Answer:
        seat = self.to_move
        worth = {move: expected(self.play(move))[seat] for move in self.moves}
        best, *others = (
            MoveAnswer(move, worth[move], worth[move])
            for move in sorted(worth, key=worth.__getitem__, reverse=True)
        )
        moves = (best, *others)
        return DiceAnswer(self, best.lower, best.upper, best.move, (best.move,), moves, nodes=1)


class DiceAnswer(Answer):
    def words(self, move: MoveAnswer | None = None) -> str:
        return f"{(move or self).lower} coins"


@functools.cache
def expected(state: DiceState) -> tuple[Fraction, ...]:
    """What each seat can expect if all play their best."""
    if state.to_move == NOBODY:
        return tuple(map(Fraction, state.returns()))
    after = [expected(state.play(move)) for move in state.moves]
    if state.to_move == CHANCE:
        chances = state.chances()
        return tuple(
            sum((part * won[seat] for part, won in zip(chances, after, strict=True)), Fraction())
            for seat in range(3)
        )
    return max(after, key=lambda won: won[state.to_move])


GAME = Descriptor("dice", "Dice", Dice, (), "throws", Dice.seats, ({},))
