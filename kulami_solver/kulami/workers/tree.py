"""The first plies of a hard position as a tree, whose leaves are jobs for workers.

The tree asks what the search asks: is the margin of a position at least beta? A *question* is a
position and a beta. It is answered yes if, for one move, the question at 1 - beta about the
position after it is answered no. It is answered no if these questions are answered yes for all
moves. So each question has two numbers, as in proof-number search, here in nodes of work to expect:

    to_yes = least to_no of its moves          to_no = sum of to_yes of its moves

At a leaf each number is the nodes that such a question usually takes, divided by the likelihood of
the answer. The descent along least `to_no` finds the leaf for the next job: both proofs need this
work, whatever the answer will be. While a job is under way its likely answer is assumed, so the
next job is needed as well if that answer comes.

    nodes      positions, each once, whichever moves lead to it and whatever its base (the key of
               the transposition table tells); bounds of its margin, which only ever get closer
    questions  of a node, at one beta; numbers as above
    jobs       questions at leaves, under way

Bounds are handed up from moves to positions as they come. All of them are proved: a job's by the
search, and a node's by those of all its moves. The numbers, guesses and likelihoods only decide the
order of questions.

Values in here are *relative*: less the points that are decided (the base of `Search.identity`), by
which positions with the same key may differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from ...errors import KulamiError
from ..estimate.effort import Effort
from ..position.position import Position
from ..position.scoring import Scoring
from ..solve.best_play import Inquiry, guess
from ..solve.solver import Solver
from .jobs import Fact

# Bytes of table for the solver used here, for bounds without search, and guesses.
_TABLE: Final = 1 << 16

# A question takes this many times the expected nodes if one job was not enough for it.
_HARDER: Final = 1.5

# How many jobs what is usual weighs as much as, and of how many of the last jobs one is no more.
_CERTAINTY: Final = 8
_MEMORY: Final = 64

# Number of free fields at the end of a game of all marbles on 8x8.
_SPARE: Final = 8

# A leaf that is expected to take more than this share of a job's nodes is not tried in one piece.
_FILLED: Final = 0.25

# Plies to look ahead; with six, guesses are little better and take four times as long.
_LOOK: Final = 4

# Number of positions on which the correction by a second look is measured.
_FIRST: Final = 8


def fields_that_count(position: Position) -> int:
    """Free fields, for a guess of the effort; where marbles run out early, no more than an 8x8
    position has when as many marbles are left."""
    return min(position.free_count, position.supply + _SPARE)


def contradiction(fields: tuple[str, ...]) -> KulamiError:
    """The error for a position, reached by `fields`, for which no margin is left."""
    return KulamiError(
        f"after {' '.join(fields) or 'no move'}, what has been proved contradicts itself: if there "
        "is a journal, it has been changed; delete it"
    )


@dataclass(eq=False, slots=True)
class Node:
    """A position of the tree; `lower` and `upper` are relative.

    Attributes:
        fields: from the root to this node.
        free: see `fields_that_count`.
    """

    key: object
    position: Position
    fields: tuple[str, ...]
    base: int
    lower: int
    upper: int
    free: int = field(init=False)
    guess: float | None = None
    moves: list[Move] | None = None
    parents: list[Node] = field(default_factory=list)
    questions: dict[int, Question] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.free = fields_that_count(self.position)


@dataclass(frozen=True, slots=True)
class Move:
    """A move: it is worth the relative margin of `node`, with the sign turned, less `offset`, since
    the points decided in either count."""

    field: str
    node: Node
    offset: int


@dataclass(eq=False, slots=True)
class Question:
    """Is the relative margin of a node at least `beta`?"""

    node: Node
    beta: int
    harder: float
    moves: list[Question] | None = None
    parents: list[Question] = field(default_factory=list)
    job: LeafJob | None = None
    to_yes: float = 0.0
    to_no: float = 0.0

    @property
    def answer(self) -> bool | None:
        if self.node.lower >= self.beta:
            return True
        return False if self.node.upper < self.beta else None


@dataclass(eq=False)
class LeafJob:
    """A question for a worker: is the margin of `position` at least `beta`?"""

    question: Question
    position: Position
    beta: int
    likely: bool
    expected: float

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that lead from the root to the position."""
        return self.question.node.fields


