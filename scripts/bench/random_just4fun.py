"""Random positions of Just 4 Fun for two, close to the end: the same on every machine."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

from kulami_solver.just4fun import DECK, Board, Position, deal, deals, random_game


def late_position(start: Position, left: int, seed: int) -> Position | None:
    """Play at random until nobody has more than so many stones; None if the game ends before."""
    position = start
    for _, after in random_game(start, seed):
        if max(position.left) <= left:
            break
        position = after
    return None if position.is_over or max(position.left) > left else position


def late_positions(left: int, *, ordered: bool) -> Iterator[Position]:
    """Yield positions on the printed board with the real deck, so many stones left each.

    Args:
        left: 1 to 19.
        ordered: whether the order of the stock is known.
    """
    board = Board.parse("2006")
    for seed in itertools.count(1):
        position = late_position(deal(board, seed), left, seed)
        if position is not None and position.left == (left, left):
            yield with_stock(position, ordered=ordered, seed=seed)


def with_stock(position: Position, *, ordered: bool, seed: int) -> Position:
    """Return the position with its stock in an order, or in none."""
    if ordered:
        return next(deals(position, seed))
    return replace(position, ordered=False)


def small_position(draw: random.Random, most_fields: int, most_left: int) -> Position:
    """A position on a small board with few cards, in which the stock may be short or used up.

    Args:
        draw: where chance comes from.
        most_fields: of the board, 1 or more.
        most_left: stones of a player, 1 or more.
    """
    while True:
        rows = draw.randint(1, 4)
        columns = draw.randint(1, max(1, min(4, most_fields // rows)))
        numbers = list(range(1, rows * columns + 1))
        draw.shuffle(numbers)
        hand = draw.choice((1, 2, 2, 3))
        useful = [card for card in DECK if card <= rows * columns + draw.choice((0, 0, 2))]
        least = 2 * hand
        cards = draw.sample(useful, min(len(useful), draw.randint(least, least + 7)))
        if rows * columns > most_fields or len(cards) < least:
            continue
        start = deal(
            Board(columns, tuple(numbers)),
            draw.randrange(10**6),
            stones=most_left + draw.randint(0, 3),
            line=draw.choice((1, 2, 3, 3, 4)) if draw.random() < 0.9 else 9,
            hand=hand,
            cards=cards,
        )
        position = late_position(start, draw.randint(1, most_left), draw.randrange(10**6))
        if position is not None:
            return _shortened(position, draw)


def _shortened(position: Position, draw: random.Random) -> Position:
    """Move some of the stock to the discards, or out of the game."""
    kept = draw.choice((0, 1, 2, 4, 99))
    more = position.stock[kept:] if draw.random() < 0.5 else ()
    return replace(
        position,
        stock=position.stock[:kept],
        ordered=position.ordered or kept == 0,
        discards=(*position.discards, *more),
    )
