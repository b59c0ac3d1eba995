"""From a plan to a file of labels.

Groups of games that are done lie in the folder of `storage.kept_work`, which a process that
works in it locks. Its file `part-3-7` has the groups from number 3 up to 7, without that one. A
part that is whole is done; another one is begun anew.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import count as counting
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ...bots.fingerprint import bot_fingerprint
from ...bots.processes import Workers, workers_at
from ...core.budgets import check_watchers, workers_of
from ...core.files import named_file, write_atomically
from ...core.locks import beside
from ...core.memory import table_size
from ...core.tasks import Needs, check_executor, check_workers, is_wanted, submit_as
from ...errors import KulamiError, checked_kind
from ...game import Question, Source, Spare
from ...kulami.database.probe import Database
from ...kulami.game import state_of
from ...kulami.position.edition import OPTIONS
from ...kulami.position.layout import Layout
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ...kulami.solve.solver import Solver, blamed, checked_source
from ...kulami.solve.table import Contradiction
from ...storage.container import DatabaseError
from ...storage.kept_work import BuildFolder, check_bots, load, save, target_of
from .parquet import check_pyarrow
from .plan import LabelPlan, positions_of
from .reading import splits
from .table import ROW, Counts, Rows, Seen, card_of, keys_of, row_of, write_table

# The name of the tasks, for executors that show names.
_NAME: Final = "labels"
_CRASHED: Final = "labels: a process that labels has ended; try --workers 1 to see why"

# The wanted duration of a task in seconds, which is what an interruption loses, and its largest
# number of groups.
_TASK: Final = 2.0
_TOGETHER: Final = 256

# The games are exhausted after this many groups without a new position, if these are also as many
# as all groups before them.
_FRUITLESS: Final = 64

_Labelled: TypeAlias = Generator[tuple[range, list["_Group"], float], None, None]
_Group: TypeAlias = tuple[str, Rows]
"""The layout of a group's games, as text, and its rows."""


@dataclass(frozen=True)
class Written:
    """A file of labels.

    Attributes:
        path: the file.
        card: the card beside it, with ".md" appended to its name.
        counts: the counts of its contents.
        exhausted: whether the games had fewer different positions than were asked for.
        seconds: the time of this run.
    """

    path: Path
    card: Path
    counts: Counts
    exhausted: bool
    seconds: float


