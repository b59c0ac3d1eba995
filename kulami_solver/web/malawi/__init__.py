"""Malawi on the page: its requests, its drawing, and the values of positions.

Values are those of `kulami malawi solve`: from a database that has the position, else from a search
for a forced end, which finds no draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from ...bots.malawi.builtin import Greedy, Perfect
from ...errors import BoardError
from ...game import NOBODY, State
from ...malawi.game import GAME
from ...malawi.replay import record_of
from ..games import ANY_BOTS, GamePage, Inquiry, Opponent
from ..replays import Replayed, asked_about

_MOST_COLUMNS: Final = 8


def _start(asked: Any) -> State:
    """Return the state before the moves: from `mfn`, or from `board` with `beads`."""
    state: Any = GAME.state(asked.mfn, board=asked.board, beads=asked.beads)
    columns = state.game.board.columns
    if columns > _MOST_COLUMNS:
        raise BoardError("too_many_columns", count=columns, most=_MOST_COLUMNS)
    return state  # type: ignore[no-any-return]


Malawi: Final = asked_about(GAME, start=_start)
"""A request about a game."""


class MalawiPage(GamePage):
    """Malawi's part of the page."""

    asked = Malawi
    bots: ClassVar[Mapping[str, Opponent]] = {
        "random": ANY_BOTS["random"],
        "greedy": Opponent(lambda _strength, seed: Greedy(seed)),
        "perfect": Opponent(lambda _strength, seed: Perfect(seed=seed), timed=True),
    }

    def database_shown(self, database: Any) -> dict[str, Any]:
        return {"board": str(database.board), "beads": database.board.beads}

    def shown(self, inquiry: Inquiry) -> dict[str, Any]:
        state = inquiry.state
        position, board = state.position, state.game.board
        placement = position.placement
        figures = {
            board.name(square): {
                "side": "red" if placement.red >> square & 1 else "black",
                "beads": placement.beads[square],
            }
            for square in range(board.squares)
            if (placement.red | placement.black) >> square & 1
        }
        ended = None
        if inquiry.turn is None:
            ended = "repetition"
            if position.is_over:
                ended = "far_row" if position.winner == position.turn else "beads"
        return {
            **self.basics(inquiry),
            "columns": board.columns,
            "rows": board.rows,
            "turn": position.turn,
            "ended": ended,
            "winner": position.winner,
            "figures": figures,
            "beads": position.beads,
            "legal": list(state.moves),
            "times": 1 + state.before.count(position),
        }

    def record(self, game: Replayed) -> dict[str, Any]:
        """Return a game as a record; if the game is over, the record names the winner."""
        begun, end = game.begun, game.states[-1]
        said = record_of(begun.game.board, begun.position, game.played)
        return said if end.to_move != NOBODY else {**said, "winner": end.position.winner}


PAGE: Final = MalawiPage("malawi")
"""Malawi's part of the page."""
