"""Malawi on the page: what may be asked, what is drawn, and what positions are worth.

Values are those of `kulami malawi solve`: of a database that holds the position, else of a search
for a forced end, which knows no draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from ..bots import Clock
from ..bots.malawi.builtin import Greedy, Perfect, Random
from ..errors import BoardError, KulamiError
from ..game import NOBODY
from ..malawi import Board, Position, Solution, search, solve
from ..malawi.game import MalawiGame, MalawiState
from ..malawi.searching import SearchProgress
from .opponents import Opponent, opponent
from .requests import Field, Line, Seconds, Whole
from .searches import Limits, Search
from .siblings import Asked, Sibling, Work, choosing, movers

if TYPE_CHECKING:
    from ..malawi.probe import Database

__all__ = ["MALAWI", "Malawi", "MalawiMove", "MalawiValues"]

_MOST_COLUMNS: Final = 8
# A first look at every turn, so that something is there at once.
_GLANCE_DEPTH: Final = 4
_GLANCE_NODES: Final = 20_000

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
            raise BoardError(
                f"a board of {board.columns} columns: the page has room for {_MOST_COLUMNS}"
            )
        return MalawiState(MalawiGame(board), position)


class MalawiValues(Malawi):
    """What is it worth?"""

    time: Seconds | None = None


class MalawiMove(Malawi):
    """What does a bot play?"""

    bot: Field = "perfect"
    time: Seconds | None = None
    bot_seed: Whole = 0


def _shown(_asked: Malawi, states: Sequence[MalawiState]) -> dict[str, Any]:
    """Return what there is to say of the last of these states.

    Examples:
        >>> state = Malawi(board="2x3").start()
        >>> shown = _shown(Malawi(), [state])
        >>> shown["figures"]["a3"], shown["turn"], shown["legal"][:2]
        ({'side': 'red', 'beads': 2}, 'red', ['a3xa1', 'a3:b3'])
    """
    state = states[-1]
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
    over = state.to_move == NOBODY
    ended = None
    if over:
        ended = "repetition"
        if position.is_over:
            ended = "far_row" if position.winner == position.turn else "beads"
    return {
        "game": "malawi",
        "notation": position.mfn(),
        "columns": board.columns,
        "rows": board.rows,
        "seats": list(state.game.seats),
        "turn": position.turn,
        "over": over,
        "ended": ended,
        "winner": position.winner,
        "figures": figures,
        "beads": position.beads,
        "legal": list(state.moves),
        "times": 1 + state.before.count(position),
        "movers": list(movers(state.game, states)),
    }


def _valuing(
    asked: MalawiValues, state: MalawiState, limits: Limits, databases: Sequence[Database]
) -> Work:
    """Return the work of `/api/malawi/analyse`."""
    if state.to_move == NOBODY:
        raise KulamiError("the game is over: there is nothing to find out")
    position = state.position
    seconds = limits.time(asked.time)

    def work(search_of: Search) -> None:
        database = _holding(databases, position)
        if database is not None:
            search_of.tell(
                "solution", solve(position, database=database, every_move=True).to_json()
            )
            return
        options: dict[str, Any] = {"every_move": True, "stop": search_of.stop}
        found = search(position, depth=_GLANCE_DEPTH, nodes=_GLANCE_NODES, memory="1M", **options)
        glance = found.to_json()

        def report(progress: SearchProgress) -> None:
            said = {"within": progress.within, "nodes": progress.nodes}
            search_of.tell("progress", {**glance, **said, "seconds": progress.seconds})

        if found.value.outcome is None:
            search_of.tell("progress", glance)
            memory = limits.table(_plies(position), seconds, 1)
            found = search(position, time=seconds, memory=memory, progress=report, **options)
        search_of.tell("solution", found.to_json())

    return work


def _holding(databases: Sequence[Database], position: Position) -> Database | None:
    """Return the first database that has a position, None if no one has."""
    return next((database for database in databases if position in database), None)


def _choosing(
    asked: MalawiMove, state: MalawiState, limits: Limits, databases: Sequence[Database]
) -> Work:
    """Return the work of `/api/malawi/move`."""
    bot = opponent(asked.bot, asked.bot_seed, _BOTS)
    if isinstance(bot, Perfect):
        bot = _BoundedPerfect(asked.bot_seed, limits, databases)
    return choosing(bot, state, asked.time, limits)


class _BoundedPerfect:
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
            memory = self._limits.table(_plies(here), clock.seconds or self._limits.seconds, 1)
            return search(here, time=clock.seconds, memory=memory, stop=clock.stop, every_move=True)

        return Perfect(solved, seed=self._seed).choose(position, clock=clock)


def _plies(position: Position) -> int:
    """How many plies of a Kulami game fill as large a table, by trial."""
    return 2 * position.columns * position.rows + 1


_BOTS: Final[Mapping[str, Opponent]] = {
    "random": Opponent(lambda _strength, seed: Random(seed)),
    "greedy": Opponent(lambda _strength, seed: Greedy(seed)),
    "perfect": Opponent(lambda _strength, seed: Perfect(seed=seed), timed=True),
}

MALAWI: Final = Sibling(
    "malawi",
    position=Malawi,
    values=MalawiValues,
    move=MalawiMove,
    shown=_shown,
    picture=lambda _asked, state: state.svg(),
    valuing=_valuing,
    choosing=_choosing,
    bots=_BOTS,
    database=Position,
)
"""Malawi's part of the page."""
