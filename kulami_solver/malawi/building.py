"""Building: solve a board layer by layer, and keep every position with its value in a file.

Verification, below it, shows that every value in a file follows from its successors' values.
Building goes back from the ends; verification does not. It reads the whole file and plays all turns
from every position in it. They must lead to positions in the file, and the position's value must
follow from their values. `docs/algorithms.md` explains why this proves all values.

Beside the database, the folder `path` + ".building" holds the work of an interrupted build:

    marks-NN        the marks of all slots after the expansion of layer NN
    marks.kept      the number of that layer: forwards there is one checkpoint at a time
    layer-NN        layer NN as a section of the file
    layer-NN.kept   its entries in the header, and how many positions have each value

Layers are expanded from the last to the first and solved from the first to the last. The file's
bytes follow from the board alone, not from the threads or the interruptions of the build.

As in `kulami.database.verification`, the finished file is opened as users open it, before it
appears under its name, and compared with the table, which is still in memory:

    layers      all presence bits and all values, unpacked
    slots       some looked up one by one: reached ones, others, and those at the edges of blocks
    games       positions of random games: each has the value that follows from its best turn
"""

from __future__ import annotations

import concurrent.futures
import os
import random
import time as clock
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..core.budgets import check_watchers, workers_of
from ..core.certificate import first_wrong
from ..core.dense import Reached
from ..core.retrograde_driver import Analysis, Progress, run_in_parts
from ..core.tasks import check_shared_memory, threads_or
from ..core.whole_numbers import real
from ..errors import BudgetError, quoted
from ..storage.container import DatabaseError, check_byte_order, refuse_to_replace, write_database
from ..storage.database import Verified, verified
from ..storage.dense import BLOCK, pack_layer, read_layer
from ..storage.kept_work import BuildFolder, load, save, target_of, write
from .board import Board, checked_board
from .header import index_of, start_of
from .index import Index
from .position import Position
from .probe import Database, checked_database
from .solving import Solved, check_budget, occurring, summed_up
from .values import figures_of, outcome_of, plies_of, value_in, value_of

# The least time between checkpoints of marks, which are large and quickly made.
_SECONDS_BETWEEN_MARKS: Final = 20.0
# Slots that are looked up, besides the first and the last of some blocks.
_FEWEST_SLOTS: Final = 32
_MOST_SLOTS: Final = 500
_POSITIONS_A_SLOT: Final = 2_000
_EDGES: Final = 20
# Limits for random games, which need not end.
_MOST_PLIES: Final = 30
_POSITIONS_A_GAME: Final = 200_000
_MOST_GAMES: Final = 10


@dataclass(frozen=True)
class Built(Solved):
    """The result of a build: the figures of the board, and the file.

    Attributes:
        path: the file.
        bytes: its size.
    """

    path: str
    bytes: int


