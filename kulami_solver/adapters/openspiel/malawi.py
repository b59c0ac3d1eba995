"""Malawi in OpenSpiel, with the rule that the third occurrence of a position is a draw.

    board       columns x rows, like 6x6
    beads       on each figure at the start, 1 to 15
    plies       number of plies after which a game is drawn, 1 to 2^31 - 1

Red is player 0 and begins. A win returns 1, a loss -1, a draw 0.

With n squares, numbered row by row from the top, and m figures a side, an action is

    from * n + to                    a move to an empty square, or a hit of the figure there
    n * n + from * 2^(m-1) + set     a redistribution: who receives of the other own figures, one
                                     bit each in the order of their squares, the lowest first

A state is written as an MFN, the position without what has come before, and a game can begin from
one. As in OpenSpiel's chess, two states of the same text may therefore differ in how often a
position has come up. An algorithm that identifies states with the same text (`value_iteration`, for
instance) finds the values of the game without that rule, in which endless play is a draw. From a
start without a past they are the same; deep in a game, a way to win may be barred because it leads
through a position that has come up twice.
"""

from __future__ import annotations

from math import comb
from typing import Any, Final

import pyspiel

from ...core.notation import BLACK, RED
from ...errors import KulamiError, quoted
from ...malawi.board import Board, Turn
from ...malawi.game import MalawiState, make_game
from ...malawi.position import Position
from .wrapping import Kept, Observer, WrappedGame, WrappedState, checked_text, game_type

GAME_TYPE: Final = game_type("malawi", "Malawi", {"board": "6x6", "beads": 2, "plies": 2000})

PLANES: Final = (
    "own",
    "other",
    "own_beads",
    "other_beads",
    "repetitions",
    "to_move",
    "ones",
)
"""The tensors of an observation, each as high and as wide as the board.

own, other              figures of the player who looks, and of the other one
own_beads, other_beads  how many beads they carry
repetitions             throughout, how often the position has come up before: 2 ends the game
to_move                 1 throughout if the player who looks is to move
ones                    1 throughout
"""

_SEATS: Final = (RED, BLACK)
_COMING_UP: Final = 3  # the most occurrences of a position
_MOST_PLIES: Final = 2**31 - 1  # OpenSpiel counts the moves of a game in 32 bits


class MalawiGame(WrappedGame):
    """Malawi with its parameters; `pyspiel.load_game` makes it.

    Raises:
        KulamiError: if there is no such board.

    Examples:
        >>> state = pyspiel.load_game("malawi(board=2x3)").new_initial_state()
        >>> [(action, state.action_to_string(action)) for action in state.legal_actions()]
        [(24, 'a3xa1'), (31, 'b3xb1'), (45, 'a3:b3'), (47, 'b3:a3')]
    """

    def __init__(self, params: dict[str, Any]) -> None:
        board = checked_text("board", params["board"], "write columns x rows, like 3x4")
        self.game = make_game(board, params["beads"])
        self.start = Kept(self.game.start())
        self.most_plies: Final = params["plies"]
        if not 1 <= self.most_plies <= _MOST_PLIES:
            raise KulamiError(f"plies is {quoted(self.most_plies)}: give 1 to {_MOST_PLIES}")
        self.actions: Final = TurnActions(self.game.board)
        super().__init__(
            GAME_TYPE,
            params,
            actions=self.actions.number,
            longest=min(_longest(self.game.board), self.most_plies),
        )

    @property
    def board(self) -> Board:
        """The board."""
        return self.game.board


class WrappedMalawi(WrappedState):
    """A position of Malawi, and those that have come up before it."""

    def _is_cut(self) -> bool:
        """Whether the game is drawn because of its length."""
        return bool(self.move_number() >= self.get_game().most_plies)

    def current_player(self) -> int:
        return int(pyspiel.PlayerId.TERMINAL) if self._is_cut() else super().current_player()

    def is_terminal(self) -> bool:
        return self._is_cut() or super().is_terminal()

    def returns(self) -> list[float]:
        """The result of each player; 0 until the game is over, and if it was cut short."""
        return super().returns() if self._kept.player < 0 else [0.0, 0.0]

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self._is_cut() else super()._legal_actions(player)

    def _numbered_moves(self) -> dict[int, str]:
        position: Position = self.state.position
        placement = position.placement
        own = placement.red if position.turn == RED else placement.black
        actions: TurnActions = self.get_game().actions
        return {actions.of(turn, own): str(turn) for turn in position.legal_turns}


class TurnActions:
    """The numbering of turns as actions on a board.

    Examples:
        >>> actions = TurnActions(Board(2, 3))
        >>> actions.number, actions.of(Turn.parse("a3-a1"), 0b110000)
        (48, 24)
    """

    def __init__(self, board: Board) -> None:
        self._squares = {name: square for square, name in enumerate(board.fields)}
        self._sets = 1 << board.columns - 1
        self.number: Final = board.squares * (board.squares + self._sets)

    def of(self, turn: Turn, own: int) -> int:
        """Return the action of a turn.

        Args:
            turn: the turn.
            own: the squares of the figures of the side whose turn it is, one bit each.
        """
        squares = self._squares
        figure = squares[turn.figure]
        if turn.kind != "redistribution":
            return figure * len(squares) + squares[turn.targets[0]]
        others = [at for at in range(len(squares)) if own >> at & 1 and at != figure]
        receivers = sum(1 << others.index(squares[name]) for name in turn.targets)
        return len(squares) ** 2 + figure * self._sets + receivers


class MalawiObserver(Observer):
    """The board as tensors with names, and the MFN as string."""

    def pieces(self, game: MalawiGame, kind: Any) -> dict[str, tuple[int, ...]]:
        return dict.fromkeys(PLANES, (game.board.rows, game.board.columns))

    def set_from(self, state: WrappedMalawi, player: int) -> None:
        """Put a player's observation into `tensor` and `dict`."""
        house: MalawiState = state.state
        placement = house.position.placement
        figures = (placement.red, placement.black)
        for whose, mask in (("own", figures[player]), ("other", figures[1 - player])):
            there, carried = self.dict[whose].ravel(), self.dict[f"{whose}_beads"].ravel()
            for square, beads in enumerate(placement.beads):
                there[square] = mask >> square & 1
                carried[square] = beads * (mask >> square & 1)
        self.dict["repetitions"].fill(house.before.count(house.position))
        self.dict["to_move"].fill(house.to_move == player)
        self.dict["ones"].fill(1)


MalawiGame.wrapped = WrappedMalawi
MalawiGame.observer = MalawiObserver


def _longest(board: Board) -> int:
    """An upper bound of the number of turns in a game.

    Each position comes up at most three times. Positions are bounded by the ways to put the figures
    of both sides on squares, to divide at most all beads among each side's figures, and to move.
    """
    figures, squares = board.columns, board.squares
    placed = comb(squares, figures) * comb(squares - figures, figures)
    divided = comb(figures * board.beads + figures, figures)
    return _COMING_UP * 2 * placed * divided**2
