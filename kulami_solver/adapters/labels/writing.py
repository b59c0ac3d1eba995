"""From a plan to a file of labels.

Groups of games that are done lie in the folder of `storage.build_folder`, which a process that
works in it locks. Its file `groups` has a record for each, in the order of completion:

    magic "kulg"   4 bytes
    group          u32      number
    length         u32      bytes that follow the header
    checksum       u32      CRC-32 of number, length and those bytes
    layout         as text, ends with a line feed
    rows           as `table.ROW` has them

An unfinished record, and any bytes after it, are cut off.
"""

from __future__ import annotations

import contextlib
import functools
import os
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from itertools import count as counting
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np

from ...bots.fingerprint import bot_fingerprint
from ...bots.processes import workers_at
from ...core.budgets import check_watchers, workers_of
from ...core.closing import Closing
from ...core.files import write_atomically
from ...core.memory import table_size
from ...core.tasks import (
    Needs,
    check_executor,
    check_workers,
    first_completed,
    is_wanted,
    submit_as,
)
from ...core.thread_pool import ThreadPool
from ...errors import KulamiError, quoted
from ...game import Question, Source
from ...kulami.database.look_up import LookUp
from ...kulami.database.probe import Database
from ...kulami.game import state_of
from ...kulami.position.layout import Layout
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ...kulami.solve.oracle import Contradiction
from ...kulami.solve.solve import blamed, check_database_and_stop
from ...kulami.solve.solver import SearchStopped, Solver
from ...storage.build_folder import BuildFolder, target_of
from ...storage.container import DatabaseError
from ...storage.journal import changes, listed
from .plan import LabelPlan, positions_of
from .reading import splits
from .table import (
    LICENSE,
    LOT,
    ROW,
    Counts,
    Keys,
    Rows,
    Seen,
    card_of,
    check_file_kind,
    distinct,
    keys_of,
    row_of,
    strangers_in,
    write_table,
)

_KEPT: Final = "groups"
_MAGIC: Final = b"kulg"
_HEADER: Final = struct.Struct("<4sIII")

# The name of the tasks, for executors that show names.
_NAME: Final = "labels"
_CRASHED: Final = "labels: a process that labels has ended; try --workers 1 to see why"

# The wanted duration of a task in seconds, and its largest number of groups.
_TASK: Final = 0.5
_TOGETHER: Final = 64

# On some systems Ctrl-C has to wait for the end of a wait, so each wait is at most this long.
_TICK: Final = 0.5

# Seconds that tasks may take to finish their present groups after Ctrl-C.
_GRACE: Final = 1.0

# The games are exhausted after this many groups without a new position, if these are also as many
# as all groups before them.
_FRUITLESS: Final = 64

_Group: TypeAlias = tuple[int, str, Rows]


@dataclass(frozen=True)
class Written:
    """A file of labels, or a folder.

    Attributes:
        path: the file, or the folder.
        card: the card: beside a file, with ".md" appended to its name; in a folder README.md.
        counts: the counts of its contents.
        exhausted: whether the games had fewer different positions than were asked for.
        seconds: the time of this run.
    """

    path: Path
    card: Path
    counts: Counts
    exhausted: bool
    seconds: float


_Submit: TypeAlias = Callable[..., Future[Any]]
"""A function that runs a task, given a function and its arguments."""


class _Running:
    """Tasks in threads of this process, which can be told to end."""

    def __init__(self) -> None:
        self.ending = threading.Event()
        self._solvers: set[Solver] = set()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def watched(self, solver: Solver) -> Iterator[None]:
        """Have `stop` end its searches."""
        with self._lock:
            self._solvers.add(solver)
        try:
            yield
        finally:
            with self._lock:
                self._solvers.discard(solver)

    def stop(self) -> None:
        """End the searches."""
        with self._lock:
            for solver in self._solvers:
                solver.stop()


