"""Probing: open a database and ask it for positions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from ...core.locks import cached_over_forks
from ...core.whole_numbers import checked_index, whole_array
from ...errors import KulamiError, quoted
from ...game import Question, checked_question
from ...storage.container import DatabaseError, NotInDatabaseError, check_claims
from ...storage.database import Database as AnyDatabase
from ..position.position import Position, checked_position
from ..position.scoring import Scoring
from ..solve.solution import MoveValue, Solution
from ..solve.solver import Search
from ..solve.table import Oracle
from .classes import Classes
from .parts import Parts, Records
from .reader import DatabaseOracle
from .record_check import check_records
from .shape import Header, contexts_of, sections_of, shape_of

ABSENT: Final = -32768
"""The value `Database.probe_many` gives for a position that is not in the file."""


@dataclass(frozen=True)
class Ply:
    """The contents of one ply of a database.

    Attributes:
        ply: marbles placed since the root.
        positions: number of different positions, up to equivalence, that are not over.
        moves: number of legal moves from all of them together.
        ended: number of these moves that end the game.
        bytes: their size in the file.
        lowest: the least value in `values`.
        values: how many positions have the value `lowest`, `lowest` + 1, ...; a value is the margin
            for the side to move, less the part of it that is already decided.
    """

    ply: int
    positions: int
    moves: int
    ended: int
    bytes: int
    lowest: int
    values: tuple[int, ...]


class Database(AnyDatabase[Header]):
    """An open database; get one from `open_database`.

    It looks positions up one by one, by `get`. The rest follows from it by the rules: all that can
    be reached from a position in it is in it, too. Each part of the file is compared with its
    checksum before it is used.

    Attributes:
        path: the file.
        root: the position everything in it can be reached from.
        scoring: what counts.
        value: the root's margin, for the side to move.
        positions: how many positions it holds, up to equivalence.
        bytes: the size of the file.
        contexts: two arrays: the legal spots of each context, and the panel also barred in it.

    Examples:
        >>> import tempfile
        >>> from kulami_solver import Layout, Position, build, open_database
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = folder.name + "/small.kdb"
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> _ = build(path, start)
        >>> with open_database(path) as db:
        ...     solution = db.probe(start.play("a1"))
        ...     solution.margin, solution.best, db.get(start), start in db
        (0, 'c1', 0, True)
        >>> folder.cleanup()
    """

    position_type = Position

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, Header)
        with self._closed_on_failure():
            header = self._file.header
            shape = shape_of(self.path, header)
            self.root = shape.root
            self.scoring = shape.scoring
            self.value: Final = header.value
            self.layout = self.root.layout
            check_claims(self.path, sections_of(header, shape))
            raw, count = bytes(self._file.content(self.header["sections"][0])), header.contexts
            if raw != contexts_of(shape):
                raise DatabaseError(
                    f"{self.path}: its contexts are not those of its root; copy or build it again"
                )
            self.contexts: Final = (
                np.frombuffer(raw, np.uint64, count),
                np.frombuffer(raw, np.uint8, count, 8 * count),
            )
            self._classes = Classes(
                self.layout.geometry,
                *self.root.view[:2],
                self.scoring.area,
                self.scoring.chains,
                self.root.edition.in_all,
                header.fields,
                header.context_bits,
                *self.contexts,
                header.panels,
            )
            self._parts: Final = Parts(self._file, self._classes, shape.frame_bits)

    def close(self) -> None:
        super().close()
        self._parts.close()
        self.__dict__.pop("_oracle", None)

    def _board_text(self) -> str:
        return str(self.layout)

    # Contents

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The contents, ply by ply."""
        return tuple(
            Ply(ply, bytes=self._parts.bytes_of(ply), **msgspec.structs.asdict(about))
            for ply, about in enumerate(self._file.header.plies)
        )

    def parts(self, ply: int) -> int:
        """Return how many parts a ply consists of."""
        return len(self.part_sizes(ply))

    def part_sizes(self, ply: int) -> list[int]:
        """Return how many records each part of a ply holds, as the header says."""
        return self._parts.sizes(checked_index(ply, len(self.plies), "ply"))

    def records(self, ply: int, part: int) -> Records:
        """Return a part's records as arrays (frames, starts, details, values), all of them.

        Raises:
            DatabaseError: if the file is damaged there, or was closed.
        """
        return self._parts.records(ply, [checked_index(part, self.parts(ply), "part")])

    def check(
        self, ply: int, records: Records, following: Sequence[Records]
    ) -> tuple[int, int, int]:
        """Compute a part's values again from the values one ply later, by the rules alone.

        Args:
            ply: its ply.
            records: the part, as `records` gives it.
            following: all parts of the next ply.

        Returns:
            (number of the first wrong record, or -1; legal moves; moves that end the game).

        Raises:
            DatabaseError: if the parts of the next ply are out of order.
        """
        try:
            return check_records(self._classes, ply, *records, following)
        except ValueError as error:
            raise self._parts.damaged(ply + 1, error) from None

    # Asking

    def get(self, position: Position) -> int | None:
        """Return a position's margin for the side to move, None if it is not in the file.

        The margin of an ended game on this layout is counted from its marbles, not stored.

        Raises:
            PositionError: if it is not a position of Kulami.
            DatabaseError: if the file is damaged where it is read, was closed, or has another size
                than when it was opened.
        """
        self._file.check_open()
        if not isinstance(position, Position):  # a call would take as long as the look-up
            checked_position(position)
        if not self.may_hold(position):
            return None
        return self._margin(position)

    def _margin(self, position: Position) -> int | None:
        """The margin of a position that passed `may_hold`; None if it is not in the file."""
        return self._parts.reader.get(*position.view)

    def probe(self, position: Position, *, every_move: bool = False) -> Solution:
        """Return the solution of a position: margin, best field, line to the end.

        Args:
            position: any position in the file.
            every_move: the value of every legal field, too.

        Raises:
            NotInDatabaseError: if it is not in the file.
            DatabaseError: if the file is damaged where it is read.
        """
        margin = self._probed(position)
        line = []
        here, keep = position, margin
        while not here.is_over:
            for field in here.legal_fields:
                child = here.play(field)
                if -self._after_move(child) == keep:
                    line.append(field)
                    here, keep = child, -keep
                    break
            else:
                raise self._implausible(f"no field keeps the margin of {here.kfn()}")
        return Solution(
            position=position,
            scoring=self.scoring,
            lower=margin,
            upper=margin,
            best=line[0] if line else None,
            line=tuple(line),
            moves=self.move_values(position) if every_move else (),
            hits=1,
            source="database",
        )

    def move_values(self, position: Position) -> tuple[MoveValue, ...]:
        """Return the value of every legal field, best first.

        Raises:
            NotInDatabaseError: if the position is not in the file.
        """
        self._probed(position)
        moves = []
        for field in position.legal_fields:
            margin = -self._after_move(position.play(field))
            moves.append(MoveValue(field, margin, margin))
        return tuple(sorted(moves, key=lambda move: -move.lower))

    def may_hold(self, position: Position) -> bool:
        """Whether a position has this layout and runs out of marbles when the root's games do."""
        # Each look-up calls this, and a property takes as long as finding the record's part.
        layout, root = getattr(position, "_layout", None), self.root
        if layout is not self.layout and layout != self.layout:
            return False
        supply, needed = position._edition.in_all, root._edition.in_all
        return supply == needed or min(supply, needed) >= len(self.layout)

    def _probed(self, position: Position) -> int:
        margin = self.get(position)
        if margin is None:
            raise not_held(self.path, self.root, position)
        return margin

    def _after_move(self, position: Position) -> int:
        """The margin of a position after a move from one that is in the file."""
        margin = self._margin(position)
        if margin is None:
            raise self._implausible(
                f"{position.kfn()} is missing, to which a move leads from a position that it holds"
            )
        return margin

    def _implausible(self, why: str) -> DatabaseError:
        """The error for a position whose value is missing or contradicts another."""
        return DatabaseError(f"{self.path}: damaged, {why}; build it again")

    def probe_many(
        self, own: npt.ArrayLike, other: npt.ArrayLike, last: npt.ArrayLike, before: npt.ArrayLike
    ) -> npt.NDArray[np.int16]:
        """Return the margins of many positions, for the side to move.

        Args:
            own, other: marbles of the side to move, and of the other, as bit masks of fields.
            last, before: numbers of the fields of the last two marbles, -1 for none.

        Returns:
            An array of margins; `ABSENT` (-32768) where a position is not in the file.

        Raises:
            DatabaseError: as for `get`.
            KulamiError: if they are no arrays of whole numbers, of one length, or a number is
                below 0 (a field below -1) or too large to be one.

        Examples:
            >>> import tempfile
            >>> from kulami_solver import Layout, Position, build, open_database
            >>> folder = tempfile.TemporaryDirectory()
            >>> _ = build(folder.name + "/small.kdb", Position(Layout.parse("AAB/CCB")))
            >>> with open_database(folder.name + "/small.kdb") as db:
            ...     db.probe_many([0, 0, 1], [0, 1, 1], [-1, 0, 0], [-1, -1, -1])
            array([     0,      0, -32768], dtype=int16)
            >>> folder.cleanup()
        """
        self._file.check_open()
        owns = _whole_numbers("own", own, np.uint64, 0)
        others = _whole_numbers("other", other, np.uint64, 0)
        lasts = _whole_numbers("last", last, np.int8, -1)
        befores = _whole_numbers("before", before, np.int8, -1)
        if not len(owns) == len(others) == len(lasts) == len(befores):
            raise KulamiError("the arrays of positions differ in length")
        n = len(owns)
        plies, bases = np.empty(n, np.int16), np.zeros(n, np.int16)
        frames, details = np.empty(n, np.uint64), np.empty(n, np.uint64)
        self._classes.locate_many(owns, others, lasts, befores, plies, frames, details, bases)
        margins = np.where(plies == -1, bases, np.int16(ABSENT)).astype(np.int16)
        for ply in range(self._parts.plies):
            here = np.flatnonzero(plies == ply)
            if len(here):
                values, found = self._parts.values(ply, frames[here], details[here])
                margins[here] = np.where(found, values + bases[here], ABSENT)
        return margins

    def answer(self, question: Question) -> Solution | None:
        """Return the solution of a state, by a search that looks everything up.

        Returns:
            None if the state is not in the file.
        """
        state = checked_question(question).state
        if state.game.scoring is not self.scoring or state.position not in self:
            return None
        return Search(question, [self]).narrow()

    def oracle(self, position: Position, scoring: Scoring | str | int) -> Oracle | None:
        """Return an oracle that answers positions of the search for `position` from this file.

        Returns:
            None if the file can hold none of them: another layout, or number of marbles.

        Raises:
            DatabaseError: if it counts by another scoring, or was closed.
        """
        self._file.check_open()
        scoring = Scoring.parse(scoring)
        if scoring is not self.scoring:
            raise DatabaseError(
                "other_scoring", path=self.path, scoring=self.scoring.value, asked=scoring.value
            )
        return self._oracle if self.may_hold(checked_position(position)) else None

    @cached_over_forks
    def _oracle(self) -> DatabaseOracle:
        return DatabaseOracle(self._parts.reader)


