"""Kulami in OpenSpiel, on any layout and by any scoring: importing this registers it as `kulami`.

    layout      square, rulebook, or rows like AAB/CCB
    scoring     level0, level1, level2 or chains
    first       who begins: red, which is player 0, or black, which is player 1
    returns     margin: points, those of the other player with the other sign; or outcome: 1, 0, -1

An action is the number of a field, and its string the field's name. The observation has one tensor
for each of `kulami_solver.adapters.planes.PLANES`; as they lie one after the other, the flat one
can be reshaped to (planes, height, width). A state is written, and a game can begin from, a KFN:
`game.new_initial_state(text)`. Games and states can be serialized and pickled; the program that
reads them must import this module as well.

The other parameters are the options of the rules, `marbles` of each colour and so on.

OpenSpiel copies a state by copying every attribute of a fresh one, and serializes it by pickling
them. It writes a game as `kulami(layout=AAB/CCB,scoring=level0)` and reads a text in it as a number
if it looks like one, and so on; such a text is refused:

    112  1.2  -3    numbers                  true  False     truth values
    a,b             two parameters           x(y)            a game

Needs OpenSpiel, the `openspiel` extra. Source: github.com/google-deepmind/open_spiel, `spiel.h`,
`python/games`.

Examples:
    >>> import pyspiel
    >>> state = pyspiel.load_game("kulami(layout=AAB/CCB)").new_initial_state()
    >>> [state.action_to_string(action) for action in state.legal_actions()]
    ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    from ..errors import Phrase

    named = {"package": "OpenSpiel, on Python 3.11 or later", "extra": "openspiel"}
    raise ImportError(Phrase("extra_missing", **named)) from error

from ..errors import IllegalMoveError, KulamiError, quoted
from ..kulami.game import GAME, make_game
from ..kulami.position.layout import Layout
from ..kulami.position.position import Position
from ..kulami.position.scoring import Scoring
from .planes import PLANES, RETURNS, Planes, checked_returns, returned, widest_margin

GAME_TYPE: Final = pyspiel.GameType(
    short_name="kulami",
    long_name="Kulami",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=False,
    parameter_specification={
        **{option.name: option.default for option in GAME.options},
        "scoring": "level0",
        "returns": RETURNS[0],
    },
)

_NUMBER: Final = re.compile(r"[-+0-9.]*")
_TRUTH: Final = ("true", "True", "false", "False")
_BREAKING: Final = re.compile(r"[,=()\n]|^$")


class KulamiGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """Kulami with its parameters; `pyspiel.load_game` makes it.

    Raises:
        KulamiError: if a parameter makes no sense, or would not survive being serialized.

    Examples:
        >>> game = pyspiel.load_game("kulami(layout=AAB/CCB,scoring=level1,returns=outcome)")
        >>> game.num_distinct_actions(), game.max_utility()
        (6, 1.0)
        >>> pyspiel.load_game("kulami", {"layout": "1122"})
        Traceback (most recent call last):
        ...
        kulami_solver.errors.KulamiError: layout '1122' would be read as a number by OpenSpiel: \
call at least one panel by a letter
    """

    def __init__(self, params: dict[str, Any]) -> None:
        _check_text("layout", params["layout"], "call at least one panel by a letter")
        _check_text("first", params["first"], "write red or black")
        self._returns = checked_returns(params["returns"])
        said = {option.name: params[option.name] for option in GAME.options}
        self._game = make_game(**{**said, "scoring": _scoring(said["scoring"])})
        layout = self.layout
        self.planes: Final = Planes(layout)
        widest = 1
        if self._returns == "margin":
            widest = widest_margin(layout, self._game.scoring, self._game.marbles)
        information = pyspiel.GameInfo(
            num_distinct_actions=len(layout),
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-float(widest),
            max_utility=float(widest),
            utility_sum=0.0,
            max_game_length=min(len(layout), self._game.start().position.supply),
        )
        super().__init__(GAME_TYPE, information, params)

    @property
    def layout(self) -> Layout:
        """The layout."""
        return self._game.layout

    def new_initial_state(self, notation: str | None = None) -> KulamiState:
        """Return the start, or the position of a KFN.

        Raises:
            KulamiError: if the text is no position, or one on another layout.
        """
        state = self._game.start() if notation is None else self._game.read(notation)
        return KulamiState(self, state.position)

    def returns_of(self, position: Position) -> list[float]:
        """The result of a game that is over, for each player."""
        margin = position.score(self._game.scoring).margin
        return [returned(margin, self._returns), returned(-margin, self._returns)]

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return the maker of observations; with perfect recall, of histories.

        Raises:
            KulamiError: if there are parameters: observations have none.
        """
        kind = iig_obs_type
        if kind is None or (kind.public_info and not kind.perfect_recall):
            return KulamiObserver(self, params)
        return IIGObserverForPublicInfoGame(kind, params)


class KulamiState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A position of Kulami."""

    def __init__(self, game: KulamiGame, position: Position) -> None:
        super().__init__(game)
        self.position = position
        """The position."""

    def current_player(self) -> int:
        """Who is to move: 0 red, 1 black, or nobody because the game is over."""
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(self.position.turn == "black")

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """The result of each player; 0 until the game is over."""
        if not self.position.is_over:
            return [0.0, 0.0]
        found: list[float] = self.get_game().returns_of(self.position)
        return found

    def _legal_actions(self, player: int) -> list[int]:
        mask = self.position.legal_mask
        return [field for field in range(mask.bit_length()) if mask >> field & 1]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        fields = self.position.layout.fields
        if not 0 <= action < len(fields):
            raise IllegalMoveError("no_field_number", number=action, last=len(fields) - 1)
        return fields[action]

    def __str__(self) -> str:
        return self.position.kfn()


class KulamiObserver:
    """The planes of a position as tensors with names, and its KFN as string.

    Args:
        game: the game.
        params: of the observation; there are none.

    Raises:
        KulamiError: if there are parameters: observations have none.
    """

    def __init__(self, game: KulamiGame, params: Mapping[str, object] | None) -> None:
        if params:
            raise KulamiError(
                f"observations have no parameters: leave out {quoted(', '.join(map(str, params)))}"
            )
        self._planes = game.planes
        self._shown = np.zeros(self._planes.shape, np.float32)
        self.tensor = self._shown.ravel()
        self.dict = dict(zip(PLANES, self._shown, strict=True))

    def set_from(self, state: KulamiState, player: int) -> None:
        """Put a player's observation into `tensor` and `dict`."""
        self._planes.write(state.position, player, self._shown)

    def string_from(self, state: KulamiState, player: int) -> str:
        """Return a player's observation as text."""
        return str(state)


def _check_text(name: str, text: object, remedy: str) -> None:
    """Refuse a parameter's text that OpenSpiel would read back as something else.

    Args:
        name: of the parameter.
        text: the parameter's value.
        remedy: the advice in the message.
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


def _scoring(name: object) -> Scoring:
    remedy = "write level0, level1, level2 or chains"
    _check_text("scoring", name, remedy)
    try:
        return Scoring.parse(str(name))
    except KulamiError:
        raise KulamiError(f"{quoted(name)} is not a scoring: {remedy}") from None


pyspiel.register_game(GAME_TYPE, KulamiGame)