class Guesses:
    """Guesses of margins, for many positions of one game, from short looks ahead.

    A look ahead favours the side that is to move at its end, by some two or three points, so
    `Solver.outlook` takes the mean of two looks, one of them a ply deeper. The second look takes
    four times as long as the first, and its correction is nearly the same for all positions with
    the same number of free fields: the standard deviation is 0.3 to 0.5 points, where guesses are
    off by 1.2 at level 0 and by 3.4 at level 2. So the correction is measured on the first few
    positions, and added to one look from then on.
    """

    def __init__(self, solver: Solver) -> None:
        self._solver: Final = solver
        self._changes: dict[int, list[float]] = {}  # corrections, by number of free fields

    def margin(self, free: int) -> float:
        """Guess the margin of the position that the solver was asked about last.

        A guess may lie outside the bounds that are proved.

        Args:
            free: its number of free fields that count; positions with the same number share
                corrections.
        """
        once = self._solver.outlook(_LOOK, twice=False)
        changes = self._changes.setdefault(free, [])
        if len(changes) < _FIRST:
            changes.append(self._solver.outlook(_LOOK) - once)
            return once + changes[-1]
        return once + sum(changes) / _FIRST


class Tree:
    """The first plies from a position, and what is to be asked there next.

    Args:
        position: the root; not over.
        scoring: what counts.
        budget: nodes that a job may take.
        look_up: called before each leaf is split, since many may have to be; not where one is split
            as it was in an earlier run, which has to come to its end for what that has proved.
    """

    def __init__(
        self, position: Position, scoring: Scoring, budget: int, look_up: Callable[[], None]
    ) -> None:
        self.scoring: Final = scoring
        self.budget: Final = budget
        self.look_up: Final = look_up
        self._effort: Final = Effort(scoring)
        self._solver: Final = Solver(position, scoring, _TABLE)
        self._guesses: Final = Guesses(self._solver)
        self._nodes: dict[object, Node] = {}
        self._known: dict[object, tuple[int, int]] = {}
        self._tried: set[tuple[object, int]] = set()
        self._split_before: set[tuple[object, int]] = set()
        self.root: Final = self._node(position, ())[0]
        self.jobs: set[LeafJob] = set()
        # How many times the nodes that are usual its questions take, as far as jobs have told.
        self._hardness = 1.0
        self._jobs_done = 0

    # Positions

    def _node(self, position: Position, fields: tuple[str, ...]) -> tuple[Node, int]:
        """The node of a position that these fields lead to, and its own decided points."""
        bounds, key, base = self._look_at(position)
        node = self._nodes.get(key)
        if node is None:
            lower, upper = self._known.pop(key, (bounds.lower - base, bounds.upper - base))
            lower = max(lower, bounds.lower - base)
            upper = min(upper, bounds.upper - base)
            if lower > upper:
                raise contradiction(fields)
            node = self._nodes[key] = Node(key, position, fields, base, lower, upper)
        return node, base

    def _look_at(self, position: Position) -> tuple[Inquiry, object, int]:
        """Bounds without search, what the position is known by, and the points decided in it."""
        bounds = self._solver.bounds(position)
        known_by = self._solver.search.identity()
        if known_by is None:
            return bounds, position, 0
        index, signature, base = known_by
        return bounds, (index, signature), base

    def learn(self, position: Position, facts: Iterable[Fact]) -> None:
        """Note proved facts of a position, or of positions after it."""
        for fields, lower, upper in facts:
            self._note(position.play_all(fields), lower, upper)

    def _note(self, position: Position, lower: int, upper: int) -> None:
        """Note proved bounds of a position, whether or not it is in the tree yet."""
        _bounds, key, base = self._look_at(position)
        lower, upper = lower - base, upper - base
        node = self._nodes.get(key)
        if node is not None:
            self._narrow(node, lower, upper)
            return
        before = self._known.get(key, (lower, upper))
        self._known[key] = (max(lower, before[0]), min(upper, before[1]))

    def _narrow(self, node: Node, lower: int, upper: int) -> None:
        """Narrow the bounds of a node, and all bounds that follow from them."""
        touched = [(node, lower, upper)]
        while touched:
            node, lower, upper = touched.pop()
            if lower <= node.lower and upper >= node.upper:
                continue
            node.lower = max(node.lower, lower)
            node.upper = min(node.upper, upper)
            if node.lower > node.upper:
                raise contradiction(node.fields)
            for question in list(node.questions.values()):
                self._renew(question)
            touched += [(parent, *self._from_moves(parent)) for parent in node.parents]

    @staticmethod
    def _from_moves(node: Node) -> tuple[int, int]:
        """The bounds of a node that follow from its moves."""
        assert node.moves is not None
        return (
            max(-move.node.upper - move.offset for move in node.moves),
            max(-move.node.lower - move.offset for move in node.moves),
        )

    def _open_up(self, node: Node) -> None:
        """Give a node its moves."""
        if node.moves is not None:
            return
        moves = []
        for name in node.position.legal_fields:
            child, base = self._node(node.position.play(name), (*node.fields, name))
            moves.append(Move(name, child, base + node.base))
        node.moves = moves
        for child in {move.node for move in moves}:
            child.parents.append(node)
        self._narrow(node, *self._from_moves(node))

    def moves(self, node: Node) -> list[Move]:
        """The moves of a node; none of them is worth more than the node."""
        self._open_up(node)
        assert node.moves is not None
        for move in node.moves:
            self._narrow(move.node, -node.upper - move.offset, move.node.upper)
        return node.moves

    @staticmethod
    def keeping(node: Node, base: int, target: int, reply: int) -> Move | None:
        """A move that is proved to be worth at least `target`, where `base` points are decided, and
        after which the other side is proved to get at least `reply`."""
        for move in node.moves or ():
            decided = move.offset - base
            if -move.node.upper - decided >= target and move.node.lower + decided >= reply:
                return move
        return None

    def guess(self, node: Node) -> float:
        """A guess of a node's relative margin."""
        if node.guess is None:
            self._solver.bounds(node.position)
            node.guess = self._guesses.margin(node.free) - node.base
        return node.guess

    def first_beta(self, node: Node) -> int:
        """Where the questions about a node's relative margin begin: where `Solver`'s would."""
        self._solver.bounds(node.position)
        return guess(self._solver.search) - node.base

    # Questions

    def question(self, node: Node, beta: int, harder: float = 1.0) -> Question:
        """The question whether the relative margin of a node is at least `beta`."""
        question = node.questions.get(beta)
        if question is None:
            question = node.questions[beta] = Question(node, beta, harder)
            self._renew(question)
            if (node.key, beta) in self._split_before and question.answer is None:
                self._split(question)
        return question

    def _renew(self, question: Question) -> None:
        """Compute the numbers of a question, and of those above it."""
        changed = [question]
        while changed:
            question = changed.pop()
            before = question.to_yes, question.to_no
            self._estimate(question)
            if (question.to_yes, question.to_no) != before:
                changed += question.parents

    def _estimate(self, question: Question) -> None:
        answer = question.answer
        if answer is None and question.job is not None:
            answer = question.job.likely
        if answer is not None:
            question.to_yes, question.to_no = (0.0, math.inf) if answer else (math.inf, 0.0)
        elif question.moves is None:
            nodes, yes = self._expect(question)
            question.to_yes = nodes / yes
            question.to_no = nodes / (1 - yes)
        else:
            question.to_yes = min(move.to_no for move in question.moves)
            question.to_no = sum(move.to_yes for move in question.moves)

    def _expect(self, question: Question) -> tuple[float, float]:
        node = question.node
        above = self.guess(node) - question.beta + 0.5
        nodes = question.harder * self._hardness * self._effort.question(node.free, above)
        return nodes, self._effort.yes(above)

    def _split(self, question: Question) -> None:
        """Ask about the moves of a leaf instead of the leaf."""
        if (question.node.key, question.beta) in self._tried:
            question.harder *= _HARDER
        self._open_up(question.node)
        assert question.node.moves is not None
        asked: list[Question] = []
        for move in question.node.moves:
            child = self.question(move.node, 1 - question.beta - move.offset, question.harder)
            if child not in asked:
                asked.append(child)
        question.moves = asked
        for child in asked:
            child.parents.append(question)
        self._renew(question)

    def next_job(self, question: Question) -> LeafJob | None:
        """The next job that helps to answer a question.

        None if the question is answered, or will be if all jobs under way get their likely answers.
        """
        top = question
        while True:
            if 0.0 in (top.to_yes, top.to_no):
                return None
            question = top
            while question.moves is not None:
                question = min(question.moves, key=lambda move: move.to_no)
            tried = (question.node.key, question.beta) in self._tried
            if tried or self._expect(question)[0] > _FILLED * self.budget:
                self.look_up()
                self._split(question)
            else:
                return self._begin(question)

    def _begin(self, question: Question) -> LeafJob:
        node = question.node
        likely = question.to_yes <= question.to_no
        expected = self._expect(question)[0] / self._hardness
        job = LeafJob(question, node.position, question.beta + node.base, likely, expected)
        question.job = job
        self.jobs.add(job)
        self._renew(question)
        return job

    def end(self, job: LeafJob, facts: Iterable[Fact], nodes: int) -> None:
        """Note the result of a job and its nodes; without an answer its leaf is split later."""
        self._let_go(job)
        self.learn(job.position, facts)
        self._compare(nodes, job.expected)
        if job.question.answer is None:
            self._tried.add((job.question.node.key, job.question.beta))
        self._renew(job.question)

    def _compare(self, nodes: int, expected: float) -> None:
        """Adjust the estimate of nodes by those that a job has taken."""
        self._jobs_done += 1
        off = math.log(max(nodes, 1) / expected / self._hardness)
        self._hardness *= math.exp(off / min(self._jobs_done + _CERTAINTY, _MEMORY))

    def take_up(
        self, fields: tuple[str, ...], beta: int, facts: Iterable[Fact], nodes: int
    ) -> None:
        """Note the result of a job of an earlier run; `fields` lead to its position.

        The questions on the way were split then, and are split again as soon as they are asked: a
        job for the whole question could not use the known bounds of the positions below.
        """
        position = self.root.position
        for ply, name in enumerate(fields):
            asked = beta if (len(fields) - ply) % 2 == 0 else 1 - beta
            _, key, base = self._look_at(position)
            self._split_before.add((key, asked - base))
            position = position.play(name)
        _, key, base = self._look_at(position)
        free = fields_that_count(position)
        above = self._guesses.margin(free) - beta + 0.5
        self._compare(nodes, self._effort.question(free, above))
        self._tried.add((key, beta - base))
        self.learn(position, facts)

    def drop(self, job: LeafJob) -> None:
        """Forget that a job is under way; it may be begun again."""
        self._let_go(job)
        self._renew(job.question)

    def _let_go(self, job: LeafJob) -> None:
        self.jobs.discard(job)
        job.question.job = None

    def needless(self, asked: Iterable[Question]) -> list[LeafJob]:
        """Jobs under way whose answers no longer matter for any of the questions asked."""
        needed = {question: question.answer is None for question in asked}
        return [job for job in self.jobs if not self._is_needed(job.question, needed)]

    def _is_needed(self, question: Question, needed: dict[Question, bool]) -> bool:
        """Whether a chain of open questions leads up from here to one that is `needed`."""
        known = needed.get(question)
        if known is None:
            known = needed[question] = question.answer is None and any(
                self._is_needed(parent, needed) for parent in question.parents
            )
        return known