@dataclass(frozen=True)
class _Build:
    folder: Path
    index: Index
    analysis: Analysis
    executor: concurrent.futures.Executor
    checkpoint_seconds: float

    @property
    def reached(self) -> Reached:
        return self.analysis.reached

    def forwards(self, start: int) -> None:
        """Mark all reachable slots, from the last checkpoint on."""
        layers = self.analysis.layers
        if (self.folder / "marks.kept").exists():
            checkpoint = load(self.folder / "marks.kept")
            layers = checkpoint["layer"]
            self.reached.bitmap[:] = np.fromfile(self.folder / checkpoint["file"][0], np.uint64)
        else:
            self.analysis.mark(start)
        saved = clock.monotonic()
        for layer in reversed(range(layers)):
            self.analysis.expand(layer)
            if layer == 0 or clock.monotonic() - saved > self.checkpoint_seconds:
                self.keep_marks(layer)
                saved = clock.monotonic()
        self.reached.number()

    def keep_marks(self, layer: int) -> None:
        name = f"marks-{layer:03}"
        kept = write(self.folder / name, [self.reached.bitmap.data])
        save(self.folder / "marks.kept", {"layer": layer, "file": kept})
        for old in self.folder.glob("marks-*"):
            if old.name != name:
                old.unlink()

    def backwards(self) -> list[dict[str, Any]]:
        """Solve and pack all layers, from the last checkpoint on; return all checkpoints."""
        done = []
        for layer in range(self.analysis.layers):
            path = self.folder / f"layer-{layer:03}"
            if path.with_suffix(".kept").exists():
                checkpoint = load(path.with_suffix(".kept"))
                self.take_up(checkpoint)
            else:
                checkpoint = self.solve_layer(layer, path)
            done.append(checkpoint)
        return done

    def solve_layer(self, layer: int, path: Path) -> dict[str, Any]:
        counts = self.analysis.solve(layer)
        section, content = pack_layer(self.reached, layer, self.executor)
        checkpoint = {
            "file": write(path, [content]),
            "section": section,
            "counts": occurring(counts),
        }
        save(path.with_suffix(".kept"), checkpoint)
        return checkpoint

    def take_up(self, checkpoint: dict[str, Any]) -> None:
        section = checkpoint["section"]
        path = self.folder / checkpoint["file"][0]
        directory = self.reached.directory
        begin, end = section["begin"] // 512, (section["begin"] + section["slots"]) // 512
        self.reached.values[directory[begin] : directory[end]] = read_layer(
            str(path), section, path.read_bytes(), self.executor, self.reached.bitmap
        )

    def assemble(self, target: Path, board: Board, value: int, done: list[dict[str, Any]]) -> Any:
        """Write the file, and return how many positions have each value."""
        counts = Counter[int]()
        for checkpoint in done:
            counts.update(dict(checkpoint["counts"]))
        values = sorted(counts.items())
        about = {
            "game": "malawi",
            **asdict(board),
            "outcome": outcome_of(value),
            "plies": plies_of(value),
            **figures_of(values),
            "slots": self.index.slots,
            "parts": self.index.parts,
            "values": values,
        }
        sections = [
            (checkpoint["section"], self.folder / checkpoint["file"][0])
            for checkpoint in done
            if checkpoint["section"]["reached"]
        ]
        write_database(target, about, sections, check=self.read_back)
        return values

    def read_back(self, whole: Path) -> None:
        """Read the whole file, and compare it with the solved table."""
        with Database(whole) as database:
            check_layers(database, self.reached, self.executor)
            check_slots(database, self.reached)
            check_games(database)


