"""States of the games as states of OpenSpiel.

OpenSpiel copies a state by copying every attribute of a fresh one, and serializes it by pickling
them. The house's states never change, so a copy is the state itself: `Kept` says so.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
import pyspiel

from ...errors import IllegalMoveError
from ...game import CHANCE, NOBODY

_PLAYERS: Final = {
    CHANCE: int(pyspiel.PlayerId.CHANCE),
    NOBODY: int(pyspiel.PlayerId.TERMINAL),
}


def game_type(
    short_name: str,
    long_name: str,
    parameters: dict[str, Any],
    *,
    players: int = 2,
    chance: bool = False,
    hidden: bool = False,
) -> Any:
    """Return the `pyspiel.GameType` of a game.

    Args:
        short_name: the name for `pyspiel.load_game`.
        long_name: the name for people.
        parameters: the parameters with their default values.
        players: the largest number of players.
        chance, hidden: whether anything is left to chance, or hidden from a player.
    """
    kind = pyspiel.GameType
    deterministic, random = kind.ChanceMode.DETERMINISTIC, kind.ChanceMode.EXPLICIT_STOCHASTIC
    seen, unseen = kind.Information.PERFECT_INFORMATION, kind.Information.IMPERFECT_INFORMATION
    return kind(
        short_name=short_name,
        long_name=long_name,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=random if chance else deterministic,
        information=unseen if hidden else seen,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=players,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=hidden,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=hidden,
        parameter_specification=parameters,
    )


class Kept:
    """A state of the package, with a cache of answers about it."""

    def __init__(self, state: Any) -> None:
        self.state: Final = state
        self.moves: dict[int, str] | None = None
        """The moves by action, after their first use."""

    @cached_property
    def player(self) -> int:
        """The player to move, in OpenSpiel's numbering."""
        to_move: int = self.state.to_move
        return _PLAYERS.get(to_move, to_move)

    def __deepcopy__(self, memo: dict[int, Any]) -> Kept:
        return self

    def __reduce__(self) -> tuple[type[Kept], tuple[Any]]:
        return Kept, (self.state,)


class WrappedState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """The common part of the states of all three games.

    A game's own class numbers the moves: `_numbered_moves`.
    """

    def __init__(self, game: Any, kept: Kept) -> None:
        super().__init__(game)
        self._kept = kept

    @property
    def state(self) -> Any:
        """The game's own state."""
        return self._kept.state

    def moves_by_action(self) -> dict[int, str]:
        """The moves of the player to move, by action, rising; none while cards come."""
        if self._kept.moves is None:
            found = self._numbered_moves() if self._kept.player >= 0 else {}
            self._kept.moves = dict(sorted(found.items()))
        return self._kept.moves

    def _numbered_moves(self) -> dict[int, str]:
        """The moves of the player to move, by action."""
        raise NotImplementedError

    def current_player(self) -> int:
        """Who is to move: a seat, chance, or nobody because the game is over."""
        return self._kept.player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._kept.player == _PLAYERS[NOBODY]

    def returns(self) -> list[float]:
        """The result of each player; 0 until the game is over."""
        if not self.is_terminal():
            return [0.0] * len(self.state.game.seats)
        return [float(won) for won in self.state.returns()]

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.moves_by_action())

    def _apply_action(self, action: int) -> None:
        move = self.moves_by_action().get(action)
        if move is None:
            raise IllegalMoveError("action_not_legal", action=action, state=self)
        self._kept = Kept(self.state.play(move))

    def __str__(self) -> str:
        notation: str = self.state.notation()
        return notation


def tensor_of(pieces: dict[str, tuple[int, ...]]) -> tuple[Any, dict[str, Any]]:
    """Return a flat tensor, and views of it by name.

    Args:
        pieces: the shapes, in the order in which they lie in the tensor.

    Examples:
        >>> tensor, views = tensor_of({"hand": (2,), "board": (2, 3)})
        >>> views["board"][1, 2] = 5
        >>> tensor.tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0]
    """
    sizes = [int(np.prod(shape)) for shape in pieces.values()]
    tensor = np.zeros(sum(sizes), np.float32)
    views, at = {}, 0
    for (name, shape), size in zip(pieces.items(), sizes, strict=True):
        views[name] = tensor[at : at + size].reshape(shape)
        at += size
    return tensor, views
