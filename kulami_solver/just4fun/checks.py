"""Checks: what cannot come up is refused, stones, hands and cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..core.whole_numbers import checked_index, whole
from ..errors import PositionError, checked_kind, quoted
from .cards import DECK, HIGHEST_CARD, MAX_HAND, copies
from .notation import COLOURS, Board, Written
from .rules import majority

STONES_OF_A_COLOUR = 20
"""The number of a player's stones in the whole game."""

MAX_LINE = 64
"""The longest line length allowed as an option; a smaller board has no such line."""


def whole_option(name: str, value: int, most: int) -> int:
    """Return an option if it is a whole number from 1 to `most`.

    Raises:
        PositionError: if it is not.

    Examples:
        >>> whole_option("hand", 0, 12)
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: hand is 0: give a whole number from 1 to 12
    """
    number = whole(value)
    if number is None or not 1 <= number <= most:
        raise PositionError("option_out_of_range", name=name, given=value, most=most)
    return number


def checked_cards(cards: Iterable[int]) -> tuple[int, ...]:
    """Return cards as a tuple.

    Raises:
        PositionError: if they are no whole numbers, or no cards.

    Examples:
        >>> checked_cards([3, 20])
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: there is no card 20: cards are 1 to 19
    """
    found = []
    for card in checked_kind(cards, Iterable, "cards are whole numbers", PositionError):
        number = whole(card)
        if number is None or not 1 <= number <= HIGHEST_CARD:
            raise PositionError("no_such_card", card=card, most=HIGHEST_CARD)
        found.append(number)
    return tuple(found)


def refuse_misshapen(written: Written) -> None:
    """Raise a `PositionError` if a part has a wrong type or length.

    The result of `read_jfn` always has the right shape; programs may give anything.
    """
    board, stones, colours, left, seat, hands, stock, ordered, discards = written
    checked_kind(board, Board, "a position is on a Board", PositionError)
    if (
        not isinstance(colours, str)
        or not 2 <= len(set(colours)) == len(colours)
        or not set(colours) <= set(COLOURS)
    ):
        raise PositionError("no_players", given=colours, letters="".join(COLOURS))
    players = len(colours)
    for name, value, length, of in (
        ("stones", stones, board.fields, "field"),
        ("left", left, players, "player"),
        ("hands", hands, players, "player"),
    ):
        if not isinstance(value, tuple) or len(value) != length:
            raise PositionError(
                f"{name} is {quoted(value)}: give a tuple of {length}, one for each {of}"
            )
    for field, counts in enumerate(stones, 1):
        if not _are_numbers(counts, players):
            raise PositionError(
                f"the stones on field {field} are {quoted(counts)}: give a tuple of {players} "
                "numbers, one for each player"
            )
    if not _are_numbers(left, players):
        raise PositionError("left has to be a tuple of numbers from 0, one for each player")
    checked_index(seat, players, "seat", PositionError)
    for cards in (*hands, stock, discards):
        if cards is not None:
            checked_cards(cards)
    if not isinstance(stock, tuple) or not isinstance(discards, tuple):
        raise PositionError("stock and discards are tuples of cards")
    checked_kind(ordered, bool, "ordered is True or False", PositionError)


def _are_numbers(counts: object, length: int) -> bool:
    return (
        isinstance(counts, tuple)
        and len(counts) == length
        and all((number := whole(n)) is not None and number >= 0 for n in counts)
    )


def refuse_impossible(written: Written, line: int, hand: int) -> None:
    """Raise a `PositionError` if this cannot come up with hands of `hand` cards.

    Args:
        written: the content of a notation.
        line: how many fields in a row win.
        hand: up to how many cards hands are filled.
    """
    whole_option("line", line, MAX_LINE)
    whole_option("hand", hand, MAX_HAND)
    _refuse_stones(written)
    _refuse_cards(written)
    over = _refuse_lines(written, line)
    _refuse_hands(written, hand, over)


def _refuse_stones(written: Written) -> None:
    names = [COLOURS[colour] for colour in written.colours]
    for seat, (name, left) in enumerate(zip(names, written.left, strict=True)):
        placed = sum(counts[seat] for counts in written.stones)
        if placed + left > STONES_OF_A_COLOUR:
            raise PositionError(
                "too_many_stones", side=name, placed=placed, left=left, most=STONES_OF_A_COLOUR
            )
    for field, counts in enumerate(written.stones, 1):
        most = max(counts)
        others = sorted(counts)[:-1]
        if most >= max(others) + 2 and any(others):
            owner = names[counts.index(most)]
            raise PositionError("field_for_good", field=field, side=owner)
    if any(written.left) and not written.left[written.seat]:
        raise PositionError("no_stone_left", side=names[written.seat])


def _refuse_cards(written: Written) -> None:
    known = Counter(written.stock) + Counter(written.discards)
    for cards in written.hands:
        known += Counter(cards or ())
    for card, number in sorted(known.items()):
        if number > copies(card):
            raise PositionError("too_many_of_card", number=number, card=card, most=copies(card))


def _refuse_hands(written: Written, hand: int, over: bool) -> None:
    hidden = written.hands.count(None)
    for colour, left, cards in zip(written.colours, written.left, written.hands, strict=True):
        if cards is None:
            continue
        has = {"side": COLOURS[colour], "count": len(cards), "hand": hand}
        if len(cards) > hand:
            raise PositionError("hand_too_large", **has)
        if len(cards) < hand and left and written.stock and not hidden and not over:
            raise PositionError("hand_not_filled", **has, stock=len(written.stock))
    if hidden:
        if written.stock and written.ordered:
            raise PositionError("order_with_hidden_hand")
        seen = sum(len(cards or ()) for cards in written.hands) + len(written.discards)
        unseen = len(written.stock) or len(DECK) - seen
        # A single short hidden hand has all unseen cards; several could share them in many ways.
        if unseen < hidden * hand and hidden > 1:
            raise PositionError("hidden_hands", unseen=unseen, hidden=hidden, hand=hand)


def _refuse_lines(written: Written, line: int) -> bool:
    """Return whether a line has ended the game: nobody has drawn cards after it."""
    majorities = [majority(counts) for counts in written.stones]
    lines = ({majorities[f - 1] for f in fields} for fields in written.board.lines(line))
    holders = {
        COLOURS[written.colours[seat]]
        for owners in lines
        if len(owners) == 1
        for seat in owners
        if seat is not None
    }
    if len(holders) > 1:
        raise PositionError("two_lines", sides=sorted(holders))
    return bool(holders)