def build(
    path: str | os.PathLike[str],
    board: Board,
    *,
    threads: int | None = None,
    memory: int | float | str | None = None,
    force: bool = False,
    overwrite: bool = True,
    progress: Callable[[Progress], None] | None = None,
    executor: concurrent.futures.Executor | None = None,
    checkpoint_seconds: float = _SECONDS_BETWEEN_MARKS,
) -> Built:
    """Solve every position that can be reached on a board, and keep them all in a file.

    While it runs, its work lies in the folder `path` + ".building"; if it is ended, whether by
    Ctrl-C, SIGKILL or a power cut, the same call goes on from its last checkpoint.

    Args:
        path: the file to make. Any existing file is replaced when the new one is complete, unless
            `overwrite` is False, as in the command `kulami malawi build`.
        board: the board.
        threads: the number of threads; None for one a processor.
        memory: the memory for the build, MiB or a text such as "14G"; by default all available.
        force: build even if memory or disk is too small by the estimate, and throw away another
            build's work in the folder.
        overwrite: True, the default, replaces whatever file is there. False refuses, before any
            work, where there is a sound database of other positions, or a file that is no
            database; one of the same board, a damaged and an empty one are replaced all the
            same.
        progress: called with how far the build is, after each task.
        executor: runs the tasks instead of threads of its own, and is left open; its workers have
            to be threads of this process, since they share memory.
        checkpoint_seconds: at least so many, 0 or more, between checkpoints as long as positions
            are enumerated.

    Returns:
        The result of the build.

    Raises:
        BudgetError: if it will not fit, or a budget makes no sense.
        BoardError: if it is not a board.
        KulamiError: if `executor` is not an executor, or runs tasks in other processes.
        CapacityError: as for `solve_board`; the folder stays, and is of no use.
        DatabaseError: if the folder holds another build's work, another build is running, the file
            cannot be written or overwritten, or reading it back finds a difference.
        OSError: if files cannot be written.

    Examples:
        >>> import tempfile
        >>> from kulami_solver.malawi import Board
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     built = build(folder + "/small.kdb", Board(2, 5))
        >>> built.reachable, built.outcome, built.plies
        (6170, 'loss', 10)
    """
    begun = clock.monotonic()
    check_byte_order(path)
    target = target_of(path)
    board = checked_board(board)
    workers = workers_of(threads, name="threads")
    check_watchers(progress, None)
    check_shared_memory(executor, "a build of Malawi")
    seconds = real(checkpoint_seconds)
    if seconds is None or not seconds >= 0:
        raise BudgetError(f"checkpoint_seconds is {quoted(checkpoint_seconds)}: give 0 or more")
    folder = BuildFolder(target, {"game": "malawi", **asdict(board)}, stays=True)
    if not overwrite:
        refuse_to_replace(target, {"game": "malawi", **asdict(board)})
    if not folder.has_plan():  # A build that goes on was checked at its begin.
        check_budget(board, target, workers, memory, force)
    index = index_of(board)
    start = start_of(board, index)
    listed = (folder.path.glob(name) for name in ("layer-*.kept", "marks.kept"))
    folder.open(force, lambda: (load(path)["file"] for paths in listed for path in paths))
    with folder, threads_or(executor, workers) as pool:
        analysis = Analysis(index, pool, progress or (lambda _: None))
        work = _Build(folder.path, index, analysis, pool, seconds)
        work.forwards(start)
        done = work.backwards()
        value = work.reached.value_at(start)
        assert value is not None
        solved = summed_up(board, work.assemble(target, board, value, done), value)
        folder.clear()
    seconds = clock.monotonic() - begun
    return Built(**solved, seconds=seconds, path=os.fspath(path), bytes=target.stat().st_size)


