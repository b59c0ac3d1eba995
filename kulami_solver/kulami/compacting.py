"""Compacting: the values of a database, without its keys, in a file some five times smaller.

    sample     records of each ply -> weights of the predictor (`fitting.py`)
    count      a part -> how often each symbol occurs in each context
    choose     all counts -> which contexts are told apart, and their codes
    pack       parts of a ply -> a section with a static function
    check      a section of the whole file -> does it give the values of the full one?

Three rounds of tasks read the full database. What they write follows from its values and the
options alone, so the file has the same bytes however many threads run them.
"""

from __future__ import annotations

import contextlib
import os
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..core.budgets import workers_of
from ..core.codebook import Codebook, lengths_of, tally
from ..core.memory import available_memory, parse_memory
from ..core.static_function import hashes_of, pack
from ..core.tasks import run_tasks, threads_or
from ..core.whole_numbers import whole
from ..errors import BudgetError
from ..storage.build_folder import BuildFolder, target_of, write
from ..storage.container import (
    DatabaseError,
    check_byte_order,
    padded,
    refuse_to_replace,
    size_and_checksum,
    write_database,
)
from ..storage.resources import Need, refuse_what_does_not_fit
from .compact_header import COMPACT_GAME, MOST_EVERY, MOST_FINGERPRINT, MOST_UNTIL, kept_plies
from .compact_probe import CompactDatabase
from .fitting import fit
from .parts import Records
from .predictor import Predictor
from .probe import Database
from .readback import check_games

# Records of a section: whole parts of the full file, as many as are below this together.
_SECTION: Final = 1 << 22
# Bytes that a record takes while its section is written.
_AT_WORK: Final = 80
_PROGRAM: Final = 200 << 20
_BYTES_A_POSITION: Final = 1.0
# In sections of so many records all are read back; of larger ones the first part.
_SALTS: Final = 256
_GUESS_BITS: Final = 9
_SYMBOL_BITS: Final = 16
# What is tried: low bits of the guess dropped, whether live and legal fields count.
_PRECISIONS: Final = tuple(
    (dropped, by_live, by_legal)
    for dropped in (0, 1, 2, 3, 4, 9)
    for by_live, by_legal in ((True, True), (True, False), (False, True), (False, False))
)
# Bits in the file for a bit of a code word, in 1/64.
_SPENT: Final = 67


