"""The board of Just 4 Fun for two in compiled form; a field of number i is bit i - 1 of a word."""

from collections.abc import Sequence

View = tuple[tuple[int, int], tuple[int, int], tuple[bytes, bytes], tuple[int, int], int]
"""A position in the form of the compiled searches: see `duel.pxd`."""

class Rules:
    """Compiled tables of one board."""

    def __init__(self, fields: int, lines: Sequence[int]) -> None: ...
    def plays(self, view: View) -> list[tuple[int, bytes]]: ...