def write_labels(
    path: str | os.PathLike[str],
    plan: LabelPlan,
    *,
    database: Source | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    memory: int | float | str | None = None,
    estimate: bool = False,
    split: Sequence[float] | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Label positions and write them to a Parquet file, with a data card in it and beside it.

    Finished work lies in a folder beside the file until the file is complete: after Ctrl-C, or any
    other end, the same call goes on from there, and the resulting file is the same.

    Args:
        path: ends in .parquet.
        plan: which positions.
        database: an open one for the layout and the scoring of the plan. Positions in it are looked
            up, all others are solved; the labels are the same as without it. Other processes open
            the file themselves. Or any other source of values, which processes get pickled.
        executor: runs the tasks; it is left open. By default processes of this machine do. The
            workers of a cluster must have the same bots.
        workers: how many processes, by default one for each core; or, with an executor, how many
            tasks it runs at a time.
        memory: of the transposition table of each worker, as for `solve`.
        estimate: with columns of the estimates of `estimate_value`, to compare with exact values.
        split: with a column of parts, 0 to 2, in these shares of training, validation and test,
            such as (80, 10, 10): see `splits`. By layout, or for a plan of one layout by game.
        force: replace an existing file, and throw away other work in the folder.
        progress: called with how many different positions there are, and how many there will be.

    Returns:
        The file that was written.

    Raises:
        KulamiError: if the name, the plan or an option makes no sense, pyarrow is missing, a file
            or other work is in the way, a bot fails, or the games have no such position at all.
        DatabaseError: if the database is none, is for another layout, other marbles
            or another scoring than the plan's, or damaged where it is read.
        OSError: if something cannot be written.

    Examples:
        >>> import tempfile
        >>> from kulami_solver.adapters.labels import read_labels
        >>> plan = LabelPlan(100, (8, 10), layout=Layout.square())
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     done = write_labels(folder + "/late.parquet", plan, workers=1)
        ...     labels = read_labels(folder + "/late.parquet")
        >>> labels["margin"].shape, labels["values"].shape
        ((100,), (100, 64))
        >>> done.counts.rows, bool((labels["values"].max(1) == labels["margin"]).all())
        (100, True)
    """
    begun = time.monotonic()
    spare = database if isinstance(database, Spare) else None
    if spare is not None:
        database = spare.source
    checked_kind(plan, LabelPlan, "the plan is a LabelPlan")
    check_watchers(progress, None)
    check_executor(executor)
    if Path(named_file(path, "a table")).suffix.lower() != ".parquet":
        raise KulamiError(f"{os.fspath(path)}: name a file that ends in .parquet")
    if split is not None:
        splits((), shares=split)  # refuses what are no shares
    target = target_of(path)
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
    if target.exists() and not folder.has_plan() and not force:
        raise KulamiError(
            f"{os.fspath(path)} exists: name another file, or replace it by --force (force=True)"
        )
    if not force:
        _check_bots(folder, kept)
    check_pyarrow()
    folder.open(force)
    with folder:
        tell, helper = progress or (lambda _done, _total: None), database
        while not (chosen := _Chosen(plan, Parts(folder.path), tell)).complete:
            try:
                chosen.label(functools.partial(_labelled, plan, helper, executor, workers, memory))
                break
            except DatabaseError as fault:
                if spare is None or not spare.leave_aside(fault):
                    raise
                helper = None
        if not chosen.positions:
            folder.clear()
            raise KulamiError(
                f"no position with {plan.free[0]} to {plan.free[1]} free fields came up in "
                f"{chosen.groups * plan.games} games with {plan.edition.marbles} marbles of each "
                "colour: ask for other numbers of free fields, or give other --marbles (edition=)"
            )
        card = functools.partial(card_of, target.name, plan, estimate, split, database)
        counts = write_table(target, plan, chosen.rows(), estimate, split, card)
        read_me = Path(beside(target, ".md"))
        write_atomically(read_me, [card(counts).encode()])
        folder.clear()
    return Written(target, read_me, counts, counts.rows < plan.count, time.monotonic() - begun)


def _check_database(database: Any, plan: LabelPlan) -> None:
    """Refuse what is no source, and a database that answers none of the plan's positions."""
    if hasattr(database, "answer") and not isinstance(database, Database):
        return
    checked_source(database, plan.scoring, helping=True)
    one_layout = isinstance(plan.layout, Layout)
    if not one_layout or database.oracle(plan.start(0), plan.scoring) is None:
        edition = " ".join(option.typed(database.root.edition[option.name]) for option in OPTIONS)
        raise DatabaseError(
            f"{database.path}: answers for --layout {database.layout} {edition} alone (layout=, "
            "edition=): give these, or leave the database out"
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
    remedy = "give --force (force=True) to begin anew, or name another file"
    held = f"{folder.path} holds games"
    check_bots(held, there.get("fingerprints"), kept.get("fingerprints", {}), remedy)


class Parts:
    """The groups that are done, in parts of consecutive ones.

    Args:
        folder: in which the parts are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self._ends: Final[dict[int, int]] = {}  # of parts, by their first groups
        self._next = 0  # the first group that nobody has been asked to label
        for path in folder.glob("part-*"):
            first, end = map(int, path.name.split("-")[1:])
            try:
                load(path)
                self._ends[first] = end
            except DatabaseError:
                path.unlink()

    def __contains__(self, first: object) -> bool:
        return first in self._ends

    def missing(self, most: int) -> range:
        """Return the next groups to be labelled, at most so many."""
        while self._next in self._ends:
            self._next = self._ends[self._next]
        first = self._next
        self._next += 1
        while self._next < first + most and self._next not in self._ends:
            self._next += 1
        return range(first, self._next)

    def add(self, first: int, groups: list[_Group]) -> None:
        """Keep groups, from the first one on."""
        self._ends[first] = first + len(groups)
        content = [(layout, rows.tobytes()) for layout, rows in groups]
        save(self._path(first), content)

    def read(self, first: int) -> list[_Group]:
        """Return the groups of the part that begins with this one."""
        return [(layout, np.frombuffer(rows, ROW)) for layout, rows in load(self._path(first))]

    def _path(self, first: int) -> Path:
        return self._folder / f"part-{first}-{self._ends[first]}"

    def in_order(self) -> Iterator[_Group]:
        """Yield the groups from the first on, up to one that is not done."""
        first = 0
        while first in self._ends:
            yield from self.read(first)
            first = self._ends[first]


class _Chosen:
    """The positions of finished groups that come into the file.

    They depend on the plan alone, and not on which groups are finished besides.

    Attributes:
        positions: how many there are, in groups from the first one on.
    """

    def __init__(self, plan: LabelPlan, parts: Parts, progress: Callable[[int, int], None]) -> None:
        self._plan: Final = plan
        self._parts: Final = parts
        self._progress: Final = progress
        self._seen: Final = Seen()
        self._new: Final[list[npt.NDArray[np.bool_]]] = []  # of each group, which rows are new
        self._fruitful = 0  # groups up to the last one with a new position
        self.positions = 0
        self._look()

    @property
    def groups(self) -> int:
        """Groups that have been looked through."""
        return len(self._new)

    @property
    def complete(self) -> bool:
        """Whether there are enough positions, or the games are exhausted."""
        fruitless = self.groups - self._fruitful
        exhausted = fruitless >= max(_FRUITLESS, self.groups // 2)
        return self.positions >= self._plan.count or exhausted

    def _look(self) -> None:
        """Look through finished groups, in order and without a gap."""
        while self.groups in self._parts and not self.complete:
            keys = [keys_of(*group) for group in self._parts.read(self.groups)]
            seen = self._seen.new(np.concatenate(keys))
            for new in np.split(seen, np.cumsum([len(one) for one in keys])[:-1]):
                new &= np.cumsum(new) <= self._plan.count - self.positions
                self._new.append(new)
                self.positions += np.count_nonzero(new)
                self._fruitful = self.groups if new.any() else self._fruitful
                if self.complete:
                    break
        self._progress(self.positions, self._plan.count)

    def label(self, labelling: Callable[[Iterator[range]], _Labelled]) -> None:
        """Label groups until the file is complete."""
        together = 1

        def missing() -> Iterator[range]:
            while True:
                yield self._parts.missing(together)

        with contextlib.closing(labelling(missing())) as labelled:
            for numbers, groups, seconds in labelled:
                self._parts.add(numbers.start, groups)
                self._look()
                if self.complete:
                    return
                wanted = int(len(numbers) * _TASK / max(seconds, 1e-6))
                together = max(1, min(wanted, 2 * together, _TOGETHER))

    def rows(self) -> Iterator[_Group]:
        """Yield the groups with the rows that come into the file, without groups that have none."""
        for (layout, rows), new in zip(self._parts.in_order(), self._new, strict=False):
            if new.any():
                yield layout, rows[new]


def _labelled(
    plan: LabelPlan,
    database: Source | None,
    executor: Executor | None,
    workers: int | None,
    memory: int | float | str | None,
    tasks: Iterable[range],
) -> _Labelled:
    """Yield groups by tasks, and the seconds that they took, in no particular order.

    The work ends when the caller closes this generator, or an exception does.
    """
    files = (database.place,) if isinstance(database, Database) else ()
    check_workers(executor, Needs(files=files))
    for bot in dict.fromkeys(plan.bots):
        alike = functools.partial(bot_fingerprint, bot)
        check_workers(executor, Needs(alike=(alike, f"bot {bot}")))
    number = workers_of(workers, executor=executor)
    size = table_size(memory, min(plan.free[1], plan.edition.in_all), tables=number)
    pieces = ((plan, groups, size, database) for groups in tasks)
    with _workers(plan, executor, number) as working:
        for (_, groups, *_), found in working.done(label_groups, pieces, 2 * number):
            yield groups, *found


def _workers(
    plan: LabelPlan, executor: Executor | None, number: int
) -> contextlib.AbstractContextManager[Workers]:
    """The processes, or the workers of an executor, with all their threads if nothing forbids it.

    Bots are not made for threads.
    """
    if executor is None:
        return workers_at(number, _NAME, _CRASHED)
    if plan.bots:
        return workers_at(executor, _NAME, _CRASHED)
    parts = counting(1)

    def submit(work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return submit_as(executor, _NAME, next(parts), work, *arguments)

    return contextlib.nullcontext(Workers(number, submit))


def label_groups(
    plan: LabelPlan, groups: Iterable[int], size: int, database: Source | None = None
) -> tuple[list[_Group], float]:
    """Label the games of some groups, as a worker does.

    Args:
        plan: the plan.
        groups: their numbers.
        size: bytes of transposition table.
        database: positions that it knows are not searched.

    Returns:
        Layout and rows of each group, and the seconds all of them took.
    """
    begun = time.monotonic()
    done: list[_Group] = []
    # A search asks a database wherever it comes.
    own = database if isinstance(database, Database) else None
    for group in groups:
        if not is_wanted():
            break
        start = plan.start(group)
        oracle = None if own is None else own.oracle(start, plan.scoring)
        solver = Solver(start, plan.scoring, size, oracle=oracle)
        rows = []
        try:
            for game, position in positions_of(plan, group, start):
                known = None if own is not None else _found(position, plan.scoring, database)
                rows.append(row_of(game, position, *(known or solver.every_margin(position))))
        except Contradiction as found:
            raise blamed(found, own) from None
        done.append((str(start.layout), np.array(rows, ROW)))
    return done, time.monotonic() - begun


def _found(
    position: Position, scoring: Scoring, source: Source | None
) -> tuple[int, dict[int, int]] | None:
    """What `Solver.every_margin` returns, from a source; None if it does not know all of it."""
    found = source and source.answer(Question(state_of(position, scoring), every_move=True))
    moves = found and found.exact_moves
    if not found or not found.exact or not moves:
        return None
    fields = {position.layout.index(field): int(value) for field, value in moves.items()}
    return int(found.lower), fields
