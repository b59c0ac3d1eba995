"""Malawi on the page: what may be asked, what is drawn, and what positions are worth.

Values are those of `kulami malawi solve`: of a database that holds the position, else of a search
for a forced end, which knows no draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

import msgspec

from ...bots import Clock
from ...bots.malawi.builtin import Greedy, Perfect, Random
from ...errors import BoardError
from ...game import NOBODY
from ...malawi import Board, Position, Solution, search, solve
from ...malawi.game import MalawiGame, MalawiState
from ...malawi.searching import SearchProgress, table_plies
from ..games import GamePage, Values
from ..opponents import Opponent
from ..replays import Asked, Replayed
from ..requests import Field, Line
from ..searches import Limits, Search

if TYPE_CHECKING:
    from ...malawi.probe import Database

__all__ = ["PAGE", "Malawi"]

_MOST_COLUMNS: Final = 8
# A first look at every turn, so that something is there at once.
_GLANCE_DEPTH: Final = 4
_GLANCE_NODES: Final = 20_000
_WORTH: Final = {"win": 1, "draw": 0, "loss": -1}

Beads = Annotated[int, msgspec.Meta(ge=1, le=15)]


class Malawi(Asked):
    """A position of Malawi, and the turns that lead on from it.

    Either `mfn`, or `board` (columns and rows, "6x6") with `beads`.
    """

    board: Field = "6x6"
    beads: Beads = 2
    mfn: Line | None = None

    def start(self) -> MalawiState:
        """Return the state before the moves.

        Raises:
            KulamiError: if there is none, or it is too large for the page.

        Examples:
            >>> Malawi(board="3x4", beads=1).start().notation()
            'b1b1b1/.../.../r1r1r1 r'
        """
        if self.mfn is None:
            board = Board.parse(self.board, self.beads)
            position = Position.start(board)
        else:
            position = Position.from_mfn(self.mfn)
            board = Board(position.columns, position.rows, self.beads)
        if board.columns > _MOST_COLUMNS:
            raise BoardError("too_many_columns", count=board.columns, most=_MOST_COLUMNS)
        return MalawiState(MalawiGame(board), position)


class MalawiPage(GamePage):
    """Malawi's part of the page."""

    asked = Malawi
    bots: ClassVar[Mapping[str, Opponent]] = {
        "random": Opponent(lambda _strength, seed: Random(seed)),
        "greedy": Opponent(lambda _strength, seed: Greedy(seed)),
        "perfect": Opponent(lambda _strength, seed: Perfect(seed=seed), timed=True),
    }

    def database_shown(self, database: Any) -> dict[str, Any]:
        """Return what a database is about."""
        return {"board": str(database.board), "beads": database.board.beads}

    def shown(self, asked: Any, game: Replayed) -> dict[str, Any]:
        """Return what there is to say of the last state."""
        state = game.states[-1]
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
        if state.to_move == NOBODY:
            ended = "repetition"
            if position.is_over:
                ended = "far_row" if position.winner == position.turn else "beads"
        return {
            **self.basics(asked, game),
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

    def solved(
        self,
        asked: Any,
        state: Any,
        seconds: float,
        search_of: Search,
        limits: Limits,
        databases: Sequence[Any],
    ) -> tuple[dict[str, Any], Values | None]:
        """Find out a value, by a database or a search; for the page as far as it has come."""
        position = state.position
        database = _holding(databases, position)
        found: Solution
        if database is not None:
            found = solve(position, database=database, every_move=True)
        else:
            options: dict[str, Any] = {"every_move": True, "stop": search_of.stop}
            found = search(
                position, depth=_GLANCE_DEPTH, nodes=_GLANCE_NODES, memory="1M", **options
            )
            glance = found.to_json()

            def report(progress: SearchProgress) -> None:
                said = {"within": progress.within, "nodes": progress.nodes}
                search_of.tell("progress", {**glance, **said, "seconds": progress.seconds})

            if found.value.outcome is None:
                search_of.tell("progress", glance)
                memory = limits.table(table_plies(position), seconds, 1)
                found = search(position, time=seconds, memory=memory, progress=report, **options)
        values = {str(one.turn): _WORTH.get(str(one.value.outcome)) for one in found.turns}
        known = {turn: value for turn, value in values.items() if value is not None}
        return found.to_json(), known if len(known) == len(values) else None

    def bounded(self, asked: Any, state: Any, limits: Limits, databases: Sequence[Any]) -> Any:
        """Return the bot; `perfect` asks databases, and has a table that the server allows."""
        bot = super().bounded(asked, state, limits, databases)
        return _Perfect(asked.bot_seed, limits, databases) if isinstance(bot, Perfect) else bot


class _Perfect:
    """`Perfect`, by databases or a search with a table no larger than the server allows."""

    name = "perfect"

    def __init__(self, seed: int, limits: Limits, databases: Sequence[Database]) -> None:
        self._seed = seed
        self._limits = limits
        self._databases = databases

    def choose(self, position: Position, *, clock: Clock) -> str:
        """Return a turn that is best as far as is known in the time."""

        def solved(here: Position) -> Solution:
            database = _holding(self._databases, here)
            if database is not None:
                return database.probe(here, every_move=True)
            memory = self._limits.table(table_plies(here), clock.seconds or self._limits.seconds, 1)
            return search(here, time=clock.seconds, memory=memory, stop=clock.stop, every_move=True)

        return Perfect(solved, seed=self._seed).choose(position, clock=clock)


def _holding(databases: Sequence[Database], position: Position) -> Database | None:
    """Return the first database that has a position, None if no one has."""
    return next((database for database in databases if position in database), None)


PAGE: Final = MalawiPage("malawi")
"""Malawi's part of the page."""
