"""The board of Just 4 Fun for two in compiled form; a field of number i is bit i - 1 of a word."""

from collections.abc import Sequence

class Rules:
    """Compiled tables of one board."""

    def __init__(self, fields: int, lines: Sequence[int]) -> None: ...
    def plays(
        self,
        plus: tuple[int, int],
        settled: tuple[int, int],
        hands: tuple[bytes, bytes],
        stones: tuple[int, int],
        side: int,
    ) -> list[tuple[int, bytes]]: ...
