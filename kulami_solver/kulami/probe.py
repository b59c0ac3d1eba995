"""Probing: open a database and ask it for positions."""

from __future__ import annotations

import bisect
import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..core.records import Codec, PackedRecords, alphabets
from ..errors import KulamiError, quoted
from ..storage.container import DatabaseError, NotInDatabaseError, OpenFile
from .classes import Classes
from .database_oracle import DatabaseOracle
from .header import Header, contexts_of, shape_of
from .layout import Layout
from .oracle import Oracle
from .position import Position
from .record_check import check_records
from .scoring import Scoring
from .solution import MoveValue, Solution

__all__ = ["ABSENT", "Database", "Ply", "Records", "open_database"]

ABSENT: Final = -32768
"""What `Database.probe_many` gives for a position that is not in the file."""

Records = tuple[Any, Any, Any, Any]
_BLOCK: Final = 64


@dataclass(frozen=True)
class Ply:
    """What a database holds of one ply.

    Attributes:
        ply: marbles placed since the root.
        positions: how many different positions, up to equivalence, that are not over.
        moves: legal moves from them, all together.
        ended: how many of these moves end the game.
        lowest: the least value in `values`.
        values: how many positions have the value `lowest`, `lowest` + 1, ...; a value is what the
            margin for the side to move has yet to gain beyond what is settled.
        bytes: what they take in the file.
    """

    ply: int
    positions: int
    moves: int
    ended: int
    lowest: int
    values: tuple[int, ...]
    bytes: int


