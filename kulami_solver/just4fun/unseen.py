"""The unseen cards, and a position as one player knows it.

Cards that are neither in an open hand nor among the discards are unseen: they are in the stock or
in hidden hands, and all deals of them are equally likely.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import PositionError
from .cards import DECK, taken

if TYPE_CHECKING:
    from .position import Position


def unseen_cards(position: Position) -> tuple[int, ...]:
    """Return the cards that nobody sees, rising: those of the stock and of hidden hands.

    Where a hand is hidden and no stock is written, it is what the deck has besides.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> unseen_cards(Position.from_jfn("3x3 - r2b2 r r1.2,b2.3 4.1 -", hand=2))
        (1, 4)
        >>> len(unseen_cards(Position.from_jfn("2006 - r20b20 r r1.2.2.9,b? - {5}")))
        50
    """
    if not position.hidden or position.stock:
        return tuple(sorted(position.stock))
    seen = [card for cards in position.hands for card in cards or ()]
    return taken(DECK, [*seen, *position.discards])


def known_to(position: Position, player: str) -> Position:
    """Return a position as a player knows it: the other hands and the stock are unseen.

    Args:
        position: any position.
        player: the name of one who plays.

    Raises:
        PositionError: if there is no such player.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> position = Position.from_jfn("3x3 - r2b2 r r1.2,b2.5 3.1 -", hand=2)
        >>> known_to(position, "red").jfn()
        '3x3 - r2b2 r r1.2,b? {1.2.3.5} -'
    """
    if player not in position.players:
        raise PositionError("no_such_player", given=player, players=" and ".join(position.players))
    hands = position.hands
    others = [hand for name, hand in zip(position.players, hands, strict=True) if name != player]
    cards = [*unseen_cards(position), *(card for hand in others for card in hand or ())]
    return replace(
        position,
        hands=tuple(
            hand if name == player or not cards else None
            for name, hand in zip(position.players, hands, strict=True)
        ),
        stock=tuple(cards),
        ordered=False,
    )
