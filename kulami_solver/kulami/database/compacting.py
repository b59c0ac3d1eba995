"""Compacting: the values of a database, without its keys, in a file some five times smaller.

The full database is read in rounds:

    fit        records of each ply -> weights of the predictor
    count      a part -> how often each symbol occurs in each context
    choose     all counts -> which contexts are told apart, and their codes
    pack       parts of a ply -> a section with a static function
    check      a section of the whole file -> does it give the values of the full one?

`compact_codes.py` fits the weights and chooses the codes. What is written follows from the values
of the full database and the options alone, so the file has the same bytes whoever runs the tasks.
It lies in the folder of the build, with a checkpoint for each complete section. So tasks may run in
other processes, which open the full database and find the output of earlier rounds in the folder.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import itertools
import os
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from ...core.budgets import check_watchers, number_within, workers_of
from ...core.codebook import Codebook
from ...core.files import file_crc32
from ...core.static_function import hashes_of, pack
from ...core.tasks import check_executor, run_tasks, threads_or
from ...errors import quoted
from ...storage.build_folder import BuildFolder, load, save, target_of, write
from ...storage.container import (
    DatabaseError,
    check_byte_order,
    padded,
    refuse_to_replace,
    size_and_checksum,
    write_database,
)
from ...storage.database import refuse_other_game
from ...storage.resources import Cost, check_cost
from .compact_codes import Precision, best_codes, coarser, fit, summed, tally
from .header import (
    COMPACT_GAME,
    MOST_EVERY,
    MOST_FINGERPRINT,
    MOST_UNTIL,
    Contents,
    kept_plies,
)
from .predictor import Predictor
from .probe import CompactDatabase, Database
from .readback import check_games

Section = tuple[dict[str, Any], Path]
"""The header's entry for a section, and the file that holds it."""

Run = Callable[..., list[Any]]
"""`Compaction.over`, with the executor and the report of progress."""

Coded = tuple[Any, Any, Any, Any, Any]
"""Records of a part: frames, starts and details; the finest context and the symbol of each."""

# Bytes of the program, of a record while its section is written, and of one in the file besides its
# fingerprint.
_PROGRAM: Final = 200 << 20
_AT_WORK: Final = 80
_IN_FILE: Final = 0.6
# Most records of a section made of several parts of the full file; a larger part is one by itself.
_SECTION: Final = 1 << 22
# Most bytes of a record that is kept between the rounds.
_KEPT: Final = 30
# Most records of a section that are read back. They go to chunks by hash, so to all chunks.
_READ_BACK: Final = 1 << 16
_SALTS: Final = 256
_PRECISION: Final = ("dropped", "by_live", "by_legal")


@dataclass(frozen=True)
class Compacted:
    """The result of compacting a database.

    Attributes:
        path: the file.
        positions: how many it gives values of, including those of plies left out.
        kept: how many of them are in the file.
        bytes: its size.
        seconds: time taken.
        fingerprint: bits of each position's fingerprint; a position that was not in the full
            database is answered, too, with a probability of 2 to the power of -`fingerprint`.
    """

    path: str
    positions: int
    kept: int
    bytes: int
    seconds: float
    fingerprint: int


