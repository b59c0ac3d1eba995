"""Just 4 Fun in OpenSpiel, for two to four players, with cards dealt and drawn by chance.

    board       printed, HEIGHTxWIDTH, or rows of numbers like 4.1/3.2; a single row as 3.1.2/
    players     2, 3 or 4
    stones      of each player, 1 to 20
    line        fields in a row that win
    hand        cards of a hand, 1 to 6
    deck        full, or cards like 1x4.2x4.13: four of 1, four of 2 and one of 13
    hands       hidden, or open: everyone sees all hands, and the game has perfect information

The number of a chance outcome is the card minus 1. The hands are dealt card by card, player by
player; after a move the hand is filled card by card. A win returns 1, the others lose the same
amount in equal parts, and a draw returns 0. As between programs, a game in which no stone has been
placed for sixty turns is counted as it stands.

Action 0 puts the hand away. The others are the choices of cards whose sum is a field, by field and
then by cards; their strings are those of `kulami_solver.just4fun.Move`.

An observation has what lies on the table, and the own hand; the information state has the own
cards as they were dealt and drawn, and every turn of everyone. As strings both begin with a JFN in
which `?` is hidden. A state is written, and a game can begin from, a JFN with open hands; `idle N`
follows it if no stone has been placed for N turns.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

import pyspiel

from ...errors import IllegalMoveError, KulamiError, quoted
from ...just4fun.board import PRINTED, Board
from ...just4fun.cards import DISCARD, HIGHEST_CARD, write_cards
from ...just4fun.checks import MAX_LINE, STONES_OF_A_COLOUR, whole_option
from ...just4fun.game import Just4FunGame as HouseGame
from ...just4fun.notation import COLOURS
from ...just4fun.rules import IDLE_TURNS
from .just4fun_table import CardActions, Table, TableTurn, actions_of, read_deck, seen_by
from .wrapping import Kept, Observer, WrappedGame, WrappedState, checked_text, game_type

_HANDS: Final = ("hidden", "open")
_PRINTED: Final = "printed"
_HIDDEN: Final = "?"
_TRIES: Final = 30
_TURNS_KEPT: Final = 120  # at least, in tensors of information states
_LARGEST_HAND: Final = 6  # a larger one would make hundreds of thousands of actions


def _game_type(hidden: bool) -> Any:
    parameters = {
        "board": _PRINTED,
        "players": 2,
        "stones": STONES_OF_A_COLOUR,
        "line": 4,
        "hand": 4,
        "deck": "full",
        "hands": _HANDS[0],
    }
    most = len(COLOURS)
    return game_type("just4fun", "Just 4 Fun", parameters, players=most, chance=True, hidden=hidden)


GAME_TYPE: Final = _game_type(hidden=True)


class Just4FunGame(WrappedGame):
    """Just 4 Fun with its parameters; `pyspiel.load_game` makes it.

    Raises:
        KulamiError: if a parameter makes no sense, or would not survive being serialized.

    Examples:
        >>> game = pyspiel.load_game("just4fun(board=1x3,stones=1,hand=1,deck=1x2.2.3)")
        >>> state = game.new_initial_state()
        >>> state.chance_outcomes()
        [(0, 0.5), (1, 0.25), (2, 0.25)]
        >>> state.apply_action(0)
        >>> state.apply_action(2)
        >>> state.action_to_string(state.legal_actions()[0]), state.information_state_string()
        ('1=1', '1x3 - r1b1 r r1,b? {1.2.3} -')
    """

    def __init__(self, params: dict[str, Any]) -> None:
        hands = checked_text("hands", params["hands"], f"write {' or '.join(_HANDS)}")
        if hands not in _HANDS:
            raise KulamiError(f"hands is {quoted(hands)}: write {' or '.join(_HANDS)}")
        self.hidden = hands == _HANDS[0]
        players: int = params["players"]
        if not 2 <= players <= len(COLOURS):
            raise KulamiError(f"{quoted(players)} players: give 2 to {len(COLOURS)}")
        stones = whole_option("stones", params["stones"], STONES_OF_A_COLOUR)
        hand = whole_option("hand", params["hand"], _LARGEST_HAND)
        deck = read_deck(params["deck"], players * hand)
        self.game = HouseGame(
            _read_board(params["board"]),
            "".join(COLOURS)[:players],
            stones,
            whole_option("line", params["line"], MAX_LINE),
            hand,
        )
        self.actions: Final = actions_of(self.game.board.fields, hand, deck)
        self.start = Kept(Table(self.game, deck))
        most_turns = players * stones * IDLE_TURNS
        self.turns_kept: Final = min(most_turns, max(_TURNS_KEPT, 4 * players * stones))
        self._most_draws: int = players * hand + most_turns * hand
        super().__init__(
            _game_type(self.hidden),
            params,
            actions=self.actions.number,
            longest=most_turns,
            players=players,
            outcomes=HIGHEST_CARD,
        )

    @property
    def board(self) -> Board:
        """The board."""
        return self.game.board

    def max_chance_nodes_in_history(self) -> int:
        """How many cards can be dealt and drawn at most."""
        return self._most_draws

    def read(self, notation: str) -> Kept:
        return Kept(Table.read(self.game, notation))


class WrappedJust4Fun(WrappedState):
    """A state of Just 4 Fun, cards that are being dealt or drawn among them."""

    def _numbered_moves(self) -> dict[int, str]:
        table: Table = self.state
        actions: CardActions = self.get_game().actions
        return {actions.of(move): str(move) for move in table.legal_moves}

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> WrappedJust4Fun:
        """Return a state that a player cannot tell from this one, with the hidden cards drawn anew.

        Once discards have become the stock again, hardly any other cards may fit the past; if none
        of some draws fits, the result is a copy of this state.

        Args:
            player: the player.
            sampler: gives numbers from 0 to 1, as a `pyspiel.UniformProbabilitySampler` does.

        Raises:
            KulamiError: while cards are dealt or drawn.
        """
        game = self.get_game()
        table: Table = self.state
        if self.current_player() < 0:
            raise KulamiError("other cards can be drawn where a player is to move, and only there")
        draw = Random(sampler())
        for _ in range(_TRIES):
            try:
                guess = table.guessed(player if game.hidden else None, draw)
                state: WrappedJust4Fun = game.new_initial_state(None if table.deck else guess.begun)
                for card in guess.dealt if table.deck else ():
                    state.apply_action(card - 1)
                for turn, cards in zip(table.turns, guess.drawn, strict=True):
                    state.apply_action(game.actions.of(turn.move))
                    for card in cards:
                        state.apply_action(card - 1)
            except (KulamiError, pyspiel.SpielError):
                continue  # a card that was not yet back in the stock
            return state
        copy: WrappedJust4Fun = self.clone()
        return copy

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that may come next, with their probabilities."""
        table: Table = self.state
        return [
            (int(card) - 1, float(chance))
            for card, chance in zip(table.moves, table.chances(), strict=True)
        ]

    def _apply_action(self, action: int) -> None:
        if self.is_chance_node():
            self._kept = Kept(self.state.play(str(action + 1)))
        else:
            super()._apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return str(action + 1)
        actions = self.get_game().actions
        if not 0 <= action < actions.number:
            raise IllegalMoveError(f"there is no action {action}: give 0 to {actions.number - 1}")
        move = actions.move(action)
        return DISCARD if move is None else str(move)


def _read_board(text: object) -> Board:
    remedy = "write printed, HEIGHTxWIDTH, or rows like 4.1/3.2, a single one with / behind it"
    checked = checked_text("board", text, remedy)
    rows = checked.removesuffix("/").replace(".", ",")
    return Board.parse(PRINTED if checked == _PRINTED else rows)


class Just4FunObserver(Observer):
    """A player's observation and memory, as tensors with names and as a string.

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

    T is the most turns that a game can have, but no more than four for each stone, or 120: of a
    longer game the newest T turns are there, and strings have all of them. A public observation
    lacks `hands`, `dealt` and `drawn`, a private one has `player` and these alone.

    The usual kind has the table and the own hand.
    """

    def pieces(self, game: Just4FunGame, kind: Any) -> dict[str, tuple[int, ...]]:
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
        self._places = [game.board.place(field) for field in range(1, game.board.fields + 1)]
        return pieces

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

    def _put_turn(self, number: int, turn: TableTurn, seen: bool) -> None:
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


Just4FunGame.wrapped = WrappedJust4Fun
Just4FunGame.observer = Just4FunObserver


def _turn_words(turn: TableTurn, table: Table, seen: bool) -> str:
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
