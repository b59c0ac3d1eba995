"""Games played out by a simple rule, to estimate positions that are too early to be solved.

The player to move takes the best immediate gain: a field that is won counts its number, so does a
field taken from another player, and a line counts more than all fields. Chance decides between
equally good moves. Cards are drawn as the rules say.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from random import Random

from .cards import Move, sums_of
from .notation import Board
from .position import Position
from .rules import IDLE_TURNS, following, majority, may_place, placed, winner_by_count

_LINE = 10_000  # more than all fields together

_Lines = dict[int, list[tuple[int, ...]]]


def worth(counts: Sequence[int], seat: int, field: int) -> int:
    """Return the immediate gain of one more stone on a field, in points.

    Examples:
        >>> worth((0, 0), 0, 12), worth((0, 1), 0, 12), worth((1, 0), 0, 12), worth((1, 1), 0, 12)
        (12, 12, 0, 12)
    """
    before, after = majority(counts), majority(placed(counts, seat))
    gained = (after == seat) - (before == seat)
    taken = before not in (None, seat) and after != before
    return field * (gained + taken)


def greedy_move(position: Position, draw: Random) -> Move:
    """Return the legal move that changes most at once; chance decides between equal ones.

    Args:
        position: one in which the hand of the player to move is known.
        draw: the random generator.

    Examples:
        >>> position = Position.from_jfn("3x3 5:b1 r2b1 r r1.4,b2.3 - -")
        >>> greedy_move(position, Random(1))
        Move.parse('5=1+4')
    """
    through = _lines_through(position.board, position.line)
    hand, seat = position.hands[position.seat] or (), position.seat
    _, field, cards = _choice(hand, position.stones, position.majorities, seat, through, draw)
    return Move(field, cards)


def _choice(
    hand: Sequence[int],
    stones: Sequence[Sequence[int]],
    owners: Sequence[int | None],
    seat: int,
    through: _Lines,
    draw: Random,
) -> tuple[int, int | None, tuple[int, ...]]:
    """Return a greedy move's gain, field and cards; gain -1 and no field: the hand is put away."""
    best, field_chosen, cards_chosen = (-1, 0, 0.0), None, tuple(hand)
    for field, choices in sums_of(hand, len(stones)).items():
        counts = stones[field - 1]
        if may_place(counts, seat):
            value = worth(counts, seat, field)
            if _wins(counts, seat) and _completes(through[field], owners, seat):
                value += _LINE
            for cards in choices:
                # Cards that are kept make the next hand better.
                promise = value, -len(cards), draw.random()
                if promise > best:
                    best, field_chosen, cards_chosen = promise, field, cards
    return best[0], field_chosen, cards_chosen


def playout(position: Position, seat: int, draw: Random) -> Fraction:
    """Play a game to its end and return a player's share of the point: 1 alone, 0 for a loss.

    Examples:
        >>> position = Position.from_jfn("1x3 - r1b1 r r1.2,b2 - -", line=2, hand=2)
        >>> playout(position, 0, Random(1))
        Fraction(1, 1)
    """
    players = len(position.colours)
    if position.is_over:
        winner = None if position.winner is None else position.players.index(position.winner)
        return _share(winner, seat, players)
    stones = list(position.stones)
    owners = list(position.majorities)
    left, hands = list(position.left), [list(hand or ()) for hand in position.hands]
    stock = list(reversed(position.stock))
    if not position.ordered:
        draw.shuffle(stock)
    discards = list(position.discards)
    through = _lines_through(position.board, position.line)
    mover, idle = position.seat, 0
    while any(left) and idle < IDLE_TURNS:
        gain, field, cards = _choice(sorted(hands[mover]), stones, owners, mover, through, draw)
        for card in cards:
            hands[mover].remove(card)
        discards += cards
        idle += 1
        if field is not None:
            idle = 0
            stones[field - 1] = placed(stones[field - 1], mover)
            owners[field - 1] = majority(stones[field - 1])
            left[mover] -= 1
            if gain >= _LINE:
                return _share(mover, seat, players)
        while len(hands[mover]) < position.hand and (stock or discards):
            if not stock:
                stock, discards = discards, []
                draw.shuffle(stock)
            hands[mover].append(stock.pop())
        mover = following(left, mover)
    return _share(winner_by_count(owners, players), seat, players)


def _wins(counts: Sequence[int], seat: int) -> bool:
    """Whether one stone more makes a field the player's, who has not had it."""
    return majority(counts) != seat == majority(placed(counts, seat))


@lru_cache(maxsize=64)
def _lines_through(board: Board, length: int) -> _Lines:
    """Return, of each field, the other fields of every line through it."""
    found: _Lines = {field: [] for field in board.numbers}
    for line in board.lines(length):
        for field in line:
            found[field].append(tuple(other for other in line if other != field))
    return found


def _completes(lines: Sequence[Sequence[int]], owners: Sequence[int | None], seat: int) -> bool:
    """Whether a player who wins a field then holds the rest of one of these lines too."""
    return any(all(owners[other - 1] == seat for other in line) for line in lines)


def _share(winner: int | None, seat: int, players: int) -> Fraction:
    if winner is None:
        return Fraction(1, players)
    return Fraction(int(winner == seat))
