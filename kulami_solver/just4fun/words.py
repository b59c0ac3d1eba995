"""How a game stands, and why a move is not legal, in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..core.wording import so_many
from .cards import write_cards

if TYPE_CHECKING:
    from .moves import Move
    from .position import Position

__all__ = ["standing", "why_not"]


def standing(position: Position) -> str:
    """Return in a few words how the game stands; `Position.standing` is this."""
    sums = ", ".join(f"{name} {number}" for name, number in position.scores.items())
    if not position.is_over:
        left = ", ".join(
            f"{name} {number}" for name, number in zip(position.players, position.left, strict=True)
        )
        return f"{position.turn} to move; stones left {left}; sums {sums}"
    if position.winning_line is not None:
        fields = " ".join(map(str, position.winning_line))
        return f"game over, {position.winner} has won with a line of {fields}"
    ending = f"{position.winner} has won" if position.winner else "drawn"
    return f"game over, {ending}; sums {sums}"


def why_not(position: Position, move: Move) -> str:
    """Return why a move is not legal.

    Args:
        position: one in which the hand of the player to move is known.
        move: one that is not legal.

    Examples:
        >>> from kulami_solver.just4fun import Move, Position
        >>> position = Position.from_jfn("3x3 5:b2 r2b2 r r1.4,b2.3 - -")
        >>> why_not(position, Move.parse("9=4+5"))
        'the hand is 1.4, without 5'
        >>> why_not(position, Move.parse("5=1+4"))
        'an opponent has at least two stones more on field 5'
    """
    if position.is_over:
        return standing(position)
    hand = position.hands[position.seat] or ()
    fields = position.board.fields
    if not move.cards and move.field is not None:
        return "a stone is placed by cards that add up to the field"
    missing = Counter(move.cards) - Counter(hand)
    if missing:
        return (
            f"the hand is {write_cards(hand) or 'empty'}, without "
            f"{write_cards(sorted(missing.elements()))}"
        )
    if move.field is None:
        if any(position.legal_moves[0].cards) and position.legal_moves[0].field is None:
            return f"a hand is put away whole, which is {position.legal_moves[0]}"
        return "a hand is put away only when no cards of it make a field to place on"
    if move.field > fields:
        return f"the board has {so_many(fields, 'field')}"
    return f"an opponent has at least two stones more on field {move.field}"