def write_labels(
    path: str | os.PathLike[str],
    plan: LabelPlan,
    *,
    database: Source | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    workers: int | None = None,
    memory: int | float | str | None = None,
    kfn: bool = False,
    estimate: bool = False,
    split: Sequence[float] | None = None,
    license: str = LICENSE,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Label positions and write them to a file, with a data card beside it.

    Finished work lies in a folder beside the file until the file is complete: after Ctrl-C, or any
    other end, the same call goes on from there, and the resulting file is the same.

    Args:
        path: ends in .parquet (written through pyarrow) or .npz. A name without an ending is a
            folder of Parquet files, which Hugging Face's `load_dataset(path)` loads; the split is
            then which file a row is in.
        plan: which positions.
        database: an open one for the layout and the scoring of the plan. Positions in it are looked
            up, all others are solved; the labels are the same as without it. Other processes open
            the file themselves. Or any other source of values, which processes get pickled.
        executor: runs the tasks; it is left open. By default threads of this process, or, for games
            of bots, processes. The workers of a cluster must have the same bots.
        threads: how many threads, if there is neither an executor nor bots; by default one for
            each core.
        workers: processes instead of threads; or, with an executor, how many tasks it runs at a
            time.
        memory: of the transposition table of each worker, as for `solve`.
        kfn: with a column of KFN lines.
        estimate: with columns of the estimates of `estimate_value`, to compare with exact values.
        split: with a column of parts, 0 to 2, in these shares of training, validation and test,
            such as (80, 10, 10): see `splits`. By layout, or for a plan of one layout by game.
        license: of the data, for the card.
        force: replace an existing file, and throw away other work in the folder.
        progress: called with how many different positions there are, and how many there will be.

    Returns:
        The file that was written.

    Raises:
        KulamiError: if the name, the plan or an option makes no sense, a file or other work is in
            the way, a bot fails, or the games have no such position at all.
        DatabaseError: if the database is none, is for another layout, other marbles
            or another scoring than the plan's, or damaged where it is read.
        OSError: if something cannot be written.

    Examples:
        >>> import tempfile
        >>> plan = LabelPlan(100, (8, 10), layout=Layout.square())
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     done = write_labels(folder + "/late.npz", plan)
        ...     labels = np.load(folder + "/late.npz")
        ...     labels["margin"].shape, labels["values"].shape
        ((100,), (100, 64))
        >>> done.counts.rows, bool((labels["values"].max(1) == labels["margin"]).all())
        (100, True)
    """
    begun = time.monotonic()
    if not isinstance(plan, LabelPlan):
        raise KulamiError(f"the plan is {quoted(plan)}: give a LabelPlan")
    check_watchers(progress, None)
    check_executor(executor)
    check_file_kind(Path(path))
    if split is not None:
        splits((), shares=split)  # refuses what are no shares
    target = target_of(path) if Path(path).suffix else _folder_at(path)
    if Path(path).is_symlink() and target.suffix.lower() != Path(path).suffix.lower():
        raise DatabaseError(f"{path}: a link to {target}, whose ending is another; name that file")
    card = Path(f"{target}.md") if target.suffix else target / "README.md"
    given = plan.layout if isinstance(plan.layout, tuple) else (plan.layout,)
    fewest = min((len(one) for one in given if isinstance(one, Layout)), default=plan.free[0])
    if plan.free[0] > fewest:
        raise KulamiError(
            f"free: the layout has only {fewest} fields, fewer than {plan.free[0]}; ask for fewer "
            "free fields"
        )
    if database is not None:
        _check_database(database, plan)
    kept = _kept(plan)
    folder = BuildFolder(target, kept)
    taken_up = folder.has_plan()
    if target.exists() and not taken_up and not force and (target.suffix or any(target.iterdir())):
        raise KulamiError("labels_exists", path=path)
    if not force:
        _check_bots(folder, kept)
    with Groups(target, kept, force) as groups:
        run = _Run(plan, groups, progress or (lambda _done, _total: None))
        if not run.complete:
            files = (database.place,) if isinstance(database, Database) else ()
            with _workers(plan, files, executor, threads, workers) as (submit, number, running):
                size = table_size(memory, min(plan.free[1], 2 * plan.marbles), tables=number)
                run.go(submit, number, size, database, running)
        if not run.distinct:
            groups.clear()
            raise KulamiError(
                f"no position with {plan.free[0]} to {plan.free[1]} free fields came up in "
                f"{run.games} games with {plan.marbles} marbles of each colour: ask for other "
                "numbers of free fields, or give other --marbles (marbles=)"
            )
        chosen = distinct(groups.in_order(), plan.count)
        counts = write_table(target, groups.path, plan, chosen, kfn, estimate, split)
        about = card_of(target, plan, counts, kfn, estimate, license, database, split)
        write_atomically(card, [about.encode()])
        groups.clear()
    return Written(target, card, counts, counts.rows < plan.count, time.monotonic() - begun)


def _folder_at(path: str | os.PathLike[str]) -> Path:
    """The folder of this name, which may be there already.

    Raises:
        DatabaseError: if a file is in the way, or there is nothing to put the folder in.
    """
    target = Path(path)
    if target.name in ("", ".."):
        target = target.resolve()  # the folder of its work stands beside it, with its name
        check_file_kind(target)
    if target.exists() and not target.is_dir():
        raise DatabaseError(f"{target}: a file is in the way; name another folder")
    if others := strangers_in(target):
        raise DatabaseError(
            f"{target}: {others[0]} is there, and not by `kulami labels`; name another folder, or "
            "move that file"
        )
    if not target.parent.is_dir():
        raise DatabaseError(f"{target}: there is no folder {target.parent}; make it first")
    return target


def _check_database(database: Any, plan: LabelPlan) -> None:
    """Refuse what is no source, and a database that answers none of the plan's positions."""
    if hasattr(database, "answer") and not isinstance(database, LookUp):
        return
    check_database_and_stop(database, None)
    one_layout = isinstance(plan.layout, Layout)
    if not one_layout or database.oracle(plan.start(0), plan.scoring) is None:
        raise DatabaseError(
            f"{database.path}: answers for --layout {database.layout} --marbles "
            f"{database.root.marbles} {'with' if database.root.short_end else 'without'} "
            "--short-end alone (layout=, marbles=, short_end=): give these, or leave the database "
            "out"
        )


def _kept(plan: LabelPlan) -> dict[str, Any]:
    """The data that must agree for one run to continue the work of another, bots included."""
    bots = {bot: bot_fingerprint(bot) for bot in plan.bots}
    return plan.to_json() | ({"fingerprints": bots} if bots else {})


def _check_bots(folder: BuildFolder, kept: dict[str, Any]) -> None:
    """Refuse a folder with games of the same plan by a bot that has changed since."""
    there = folder.other_plan()
    if there is None or any(there.get(key) != kept[key] for key in kept.keys() - {"fingerprints"}):
        return  # no work, or work on another plan
    before = there.get("fingerprints")
    for bot, now in kept.get("fingerprints", {}).items():
        found = changes(before.get(bot) if isinstance(before, dict) else None, now)
        if found:
            raise KulamiError(
                f"{folder.path} holds games of {quoted(bot)} as it was before ({listed(found)}): "
                "give --force (force=True) to begin anew, or name another file"
            )


@contextlib.contextmanager
def _workers(
    plan: LabelPlan,
    files: tuple[str, ...],
    executor: Executor | None,
    threads: int | None,
    workers: int | None,
) -> Iterator[tuple[_Submit, int, _Running | None]]:
    """Yield the function that runs tasks, the number at a time, and, for own threads, their end.

    Every worker must see the same `files` as this process.
    """
    if executor is not None:
        for bot in dict.fromkeys(plan.bots):
            alike = functools.partial(bot_fingerprint, bot)
            check_workers(executor, Needs(files=files, alike=(alike, f"bot {bot}")))
        number = workers_of(workers, executor=executor)
        if plan.bots:
            with workers_at(executor, _NAME, _CRASHED) as remote:
                yield remote.submit, number, None
        else:
            check_workers(executor, Needs(files=files))
            parts = counting(1)

            def submit(work: Any, *arguments: Any) -> Future[Any]:
                return submit_as(executor, _NAME, next(parts), work, *arguments)

            yield submit, number, None
    elif workers is None and not plan.bots:
        number = workers_of(threads, name="threads")
        running = _Running()
        with ThreadPool(number) as pool:
            yield pool.submit, number, running
    else:
        number = workers_of(workers)
        with workers_at(number, _NAME, _CRASHED) as own:
            yield own.submit, number, None


class Groups(Closing):
    """The groups that are done.

    Args:
        target: the file to be written.
        plan: the part of the plan that must agree for work to be continued.
        force: throw away the work on another plan.

    Attributes:
        path: the folder that they are kept in.

    Raises:
        DatabaseError: if the folder holds other work, or another process is working in it.
        OSError: if the folder cannot be used.
    """

    def __init__(self, target: Path, plan: dict[str, Any], force: bool) -> None:
        self._folder: Final = BuildFolder(target, plan)
        self._folder.open(force)
        self.path: Final = self._folder.path
        self._places: dict[int, tuple[int, int]] = {}
        try:
            opened = os.open(self._folder.path / _KEPT, os.O_RDWR | os.O_CREAT, 0o666)
            self._file: BinaryIO = open(opened, "r+b")  # noqa: SIM115  (closed by close)
        except BaseException:
            self._folder.close()
            raise
        try:
            self._end = self._scan()  # of the last whole record
            self._file.truncate(self._end)
        except BaseException:
            self.close()
            raise

    def __contains__(self, group: object) -> bool:
        return group in self._places

    def _scan(self) -> int:
        """Note the places of the records; return the end of the last complete one."""
        self._file.seek(0)
        place = 0
        while len(header := self._file.read(_HEADER.size)) == _HEADER.size:
            magic, group, length, checksum = _HEADER.unpack(header)
            if magic != _MAGIC:
                break
            content = self._file.read(length)
            if len(content) < length or _checksum(group, content) != checksum:
                break
            self._places[group] = (place + _HEADER.size, length)
            place += _HEADER.size + length
        return place

    def add(self, group: int, layout: str, rows: Rows) -> None:
        """Keep a group; it is on its way to the disk when this returns."""
        content = f"{layout}\n".encode("ascii") + rows.tobytes()
        header = _HEADER.pack(_MAGIC, group, len(content), _checksum(group, content))
        self._file.seek(self._end)  # over a record cut short by Ctrl-C
        self._file.write(header + content)
        self._file.flush()
        self._places[group] = (self._end + len(header), len(content))
        self._end += len(header) + len(content)

    def read(self, group: int) -> tuple[str, Rows]:
        """Return the layout, as text, and the rows of a group that is done."""
        place, length = self._places[group]
        self._file.seek(place)
        layout, _, rows = self._file.read(length).partition(b"\n")
        return layout.decode("ascii"), np.frombuffer(rows, ROW)

    def in_order(self) -> Iterator[tuple[str, Rows]]:
        """Yield the groups from the first on, up to one that is not done."""
        group = 0
        while group in self._places:
            yield self.read(group)
            group += 1

    def close(self) -> None:
        """Release the folder; it stays with its contents, or goes if it is empty."""
        if not self._file.closed and not self._places:
            self.clear()
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
        self._folder.close()

    def clear(self) -> None:
        """Remove the folder."""
        self._file.close()
        self._folder.clear()


def _checksum(group: int, content: bytes) -> int:
    return zlib.crc32(content, zlib.crc32(struct.pack("<II", group, len(content))))


class _Run:
    """Groups on their way from the workers into the folder."""

    def __init__(
        self, plan: LabelPlan, groups: Groups, progress: Callable[[int, int], None]
    ) -> None:
        self._plan = plan
        self._groups = groups
        self._progress = progress
        self._seen = Seen()
        self._counted = 0  # groups, from the first on, whose positions are counted
        self._fruitful = 0  # groups up to the last one with a new position
        self._count()

    @property
    def distinct(self) -> int:
        """Different positions in the groups that are counted."""
        return len(self._seen)

    @property
    def games(self) -> int:
        """Games in the groups that are counted."""
        return self._counted * self._plan.games

    @property
    def complete(self) -> bool:
        """Whether there are enough positions, or the games are exhausted."""
        fruitless = self._counted - self._fruitful
        exhausted = fruitless >= max(_FRUITLESS, self._counted // 2)
        return self.distinct >= self._plan.count or exhausted

    def _count(self) -> None:
        """Count the positions of finished groups, from the first on without a gap."""
        while self._counted in self._groups and not self.complete:
            keys: list[Keys] = []
            ends: list[int] = []
            while self._counted in self._groups and len(keys) < LOT:
                keys.append(keys_of(*self._groups.read(self._counted)))
                self._counted += 1
                ends.append(len(keys[-1]))
            new = self._seen.new(np.concatenate(keys)).nonzero()[0]
            if len(new):
                last = int(np.searchsorted(np.cumsum(ends), new[-1], "right"))
                self._fruitful = self._counted - len(keys) + last + 1
        self._progress(min(self.distinct, self._plan.count), self._plan.count)

    def go(
        self,
        submit: _Submit,
        workers: int,
        size: int,
        database: Source | None,
        running: _Running | None,
    ) -> None:
        """Label groups until the file is complete; after Ctrl-C, finished groups are kept."""
        waiting: dict[Future[tuple[list[_Group], float]], int] = {}
        missing = (group for group in counting() if group not in self._groups)
        together = 1
        more = () if running is None else (running,)
        try:
            while not self.complete:
                while len(waiting) < 2 * workers:
                    chosen = [next(missing) for _ in range(together)]
                    future = submit(label_groups, self._plan, chosen, size, database, *more)
                    waiting[future] = len(chosen)
                for future in first_completed(waiting, _TICK):
                    number = waiting.pop(future)
                    seconds = self._keep(future)
                    wanted = int(number * _TASK / max(seconds, 1e-6))
                    together = max(1, min(wanted, 2 * together, _TOGETHER))
                self._count()
        finally:
            if running is not None:
                running.ending.set()
            for future in waiting:
                future.cancel()
            left = wait(waiting, _GRACE)
            for future in left.done:
                if not future.cancelled() and future.exception() is None:
                    self._keep(future)
            if running is not None:
                running.stop()

    def _keep(self, future: Future[tuple[list[_Group], float]]) -> float:
        """Keep the groups of a finished task; return the seconds it took."""
        groups, seconds = future.result()
        for group, layout, rows in groups:
            self._groups.add(group, layout, rows)
        return seconds


def label_groups(
    plan: LabelPlan,
    groups: list[int],
    size: int,
    database: Source | None = None,
    running: _Running | None = None,
) -> tuple[list[_Group], float]:
    """Label the games of some groups, as a worker does.

    Args:
        plan: the plan.
        groups: their numbers.
        size: bytes of transposition table.
        database: positions that it knows are not searched.
        running: tells when to end early; unfinished groups are then left out.

    Returns:
        Number, layout and rows of each group, and the seconds all of them took.
    """
    begun = time.monotonic()
    done: list[_Group] = []
    for group in groups:
        if (running is not None and running.ending.is_set()) or not is_wanted():
            break
        start = plan.start(group)
        # A search asks a database wherever it comes.
        own = database if isinstance(database, Database) else None
        oracle = None if own is None else own.oracle(start, plan.scoring)
        solver = Solver(start, plan.scoring, size, oracle=oracle)
        rows = []
        with contextlib.nullcontext() if running is None else running.watched(solver):
            try:
                for game, position in positions_of(plan, group, start):
                    known = None if own is not None else _known(position, plan.scoring, database)
                    rows.append(row_of(game, position, *(known or solver.every_margin(position))))
            except SearchStopped:
                break
            except Contradiction as found:
                raise blamed(found, own) from None
        done.append((group, str(start.layout), np.array(rows, ROW)))
    return done, time.monotonic() - begun


def _known(
    position: Position, scoring: Scoring, source: Source | None
) -> tuple[int, dict[int, int]] | None:
    """What `Solver.every_margin` returns, from a source; None if it does not know all of it."""
    found = source and source.answer(Question(state_of(position, scoring), every_move=True))
    moves = found and found.exact_moves
    if not found or not found.exact or not moves:
        return None
    fields = {position.layout.index(field): int(value) for field, value in moves.items()}
    return int(found.lower), fields
