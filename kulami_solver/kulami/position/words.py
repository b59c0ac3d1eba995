"""Margins in words that name the winner; small, since the command line loads it for any command."""

from __future__ import annotations

from ...core.notation import other_side
from ...errors import Phrase


def margin_words(margin: int, side: str) -> Phrase:
    """Return in words a margin of the side to move.

    Examples:
        >>> margin_words(-3, "red")
        'black wins by 3'
    """
    if margin == 0:
        return Phrase("draw")
    return Phrase("wins_by", side=side if margin > 0 else other_side(side), points=abs(margin))


def range_words(lower: int, upper: int, side: str, *, by: bool = True) -> Phrase:
    """Return in words proved bounds of the margin of the side to move.

    Args:
        lower, upper: the bounds; equal where the margin is known.
        side: who is to move.
        by: whether to give the least and the greatest margin of a win.

    Examples:
        >>> for lower, upper in (2, 52), (-9, -3), (0, 7), (-4, 8), (1, 1):
        ...     print(range_words(lower, upper, "red"))
        red wins by 2 to 52
        black wins by 3 to 9
        at least a draw for red, at most a win by 7
        not proved yet: between 'black wins by 4' and 'red wins by 8'
        red wins by 1
        >>> range_words(2, 52, "red", by=False)
        'red wins'
    """
    if lower == upper:
        return margin_words(lower, side)
    if lower < 0 < upper:
        low, high = margin_words(lower, side), margin_words(upper, side)
        return Phrase("not_proved_between", low=low, high=high)
    ahead = side if upper > 0 else other_side(side)
    least, most = (lower, upper) if upper > 0 else (-upper, -lower)
    if not by:
        return Phrase("wins", side=ahead) if least else Phrase("at_least_draw", side=ahead)
    if least:
        return Phrase("wins_from_to", side=ahead, least=least, most=most)
    return Phrase("at_least_draw_to", side=ahead, most=most)
