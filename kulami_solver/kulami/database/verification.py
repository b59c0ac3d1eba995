"""Verification: is every value in a database what follows from its successors' values?

Ply by ply, the last one first. Parts of a ply are unpacked and checked against the ply after it,
as many at a time as there are threads or workers. What has been checked is set aside in files, so
that memory is bounded by the parts at work. The files take some 15 bytes for each position of two
plies. They lie in a folder beside the database, or, if that is only read, in the one for passing
files.

A build reads its finished file back before it appears under its name. Checksums show that the bytes
are still those that were written. They do not show that a reader gets the records that were packed.
So the file is opened as any user will open it, and compared with the records the builder had before
it packed them:

    records     all records of a group of parts are read, and their fingerprint is compared with
                that of the arrays handed to the encoder
    look-ups    records of each group are searched for by the index, and compared with a sample of
                the encoder's records, and with the records read
    games       positions of random games from the root are looked up by the rules: the value of
                each equals the value of its best move

The groups are those of the build's tasks; a large part is a group by itself. Reading all records
takes more than a tenth of a build, so only one in four of the groups with large parts is read.
Looking up all records takes as long as building. `docs/databases.md` gives the shares.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import os
import random
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...core.budgets import check_watchers, number_within, workers_of
from ...core.files import mapped_file, passing_folder, write_atomically
from ...core.tasks import Needs, check_executor, check_workers, run_tasks
from ...errors import quoted
from ...storage.container import DatabaseError
from ...storage.database import Verified, refuse_other_game, verified
from ..position.position import Position
from ..solve.solver import solve
from .parts import Records
from .probe import Database, Ply

# A sampled position with more free fields than this is played on: it would take too long to search.
_SEARCHED = 22
_MOST_SAMPLE = 1 << 24


def verify(
    database: str | os.PathLike[str] | Database,
    *,
    threads: int | None = None,
    sample: int = 20,
    progress: Callable[[int, int], None] | None = None,
    executor: concurrent.futures.Executor | None = None,
) -> Verified:
    """Check a database thoroughly.

    Every section is compared with its checksum, every value with the values one ply later by the
    rules, and the values of the root and of positions of random games with a forward search.
    These checks share with a build the search for a frame among sorted ones, and nothing else.

    Args:
        database: open, or the path of one.
        threads: how many work at the same time, 1 to 256; None for one a processor.
        sample: how many positions are searched, 0 or more.
        progress: called with the number of positions done, and of all.
        executor: runs the tasks instead of threads, and is left open; its workers, in this process
            or others, need the same file system.

    Returns:
        What was found; problems are reported, not raised.

    Raises:
        BudgetError: if a number makes no sense.
        KulamiError: if `executor` is not an executor, or one of its workers cannot do the work.
        DatabaseError: never for damage, only if it is neither a database of Kulami nor a path, was
            open and has been closed, or its size has changed since.
        OSError: if the file cannot be read.

    Examples:
        >>> verify("data/3x4-level2.kdb").ok
        True
    """
    workers_of(threads, name="threads")
    sample = number_within(sample, "sample", 0, _MOST_SAMPLE)
    check_watchers(progress, None)
    check_executor(executor)
    if not isinstance(database, (str, os.PathLike, Database)):
        refuse_other_game(database, "kulami")
        raise DatabaseError(
            f"{quoted(database)} is no database of Kulami: give an open one of Kulami, or its path"
        )
    report = progress or (lambda _done, _total: None)

    def check(database: Database, pool: concurrent.futures.Executor, tally: Verified) -> None:
        tally.bytes = sum(database.check_sections())
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(_folder_beside(database))
            stack.callback(_records_of.cache_clear)  # the files stay as long as they are mapped
            check_workers(executor, Needs(folder, files=(database.place,)))
            _check_values(database, pool, folder, tally, report)
        _check_sample(database, pool, sample)
        tally.searched = sample

    return verified(database, Database, check, threads, executor)


@contextlib.contextmanager
def _folder_beside(database: Database) -> Iterator[str]:
    """A folder that is removed at the end, or by the next check of the file."""
    with contextlib.ExitStack() as stack:
        try:
            made = str(stack.enter_context(passing_folder(database.place)))
        except OSError:  # a folder that is only read
            made = stack.enter_context(tempfile.TemporaryDirectory(prefix="kulami-verifying-"))
        yield made


_KINDS: Final = (np.uint64, np.uint64, np.uint64, np.int16)


@dataclass(frozen=True)
class _Aside:
    """Records in a file, for tasks of any process; the system may drop them from memory."""

    path: str
    counts: tuple[int, ...]

    @classmethod
    def of(cls, path: str, records: Records) -> _Aside:
        """Put records into a file of that name, which is there whole: a task may run twice."""
        write_atomically(path, [array.data for array in records], sync=False)
        return cls(path, tuple(len(array) for array in records))

    def records(self) -> Records:
        mapped, at = mapped_file(self.path), 0
        arrays: list[Any] = []
        for kind, count in zip(_KINDS, self.counts, strict=True):
            arrays.append(np.frombuffer(mapped, kind, count, at))
            at += arrays[-1].nbytes
        frames, starts, details, values = arrays
        return frames, starts, details, values


@functools.lru_cache(maxsize=1)
def _records_of(kept: tuple[_Aside, ...]) -> list[Records]:
    """The records of a checked ply; a process opens them once, however many parts a ply has."""
    return [aside.records() for aside in kept]


@dataclass(frozen=True)
class _Part:
    """The result for a part whose values follow from the next ply."""

    kept: _Aside
    moves: int
    ended: int
    histogram: Any


def _checked(
    database: Database, about: Ply, part: int, following: tuple[_Aside, ...], folder: str
) -> _Part:
    """Compute the values of a part again, and set it aside."""
    records = database.records(about.ply, part)
    if records[3].min() < about.lowest:
        raise DatabaseError(f"{database.path}: ply {about.ply} is not what the header says")
    wrong, moves, ended = database.check(about.ply, records, _records_of(following))
    if wrong >= 0:
        raise DatabaseError(
            f"{database.path}: ply {about.ply}, position {wrong} of part {part} does not have the "
            "value that follows from the next ply; build it again"
        )
    histogram = np.bincount(records[3] - about.lowest, minlength=len(about.values))
    kept = _Aside.of(os.path.join(folder, f"{about.ply:02}-{part:05}"), records)
    return _Part(kept, moves, ended, histogram)


def _check_values(
    database: Database,
    pool: concurrent.futures.Executor,
    folder: str,
    tally: Verified,
    report: Callable[[int, int], None],
) -> None:
    following: tuple[_Aside, ...] = ()
    before = 0
    for about in reversed(database.plies):
        sizes = database.part_sizes(about.ply)

        def through(done: int, before: int = before) -> None:
            tally.positions = before + done
            report(tally.positions, database.positions)

        tasks = [(_checked, database, about, part, following, folder) for part in range(len(sizes))]
        name = f"verify {Path(database.path).name}: ply {about.ply}"
        parts = run_tasks(pool, tasks, sizes, through, name=name)
        histogram = sum(part.histogram for part in parts)
        if (
            sum(part.kept.counts[3] for part in parts),
            sum(part.moves for part in parts),
            sum(part.ended for part in parts),
            tuple(histogram.tolist()),
        ) != (about.positions, about.moves, about.ended, about.values):
            raise DatabaseError(f"{database.path}: ply {about.ply} is not what the header says")
        _records_of.cache_clear()
        for kept in following:
            os.unlink(kept.path)
        following = tuple(part.kept for part in parts)
        before += about.positions
    if before != database.positions or database.get(database.root) != database.value:
        raise DatabaseError(f"{database.path}: the root's value is not what the header says")


def _check_sample(database: Database, pool: concurrent.futures.Executor, sample: int) -> None:
    """Search positions of random games, the same ones every time."""
    draw = random.Random(20)
    positions = [_random_position(database.root, draw) for _ in range(sample)]
    run_tasks(
        pool,
        [(_check_position, database, position) for position in positions],
        name=f"verify {Path(database.path).name}: search",
    )


def _check_position(database: Database, position: Position) -> None:
    """Search a position."""
    margin = solve(position, database.scoring).margin
    if database.get(position) != margin:
        raise DatabaseError(
            f"{database.path}: {position.kfn()} is worth {margin} and not {database.get(position)} "
            "as it says; build it again"
        )


def _random_position(root: Position, draw: random.Random) -> Position:
    position = root
    game = [root]
    while not position.is_over:
        position = position.play(draw.choice(position.legal_fields))
        game.append(position)
    short = [p for p in game if p.free_count <= _SEARCHED]
    return draw.choice(short or game[-1:])


Meaning = dict[str, Any]
"""A fingerprint of a group's records, None if they are not to be read, and a sample of them."""

