"""Boards of Malawi that are solved for a check or a grade: their databases, given or made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from kulami_solver.cli.ending import CommandError
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.game import Number, State
    from kulami_solver.malawi import Board, Database

#: What a board that is solved for this may take by the estimate, in seconds.
LONGEST = 60.0


class Solved:
    """Databases of boards: the one given, or made of small boards when first needed.

    Args:
        path: of the one given, None to make them.
        stack: closes them, and throws away what was made.
    """

    def __init__(self, path: str | None, stack: ExitStack) -> None:
        self._path = path
        self._stack = stack
        self._open: dict[Board, Database | None] = {}

    def database(self, board: Board) -> Database | None:
        """Return the database of a board; None if it takes too long to make it.

        Raises:
            CommandError: if the database given is of another board, or damaged.
        """
        if board not in self._open:
            with _of_the_database():
                self._open[board] = self._opened(board)
        return self._open[board]

    def known(self, board: Board) -> Callable[[State], Mapping[str, Number] | None] | None:
        """Return what knows the value of every turn on a board; None if nothing does.

        Raises:
            CommandError: as `database`; whoever asks what it knows may find that, too.
        """
        from kulami_solver.bots.malawi.suite import turn_worth

        database = self.database(board)
        if database is None:
            return None

        def worth(state: State) -> Mapping[str, Number] | None:
            position = state.position
            with _of_the_database():
                return turn_worth(database, position) if position in database else None

        return worth

    def _opened(self, board: Board) -> Database | None:
        from tempfile import TemporaryDirectory

        from kulami_solver.malawi import build, open_database

        path = self._path
        if path is None:
            if why_not_solved(board) is not None:
                return None
            folder = self._stack.enter_context(TemporaryDirectory())
            path = f"{folder}/{board}.kdb"
            build(path, board)
        database = self._stack.enter_context(open_database(path))
        if database.board != board:
            raise CommandError(
                "database_of_board",
                path=database.path,
                board=database.board,
                beads=database.board.beads,
                wanted=board,
                wanted_beads=board.beads,
            )
        return database


@contextmanager
def _of_the_database() -> Iterator[None]:
    """Let what is wrong with a database not be said of the record that it was asked about."""
    from kulami_solver.storage.container import DatabaseError

    try:
        yield
    except DatabaseError as error:
        raise CommandError(error) from None


def why_not_solved(board: Board) -> str | None:
    """Why a board is not solved for a check or a grade, None if it is."""
    from kulami_solver.malawi.solving import check_budget, estimate
    from kulami_solver.storage.resources import duration

    try:
        expected = estimate(board)
        check_budget(board, None, 1, None, force=False)
    except KulamiError as error:
        return str(error)
    if expected.seconds > LONGEST:
        return f"solving {board} from its ends may take {duration(expected.seconds)}"
    return None
