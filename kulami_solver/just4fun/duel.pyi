"""The board of Just 4 Fun for two in compiled form; a field of number i is bit i - 1 of a word."""

from collections.abc import Sequence

from kulami_solver.just4fun.views import View

class Rules:
    """Compiled tables of one board."""

    def __init__(self, fields: int, lines: Sequence[int]) -> None: ...
    def plays(self, view: View) -> list[tuple[int, bytes]]: ...