@dataclass(frozen=True)
class Compacted:
    """What was made of a database.

    Attributes:
        path: the file.
        positions: how many it has the values of, those of plies left out among them.
        kept: how many of them are in the file.
        bytes: its size.
        seconds: time taken.
        fingerprint: bits of each position's; a position that was not in the full database is
            answered all the same with a probability of 2 to the power of -`fingerprint`.
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
) -> Compacted:
    """Write the values of a database into a smaller file, without the keys.

    The file gives the value of each position that is in the full database. It cannot tell for
    certain which positions are not: `fingerprint` says how often it does.

    While it runs, its work lies in the folder `path` + ".building"; if it is ended, the same call
    goes on with the sections that were complete.

    Args:
        full: a database of Kulami as `build` makes it, open or the path of one.
        path: the file to make.
        fingerprint: bits of each position's, 0 to 16. A position that is not in the full database
            is answered with probability 2 to the power of -`fingerprint`, with 0 bits as a rule.
        every: keep every ply, 1, or each second, third or fourth one, from the root on; the others
            are found by playing on to the next one that is kept.
        until: leave out the last plies, 0 to 12 of them; they are played to the end.
        threads: how many work at the same time, 1 to 256; None for one a processor.
        memory: what it may use, MiB or a text such as "4G"; by default what is available.
        force: go on if the estimate says that memory or disk will not do, and throw away what
            another build has left in the folder.
        overwrite: False refuses to replace a sound database of other positions, or a file that is
            no database.
        progress: called with the records that are done, of how many, and what is done with them.

    Returns:
        What was made.

    Raises:
        BudgetError: if it will not fit, or a number makes no sense.
        DatabaseError: if `full` is no database of Kulami with its keys, or is damaged; if no file
            can be written at `path`, another build is at work there, or what is read of the file
            is not what was to be written.
        OSError: if files cannot be read or written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = compact("data/3x4-level2.kdb", folder + "/small.kdb")
        >>> made.positions, made.bytes < 8000
        (6340, True)
    """
    begun = clock.monotonic()
    check_byte_order(path)
    target = target_of(path)
    options = {
        "fingerprint": _number(fingerprint, "fingerprint", 0, MOST_FINGERPRINT),
        "every": _number(every, "every", 1, MOST_EVERY),
        "until": _number(until, "until", 0, MOST_UNTIL),
    }
    workers = workers_of(threads, name="threads")
    with contextlib.ExitStack() as stack:
        if isinstance(full, (str, os.PathLike)):
            full = stack.enter_context(Database(full))
        elif not isinstance(full, Database) or full.keyless:
            raise DatabaseError("no_full_database", given=full)
        full.check_open()
        about = _about(full, options)
        if os.path.exists(target) and os.path.samefile(target, full.path):
            raise DatabaseError("compact_onto_itself", path=os.fspath(path))
        if not overwrite:
            refuse_to_replace(target, {key: about[key] for key in _IDENTITY})
        _check_budget(full, target, workers, memory, force)
        folder = BuildFolder(target, {"compact": full._file.identity().hex(), **options})
        folder.open(lambda: True, force)
        stack.enter_context(contextlib.closing(folder))
        pool = stack.enter_context(threads_or(None, workers))
        work = _Work(full, folder.path, options, pool, progress or (lambda *_: None))
        sections = work.run(about)
        size = write_database(target, about, sections, check=work.check)
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
_TAKEN_OVER: Final = (
    "layout",
    "root",
    "marbles",
    "short_end",
    "scoring",
    "value",
    "positions",
    "plies",
    "fields",
    "context_bits",
    "contexts",
    "digits",
    "panels",
)


def _about(full: Database, options: dict[str, int]) -> dict[str, Any]:
    """What the header says that does not depend on the codes."""
    return {"game": COMPACT_GAME, **{key: full.header[key] for key in _TAKEN_OVER}, **options}


def _number(given: object, name: str, least: int, most: int) -> int:
    number = whole(given)
    if number is None or not least <= number <= most:
        raise BudgetError("compact_number", name=name, given=given, least=least, most=most)
    return number


def _check_budget(
    full: Database, target: Path, workers: int, memory: int | float | str | None, force: bool
) -> None:
    """Refuse what memory or disk will not hold."""
    allowed = parse_memory(memory) if memory is not None else available_memory()
    if force:
        return
    largest = max(
        sum(full.part_sizes(ply)[number] for number in group)
        for ply in range(len(full.plies))
        for group in _groups(full.part_sizes(ply))
    )
    refuse_what_does_not_fit(
        f"{full.positions:,} positions",
        target,
        Need(
            _PROGRAM + workers * largest * _AT_WORK,
            f"with {workers} threads",
            "give fewer --threads or more --memory",
        ),
        Need(2 * _BYTES_A_POSITION * full.positions, "", "name another folder"),
        allowed,
    )


def _groups(sizes: list[int]) -> list[list[int]]:
    """Parts of a ply that make a section together, by their numbers."""
    groups: list[list[int]] = []
    room = 0
    for number, size in enumerate(sizes):
        if not groups or size > room:
            groups.append([])
            room = _SECTION
        groups[-1].append(number)
        room -= size
    return groups


def _joined(parts: list[Records]) -> Records:
    """Records of parts that follow each other."""
    if len(parts) == 1:
        return parts[0]
    frames, details, values = (np.concatenate([part[i] for part in parts]) for i in (0, 2, 3))
    ends = np.cumsum([0] + [len(part[2]) for part in parts]).astype(np.uint64)
    starts = [part[1][:-1] + end for part, end in zip(parts, ends, strict=False)]
    return frames, np.concatenate([*starts, ends[-1:]]), details, values


class _Work:
    """The tasks of one compaction, and what they share.

    Attributes:
        plies: those that are kept.
    """

    def __init__(
        self,
        full: Database,
        folder: Path,
        options: dict[str, int],
        pool: Any,
        progress: Callable[[int, int, str], None],
    ) -> None:
        self._full = full
        self._folder = folder
        self._options = options
        self._pool = pool
        self._progress = progress
        self.plies: Final = kept_plies(len(full.plies), options["every"], options["until"])
        self._classes = full._classes
        self._legal = full.contexts[0]
        self._predictor = Predictor(self._classes, self._legal)

    def run(self, about: dict[str, Any]) -> list[tuple[dict[str, Any], Path]]:
        """Do all rounds; the sections, and what else the header says into `about`."""
        weights = fit(self._full, self._predictor, self.plies)
        self._predictor = Predictor(self._classes, self._legal, weights)
        keys, counts = self._counted()
        self._precision, codebook = _chosen(keys, counts)
        self._predictor = Predictor(self._classes, self._legal, weights, *self._precision)
        about.update(zip(("dropped", "by_live", "by_legal"), self._precision, strict=True))
        sections = [
            self._written("contexts", bytes(self._full._file.content(self._first_section())), {}),
            self._written("weights", weights.tobytes() or bytes(1), {}),
            self._written("codebook", codebook.to_bytes(), {"contexts": len(codebook.contexts)}),
        ]
        jobs = [
            (ply, number, group)
            for ply in self.plies
            for number, group in enumerate(_groups(self._full.part_sizes(ply)))
        ]
        return sections + self._over(jobs, "packing", self._packed, codebook)

    def check(self, path: Path) -> None:
        """Read a file back."""
        with CompactDatabase(path) as small:
            jobs = [
                (ply, number, group[:1])
                for ply in self.plies
                for number, group in enumerate(_groups(self._full.part_sizes(ply)))
            ]
            self._over(jobs, "reading back", self._read_back, small)
            check_games(small)

    def _over(
        self, jobs: list[tuple[int, int, list[int]]], said: str, task: Any, *more: Any
    ) -> list[Any]:
        """Run a task for each group of parts."""
        sizes = [sum(self._full.part_sizes(ply)[part] for part in group) for ply, _, group in jobs]
        total = sum(sizes)
        return run_tasks(
            self._pool,
            [(task, *job, *more) for job in jobs],
            sizes,
            lambda done: self._progress(done, total, said),
        )

    def _first_section(self) -> dict[str, Any]:
        section: dict[str, Any] = self._full.header["sections"][0]
        return section

    def _written(
        self, name: str, content: bytes, more: dict[str, Any], kind: str | None = None
    ) -> tuple[dict[str, Any], Path]:
        whole_section = padded(content)
        path = self._folder / name
        write(path, [whole_section])
        return {"kind": kind or name, **size_and_checksum(whole_section), **more}, path

    def _counted(self) -> tuple[Any, Any]:
        """How often each symbol occurs in each context of the finest kind."""
        jobs = [(ply, part, [part]) for ply in self.plies for part in range(self._full.parts(ply))]
        return _summed(self._over(jobs, "counting", self._tallied))

    def _tallied(self, ply: int, part: int, _group: list[int]) -> tuple[Any, Any]:
        records = self._full.records(ply, part)
        return tally(*self._predictor.contexts_of(ply, *records))

    def _records(self, ply: int, group: list[int]) -> Records:
        return _joined([self._full.records(ply, part) for part in group])

    def _packed(
        self, ply: int, number: int, group: list[int], codebook: Codebook
    ) -> tuple[dict[str, Any], Path]:
        """Write a section, unless it has been written before."""
        frames, starts, details, values = self._records(ply, group)
        codes = codebook.encode(*self._predictor.contexts_of(ply, frames, starts, details, values))
        for salt in range(_SALTS):
            hashes = hashes_of(frames, starts, details, salt)
            content = pack(hashes, codes, self._options["fingerprint"])
            if content is not None:
                break
        else:
            raise DatabaseError("no_hash", path=self._folder)
        more = {"ply": ply, "records": len(details), "first": int(frames[0]), "salt": salt}
        return self._written(f"function-{ply:02}-{number:05}", content, more, "function")

    def _read_back(self, ply: int, number: int, group: list[int], small: CompactDatabase) -> None:
        """Compare a section's values with those of the full database's."""
        records = self._records(ply, group)
        wrong = small.first_other(ply, records)
        if wrong >= 0:
            raise DatabaseError(
                "compact_value_wrong", path=small.path, ply=ply, part=number, number=wrong
            )


def _summed(tallies: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Add counts up by their keys, which rise."""
    keys = np.concatenate([keys for keys, _ in tallies])
    counts = np.concatenate([counts for _, counts in tallies])
    return _merged(keys, counts)