def compact(
    full: str | os.PathLike[str] | Database,
    path: str | os.PathLike[str],
    *,
    fingerprint: int = 0,
    every: int = 1,
    until: int = 0,
    threads: int | None = None,
    memory: int | float | str | None = None,
    force: bool = False,
    overwrite: bool = True,
    progress: Callable[[int, int, str], None] | None = None,
    executor: concurrent.futures.Executor | None = None,
) -> Compacted:
    """Write the values of a database into a smaller file, without the keys.

    The file gives the value of each position that is in the full database. It may
    answer other positions, too: `fingerprint` says how often.

    While it runs, its work lies in the folder `path` + ".building"; if it is ended, the same call
    goes on and uses the complete sections.

    Args:
        full: a database of Kulami as `build` makes it, open or the path of one.
        path: the file to make.
        fingerprint: bits of each fingerprint, 0 to 16. A position that is not in the full database
            is answered with probability 2 to the power of -`fingerprint`: as a rule, if that is 0.
        every: 1 to keep every ply; 2, 3 or 4 to keep each second, third or fourth one, from the
            root on. Positions of other plies are played on to the next kept ply. A multiple of the
            step of `full`.
        until: how many of the last plies to leave out, 0 to 12, and no fewer than `full` does.
            Positions of these are played to the end.
        threads: how many work at the same time, 1 to 256; None for one a processor.
        memory: what it may use, MiB or a text such as "4G"; by default what is available. With
            more, less of the full database is unpacked twice.
        force: go on if the estimate says that memory or disk is too small, and throw away what
            another build has left in the folder.
        overwrite: False refuses to replace a sound database of other positions or options, or a
            file that is no database.
        progress: called with the number of records done, their total, and the step's name.
        executor: runs the tasks instead of threads, and is left open; its workers, in this process
            or others, need the same file system.

    Returns:
        The result.

    Raises:
        BudgetError: if it will not fit, or a number makes no sense.
        KulamiError: if `executor` is not an executor, or one of its workers cannot do the work.
        DatabaseError: if `full` is no database of Kulami with its keys, is damaged, or leaves out
            plies that `every` and `until` keep; if no file can be written at `path`, another build
            is at work there, or the new file is read back with errors.
        OSError: if files cannot be read or written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = compact("data/3x4-level2.kdb", folder + "/small.kdb")
        >>> made.positions, made.bytes < 8000
        (629, True)
    """
    begun = clock.monotonic()
    check_byte_order(path)
    target = target_of(path)
    options = {
        "fingerprint": number_within(fingerprint, "fingerprint", 0, MOST_FINGERPRINT),
        "every": number_within(every, "every", 1, MOST_EVERY),
        "until": number_within(until, "until", 0, MOST_UNTIL),
    }
    workers = workers_of(threads, name="threads")
    check_watchers(progress, None)
    check_executor(executor)
    with contextlib.ExitStack() as stack:
        if isinstance(full, (str, os.PathLike)):
            full = stack.enter_context(Database(full))
        elif not isinstance(full, Database) or full.keyless:
            refuse_other_game(full, "kulami")
            raise DatabaseError(
                f"{quoted(full)} is no database of Kulami with its keys: give an open one, or its "
                "path"
            )
        full.check_open()
        if options["every"] % full.every or options["until"] < full.until:
            every, until = full.every, full.until
            raise DatabaseError(
                f"{full.path}: made with --every {every} and --until {until}: give --every "
                f"(every=) a multiple of {every}, and --until (until=) {until} or more"
            )
        taken_over = {key: full.header[key] for key in _TAKEN_OVER}
        about = {"game": COMPACT_GAME, **taken_over, **options}
        if os.path.exists(target) and os.path.samefile(target, full.place):
            raise DatabaseError("compact_onto_itself", path=os.fspath(path))
        if not overwrite:
            refuse_to_replace(target, {key: about[key] for key in (*_IDENTITY, *options)})
        cost = _cost(full, options["fingerprint"])
        allowed = check_cost(
            lambda _: cost,
            target,
            executor,
            workers,
            memory,
            force,
            room="name another folder",
            files=(full.place,),
        )
        spare = 0 if allowed is None else (allowed - cost.in_threads(workers)) // 2
        place = Path(os.path.abspath(target) + ".building")
        work = Compaction(full, place, options, 0 if executor else int(spare))
        folder = BuildFolder(target, work.plan)
        folder.open(force)
        stack.enter_context(folder)
        pool = stack.enter_context(threads_or(executor, workers))
        run = functools.partial(work.over, pool, progress or (lambda *_: None))
        try:
            precision, sections = work.sections(run)
        except DatabaseError:  # `full` is damaged: there is nothing to go on with.
            folder.clear()
            raise
        about |= precision
        check = functools.partial(work.check, run)
        size = write_database(target, about, sections, check=check)
        folder.clear()
    return Compacted(
        path=os.fspath(path),
        positions=about["positions"],
        kept=sum(about["plies"][ply]["positions"] for ply in work.plies),
        bytes=size,
        seconds=clock.monotonic() - begun,
        fingerprint=options["fingerprint"],
    )


_IDENTITY: Final = ("game", "root", "marbles", "short_end", "scoring")
_TAKEN_OVER: Final = [
    field.encode_name for field in msgspec.structs.fields(Contents) if field.name != "sections"
]