class Database:
    """An open database; get one from `open_database`.

    What is read of the file is compared with its checksum first, part by part.

    Attributes:
        path: the file.
        root: the position everything in it can be reached from.
        scoring: what counts.
        value: the root's margin, for the side to move.
        positions: how many positions it holds, up to equivalence.
        bytes: the size of the file.
        contexts: of each context, the legal spots and the panel barred besides, as arrays.

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

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file: Final = OpenFile(path, Header)
        self.path: Final = self._file.name
        self.bytes: Final = self._file.size
        self.header: Final = self._file.said
        self._lock = threading.Lock()
        self._parts: dict[tuple[int, int], PackedRecords] = {}
        self._codecs: dict[int, Codec] = {}
        try:
            header = self._file.header
            shape = shape_of(self.path, header)
            self.root: Final[Position] = shape.root
            self.scoring: Final[Scoring] = shape.scoring
            self.value: Final = header.value
            self.positions: Final = header.positions
            self.layout: Final[Layout] = self.root.layout
            self._marbles, self._short_end = self.root.marbles, self.root.short_end
            self._digits = header.digits
            self._frame_bits: Final = shape.frame_bits
            listed = self.header["sections"]
            self._codes = {s["ply"]: s for s in listed if s["kind"] == "codes"}
            self._sections: list[list[dict[str, Any]]] = [
                [s for s in listed if s["kind"] == "records" and s["ply"] == ply]
                for ply in range(len(header.plies))
            ]
            self._firsts = [[tuple(s["first"]) for s in parts] for parts in self._sections]
            raw, count = bytes(self._file.content(listed[0])), header.contexts
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
                self._marbles_in_all(self.root),
                header.fields,
                header.context_bits,
                *self.contexts,
                header.panels,
            )
        except BaseException:
            self._file.close()
            raise

    # Being open

    def close(self) -> None:
        """Close the file; what was asked before stays valid, and nothing more can be asked."""
        self._file.close()
        self._parts.clear()
        self._codecs.clear()
        self.__dict__.pop("_oracle", None)

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Database {self.path}: {self.positions} positions of {self.layout}>"

    # What is in it

    @property
    def plies(self) -> tuple[Ply, ...]:
        """What it holds, ply by ply."""
        return tuple(
            Ply(
                ply,
                about["positions"],
                about["moves"],
                about["ended"],
                about["lowest"],
                tuple(about["values"]),
                self._codes[ply]["bytes"] + sum(part["bytes"] for part in self._sections[ply]),
            )
            for ply, about in enumerate(self.header["plies"])
        )

    def parts(self, ply: int) -> int:
        """Return how many parts a ply consists of."""
        return len(self._sections[ply])

    def records(self, ply: int, part: int) -> Records:
        """Return a part's records as arrays (frames, starts, details, values), all of them.

        Raises:
            DatabaseError: if the file is damaged there, or was closed.
        """
        opened = self._part(ply, part)
        try:
            records: Records = opened.unpack()
        except ValueError as error:
            raise self._damaged(ply, error) from None
        if int(records[0][-1]) >> self._frame_bits:
            raise self._damaged(ply, ValueError("a frame that no position has"))
        return records

    def check(
        self, ply: int, records: Records, following: Sequence[Records]
    ) -> tuple[int, int, int]:
        """Compute a part's values again from those one ply later, by the rules alone.

        Args:
            ply: its ply.
            records: the part, as `records` gives it.
            following: all parts of the next ply.

        Returns:
            (number of the first record that is wrong, or -1; legal moves; those that end games).

        Raises:
            DatabaseError: if the parts of the next ply are out of order.
        """
        try:
            return check_records(self._classes, ply, *records, following)
        except ValueError as error:
            raise self._damaged(ply + 1, error) from None

    def check_sections(self) -> Iterator[int]:
        """Compare every section with its checksum, yielding the bytes of each.

        Raises:
            DatabaseError: if one is damaged.
        """
        for section in self.header["sections"]:
            self._file.check_section(section)
            yield int(section["bytes"])

    def check_open(self) -> None:
        """Look whether the file may be read; all that reads it does so by itself.

        Raises:
            DatabaseError: if it was closed, or its size has changed since it was opened.
        """
        self._file.check_open()

    # Asking

    def __contains__(self, position: object) -> bool:
        return isinstance(position, Position) and self.get(position) is not None

    def get(self, position: Position) -> int | None:
        """Return a position's margin for the side to move, None if it is not in the file.

        An ended game on this layout has the margin its marbles have; it is not stored.

        Raises:
            DatabaseError: if the file is damaged where it is read, was closed, or has another size
                than when it was opened.
        """
        self._file.check_open()
        if not self._may_hold(position):
            return None
        found = self._classes.locate(*position.view)
        if found is None:
            return None
        ply, frame, detail, base = found
        if ply < 0:
            return base
        value = self._value(ply, frame, detail)
        return None if value is None else base + value

    def probe(self, position: Position, *, every_move: bool = False) -> Solution:
        """Return all there is to say of a position: margin, best field, line to the end.

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
                raise DatabaseError(
                    f"{self.path}: damaged, no field keeps the margin of {here.kfn()}"
                )
        return Solution(
            position=position,
            scoring=self.scoring,
            goal="margin",
            exact=True,
            lower=margin,
            upper=margin,
            margin=margin,
            outcome=_outcome(margin),
            best=line[0] if line else None,
            line=tuple(line),
            moves=self.move_values(position) if every_move else (),
            nodes=0,
            seconds=0.0,
            hits=1,
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
            moves.append(MoveValue(field, margin, margin, margin, _outcome(margin)))
        return tuple(sorted(moves, key=lambda move: -move.lower))

    def probe_many(
        self,
        own: npt.ArrayLike,
        other: npt.ArrayLike,
        last: npt.ArrayLike,
        before: npt.ArrayLike,
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
        n = len(owns)
        if not n == len(others) == len(lasts) == len(befores):
            raise KulamiError("the arrays of positions differ in length")
        plies, bases = np.empty(n, np.int16), np.zeros(n, np.int16)
        frames, details = np.empty(n, np.uint64), np.empty(n, np.uint64)
        self._classes.locate_many(owns, others, lasts, befores, plies, frames, details, bases)
        margins = np.where(plies == -1, bases, np.int16(ABSENT)).astype(np.int16)
        for ply in range(len(self._sections)):
            here = np.flatnonzero(plies == ply)
            if not len(here):
                continue
            # In the order of the file, neighbours are found where memory has been read already.
            here = here[np.argsort(frames[here])]
            part = self._part_numbers(ply, frames[here], details[here])
            for number in range(len(self._sections[ply])):
                chosen = here if len(self._sections[ply]) == 1 else here[part == number]
                if not len(chosen):
                    continue
                values, found = np.empty(len(chosen), np.int16), np.empty(len(chosen), np.uint8)
                opened = self._part(ply, number)
                try:
                    opened.get_many(frames[chosen], details[chosen], values, found)
                except ValueError as error:
                    raise self._damaged(ply, error) from None
                margins[chosen] = np.where(found, values + bases[chosen], ABSENT)
        return margins

    def _part_numbers(self, ply: int, frames: Any, details: Any) -> Any:
        """Which part each record would be in."""
        firsts = self._firsts[ply]
        first = np.array([frame for frame, _ in firsts], np.uint64)
        # Parts are cut between frames, so the frame alone tells.
        return np.maximum(np.searchsorted(first, frames, side="right") - 1, 0)

    def _value(self, ply: int, frame: int, detail: int) -> int | None:
        if ply >= len(self._sections):
            return None
        firsts = self._firsts[ply]
        number = bisect.bisect_right(firsts, (frame, detail)) - 1 if len(firsts) > 1 else 0
        if number < 0:
            return None
        part = self._part(ply, number)
        try:
            return part.get(frame, detail)
        except ValueError as error:
            raise self._damaged(ply, error) from None

    def _probed(self, position: Position) -> int:
        margin = self.get(position)
        if margin is None:
            raise NotInDatabaseError(
                f"{self.path} does not hold {position.kfn()}: it has what can be reached from "
                f"{self.root.kfn()} with {self.root.marbles} marbles a side; search for it instead"
            )
        return margin

    def _after_move(self, position: Position) -> int:
        """The margin of a position to which a move leads from one that is in the file."""
        margin = self.get(position)
        if margin is None:
            raise DatabaseError(
                f"{self.path}: damaged, {position.kfn()} is missing, to which a move leads from "
                "a position that it holds; build it again"
            )
        return margin

    def _may_hold(self, position: Position) -> bool:
        """Whether a position is on this layout and ends for want of marbles as the root does."""
        layout = position.layout
        if layout is not self.layout and layout != self.layout:
            return False
        if position.marbles == self._marbles and position.short_end == self._short_end:
            return True
        supply, needed = self._marbles_in_all(position), self._marbles_in_all(self.root)
        return supply == needed or min(supply, needed) >= len(self.layout)

    @staticmethod
    def _marbles_in_all(position: Position) -> int:
        return 2 * position.marbles - position.short_end

    # Searching with it

    def oracle(self, position: Position, scoring: Scoring) -> Oracle | None:
        """Return what answers positions of the search for `position` from this file.

        Returns:
            None if it can hold none of them: another layout, or another number of marbles.

        Raises:
            DatabaseError: if it counts by another scoring, or was closed.
        """
        self._file.check_open()
        if scoring is not self.scoring:
            raise DatabaseError(
                f"{self.path} counts by scoring {self.scoring.value}, and {scoring.value} is asked "
                f"for; give --scoring {self.scoring.value} (scoring=)"
            )
        return self._oracle if self._may_hold(position) else None

    @functools.cached_property
    def _oracle(self) -> DatabaseOracle:
        firsts = [[frame for frame, _ in parts] for parts in self._firsts]
        return DatabaseOracle(
            self._classes,
            firsts,
            self._part,
            lambda ply: self._damaged(ply, ValueError("a damaged block")),
        )

    def __reduce__(self) -> tuple[Callable[[str, bytes], Database], tuple[str, bytes]]:
        # Other processes open the file, once each, and see that it is the same.
        return _opened_once, (os.path.abspath(self.path), self._identity())

    def _identity(self) -> bytes:
        return self._file.identity()

    # Reading

    def _damaged(self, ply: int, error: Exception) -> DatabaseError:
        return DatabaseError(f"{self.path}: ply {ply} is damaged ({error}); build it again")

    def _codec(self, ply: int) -> Codec:
        codec = self._codecs.get(ply)
        if codec is None:
            about = self.header["plies"][ply]
            sizes = alphabets(self._digits, len(about["values"]))
            raw = self._file.content(self._codes[ply])
            symbols = sum(sizes)
            try:
                codec = Codec(
                    self._digits,
                    self._frame_bits,
                    about["lowest"],
                    len(about["values"]),
                    np.frombuffer(raw, np.uint8, symbols),
                    np.frombuffer(bytes(raw[symbols : symbols + 2 * len(sizes)]), np.uint16),
                )
            except ValueError as error:
                raise self._damaged(ply, error) from None
            self._codecs[ply] = codec
        return codec

    def _part(self, ply: int, number: int) -> PackedRecords:
        """A part, compared with its checksum when it is asked for the first time.

        Raises:
            DatabaseError: if it is damaged, or the file may not be read.
        """
        part = self._parts.get((ply, number))
        if part is None:
            with self._lock:
                part = self._parts.get((ply, number))  # Another thread may have been here.
                if part is None:
                    part = self._opened_part(ply, number)
                    self._parts[ply, number] = part
        return part

    def _opened_part(self, ply: int, number: int) -> PackedRecords:
        section = self._sections[ply][number]
        raw = self._file.content(section)
        records = section["records"]
        blocks = -(-records // _BLOCK)
        words = blocks * (1 if self._key_bits <= 64 else 2)
        keys = np.frombuffer(raw, np.uint64, words)
        if self._first_key(*section["first"]) != keys[: words // blocks].tolist():
            raise self._damaged(ply, ValueError("a part that does not begin as the header says"))
        try:
            return PackedRecords(
                self._codec(ply),
                records,
                keys,
                np.frombuffer(raw, np.uint32, blocks, 8 * words),
                np.frombuffer(raw, np.uint16, blocks, 8 * words + 4 * blocks),
                np.frombuffer(raw, np.uint8, -1, 8 * words + 6 * blocks),
            )
        except DatabaseError:
            raise
        except ValueError as error:
            raise self._damaged(ply, error) from None

    def _first_key(self, frame: int, detail: int) -> list[int]:
        if self._key_bits > 64:
            return [frame, detail]
        return [frame << self._key_bits - self._frame_bits | detail]

    @functools.cached_property
    def _key_bits(self) -> int:
        shift, mask, _ = self._digits[0] if self._digits else (0, 0, 0)
        return self._frame_bits + shift + mask.bit_length()


def _outcome(margin: int) -> str:
    return "win" if margin > 0 else "loss" if margin < 0 else "draw"


def open_database(path: str | os.PathLike[str]) -> Database:
    """Open a database.

    Args:
        path: the file, as `build` makes it.

    Raises:
        DatabaseError: if it is no database, is of a later version, truncated or damaged.
        OSError: if it cannot be read.

    Examples:
        >>> open_database("README.md")
        Traceback (most recent call last):
        ...
        kulami_solver.storage.container.DatabaseError: README.md: not a Kulami database ...
    """
    return Database(path)


@functools.lru_cache(maxsize=4)
def _opened(path: str, identity: bytes) -> Database:
    database = open_database(path)
    if database._identity() != identity:
        database.close()
        raise DatabaseError(f"{path}: another database is there now; open it again")
    return database


def _opened_once(path: str, identity: bytes) -> Database:
    database = _opened(path, identity)
    if database._file.closed:  # by whoever asked for it before
        _opened.cache_clear()
        database = _opened(path, identity)
    return database


def _whole_numbers(name: str, given: npt.ArrayLike, kind: Any, least: int) -> Any:
    """Numbers as an array of a kind, if that loses nothing.

    Raises:
        KulamiError: if it does.
    """
    try:
        found = np.asarray(given)
    except (ValueError, OverflowError):
        found = np.array(None)
    if found.ndim != 1 or (len(found) and found.dtype.kind not in "iu"):
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