def _merged(keys: Any, counts: Any) -> tuple[Any, Any]:
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[begins], np.add.reduceat(counts[order], begins)


def _chosen(keys: Any, counts: Any) -> tuple[tuple[int, bool, bool], Codebook]:
    """Which contexts make the file smallest, and their codes."""
    best: tuple[int, tuple[int, bool, bool], Codebook] | None = None
    for precision in _PRECISIONS:
        codebook, bits = _codes_for(*_merged(_coarser(keys, *precision), counts))
        size = 8 * len(codebook.to_bytes()) + bits * _SPENT // 64
        if best is None or size < best[0]:
            best = size, precision, codebook
    assert best is not None
    return best[1:]


def _coarser(keys: Any, dropped: int, by_live: bool, by_legal: bool) -> Any:
    """Keys of counts with contexts that are told apart less finely."""
    contexts = keys >> np.uint64(_SYMBOL_BITS)
    low = np.uint64((1 << _GUESS_BITS) - 1)
    guesses = (contexts & low) >> np.uint64(dropped)
    rest = contexts & ~low
    for counts_here, at, bits in ((by_legal, 9, 3), (by_live, 12, 6)):
        if not counts_here:
            rest &= ~np.uint64(((1 << bits) - 1) << at)
    symbols = keys & np.uint64((1 << _SYMBOL_BITS) - 1)
    return (rest | guesses) << np.uint64(_SYMBOL_BITS) | symbols


def _codes_for(keys: Any, counts: Any) -> tuple[Codebook, int]:
    """The codes for such counts, and the bits of all code words together."""
    contexts = (keys >> np.uint64(_SYMBOL_BITS)).astype(np.uint32)
    symbols = (keys & np.uint64((1 << _SYMBOL_BITS) - 1)).astype(np.int64) - (1 << 15)
    begins = np.flatnonzero(np.concatenate([[True], contexts[1:] != contexts[:-1]]))
    starts = np.append(begins, len(keys)).astype(np.uint64)
    lengths = lengths_of(starts, counts)
    codebook = Codebook(contexts[begins], starts, symbols, lengths)
    return codebook, int((lengths.astype(np.int64) * counts.astype(np.int64)).sum())
