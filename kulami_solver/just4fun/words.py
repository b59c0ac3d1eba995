"""How a game stands, and why a move is not legal, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..errors import IllegalMoveError, Phrase
from .cards import write_cards
from .moves import Move
from .views import PositionView


def standing(position: PositionView) -> Phrase:
    """Return in a few words how the game stands; `Position.standing` is this."""
    sums = _numbers(position.scores.items())
    if not position.is_over:
        left = _numbers(zip(position.players, position.left, strict=True))
        return Phrase("just4fun_standing", side=position.turn, left=left, sums=sums)
    if position.winning_line is not None:
        fields = " ".join(map(str, position.winning_line))
        line = Phrase("won_with_line", side=position.winner, fields=fields)
        return Phrase("over_because", why=line, last="")
    won = position.winner
    ending = Phrase("has_won", side=won) if won else Phrase("drawn")
    return Phrase("over_with_sums", ending=ending, sums=sums)


def _numbers(named: Iterable[tuple[str, int]]) -> list[Phrase]:
    """Return a number for each player."""
    return [Phrase("number_of_side", side=name, number=number) for name, number in named]


def refusal(position: PositionView, move: Move) -> IllegalMoveError:
    """Return the error that says why a move is not legal.

    Args:
        position: one in which the hand of the player to move is known.
        move: one that is not legal.

    Examples:
        >>> from kulami_solver.just4fun import Move, Position
        >>> position = Position.from_jfn("3x3 5:b2 r2b2 r r1.4,b2.3 - -")
        >>> str(refusal(position, Move.parse("9=4+5")))
        'red cannot play 9=4+5: the hand is 1.4, without 5'
        >>> refusal(position, Move.parse("5=1+4")).code
        'two_behind'
    """
    asked = {"side": position.turn, "move": str(move)}
    if position.is_over:
        return IllegalMoveError("over_for_move", **asked, standing=str(standing(position)))
    hand = position.hands[position.seat] or ()
    if not move.cards and move.field is not None:
        return IllegalMoveError("stone_without_cards", **asked)
    missing = Counter(move.cards) - Counter(hand)
    if missing:
        without = write_cards(sorted(missing.elements()))
        if not hand:
            return IllegalMoveError("not_in_empty_hand", **asked, cards=without)
        return IllegalMoveError("not_in_hand", **asked, hand=write_cards(hand), cards=without)
    if move.field is None:
        whole = position.legal_moves[0]
        if any(whole.cards) and whole.field is None:
            return IllegalMoveError("put_away_whole", **asked, whole=str(whole))
        return IllegalMoveError("put_away_only", **asked)
    if move.field > position.board.fields:
        return IllegalMoveError("no_such_number", **asked, count=position.board.fields)
    return IllegalMoveError("two_behind", **asked, field=move.field)