# A group is always read if its parts have at most this number of records on average. One in
# `_PARTS` of the groups with larger parts is read.
_ALL_READ: Final = 1 << 15
_PARTS: Final = 4
# Records in the sample of a group, for each of its parts.
_SAMPLES: Final = 64
# All records of a group are looked up if its parts have at most this number on average. In groups
# with larger parts that are read, every `_STRIDE`th record is.
_ALL_LOOKED_UP: Final = 1024
# Odd, so that each place in a block of 64 records has its turn.
_STRIDE: Final = 251
# One game is played for each of this number of positions in the database, up to the most games.
_POSITIONS_A_GAME: Final = 100_000
_MOST_GAMES: Final = 50


def crc_of(arrays: Sequence[Any]) -> int:
    """Return the CRC-32 of arrays, one after the other."""
    crc = 0
    for array in arrays:
        crc = zlib.crc32(array, crc)
    return crc


def meaning(ply: int, group: int, parts: int, records: Records) -> Meaning:
    """Return a fingerprint and a sample of a group's records, to compare with the file.

    Args:
        ply, group: numbers of the ply and the group.
        parts: number of parts of the file that the group makes.
        records: all records of the group.
    """
    frames, starts, details, values = records
    mean = len(details) / parts
    is_read = mean <= _ALL_READ or (ply + group) % _PARTS == 0
    meant = {"crc": crc_of(records) if is_read else None}
    # For small parts `check_parts` looks up every record, so no sample is kept.
    if mean <= _ALL_LOOKED_UP:
        return {**meant, "frames": [], "details": [], "values": []}
    # Odd steps, so that each place in a block of 64 records has its turn.
    step = len(details) // (_SAMPLES * parts) | 1
    return {
        **meant,
        "frames": frames_of(frames, starts, step).tolist(),
        "details": details[::step].tolist(),
        "values": values[::step].tolist(),
    }


