"""Kulami in OpenSpiel, on any layout and by any scoring.

    layout      square, rulebook, or rows like AAB/CCB
    scoring     level0, level1, level2 or chains
    first       who begins: red, which is player 0, or black, which is player 1
    marbles     of each colour, 1 to 64
    short_end   the game ends as soon as one player has placed all marbles
    returns     margin: points, those of the other player with the other sign; or outcome: 1, 0, -1

An action is the number of a field, and its string the field's name. The observation has one tensor
for each of `kulami_solver.adapters.planes.PLANES`; as they lie one after the other, the flat one
can be reshaped to (planes, height, width). A state is written, and a game can begin from, a KFN.
"""

from __future__ import annotations

from typing import Any, Final

from ...errors import IllegalMoveError, KulamiError, quoted
from ...kulami.game import make_game
from ...kulami.position.layout import Layout
from ...kulami.position.position import MARBLES, Position
from ...kulami.position.scoring import Scoring
from ..planes import PLANES, RETURNS, Planes, checked_returns, returned, widest_margin
from .wrapping import Kept, Observer, WrappedGame, WrappedState, checked_text, game_type

GAME_TYPE: Final = game_type(
    "kulami",
    "Kulami",
    {
        "layout": "square",
        "scoring": "level0",
        "first": "red",
        "marbles": MARBLES,
        "short_end": False,
        "returns": RETURNS[0],
    },
)


class KulamiGame(WrappedGame):
    """Kulami with its parameters; `pyspiel.load_game` makes it.

    Raises:
        KulamiError: if a parameter makes no sense, or would not survive being serialized.

    Examples:
        >>> import pyspiel
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
        checked_text("layout", params["layout"], "call at least one panel by a letter")
        checked_text("first", params["first"], "write red or black")
        self._returns = checked_returns(params["returns"])
        self.game = make_game(
            params["layout"],
            _scoring(params["scoring"]),
            params["first"],
            params["marbles"],
            params["short_end"],
        )
        self.start = Kept(self.game.start())
        layout = self.game.layout
        self.planes: Final = Planes(layout)
        widest = 1
        if self._returns == "margin":
            widest = widest_margin(layout, self.game.scoring, self.game.marbles)
        super().__init__(
            GAME_TYPE,
            params,
            actions=len(layout),
            longest=min(len(layout), self.start.state.position.supply),
            utility=float(widest),
        )

    @property
    def layout(self) -> Layout:
        """The layout."""
        return self.game.layout

    def value_of(self, margin: int) -> float:
        """A margin in the unit of the returns."""
        return returned(margin, self._returns)


class WrappedKulami(WrappedState):
    """A position of Kulami."""

    @property
    def position(self) -> Position:
        """The position."""
        position: Position = self.state.position
        return position

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        game = self.get_game()
        return [game.value_of(margin) for margin in self.state.returns()]

    def _legal_actions(self, player: int) -> list[int]:
        mask = self.position.legal_mask
        return [field for field in range(mask.bit_length()) if mask >> field & 1]

    def _apply_action(self, action: int) -> None:
        self._kept = Kept(self.state.play(action))

    def _action_to_string(self, player: int, action: int) -> str:
        fields = self.position.layout.fields
        if not 0 <= action < len(fields):
            raise IllegalMoveError("no_field_number", number=action, last=len(fields) - 1)
        return fields[action]


class KulamiObserver(Observer):
    """The planes of a position as tensors with names, and its KFN as string."""

    def pieces(self, game: KulamiGame, kind: Any) -> dict[str, tuple[int, ...]]:
        self._planes = game.planes
        return dict.fromkeys(PLANES, game.planes.shape[1:])

    def set_from(self, state: WrappedKulami, player: int) -> None:
        """Put a player's observation into `tensor` and `dict`."""
        self._planes.write(state.position, player, self.tensor.reshape(self._planes.shape))


KulamiGame.wrapped = WrappedKulami
KulamiGame.observer = KulamiObserver


def _scoring(name: object) -> Scoring:
    remedy = "write level0, level1, level2 or chains"
    text = checked_text("scoring", name, remedy)
    try:
        return Scoring.parse(text)
    except KulamiError:
        raise KulamiError(
            f"{quoted(text)} is not a scoring: write level0, level1, level2 or chains"
        ) from None
