"""A player's observation and memory in Just 4 Fun, as tensors with names and as a string.

For n players on a board, with all 19 kinds of cards, in this order:

    player      (n)             the observing player
    to_move     (n)             who is to move; nobody while cards come, and at the end
    stones      (n, H, W)       how many stones each player has on the fields
    numbers     (H, W)          the numbers of the fields
    left        (n)             stones still to place
    hand_sizes  (n)             cards in the hands
    discards    (19)            how many of each card have been played and put away
    stock       (1)             cards in the stock
    idle        (1)             turns since a stone was placed
    hands       (n, 19)         how many of each card the players hold; 0 where that is hidden

Information states also have, one row a turn:

    dealt       (n, 19)         how many of each card were dealt; 0 where that is hidden
    turns       (T, n + 1 + 19) who made it, whether a stone was placed, and the cards
    drawn       (T, 19)         the cards drawn after it; 0 where that is hidden

T is the most turns that a game can have, but no more than four for each stone, or 120: of a longer
game the newest T turns are there, and strings have all of them. A public observation lacks `hands`,
`dealt` and `drawn`, a private one has `player` and these alone.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import pyspiel

from ...just4fun.board import Board
from ...just4fun.cards import HIGHEST_CARD, write_cards
from .just4fun_table import Table, Turn, seen_by
from .parameters import refuse_observation_parameters
from .states import WrappedState, tensor_of

_HIDDEN: Final = "?"


class Observed(Protocol):
    """The interface of a game: players, board, length, and whether hands are hidden."""

    hidden: bool
    turns_kept: int

    @property
    def board(self) -> Board: ...
    def num_players(self) -> int: ...


class Just4FunObserver:
    """Makes observations.

    Args:
        game: the game.
        kind: the information in them, a `pyspiel.IIGObservationType`; None for the table and the
            own hand.
        params: of the observation; none are allowed.
    """

    def __init__(self, game: Observed, kind: Any, params: Any) -> None:
        refuse_observation_parameters(params)
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        self._public: bool = kind.public_info
        self._recall: bool = kind.perfect_recall
        private = kind.private_info
        players = game.num_players()
        if not game.hidden or private == pyspiel.PrivateInfoType.ALL_PLAYERS:
            self._sees = [tuple(range(players))] * players
        elif private == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            self._sees = [(seat,) for seat in range(players)]
        else:
            self._sees = [()] * players
        height, width, most = game.board.rows, game.board.columns, game.turns_kept
        pieces: dict[str, tuple[int, ...]] = {"player": (players,)}
        if self._public:
            pieces |= {
                "to_move": (players,),
                "stones": (players, height, width),
                "numbers": (height, width),
                "left": (players,),
                "hand_sizes": (players,),
                "discards": (HIGHEST_CARD,),
                "stock": (1,),
                "idle": (1,),
            }
        if any(self._sees):
            pieces["hands"] = (players, HIGHEST_CARD)
        if self._recall and any(self._sees):
            pieces["dealt"] = (players, HIGHEST_CARD)
        if self._recall and self._public:
            pieces["turns"] = (most, players + 1 + HIGHEST_CARD)
        if self._recall and any(self._sees):
            pieces["drawn"] = (most, HIGHEST_CARD)
        self._kept = most
        self.tensor, self.dict = tensor_of(pieces)
        self._places = [game.board.place(field) for field in range(1, game.board.fields + 1)]

    # As tensors

    def set_from(self, state: WrappedState, player: int) -> None:
        """Put a player's observation into `tensor` and `dict`."""
        table: Table = state.state
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if self._public:
            self._put_table(table)
        for seat in self._sees[player]:
            _count(self.dict["hands"][seat], _hand(table, seat))
            if self._recall:
                _count(self.dict["dealt"][seat], table.hand_dealt(seat))
        if self._recall:
            for number, turn in enumerate(table.turns[-self._kept :]):
                self._put_turn(number, turn, turn.seat in self._sees[player])

    def _put_table(self, table: Table) -> None:
        put = self.dict
        for number, place in enumerate(self._places, 1):
            put["numbers"][place] = number
        if table.to_move >= 0:
            put["to_move"][table.to_move] = 1
        put["hand_sizes"][:] = [len(_hand(table, seat)) for seat in range(len(put["left"]))]
        if table.given is None:
            put["left"][:] = table.game.stones
            put["stock"][:] = len(table.deck) - len(table.dealt)
            return
        position = table.given.position
        for place, counts in zip(self._places, position.stones, strict=True):
            put["stones"][:, place[0], place[1]] = counts
        put["left"][:] = position.left
        put["stock"][:] = len(position.stock)
        put["idle"][:] = table.given.idle
        _count(put["discards"], position.discards)

    def _put_turn(self, number: int, turn: Turn, seen: bool) -> None:
        if self._public:
            row = self.dict["turns"][number]
            players = len(self._sees)
            row[turn.seat] = 1
            row[players] = turn.move.field is not None
            _count(row[players + 1 :], turn.move.cards)
        if seen:
            _count(self.dict["drawn"][number], turn.drawn)

    # As a string

    def string_from(self, state: WrappedState, player: int) -> str:
        """Return a player's observation as text."""
        table: Table = state.state
        sees = self._sees[player]
        if not self._public:
            return self._own(table, sees)
        if table.given is None or table.start is None:
            hands = (f"{table.game.players[at]}{write_cards(table.hand_dealt(at))}" for at in sees)
            return f"dealing {len(table.dealt)} {','.join(hands)}".rstrip()
        if self._recall:
            words = [seen_by(table.start, sees)]
            words += [_turn_words(turn, table, turn.seat in sees) for turn in table.turns]
            return " | ".join(words)
        position = table.given.position
        text = f"{seen_by(position, sees)}{table.idle_words}"
        if len(sees) < len(position.players):
            sizes = ".".join(str(len(_hand(table, seat))) for seat in range(len(position.players)))
            text += f" hands {sizes} stock {len(position.stock)}"
        if table.given.move is not None:
            turn = table.turns[-1]
            text += f" | {_turn_words(turn, table, turn.seat in sees)}"
        return text

    def _own(self, table: Table, sees: tuple[int, ...]) -> str:
        if not self._recall:
            return ",".join(write_cards(_hand(table, seat)) or "-" for seat in sees)
        words = [write_cards(table.hand_dealt(seat)) or "-" for seat in sees]
        words += [write_cards(turn.drawn) or "-" for turn in table.turns if turn.seat in sees]
        return " | ".join(words)


def _turn_words(turn: Turn, table: Table, seen: bool) -> str:
    """A turn as text, like `b 5=1+4 drew ?.?`."""
    drawn = write_cards(turn.drawn) if seen else ".".join(_HIDDEN * len(turn.drawn))
    said = f"{table.game.players[turn.seat]} {turn.move}"
    return f"{said} drew {drawn}" if drawn else said


def _hand(table: Table, seat: int) -> tuple[int, ...]:
    """The cards in a player's hand; while cards are drawn, those before the move."""
    if table.given is None:
        return table.hand_dealt(seat)
    return table.given.position.hands[seat] or ()


def _count(row: Any, cards: tuple[int, ...]) -> None:
    for card in cards:
        row[card - 1] += 1
