"""The rounds of a compaction: what is done with each part of the full database.

    fit        records of each ply -> weights of the predictor (`fitting.py`)
    count      a part -> how often each symbol occurs in each context
    choose     all counts -> which contexts are told apart, and their codes (`context_codes.py`)
    pack       parts of a ply -> a section with a static function
    check      a section of the whole file -> does it give the values of the full one?

Their output follows from the values of the full database and the options alone. It lies in the
folder of the build, with a checkpoint for each complete section. So tasks may run in other
processes, which open the full database and find the output of earlier rounds in the folder.
"""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...core.codebook import Codebook, tally
from ...core.files import file_crc32
from ...core.static_function import hashes_of, pack
from ...core.tasks import run_tasks
from ...storage.build_folder import load, save, write
from ...storage.container import DatabaseError, padded, size_and_checksum
from .compact_probe import CompactDatabase
from .context_codes import Precision, chosen, coarser, summed
from .fitting import fit
from .header import kept_plies
from .predictor import Predictor
from .probe import Database
from .readback import check_games

Section = tuple[dict[str, Any], Path]
"""The header's entry for a section, and the file that holds it."""

Coded = tuple[Any, Any, Any, Any, Any]
"""Records of a part: frames, starts and details; the finest context and the symbol of each."""

# Most records of a section made of several parts of the full file; a larger part is one by itself.
_SECTION: Final = 1 << 22
# Most bytes of a record that is kept between the rounds.
_KEPT: Final = 30
# Most records of a section that are read back. They go to chunks by hash, so to all chunks.
_READ_BACK: Final = 1 << 16
_SALTS: Final = 256
_PRECISION: Final = ("dropped", "by_live", "by_legal")


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


@dataclass(frozen=True)
class Runner:
    """An executor, and where to report progress.

    Attributes:
        executor: of threads or processes.
        progress: called with the number of records done, their total, and the step's name.
    """

    executor: concurrent.futures.Executor
    progress: Callable[[int, int, str], None]


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

    def run(self, runner: Runner) -> tuple[dict[str, Any], list[Section]]:
        """Do all rounds but the last; return the precision of the contexts, and the sections."""
        contexts = bytes(self._full._file.content(self._full.header["sections"][0]))
        sections = [
            self._written("contexts", lambda: (contexts, {})),
            self._written("weights", self._fitted),
            self._written("codebook", lambda: self._counted(runner)),
        ]
        precision = {name: sections[-1][0].pop(name) for name in _PRECISION}
        return precision, sections + self._over(runner, self._groups, "packing", self._packed)

    def check(self, runner: Runner, path: Path) -> None:
        """Read the whole file back.

        Raises:
            DatabaseError: if it gives another value than the full one.
        """
        jobs = [(ply, number, group[:1]) for ply, number, group in self._groups]
        self._over(runner, jobs, "reading back", self._read_back, os.path.abspath(path))
        with CompactDatabase(path) as small:
            check_games(small)

    def _over(
        self,
        runner: Runner,
        jobs: list[tuple[int, int, list[int]]],
        said: str,
        task: Any,
        *more: Any,
    ) -> list[Any]:
        """Run a task for each group of parts."""
        sizes = [sum(self._full.part_sizes(ply)[part] for part in group) for ply, _, group in jobs]
        total = sum(sizes)
        return run_tasks(
            runner.executor,
            [(task, *job, *more) for job in jobs],
            sizes,
            lambda done: runner.progress(done, total, said),
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

    def _counted(self, runner: Runner) -> tuple[bytes, dict[str, Any]]:
        """The codes, from how often each symbol occurs in each context of the finest kind."""
        jobs = [(ply, part, [part]) for ply in self.plies for part in range(self._full.parts(ply))]
        precision, codebook = chosen(*summed(self._over(runner, jobs, "counting", self._tallied)))
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
        raise DatabaseError("no_hash", path=self._folder)

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
                "compact_value_wrong", path=path, ply=ply, part=number, number=wrong
            )


@functools.lru_cache(1)
def _taken_up(full: Database, folder: str, options: tuple[tuple[str, int], ...]) -> Compaction:
    """The compaction whose tasks this process is given, one after the other."""
    return Compaction(full, Path(folder), dict(options))