def _cost(full: Database, fingerprint: int) -> Cost:
    """What a compaction takes."""
    largest = max(
        sum(sizes[number] for number in group)
        for sizes in map(full.part_sizes, range(len(full.plies)))
        for group in groups_of(sizes)
    )
    said, disk = f"{full.positions:,} positions", 2 * (_IN_FILE + fingerprint / 8) * full.positions
    return Cost(said, _PROGRAM, largest * _AT_WORK, disk)


def groups_of(sizes: list[int]) -> list[list[int]]:
    """Group the parts of a ply, by their numbers, into sections."""
    groups: list[list[int]] = []
    room = 0
    for number, size in enumerate(sizes):
        if not groups or size > room:
            groups.append([])
            room = _SECTION
        groups[-1].append(number)
        room -= size
    return groups


def _joined(parts: list[Coded]) -> Coded:
    """Join consecutive parts into one."""
    if len(parts) == 1:
        return parts[0]
    frames, details, contexts, symbols = (
        np.concatenate([part[i] for part in parts]) for i in (0, 2, 3, 4)
    )
    ends = np.cumsum([0] + [len(part[2]) for part in parts]).astype(np.uint64)
    starts = [part[1][:-1] + end for part, end in zip(parts, ends, strict=False)]
    return frames, np.concatenate([*starts, ends[-1:]]), details, contexts, symbols


