"""A database of any game: the common base class, what opens a file, and what verifies it.

A game's own `Database` derives from the one here. It opens the file, works out the shape of its
positions from the header, and answers questions; checksums, closing and pickling are done here.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from ..core.budgets import workers_of
from ..core.closing import Closing
from ..core.tasks import threads_or
from ..errors import quoted
from ..registry import module_of
from .container import DatabaseError, Header, OpenFile, check_game, game_of, is_proof

if TYPE_CHECKING:
    import concurrent.futures

H = TypeVar("H", bound=Header)


class Database(Closing, Generic[H]):
    """An open database of some game, from which each game's own derives.

    Each section's checksum is verified before the section is used.

    Args:
        path: the file.
        schema: the header of the game.

    Attributes:
        path: the file.
        place: its absolute path, whatever the working folder is later.
        bytes: its size.
        header: the file's header as plain JSON.
        positions: the number of positions in it.

    Raises:
        DatabaseError: as for `open_database`, and if the file is of another game.
        OSError: if it cannot be read.
    """

    #: The type of its positions; objects of other types are not in it.
    position_type: ClassVar[type]

    def __init__(self, path: str | os.PathLike[str], schema: type[H]) -> None:
        self._file = OpenFile(path, schema)
        self.path: str = self._file.name
        self.place: Final = self._file.place
        self.bytes: Final = self._file.size
        self.header: Final = self._file.said
        self.positions: Final[int] = self.header["positions"]

    @contextlib.contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        """Close the file if the rest of the opening fails."""
        try:
            yield
        except BaseException:
            self._file.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._file.closed

    def close(self) -> None:
        """Close the file; earlier answers stay valid, and further questions are refused."""
        self._file.close()

    def __repr__(self) -> str:
        return f"<Database {self.path}: {self.positions} positions of {self._board_text()}>"

    @abstractmethod
    def _board_text(self) -> str:
        """The board or layout of its positions."""

    @abstractmethod
    def get(self, position: Any) -> Any:
        """Return the value of a position, None if it is not in the file."""

    def __contains__(self, position: object) -> bool:
        return isinstance(position, self.position_type) and self.get(position) is not None

    def check_open(self) -> None:
        """Check that the file may be read; every method that reads it does so itself.

        Raises:
            DatabaseError: if it was closed, or its size has changed since it was opened.
        """
        self._file.check_open()

    def check_sections(self) -> Iterator[int]:
        """Verify the checksum of every section; yield the size of each.

        Raises:
            DatabaseError: if one is damaged, or the file may not be read.
        """
        sections = self.header["sections"]
        for section in sections:
            self._file.content(section).release()
        return iter([int(section["bytes"]) for section in sections])

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # Each other process opens the file once, and checks that it is the same.
        return _opened_once, (type(self), self.place, self._file.identity())


@functools.lru_cache(maxsize=4)
def _opened(kind: Callable[[str], Any], path: str, identity: bytes, file: tuple[int, ...]) -> Any:
    database = kind(path)
    if database._file.identity() != identity:
        database.close()
        raise DatabaseError(f"{path}: another database is there now; open it again")
    return database


def _opened_once(kind: Callable[[str], Any], path: str, identity: bytes) -> Any:
    # In a long process the same path may mean another file than before.
    found = os.stat(path)
    file = (found.st_dev, found.st_ino, found.st_mtime_ns)
    database = _opened(kind, path, identity, file)
    if database.closed:  # by an earlier user
        _opened.cache_clear()
        database = _opened(kind, path, identity, file)
    return database


def open_database(path: str | os.PathLike[str]) -> Any:
    """Open a database of any game; the header names the game.

    Args:
        path: the file, as a game's `build` makes it.

    Returns:
        The `Database` of its game: `kulami_solver.Database`, or `kulami_solver.malawi.Database`.

    Raises:
        DatabaseError: if it is no database, is of another version, truncated or damaged.
        OSError: if it cannot be read.

    Examples:
        >>> with open_database("data/3x4-level2.kdb") as database:
        ...     str(database.layout), database.value
        ('AABB/AABB/CCDD', 0)
        >>> open_database("README.md")
        Traceback (most recent call last):
        ...
        kulami_solver.storage.container.DatabaseError: README.md: not a Kulami database ...
    """
    return open_source(path, kind="database")


def open_source(
    path: str | os.PathLike[str], game: str | None = None, kind: str | None = None
) -> Any:
    """Open what knows values of positions: a database or a proof.

    Args:
        path: the file.
        game: whose positions are asked about; None for those of any game.
        kind: "database" or "proof", for the other is refused; None for both.

    Raises:
        DatabaseError: if it is no such file, is of another game or of another version, truncated
            or damaged.
        OSError: if it cannot be read.

    Examples:
        >>> with open_source("data/proofs/5x5-0.kpf") as source:
        ...     source.scoring.name
        'LEVEL0'
    """
    kind = kind or ("proof" if is_proof(path) else "database")
    if game is None:
        game = game_of(path, proof=kind == "proof")
    module = None if game is None else module_of(game)
    opened = None if module is None else getattr(importlib.import_module(module).GAME, kind)
    if opened is None:
        raise DatabaseError(f"{os.fspath(path)}: a database of another game, {quoted(game)}")
    return opened(path)


def refuse_other_game(database: object, game: str) -> None:
    """Refuse an open database of another game, and say of which it is; let anything else pass.

    Raises:
        DatabaseError: if it is one.
    """
    if isinstance(database, Database):
        check_game(database.path, database.header["game"], game)


Opened = TypeVar("Opened", bound=Database[Any])


@dataclass
class Verified:
    """The result of a verification.

    Attributes:
        positions: number of values that were computed again.
        bytes: number of bytes whose checksums were verified.
        searched: number of sampled positions whose margin a forward search found, too.
        problems: the faults found, in words; empty if there are none.
    """

    positions: int = 0
    bytes: int = 0
    searched: int = 0
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verified(
    database: str | os.PathLike[str] | Opened,
    opening: Callable[[str | os.PathLike[str]], Opened],
    check: Callable[[Opened, concurrent.futures.Executor, Verified], None],
    threads: int | None,
    executor: concurrent.futures.Executor | None,
) -> Verified:
    """Verify a database by its game's own check.

    Args:
        database: an open database, or the path of one.
        opening: opens a path as a database of the game.
        check: the check; it counts what it has done, and raises a `DatabaseError` for a fault.
        threads: the number of threads, as for `workers_of`.
        executor: runs the tasks instead; None for threads that end with the verification.

    Raises:
        BudgetError: if the number of threads makes no sense.
        DatabaseError: if the database was closed, or its size has changed since it was opened.
    """
    workers = workers_of(threads, name="threads")
    if isinstance(database, (str, os.PathLike)):
        try:
            with opening(database) as opened:
                return verified(opened, opening, check, threads, executor)
        except DatabaseError as error:
            return Verified(problems=(str(error),))
    database.check_open()
    tally = Verified()
    with threads_or(executor, workers) as pool:
        try:
            check(database, pool, tally)
        except DatabaseError as error:
            tally.problems = (str(error),)
    return tally
