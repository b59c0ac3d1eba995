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
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from ...errors import KulamiError
from ...just4fun.board import PRINTED, Board
from ...just4fun.cards import HIGHEST_CARD
from ...just4fun.checks import MAX_LINE, STONES_OF_A_COLOUR, whole_option
from ...just4fun.game import Just4FunGame as HouseGame
from ...just4fun.moves import DISCARD
from ...just4fun.notation import COLOURS
from ...just4fun.rules import IDLE_TURNS
from .just4fun_observation import Just4FunObserver
from .just4fun_table import Actions, Table, actions_of, read_deck
from .parameters import checked_text
from .states import Kept, WrappedState, game_type

_HANDS: Final = ("hidden", "open")
_PRINTED: Final = "printed"
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


class Just4FunGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
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
            raise KulamiError("hands_kind", given=hands, kinds=" or ".join(_HANDS))
        self.hidden: Final = hands == _HANDS[0]
        players: int = params["players"]
        if not 2 <= players <= len(COLOURS):
            raise KulamiError("players_count", given=players, most=len(COLOURS))
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
        self._start = Kept(Table(self.game, deck))
        most_turns = players * stones * IDLE_TURNS
        self.turns_kept: Final = min(most_turns, max(_TURNS_KEPT, 4 * players * stones))
        self._most_draws: int = players * hand + most_turns * hand
        information = pyspiel.GameInfo(
            num_distinct_actions=self.actions.number,
            max_chance_outcomes=HIGHEST_CARD,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=most_turns,
        )
        super().__init__(_game_type(self.hidden), information, params)

    @property
    def board(self) -> Board:
        """The board."""
        return self.game.board

    def max_chance_nodes_in_history(self) -> int:
        """How many cards can be dealt and drawn at most."""
        return self._most_draws

    def new_initial_state(self, jfn: str | None = None) -> Just4FunState:
        """Return the state before the deal, or that of a JFN with open hands.

        Raises:
            KulamiError: if the text is not a position, or is one of another board or other players.
        """
        if jfn is None:
            return Just4FunState(self, self._start)
        return Just4FunState(self, Kept(Table.read(self.game, jfn)))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return the maker of observations; with open hands and perfect recall, of the history."""
        if self.hidden or iig_obs_type is None:
            return Just4FunObserver(self, iig_obs_type, params)
        if iig_obs_type.public_info and not iig_obs_type.perfect_recall:
            return Just4FunObserver(self, iig_obs_type, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class Just4FunState(WrappedState):
    """A state of Just 4 Fun, cards that are being dealt or drawn among them."""

    def _numbered_moves(self) -> dict[int, str]:
        table: Table = self.state
        actions: Actions = self.get_game().actions
        return {actions.of(move): str(move) for move in table.legal_moves}

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> Just4FunState:
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
            raise KulamiError("no_player_to_move")
        draw = Random(sampler())
        for _ in range(_TRIES):
            try:
                guess = table.guessed(player if game.hidden else None, draw)
                state: Just4FunState = game.new_initial_state(None if table.deck else guess.begun)
                for card in guess.dealt if table.deck else ():
                    state.apply_action(card - 1)
                for turn, cards in zip(table.turns, guess.drawn, strict=True):
                    state.apply_action(game.actions.of(turn.move))
                    for card in cards:
                        state.apply_action(card - 1)
            except (KulamiError, pyspiel.SpielError):
                continue  # a card that was not yet back in the stock
            return state
        copy: Just4FunState = self.clone()
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
        move = self.get_game().actions.move(action)
        return DISCARD if move is None else str(move)


def _read_board(text: object) -> Board:
    remedy = "write printed, HEIGHTxWIDTH, or rows like 4.1/3.2, a single one with / behind it"
    checked = checked_text("board", text, remedy)
    rows = checked.removesuffix("/").replace(".", ",")
    return Board.parse(PRINTED if checked == _PRINTED else rows)
