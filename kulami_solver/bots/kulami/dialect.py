"""Kulami in UGI: positions as KFN, and the options scoring, marbles and shortend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from ...errors import KulamiError, PositionError
from ...game import State
from ...kulami.game import GAME, KulamiState, state_of
from ...kulami.position.layout import Layout
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ..dialect import Dialect, chosen


class KulamiDialect(Dialect):
    """The dialect of Kulami.

    Examples:
        >>> state = DIALECT.state("AAB/CCB r/3 b a1", {"scoring": "1"})
        >>> DIALECT.text(*state.for_bots())
        ('AAB/CCB r2/3 b a1', {'scoring': '1', 'marbles': '28', 'shortend': 'false'})
    """

    game: ClassVar = GAME
    title: ClassVar = "kulami"
    options: ClassVar = chosen(GAME, "scoring", "marbles", "short_end")

    def state(self, notation: str | None, options: Mapping[str, str]) -> KulamiState:
        """Return the position of a KFN, or the rulebook's square."""
        values = self.defaults | dict(options)
        marbles, short_end = int(values["marbles"]), values["shortend"] == "true"
        if notation is None:
            position = Position(Layout.square(), marbles=marbles, short_end=short_end)
        else:
            try:
                position = Position.from_kfn(notation, marbles, short_end)
            except KulamiError as error:
                # This message's remedy fits UGI, where options are set in another way.
                if error.code != "too_many_marbles":
                    raise
                raise PositionError("too_many_marbles_set", **error.values) from None
        return state_of(position, Scoring.parse(values["scoring"]))

    def after(self, state: State, moves: Sequence[str]) -> KulamiState:
        """Return the state after some marbles, with the errors of `Position.play_all`."""
        assert isinstance(state, KulamiState)
        return KulamiState(state.game, state.position.play_all(moves))

    def text(self, position: Position, told: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        scoring: Scoring = told.get("scoring", Scoring.LEVEL0)
        return position.kfn(), {
            "scoring": scoring.value,
            "marbles": str(position.marbles),
            "shortend": str(position.short_end).lower(),
        }

    def read_option(self, name: str, value: str) -> str:
        """Return a value of an option; a scoring may be in any of its spellings."""
        if name == "scoring":
            return Scoring.parse(value).value
        return super().read_option(name, value)

    def plies_left(self, position: Position) -> int:
        return position.plies_left


DIALECT: Final = KulamiDialect()
"""The dialect of Kulami."""
