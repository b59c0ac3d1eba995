"""The rules of Just 4 Fun once more, slow and obvious, with plain searches over them.

Written from the rules alone and sharing no code with the package, so that everything fast can be
checked against it. A table never changes during a game; a state does. Stones are kept as one dict
a field, by the number of the field; whatever has to be hashed is made of sorted tuples.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

#: A field (None: the hand is put away), and the cards played or put away, rising.
Move: TypeAlias = tuple[int | None, tuple[int, ...]]
Cards: TypeAlias = tuple[int, ...]

PRINTED = (
    (1, 14, 30, 24, 19, 8),
    (33, 11, 9, 16, 35, 21),
    (6, 27, 31, 20, 3, 12),
    (15, 32, 5, 29, 17, 26),
    (22, 10, 18, 36, 25, 2),
    (28, 7, 23, 4, 13, 34),
)
DECK = tuple(value for value in range(1, 13) for _ in range(4)) + tuple(range(13, 20))


class Loop(Exception):  # noqa: N818, what is found is no error
    """A game can come back to where it was, without a stone having been placed."""


@dataclass(frozen=True)
class Table:
    """What stays the same: rows of numbers, the players in order, and the two lengths."""

    rows: tuple[tuple[int, ...], ...]
    players: str
    line: int
    hand: int


@dataclass(frozen=True)
class State:
    """What changes. `stones` has a pair (field, player) for each stone, sorted."""

    stones: tuple[tuple[int, str], ...]
    left: tuple[int, ...]
    turn: str
    hands: tuple[Cards, ...]
    stock: Cards
    discards: Cards


# Notation ----------------------------------------------------------------------------------------


def read(text: str, line: int, hand: int) -> tuple[Table, State]:
    """A position that is known to be well written."""
    board, stones, left, turn, hands, stock, discards = text.split(" ")
    if board == "2006":
        rows: tuple[tuple[int, ...], ...] = PRINTED
    elif "x" in board:
        height, width = map(int, board.split("x"))
        rows = tuple(tuple(range(r * width + 1, (r + 1) * width + 1)) for r in range(height))
    else:
        rows = tuple(tuple(map(int, row.split(","))) for row in board.split("/"))
    remaining = _by_colour(left)
    found = []
    for entry in [] if stones == "-" else stones.split(","):
        field, counts = entry.split(":")
        for colour, number in _by_colour(counts).items():
            found += [(int(field), colour)] * number
    table = Table(rows, "".join(remaining), line, hand)
    state = State(
        tuple(sorted(found)),
        tuple(remaining.values()),
        turn,
        tuple(_cards(word[1:]) for word in hands.split(",")),
        _cards(stock),
        _cards(discards),
    )
    return table, state


def _by_colour(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for character in text:
        if character.isalpha():
            colour, digits = character, ""
        else:
            digits += character
            found[colour] = int(digits)
    return found


def _cards(text: str) -> Cards:
    inside = text.strip("{}")
    return () if inside == "-" else tuple(map(int, inside.split(".")))


# Rules -------------------------------------------------------------------------------------------


def count(state: State, field: int, player: str) -> int:
    """How many stones a player has on a field."""
    return state.stones.count((field, player))


def holder(table: Table, state: State, field: int) -> str | None:
    """Who has more stones on a field than every other."""
    counts = sorted((count(state, field, player), player) for player in table.players)
    return counts[-1][1] if counts[-1][0] > counts[-2][0] else None


def line_winner(table: Table, state: State) -> str | None:
    """Who holds so many fields in a row, in a column or on a diagonal."""
    height, width = len(table.rows), len(table.rows[0])
    for row, column in itertools.product(range(height), range(width)):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            squares = [(row + i * down, column + i * right) for i in range(table.line)]
            if all(0 <= r < height and 0 <= c < width for r, c in squares):
                holders = {holder(table, state, table.rows[r][c]) for r, c in squares}
                if len(holders) == 1 and holders != {None}:
                    return holders.pop()
    return None


def is_over(table: Table, state: State) -> bool:
    """Whether the game has ended."""
    if line_winner(table, state) or sum(state.left) == 0:
        return True
    playing = [hand for hand, left in zip(state.hands, state.left, strict=True) if left]
    return not state.stock and not any(playing)


def sums(table: Table, state: State) -> dict[str, int]:
    """What each player would have if the stones were counted now."""
    found = dict.fromkeys(table.players, 0)
    for field in sorted(n for row in table.rows for n in row):
        owner = holder(table, state, field)
        if owner:
            found[owner] += field
    return found


def winner(table: Table, state: State) -> str | None:
    """Who has won an ended game, None if it is drawn."""
    by_line = line_winner(table, state)
    if by_line:
        return by_line
    totals = sums(table, state)
    best = [player for player in table.players if totals[player] == max(totals.values())]
    highest = {
        player: max(
            (n for row in table.rows for n in row if holder(table, state, n) == player), default=0
        )
        for player in best
    }
    leading = [player for player in best if highest[player] == max(highest.values())]
    return leading[0] if len(leading) == 1 else None


def moves(table: Table, state: State) -> list[Move]:
    """Every move of the player to move, equal choices of cards once."""
    if is_over(table, state):
        return []
    hand = state.hands[table.players.index(state.turn)]
    found: set[Move] = set()
    for size in range(1, len(hand) + 1):
        for cards in itertools.combinations(sorted(hand), size):
            field = sum(cards)
            if any(field in row for row in table.rows) and all(
                count(state, field, player) < count(state, field, state.turn) + 2
                for player in table.players
            ):
                found.add((field, cards))
    if not found:
        return [(None, tuple(sorted(hand)))]
    return sorted(found, key=lambda move: (move[0] or 0, move[1]))


def placed(table: Table, state: State, move: Move) -> State:
    """The state after cards are played and a stone is placed, before cards are drawn."""
    field, cards = move
    me = table.players.index(state.turn)
    hand = list(state.hands[me])
    for card in cards:
        hand.remove(card)
    stones, left = list(state.stones), list(state.left)
    if field is not None:
        stones.append((field, state.turn))
        left[me] -= 1
        own = stones.count((field, state.turn))
        others = [stones.count((field, player)) for player in table.players if player != state.turn]
        if own >= max(others) + 2:
            stones = [(n, player) for n, player in stones if n != field or player == state.turn]
    following = table.players[me + 1 :] + table.players[: me + 1]
    with_stones = [p for p in following if left[table.players.index(p)] > 0]
    return State(
        tuple(sorted(stones)),
        tuple(left),
        (with_stones or list(following))[0],
        _replaced(state.hands, me, tuple(hand)),
        state.stock,
        tuple(sorted(state.discards + cards)),
    )


def _replaced(hands: tuple[Cards, ...], me: int, hand: Cards) -> tuple[Cards, ...]:
    return (*hands[:me], tuple(sorted(hand)), *hands[me + 1 :])


def to_draw(table: Table, state: State, me: int) -> int:
    """How many cards are missing in the hand of who has just moved; none once it is over."""
    if line_winner(table, state) or sum(state.left) == 0:
        return 0
    return table.hand - len(state.hands[me])


def played(table: Table, state: State, move: Move) -> State:
    """The state after a move and the draw, double-dummy."""
    me = table.players.index(state.turn)
    after = placed(table, state, move)
    need = to_draw(table, after, me)
    hand = after.hands[me] + after.stock[:need]
    return State(
        after.stones,
        after.left,
        after.turn,
        _replaced(after.hands, me, hand),
        after.stock[need:],
        after.discards,
    )


def draws(table: Table, state: State, move: Move) -> dict[State, Fraction]:
    """The states after a move and a random draw, with how likely they are.

    Cards come one by one: from the stock, and once it is used up from the discards, which are the
    stock from then on.
    """
    me = table.players.index(state.turn)
    after = placed(table, state, move)
    found = {after: Fraction(1)}
    for _ in range(to_draw(table, after, me)):
        further: dict[State, Fraction] = {}
        for one, chance in found.items():
            stock, discards = one.stock, one.discards
            if not stock:
                stock, discards = discards, ()
            if not stock:  # not a card is left to be drawn
                further[one] = further.get(one, Fraction(0)) + chance
            for card, number in Counter(stock).items():
                rest = list(stock)
                rest.remove(card)
                hands = _replaced(one.hands, me, (*one.hands[me], card))
                drawn = State(one.stones, one.left, one.turn, hands, tuple(sorted(rest)), discards)
                share = chance * Fraction(number, len(stock))
                further[drawn] = further.get(drawn, Fraction(0)) + share
        found = further
    return found


# Values ------------------------------------------------------------------------------------------


def score(table: Table, state: State) -> Fraction:
    """What an ended game of two is worth to the first player: 1, a half or 0."""
    won = winner(table, state)
    if won is None:
        return Fraction(1, 2)
    return Fraction(int(won == table.players[0]))


class Minimax:
    """Double-dummy values of a table: 1, 0 and -1 for the player to move. Two players."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.known: dict[State, int] = {}

    def value(self, state: State) -> int:
        """What the state is worth to the first player."""
        if state not in self.known:
            table = self.table
            if is_over(table, state):
                self.known[state] = int(2 * score(table, state) - 1)
            else:
                best = max if state.turn == table.players[0] else min
                self.known[state] = best(
                    self.value(played(table, state, move)) for move in moves(table, state)
                )
        return self.known[state]

    def outcome(self, state: State) -> str:
        """The outcome for the player to move."""
        return self._word(self.value(state), state.turn)

    def move_outcomes(self, state: State) -> dict[Move, str]:
        """The outcome of every move, for the player who makes it."""
        return {
            move: self._word(self.value(played(self.table, state, move)), state.turn)
            for move in moves(self.table, state)
        }

    def _word(self, value: int, turn: str) -> str:
        own = value if turn == self.table.players[0] else -value
        return {1: "win", 0: "draw", -1: "loss"}[own]