class Compaction:
    """One compaction: its tasks, and what they share.

    Args:
        full: the database, with its keys.
        folder: where the work lies.
        options: fingerprint, every and until.
        spare: bytes of memory for parts that are kept from one round to the next; other parts are
            unpacked again.

    Attributes:
        plies: those that are kept.
        plan: of the folder: what the work depends on.
    """

    def __init__(
        self,
        full: Database,
        folder: Path,
        options: dict[str, int],
        spare: int = 0,
    ) -> None:
        self._full = full
        self._folder = folder
        self._options = options
        self.plan: Final = {"compact": full._file.identity().hex(), **options}
        self.plies: Final = kept_plies(len(full.plies), options["every"], options["until"])
        self._groups = [
            (ply, number, group)
            for ply in self.plies
            for number, group in enumerate(groups_of(full.part_sizes(ply)))
        ]
        sizes = {
            (ply, part): size
            for ply in self.plies
            for part, size in enumerate(full.part_sizes(ply))
        }
        sums = itertools.accumulate(sizes.values())
        self._to_keep = {part for part, n in zip(sizes, sums, strict=True) if n * _KEPT <= spare}
        self._kept: dict[tuple[int, int], Coded] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _taken_up, (self._full, str(self._folder), tuple(self._options.items()))

    def sections(self, run: Run) -> tuple[dict[str, Any], list[Section]]:
        """Do all rounds but the last; return the precision of the contexts, and the sections."""
        contexts = bytes(self._full._file.content(self._full.header["sections"][0]))
        sections = [
            self._written("contexts", lambda: (contexts, {})),
            self._written("weights", self._fitted),
            self._written("codebook", lambda: self._counted(run)),
        ]
        precision = {name: sections[-1][0].pop(name) for name in _PRECISION}
        return precision, sections + run(self._groups, "packing", self._packed)

    def check(self, run: Run, path: Path) -> None:
        """Read the whole file back.

        Raises:
            DatabaseError: if it gives another value than the full one.
        """
        jobs = [(ply, number, group[:1]) for ply, number, group in self._groups]
        run(jobs, "reading back", self._read_back, os.path.abspath(path))
        with CompactDatabase(path) as small:
            check_games(small)

    def over(
        self,
        executor: concurrent.futures.Executor,
        progress: Callable[[int, int, str], None],
        jobs: list[tuple[int, int, list[int]]],
        said: str,
        task: Any,
        *more: Any,
    ) -> list[Any]:
        """Run a task for each group of parts; report the step's name with the records done."""
        sizes = [sum(self._full.part_sizes(ply)[part] for part in group) for ply, _, group in jobs]
        total = sum(sizes)
        return run_tasks(
            executor,
            [(task, *job, *more) for job in jobs],
            sizes,
            lambda done: progress(done, total, said),
        )

    @functools.cached_property
    def _unweighted(self) -> Predictor:
        return Predictor(self._full._classes, self._full.contexts[0])

    @functools.cached_property
    def _predictor(self) -> Predictor:
        raw = (self._folder / "weights").read_bytes()
        weights = np.frombuffer(raw, np.int32, self._unweighted.cells)
        return Predictor(self._full._classes, self._full.contexts[0], weights)

    @functools.cached_property
    def _codes(self) -> tuple[Precision, Codebook, Any]:
        """The precision of the contexts, their codes, and the code words."""
        described = load(self._folder / "codebook.json")["described"]
        raw = np.frombuffer((self._folder / "codebook").read_bytes(), np.uint8)
        codebook = Codebook.from_bytes(raw, described["contexts"])
        dropped, by_live, by_legal = (described[name] for name in _PRECISION)
        return (dropped, by_live, by_legal), codebook, codebook.words()

    def _written(
        self, name: str, made: Callable[[], tuple[bytes, dict[str, Any]]], kind: str | None = None
    ) -> Section:
        """Write a section and its description, unless it has been written before."""
        path = self._folder / name
        checkpoint = self._folder / f"{name}.json"
        try:
            kept = load(checkpoint)
            if file_crc32(path) == kept["crc"]:
                return kept["described"], path
        except (OSError, ValueError):
            pass
        content, more = made()
        content = padded(content)
        _, crc = write(path, [content], self.plan)
        described = {"kind": kind or name, **size_and_checksum(content), **more}
        save(checkpoint, {"crc": crc, "described": described})
        return described, path

    def _fitted(self) -> tuple[bytes, dict[str, Any]]:
        weights = fit(self._full, self._unweighted, self.plies)
        return weights.tobytes() or bytes(1), {}

    def _counted(self, run: Run) -> tuple[bytes, dict[str, Any]]:
        """The codes, from how often each symbol occurs in each context of the finest kind."""
        jobs = [(ply, part, [part]) for ply in self.plies for part in range(self._full.parts(ply))]
        precision, codebook = best_codes(*summed(run(jobs, "counting", self._tallied)))
        said = dict(zip(_PRECISION, precision, strict=True))
        return codebook.to_bytes(), {"contexts": len(codebook.contexts), **said}

    def _tallied(self, ply: int, part: int, _group: list[int]) -> tuple[Any, Any]:
        coded = self._coded(ply, part)
        if (ply, part) in self._to_keep:
            self._kept[ply, part] = coded
        return tally(*coded[3:])

    def _coded(self, ply: int, part: int) -> Coded:
        """The records of a part, unpacked unless they have been kept."""
        kept = self._kept.pop((ply, part), None)
        if kept is not None:
            return kept
        records = self._full.records(ply, part)
        return *records[:3], *self._predictor.contexts_of(ply, *records)

    def _packed(self, ply: int, number: int, group: list[int]) -> Section:
        """Write a section of a ply."""
        pack_group = functools.partial(self._function, ply, group)
        return self._written(f"function-{ply:02}-{number:05}", pack_group, "function")

    def _function(self, ply: int, group: list[int]) -> tuple[bytes, dict[str, Any]]:
        """A section of a ply, and its description."""
        precision, codebook, words = self._codes
        frames, starts, details, contexts, symbols = _joined(
            [self._coded(ply, part) for part in group]
        )
        codes = codebook.encode(words, coarser(contexts, *precision), symbols)
        for salt in range(_SALTS):
            content = pack(
                hashes_of(frames, starts, details, salt), codes, self._options["fingerprint"]
            )
            if content is not None:
                return content, {
                    "ply": ply,
                    "records": len(details),
                    "first": int(frames[0]),
                    "salt": salt,
                }
        raise DatabaseError(
            f"{self._folder}: no hash tells all positions apart; this is a fault of the program"
        )

    def _read_back(self, ply: int, number: int, group: list[int], path: str) -> None:
        """Compare some of a section's values with those of the full database."""
        found = self._full._parts.records(ply, group[:1], _READ_BACK)
        frames, starts, details, values = found
        end = max(1, int(np.searchsorted(starts, _READ_BACK)) - 1)
        most = int(starts[end])
        records = frames[:end], starts[: end + 1], details[:most], values[:most]
        with CompactDatabase(path) as small:
            wrong = small.first_other(ply, records)
        if wrong >= 0:
            raise DatabaseError(
                f"{path}: record {wrong} of part {number} of ply {ply} has another value than in "
                "the full database"
            )


@functools.lru_cache(1)
def _taken_up(full: Database, folder: str, options: tuple[tuple[str, int], ...]) -> Compaction:
    """The compaction whose tasks this process is given, one after the other."""
    return Compaction(full, Path(folder), dict(options))
