"""Just 4 Fun in UGI: positions as JFN, and the options line and hand.

An engine is shown what its player sees: the other hand is `?`, unless all cards are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ...errors import PositionError
from ...just4fun import Board, Position
from ...just4fun.game import GAME, Just4FunGame, Just4FunState
from ..dialect import Dialect, chosen


class Just4FunDialect(Dialect):
    """The dialect of Just 4 Fun, for two players.

    Examples:
        >>> state = DIALECT.state("1x3 2:b1 r1b1 r r1.3,b? {1.2.2.3} -", {"hand": "2"})
        >>> state.moves
        ('1=1', '3=3')
        >>> DIALECT.text(*state.for_bots())
        ('1x3 2:b1 r1b1 r r1.3,b? {1.2.2.3} -', {'line': '4', 'hand': '2'})
    """

    game: ClassVar = GAME
    title: ClassVar = "kulami just4fun"
    options: ClassVar = chosen(GAME, "line", "hand")

    def state(self, notation: str | None, options: Mapping[str, str]) -> Just4FunState:
        """Return the position of a JFN, or the first deal on the printed board."""
        values = self.defaults | dict(options)
        line, hand = int(values["line"]), int(values["hand"])
        if notation is None:
            return Just4FunGame(Board.parse("2006"), line=line, hand=hand).start()
        position = Position.from_jfn(notation, line=line, hand=hand)
        if len(position.players) != 2:
            raise PositionError(
                "for_two_players", question="UGI", position=notation, count=len(position.players)
            )
        game = Just4FunGame(
            position.board, position.colours, line=line, hand=hand, dummy=position.ordered
        )
        return Just4FunState(game, position)

    def text(self, position: Position, told: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        return position.jfn(), {"line": str(position.line), "hand": str(position.hand)}

    def plies_left(self, position: Position) -> int:
        """Return how many stones are still to be placed."""
        return sum(position.left)


DIALECT = Just4FunDialect()
