"""Solved boards of Malawi for checks and grades: their databases, given or made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from kulami_solver.cli.ending import CommandError
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.game import Answer, Question, Source
    from kulami_solver.malawi import Board, Database

#: The most estimated time for solving a board here, in seconds.
LONGEST = 60.0


class Solved:
    """Databases of boards: a given one, or those of small boards, made when first needed.

    Args:
        path: the file of the given database; None to make databases.
        stack: closes the databases, and deletes those that were made.
    """

    def __init__(self, path: str | None, stack: ExitStack) -> None:
        self._path = path
        self._stack = stack
        self._open: dict[Board, Database | None] = {}

    def database(self, board: Board) -> Database | None:
        """Return the database of a board; None if it would take too long to make.

        Raises:
            CommandError: if the given database is of another board, or damaged.
        """
        if board not in self._open:
            with _of_the_database():
                self._open[board] = self._opened(board)
        return self._open[board]

    def sources(self, board: Board) -> tuple[Source, ...]:
        """Return what knows the value of every turn on a board; nothing without a database.

        Raises:
            CommandError: as `database`; the source may raise it, too.
        """
        database = self.database(board)
        return () if database is None else (_Given(database),)

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


class _Given:
    """A database as a source, whose damage is not that of the record in question."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def answer(self, question: Question) -> Answer | None:
        """Return the answer of the database."""
        with _of_the_database():
            return self._database.answer(question)


@contextmanager
def _of_the_database() -> Iterator[None]:
    """Report errors of a database as such, not as errors of the record in question."""
    from kulami_solver.storage.container import DatabaseError

    try:
        yield
    except DatabaseError as error:
        raise CommandError(error) from None


def why_not_solved(board: Board) -> str | None:
    """The reason why a board is not solved for a check or a grade; None if it is."""
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