def not_held(path: str, root: Position, position: Position) -> NotInDatabaseError:
    """The error for a position that a file does not hold.

    Args:
        path: the file.
        root: the position that the file was made from.
        position: the one that was asked for.
    """
    return NotInDatabaseError(
        "not_in_database", path=path, position=position.kfn(), root=root.kfn(), marbles=root.marbles
    )


def _whole_numbers(name: str, given: npt.ArrayLike, kind: Any, least: int) -> Any:
    """Numbers as an array of a kind, if that loses nothing."""
    found = whole_array(given)
    if found is None or found.ndim != 1:
        raise KulamiError(f"{name}: give a row of whole numbers, one a position")
    most = int(np.iinfo(kind).max)
    if len(found) and not least <= int(found.min()) <= int(found.max()) <= most:
        wrong = next(number for number in found.tolist() if not least <= number <= most)
        raise KulamiError(f"{name}: {quoted(wrong)} is none: give {least} to {most}")
    return np.ascontiguousarray(found, kind)


def arrays_of(positions: Sequence[Position]) -> tuple[Any, Any, Any, Any]:
    """Return positions as the arrays `Database.probe_many` takes."""
    views = [position.view for position in positions]
    own, other = (np.array([view[i] for view in views], np.uint64) for i in (0, 1))
    last, before = (np.array([view[i] for view in views], np.int8) for i in (2, 3))
    return own, other, last, before
