"""An open proof: check it, ask it for positions, write it for other checkers."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time as clock
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

from ...core.background import Stopped
from ...core.budgets import check_budgets, check_watchers
from ...core.closing import Closing
from ...core.files import holds, named_file, room_in, write_atomically
from ...core.locks import free_in_forks
from ...errors import BudgetError, KulamiError, PositionError, checked_kind
from ...game import Question, checked_question
from ...storage.container import NotInDatabaseError, OpenFile
from ...storage.kept_work import BuildFolder
from ...storage.resources import size_in_words
from ..position.position import Position, after_root, checked_position
from ..solve.solution import MoveValue, Solution
from ..solve.solver import FAR, Solver
from .proof_file import ProofHeader, board_of, claimed, root_of
from .proof_walk import LOOK_EVERY, Checker, plies_of, value_of

__all__ = ["open_proof"]

# Marbles of the side to move, marbles of the other side, field of the last marble, field of the one
# before; lower bound, upper bound (None: no claim), whether it is played out, number of the chosen
# field (None: no choice).
_Claim: TypeAlias = tuple[int, int, int, int, int | None, int | None, bool, int | None]

# Claims that are checked between two looks at the progress line and at Ctrl-C.
_AT_A_TIME: Final = 1 << 14

# The file that says what plies are about, and is written last.
_CLAIM: Final = "claim.txt"

# Bytes of a claim in the file of a ply.
_CLAIM_BYTES: Final = 24

# The most steps of a proof that is read to its end for a line: that takes a tenth of a second.
_STEPS_FOR_A_LINE: Final = 1_000_000

# Most looks at a position that is played out: 2^32 positions, some minutes.
_MOST_LOOKS: Final = (1 << 32) // LOOK_EVERY

# Seconds between two looks of a thread that waits for another one's question.
_TICK: Final = 0.05


class ProofError(KulamiError):
    """A proof that does not hold."""


@dataclass(frozen=True)
class Checked:
    """The result of checking a proof.

    Attributes:
        ok: whether the whole proof holds.
        steps: number of steps checked.
        value: the root's proved value, for its side to move; None if the proof does not hold.
        seconds: time taken.
        problems: the faults, in words; empty if there are none.
    """

    ok: bool
    steps: int
    value: int | str | None
    seconds: float
    problems: tuple[str, ...]


def open_proof(path: str | os.PathLike[str]) -> Proof:
    """Open a proof; `verify` says whether it holds.

    Args:
        path: the file, as `kulami prove` writes it.

    Raises:
        DatabaseError: if the file is no proof, is damaged, or its header makes no sense.
        OSError: if it cannot be read.
    """
    return Proof(path)


class Proof(Closing):
    """An open proof; get one from `open_proof`.

    Attributes:
        path: the file.
        root: the position whose value is proved.
        scoring: what counts.
        value: the claimed value of the root, for its side to move: a margin, or win, draw or loss.
        depth_left: positions with at most this number of plies to come are played out.
        semi_strong: whether the value is proved of every position that is reached while at least
            one side plays the moves the proof chooses.
        steps: number of steps.
        bytes: the size of the file.
    """

    #: The type of position it can be asked about.
    position_type: ClassVar[type] = Position

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file: Final = OpenFile(path, ProofHeader)
        try:
            header = self._file.header
            self.path: Final = self._file.name
            self.root, self.scoring = root_of(self.path, header)
            self.value: Final = header.value
            self.depth_left: Final = header.depth_left
            self.semi_strong: Final = header.semi_strong
            self.steps: Final = header.steps
            self.bytes: Final = self._file.size
            self._board: Final = board_of(self.root, self.scoring)
            self._walk: Checker | None = None
            # Questions from several threads share one walk.
            self._walking: Final = free_in_forks(threading.Lock())
            self._watch: Callable[[int, int], None] | None = None  # the current question's
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._walk = None
        self._file.close()

    def __repr__(self) -> str:
        return f"<Proof {self.path}: {self.steps} steps about {self.root.layout}>"

    def _begin(self, trusting: bool, look: Callable[[int], None] | None = None) -> Checker:
        section = self._file.header.sections[0]
        choices = self._file.content(self._file.said["sections"][0])
        place = (*self.root.view, self.root.supply)
        least, most = claimed(self.value)
        about = (self._board, place, least, most, self.depth_left, self.semi_strong)
        return Checker(*about, choices, section.bits, trusting, look)

    def _plies(self, walk: Checker, show: Callable[[int], None] | None = None) -> Iterator[None]:
        """Yield after the steps of each ply."""
        more = True
        while more:
            self._finish_ply(walk, show)
            yield
            more = walk.advance()

    def _finish_ply(self, walk: Checker, show: Callable[[int], None] | None = None) -> None:
        """Go through the claims of a ply, and compare their counts with the header."""
        said = self._file.header.plies
        while not walk.work(_AT_A_TIME):
            if show is not None:
                show(sum(walk.counts))
        if walk.fault is not None:
            raise self._faulty(*walk.fault)
        counts = (0, 0, 0) if walk.ply >= len(said) else said[walk.ply]
        if walk.counts != counts:
            raise ProofError(
                f"ply {walk.ply}: there are {', '.join(map(str, walk.counts))} steps Ge, Le and "
                f"Play, and the header says {', '.join(map(str, counts))}"
            )

    def _faulty(self, fault: str, ply: int, claim: _Claim) -> ProofError:
        """The error that describes a faulty step."""
        position = self._position(claim, ply)
        said = fault.format(
            position=position_text(position),
            value=self._played_out(position) if "{value}" in fault else None,
            least=_said(claim[4]),
            most=_said(claim[5]),
        )
        return ProofError(f"ply {ply}: {said}")

    def _position(self, claim: _Claim, ply: int) -> Position:
        """The position that a claim is about."""
        return after_root(self.root, ply, *claim[:4])

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Checked:
        """Check every step.

        Args:
            progress: called now and then with the numbers of steps done and of all steps.

        Raises:
            DatabaseError: the proof was closed, or the size of its file has changed.
            KulamiError: `progress` is no function.
        """
        check_watchers(progress, None)
        self._file.check_open()
        begun = clock.monotonic()
        done = 0

        def show(here: int) -> None:
            if progress is not None:
                progress(done + here, self.steps)

        def look(looks: int) -> None:
            show(sum(walk.counts))
            _bound(looks, walk.ply)

        try:
            walk = self._begin(False, look)
            for _ in self._plies(walk, show):
                done += sum(walk.counts)
            plies = len(self._file.header.plies)
            if walk.ply != plies or walk.bits:
                raise ProofError(
                    f"the proof ends after {walk.ply} of {plies} plies, with {walk.bits} bits of "
                    "choices left over"
                )
        except KulamiError as error:
            return Checked(False, done, None, clock.monotonic() - begun, (str(error),))
        return Checked(True, done, self.value, clock.monotonic() - begun, ())

    def text(self) -> Iterator[str]:
        """The proof as lines of text, each step after those it uses.

        docs/file-format.md describes the lines. The steps of the last ply come first, so all lines
        are held in memory until that ply is reached.

        Raises:
            DatabaseError, ProofError: the file is damaged, or does not fit together; before the
                first line.
        """
        walk = self._begin(trusting=True)
        plies = []  # one text each, since a million short ones take twice the memory
        for _ in self._plies(walk):
            claims: list[_Claim] = walk.steps(0, walk.claims)
            lines = (line for claim in claims for line in self._lines(claim, walk.ply))
            plies.append("\n".join(lines))
        yield from self._heading()
        for ply in reversed(plies):
            yield from ply.splitlines()

    def _heading(self) -> tuple[str, str]:
        """What is proved, in two lines."""
        what = "value" if isinstance(self.value, int) else "outcome"
        return (
            f"{self.root.layout} {self.scoring.value} {self.depth_left}",
            f"{what} {position_text(self.root)} {self.value}",
        )

    def _lines(self, claim: _Claim, ply: int) -> Iterator[str]:
        """The lines for the steps that a claim stands for."""
        *_, least, most, played, choice = claim
        shown = position_text(self._position(claim, ply))
        if played:
            yield f"P {shown}"
            return
        if most is not None:
            yield f"L {shown} {most}"
        if choice is not None:
            yield f"G {shown} {least} {self.root.layout.fields[choice]}"

    def write_plies(
        self, folder: str | os.PathLike[str], progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Write the claims of each ply into a file of a folder, and what is proved.

        docs/file-format.md describes the files. Each appears whole, and claim.txt last. After an
        interruption the same call goes on: a file that already has its bytes is not written again.

        Args:
            folder: where; it is made if need be. One that another export has filled is filled anew.
            progress: called now and then with the numbers of steps done and of all steps.

        Returns:
            The number of claims: positions with a claim about them.

        Raises:
            BudgetError: the disk has too little room.
            DatabaseError: the folder holds something else, or another process writes into it.
            DatabaseError, ProofError: the file is damaged, or does not fit together.
            OSError: the folder cannot be written to.
        """
        check_watchers(progress, None)
        walk = self._begin(trusting=True)
        into = Path(named_file(folder, "a folder"))
        work = BuildFolder(into, {"plies": [*self._heading()]}, _CLAIM)
        work.open(force=None)
        with work:
            (into / _CLAIM).unlink(missing_ok=True)
            counts = self._write_plies(walk, into, progress)
            lines = (*self._heading(), " ".join(map(str, counts)))
            write_atomically(into / _CLAIM, ["\n".join((*lines, "")).encode("ascii")])
            work.clear()
        return sum(counts)

    def _write_plies(
        self, walk: Checker, into: Path, progress: Callable[[int, int], None] | None
    ) -> list[int]:
        """Write the files of plies; returns how many claims each has."""
        # A claim is one step or two.
        there = sum(file.stat().st_size for file in into.glob("*.ply"))
        needed, room = _CLAIM_BYTES * self.steps - there, room_in(into)
        if room is not None and needed > room:
            raise BudgetError(
                f"{into}: the plies of {self.path} take up to {size_in_words(needed)} of "
                f"disk, where {size_in_words(room)} are free; name a folder on another disk"
            )
        done = 0

        def show(here: int) -> None:
            if progress is not None:
                progress(done + here, self.steps)

        def records() -> Iterator[bytes]:
            for begin in range(0, walk.claims, _AT_A_TIME):
                yield walk.records(begin, begin + _AT_A_TIME)

        counts = []
        for _ in self._plies(walk, show):
            file = into / f"{walk.ply}.ply"
            if not holds(file, records()):
                write_atomically(file, records())
            counts.append(walk.claims)
            done += sum(walk.counts)
        return counts

    # Play from it

    def answer(self, question: Question) -> Solution | None:
        """Return what the proof knows of a state; None if it does not cover it, or not in time."""
        state, budget = checked_question(question).state, question.budget
        late = budget.seconds is not None and budget.seconds <= 0
        if state.game.scoring is not self.scoring or late:
            return None
        with contextlib.suppress(NotInDatabaseError, Stopped):
            return self.probe(
                state.position,
                every_move=question.every_move,
                line=self.steps <= _STEPS_FOR_A_LINE,
                time=budget.seconds,
                stop=budget.stop,
            )
        return None

    def probe(
        self,
        position: Position,
        *,
        every_move: bool = False,
        line: bool = True,
        time: float | None = None,
        stop: threading.Event | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Solution:
        """Return the proof's solution of a position that it covers.

        The proof is trusted: `verify` checks it. Nothing is searched, but positions that the proof
        leaves to be played out are played out. The proof covers a position if at least one side has
        played the moves it chooses. As a rule it proves one bound of the position's margin; the
        other bound follows from the marbles alone. Positions to be played out are exact, and
        answered even if the proof does not cover them.

        A semi-strong proof has the exact value of every position that arises while at least one
        side plays only best fields. Threads are answered one after the other.

        Args:
            position: with the root's layout and marbles.
            every_move: whether to give the value of every legal field, too.
            line: find best play to the end of the game. This reads the proof to its end, which
                takes half a second for each five million steps. False: the first field alone.
            time, stop: as for `solve`. A later question about a later ply continues from the ply
                already reached.
            progress: called now and then with the numbers of steps read and of all steps.

        Raises:
            PositionError: it is not a position.
            BudgetError, KulamiError: `time`, `stop` or `progress` makes no sense.
            NotInDatabaseError: the proof does not cover the position.
            Stopped: the time was up, or `stop` was set.
            DatabaseError, ProofError: the file is damaged, or does not fit together.
        """
        check_watchers(progress, stop)
        _, time, _, _ = check_budgets(time=time)
        self._check(position)
        ends = None if time is None else clock.monotonic() + time

        def watch(done: int, steps: int) -> None:
            late = ends is not None and clock.monotonic() > ends
            if late or (stop is not None and stop.is_set()):
                raise Stopped
            if progress is not None:
                progress(done, steps)

        while not self._walking.acquire(timeout=_TICK):
            watch(0, self.steps)
        try:
            self._watch = watch
            return self._probed(position, every_move, line)
        finally:
            self._watch = None
            self._walking.release()

    def _probed(self, position: Position, every_move: bool, line: bool) -> Solution:
        begun = clock.monotonic()
        claim = self._claim(position)
        if claim is None:
            raise NotInDatabaseError(
                f"{self.path} does not hold {position.kfn()}: it has what comes about from "
                f"{self.root.kfn()} with {self.root.marbles} marbles a side while one side plays "
                "as it says; search for it instead"
            )
        lower, upper = self._bounds(position, claim)
        least, played, choice = claim[4], claim[6], claim[7]
        if choice is not None and least is not None:
            # The marbles alone may give a higher bound, but for another field than the chosen one.
            lower = least
        moves: list[MoveValue] = []
        for field in position.legal_fields if every_move else ():
            after = position.play(field)
            low, high = self._bounds(after, self._claim(after))
            moves.append(MoveValue(field, -high, -low))
        # After the moves: the line takes the walk to the end, and earlier plies need a new walk.
        fields = tuple(itertools.islice(self._line(position, claim), None if line else 1))
        # Without a claimed lower bound, the proof does not call the line's first field best.
        best = fields[0] if fields and (played or choice is not None) else None
        moves.sort(key=lambda move: (move.field != best, -move.lower, -move.upper))
        return Solution(
            position=position,
            scoring=self.scoring,
            goal="margin" if isinstance(self.value, int) else "outcome",
            lower=lower,
            upper=upper,
            best=best,
            line=fields,
            moves=tuple(moves),
            seconds=clock.monotonic() - begun,
            source="proof",
        )

    def bounds_many(self, positions: Iterable[Position]) -> list[Solution | None]:
        """Return the proof's bounds of many positions, None for positions it does not cover.

        The file is read once for all of them; `probe` may have to start again each time.

        Raises:
            PositionError: `positions` is no iterable, or one of them no position.
            DatabaseError, ProofError: the file is damaged, or does not fit together.
        """
        listed = list(checked_kind(positions, Iterable, "give a list of Positions", PositionError))
        for position in listed:
            self._check(position)
        found: list[Solution | None] = [None] * len(listed)
        with self._walking:
            for place in sorted(range(len(found)), key=lambda place: -listed[place].supply):
                claim = self._claim(listed[place])
                if claim is not None:
                    bounds = self._bounds(listed[place], claim)
                    found[place] = Solution(listed[place], *bounds, source="proof")
        return found

    def _check(self, position: Position) -> None:
        """Refuse questions to a closed proof, and about what is no position."""
        self._file.check_open()
        checked_position(position)

    def _claim(self, position: Position) -> _Claim | None:
        """The claim about a position; moves the walk to its ply."""
        root = self.root
        ply = self._ply(position)
        same = position.layout == root.layout and position.supply == root.supply - ply
        if not same or ply < 0:
            return None
        if plies_of(self._board, (*position.view, position.supply)) <= self.depth_left:
            return (*position.view, None, None, True, None)
        if ply >= len(self._file.header.plies):
            return None
        if self._walk is None or self._walk.ply > ply:
            self._walk = self._begin(trusting=True)
        while True:
            self._finish_ply(self._walk, self._show)
            if self._walk.ply == ply:
                claim: _Claim | None = self._walk.claimed(*position.view)
                return claim
            self._walk.advance()

    def _show(self, here: int) -> None:
        """Report how far the walk is, given the number of steps read of its ply."""
        if self._watch is not None:
            before = self._file.header.plies[: 0 if self._walk is None else self._walk.ply]
            self._watch(sum(map(sum, before)) + here, self.steps)

    def _bounds(self, position: Position, claim: _Claim | None) -> tuple[int, int]:
        """Bounds of a margin: the tighter of the claim and those from the marbles alone."""
        if claim is not None and claim[6]:
            value = self._played_out(position)
            return value, value
        known = Solver(position, self.scoring, 1 << 16).bounds(position)
        least, most = (None, None) if claim is None else claim[4:6]
        lower = known.lower if least is None else max(known.lower, least)
        return lower, known.upper if most is None else min(known.upper, most)

    def _played_out(self, position: Position) -> int:
        def look(looks: int) -> None:
            self._show(0 if self._walk is None else sum(self._walk.counts))
            _bound(looks, self._ply(position))

        return value_of(self._board, (*position.view, position.supply), -FAR, FAR, look)

    def _ply(self, position: Position) -> int:
        """How many plies a position is away from the root."""
        root = self.root
        return (position.red | position.black).bit_count() - (root.red | root.black).bit_count()

    def _line(self, position: Position, claim: _Claim | None) -> Iterator[str]:
        """Fields that keep the claimed value, to the end of the game."""
        while not position.is_over:
            if claim is None or claim[6]:
                field = min(position.legal_fields, key=lambda f: self._played_out(position.play(f)))
                yield field
                position = position.play(field)
                continue
            # Without a claimed lower bound, any field will do.
            choice = claim[7]
            field = position.legal_fields[0] if choice is None else self.root.layout.fields[choice]
            yield field
            # Only when the next field is asked for, because `_claim` moves the walk on by a ply.
            position = position.play(field)
            claim = self._claim(position)


def position_text(position: Position) -> str:
    """The last three fields of a KFN, and the plies that the marbles still allow.

    Examples:
        >>> from kulami_solver import Layout
        >>> position_text(Position(Layout.parse("AAB/CCB")).play("a1"))
        'r2/3 b a1 55'
    """
    return f"{position.kfn().split(' ', 1)[1]} {position.supply}"


def _bound(looks: int, ply: int) -> None:
    """Refuse to play a position out for ever."""
    if looks > _MOST_LOOKS:
        raise ProofError(
            f"ply {ply}: it takes more than {_MOST_LOOKS * LOOK_EVERY} positions to play a "
            "position out; make the proof with a smaller --depth-left"
        )


def _said(bound: int | None) -> str:
    return "nothing" if bound is None else str(bound)
