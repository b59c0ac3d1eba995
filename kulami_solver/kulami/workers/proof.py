"""A proof on many workers: the tree of the solve is its top, and below it workers prove parts.

    1. The position is solved as `solve_position` does. For the first plies the tree knows a field
       that proves each claim.
    2. Where the tree ends, claims "at least" are left. Several claims of one ply make a part, which
       a worker proves on its own (`prove_part`).
    3. The parts are joined (`Joiner`): a position that occurs in several has one step.

In FILE.building are kept the journal of the solve (`answers.jsonl`), the claims left to be proved
(`tree`), and each part that is proved (`part-...`).
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from ...core.background import run_watched
from ...core.interruption import interrupts_deferred
from ...core.tasks import first_completed, is_wanted, submit_as
from ...storage.build_folder import BuildFolder
from ..estimate.effort import Effort
from ..position.position import Position
from ..proof.proof_file import FoundProof, ToProve, board_of, claimed
from ..proof.proof_walk import NOTHING, Checker, plies_of
from ..proof.proving import Joiner, Prover
from ..solve.solve import Asked
from ..solve.solver import SearchStopped
from .jobs import Terms, borrowed_solver
from .solving import begun_search
from .tree import Tree, fields_that_count

# About this number of parts is made for each worker, all of about the same expected work.
_PARTS_EACH: Final = 8

_TICK: Final = 0.1
_AT_A_TIME: Final = 1 << 16

# Claims that a worker proves between two checks whether to stop.
_CLAIMS_AT_A_TIME: Final = 1 << 12

Claim: TypeAlias = tuple[int, int, int, int, int]
"""Own, other, last and before of a position, and the lower bound to prove."""


@dataclass(frozen=True)
class Part:
    """Claims about positions of one ply, which are proved together.

    Attributes:
        ply: plies from the root.
        claims: the claims to prove.
    """

    ply: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class FoundPart:
    """The proof of a part.

    Attributes:
        choices, bits: as the file of a proof has them.
        steps: number of steps.
        nodes: positions searched.
    """

    choices: bytes
    bits: int
    steps: int
    nodes: int


def prove_part(root: Position, terms: Terms, depth: int, part: Part) -> FoundPart:
    """Prove a part of a proof about `root`.

    Raises:
        SearchStopped: nobody waits for it any more.
    """
    with borrowed_solver(root, terms) as solver:
        before = solver.nodes
        solver.allow(None)
        supply = root.supply - part.ply
        (own, other, last, barred, least), *rest = part.claims
        board = board_of(root, terms.scoring)
        place = (own, other, last, barred, supply)
        prover = Prover(solver.search, board, place, least, NOTHING, depth, False, b"", 0)
        for own, other, last, barred, least in rest:
            prover.claim(own, other, last, barred, least, NOTHING)
        steps = 0

        def work() -> None:
            nonlocal steps
            more = True
            while more:
                while not prover.find(_CLAIMS_AT_A_TIME):
                    if prover.fault is not None:
                        raise SearchStopped
                steps += sum(prover.counts)
                more = prover.advance()

        def look(_: float) -> None:
            if not is_wanted():
                raise SearchStopped

        run_watched(work, solver.stop, report=look)
        return FoundPart(prover.choices, prover.bits, steps, solver.nodes - before)


@dataclass(frozen=True)
class Plan:
    """The claims that the tree proves, and the parts left to be proved.

    Attributes:
        value: the value that the proof will prove.
        top: the tree's choices, ply by ply: own, other, last and before of a position, its lower
            bound, and the field.
        parts: the other claims.
    """

    value: int | str
    top: tuple[tuple[tuple[int, int, int, int, int, int], ...], ...]
    parts: tuple[Part, ...]


class SpreadProof:
    """The work on a proof on many workers.

    Args:
        kept: the folder for unfinished work.
        wanted: what is to be proved.
        executor: has the workers.
        budget: of each worker.
        report: called now and then.

    Attributes:
        plies: the numbers of steps of each ply.
        nodes: positions searched so far.
        parts: number of parts, None before it is known.
        done: number of parts that are proved.
        steps: number of steps of these parts.
    """

    def __init__(
        self,
        kept: BuildFolder,
        wanted: ToProve,
        executor: concurrent.futures.Executor,
        asked: Asked,
        report: Callable[[], None],
    ) -> None:
        self._wanted: Final = wanted
        self._position: Final = wanted.position
        self._depth: Final = wanted.depth
        self._asked: Final = asked
        self._executor: Final = executor
        self._report: Final = report
        self._kept: Final = kept
        self._board: Final = wanted.board
        self._stopped = False
        self._value: int | str = 0
        self.plies: list[tuple[int, int, int]] = []
        self.nodes = 0
        self.parts: int | None = None
        self.done = self.steps = 0

    def found(self) -> FoundProof:
        """Find the value, have all parts proved, and make one proof of them."""
        begun = clock.monotonic()
        plan = self._kept.kept("tree", Plan)
        if plan is None:
            plan = self._search()
            self._kept.keep("tree", plan)
        solving = clock.monotonic() - begun
        self._value, self.parts = plan.value, len(plan.parts)
        whole = self._joined(plan, self._prove(plan.parts))
        return FoundProof(plan.value, self.plies, whole.choices, whole.bits, self.nodes, solving)

    def _search(self) -> Plan:
        """Solve the position, and plan the parts left to be proved."""
        journal = self._kept.path / "answers.jsonl"
        begun = begun_search(self._position, self._asked, self._executor, journal)
        with begun as search:

            def tell(_: object) -> None:
                self.nodes = search.nodes
                self._report()

            search.report = tell
            bounds = search.value()
            self.nodes = search.nodes
            margin = self._wanted.goal == "margin"
            self._value = bounds.lower if margin else bounds.outcome or ""
            return self._plan(search.tree)

    def _walk(self, leaving: bool) -> Joiner:
        claims = claimed(self._value)
        return Joiner(self._board, self._wanted.place, *claims, self._depth, leaving)

    def _plan(self, tree: Tree) -> Plan:
        """The tree's choices on each ply, and the claims it leaves to be proved."""
        walk = self._walk(leaving=True)
        effort = Effort(self._asked.scoring)
        positions = {self._position.view: self._position}
        top: list[tuple[tuple[int, int, int, int, int, int], ...]] = []
        left: list[tuple[int, Claim, float]] = []
        more = True
        while more:
            chosen: list[tuple[int, int, int, int, int, int]] = []
            later: dict[tuple[int, int, int, int], Position] = {}
            for own, other, last, before, least, most, *_ in walk.steps(0, walk.claims):
                view = (own, other, last, before)
                position = positions[view]
                if plies_of(self._board, (*view, position.supply)) <= self._depth:
                    continue
                fields = position.legal_fields if most is not None else ()
                if least is not None:
                    field = tree.proving(position, least)
                    if field is None:
                        weight = effort.question(fields_that_count(position), 0.0)
                        left.append((walk.ply, (*view, least), weight))
                    else:
                        number = self._position.layout.fields.index(field)
                        chosen.append((*view, least, number))
                        walk.offer(*view, least, number)
                        fields = (*fields, field)
                for name in fields:
                    after = position.play(name)
                    later[after.view] = after
            while not walk.work(_AT_A_TIME):
                pass
            top.append(tuple(chosen))
            positions = later
            more = walk.advance()
        parts = _parts(left, _PARTS_EACH * self._asked.searches)
        return Plan(self._value, tuple(top), tuple(parts))

    def _prove(self, parts: Sequence[Part]) -> list[tuple[Part, FoundPart]]:
        """Have all parts proved, and keep each as soon as it is."""
        asked, plies = self._asked, self._position.plies_left
        terms = Terms(asked.scoring, plies, asked.memory, asked.searches)
        found: dict[int, FoundPart] = {}
        futures: dict[concurrent.futures.Future[FoundPart], int] = {}
        with interrupts_deferred() as check_for_interrupt:
            try:
                for number, part in enumerate(parts):
                    known = self._kept.kept(_name_of(part), FoundPart)
                    if known is not None:
                        found[number] = known
                        self.done += 1
                        self.steps += known.steps
                        continue
                    given = (self._position, terms, self._depth, part)
                    future = submit_as(self._executor, "prove", number, prove_part, *given)
                    futures[future] = number
                while futures:
                    check_for_interrupt()
                    self._report()
                    for future in first_completed(futures, _TICK):
                        number = futures.pop(future)
                        part_found = found[number] = future.result()
                        self._kept.keep(_name_of(parts[number]), part_found)
                        self.done += 1
                        self.steps += part_found.steps
                        self.nodes += part_found.nodes
            except BaseException:
                for future in futures:
                    future.cancel()
                raise
        return [(part, found[number]) for number, part in enumerate(parts)]

    def _joined(self, plan: Plan, found: Sequence[tuple[Part, FoundPart]]) -> Joiner:
        """One proof of the parts."""
        whole = self._walk(leaving=False)

        def work() -> None:
            walks: list[Checker] = []
            more = True
            while more:
                walks += [self._begun(*one) for one in found if one[0].ply == whole.ply]
                for part in walks:
                    self._go_through(part)
                    whole.join(part)
                for offer in plan.top[whole.ply] if whole.ply < len(plan.top) else ():
                    whole.offer(*offer)
                self._go_through(whole)
                self.plies.append(whole.counts)
                walks = [part for part in walks if part.advance()]
                more = whole.advance()

        def stop() -> None:
            self._stopped = True

        run_watched(work, stop, report=lambda _: self._report())
        return whole

    def _begun(self, part: Part, found: FoundPart) -> Checker:
        """A walk through a part that has been proved."""
        (own, other, last, before, least), *rest = part.claims
        place = (own, other, last, before, self._position.supply - part.ply)
        about = (self._board, place, least, NOTHING, self._depth, False)
        walk = Checker(*about, found.choices or b"\0", found.bits, True)
        for own, other, last, before, least in rest:
            walk.claim(own, other, last, before, least, NOTHING)
        return walk

    def _go_through(self, walk: Checker | Joiner) -> None:
        while not walk.work(_AT_A_TIME):
            if self._stopped:
                raise SearchStopped
        if walk.fault is not None:
            raise RuntimeError(f"parts of a proof do not fit together: {walk.fault}")


def _name_of(part: Part) -> str:
    """The name under which a part is kept."""
    return f"part-{hashlib.sha256(msgspec.json.encode(part)).hexdigest()[:32]}"


def _parts(left: list[tuple[int, Claim, float]], number: int) -> list[Part]:
    """Make about `number` parts, each of claims that are neighbours on one ply."""
    enough = sum(weight for _, _, weight in left) / number
    parts: list[Part] = []
    claims: list[Claim] = []
    gathered = 0.0
    for at, (ply, claim, weight) in enumerate(left):
        claims.append(claim)
        gathered += weight
        if gathered >= enough or at + 1 == len(left) or left[at + 1][0] != ply:
            parts.append(Part(ply, tuple(claims)))
            claims, gathered = [], 0.0
    return parts
