"""A folder of databases: find the one that has a position, or an image of it.

Mirror images and rotations of a board count as the same board, whatever its panels are called. A
database also answers positions with the colours exchanged. So one file a board is enough.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import warnings
from collections.abc import Iterator
from typing import Final, TypeAlias

from ...core.closing import Closing
from ...core.files import files_in
from ...core.locks import free_in_forks
from ...errors import KulamiError, quoted
from ...storage.container import DatabaseError, NotInDatabaseError, entries_of
from ..position.layout import Layout
from ..position.layout_text import SYMMETRIES, named_in_order, trimmed
from ..position.position import Position, checked_position
from ..position.scoring import Scoring
from ..solve.solution import Solution
from .probe import Database

AnyPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

# Files that are open at the same time.
_MOST_OPEN: Final = 16


class Collection(Closing):
    """The databases of a folder that count by one scoring.

    Args:
        folder: files in it whose names end in `.kdb` are looked at.
        scoring: of the files that are asked.

    Attributes:
        folder: its name.
        scoring: what counts.
        refused: files that are damaged or cannot be read, as far as is known, each with its error.
            They are left aside; one that the system did not let be read is tried again later.

    Raises:
        DatabaseError: if `folder` is no name.
        NotationError: if `scoring` is no scoring.
        OSError: if the folder cannot be read.

    Examples:
        >>> with Collection("data", "2") as databases:
        ...     turned = Layout.parse("AABB/AABB/CCDD").rotated()
        ...     databases.probe(Position(turned, "black")).margin
        0
    """

    def __init__(self, folder: AnyPath, scoring: Scoring | str | int = "0") -> None:
        name = os.fsdecode(folder) if isinstance(folder, (str, bytes, os.PathLike)) else ""
        if not name or "\0" in name:  # an empty name would be the current folder
            raise DatabaseError(f"{quoted(folder)} is no name of a folder; give one")
        self.folder: Final = name
        self._place: Final = os.path.abspath(name)
        self.scoring: Final = Scoring.parse(scoring)
        self.refused: Final[dict[str, KulamiError | OSError]] = {}
        self._closed = False
        self._opened: dict[str, Database] = {}
        self._files: dict[str, list[str]] = {}
        self._opening: Final = free_in_forks(threading.Lock())
        self._unsorted: list[str] = files_in(self._place, ".kdb")
        self._sort()

    def _sort(self) -> None:
        """Sort the files by their boards; what the system does not let be read waits."""
        with self._opening:
            waiting, self._unsorted = self._unsorted, []
            for path in waiting:
                with self._leaving_aside(path):
                    header = entries_of(path, ("game", "scoring", "layout"))
                    if header["game"] == "kulami" and header["scoring"] == self.scoring.value:
                        board = str(Layout.parse(str(header["layout"])).canonical())
                        self._files.setdefault(board, []).append(path)
                if isinstance(self.refused.get(path), OSError):
                    self._unsorted.append(path)

    def __repr__(self) -> str:
        count = sum(map(len, self._files.values()))
        return f"<Collection {self.folder}: {count} files of scoring {self.scoring.value}>"

    def close(self) -> None:
        """Close all files; the folder answers no more."""
        self._closed = True
        while self._opened:
            self._opened.popitem()[1].close()

    def probe(self, position: Position, *, every_move: bool = False) -> Solution:
        """Return the solution from the first file that has a position, on the position's own board.

        Args:
            position: any.
            every_move: the value of every legal field, too.

        Raises:
            PositionError: if it is not a position of Kulami.
            NotInDatabaseError: if no file has it.
            DatabaseError: if the folder has been closed.
            OSError: if no other file has it, and the system does not let one of its board be read.
        """
        checked_position(position)
        if self._closed:
            raise DatabaseError(f"{self.folder}: the folder is closed; open it again")
        self._sort()
        fault = None
        for path in self._files.get(str(position.layout.canonical()), ()):
            if isinstance(self.refused.get(path), KulamiError):
                continue
            with self._leaving_aside(path):
                database = self._open(path)
                for moved in _ways_onto(position.layout, database.layout):
                    image = position._imaged(database.layout, moved)
                    if image in database:
                        solution = database.probe(image, every_move=every_move)
                        return _back(solution, position, moved)
            fault = fault or self.refused.get(path)
        if isinstance(fault, OSError):
            raise fault
        raise NotInDatabaseError(
            f"no database in {self.folder} that counts by scoring {self.scoring.value} holds "
            f"{position.kfn()}: build one with its board, or search for it instead"
        )

    def get(self, position: Position) -> int | None:
        """Return a position's margin for the side to move, None if no file has it."""
        try:
            return self.probe(position).margin
        except NotInDatabaseError:
            return None

    def __contains__(self, position: object) -> bool:
        return isinstance(position, Position) and self.get(position) is not None

    @contextlib.contextmanager
    def _leaving_aside(self, path: str) -> Iterator[None]:
        """Keep the error of a damaged file, so that the others go on."""
        try:
            yield
            self.refused.pop(path, None)
        except (KulamiError, OSError) as error:
            self.refused[path] = error

    def _open(self, path: str) -> Database:
        with self._opening:
            if path not in self._opened:
                if len(self._opened) >= _MOST_OPEN:
                    # Another thread may be asking this one: its last user lets go of the file.
                    del self._opened[next(iter(self._opened))]
                self._opened[path] = Database(path)
            return self._opened[path]

    def __reduce__(self) -> tuple[type[Collection], tuple[str, Scoring]]:
        return Collection, (self._place, self.scoring)


def open_folder(path: AnyPath, scoring: Scoring | str | int = "0") -> Collection:
    """Open the databases of a folder, to be asked as one.

    Args:
        path: of the folder; files in it whose names end in `.kdb` are looked at.
        scoring: of the files that are asked.

    Returns:
        A context manager with `probe`, `get` and `in`, as those of a database; a position on a
        mirror image or rotation of a file's board is found, too.

    Raises:
        DatabaseError: if `path` is no name.
        NotationError: if `scoring` is no scoring.
        OSError: if the folder cannot be read.

    Warns:
        RuntimeWarning: of each file that is damaged or cannot be read; the others are asked.

    Examples:
        >>> import tempfile
        >>> import kulami_solver as ks
        >>> start = ks.Position(ks.Layout.parse("AAB/CCB"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = ks.build(folder + "/small.kdb", start)
        ...     with ks.open_folder(folder) as databases:
        ...         turned = ks.Position(start.layout.rotated()).play("a1")
        ...         databases.get(turned), turned in databases
        (0, True)
    """
    folder = Collection(path, scoring)
    for error in folder.refused.values():
        warnings.warn(f"left aside: {error}", RuntimeWarning, stacklevel=2)
    return folder


def _ways_onto(layout: Layout, other: Layout) -> Iterator[tuple[int, ...]]:
    """The mappings of a board onto another: for each field, the number that it has there."""
    wanted = named_in_order(trimmed(other.rows))
    for symmetry in SYMMETRIES:
        image, moved = layout.image(symmetry)
        if named_in_order(trimmed(image.rows)) == wanted:
            yield moved


def _back(solution: Solution, position: Position, moved: tuple[int, ...]) -> Solution:
    """The solution of a position's image, as a solution of the position."""
    there = solution.position.layout.fields
    name = {there[new]: position.layout.fields[old] for old, new in enumerate(moved)}
    return dataclasses.replace(
        solution,
        position=position,
        best=None if solution.best is None else name[solution.best],
        line=tuple(name[field] for field in solution.line),
        moves=tuple(dataclasses.replace(move, move=name[move.field]) for move in solution.moves),
    )
