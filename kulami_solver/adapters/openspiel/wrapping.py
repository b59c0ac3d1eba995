"""The part that the games share: a `kulami_solver.game.State` as a state of OpenSpiel.

OpenSpiel copies a state by copying every attribute of a fresh one, and serializes it by pickling
them. The house's states never change, so a copy is the state itself: `Kept` says so.

A game is written, serialized and pickled as `kulami(layout=AAB/CCB,scoring=level0)`. A text in it
is read as a number if it looks like one, and so on; `checked_text` refuses such a text:

    112  1.2  -3    numbers                  true  False     truth values
    a,b             two parameters           x(y)            a game
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from ...errors import IllegalMoveError, KulamiError, quoted
from ...game import CHANCE, NOBODY

_NUMBER: Final = re.compile(r"[-+0-9.]*")
_TRUTH: Final = ("true", "True", "false", "False")
_BREAKING: Final = re.compile(r"[,=()\n]|^$")

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


class WrappedGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """The common part of the three games: `game` is the package's own, and `start` its start.

    Args:
        kind: of the game, as `game_type` returns it.
        params: the parameters.
        actions: how many different ones there are.
        longest: plies of the longest game.
        players: how many.
        utility: the highest return; the lowest is the same with the other sign.
        outcomes: the most outcomes of chance at once.
    """

    hidden = False
    """Whether anything is hidden from a player."""

    wrapped: type[WrappedState]
    """Its class of states."""

    observer: type[Observer]
    """Its makers of observations: of a game, the kind of what is in them, and parameters."""

    def __init__(
        self,
        kind: Any,
        params: dict[str, Any],
        *,
        actions: int,
        longest: int,
        players: int = 2,
        utility: float = 1.0,
        outcomes: int = 0,
    ) -> None:
        information = pyspiel.GameInfo(
            num_distinct_actions=actions,
            max_chance_outcomes=outcomes,
            num_players=players,
            min_utility=-utility,
            max_utility=utility,
            utility_sum=0.0,
            max_game_length=longest,
        )
        super().__init__(kind, information, params)

    def new_initial_state(self, notation: str | None = None) -> WrappedState:
        """Return the start, or the state that a text in the game's notation stands for.

        It is as if nothing had come before it.

        Raises:
            KulamiError: if the text is no state, or one of another board or other players.
        """
        return self.wrapped(self, self.start if notation is None else self.read(notation))

    def read(self, notation: str) -> Kept:
        """Return the state of a text."""
        return Kept(self.game.read(notation))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return the maker of observations; with perfect recall, of histories if nothing is hidden.

        Raises:
            KulamiError: if there are parameters: observations have none.
        """
        kind = iig_obs_type
        if self.hidden or kind is None or (kind.public_info and not kind.perfect_recall):
            return self.observer(self, kind, params)
        return IIGObserverForPublicInfoGame(kind, params)


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

    def _action_to_string(self, player: int, action: int) -> str:
        return self._move(action)

    def _apply_action(self, action: int) -> None:
        self._kept = Kept(self.state.play(self._move(action)))

    def _move(self, action: int) -> str:
        """The move of an action, if it is legal."""
        move = self.moves_by_action().get(action)
        if move is None:
            raise IllegalMoveError(f"action {action} is not legal in {self}")
        return move

    def __str__(self) -> str:
        notation: str = self.state.notation()
        return notation


class Observer:
    """A tensor of numbers that show a state to a player, with views of its parts by name.

    Args:
        game: the game.
        kind: what is in them, a `pyspiel.IIGObservationType`; None for the usual.
        params: of the observation; there are none.

    Raises:
        KulamiError: if there are parameters: observations have none.
    """

    def __init__(self, game: Any, kind: Any, params: Mapping[str, object] | None) -> None:
        if params:
            raise KulamiError(
                f"observations have no parameters: leave out {quoted(', '.join(map(str, params)))}"
            )
        pieces = self.pieces(game, kind)
        sizes = [int(np.prod(shape)) for shape in pieces.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {
            name: part.reshape(shape)
            for (name, shape), part in zip(pieces.items(), parts, strict=True)
        }

    def pieces(self, game: Any, kind: Any) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of the parts, in the order in which they lie in the tensor."""
        raise NotImplementedError

    def string_from(self, state: WrappedState, player: int) -> str:
        """Return a player's observation as text."""
        return str(state)


def checked_text(name: str, text: object, remedy: str) -> str:
    """Return a parameter's text if OpenSpiel reads it back unchanged.

    Args:
        name: of the parameter.
        text: the parameter's value.
        remedy: the advice in the message.

    Raises:
        KulamiError: if it would be read as something else.

    Examples:
        >>> checked_text("layout", "112/112", "call a panel by a letter")
        '112/112'
        >>> checked_text("layout", "112", "call a panel by a letter")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: layout '112' would be read as a number by OpenSpiel: \
call a panel by a letter
    """
    if not isinstance(text, str):
        raise KulamiError(f"{name} is {quoted(text)}, which is no text: {remedy}")
    if _BREAKING.search(text):
        raise KulamiError(
            f"{name} {quoted(text)} cannot be a parameter in OpenSpiel, where commas, brackets and "
            f"equals signs part them: {remedy}"
        )
    kind = "a number" if _NUMBER.fullmatch(text) else "a truth value" if text in _TRUTH else ""
    if kind:
        raise KulamiError(f"{name} {quoted(text)} would be read as {kind} by OpenSpiel: {remedy}")
    return text