def check_parts(database: Database, ply: int, parts: Sequence[int], meant: Meaning) -> None:
    """Look up sampled records of a group in the file; read all if it has a fingerprint.

    Args:
        database: the file, open.
        ply, parts: numbers of the ply and of its parts.
        meant: the result of `meaning` for the records that were packed.

    Raises:
        DatabaseError: if other records are read, or a look-up does not find its record.
    """
    if meant["values"]:
        keys = np.array(meant["frames"], np.uint64), np.array(meant["details"], np.uint64)
        _look_up(database, ply, *keys, np.array(meant["values"], np.int16))
    if meant["crc"] is None:
        return
    frames, starts, details, values = records = database._parts.records(ply, parts)
    if crc_of(records) != meant["crc"]:
        raise DatabaseError(
            f"ply {ply} has other records, in part {parts[0]} or up to part {parts[-1]}, than were "
            "to be written"
        )
    step = 1 if len(details) / len(parts) <= _ALL_LOOKED_UP else _STRIDE
    keys = frames_of(frames, starts, step), np.ascontiguousarray(details[::step])
    _look_up(database, ply, *keys, values[::step])


def frames_of(frames: Any, starts: Any, step: int) -> Any:
    """The frame of each `step`-th record, from the first on."""
    if step == 1:
        return frames.repeat((starts[1:] - starts[:-1]).astype(np.int64))
    at = np.arange(0, int(starts[-1]), step, dtype=np.uint64)
    return frames[starts.searchsorted(at, side="right") - 1]


def _look_up(database: Database, ply: int, frames: Any, details: Any, values: Any) -> None:
    looked_up, found = database._parts.sorted_values(ply, frames, details)
    if not found.all() or (looked_up != values).any():
        wrong = np.flatnonzero((found == 0) | (looked_up != values))[0]
        raise DatabaseError(
            f"frame {frames[wrong]}, detail {details[wrong]} of ply {ply} is not found as it was "
            "written"
        )


def check_games(database: Database) -> None:
    """Play random games, and compare each position's value with the value of its best move.

    Raises:
        DatabaseError: if a position is missing, or its value is not that of its best move.
    """
    if database.get(database.root) != database.value:
        raise DatabaseError("the root is not worth what the header says")
    draw = random.Random(database.positions)
    for _ in range(1 + min(_MOST_GAMES, database.positions // _POSITIONS_A_GAME)):
        position = database.root
        while not position.is_over:
            children = [position.play(field) for field in position.legal_fields]
            if _value(database, position) != max(-_value(database, child) for child in children):
                raise DatabaseError(f"{position.kfn()} is not worth what its best move leads to")
            position = draw.choice(children)


def _value(database: Database, position: Position) -> int:
    value = database.get(position)
    if value is None:
        raise DatabaseError(f"{position.kfn()} is not found")
    return value
