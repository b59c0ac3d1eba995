"""Expected scores (compiled); positions are given as to `Rules`, with stock and discards."""

from contextlib import AbstractContextManager
from fractions import Fraction

from kulami_solver.core.watch import Limited
from kulami_solver.just4fun.duel import Rules, View

class Endless(Exception):  # noqa: N818  (what a game may be)
    """A patient search has given up: hands might be put away for ever."""

class Expecter(Limited):
    """Expected scores on one board, as pairs: the score, and the probability of a draw."""

    def __init__(self, rules: Rules, hand_size: int, pruning: bool = True) -> None: ...
    def value(
        self, view: View, stock: bytes, discards: bytes, hopeful: bool
    ) -> tuple[Fraction, Fraction]: ...
    def play_value(
        self,
        view: View,
        stock: bytes,
        discards: bytes,
        hopeful: bool,
        cards: bytes,
        alpha: Fraction,
    ) -> tuple[Fraction, Fraction]: ...
    def patiently(self) -> AbstractContextManager[None]: ...
    @property
    def unsure(self) -> bool: ...