class Expectimax:
    """Expected scores under best play with open hands and random draws. Two players."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.known: dict[State, Fraction | None] = {}  # None while it is being found out

    def value(self, state: State) -> Fraction:
        """The expected score of the first player.

        Raises:
            Loop: if a game can come back to where it was.
        """
        if state not in self.known:
            table = self.table
            if is_over(table, state):
                self.known[state] = score(table, state)
            else:
                self.known[state] = None
                best = max if state.turn == table.players[0] else min
                self.known[state] = best(
                    self.move_value(state, move) for move in moves(table, state)
                )
        value = self.known[state]
        if value is None:
            raise Loop
        return value

    def move_value(self, state: State, move: Move) -> Fraction:
        """The expected score of the first player once a move has been made."""
        return sum(
            (chance * self.value(after) for after, chance in self._after(state, move)),
            Fraction(0),
        )

    def expected(self, state: State) -> Fraction:
        """The expected score of the player to move."""
        return self._own(self.value(state), state.turn)

    def move_expectations(self, state: State) -> dict[Move, Fraction]:
        """The expected score of every move, for the player who makes it."""
        return {
            move: self._own(self.move_value(state, move), state.turn)
            for move in moves(self.table, state)
        }

    def _after(self, state: State, move: Move) -> Iterator[tuple[State, Fraction]]:
        yield from draws(self.table, state, move).items()

    def _own(self, value: Fraction, turn: str) -> Fraction:
        return value if turn == self.table.players[0] else 1 - value