def check_layers(
    database: Database, reached: Reached, executor: concurrent.futures.Executor
) -> None:
    """Unpack a whole file and compare it with its table.

    Raises:
        DatabaseError: if they differ.
    """
    bitmap = np.zeros_like(reached.bitmap)
    bounds, directory = reached.game.bounds, reached.directory
    for layer, values in database.reader.layers(executor, bitmap):
        begin, end = (directory[bounds[i] // 512] for i in (layer, layer + 1))
        if not np.array_equal(values, reached.values[begin:end]):
            raise DatabaseError(f"layer {layer} has other values than were to be written")
    if not np.array_equal(bitmap, reached.bitmap):
        raise DatabaseError("it holds other slots than were to be written")


def check_slots(database: Database, reached: Reached) -> None:
    """Look slots up one by one, in the file and in the table.

    Raises:
        DatabaseError: if a slot has another value, is missing, or is wrongly present.
    """
    slots = reached.game.slots
    draw = random.Random(slots)
    edges = range(0, slots, BLOCK)
    chosen = {0, slots - 1}
    for edge in draw.sample(edges, min(len(edges), _EDGES)):
        chosen |= {max(edge - 1, 0), edge}
    count = _FEWEST_SLOTS + min(_MOST_SLOTS, len(reached.values) // _POSITIONS_A_SLOT)
    chosen |= {draw.randrange(slots) for _ in range(count)}
    words = np.flatnonzero(reached.bitmap)
    for word in words[draw.choices(range(len(words)), k=count)].tolist():
        bits = int(reached.bitmap[word])
        chosen.add(64 * word + draw.choice([i for i in range(64) if bits >> i & 1]))
    for slot in sorted(chosen):
        if database.reader.value_at(slot) != reached.value_at(slot):
            raise DatabaseError(f"slot {slot} is not found as it was written")


def check_games(database: Database) -> None:
    """Play random games, and compare each position's value with those its turns lead to.

    Raises:
        DatabaseError: if a position is missing, or its value does not follow from its best turn.
    """
    start = Position.start(database.board)
    if database.get(start) != database.value:
        raise DatabaseError("the start is not worth what the header says")
    draw = random.Random(database.positions)
    for _ in range(1 + min(_MOST_GAMES, database.positions // _POSITIONS_A_GAME)):
        position = start
        for _ in range(_MOST_PLIES):
            if position.is_over:
                break
            if value_in(database.turn_values(position)[0]) != database.get(position):
                raise DatabaseError(f"{position.mfn()} is not worth what its best turn leads to")
            position = position.play(draw.choice(position.legal_turns))


def verify(
    database: str | os.PathLike[str] | Database,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    executor: concurrent.futures.Executor | None = None,
) -> Verified:
    """Check a database thoroughly.

    Args:
        database: open, or the path of one.
        threads: how many work at the same time; None for one a processor.
        progress: called with the number of positions done, and of all.
        executor: runs the tasks instead of threads of its own, and is left open; its workers have
            to be threads of this process, since they share memory.

    Returns:
        The result; problems are reported, not raised.

    Raises:
        BudgetError: if the number of threads makes no sense.
        KulamiError: if `executor` is not an executor, or runs tasks in other processes.
        DatabaseError: never for damage, only if it is neither a database of Malawi nor a path, was
            open and has been closed, or its size has changed since.
        OSError: if the file cannot be read.

    Examples:
        >>> import tempfile
        >>> from kulami_solver.malawi import Board
        >>> from kulami_solver.malawi.building import build
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     built = build(folder + "/small.kdb", Board(2, 5))
        ...     verified = verify(built.path)
        >>> verified.ok, verified.positions
        (True, 6170)
    """
    workers_of(threads, name="threads")
    check_watchers(progress, None)
    check_shared_memory(executor, "a verification of Malawi")
    if not isinstance(database, (str, os.PathLike)):
        checked_database(database)

    def check(database: Database, pool: concurrent.futures.Executor, tally: Verified) -> None:
        reached = _contents(database, pool)
        tally.positions = _check(database, reached, pool, progress or (lambda *_: None))
        tally.bytes = database.bytes

    return verified(database, Database, check, threads, executor)


def _contents(database: Database, executor: concurrent.futures.Executor) -> Reached:
    """The contents of the file, in memory."""
    reached = Reached(database.index)
    layers = dict(database.reader.layers(executor, reached.bitmap))
    count = reached.number()
    if count != sum(len(values) for values in layers.values()):
        raise DatabaseError(f"{database.path}: sections overlap; build it again")
    filled = 0
    for layer in sorted(layers):
        values = layers.pop(layer)
        reached.values[filled : filled + len(values)] = values
        filled += len(values)
    return reached


def _check(
    database: Database,
    reached: Reached,
    executor: concurrent.futures.Executor,
    report: Callable[[int, int], None],
) -> int:
    path = database.path
    start = reached.value_at(start_of(database.board, database.index))
    if start is None or value_of(start) != database.value:
        raise DatabaseError(f"{path}: the start is not worth what the header says; build it again")

    def task(begin: int, end: int) -> Any:
        counts = np.zeros(1 << 16, np.uint64)
        wrong = first_wrong(reached, begin, end, counts)
        if wrong is not None:
            slot, why = wrong
            raise DatabaseError(f"{path}: slot {slot} {why}; build it again")
        return counts

    slots = database.index.slots

    def tell(done: int) -> None:
        report(database.positions * done // slots, database.positions)

    counts = sum(run_in_parts(executor, task, 0, slots, tell))
    if occurring(counts) != database.header["values"]:
        raise DatabaseError(f"{path}: holds other values than its header says; build it again")
    return int(counts.sum())
