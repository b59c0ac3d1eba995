"""Cards dealt and drawn at random, from a seed: the same on every machine.

`deal` begins a game, `known_to` hides what a player does not see, `deals` makes positions that fit
such a view, and `random_game` plays on at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random

from ..core.whole_numbers import seeded, whole
from ..errors import BoardError, BudgetError, PositionError, checked_kind, quoted
from .cards import DECK, Move
from .checks import STONES_OF_A_COLOUR, checked_cards, whole_option
from .notation import COLOURS, Board
from .position import Position, checked_position


@dataclass(frozen=True)
class Turn:
    """A turn of a game.

    Attributes:
        move: the cards and the field.
        drawn: the cards drawn after it, rising.
    """

    move: Move
    drawn: tuple[int, ...]


def deal(
    board: Board,
    seed: int = 0,
    *,
    players: str = "rb",
    stones: int = STONES_OF_A_COLOUR,
    line: int = 4,
    hand: int = 4,
    cards: Iterable[int] = DECK,
) -> Position:
    """Return the position a game begins with: cards shuffled, hands dealt, the stock in its order.

    Args:
        board: where the numbers lie.
        seed: of the shuffling, 0 or more.
        players: two to four letters of "rbgy", in the order of play.
        stones: how many each player has, 1 to 20.
        line: how many fields in a row win, 1 to 64.
        hand: how many cards a hand has, 1 to 12.
        cards: all there are in the game.

    Raises:
        BoardError: if it is not a board.
        PositionError: if there are too few cards, or an option is out of range.

    Examples:
        >>> from kulami_solver.just4fun import Board
        >>> deal(Board.parse("3x3"), 1, stones=5, line=3, hand=2, cards=(1, 1, 2, 2, 3, 4)).jfn()
        '3x3 - r5b5 r r1.3,b1.4 2.2 -'
    """
    checked_kind(board, Board, "a Board is needed, as Board.parse makes it", BoardError)
    whole_option("stones", stones, STONES_OF_A_COLOUR)
    if not isinstance(players, str) or not 2 <= len(players) <= len(COLOURS):
        raise PositionError("no_players", given=players, letters="".join(COLOURS))
    shuffled = _shuffled(checked_cards(cards), seeded(seed, PositionError))
    if len(shuffled) < len(players) * whole_option("hand", hand, len(DECK)):
        raise PositionError("too_few_cards", count=len(shuffled), players=len(players), hand=hand)
    return Position(
        board,
        ((0,) * len(players),) * board.fields,
        players,
        (stones,) * len(players),
        0,
        tuple(shuffled[seat * hand : (seat + 1) * hand] for seat in range(len(players))),
        shuffled[len(players) * hand :],
        line=line,
        hand=hand,
    )


def known_to(position: Position, player: str) -> Position:
    """Return a position as a player knows it: the other hands and the stock are unseen.

    Args:
        position: any position.
        player: the name of one who plays.

    Raises:
        PositionError: if it is not a position, or there is no such player.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> position = Position.from_jfn("3x3 - r2b2 r r1.2,b2.5 3.1 -", hand=2)
        >>> known_to(position, "red").jfn()
        '3x3 - r2b2 r r1.2,b? {1.2.3.5} -'
    """
    position = checked_position(position)
    if player not in position.players:
        raise PositionError("no_such_player", given=player, players=" and ".join(position.players))
    hands = position.hands
    others = [hand for name, hand in zip(position.players, hands, strict=True) if name != player]
    cards = [*position.unseen_cards, *(card for hand in others for card in hand or ())]
    return replace(
        position,
        hands=tuple(
            hand if name == player or not cards else None
            for name, hand in zip(position.players, hands, strict=True)
        ),
        stock=tuple(cards),
        ordered=False,
    )


def deals(position: Position, seed: int = 0, *, ordered: bool = True) -> Iterator[Position]:
    """Yield random positions that fit the visible part of a position, without end.

    Hidden hands get unseen cards, and the stock gets an order, if it has none. All deals are
    equally likely.

    Args:
        position: with or without hidden hands.
        seed: of the shuffling, 0 or more.
        ordered: whether the stock gets an order; if not, only hands are dealt.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> position = Position.from_jfn("3x3 - r2b2 r r1.2,b? {1.2.3.5} -", hand=2)
        >>> dealt = deals(position, seed=5)
        >>> [next(dealt).jfn() for _ in range(2)]
        ['3x3 - r2b2 r r1.2,b3.5 2.1 -', '3x3 - r2b2 r r1.2,b1.5 3.2 -']
    """
    checked_position(position)
    draw = seeded(seed, PositionError)
    fixed = position.ordered and not position.hidden
    unseen = position.stock if fixed else position.unseen_cards
    while True:
        cards = unseen if fixed else _shuffled(unseen, draw)
        hands = []
        for hand in position.hands:
            size = position.hand if hand is None else 0
            hands.append(tuple(sorted(cards[:size])) if hand is None else hand)
            cards = cards[size:]
        yield replace(position, hands=tuple(hands), stock=cards, ordered=ordered or fixed)


def drawn_at_random(position: Position, move: Move | str, draw: Random) -> tuple[int, ...]:
    """Return a random draw after a move, with the probabilities of the rules.

    Raises: as `Position.draws`.

    Examples:
        >>> position = Position.from_jfn("1x3 - r2b2 r r1.2,b3.4 {5} {6.6.6}", hand=2)
        >>> drawn_at_random(position, "3=1+2", Random(3))
        (2, 5)
    """
    pile, number = position.before_draw(move)
    sure, pool, others = pile.split(number)
    return tuple(sorted((*sure, *draw.sample(pool, others))))


def random_game(
    start: Position, seed: int = 0, *, turns: int = 1000
) -> Iterator[tuple[Turn, Position]]:
    """Yield the turns of a random game, each with the position after it.

    Cards are drawn from the stock; when it is used up, the discards are shuffled.

    Args:
        start: a position without hidden hands.
        seed: of moves and draws, 0 or more.
        turns: when to stop, 0 or more; a game in which nobody can place a stone never ends by
            itself.

    Raises:
        PositionError: if it is not a position, or `seed` makes no sense.
        BudgetError: if `turns` makes no sense.

    Examples:
        >>> from kulami_solver.just4fun import Board
        >>> start = deal(Board.parse("3x3"), 1, stones=2, line=3, hand=2)
        >>> [str(turn.move) for turn, _ in random_game(start, 4)]
        ['3=3', 'discard=13+16', '2=2', '7=2+5', '8=8']
    """
    draw = seeded(seed, PositionError)
    position = checked_position(start)
    most = whole(turns)
    if most is None or most < 0:
        raise BudgetError(f"turns is {quoted(turns)}: give a whole number of 0 or more")
    for _ in range(most):
        if position.is_over:
            return
        move = draw.choice(position.legal_moves)
        drawn = drawn_at_random(position, move, draw)
        position = position.play(move, drawn)
        yield Turn(move, drawn), position


def _shuffled(cards: tuple[int, ...], draw: Random) -> tuple[int, ...]:
    return tuple(draw.sample(cards, len(cards)))
